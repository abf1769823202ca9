"""What follows from the fabric: variables, rights, annotations, mounts; and the variables that a job writes itself."""

from __future__ import annotations

from specgen.diagnostics.model import KEY, NOTE, plural
from specgen.manifest.origins import Sourced
from specgen.plan.codes import NCCL_WITHOUT_GPU, OPERATOR_SETS_IT, RDMA_NOT_USED
from specgen.profile import codes
from specgen.profile.resolve import unknown
from specgen.schema.record import plain

_ADDED = "`fabric.adds` of the pool"
# GPUs of the nodes that large jobs run on, and from how many of them on nobody tries something out.
_WHOLE_NODE, _MANY_PODS = 8, 8
# Variables of the job that can go against what the pool says.
AGAINST = frozenset(("GLOO_SOCKET_IFNAME", "NCCL_IB_DISABLE", "NCCL_IB_HCA", "NCCL_NET", "NCCL_SOCKET_IFNAME"))

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from specgen.diagnostics.model import Finding, Place
    from specgen.plan.draft import RoleDraft
    from specgen.plan.kind import Kind
    from specgen.plan.model import World
    from specgen.profile.cluster import Adds
    from specgen.profile.resolve import ResolvedJob
    from specgen.source import Path

    # path, part of it → where that was written
    At: TypeAlias = Callable[[Path, str], Place]


def library(role: RoleDraft) -> str:
    """What the processes talk with: as written, else by the devices."""
    written = role.profile.job.job.communication.library
    if written is not None:
        return written
    if role.devices.gpu:
        return "nccl"
    pool = role.devices.pool
    if role.devices.npu and pool is not None and pool.npu is not None:
        # an NPU without a word for it has a library of its own, which reads what the fabric says
        return pool.npu.library or "own"
    return "none"


def plan_network(role: RoleDraft, kind: Kind, world: World) -> list[Finding]:
    """Fills ``role.env``, rights, annotations and what ``fabric.adds`` brings."""
    findings = _own_env(role, kind) + _nccl_without_gpu(role, world)
    findings += _preload(role)
    # of a framework whose programs take what they see: another's may need the driver that comes with it
    if not role.devices.gpu and kind.all_devices:
        _unseen(role, kind)
    pool = role.devices.pool
    rdma = role.profile.job.job.communication.rdma
    if pool is None:
        return findings + _unknown_network(role, kind, world)
    if role.devices.gpu and world.most > 1:
        _interface(role)
    if role.devices.hca and rdma is not False:
        findings += _fabric(role)
    elif (
        role.devices.gpu
        and world.most > 1
        and not role.devices.hca
        and rdma is None
        and role.word not in (*kind.own, *kind.single)
        and pool.hca is not None
        and pool.fabric.rdma != "none"
        and library(role) == "nccl"
        and not role.profile.removed(("resources", "hca"))
    ):
        where = role.profile.job.cluster_place(("pools", role.devices.pool_name or "", "hca"), KEY)
        related = [(where, "the nodes have HCAs")]
        findings.append(
            RDMA_NOT_USED.at(
                role.profile.place(("resources",), KEY),
                f"{'up to ' if world.elastic else ''}{world.most} pods with GPUs talk TCP: the job asks for no HCA",
                related=related,
                helps=["write `hca: auto` under `resources`, or `communication: {rdma: false}` if TCP is meant"],
            )
        )
    if not AGAINST.isdisjoint(role.env):
        from specgen.plan.fabric_env import against_fabric  # few jobs set what the pool knows

        findings += against_fabric(role)
    return findings


def _unknown_network(role: RoleDraft, kind: Kind, world: World) -> list[Finding]:
    """SG530, a note: whole nodes that nobody describes. Fewer GPUs a pod, or a few pods, may be a trial."""
    job = role.profile.job
    if job.cluster_document is not None or role.devices.gpu < _WHOLE_NODE or world.most < _MANY_PODS:
        return []
    if job.job.communication.rdma is not None or library(role) != "nccl" or role.word in (*kind.own, *kind.single):
        return []
    if role.profile.words.resources.other or role.profile.words.resources.claims:
        return []
    message = f"no cluster profile says what the nodes have: {world.most} pods of {role.devices.gpu} GPUs talk TCP"
    helps = [
        "`specgen init cluster --like h100-infiniband > cluster.yaml` writes one; then `cluster: cluster.yaml`, and "
        "`hca: auto` under `resources`; or `communication: {rdma: false}` if TCP is meant"
    ]
    return [RDMA_NOT_USED.at(role.profile.place(("resources", "gpu")), message, helps=helps, severity=NOTE)]


def _nccl_without_gpu(role: RoleDraft, world: World) -> list[Finding]:
    """SG310: NCCL is asked for by name, and the pods have no GPU under any of its names."""
    resources = role.profile.words.resources
    if role.profile.job.job.communication.library != "nccl" or role.devices.gpu or resources.other or resources.claims:
        return []
    if role.profile.starts:
        return []
    written = "gpu" in role.profile.data.get("resources", {})
    count = plural(world.procs_per_pod, "process") if world.counted else "every process"
    related = [(role.profile.place(("resources", "gpu")), f"0 GPUs for {count}")] if written else []
    return [
        NCCL_WITHOUT_GPU.at(
            role.profile.job.place(("communication", "library")),
            "`nccl` needs a GPU in every process, and this job requests none",
            label="asks for NCCL",
            related=related,
            notes=["PyTorch refuses to create the NCCL process group on a machine without a GPU"],
            helps=["set `library: gloo`, or ask for GPUs under `resources`"],
        )
    ]


def _own_env(role: RoleDraft, kind: Kind) -> list[Finding]:
    findings = []
    for name, value in role.profile.data.get("env", {}).items():
        place = role.profile.place(("env", name), KEY)
        if name in kind.reserved_env:
            if value == kind.constant_env.get(name):
                continue  # what the operator sets is what was wished for
            note = f"the {kind.operator} appends its own value, and of two equal names the last one wins"
            findings.append(OPERATOR_SETS_IT.at(place, f"the operator sets `{name}` itself", notes=[note]))
            continue
        if isinstance(value, dict):
            findings += one_source(role.profile.place, ("env", name), value)
        role.env[name] = Sourced(entry(value), role.profile.place(("env", name)), "`env`")
    return findings


def one_source(at: At, path: Path, value: dict[str, Any]) -> list[Finding]:
    """SG207: a variable, written at a path of a role's words or of the cluster's, that has no source, or two."""
    name = path[-1]
    sources = [word for word in ("secret", "configMap", "field", "resource", "prepend") if value.get(word) is not None]
    if len(sources) == 1 and ((value.get("key") is not None) == (sources[0] in ("secret", "configMap"))):
        return []
    place = at(path, KEY)
    if len(sources) > 1:
        related = [(at((*path, word), KEY), "a source") for word in sources]
        return [codes.CONTRADICTION.at(place, f"the variable `{name}` has {len(sources)} sources", related=related)]
    if not sources:
        helps = ["write one of `secret`, `configMap`, `field`, `resource`, and `prepend`"]
        return [codes.CONTRADICTION.at(place, f"the variable `{name}` has no source", helps=helps)]
    if "key" in value:
        return [codes.CONTRADICTION.at(place, f"`key` goes with `secret` or `configMap`, not with `{sources[0]}`")]
    message = f"the variable `{name}` says no `key` of its {sources[0]}"
    line = f"{name}: {{{sources[0]}: {value[sources[0]]}, key: KEY}}"
    return [codes.CONTRADICTION.at(place, message, helps=[f"write `{line}` with the entry that holds the value"])]


def entry(value: Any) -> dict[str, Any]:
    """The variable as Kubernetes spells it, without its name; ``prepend`` stays for the starter's shell."""
    if isinstance(value, str):
        return {"value": value}
    if value.get("prepend") is not None:
        return {"prepend": value["prepend"]}
    optional = {"optional": value["optional"]} if "optional" in value else {}
    for word, key in (("secret", "secretKeyRef"), ("configMap", "configMapKeyRef")):
        if word in value:
            return {"valueFrom": {key: {"name": value[word], "key": value.get("key", ""), **optional}}}
    if "field" in value:
        return {"valueFrom": {"fieldRef": {"fieldPath": value["field"]}}}
    return {"valueFrom": {"resourceFieldRef": {"resource": value.get("resource", "")}}}


def _add(role: RoleDraft, name: str, value: dict[str, Any], place: Place | None, reason: str) -> None:
    """A variable that the author neither set nor removed."""
    if name not in role.env and not role.profile.removed(("env", name)):
        role.env[name] = Sourced(value, place, reason)


def _unseen(role: RoleDraft, kind: Kind) -> None:
    """GPUs of its node stay unseen by a role that has none, where its image may ask for all of them (SG482)."""
    job, image = role.profile.job, role.profile.words.image
    pools = [pool.gpu for pool in job.cluster.pools.values() if pool.gpu is not None]
    ours = not job.cluster.pools or any(one.resource == "nvidia.com/gpu" for one in pools)
    if ours and image is not None and _has_gpus(job, kind, image):
        _add(role, "NVIDIA_VISIBLE_DEVICES", {"value": "void"}, None, "it has no GPU, and its image may ask for all")


def _has_gpus(job: ResolvedJob, kind: Kind, image: str) -> bool:
    """Whether pods of the job with GPUs run an image."""
    if job.job.resources.gpu and image == job.job.image:
        return True
    for role, written in (job.layers.data.get("roles") or {}).items():
        words = written or {}
        inherited = job.job.resources.gpu if role not in kind.serving else 0
        gpus = (words.get("resources") or {}).get("gpu", inherited)
        if gpus and words.get("image", job.job.image) == image:
            return True
    return False


def may_run_trainer(role: RoleDraft) -> bool:
    """Whether a word of the command line speaks of a trainer."""
    words = role.profile.words
    if role.profile.job.job.guard:
        return True
    return any("trainer" in word for word in (*(words.command or ()), *(words.args or ()), words.workdir or ""))


def _preload(role: RoleDraft) -> list[Finding]:
    job = role.profile.job
    communication = job.job.communication
    if communication.version is None and communication.path is None:
        return []
    if communication.version is not None and communication.path is not None:
        message = "`communication` names the NCCL library twice, by `version` and by `path`"
        related = [(job.place(("communication", "path"), KEY), "and here")]
        return [codes.CONTRADICTION.at(job.place(("communication", "version"), KEY), message, related=related)]
    if communication.path is not None:
        place = job.place(("communication", "path"))
        _add(role, "LD_PRELOAD", {"value": communication.path}, place, "`communication.path` is preloaded")
        return []
    version = communication.version
    assert version is not None
    place = job.place(("communication", "version"))
    known = job.cluster.nccl
    if version not in known:
        return [unknown(version, list(known), "NCCL", place, job, ("nccl",))]
    reason = f"`communication.version`: the library of NCCL {version} in the cluster profile is preloaded"
    _add(role, "LD_PRELOAD", {"value": known[version]}, place, reason)
    return []


def _interface(role: RoleDraft) -> None:
    pool = role.devices.pool
    assert pool is not None
    name = pool.fabric.interface
    if name is None or library(role) == "none":
        return
    place = _place(role, "interface")
    _add(role, "NCCL_SOCKET_IFNAME", {"value": name}, place, "`fabric.interface` of the pool")
    # Gloo takes one plain name; NCCL's patterns mean nothing to it
    if not any(sign in name for sign in "^=,"):
        _add(role, "GLOO_SOCKET_IFNAME", {"value": name}, place, "`fabric.interface` of the pool, a plain name")


def _fabric(role: RoleDraft) -> list[Finding]:
    pool = role.devices.pool
    assert pool is not None and pool.hca is not None
    fabric = pool.fabric
    findings: list[Finding] = []
    talks = library(role) != "none"
    if talks and pool.hca.devices is not None:
        devices = pool.hca.devices
        value = devices if isinstance(devices, str) else "=" + ",".join(devices)
        place = role.profile.job.cluster_place(("pools", role.devices.pool_name or "", "hca", "devices"), KEY)
        reason = "`hca.devices` of the pool" + ("" if isinstance(devices, str) else "; a list is exact names")
        _add(role, "NCCL_IB_HCA", {"value": value}, place, reason)
    if talks and fabric.net is not None:
        reason = "`fabric.net` of the pool: NCCL stops instead of falling back to TCP"
        _add(role, "NCCL_NET", {"value": fabric.net}, _place(role, "net"), reason)
    hca = role.profile.place(("resources", "hca"))
    if fabric.memlock == "capability" and not role.profile.removed(("security", "capabilities")):
        reason = "an HCA pins memory, and the pool lifts the limit by capability"
        role.capabilities.append(Sourced("IPC_LOCK", hca, reason))
    elif fabric.memlock == "privileged" and not role.profile.removed(("security", "privileged")):
        role.privileged = Sourced(True, hca, "an HCA pins memory, and the pool lifts the limit by privilege")
    if fabric.rdma in ("sriov", "host"):
        from specgen.plan import attach  # most fabrics hand out devices

        findings += attach.networks(role) if fabric.rdma == "sriov" else attach.host(role)
    if plain(fabric.adds):
        findings += _add_all(role, fabric.adds, talks=role.profile.job.job.communication.library != "none")
    if role.profile.job.pod_security[0] in ("baseline", "restricted"):
        from specgen.plan.pod_security import fabric_against_level  # most clusters with HCAs have no such level

        findings += fabric_against_level(role)
    return findings + _rights(role) if role.profile.data.get("security") else findings


def _add_all(role: RoleDraft, adds: Adds, *, talks: bool) -> list[Finding]:
    """Variables, annotations, labels, containers and ports. ``talks``: the job has variables for a library."""
    profile = role.profile
    findings: list[Finding] = []
    if talks:
        for name, written in adds.env.items():
            if name not in role.env and not profile.removed(("env", name)):
                raw = written if isinstance(written, str) else plain(written)
                place = _place(role, "adds", "env", name)
                if isinstance(raw, dict):
                    findings += one_source(profile.job.cluster_place, place.path, raw)
                role.env[name] = Sourced(entry(raw), place, _ADDED)
    for key, texts, target in (
        ("annotations", adds.annotations, role.annotations),
        ("labels", adds.labels, role.labels),
    ):
        for name, text in texts.items():
            if name not in target and not profile.removed((key, name)):
                target[name] = Sourced(text, _place(role, "adds", key, name), _ADDED)
    for group, containers, found, own in (
        ("init", adds.init, role.fabric_init, profile.words.init),
        ("sidecars", adds.sidecars, role.fabric_sidecars, profile.words.sidecars),
    ):
        for name, container in containers.items():
            if name not in own and not profile.removed((group, name)):
                found[name] = (container, _place(role, "adds", group, name))
    for name, value in plain(adds.pod).items():
        if name not in role.pod and not profile.removed(("pod", name)):
            role.pod[name] = Sourced(value, _place(role, "adds", "pod", name), _ADDED)
    if adds.security.privileged is not None and not profile.removed(("security", "privileged")):
        place = _place(role, "adds", "security", "privileged")
        role.privileged = role.privileged or (Sourced(True, place, _ADDED) if adds.security.privileged else None)
    if adds.security.capabilities and not profile.removed(("security", "capabilities")):
        for index, right in enumerate(adds.security.capabilities):
            if all(right != said.value for said in role.capabilities):
                place = _place(role, "adds", "security", "capabilities", index)
                role.capabilities.append(Sourced(right, place, _ADDED))
    for name, number in adds.ports.items():
        if name not in role.ports and not profile.removed(("ports", name)):
            role.ports[name] = Sourced(number, _place(role, "adds", "ports", name), _ADDED)
    return findings


def _rights(role: RoleDraft) -> list[Finding]:
    """SG207: rights that the job takes away, and that its HCAs need."""
    wanted = role.profile.words.security
    taken = wanted.capabilities
    dropped = taken.drop if taken is not None and not isinstance(taken, list) else ()
    wrong = [("capabilities", f"`drop: {said.value}`", said) for said in role.capabilities if said.value in dropped]
    if role.privileged is not None and wanted.privileged is False:
        wrong.append(("privileged", "`privileged: false`", role.privileged))
    findings = []
    for word, what, said in wrong:
        related = [(_place(role, "memlock"), "lifts the limit on locked memory")]
        related += [(said.place, "asks for HCAs")] if said.place is not None else []
        place = role.profile.place(("security", word))
        message = f"{what} contradicts the pool, whose HCAs need it"
        findings.append(codes.CONTRADICTION.at(place, message, related=related))
    return findings


def _place(role: RoleDraft, *path: str | int) -> Place:
    below: Path = ("pools", role.devices.pool_name or "", "fabric", *path)
    return role.profile.job.cluster_place(below)
