"""Paths in the container → volumes of the pod and mounts, each source once."""

from __future__ import annotations

from specgen.diagnostics.model import KEY
from specgen.manifest.origins import Sourced
from specgen.plan.pods import MountPoint, Volume
from specgen.profile import codes
from specgen.profile.resolve import unknown
from specgen.schema.record import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding, Place
    from specgen.plan.draft import RoleDraft
    from specgen.plan.model import World
    from specgen.profile.cluster import Pool
    from specgen.profile.mount import Mount

SOURCES = ("storage", "pvc", "hostPath", "scratch", "configMap", "secret", "nfs", "volume")


def plan_mounts(role: RoleDraft, world: World, *, fetched: bool = False) -> list[Finding]:
    """Fills ``role.volumes`` and ``role.mounts``: shared memory first, then the job's mounts, then the fabric's.

    ``fetched``: the kind fetches data by ``uri``, or a runtime of the cluster holds it: the backend sees to both.
    """
    findings: list[Finding] = []
    _shm(role, world)
    for path, mount in role.profile.words.mounts.items():
        place = role.profile.place(("mounts", path))
        if path.rstrip("/") == "/dev/shm":
            message = "a mount at `/dev/shm` contradicts `resources.shm`, which says what stands there"
            helps = ["`resources: {shm: 64Gi}`, `auto` and `host` mount it"]
            findings.append(codes.CONTRADICTION.at(role.profile.place(("mounts", path), KEY), message, helps=helps))
            continue
        point = mount_point(role, path, mount, place, ("mounts", path), findings)
        if point is not None:
            role.mounts.append(point)
    pool = role.devices.pool
    if pool is not None and role.devices.hca and role.profile.job.job.communication.rdma is not False:
        if pool.fabric.rdma == "host":
            from specgen.plan.attach import host_devices  # most fabrics hand out devices

            host_devices(role)
        findings += _shared_claims(role, pool)
        for path, mount in pool.fabric.adds.mounts.items():
            if path in role.profile.words.mounts or role.profile.removed(("mounts", path)):
                continue
            below = ("pools", role.devices.pool_name or "", "fabric", "adds", "mounts", path)
            point = mount_point(role, path, mount, role.profile.job.cluster_place(below), None, findings)
            if point is not None:
                role.mounts.append(point)
    return findings + _data(role, fetched)


def _shared_claims(role: RoleDraft, pool: Pool) -> list[Finding]:
    """SG207: ``create``, or a job's variables in a name, in what the fabric adds to every job."""
    adds = pool.fabric.adds
    listed: list[tuple[tuple[str, ...], Mount]] = [(("mounts", path), mount) for path, mount in adds.mounts.items()]
    for word, own in (("launcher", adds.roles.launcher), ("worker", adds.roles.worker)):
        listed += [(("roles", word, "mounts", path), mount) for path, mount in own.mounts.items()]
    for group, containers in (("init", adds.init), ("sidecars", adds.sidecars)):
        for name, container in containers.items():
            listed += [((group, name, "mounts", path), mount) for path, mount in (container.mounts or {}).items()]
    findings = []
    for path, mount in listed:
        if mount.create is not None:
            below = ("pools", role.devices.pool_name or "", "fabric", "adds", *path, "create")
            message = "`create` makes a claim of one job, and what the fabric adds is every job's"
            findings.append(codes.CONTRADICTION.at(role.profile.job.cluster_place(below, KEY), message))
        for word in ("pvc", "hostPath", "configMap", "secret"):
            text = plain(mount).get(word)
            if isinstance(text, str) and "$<" in text:
                below = ("pools", role.devices.pool_name or "", "fabric", "adds", *path, word)
                message = f"`{text}` stays as it is: what the fabric adds is every job's, and has no variables"
                findings.append(codes.CONTRADICTION.at(role.profile.job.cluster_place(below), message))
    return findings


def _shm(role: RoleDraft, world: World) -> None:
    size = role.profile.words.resources.shm
    place: Place | None = None
    added = role.devices.shm
    if size is None and added is not None:
        size, place, reason = added.value, added.place, added.reason
    elif size is None:
        idle = role.profile.starts or role.profile.meets or role.profile.serves
        several = max(role.devices.gpu, 0 if idle else world.procs_per_pod if world.counted else 2)
        things = f"{several} GPUs or processes" if world.counted else "the processes that torchrun counts"
        if several < 2 and not idle and (role.devices.gpu or role.devices.npu):
            # processes of another sort, of which one alone fills what a container has
            asked = _loaders([*(role.profile.words.command or ()), *(role.profile.words.args or ())])
            several, things = (2, f"the processes of `{asked}`") if asked else (several, "")
        if several < 2 or role.profile.removed(("resources", "shm")):
            return
        size, reason = "auto", f"{things} share memory in the pod: 64 MiB would end in a bus error"
    else:
        place, reason = role.profile.place(("resources", "shm")), "`resources.shm`"
    if size == "none":
        return
    if size == "host":
        source: dict[str, Any] = {"hostPath": {"path": "/dev/shm", "type": "Directory"}}
    elif size == "auto":
        source = {"emptyDir": {"medium": "Memory"}}
    else:
        source = {"emptyDir": {"medium": "Memory", "sizeLimit": size}}
    said = Sourced(size, place, reason)
    role.volumes.append(Volume("shm", source, said))
    role.mounts.append(MountPoint("/dev/shm", "shm", False, None, said))


def _loaders(words: list[str]) -> str:
    """The option that asks for processes that load data; empty: none does."""
    if not any(["workers" in word for word in words]):
        return ""
    from specgen.operators.kubernetes.launchers import loaders  # most command lines do not say

    return loaders(words)


def mount_point(
    role: RoleDraft, path: str, mount: Mount, place: Place, own: tuple[str, ...] | None, findings: list[Finding]
) -> MountPoint | None:
    """One mount, its volume added to the role's if new. ``own``: its path in the role's words, if it is theirs."""

    def at(*steps: str, part: str = KEY) -> Place:
        return role.profile.place((*own, *steps), part) if own is not None else place

    words = plain(mount)
    written = [word for word in SOURCES if words.get(word) is not None]
    if len(written) != 1:
        if written:
            related = [(at(word), "a source") for word in written]
            message = f"the mount `{path}` has {len(written)} sources"
            findings.append(codes.CONTRADICTION.at(at(), message, related=related))
        else:
            message, help = _sourceless(path, words)
            findings.append(codes.CONTRADICTION.at(at(), message, helps=[help]))
        return None
    word = written[0]
    if len(words) > 1:
        findings += _strays(mount, word, at)
    read_only = mount.read_only
    reason = f"`mounts`: `{path}`"
    if word == "storage":
        name, source, sealed, why = _storage(role, str(mount.storage), at("storage", part="value"), findings)
        if source is None:
            return None
        read_only = read_only or sealed
        reason = why
    else:
        name, source = _source(mount, word)
    said = Sourced(path, place, reason)
    volume = _scratch(role, name, source, said, findings) if word == "scratch" else role.add_volume(name, source, said)
    return MountPoint(path, volume, read_only, mount.sub_path, said)


# Words of a mount that go with some sources alone.
_BELONGS = {
    "create": ("pvc",),
    "type": ("hostPath",),
    "size": ("scratch",),
    "memory": ("scratch",),
    "items": ("configMap", "secret"),
    "mode": ("configMap", "secret"),
}
# A value to be filled in, by the source.
_TO_FILL = {"hostPath": "/PATH"}


def _sourceless(path: str, words: dict[str, Any]) -> tuple[str, str]:
    """(message, help) of a mount without a source: what stands there says which one was meant."""
    for key, belongs in _BELONGS.items():
        if key in words:
            lines = " or ".join(f"`{name}: {_TO_FILL.get(name, 'NAME')}`" for name in belongs)
            return f"the mount `{path}` has `{key}` and no {' or '.join(map('`{}`'.format, belongs))}", (
                f"write {lines} beside `{key}`" + (", the name of the claim that is made" if key == "create" else "")
            )
    every = "`storage`, `pvc`, `hostPath`, `scratch`, `configMap`, `secret`, `nfs`, and `volume`"
    return f"the mount `{path}` has no source", f"write one of {every}"


def _strays(mount: Mount, word: str, at: Any) -> list[Finding]:
    """Words that go with another source."""
    findings = []
    for key, belongs in _BELONGS.items():
        if getattr(mount, key) and word not in belongs:
            wanted = " or ".join(f"`{name}`" for name in belongs)
            findings.append(codes.CONTRADICTION.at(at(key), f"`{key}` goes with {wanted}, not with `{word}`"))
    return findings


def _storage(
    role: RoleDraft, name: str, place: Place, findings: list[Finding]
) -> tuple[str, dict[str, Any] | None, bool, str]:
    job = role.profile.job
    known = job.cluster.storage
    if name not in known:
        line = f"storage: {{{name}: {{hostPath: PATH}}}}"
        findings.append(unknown(name, known, "storage", place, job, ("storage",), line))
        return name, None, False, ""
    storage = known[name]
    sources: list[tuple[str, dict[str, Any]]] = []
    if storage.host_path is not None:
        sources.append(("hostPath", {"hostPath": {"path": storage.host_path, "type": "Directory"}}))
    if storage.pvc is not None:
        claim: dict[str, Any] = {"claimName": storage.pvc}
        sources.append(("pvc", {"persistentVolumeClaim": claim}))
    if storage.nfs is not None:
        sources.append(("nfs", {"nfs": {"server": storage.nfs.server, "path": storage.nfs.path}}))
    if storage.volume is not None:
        sources.append(("volume", dict(storage.volume)))
    if len(sources) != 1:
        where = job.cluster_place(("storage", name), KEY)
        count = "no source" if not sources else f"{len(sources)} sources"
        message = f"the storage `{name}` of the cluster profile has {count}"
        findings.append(codes.CONTRADICTION.at(where, message, related=[(place, "used here")]))
        return name, None, False, ""
    return name, sources[0][1], storage.read_only, f"`mounts`: the storage `{name}` of the cluster profile"


def _source(mount: Mount, word: str) -> tuple[str, dict[str, Any]]:
    """(a name for the volume, its source in Kubernetes' spelling)."""
    if word == "pvc":
        return str(mount.pvc), {"persistentVolumeClaim": {"claimName": mount.pvc}}
    if word == "hostPath":
        path = str(mount.host_path)
        name = path.strip("/").rsplit("/", 1)[-1] or "root"
        return name, {"hostPath": {"path": path, "type": mount.type or "Directory"}}
    if word == "scratch":
        empty: dict[str, Any] = {}
        if mount.memory:
            empty["medium"] = "Memory"
        if mount.size is not None:
            empty["sizeLimit"] = mount.size
        return str(mount.scratch), {"emptyDir": empty}
    if word in ("configMap", "secret"):
        source: dict[str, Any] = {"secretName": mount.secret} if word == "secret" else {"name": mount.config_map}
        if mount.items:
            source["items"] = [{"key": key, "path": path} for key, path in mount.items.items()]
        if mount.mode is not None:
            source["defaultMode"] = mount.mode
        return str(mount.secret or mount.config_map), {word: source}
    if word == "nfs":
        assert mount.nfs is not None
        name = mount.nfs.path.strip("/").rsplit("/", 1)[-1] or "nfs"
        return name, {"nfs": {"server": mount.nfs.server, "path": mount.nfs.path}}
    assert mount.volume is not None
    return next(iter(mount.volume), "volume").lower(), dict(mount.volume)


def _scratch(role: RoleDraft, name: str, source: dict[str, Any], said: Sourced, findings: list[Finding]) -> str:
    """The volume of this scratch: one of its mounts says its size and medium, and the others may leave them out."""
    for volume in role.volumes:
        if volume.scratch != name:
            continue
        if not volume.source["emptyDir"]:
            volume.source, volume.said = source, said
        elif source["emptyDir"] and source != volume.source:
            related = [(volume.said.place, "described here")] if volume.said.place is not None else []
            message = f"the scratch `{name}` is described twice, and differently"
            notes = ["the same name is the same volume"]
            assert said.place is not None
            findings.append(codes.CONTRADICTION.at(said.place, message, related=related, notes=notes))
        return volume.name
    return role.add_volume(name, source, said, scratch=name)


def _data(role: RoleDraft, fetched: bool) -> list[Finding]:
    """SG207: a dataset or model whose path lies under no mount."""
    findings = []
    job = role.profile.job
    for key, data in (("dataset", job.job.dataset), ("model", job.job.model)):
        if data is None or role.profile.starts:
            continue
        if fetched and (data.uri is not None or job.runtime is not None):
            continue
        if data.uri is not None:
            helps = [
                "`target: TrainJob`: it is fetched once, before the pods that train come up",
                f"leave `uri` out, and fetch it with a job of its own that ends before this one begins: a profile with "
                f"`pods: 1`, the same mounts, and a command such as `[aws, s3, sync, {data.uri}, {data.path}]`",
            ]
            message = "only a TrainJob fetches data by `uri`"
            findings.append(codes.NOT_FOR_TARGET.at(job.place((key, "uri"), KEY), message, helps=helps))
        elif not any(under(data.path, mount.path) for mount in role.mounts):
            findings.append(
                codes.CONTRADICTION.at(
                    job.place((key, "path")),
                    f"no mount holds the {key} `{data.path}`",
                    related=[(job.place(("mounts",), KEY), "the mounts stand here")]
                    if "mounts" in job.layers.data
                    else [],
                    notes=["the program would find an empty directory of the image, or nothing"],
                )
            )
    return findings


def under(path: str, mount: str) -> bool:
    mount = mount.rstrip("/")
    return path == mount or path.startswith(mount + "/") or not mount
