"""MindSpore's operator, of MSJob.

It has a flag for gangs, and needs rights that go with it: ``--gang-scheduler-name`` is parsed and unused, groups are
always Volcano's, and the ClusterRole of the manifests gives no right to PodGroups and events (mindspore-ai/ms-operator
e361e2b, cmd/manager/main.go, deploy/v1/ms-operator.yaml).
"""

from __future__ import annotations

from specgen.install.model import Flag
from specgen.operators.mindspore.facts import OPERATOR
from specgen.profile import codes

__all__ = ["GANG", "OPERATOR", "flags"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.profile.cluster import ClusterProfile
    from specgen.profile.operator import Operator

# The flag by which it makes groups of pods (cmd/manager/main.go).
GANG = "--enable-gang-scheduling"
ROLE = "ms-operator-manager-role"
RULES: tuple[dict[str, Any], ...] = (
    {
        "apiGroups": ["scheduling.volcano.sh"],
        "resources": ["podgroups"],
        "verbs": ["create", "delete", "get", "list", "patch", "update", "watch"],
    },
    {"apiGroups": [""], "resources": ["events"], "verbs": ["create", "patch"]},
)


def flags(entry: Operator, cluster: ClusterProfile) -> tuple[list[Flag], list[Finding]]:
    """The switch of gang scheduling, which is for Volcano alone."""
    name = OPERATOR.name
    if entry.gang is None:
        return [], []
    if entry.gang != "volcano":
        message = f"`gang: {entry.gang}` contradicts the {name}, which groups pods for Volcano alone"
        return [], [codes.CONTRADICTION.at(("operators", name, "gang"), message)]
    return [Flag(GANG, f"operators.{name}.gang")], []
