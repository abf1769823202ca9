"""The pool that a role's pods land in, and what one pod asks for there."""

from __future__ import annotations

from specgen.diagnostics.model import KEY, Place, listed
from specgen.plan.codes import AMBIGUOUS_POOL
from specgen.plan.model import Said
from specgen.profile import codes
from specgen.profile.quantity import cores
from specgen.profile.resolve import unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.plan.model import RolePlan, World

_GPU = "nvidia.com/gpu"


def plan_devices(role: RolePlan, world: World) -> list[Finding]:
    """Fills ``role.devices``. Findings: no such pool, several pools, no HCA there."""
    words = role.words
    resources = words.words.resources
    devices = role.devices
    devices.gpu = resources.gpu or 0
    devices.npu = resources.npu or 0
    findings = _pool(role)
    if findings:
        return findings
    _amounts(role)
    pool = devices.pool
    if devices.gpu:
        place = words.place(("resources", "gpu"))
        if pool is not None and pool.gpu is not None and pool.gpu.claim:
            return [codes.NOT_BUILT_YET.at(place, "GPUs through resource claims are not built yet")]
        name = (pool.gpu.resource if pool is not None and pool.gpu is not None else None) or _GPU
        devices.limits[name] = Said(devices.gpu, place, "`resources.gpu`, as the pool calls it")
    if devices.npu:
        place = words.place(("resources", "npu"))
        if pool is None or pool.npu is None:
            return [codes.UNKNOWN_NAME.at(place, "no pool of the cluster profile has an NPU")]
        devices.limits[pool.npu.resource] = Said(devices.npu, place, "`resources.npu`, as the pool calls it")
    findings += _hca(role)
    for name, count in resources.other.items():
        place = words.place(("resources", "other", name))
        devices.limits[name] = Said(count, place, "`resources.other`")
    _requests(role)
    return findings


def _pool(role: RolePlan) -> list[Finding]:
    words, devices = role.words, role.devices
    pools = words.job.cluster.pools
    named = words.words.scheduling.pool
    if named is not None:
        if named not in pools:
            place = words.place(("scheduling", "pool"))
            return [unknown(named, list(pools), "pool", place, words.job, ("pools",))]
        devices.pool_name, devices.pool = named, pools[named]
        return []
    wants = [
        word
        for word, count in (("gpu", devices.gpu), ("npu", devices.npu), ("hca", words.words.resources.hca))
        if count
    ]
    if not wants or not pools:
        return []
    fitting = [name for name, pool in pools.items() if all(getattr(pool, word) is not None for word in wants)]
    place = words.place(("resources", wants[-1]), KEY)
    if len(fitting) == 1:
        devices.pool_name, devices.pool = fitting[0], pools[fitting[0]]
        return []
    related = [(words.job.cluster_place(("pools",), KEY), "the pools stand here")]
    if not fitting:
        what = listed(wants)
        return [AMBIGUOUS_POOL.at(place, f"no pool of the cluster profile has {what}", related=related)]
    return [
        AMBIGUOUS_POOL.at(
            place,
            f"the pools {listed(fitting)} all have {listed(wants)}",
            related=related,
            helps=["`scheduling.pool` says which one is meant"],
        )
    ]


def _amount(role: RolePlan, key: str, resource: str, value: Any, convert: Any) -> None:
    words, devices = role.words, role.devices
    if isinstance(value, (int, float, str)):
        said = Said(convert(value), words.place(("resources", key)), f"`resources.{key}`, request and limit")
        devices.limits[resource] = said
        return
    for side, target in (("limit", devices.limits), ("request", devices.requests)):
        amount = getattr(value, side)
        if amount is not None:
            place = words.place(("resources", key, side))
            target[resource] = Said(convert(amount), place, f"`resources.{key}.{side}`")


def _as_is(value: Any) -> Any:
    return value


def _amounts(role: RolePlan) -> None:
    resources = role.words.words.resources
    if resources.cpu is not None:
        _amount(role, "cpu", "cpu", resources.cpu, cores)
    if resources.memory is not None:
        _amount(role, "memory", "memory", resources.memory, _as_is)
    if resources.disk is not None:
        _amount(role, "disk", "ephemeral-storage", resources.disk, _as_is)
    pages = resources.hugepages
    if pages is not None:
        place = role.words.place(("resources", "hugepages"))
        for size, amount in ({"2Mi": pages} if isinstance(pages, str) else pages).items():
            role.devices.limits[f"hugepages-{size}"] = Said(amount, place, "`resources.hugepages`")


def _requests(role: RolePlan) -> None:
    """Requests stand written as soon as one amount asks for less than its limit.

    Kubernetes takes the limit for a request that is absent, but operators that add up a gang's ``minResources`` take a
    container's requests alone once it has any (facts: training-operator 1.9.4, pkg/controller.v1/common/scheduling.go).
    """
    devices = role.devices
    if not devices.requests:
        return
    order = [*devices.limits, *(name for name in devices.requests if name not in devices.limits)]
    devices.requests = {name: devices.requests.get(name) or devices.limits[name] for name in order}


def _hca(role: RolePlan) -> list[Finding]:
    words, devices = role.words, role.devices
    wanted = words.words.resources.hca
    if not wanted:
        return []
    place = words.place(("resources", "hca"))
    pool = devices.pool
    if pool is None or pool.hca is None:
        if words.job.cluster_document is None:
            message = "`hca` needs a cluster profile, which says how an HCA reaches the pod"
            return [codes.UNKNOWN_NAME.at(place, message)]
        message = (
            f"the pool `{devices.pool_name}` has no HCA"
            if pool is not None
            else "no pool of the cluster profile has an HCA"
        )
        return [codes.UNKNOWN_NAME.at(place, message, related=[(_pool_place(role), "this pool")] if pool else [])]
    devices.hca = _count(role, wanted)
    rdma = pool.fabric.rdma
    if rdma in ("sriov", "claim", "host") or pool.hca.claim:
        return [
            codes.NOT_BUILT_YET.at(
                place,
                f"HCAs by `rdma: {rdma}` are not built yet",
                related=[(_pool_place(role, "fabric", "rdma"), "the pool says so")],
            )
        ]
    if rdma == "none":
        message = f"the pool `{devices.pool_name}` lets no HCA reach a pod"
        return [codes.CONTRADICTION.at(place, message, related=[(_pool_place(role, "fabric", "rdma"), "`rdma: none`")])]
    if rdma == "network":
        return []
    if pool.hca.resource is None:
        return [codes.UNKNOWN_NAME.at(place, f"the pool `{devices.pool_name}` names no resource for its HCAs")]
    units = 1 if rdma == "shared-device" else devices.hca
    reason = "one unit whatever the number: the device is shared" if rdma == "shared-device" else "a unit for each HCA"
    devices.limits[pool.hca.resource] = Said(units, place, f"`resources.hca`, as the pool calls it; {reason}")
    return []


def _count(role: RolePlan, wanted: int | str) -> int:
    if isinstance(wanted, int):
        return wanted
    pool = role.devices.pool
    assert pool is not None and pool.hca is not None
    per_node = pool.hca.per_node or 1
    gpus = pool.gpu.per_node if pool.gpu is not None else None
    if not role.devices.gpu or not gpus:
        return per_node
    return max(1, per_node * role.devices.gpu // gpus)


def _pool_place(role: RolePlan, *path: str) -> Place:
    assert role.devices.pool_name is not None
    return role.words.job.cluster_place(("pools", role.devices.pool_name, *path), KEY)
