"""What both versions of MPIJob say alike: pods, slots, names, restarts, and what no launcher can have."""

from __future__ import annotations

from specgen.diagnostics.model import KEY, listed
from specgen.plan.codes import OPERATOR_SETS_IT
from specgen.plan.kind import Count
from specgen.plan.world import pods_place
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.manifest.build import Build
    from specgen.plan.model import Plan, World
    from specgen.profile.resolve import ResolvedJob

# The constant of both operators; they take the first container, whatever its name is.
CONTAINER = "mpi"
ROLES = {"launcher": "Launcher", "worker": "Worker"}
# Emptied by both operators in a launcher that does not train.
BLANK = ("NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES")


def counts(job: ResolvedJob, count: World) -> list[Count]:
    """One launcher beside ``pods`` workers, or the first of them."""
    start = job.job.start
    if start is not None and not isinstance(start, str) and start.launcher_trains:
        place = job.place(("start", "launcherTrains"))
        found = [Count("launcher", 1, place, "the launcher is the first of `pods`")]
        if count.pods > 1:
            found.append(Count("worker", count.pods - 1, pods_place(job), "`pods` minus the launcher, which trains"))
        return found
    named = (job.layers.data.get("roles") or {}).get("launcher") is not None
    place = job.place(("roles", "launcher") if named else ("target",), KEY)
    workers = Count("worker", count.pods, pods_place(job), "`pods` are all workers")
    return [Count("launcher", 1, place, "one pod starts the processes of the others"), workers]


def names(plan: Plan) -> tuple[list[str], str]:
    """The longest names that the operators derive, and what becomes of longer ones."""
    found = [f"{plan.job.name}-launcher"]
    for role in plan.roles:
        if role.word == "worker":
            found.append(f"{plan.job.name}-worker-{int(role.replicas.value) - 1}")
    return found, "a hostname has 63 characters at most, and so has the name of a Job"


def slots(plan: Plan, spec: Build) -> None:
    """``slotsPerWorker``: processes of a pod."""
    job = plan.job
    reason = "`procsPerPod`"
    place = job.place(("procsPerPod",)) if "procsPerPod" in job.layers.data else None
    if place is None:
        word = "gpu" if job.job.resources.gpu else "npu"
        devices = bool(job.job.resources.gpu or job.job.resources.npu) and plan.world.procs_per_pod > 1
        place = job.place(("resources", word)) if devices else None
        reason = f"a process for each of `resources.{word}`" if devices else "one process in a pod"
    spec.put("slotsPerWorker", plan.world.procs_per_pod, place, reason)


def restarts(plan: Plan, known: tuple[str, ...], reason: str) -> list[Finding]:
    """SG208 for restart policies that the operator does not follow, each place once."""
    findings = []
    seen: list[object] = []
    for role in plan.roles:
        word = role.words.words.lifecycle.restart
        if word is None or word in known:
            continue
        place = role.words.place(("lifecycle", "restart"))
        if (place.path, place.where) not in seen:
            seen.append((place.path, place.where))
            helps = [f"it follows {listed(list(known))}"]
            findings.append(codes.NOT_FOR_TARGET.at(place, f"`restart: {word}`: {reason}", helps=helps))
    return findings


def blank(plan: Plan) -> list[Finding]:
    """SG212 for variables of a launcher that its operator empties."""
    launcher = plan.roles[0]
    if not launcher.words.starts:
        return []
    findings = []
    for name in BLANK:
        if name in launcher.env:
            place = launcher.words.place(("env", name), KEY)
            message = f"the operator empties `{name}` in a launcher that does not train"
            findings.append(OPERATOR_SETS_IT.at(place, message))
    return findings
