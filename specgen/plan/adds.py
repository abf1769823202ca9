"""What ``fabric.adds`` of a pool brings to every pod that asks for an HCA. The job's words win, nulls keep it off."""

from __future__ import annotations

from specgen.diagnostics.model import KEY
from specgen.plan.devices import AMOUNTS, amount, pages
from specgen.plan.model import Said
from specgen.plan.network import entry
from specgen.profile import codes
from specgen.schema.record import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding, Place
    from specgen.plan.model import RolePlan
    from specgen.profile.cluster import Adds
    from specgen.profile.resources import Resources

_REASON = "`fabric.adds` of the pool"


def add(role: RolePlan, adds: Adds, *, talks: bool) -> None:
    """Variables, annotations, labels, containers and ports. ``talks``: the job has variables for a library."""
    words = role.words
    if talks:
        for name, written in adds.env.items():
            if name not in role.env and not words.removed(("env", name)):
                raw = written if isinstance(written, str) else plain(written)
                role.env[name] = Said(entry(raw), _place(role, "env", name), _REASON)
    for key, texts, target in (
        ("annotations", adds.annotations, role.annotations),
        ("labels", adds.labels, role.labels),
    ):
        for name, text in texts.items():
            if not words.removed((key, name)):
                target[name] = Said(text, _place(role, key, name), _REASON)
    for group, containers, found, own in (
        ("init", adds.init, role.init_words, words.words.init),
        ("sidecars", adds.sidecars, role.sidecar_words, words.words.sidecars),
    ):
        for name, container in containers.items():
            if name not in own and not words.removed((group, name)):
                found[name] = (container, _place(role, group, name))
    for name, number in adds.ports.items():
        if name not in words.words.ports and not words.removed(("ports", name)):
            role.ports[name] = Said(number, _place(role, "ports", name), _REASON)


def amounts(role: RolePlan, written: Resources) -> list[Finding]:
    """Amounts besides the job's own. Findings: numbers of devices, which are the job's to say."""
    words, devices = role.words, role.devices
    own, data = words.words.resources, plain(written)
    findings: list[Finding] = []
    for key in ("gpu", "npu", "hca"):
        if data.get(key):
            message = f"`{key}` in `fabric.adds` contradicts the job, which says how many devices a pod has"
            findings.append(codes.CONTRADICTION.at(_place(role, "resources", key, part=KEY), message))
    for key, resource, convert in AMOUNTS:
        value = getattr(written, key)
        if value is not None and getattr(own, key) is None and not words.removed(("resources", key)):
            amount(devices, resource, value, convert, _Under(role, key), _REASON)
    if written.hugepages is not None and own.hugepages is None and not words.removed(("resources", "hugepages")):
        for name, size in pages(written.hugepages):
            devices.limits[name] = Said(size, _place(role, "resources", "hugepages"), _REASON)
    if written.shm is not None and own.shm is None and not words.removed(("resources", "shm")):
        devices.shm = Said(written.shm, _place(role, "resources", "shm"), _REASON)
    for name, count in written.other.items():
        if name not in devices.limits and not words.removed(("resources", "other", name)):
            devices.limits[name] = Said(count, _place(role, "resources", "other", name), _REASON)
    for name, claim in written.claims.items():
        if name not in own.claims and not words.removed(("resources", "claims", name)):
            from specgen.plan.claims import own_claim  # few fabrics add one

            findings += own_claim(role, name, claim, _place(role, "resources", "claims", name, part=KEY))
    return findings


class _Under:
    """The places below a word of ``fabric.adds.resources``."""

    __slots__ = ("_key", "_role")

    def __init__(self, role: RolePlan, key: str) -> None:
        self._role = role
        self._key = key

    def __call__(self, *below: str) -> Place:
        return _place(self._role, "resources", self._key, *below)


def _place(role: RolePlan, *path: str, part: str = "value") -> Place:
    return role.words.job.cluster_place(("pools", role.devices.pool_name or "", "fabric", "adds", *path), part)
