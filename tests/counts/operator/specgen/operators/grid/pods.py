"""What the grid-operator creates for a GridJob: pods that know their number and how many they are."""

from __future__ import annotations

from specgen.manifest.model import ObjectRef
from specgen.manifest.views import mapping, sequence
from specgen.operators.expansion import Expansion, Instance, Refusal
from specgen.operators.grid.facts import FRAMEWORK, OPERATOR
from specgen.operators.grid.lifecycle import lifecycle
from specgen.operators.grid.refusals import refusals
from specgen.operators.kubernetes.command import command, devices, environment
from specgen.operators.kubernetes.objects import name_of
from specgen.operators.training import common

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.manifest.views import Role, Workload


def expand(workload: Workload) -> Expansion:
    """The objects of a GridJob. Never raises."""
    ref = workload.manifest.ref
    job = ObjectRef(ref.api_version, ref.kind, name_of(workload.manifest.tree), ref.namespace)
    expansion = Expansion(OPERATOR.name, workload.version, job)
    for one in refusals(workload):
        expansion.refusals.append(Refusal(ref.kind, job.name, one.by, one.reason))
        return expansion
    for role in workload.roles:
        _create(expansion, role)
    if workload.roles:
        expansion.lifecycle = lifecycle([role.name for role in workload.roles])
    return expansion


def _create(expansion: Expansion, role: Role) -> None:
    count = max(1, common.replicas(role.tree))
    room = expansion.room(count, role.tree)
    expansion.left_out += count - room
    for index in range(room):
        name = common.general_name(expansion.job.name, role.name, index)
        own = common.labels(FRAMEWORK, expansion.job.name, role.name, index, master=False)
        told = [{"name": "GRID_INDEX", "value": str(index)}, {"name": "GRID_SIZE", "value": str(count)}]
        containers = [
            {**mapping(one), "env": [*sequence(mapping(one).get("env")), *told]}
            for one in sequence(role.pod.get("containers"))
        ]
        pod = common.pod(FRAMEWORK, expansion.job, name, role.tree, own, {**role.pod, "containers": containers})
        main = containers[0] if containers else {}
        words = command(main, environment(main, pod))
        expansion.pods.append(pod)
        expansion.instances.append(
            Instance(name, role.name, ranks=(index, index), devices=devices(pod), rendezvous="", command=words)
        )
