"""MindSpore's operator: the default kustomization, its flag for gangs, and the rights that the flag needs.

Read from mindspore-ai/ms-operator e361e2b (1.0.0 and changes of its README): config/default, config/manager,
deploy/v1/ms-operator.yaml, cmd/manager/main.go. ``--gang-scheduler-name`` is parsed and unused, groups are always
Volcano's; the ClusterRole of the shipped manifests gives no right to PodGroups and events. It adds no container
to pods.
"""

from __future__ import annotations

from specgen.install.model import Flag, Layout, release
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.profile.cluster import ClusterProfile, Operator

NAME = "ms-operator"
KNOWN: tuple[str, ...] = ("1.0.0",)
# Pinned by commit: what was read is not a tag's, and a tag can move.
_COMMIT = "e361e2b943940d4f53a38eb23a4cc248d758bcbf"
# The proxy for metrics stands in the same pod; the operator's image is called either way.
_IMAGES = (
    "gcr.io/kubebuilder/kube-rbac-proxy",
    "mindspore/ms-operator",
    "swr.cn-south-1.myhuaweicloud.com/mindspore/ms-operator",
)
ROLE = "ms-operator-manager-role"
RULES: tuple[dict[str, Any], ...] = (
    {
        "apiGroups": ["scheduling.volcano.sh"],
        "resources": ["podgroups"],
        "verbs": ["create", "delete", "get", "list", "patch", "update", "watch"],
    },
    {"apiGroups": [""], "resources": ["events"], "verbs": ["create", "patch"]},
)


def layout(version: str) -> Layout | None:
    """The default kustomization, pinned by commit."""
    if release(version) != "1.0":
        return None
    return Layout(
        "github.com/mindspore-ai/ms-operator",
        "config/default",
        _COMMIT if version.removeprefix("v") in KNOWN else None,
        namespace="ms-operator-system",
        deployment="ms-operator-controller-manager",
        container="manager",
        words="args",
        images=_IMAGES,
        index=1,
    )


def flags(operator: Operator, cluster: ClusterProfile, minor: str) -> tuple[list[Flag], list[Finding]]:
    """The switch of gang scheduling, which is for Volcano alone."""
    if operator.gang is None:
        return [], []
    if operator.gang != "volcano":
        message = f"`gang: {operator.gang}` contradicts the {NAME}, which groups pods for Volcano alone"
        return [], [codes.CONTRADICTION.at(("operators", NAME, "gang"), message)]
    return [Flag("--enable-gang-scheduling", f"operators.{NAME}.gang")], []
