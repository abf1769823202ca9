"""A job of the training operator while its pods are made."""

from __future__ import annotations

from specgen.manifest.views import mapping
from specgen.operators.gang import joined
from specgen.operators.training import common
from specgen.operators.training.facts import OPERATOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.views import Workload
    from specgen.operators.expansion import Expansion
    from specgen.operators.training.facts import Framework


class Job:
    """A job after the operator's defaults, in memory."""

    __slots__ = ("expansion", "framework", "gang", "name", "namespace", "release", "roles", "spec", "total")

    def __init__(self, expansion: Expansion, framework: Framework, workload: Workload, spec: dict[str, Any]) -> None:
        self.expansion = expansion
        self.framework = framework
        # the scheduler of its gang, as the operator's flag names it; None without
        self.gang = workload.gang or None
        self.name = expansion.job.name
        # where nothing names a namespace, kubectl's usual one
        self.namespace = expansion.job.namespace or "default"
        self.release = OPERATOR.at(workload.version)
        self.spec = spec
        # replica specs by role, in the order in which pods are made
        self.roles: dict[str, dict[str, Any]] = {}
        # its pods
        self.total = 0

    def replicas(self, role: str) -> int:
        """Replicas of a role: 1 where none are given, but no Workers of an MPIJob."""
        tree = self.roles.get(role)
        if tree is None or (role == "Worker" and self.framework.kind == "MPIJob" and "replicas" not in tree):
            return 0
        return common.replicas(tree)

    def pod_spec(self, role: str) -> dict[str, Any]:
        """The pod spec of a role's template."""
        return mapping(mapping(self.roles[role].get("template")).get("spec"))

    def joined(self, role: str, pod: dict[str, Any]) -> dict[str, Any]:
        """A pod as a member of the job's gang, if it has one."""
        return pod if self.gang is None else joined(self.gang, self.name, role, pod)
