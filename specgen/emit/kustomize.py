"""The ``kustomization.yaml`` beside manifests, so that a folder is a GitOps source as it is."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

FILE = "kustomization.yaml"


def kustomization(resources: Sequence[str], configurations: Sequence[str] = ()) -> dict[str, Any]:
    """Resources in apply order; kustomize sorts nothing. ``configurations``: files that tell it a kind's fields."""
    tree = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "resources": list(resources)}
    return {**tree, "configurations": list(configurations)} if configurations else tree
