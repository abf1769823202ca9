"""Pools that a queue of Kueue chooses between: its flavors mean their nodes, so that a job names none of them."""

from __future__ import annotations

from specgen.diagnostics.model import KEY, listed
from specgen.operators.queues import KUEUE_QUEUE
from specgen.plan.codes import AMBIGUOUS_POOL
from specgen.profile.pools import labels_of
from specgen.profile.queues import named, names
from specgen.schema.record import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from specgen.diagnostics.model import Finding, Place
    from specgen.plan.draft import RoleDraft
    from specgen.plan.model import World
    from specgen.profile.cluster import ClusterProfile, Pool
    from specgen.profile.resolve import ResolvedJob
    from specgen.source import Path

_GPU = "nvidia.com/gpu"
# What of a fabric makes the pod another one only where it asks for HCAs.
_OF_HCA = ("rdma", "net", "memlock", "networks", "adds")


def of_queue(role: RoleDraft, names: Sequence[str], world: World) -> tuple[str, list[str]]:
    """(the job's queue of Kueue, those of the pools to whose nodes its flavors lead)."""
    job = role.profile.job
    queue = _queue(job, world)
    locals_ = named(job.cluster.scheduling.queues, queue, job.job.metadata.namespace)
    meant = {name for one in locals_ for flavor in one.own.flavors for name in _meant(str(flavor), job.cluster)}
    return queue, [name for name in names if name in meant]


def _queue(job: ResolvedJob, world: World) -> str:
    """The queue of Kueue that a job is sent to; empty: to none."""
    scheduling, own = job.cluster.scheduling, job.job.scheduling
    gang = own.gang if isinstance(own.gang, str) else scheduling.gang
    if own.gang is False or gang != "kueue":
        return ""
    named = own.queue or job.job.metadata.labels.get(KUEUE_QUEUE)
    if named is not None:
        return str(named)
    # a job of one pod is no gang
    known = names(scheduling.queues)
    return known[0] if len(known) == 1 and world.pods > 1 else ""


def _meant(flavor: str, cluster: ClusterProfile) -> Iterator[str]:
    """The pools whose nodes a flavor means: those with its labels, or the one that it is called like."""
    own = next((said for name, said in cluster.scheduling.flavors.items() if name == flavor), None)
    for name, pool in cluster.pools.items():
        if name == flavor if own is None or not own.labels else own.labels.items() <= labels_of(pool).items():
            yield str(name)


def unlike(role: RoleDraft, queue: str, names: Sequence[str], place: Place) -> list[Finding]:
    """SG602 for pools between which the queue chooses, where they make another pod of it."""
    job, first = role.profile.job, names[0]
    for name in names[1:]:
        for path, one, other in _differences(role, job.cluster.pools[first], job.cluster.pools[name]):
            word = ".".join(map(str, path))
            message = f"the queue `{queue}` chooses between {listed(list(names))}, whose `{word}` differs"
            related = [
                (job.cluster_place(("pools", pool, path[0]), KEY), f"`{word}: {said}`" if said is not None else "none")
                for pool, said in ((first, one), (name, other))
            ]
            helps = ["`scheduling.pool` says which one is meant, a queue with one of them as its flavor leads there"]
            notes = ["a manifest is for one of them"]
            return [AMBIGUOUS_POOL.at(place, message, related=related, notes=notes, helps=helps)]
    return []


def _differences(role: RoleDraft, one: Pool, other: Pool) -> Iterator[tuple[Path, Any, Any]]:
    """What of two pools makes the pods of a role differ: the path of it, and what each has."""
    devices, hca = role.devices, role.profile.words.resources.hca
    pairs = [_facts(pool, gpu=bool(devices.gpu), npu=bool(devices.npu), hca=hca) for pool in (one, other)]
    for path in dict.fromkeys([*pairs[0], *pairs[1]]):
        found = [pair.get(path) for pair in pairs]
        if found[0] != found[1]:
            yield path, found[0], found[1]


def _facts(pool: Pool, *, gpu: bool, npu: bool, hca: Any) -> dict[Path, Any]:
    found: dict[Path, Any] = {("runtimeClass",): pool.runtime_class}
    if gpu and pool.gpu is not None:
        own = pool.gpu
        found["gpu", "claim"] = own.claim
        found["gpu", "resource"] = None if own.claim is not None else own.resource or _GPU
        if hca == "auto":
            found["gpu", "perNode"] = own.per_node
    if npu and pool.npu is not None:
        found["npu", "resource"], found["npu", "library"] = pool.npu.resource, pool.npu.library
    if hca and pool.hca is not None:
        found |= {("hca", word): said for word, said in plain(pool.hca).items() if word != "rate"}
    found |= {("fabric", word): said for word, said in plain(pool.fabric).items() if hca or word not in _OF_HCA}
    return found
