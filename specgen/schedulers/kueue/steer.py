"""What pods of an admitted job bear: labels and tolerations of their flavor, and the domain that is theirs.

Kueue 0.19, pkg/podset (flavors), pkg/controller/tas/topology_ungater.go (ranks follow the order of the domains).
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.jobset.facts import pods_each
from specgen.operators.queues import KUEUE
from specgen.schedulers.kueue.loose import Loose, gated
from specgen.schedulers.kueue.webhooks import ELASTIC, is_elastic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from specgen.schedulers.jobs import Job, Unit
    from specgen.schedulers.kueue.state import State
    from specgen.schedulers.kueue.workload import Workload

GATE = KUEUE + "topology"


def steered(state: State, job: Job, unit: Unit, key: str, tree: dict[str, Any]) -> dict[str, Any]:
    """A pod of an admitted job: with what its flavor brings, and held in its domain; one by itself waits for that."""
    workload = state.current(job.id)
    if workload is None or isinstance(workload.job, Loose):
        workload = state.loose.get((job.id, key))
        if workload is None or workload.given is None:
            return gated(tree) if state.queue_of_pod(tree, job.namespace) is not None else tree
        assert isinstance(workload.job, Loose)
        role = workload.job.members[job.id, key]
        alike = [one for one, other in workload.job.members.items() if other == role]
        return _placed(state, workload, role, alike.index((job.id, key)), tree)
    if workload.given is None:
        return tree
    name = "main" if job.kind == "Job" else unit.role
    made = _placed(state, workload, name, lambda: _rank(job, unit, key), tree)
    if is_elastic(job.tree) and _rank(job, unit, key) >= sum(share.count for share in workload.given.shares):
        spec = mapping(made.get("spec"))
        made = {
            **made,
            "spec": {**spec, "schedulingGates": [*sequence(spec.get("schedulingGates")), {"name": ELASTIC}]},
        }
    return made


def _placed(
    state: State, workload: Workload, name: str, rank: int | Callable[[], int], tree: dict[str, Any]
) -> dict[str, Any]:
    """A pod of a set, with its rank there."""
    assert workload.given is not None
    share = next((one for one in workload.given.shares if one.pods.name == name), None)
    if share is None:
        return tree
    spec = dict(mapping(tree.get("spec")))
    selector = dict(mapping(spec.get("nodeSelector")))
    for flavor in dict.fromkeys(given.flavor for given in share.flavors.values()):
        own = state.flavors[flavor]
        selector |= own.labels
        if own.tolerations:
            spec["tolerations"] = [*sequence(spec.get("tolerations")), *own.tolerations]
    topology = state.topology_of(share)
    if share.domains is not None and topology is not None:
        left = rank if isinstance(rank, int) else rank()
        for values, count in share.domains:
            if left < count:
                keys = topology.levels[-len(values) :]
                selector |= dict(zip(keys, values, strict=True))
                break
            left -= count
        else:
            spec["schedulingGates"] = [*sequence(spec.get("schedulingGates")), {"name": GATE}]
    if selector:
        spec["nodeSelector"] = selector
    return {**tree, "spec": spec}


def _rank(job: Job, unit: Unit, key: str) -> int:
    """The place of a pod in its set."""
    if unit.child is None:
        return next(at for at, (own, _) in enumerate(unit.pods) if own == key)
    last = key.rpartition("-")[2]
    before = [one for one in job.units if one.role == unit.role]
    return sum(pods_each(one.spec) for one in before[: before.index(unit)]) + (int(last) if last.isdecimal() else 0)
