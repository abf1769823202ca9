"""What the planner must know of TrainJobs: who has how many pods, which names come of the job's, whose the gang is.

Names as of JobSet v0.12.0 (f22e565ac3cc), pkg/webhooks/jobset_webhook.go, and measured: 48 characters with up to ten
nodes, 44 with a launcher. Gangs as of kubeflow/trainer v2.3.0 (658725bdae5c), pkg/runtime/framework/plugins.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING
from specgen.manifest.origins import Sourced, located
from specgen.operators.kubernetes.launchers import starts_one
from specgen.operators.trainer.facts import OPERATOR, VOLCANO
from specgen.plan.kind import Mpi
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.plan.model import Plan, World
    from specgen.plan.pods import RolePlan

LAUNCHED = ("mpirun", "horovodrun")
# Where ssh looks for root's keys, and where Trainer is told to mount them (``ssh``).
KEYS = "/root/.ssh"
MOUNT = "/mnt/mpi-ssh-auth"


def mpi(version: str, launcher: RolePlan, pods: int) -> Mpi:
    """ssh reaches the nodes; Trainer mounts keys and host file, and has no command for nodes.

    There is at least one node beside a launcher that trains: max(numNodes - 1, 1) (pkg/runtime/framework/plugins/mpi,
    recorded).
    """
    refusal = ""
    if not launcher.starts and pods < 2:
        refusal = "with `launcherTrains` a TrainJob has a node beside the launcher, so at least two `pods`"
    return Mpi(
        agent=None,
        idle=("/usr/sbin/sshd", "-De"),
        written=True,
        mounts=(("mpi-ssh-auth", MOUNT), ("mpi-hostfile", "/etc/mpi")),
        holds=True,
        refusal=refusal,
        keys=KEYS,
    )


def counts(world: World) -> dict[str, Sourced]:
    """All pods are nodes; mpirun has a launcher besides, or it is the first of them."""
    place, reason = world.pods_place, "`pods` are all nodes"
    if world.starter not in LAUNCHED:
        return {"worker": Sourced(world.pods, place, reason)}
    if world.trains is None:
        launcher = Sourced(1, world.starter_place, f"{world.starter} runs in a pod of its own")
        return {"worker": Sourced(world.pods, place, reason), "launcher": launcher}
    launcher = Sourced(1, world.trains, "one of `pods` is the launcher")
    if world.pods == 1:
        return {"launcher": launcher}
    return {"worker": Sourced(world.pods - 1, place, "`pods` minus the launcher"), "launcher": launcher}


def unaware(plan: Plan) -> list[Finding]:
    """SG207, a warning: Trainer tells the nodes what torchrun reads (``PET_…``), and Python alone reads nothing."""
    count, program = plan.world, plan.roles[0].program
    if count.starter != "none" or count.pods == 1 or program is None or "RANK" in plan.roles[0].env:
        return []
    if not starts_one(program.value) or any("PET_" in word for word in program.value):
        return []  # a shell, or a launcher of its own, may read what the nodes are told
    message = f"one process in each of {count.pods} pods learns neither its rank nor where they meet"
    helps = ["`start: torchrun` tells them; `start: self` says that the command reads `PET_NODE_RANK` and the like"]
    place = located(count.starter_place)
    related = [(located(count.pods_place), "several pods")] if count.pods_place is not None else []
    return [codes.CONTRADICTION.at(place, message, related=related, helps=helps, severity=WARNING)]


def names(plan: Plan) -> tuple[list[str], str]:
    """The last pod of every replicated job: JobSet wants the name with Kubernetes' five random letters to fit."""
    jobs = [(role.name, int(role.replicas.value)) for role in plan.roles]
    jobs += [(f"{key}-initializer", 1) for key in plan.fetched]
    outcome = "a pod bears it: the JobSet is refused, of which only an event of the TrainJob tells"
    return [f"{plan.name}-{name}-0-{pods - 1}-xxxxx" for name, pods in jobs], outcome


def groups(plan: Plan, gang: str, flag: str | None) -> bool:
    """Whether Trainer makes the PodGroup, which its runtime asks for.

    It counts the pods of all replicated jobs, those too that ``dependsOn`` holds back (recorded): a gang of them would
    wait for ever. Then, and where Trainer does not know the scheduler yet, the group is specgen's own.
    """
    if gang not in ("coscheduling", "volcano") or plan.runtime is not None:
        return False
    if plan.fetched or any(role.word == "launcher" for role in plan.roles):
        return False
    return gang == "coscheduling" or OPERATOR.at(plan.version) >= VOLCANO
