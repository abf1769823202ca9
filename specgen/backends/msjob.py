"""MSJob, ``mindspore.gitee.com/v1``: what the ms-operator (mindspore-ai/ms-operator) takes; read, not compiled to.

Read from v1.0.0 (e361e2b), its only release. What the operator creates is in ``_ms_operator``.
"""

from __future__ import annotations

from specgen.manifest.views import Role, Workload, mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.backends._expansion import Expansion
    from specgen.manifest.model import Manifest

API_VERSION = "mindspore.gitee.com/v1"
KIND = "MSJob"
SCHEMA = "msjob_v1"
CONTAINER = "mindspore"
OPERATOR = "ms-operator"
NEWEST = "1.0.0"
RELEASES = ("1.0",)

# Appended by the operator to the containers of its name, where there is a Scheduler.
INJECTED = frozenset(("MS_SCHED_HOST", "MS_NODE_ID", "MS_SCHED_PORT", "MS_SERVER_NUM", "MS_WORKER_NUM", "MS_ROLE"))


def absent_fields(version: str) -> frozenset[tuple[str, str]]:
    """There is one version of the CRD."""
    return frozenset()


def unique_lists(version: str) -> tuple[str, ...] | None:
    """The lists whose keys the CRD, of the age of Kubernetes 1.23, holds unique."""
    return "ports", "topologySpreadConstraints"


def expand(workload: Workload) -> Expansion:
    """What the operator creates (``_ms_operator``)."""
    # loaded here: linting does not ask for it
    from specgen.backends._ms_operator import expand as pods

    return pods(workload)


def read(manifest: Manifest, version: str | None = None) -> Workload:
    """The job as the operator sees it: roles in any case of letters, one process in each pod. Never raises."""
    workload = Workload(manifest, container=CONTAINER, operator=OPERATOR, version=version or NEWEST)
    workload.rules_env = INJECTED
    roles = mapping(mapping(manifest.tree.get("spec")).get("msReplicaSpecs"))
    for name in ("Scheduler", "PS", "Worker"):
        for written, part in roles.items():
            if isinstance(written, str) and written.lower() == name.lower() and isinstance(part, dict):
                workload.roles.append(Role(workload, name, ("spec", "msReplicaSpecs", written), part))
    return workload
