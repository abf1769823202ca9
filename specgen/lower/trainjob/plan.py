"""What the planner must know of TrainJobs: who has how many pods, which names come of the job's, whose the gang is.

Names as of JobSet v0.12.0 (f22e565ac3cc), pkg/webhooks/jobset_webhook.go, and measured: 48 characters with up to ten
nodes, 44 with a launcher. Gangs as of kubeflow/trainer v2.3.0 (658725bdae5c), pkg/runtime/framework/plugins.
"""

from __future__ import annotations

from specgen.operators.trainer.facts import OPERATOR, VOLCANO
from specgen.plan.kind import Count
from specgen.plan.launching import Mpi
from specgen.plan.world import over_runtime, pods_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.plan.model import Plan, RolePlan, World
    from specgen.profile.resolve import ResolvedJob

STEPS = ("dataset", "model")
LAUNCHED = ("mpirun", "horovodrun")
# Where ssh looks for root's keys, and where Trainer is told to mount them (``ssh``).
KEYS = "/root/.ssh"
MOUNT = "/mnt/mpi-ssh-auth"


def _refuses(version: str, launcher: RolePlan) -> str:
    """Trainer has at least one node beside a launcher that trains: max(numNodes - 1, 1), recorded."""
    if launcher.words.starts or launcher.words.job.job.pods > 1:
        return ""
    return "with `launcherTrains` a TrainJob has a node beside the launcher, so at least two `pods`"


# Trainer mounts keys and host file, and has no command for nodes (pkg/runtime/framework/plugins/mpi, recorded).
MPI = Mpi(
    agent=None,
    idle=("/usr/sbin/sshd", "-De"),
    written=True,
    mounts=(("mpi-ssh-auth", MOUNT), ("mpi-hostfile", "/etc/mpi")),
    implementations=lambda version: ("OpenMPI",),
    holds=lambda version: True,
    refuses=_refuses,
    keys=KEYS,
)


def counts(job: ResolvedJob, count: World) -> list[Count]:
    """All pods are nodes; mpirun has a launcher besides, or it is the first of them."""
    place = pods_place(job)
    if count.starter not in LAUNCHED:
        return [Count("worker", count.pods, place, "`pods` are all nodes")]
    start = job.job.start
    if start is None or isinstance(start, str) or not start.launcher_trains:
        launcher = Count("launcher", 1, job.place(("start",)), f"{count.starter} runs in a pod of its own")
        return [Count("worker", count.pods, place, "`pods` are all nodes"), launcher]
    launcher = Count("launcher", 1, job.place(("start", "launcherTrains")), "one of `pods` is the launcher")
    if count.pods == 1:
        return [launcher]
    return [Count("worker", count.pods - 1, place, "`pods` minus the launcher"), launcher]


def names(plan: Plan) -> tuple[list[str], str]:
    """The last pod of every replicated job: JobSet wants the name with Kubernetes' five random letters to fit."""
    jobs = [(role.name, int(role.replicas.value)) for role in plan.roles]
    jobs += [(f"{key}-initializer", 1) for key in fetched(plan.job)]
    outcome = "a pod bears it: the JobSet is refused, of which only an event of the TrainJob tells"
    return [f"{plan.job.name}-{name}-0-{pods - 1}-xxxxx" for name, pods in jobs], outcome


def fetched(job: ResolvedJob) -> list[str]:
    """Which of ``dataset`` and ``model`` an initialiser fetches."""
    return [key for key in STEPS if (job.layers.data.get(key) or {}).get("uri") is not None]


def groups(plan: Plan, word: str) -> bool:
    """Whether Trainer makes the PodGroup, which its runtime asks for.

    It counts the pods of all replicated jobs, those too that ``dependsOn`` holds back (recorded): a gang of them would
    wait for ever. Then, and where Trainer does not know the scheduler yet, the group is specgen's own.
    """
    if word not in ("coscheduling", "volcano") or over_runtime(plan.job):
        return False
    if fetched(plan.job) or any(role.word == "launcher" for role in plan.roles):
        return False
    return word == "coscheduling" or OPERATOR.at(plan.version) >= VOLCANO
