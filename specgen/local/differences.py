"""What a cluster would do differently with a job that runs here: of this job, and only what holds for it."""

from __future__ import annotations

from specgen.diagnostics.model import listed, plural
from specgen.operators.kubernetes.volumes import own
from specgen.operators.lifecycle import ANEW, FAILS, RECREATED, REPLACED, RESTARTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.local.model import Machine, Wish
    from specgen.operators.lifecycle import Lifecycle
    from specgen.plan.model import Plan


# What follows a pod that fails, where something begins again.
_AGAIN = {
    RECREATED: "a pod that fails is deleted and created again",
    REPLACED: "a pod that fails is replaced by another one",
    RESTARTED: "a pod that fails has all pods created again",
    ANEW: "a pod that fails has all pods created again",
}


def differences(plan: Plan, life: Lifecycle | None, machine: Machine, wish: Wish) -> Iterator[str]:
    """A sentence for each, in the order in which they matter. ``life``: what its operator makes of failures."""
    roles = [role for role in plan.roles if not role.starts] or list(plan.roles)
    gpus = max(role.devices.gpu for role in roles)
    if gpus and not machine.gpus:
        yield f"no GPU here: a pod has {plural(gpus, 'GPU')} there, and what runs on CPUs says nothing of its speed"
    elif gpus and plan.world.pods > 1:
        yield "the pods' GPUs are in one machine: NCCL goes through its memory or NVLink, there over the network"
    if any(role.devices.hca or role.devices.claims for role in roles):
        yield "no HCA here: the pods talk over this machine's loopback, and nothing of the fabric is tried"
    if any(name in role.devices.limits for role in roles for name in ("memory", "cpu")):
        yield "no limits here: a pod that takes more memory than its own is killed there"
    yield from _mounts(plan, machine, wish)
    if any(role.security or role.pod_security for role in roles):
        yield "the processes run as you: user, group and capabilities are those of this shell"
    sidecars = {one.name: None for role in roles for one in role.sidecars}
    if sidecars:
        yield f"{listed([*sidecars])} beside the program {'runs' if len(sidecars) == 1 else 'run'} there alone"
    if any(one.of_fabric for role in roles for one in role.init):
        yield "what the fabric runs before the program is left out"
    if any(role.env_from for role in roles):
        yield "variables of `envFrom` are taken from this shell, if they are set: their values are on the cluster"
    fetched = [word for word, one in plan.fetched.items() if one.offline is None]
    if fetched:
        yield f"{listed(fetched)} is not fetched here: `--map` says where it lies"
    yield from _again(life)


def _again(life: Lifecycle | None) -> Iterator[str]:
    """What begins again on the cluster where a process fails, by the facts of its operator, and when that is over."""
    said: dict[str, list[str]] = {}
    for one in life.failures if life is not None else ():
        step = next((step for step in one.steps if step.times != 0), None)
        if one.gone or step is None:
            continue
        words = "restarts a container that fails, in place" if one.restarts else _AGAIN.get(step.outcome, "")
        if words and one.codes:
            words += " after some exit codes"
        if words and step.times is not None:
            words += f", at most {plural(step.times, 'time')} ({step.by})"
        if words:
            roles = said.setdefault(f"the kubelet {words}" if one.restarts else words, [])
            roles += [role for role in one.roles if role not in roles]
    if not said or life is None:
        return
    parts = [words if len(said) == 1 else f"{words} ({', '.join(roles)})" for words, roles in said.items()]
    # what is created again counts from 0
    counted = {role for one in life.failures if one.restarts for role in one.roles}
    limits = [f"{one.field} {one.value}" for one in life.limits if one.effect == FAILS and counted & {*one.counts}]
    until = f", until {listed(limits)} fails the job" if limits else ""
    yield f"nothing begins again here: there {'; '.join(parts)}{until}"


def _mounts(plan: Plan, machine: Machine, wish: Wish) -> Iterator[str]:
    """Volumes that all pods share, and those that nothing stands in for."""
    shared: dict[str, None] = {}
    kept: dict[str, None] = {}
    absent: dict[str, None] = {}
    for role in plan.roles:
        sources = {one.name: one.source for one in role.volumes}
        for mount in role.mounts:
            source = sources.get(mount.volume, {})
            if own(source):
                if mount.path != "/dev/shm":
                    kept[mount.path] = None
            elif any((mount.path + "/").startswith(there.rstrip("/") + "/") for there, _ in wish.maps):
                shared[mount.path] = None
            elif "configMap" not in source and "secret" not in source:
                (shared if machine.exists(mount.path) else absent)[mount.path] = None
        if any(mount.path == "/dev/shm" for mount in role.mounts):
            shared["/dev/shm"] = None
    if kept:
        yield f"{listed([*kept])}: a folder of its own for each pod, which is gone when the run ends"
    if shared:
        yield f"{listed([*shared])}: this machine's, and the same for all pods"
    if absent:
        maps = " ".join(f"--map {path}=PATH" for path in absent)
        yield f"{listed([*absent])}: mounted there and not here (`{maps}`)"
