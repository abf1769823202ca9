"""Variables of a job that go against what its pool says: HCAs switched off, devices and interfaces that are not there.

Patterns as in NCCL 2.30.7, src/misc/utils.cc (parseStringList, matchIfList): ``^`` in front leaves out what is named,
``=`` makes names exact, else they are beginnings of names; a port may follow a colon.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, WARNING, listed
from specgen.nccl import without_ib
from specgen.plan.codes import AGAINST_FABRIC

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding, Place
    from specgen.plan.draft import RoleDraft

_IB = ("IB", "ib")


def against_fabric(role: RoleDraft) -> list[Finding]:
    """SG531 for each variable that the job itself wrote, on the pods that the fabric is for."""
    own = role.profile.data.get("env", {})
    pool = role.devices.pool
    assert pool is not None
    findings: list[Finding] = []
    hca = bool(role.devices.hca) and role.profile.job.job.communication.rdma is not False
    for name, value in own.items():
        if not isinstance(value, str) or name not in role.env:
            continue
        if hca and name in ("NCCL_IB_DISABLE", "NCCL_NET"):
            findings += _switched_off(role, name, value)
        elif hca and name == "NCCL_IB_HCA":
            findings += _devices(role, value)
        elif name in ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME") and pool.fabric.interface is not None:
            findings += _interface(role, name, value, pool.fabric.interface)
    return findings


def _switched_off(role: RoleDraft, name: str, value: str) -> list[Finding]:
    """HCAs that NCCL would not use. An EFA or a plugin's network is not NCCL's own InfiniBand and not known."""
    pool = role.devices.pool
    assert pool is not None and pool.hca is not None
    own = pool.fabric.net in (None, *_IB) and pool.hca.link != "efa"
    if not own or not without_ib(name, value):
        return []
    hca = role.profile.data["resources"]["hca"]
    certain = pool.fabric.net is not None or pool.hca.link is not None
    return [
        AGAINST_FABRIC.at(
            _at(role, name),
            f"`{name}: {value}` contradicts `hca: {hca}`",
            related=[(role.profile.place(("resources", "hca")), "asks for HCAs")],
            notes=["NCCL talks TCP, and the HCAs of the pods are held and idle"],
            helps=["`communication: {rdma: false}` without `hca` forgoes RDMA"],
            severity=ERROR if certain else WARNING,
        )
    ]


def _devices(role: RoleDraft, value: str) -> list[Finding]:
    """``NCCL_IB_HCA`` against the exact names that the pool lists."""
    pool = role.devices.pool
    assert pool is not None and pool.hca is not None
    known = pool.hca.devices
    if known is None or isinstance(known, str):
        return []
    left_out, exact, names = _pattern(value)
    missing = [name for name in names if not any(_meets(one, name, exact) for one in known)]
    used = [one for one in known if any(_meets(one, name, exact) for name in names) != left_out]
    if used and (left_out or not missing):
        return []
    message = f"`NCCL_IB_HCA: {value}` names {listed(missing)}, which no node of the pool has"
    if not used:
        message = f"`NCCL_IB_HCA: {value}` leaves none of the pool's HCAs"
    where = role.profile.job.cluster_place(("pools", role.devices.pool_name or "", "hca", "devices"), KEY)
    severity = WARNING if used else ERROR
    return [AGAINST_FABRIC.at(_at(role, "NCCL_IB_HCA"), message, related=[(where, "its HCAs")], severity=severity)]


def _interface(role: RoleDraft, name: str, value: str, offered: str) -> list[Finding]:
    """The job's interface against the pool's. Either may be a pattern; two that leave something out may both hold."""
    left_out, exact, names = _pattern(value)
    pool_leaves_out, pool_exact, pool_names = _pattern(offered)
    if name.startswith("GLOO"):
        left_out, exact, names = False, True, [value]
    if pool_leaves_out:
        wrong = not left_out and all(any(_meets(one, other, pool_exact) for other in pool_names) for one in names)
    else:
        wrong = not any(any(_meets(one, mine, exact) for mine in names) != left_out for one in pool_names)
    if not wrong:
        return []
    where = role.profile.job.cluster_place(("pools", role.devices.pool_name or "", "fabric", "interface"))
    return [
        AGAINST_FABRIC.at(
            _at(role, name),
            f"`{name}: {value}` contradicts `{offered}`, the interface of the pool",
            related=[(where, "the pods of this pool have it")],
            notes=["a process that finds no such interface stops at its first connection"],
            helps=["leave the variable out: it follows from the pool"],
        )
    ]


def _pattern(text: str) -> tuple[bool, bool, list[str]]:
    """(what is named is left out, names are exact, names without ports)."""
    left_out = text.startswith("^")
    rest = text.removeprefix("^")
    exact = rest.startswith("=")
    return left_out, exact, [name.partition(":")[0] for name in rest.removeprefix("=").split(",") if name]


def _meets(name: str, pattern: str, exact: bool) -> bool:
    return name == pattern if exact else name.startswith(pattern)


def _at(role: RoleDraft, name: str) -> Place:
    return role.profile.place(("env", name))
