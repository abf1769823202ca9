"""The ``kustomization.yaml`` beside manifests, so that a folder is a GitOps source as it is.

Order, for each that reads it: kustomize 5 sorts what it prints by kind unless ``sortOptions`` of the outermost
kustomization says otherwise (api/krusty/kustomizer.go), so kubectl would apply a TrainJob before its TrainingRuntime,
which the webhook of Trainer refuses. Argo CD sorts anew (``waves``). Flux tries all objects of a Kustomization before
it applies one (fluxcd/pkg, ssa/manager_apply.go, ApplyAll): what a webhook wants to find first needs its own one.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

FILE = "kustomization.yaml"
# Names that kustomize takes as well; with two of them in a folder it fails.
OTHERS = ("kustomization.yml", "Kustomization")
# Kinds without which a webhook refuses the job.
RUNTIMES = ("TrainingRuntime", "ClusterTrainingRuntime")
_SORTED = "sortOptions:\n  order: fifo\n"


def kustomization(
    resources: Sequence[str], configurations: Sequence[str] = (), *, ordered: bool = False
) -> dict[str, Any]:
    """Resources in apply order, which is kept where it is ``ordered``. ``configurations``: what tells a kind's fields.

    Upstream's own manifests, which need kustomize's order of kinds, are not ``ordered``.
    """
    tree: dict[str, Any] = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}
    if ordered:
        tree["sortOptions"] = {"order": "fifo"}
    tree["resources"] = list(resources)
    return {**tree, "configurations": list(configurations)} if configurations else tree


def former(text: str) -> str:
    """A kustomization as it was written before it said an order: trees from then are taken over."""
    return text.replace(_SORTED, "")
