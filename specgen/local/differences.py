"""What a cluster would do differently with a job that runs here: of this job, and only what holds for it."""

from __future__ import annotations

from specgen.diagnostics.model import listed, plural
from specgen.operators.kubernetes.volumes import own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.local.model import Local, Machine, Wish
    from specgen.plan.model import Plan


def differences(plan: Plan, local: Local, machine: Machine, wish: Wish) -> Iterator[str]:
    """A sentence for each, in the order in which they matter."""
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
    again = {str(role.restart.value): None for role in plan.roles if role.restart is not None}
    again.pop("Never", None)
    if again:
        yield f"nothing begins again here: {listed([*again])} restarts what fails there"


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
