"""What both versions of MPIJob say alike: pods, slots, names, restarts, and what no launcher can have."""

from __future__ import annotations

from specgen.diagnostics.model import listed
from specgen.manifest.origins import Sourced, key_of
from specgen.plan.codes import OPERATOR_SETS_IT
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.manifest.build import Build
    from specgen.plan.model import Plan, World

# The constant of both operators; they take the first container, whatever its name is.
CONTAINER = "mpi"
ROLES = {"launcher": "Launcher", "worker": "Worker"}
# Emptied by both operators in a launcher that does not train.
BLANK = ("NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES")


def counts(world: World) -> dict[str, Sourced]:
    """One launcher beside ``pods`` workers, or the first of them."""
    if world.trains is not None:
        found = {"launcher": Sourced(1, world.trains, "the launcher is the first of `pods`")}
        if world.pods > 1:
            reason = "`pods` minus the launcher, which trains"
            found["worker"] = Sourced(world.pods - 1, world.pods_place, reason)
        return found
    place = world.named.get("launcher") or key_of(world.target)
    workers = Sourced(world.pods, world.pods_place, "`pods` are all workers")
    return {"launcher": Sourced(1, place, "one pod starts the processes of the others"), "worker": workers}


def names(plan: Plan) -> tuple[list[str], str]:
    """The longest names that the operators derive, and what becomes of longer ones."""
    found = [f"{plan.name}-launcher"]
    for role in plan.roles:
        if role.word == "worker":
            found.append(f"{plan.name}-worker-{int(role.replicas.value) - 1}")
    return found, "a hostname has 63 characters at most, and so has the name of a Job"


def slots(plan: Plan, spec: Build) -> None:
    """``slotsPerWorker``: processes of a pod."""
    world, reason = plan.world, "`procsPerPod`"
    place = world.procs_place
    if place is None:
        place = world.per_device.place if world.per_device is not None else None
        reason = world.per_device.reason if world.per_device is not None else "one process in a pod"
    spec.put("slotsPerWorker", world.procs_per_pod, place, reason)


def restarts(plan: Plan, known: tuple[str, ...], reason: str) -> list[Finding]:
    """SG208 for restart policies that the operator does not follow, each place once."""
    findings = []
    seen: list[object] = []
    for role in plan.roles:
        if role.restart is None or role.restart.value in known:
            continue
        word, place = role.restart.value, role.restart.at
        if (place.path, place.where) not in seen:
            seen.append((place.path, place.where))
            helps = [f"it follows {listed(list(known))}"]
            findings.append(codes.NOT_FOR_TARGET.at(place, f"`restart: {word}`: {reason}", helps=helps))
    return findings


def blank(plan: Plan) -> list[Finding]:
    """SG212 for variables of a launcher that its operator empties."""
    launcher = plan.roles[0]
    if not launcher.starts:
        return []
    findings = []
    for name in BLANK:
        if name in launcher.env:
            place = launcher.env[name].key
            message = f"the operator empties `{name}` in a launcher that does not train"
            findings.append(OPERATOR_SETS_IT.at(place, message))
    return findings
