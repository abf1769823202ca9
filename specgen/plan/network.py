"""What follows from the fabric: variables, rights, annotations, mounts; and the variables that a job writes itself."""

from __future__ import annotations

from specgen import nccl
from specgen.diagnostics.model import KEY, plural
from specgen.plan.codes import NCCL_TOO_OLD, NCCL_WITHOUT_GPU, OPERATOR_SETS_IT, RDMA_NOT_USED, UNKNOWN_NCCL_VARIABLE
from specgen.plan.model import Said
from specgen.profile import codes
from specgen.profile.resolve import unknown
from specgen.schema.record import plain

# Variables of the job that can go against what the pool says.
AGAINST = frozenset(("GLOO_SOCKET_IFNAME", "NCCL_IB_DISABLE", "NCCL_IB_HCA", "NCCL_NET", "NCCL_SOCKET_IFNAME"))

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding, Place
    from specgen.plan.kind import Kind
    from specgen.plan.model import RolePlan, World
    from specgen.profile.roles import RoleWords
    from specgen.source import Path


def library(role: RolePlan) -> str:
    """What the processes talk with: as written, else by the devices."""
    written = role.words.job.job.communication.library
    if written is not None:
        return written
    if role.devices.gpu:
        return "nccl"
    pool = role.devices.pool
    if role.devices.npu and pool is not None and pool.npu is not None:
        # an NPU without a word for it has a library of its own, which reads what the fabric says
        return pool.npu.library or "own"
    return "none"


def plan_network(role: RolePlan, kind: Kind, world: World) -> list[Finding]:
    """Fills ``role.env``, rights, annotations and what ``fabric.adds`` brings."""
    findings = _own_env(role, kind) + _nccl_without_gpu(role, world)
    findings += _preload(role)
    pool = role.devices.pool
    rdma = role.words.job.job.communication.rdma
    if pool is None:
        return findings
    if role.devices.gpu and world.most > 1:
        _interface(role)
    if role.devices.hca and rdma is not False:
        findings += _fabric(role)
    elif (
        role.devices.gpu
        and world.most > 1
        and not role.devices.hca
        and rdma is None
        and pool.hca is not None
        and pool.fabric.rdma != "none"
        and library(role) == "nccl"
        and not role.words.removed(("resources", "hca"))
    ):
        where = role.words.job.cluster_place(("pools", role.devices.pool_name or "", "hca"), KEY)
        related = [(where, "the nodes have HCAs")]
        findings.append(
            RDMA_NOT_USED.at(
                role.words.place(("resources",), KEY),
                f"{'up to ' if world.elastic else ''}{world.most} pods with GPUs talk TCP: the job asks for no HCA",
                related=related,
                helps=["write `hca: auto` under `resources`, or `communication: {rdma: false}` if TCP is meant"],
            )
        )
    if not AGAINST.isdisjoint(role.env):
        from specgen.plan.against import against_fabric  # few jobs set what the pool knows

        findings += against_fabric(role)
    return findings


def _nccl_without_gpu(role: RolePlan, world: World) -> list[Finding]:
    """SG310: NCCL is asked for by name, and the pods have no GPU under any of its names."""
    resources = role.words.words.resources
    if role.words.job.job.communication.library != "nccl" or role.devices.gpu or resources.other or resources.claims:
        return []
    if role.words.starts:
        return []
    written = "gpu" in role.words.data.get("resources", {})
    count = plural(world.procs_per_pod, "process") if world.counted else "every process"
    related = [(role.words.place(("resources", "gpu")), f"0 GPUs for {count}")] if written else []
    return [
        NCCL_WITHOUT_GPU.at(
            role.words.job.place(("communication", "library")),
            "`nccl` needs a GPU in every process, and this job requests none",
            label="asks for NCCL",
            related=related,
            notes=["PyTorch refuses to create the NCCL process group on a machine without a GPU"],
            helps=["set `library: gloo`, or ask for GPUs under `resources`"],
        )
    ]


def _own_env(role: RolePlan, kind: Kind) -> list[Finding]:
    findings = []
    for name, value in role.words.data.get("env", {}).items():
        place = role.words.place(("env", name), KEY)
        if name in kind.reserved_env:
            note = f"the {kind.operator} appends its own value, and of two equal names the last one wins"
            findings.append(OPERATOR_SETS_IT.at(place, f"the operator sets `{name}` itself", notes=[note]))
            continue
        if isinstance(value, dict):
            findings += one_source(role.words, ("env", name), value)
        if name.startswith("NCCL_"):
            findings += _nccl(role, name, place)
        role.env[name] = Said(entry(value), role.words.place(("env", name)), "`env`")
    return findings


def one_source(words: RoleWords, path: tuple[str, ...], value: dict[str, Any]) -> list[Finding]:
    """SG207: a variable, written at a path of the role's words, whose value comes from nowhere or from two places."""
    name = path[-1]
    sources = [word for word in ("secret", "configMap", "field", "resource", "prepend") if word in value]
    if len(sources) == 1 and (("key" in value) == (sources[0] in ("secret", "configMap"))):
        return []
    place = words.place(path, KEY)
    if len(sources) > 1:
        related = [(words.place((*path, word), KEY), "a source") for word in sources]
        return [codes.CONTRADICTION.at(place, f"the variable `{name}` has {len(sources)} sources", related=related)]
    if not sources:
        helps = ["write one of `secret`, `configMap`, `field`, `resource`, and `prepend`"]
        return [codes.CONTRADICTION.at(place, f"the variable `{name}` has no source", helps=helps)]
    if "key" in value:
        return [codes.CONTRADICTION.at(place, f"`key` goes with `secret` or `configMap`, not with `{sources[0]}`")]
    return [codes.CONTRADICTION.at(place, f"the variable `{name}` says no `key` of its {sources[0]}")]


def entry(value: Any) -> dict[str, Any]:
    """The variable as Kubernetes spells it, without its name; ``prepend`` stays for the starter's shell."""
    if isinstance(value, str):
        return {"value": value}
    if "prepend" in value:
        return {"prepend": value["prepend"]}
    optional = {"optional": value["optional"]} if "optional" in value else {}
    for word, key in (("secret", "secretKeyRef"), ("configMap", "configMapKeyRef")):
        if word in value:
            return {"valueFrom": {key: {"name": value[word], "key": value.get("key", ""), **optional}}}
    if "field" in value:
        return {"valueFrom": {"fieldRef": {"fieldPath": value["field"]}}}
    return {"valueFrom": {"resourceFieldRef": {"resource": value.get("resource", "")}}}


def _nccl(role: RolePlan, name: str, place: Place) -> list[Finding]:
    meant = nccl.NOT_NCCL.get(name)
    if meant is not None or not nccl.known(name):
        from specgen.diagnostics.suggest import similar

        near = similar(name, nccl.VARIABLES)
        helps = [f"there is a variable with a similar name: `{near[0]}`"] if near and meant is None else []
        notes = ["NCCL reads the variables it knows and says nothing about others"]
        if meant is not None:
            notes = [meant]
        return [UNKNOWN_NCCL_VARIABLE.at(place, f"NCCL has no variable `{name}`", helps=helps, notes=notes)]
    version = role.words.job.job.communication.version
    if version is None:
        return []
    brought = nccl.too_new(name, version)
    gone = nccl.gone(name, version)
    if not brought and not gone:
        return []
    where = [(role.words.job.place(("communication", "version")), f"NCCL {version}")]
    message = (
        f"NCCL {version} does not know `{name}`, which came with {brought}"
        if brought
        else f"NCCL {version} has no `{name}` any more"
    )
    return [NCCL_TOO_OLD.at(place, message, related=where)]


def _add(role: RolePlan, name: str, value: dict[str, Any], place: Place | None, reason: str) -> None:
    """A variable that the author neither set nor removed."""
    if name not in role.env and not role.words.removed(("env", name)):
        role.env[name] = Said(value, place, reason)


def _preload(role: RolePlan) -> list[Finding]:
    job = role.words.job
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


def _interface(role: RolePlan) -> None:
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


def _fabric(role: RolePlan) -> list[Finding]:
    pool = role.devices.pool
    assert pool is not None and pool.hca is not None
    fabric = pool.fabric
    findings: list[Finding] = []
    talks = library(role) != "none"
    if talks and pool.hca.devices is not None:
        devices = pool.hca.devices
        value = devices if isinstance(devices, str) else "=" + ",".join(devices)
        place = role.words.job.cluster_place(("pools", role.devices.pool_name or "", "hca", "devices"), KEY)
        reason = "`hca.devices` of the pool" + ("" if isinstance(devices, str) else "; a list is exact names")
        _add(role, "NCCL_IB_HCA", {"value": value}, place, reason)
    if talks and fabric.net is not None:
        reason = "`fabric.net` of the pool: NCCL stops instead of falling back to TCP"
        _add(role, "NCCL_NET", {"value": fabric.net}, _place(role, "net"), reason)
    hca = role.words.place(("resources", "hca"))
    if fabric.memlock == "capability" and not role.words.removed(("security", "capabilities")):
        reason = "an HCA pins memory, and the pool lifts the limit by capability"
        role.capabilities.append(Said("IPC_LOCK", hca, reason))
    elif fabric.memlock == "privileged" and not role.words.removed(("security", "privileged")):
        role.privileged = Said(True, hca, "an HCA pins memory, and the pool lifts the limit by privilege")
    if fabric.rdma in ("sriov", "host"):
        from specgen.plan import attach  # most fabrics hand out devices

        findings += attach.networks(role) if fabric.rdma == "sriov" else attach.host(role)
    if plain(fabric.adds):
        from specgen.plan.adds import add  # as above

        add(role, fabric.adds, talks=role.words.job.job.communication.library != "none")
    if role.words.job.cluster.pod_security in ("baseline", "restricted"):
        from specgen.plan.levels import fabric_against_level  # most clusters with HCAs have no such level

        findings += fabric_against_level(role)
    return findings + _rights(role) if role.words.data.get("security") else findings


def _rights(role: RolePlan) -> list[Finding]:
    """SG207: rights that the job takes away, and that its HCAs need."""
    wanted = role.words.words.security
    taken = wanted.capabilities
    dropped = taken.drop if taken is not None and not isinstance(taken, list) else ()
    wrong = [("capabilities", f"`drop: {said.value}`", said) for said in role.capabilities if said.value in dropped]
    if role.privileged is not None and wanted.privileged is False:
        wrong.append(("privileged", "`privileged: false`", role.privileged))
    findings = []
    for word, what, said in wrong:
        related = [(_place(role, "memlock"), "lifts the limit on locked memory")]
        related += [(said.place, "asks for HCAs")] if said.place is not None else []
        place = role.words.place(("security", word))
        message = f"{what} contradicts the pool, whose HCAs need it"
        findings.append(codes.CONTRADICTION.at(place, message, related=related))
    return findings


def _place(role: RolePlan, *path: str) -> Place:
    below: Path = ("pools", role.devices.pool_name or "", "fabric", *path)
    return role.words.job.cluster_place(below)
