"""The pool that a role's pods land in, and what one pod asks for there."""

from __future__ import annotations

from specgen.devices import NVIDIA
from specgen.diagnostics.model import KEY, WARNING, Place, listed, plural
from specgen.manifest.origins import Sourced
from specgen.plan.codes import AMBIGUOUS_POOL, SHARED_UNITS
from specgen.plan.model import Asked
from specgen.profile import codes
from specgen.profile.resolve import unknown
from specgen.quantity import cores, milli
from specgen.schema.record import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.plan.draft import RoleDraft
    from specgen.plan.model import World
    from specgen.plan.pods import Devices
    from specgen.profile.cluster import Pool
    from specgen.profile.resolve import ResolvedJob
    from specgen.profile.resources import Resources
    from specgen.source import Path

_ADDED = "`fabric.adds` of the pool"
# Cores of a pod of which nobody says how many it needs.
_FEW = 16


def asked(job: ResolvedJob, resources: Resources, place: Callable[[Path], Place]) -> Asked:
    """The GPUs and NPUs that resources ask for; ``place`` gives where a path of them is written."""
    for word, count in (("gpu", resources.gpu), ("npu", resources.npu)):
        if count:
            said = Sourced(count, place(("resources", word)), f"`resources.{word}`")
            return Asked(resources.gpu or 0, resources.npu or 0, said)
    if not resources.other and not resources.claims:
        return Asked()
    from specgen.plan.other_devices import other_devices  # most jobs ask by a word

    return other_devices(job, resources, place)


def plan_devices(role: RoleDraft, world: World) -> list[Finding]:
    """Fills ``role.devices``. Findings: no such pool, several pools, no HCA there."""
    profile = role.profile
    resources = profile.words.resources
    devices = role.devices
    devices.gpu = resources.gpu or 0
    devices.npu = resources.npu or 0
    findings = _pool(role, world)
    if findings:
        return findings
    _amounts(role)
    pool = devices.pool
    gpu, npu = devices.gpu, devices.npu
    if resources.other or resources.claims:
        every = asked(profile.job, resources, profile.place)
        devices.gpu, devices.npu = every.gpu, every.npu
    if gpu:
        place = profile.place(("resources", "gpu"))
        gpus = pool.gpu if pool is not None else None
        if gpus is not None and gpus.claim is not None:
            from specgen.plan.claims import device_claim  # few clusters hand out devices by claims

            findings += device_claim(role, "gpu", gpus, gpu)
        else:
            name = (gpus.resource if gpus is not None else None) or NVIDIA
            devices.limits[name] = Sourced(gpu, place, "`resources.gpu`, as the pool calls it")
    if npu:
        place = profile.place(("resources", "npu"))
        if pool is None or pool.npu is None:
            return [codes.UNKNOWN_NAME.at(place, "no pool of the cluster profile has an NPU")]
        devices.limits[pool.npu.resource] = Sourced(npu, place, "`resources.npu`, as the pool calls it")
    findings += _hca(role)
    for name, count in resources.other.items():
        place = profile.place(("resources", "other", name))
        devices.limits[name] = Sourced(count, place, "`resources.other`")
    added = pool.fabric.adds.resources if pool is not None and devices.hca else None
    if added is not None and plain(added) and profile.job.job.communication.rdma is not False:
        findings += _added(role, added)
    if resources.claims or profile.job.job.communication.nvlink:
        from specgen.plan.claims import job_claims  # as above

        findings += job_claims(role, world)
    findings += _alone(role)
    _requests(role)
    return findings


def _alone(role: RoleDraft) -> list[Finding]:
    """SG207: huge pages with neither CPU nor memory beside them, which the API server refuses."""
    profile, devices = role.profile, role.devices
    amounts = devices.limits | devices.requests
    huge = next((said for name, said in amounts.items() if name.startswith("hugepages-")), None)
    if huge is None or not amounts.keys().isdisjoint(("cpu", "memory")):
        return []
    return [
        codes.CONTRADICTION.at(
            profile.place(("resources",), KEY),
            "huge pages need an amount of `cpu` or `memory` beside them",
            label="says neither",
            related=[(huge.place, "huge pages")],
            notes=["the API server refuses pods that have huge pages alone"],
            helps=[_beside(devices)],
        )
    ]


def _beside(devices: Devices) -> str:
    """The line to write: a few cores, less than the pod's part of a node, of which what runs on every node has some."""
    pool = devices.pool
    part, whole = devices.gpu or devices.npu, 0
    if pool is not None:
        own = pool.gpu if devices.gpu else pool.npu
        whole = own.per_node if own is not None and own.per_node else 0
    cpu = milli(pool.nodes.cpu) if pool is not None else None
    few = _FEW
    if part and part <= whole and cpu:
        few = max(1, min(few, cpu // 1000 * part * 9 // (whole * 10)))
    return f"add `cpu: {few}`, or what the program needs, to `resources`"


def _pool(role: RoleDraft, world: World) -> list[Finding]:
    profile, devices = role.profile, role.devices
    pools = profile.job.cluster.pools
    named = profile.words.scheduling.pool
    if named is not None:
        if named not in pools:
            place = profile.place(("scheduling", "pool"))
            return [unknown(named, list(pools), "pool", place, profile.job, ("pools",))]
        devices.pool_name, devices.pool = named, pools[named]
        return []
    wants = [
        word
        for word, count in (("gpu", devices.gpu), ("npu", devices.npu), ("hca", profile.words.resources.hca))
        if count
    ]
    if not wants and pools:
        _beside_it(role)
    if not wants or not pools:
        return []
    fitting = [name for name, pool in pools.items() if all(getattr(pool, word) is not None for word in wants)]
    place = profile.place(("resources", wants[-1]), KEY)
    helps = ["`scheduling.pool` says which one is meant"]
    if len(fitting) > 1:
        from specgen.plan.queued_pools import of_queue, unlike  # most clusters have one pool of a sort

        queue, covered = of_queue(role, fitting, world)
        fitting = covered or fitting
        if queue:
            helps.append(f"flavors of the queue `{queue}` that are called like them leave the choice to Kueue")
        if len(covered) > 1:
            findings = unlike(role, queue, covered, place)
            if not findings:
                devices.pool_name, devices.pool, devices.among = covered[0], pools[covered[0]], covered
            return findings
    if len(fitting) == 1:
        devices.pool_name, devices.pool = fitting[0], pools[fitting[0]]
        return []
    related = [(profile.job.cluster_place(("pools",), KEY), "the pools stand here")]
    if not fitting:
        what = listed(wants)
        others = [(name, word) for name, pool in pools.items() for word in ("gpu", "npu") if getattr(pool, word)]
        helps = [f"write `{word}: {devices.gpu or devices.npu}`, which the pool `{name}` has" for name, word in others]
        message = f"no pool of the cluster profile has {what}"
        return [AMBIGUOUS_POOL.at(place, message, related=related, helps=helps[: len(wants) == 1])]
    return [
        AMBIGUOUS_POOL.at(
            place,
            f"the pools {listed(fitting)} all have {listed(wants)}",
            related=related,
            helps=helps,
        )
    ]


def _beside_it(role: RoleDraft) -> None:
    """Takes the one pool that has what containers besides the training one ask for, where that asks for nothing."""
    words = role.profile.words
    others = [one.resources for one in (*words.init.values(), *words.sidecars.values()) if one.resources is not None]
    wants = [word for word in ("gpu", "npu") if any(getattr(one, word) for one in others)]
    pools = role.profile.job.cluster.pools
    fitting = [name for name, pool in pools.items() if all(getattr(pool, word) is not None for word in wants)]
    if wants and len(fitting) == 1:
        role.devices.pool_name, role.devices.pool = fitting[0], pools[fitting[0]]


def amount(
    devices: Devices, resource: str, value: Any, convert: Any, at: Callable[[Path], Place], path: Path, what: str
) -> None:
    """An amount of CPU or memory as limit, request or both; ``at`` gives the place of a path of the profile."""
    if isinstance(value, (int, float, str)):
        devices.limits[resource] = Sourced(convert(value), at(path), f"{what}, request and limit")
        return
    for side, target in (("limit", devices.limits), ("request", devices.requests)):
        part = getattr(value, side)
        if part is not None:
            why = f"{what[:-1]}.{side}`" if what.endswith("`") else f"{what}, {side}"
            target[resource] = Sourced(convert(part), at((*path, side)), why)


def as_is(value: Any) -> Any:
    """Memory as it was written."""
    return value


# Word of `resources` → (name in Kubernetes, how it is written there).
AMOUNTS: tuple[tuple[str, str, Any], ...] = (
    ("cpu", "cpu", cores),
    ("memory", "memory", as_is),
    ("disk", "ephemeral-storage", as_is),
)


def _amounts(role: RoleDraft) -> None:
    profile, devices = role.profile, role.devices
    resources = profile.words.resources
    for key, resource, convert in AMOUNTS:
        if key in profile.data.get("resources", ()):
            value = getattr(resources, key)
            if value is not None:
                amount(devices, resource, value, convert, profile.place, ("resources", key), f"`resources.{key}`")
    if resources.hugepages is not None:
        for name, size in pages(resources.hugepages):
            devices.limits[name] = Sourced(size, profile.place(("resources", "hugepages")), "`resources.hugepages`")


def pages(written: Any) -> list[tuple[str, str]]:
    """Huge pages by the names of their resources: an amount alone is in pages of 2Mi."""
    sizes = {"2Mi": written} if isinstance(written, str) else written
    return [(f"hugepages-{size}", amount) for size, amount in sizes.items()]


def _requests(role: RoleDraft) -> None:
    """Requests stand written as soon as one amount asks for less than its limit.

    Kubernetes takes the limit for a request that is absent, but operators that add up a gang's ``minResources`` take a
    container's requests alone once it has any (facts: training-operator 1.9.4, pkg/controller.v1/common/scheduling.go).
    """
    devices = role.devices
    if not devices.requests:
        return
    order = [*devices.limits, *(name for name in devices.requests if name not in devices.limits)]
    devices.requests = {name: devices.requests.get(name) or devices.limits[name] for name in order}


def _hca(role: RoleDraft) -> list[Finding]:
    profile, devices = role.profile, role.devices
    wanted = profile.words.resources.hca
    if not wanted:
        return []
    place = profile.place(("resources", "hca"))
    pool = devices.pool
    if pool is None or pool.hca is None:
        if profile.job.cluster_document is None:
            message = "`hca` needs a cluster profile, which says how an HCA reaches the pod"
            helps = [
                "`specgen init cluster --like h100-infiniband > cluster.yaml` writes one to begin with, and `cluster: "
                "cluster.yaml` names it"
            ]
            return [codes.UNKNOWN_NAME.at(place, message, helps=helps)]
        message = (
            f"the pool `{devices.pool_name}` has no HCA"
            if pool is not None
            else "no pool of the cluster profile has an HCA"
        )
        return [codes.UNKNOWN_NAME.at(place, message, related=[(_pool_place(role), "this pool")] if pool else [])]
    devices.hca = _count(role, wanted)
    return _reached(role, pool, place) + (_shared(role, pool, place) if isinstance(wanted, int) else [])


def _shared(role: RoleDraft, pool: Pool, place: Place) -> list[Finding]:
    """A number of HCAs that a pod does not ask for, as all of the node's come with one unit or none."""
    devices, hca, rdma = role.devices, pool.hca, pool.fabric.rdma
    assert hca is not None
    if rdma not in ("shared-device", "host"):
        return []
    related = [(_pool_place(role, "fabric", "rdma"), f"`rdma: {rdma}`")]
    if hca.per_node is not None and devices.hca > hca.per_node:
        related.append((_pool_place(role, "hca", "perNode"), f"{hca.per_node} a node"))
        message = f"a pod cannot have {devices.hca} HCAs: a node of the pool `{devices.pool_name}` has {hca.per_node}"
        return [codes.CONTRADICTION.at(place, message, related=related, notes=["it gets those that there are"])]
    # of an EFA it is said where the unit is asked for
    if devices.hca > 1 and rdma == "shared-device" and hca.resource is not None and hca.link != "efa":
        message = f"{devices.hca} HCAs are 1 unit of `{hca.resource}`: the device is shared"
        return [SHARED_UNITS.at(place, message, related=related, notes=["with it the pod sees all HCAs of its node"])]
    return []


# What each word of `fabric.rdma` means.


def _reached(role: RoleDraft, pool: Pool, place: Place) -> list[Finding]:
    """What ``fabric.rdma`` makes of the HCAs: units of a resource, a claim, or something that is no resource."""
    devices, hca, fabric = role.devices, pool.hca, pool.fabric
    assert hca is not None
    rdma = fabric.rdma
    related = [(_pool_place(role, "fabric", "rdma"), f"`rdma: {rdma}`")]
    if rdma == "none":
        message = f"the pool `{devices.pool_name}` lets no HCA reach a pod"
        file = role.profile.job.cluster_document
        of_file = f" of {file.source.name}" if file is not None else ""
        helps = [
            f"say how one does, under `pools.{devices.pool_name}`{of_file}: `fabric: {{rdma: shared-device}}` where "
            "one unit opens all HCAs of a node, `device` where each is one; `specgen explain cluster.pools.fabric.rdma`"
        ]
        return [codes.CONTRADICTION.at(place, message, related=related, helps=helps)]
    if fabric.networks is not None and rdma != "sriov":
        where = _pool_place(role, "fabric", "networks")
        message = f"`networks` goes with `rdma: sriov`, not with `rdma: {rdma}`"
        helps = ["other networks are an annotation of the pods: `fabric.adds.annotations`"]
        return [codes.CONTRADICTION.at(where, message, related=related, helps=helps)]
    if rdma == "claim":
        from specgen.plan.claims import device_claim  # few clusters hand out devices by claims

        if hca.claim is not None:
            return device_claim(role, "hca", hca, devices.hca)
        message = f"the pool `{devices.pool_name}` names no claim for its HCAs"
        return [codes.UNKNOWN_NAME.at(place, message, related=related)]
    shared = rdma in ("shared-device", "host")
    if shared and hca.per_node and devices.hca > hca.per_node:
        # nothing is counted where a unit stands for all: what a node has is all that a pod can get
        message = f"`hca: {devices.hca}` contradicts the pool `{devices.pool_name}`, whose nodes have {hca.per_node}"
        there = (_pool_place(role, "hca", "perNode"), f"{plural(hca.per_node, 'HCA')} in a node")
        return [codes.CONTRADICTION.at(place, message, related=[there])]
    if rdma in ("host", "network"):
        return []
    if hca.resource is None:
        message = f"the pool `{devices.pool_name}` names no resource for its HCAs"
        helps = [
            f"write `hca: {{resource: rdma/hca}}` under `pools.{devices.pool_name}`, with the name that nodes have: "
            "`kubectl describe node NODE`, under `Allocatable`"
        ]
        return [codes.UNKNOWN_NAME.at(place, message, related=related, helps=helps)]
    findings = []
    if rdma == "shared-device":
        if hca.link == "efa" and devices.hca > 1:
            related.append((_pool_place(role, "hca", "link"), "`link: efa`"))
            message = f"`hca: {devices.hca}` becomes one EFA: with `rdma: shared-device` a pod asks for one unit"
            helps = ["each EFA is a unit of its own: the pool's `fabric: {rdma: device}` asks for as many"]
            findings.append(codes.CONTRADICTION.at(place, message, related=related, helps=helps, severity=WARNING))
        units, reason = 1, "one unit whatever the number: the device is shared"
    else:
        units, reason = devices.hca, "a unit for each HCA"
    devices.limits[hca.resource] = Sourced(units, place, f"`resources.hca`, as the pool calls it; {reason}")
    return findings


def _count(role: RoleDraft, wanted: int | str) -> int:
    if isinstance(wanted, int):
        return wanted
    pool = role.devices.pool
    assert pool is not None and pool.hca is not None
    per_node = pool.hca.per_node or 1
    gpus = pool.gpu.per_node if pool.gpu is not None else None
    if not role.devices.gpu or not gpus:
        return per_node
    return max(1, per_node * role.devices.gpu // gpus)


def _pool_place(role: RoleDraft, *path: str) -> Place:
    assert role.devices.pool_name is not None
    return role.profile.job.cluster_place(("pools", role.devices.pool_name, *path), KEY)


def _added(role: RoleDraft, written: Resources) -> list[Finding]:
    """Amounts of ``fabric.adds``, besides the job's own. Findings: numbers of devices, which are the job's to say."""
    profile, devices = role.profile, role.devices
    job, below = profile.job, ("pools", devices.pool_name or "", "fabric", "adds", "resources")
    own, data = profile.words.resources, plain(written)
    findings: list[Finding] = []
    for key in ("gpu", "npu", "hca"):
        if data.get(key):
            message = f"`{key}` in `fabric.adds` contradicts the job, which says how many devices a pod has"
            findings.append(codes.CONTRADICTION.at(job.cluster_place((*below, key), KEY), message))
    for key, resource, convert in AMOUNTS:
        value = getattr(written, key)
        if value is not None and getattr(own, key) is None and not profile.removed(("resources", key)):
            amount(devices, resource, value, convert, job.cluster_place, (*below, key), _ADDED)
    if written.hugepages is not None and own.hugepages is None and not profile.removed(("resources", "hugepages")):
        for name, size in pages(written.hugepages):
            devices.limits[name] = Sourced(size, job.cluster_place((*below, "hugepages")), _ADDED)
    if written.shm is not None and own.shm is None and not profile.removed(("resources", "shm")):
        devices.shm = Sourced(written.shm, job.cluster_place((*below, "shm")), _ADDED)
    for name, count in written.other.items():
        if name not in devices.limits and not profile.removed(("resources", "other", name)):
            devices.limits[name] = Sourced(count, job.cluster_place((*below, "other", name)), _ADDED)
    for name, claim in written.claims.items():
        if name not in own.claims and not profile.removed(("resources", "claims", name)):
            from specgen.plan.claims import own_claim  # few fabrics add one

            findings += own_claim(role, name, claim, job.cluster_place((*below, "claims", name), KEY))
    return findings
