"""What a rule may need: the name of a field, or a word in brackets for what no name of a field tells.

A job that has nothing of what a rule ``NEEDS`` does not load it. Each word is worked out once a rule asks for it.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.shell import LAUNCHERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from specgen.manifest.views import Container, Workload
    from specgen.rules._context import Context

# A pod of the job is refused by the API server.
REFUSED_POD = "<a refused pod>"
# Something cannot work of a command line: a cause of ``operators.kubernetes.argv``.
SLIP = "<slip: {}>"
# A command line names torchrun, accelerate or DeepSpeed's launcher.
LAUNCHER = "<a launcher>"
# A container has a variable of NCCL, or a command that names one.
NCCL = "<a variable of NCCL>"
# A container sets up InfiniBand for NCCL, or says which network it takes.
NCCL_IB = "<a variable of NCCL's InfiniBand>"
# One of them has no name that is known, a value that its release does not take, or is not there in its release.
NCCL_UNKNOWN, NCCL_WRONG, NCCL_GONE = "<nccl: unknown>", "<nccl: wrong>", "<nccl: gone>"
# A command names variables that mpirun is to carry.
CARRIED = "<mpirun -x>"
# A command begins with Python.
PYTHON = "<Python in front>"
# A command begins with Python, and its container has several GPUs.
PYTHON_ON_GPUS = "<Python in front of several GPUs>"
# A role restarts by exit code.
EXIT_CODE = "<a role with ExitCode>"
# No operator of the cluster serves the job.
UNSERVED = "<no operator of the cluster>"
# A pod template says a restart policy, where most operators do not look for it.
TEMPLATE_POLICY = "<a restart policy in a template>"
# Something runs beside the training container.
SEVERAL = "<several containers in a pod>"
# A volume in memory has a size, and a container a limit of memory.
MEMORY = "<a volume in memory>"
# The job or a template speaks of a service mesh.
MESH = "<a service mesh>"
# One role asks for GPUs and another does not.
SOME_GPUS = "<a role without a GPU>"
# A claim stands beside the job.
CLAIMS = "<a claim beside the job>"
# The cluster has such a pool.
ROCE = "<a pool with RoCE>"


class Needs:
    """A job, and what it has of all that rules may need."""

    __slots__ = ("_faults", "_fields", "_known", "_slipped", "containers", "context", "workload")

    def __init__(self, workload: Workload, containers: Iterable[Container], context: Context) -> None:
        self.workload = workload
        self.containers = list(containers)
        self.context = context
        spec = mapping(workload.manifest.tree.get("spec"))
        fields = set(spec).union(*[policy for policy in spec.values() if isinstance(policy, dict)])
        for role in workload.roles:
            fields.update(role.tree, role.pod)
            if workload.terms is None:  # of a Job, whose limits stand around its pods
                fields.update(mapping(mapping(role.tree.get("template")).get("spec")))
        fields.update(*[container.tree for container in self.containers])
        self._fields = fields
        self._known: dict[str, bool] = {}
        self._slipped: set[str] | None = None
        self._faults: set[str] | None = None

    def met(self, needs: tuple[str, ...]) -> bool:
        """Whether the job has one of these."""
        for need in needs:
            known = self._known.get(need)
            if known is None:
                known = self._known[need] = need in self._fields if need[0] != "<" else self._holds(need)
            if known:
                return True
        return False

    def _holds(self, word: str) -> bool:
        test = _TESTS.get(word)
        return test(self) if test is not None else word in self._slips()

    def faults(self) -> set[str]:
        """What is wrong with its variables of NCCL, by those words."""
        if self._faults is None:
            self._faults = set()
            if self.met((NCCL,)):
                from specgen.rules._nccl import faults

                for container in self.containers:
                    self._faults.update([f"<nccl: {fault}>" for fault in faults(container, self.context)])
        return self._faults

    def _slips(self) -> set[str]:
        if self._slipped is None:
            slips = [slip for container in self.containers for slip in self.context.slips(container)]
            self._slipped = {SLIP.format(slip.cause) for slip in slips}
        return self._slipped


def _names_a_launcher(container: Container) -> bool:
    return any([name in container.line for name in LAUNCHERS])


def _begins_with_python(container: Container) -> bool:
    words = container.words()
    return bool(words) and words[0][2].rpartition("/")[2][:6] == "python"


def _has_several_gpus(container: Container) -> bool:
    return any(["gpu" in str(name) and str(amount) != "1" for name, (amount, _) in container.amounts().items()])


def _sizes_memory(job: Needs) -> bool:
    volumes = [mapping(one) for role in job.workload.roles for one in sequence(role.pod.get("volumes"))]
    sized = any(["sizeLimit" in mapping(volume.get("emptyDir")) for volume in volumes])
    return sized and any(["memory" in container.amounts() for container in job.containers])


def _is_meshed(job: Needs) -> bool:
    """Whether the job itself speaks of a proxy, or a template does anything but keep it out."""
    own = _marks(job.workload.manifest.tree)
    of_pods = [mark for role in job.workload.roles for mark in _marks(role.template)]
    return bool(own) or any([value not in ("false", "disabled") for value in of_pods])


def _marks(tree: dict[str, Any]) -> list[Any]:
    metadata = mapping(tree.get("metadata"))
    marks = [mark for kind in ("annotations", "labels") for mark in mapping(metadata.get(kind)).items()]
    return [value for name, value in marks if isinstance(name, str) and name.endswith(".io/inject")]


def _has_some_gpus(job: Needs) -> bool:
    mains = [role.main for role in job.workload.roles]
    return len({"nvidia.com/gpu" in main.amounts() for main in mains if main is not None}) > 1


def _has_roce(context: Context) -> bool:
    pools = context.cluster.pools.values() if context.cluster is not None else ()
    return any([pool.hca is not None and pool.hca.link == "roce" for pool in pools])


_TESTS: dict[str, Callable[[Needs], bool]] = {
    REFUSED_POD: lambda job: any([job.context.refused_pod(role) for role in job.workload.roles]),
    LAUNCHER: lambda job: any([_names_a_launcher(container) for container in job.containers]),
    NCCL: lambda job: (
        bool(job.context.misplaced_env)
        or any([name[:5] == "NCCL_" for container in job.containers for name in container.env])
        or any(["NCCL_" in text for container in job.containers for _, _, text in container.words()])
    ),
    NCCL_IB: lambda job: (
        any([name[:8] in ("NCCL_IB_", "NCCL_NET") for container in job.containers for name in container.env])
        or any(["NCCL_IB_" in text for container in job.containers for _, _, text in container.words()])
    ),
    CARRIED: lambda job: any(["-x" in text for container in job.containers for _, _, text in container.words()]),
    PYTHON: lambda job: any([_begins_with_python(container) for container in job.containers]),
    PYTHON_ON_GPUS: lambda job: any(
        [_begins_with_python(container) and _has_several_gpus(container) for container in job.containers]
    ),
    NCCL_UNKNOWN: lambda job: NCCL_UNKNOWN in job.faults(),
    NCCL_WRONG: lambda job: NCCL_WRONG in job.faults(),
    NCCL_GONE: lambda job: NCCL_GONE in job.faults(),
    EXIT_CODE: lambda job: any([role.tree.get("restartPolicy") == "ExitCode" for role in job.workload.roles]),
    UNSERVED: lambda job: job.context.cluster is not None and not job.context.serves(job.workload),
    TEMPLATE_POLICY: lambda job: any(["restartPolicy" in role.pod for role in job.workload.roles]),
    SEVERAL: lambda job: any([len(role.containers()) > 1 for role in job.workload.roles]),
    MEMORY: _sizes_memory,
    MESH: _is_meshed,
    SOME_GPUS: _has_some_gpus,
    CLAIMS: lambda job: any([one.ref.kind == "PersistentVolumeClaim" for one in job.context.companions]),
    ROCE: lambda job: _has_roce(job.context),
}
