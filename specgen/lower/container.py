"""Containers of a pod: the program's, and those that run before it and beside it."""

from __future__ import annotations

from specgen.diagnostics.model import KEY, Place
from specgen.manifest.origins import Sourced, key_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from specgen.manifest.build import Build
    from specgen.plan.pods import ContainerPlan, Context, MountPoint, RolePlan


def program(role: RolePlan, build: Build, name: str) -> None:
    """The container of the program, by the name that the operator looks for."""
    build.put("name", name, None, "the operator knows the training container by this name, or by its place")
    for key, said in (
        ("image", role.image),
        ("imagePullPolicy", role.pull_policy),
        ("command", role.command if role.entrypoint is None else None),
        ("args", role.args if role.entrypoint is None else _handed_on(role, role.entrypoint)),
        ("workingDir", role.workdir),
    ):
        if said is not None:
            build.say(key, said)
    if role.command is not None and role.program is not None:
        key = "command" if role.entrypoint is None else "args"
        build.origins.before[*build.path, key] = len(role.command.value) - len(role.program.value)
    for port, number in role.ports.items():
        item = build.item("ports")
        item.put("name", port, key_of(number.place), number.reason)
        item.say("containerPort", number)
    for source in role.env_from:
        item = build.item("envFrom")
        for key, value in source.value.items():
            item.put(key, value, source.place, source.reason)
    for variable, said in role.env.items():
        item = build.item("env")
        item.put("name", variable, said.place, said.reason)
        for key, value in said.value.items():
            item.put(key, value, said.place, said.reason)
    _amounts(role, build)
    _context(role.security, build)
    _mounts(role.mounts, build)
    for key, said in role.container.items():
        build.say(key, said)


def _handed_on(role: RolePlan, entrypoint: Sourced) -> Sourced | None:
    """Command and arguments as arguments of the image's entrypoint."""
    if role.command is None:
        return role.args
    line = [*role.command.value, *(role.args.value if role.args is not None else ())]
    return Sourced(line, role.command.place, f"{role.command.reason}; {entrypoint.reason}")


def _amounts(role: RolePlan, build: Build) -> None:
    devices = role.devices
    if not (devices.limits or devices.requests or devices.claims):
        return
    resources = build.within("resources")
    for side, amounts in (("limits", devices.limits), ("requests", devices.requests)):
        for name, said in amounts.items():
            resources.within(side).say(name, said)
    for name, said in devices.claims.items():
        resources.item("claims").put("name", name, said.place, said.reason)


def _context(context: Context, build: Build) -> None:
    for path, said in context.items():
        part = build.within("securityContext")
        for step in path[:-1]:
            part = part.within(step)
        part.say(path[-1], said)


def _mounts(mounts: Iterable[MountPoint], build: Build) -> None:
    for mount in mounts:
        item = build.item("volumeMounts")
        said = mount.said
        item.put("name", mount.volume, said.place, said.reason)
        item.put("mountPath", mount.path, said.place, said.reason)
        if mount.sub_path is not None:
            item.put("subPath", mount.sub_path, said.place, said.reason)
        if mount.read_only:
            item.put("readOnly", True, said.place, said.reason)


def beside(role: RolePlan, one: ContainerPlan, build: Build) -> None:
    """A container before or beside the program: without mounts of its own it sees what the program sees."""
    place, reason = one.place, f"the container `{one.name}`"
    build.put("name", one.name, place, reason)
    if one.image is not None:
        build.say("image", one.image)
    if one.pull_policy is not None:
        build.put("imagePullPolicy", one.pull_policy, place, "`pull.policy`")
    for key, value in (("command", one.command), ("args", one.args), ("workingDir", one.workdir)):
        if value is not None:
            # so that a word of a command line is found where it is written
            at = Place((*place.path, key), KEY, where=place.where) if place is not None else None
            build.put(key, list(value) if isinstance(value, list) else value, at, reason)
    for variable, source in one.env.items():
        item = build.item("env")
        item.put("name", variable, place, reason)
        for key, entry in source.items():
            item.put(key, entry, place, reason)
    for (side, name), amount in one.amounts.items():
        build.within("resources").within(side).put(name, amount, place, reason)
    for name in one.claims:
        build.within("resources").item("claims").put("name", name, place, reason)
    _context(one.security, build)
    if one.mounts is None:
        _mounts([*(mount for mount in role.mounts if mount.path != "/dev/shm"), *role.lent], build)
    else:
        _mounts(one.mounts, build)
