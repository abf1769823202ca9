"""What pods of an admitted job bear: labels and tolerations of their flavor, and the domain that is theirs.

Kueue 0.19, pkg/podset (flavors), pkg/controller/tas/topology_ungater.go (ranks follow the order of the domains).
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.jobset.facts import pods_each
from specgen.operators.queues import KUEUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.schedulers.jobs import Job, Unit
    from specgen.schedulers.kueue.state import State

GATE = KUEUE + "topology"


def steered(state: State, job: Job, unit: Unit, key: str, tree: dict[str, Any]) -> dict[str, Any]:
    """A pod of an admitted job: with what its flavor brings, and held in its domain."""
    workload = state.workloads.get(job.id)
    if workload is None or workload.given is None:
        return tree
    name = "main" if job.kind == "Job" else unit.role
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
        rank = _rank(job, unit, key)
        for values, count in share.domains:
            if rank < count:
                keys = topology.levels[-len(values) :]
                selector |= dict(zip(keys, values, strict=True))
                break
            rank -= count
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
    return sum(pods_each(one.spec) for one in before[: before.index(unit)]) + (int(last) if last.isdigit() else 0)
