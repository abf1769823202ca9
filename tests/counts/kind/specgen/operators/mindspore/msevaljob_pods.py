"""What the ms-operator creates for an MSEvalJob: pods with their number."""

from __future__ import annotations

from specgen.manifest.model import ObjectRef
from specgen.manifest.views import mapping, sequence
from specgen.operators.expansion import Expansion, Instance
from specgen.operators.kubernetes.command import command, devices, environment
from specgen.operators.kubernetes.objects import name_of
from specgen.operators.training import common

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.manifest.views import Workload
    from specgen.operators.training.facts import Framework


def expand(workload: Workload, framework: Framework) -> Expansion:
    """The objects of an MSEvalJob. Never raises."""
    ref = workload.manifest.ref
    job = ObjectRef(ref.api_version, ref.kind, name_of(workload.manifest.tree), ref.namespace)
    expansion = Expansion(workload.operator, workload.version, job)
    for role in workload.roles:
        count = max(1, common.replicas(role.tree))
        room = expansion.room(count, role.tree)
        expansion.left_out += count - room
        for index in range(room):
            name = common.general_name(job.name, role.name, index)
            own = common.labels(framework, job.name, role.name, index, master=False)
            number = {"name": "MS_EVAL_ID", "value": str(index)}
            containers = [
                {**mapping(one), "env": [*sequence(mapping(one).get("env")), number]}
                for one in sequence(role.pod.get("containers"))
            ]
            pod = common.pod(framework, job, name, role.tree, own, {**role.pod, "containers": containers})
            main = containers[0] if containers else {}
            env = environment(main, pod)
            expansion.pods.append(pod)
            expansion.instances.append(
                Instance(name, role.name, ranks=None, devices=devices(pod), rendezvous="", command=command(main, env))
            )
    return expansion
