"""What rules about schedulers and queues ask of a job: who places its pods, its policy for a gang, its marks.

Recorded with Volcano 1.15.1, scheduler-plugins 0.34.7 and Kueue 0.19.2 beside training-operator 1.9.4, mpi-operator
0.8.2, ms-operator 1.0.0, Trainer 2.3.0 and JobSet 0.12.0.
"""

from __future__ import annotations

from specgen.manifest.views import mapping
from specgen.operators.queues import DEFAULT, KAI_QUEUE, KUEUE_QUEUE, VOLCANO, VOLCANO_QUEUE
from specgen.profile.queues import local_queues, named, names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.manifest.model import Manifest
    from specgen.manifest.views import Role, Workload
    from specgen.profile.cluster import ClusterProfile
    from specgen.profile.queues import Local
    from specgen.rules import Context
    from specgen.source import Path

# Operators with a flag for gangs: they make the PodGroup themselves, and mark the pods.
GROUPING = ("training-operator", "mpi-operator", "ms-operator")
# The groups of queues.
KUEUES, VOLCANOS = "kueue.x-k8s.io", "scheduling.volcano.sh"
POLICY: Path = ("spec", "runPolicy", "schedulingPolicy")


def marks(tree: Any, kind: str) -> dict[str, Any]:
    """The ``labels`` or ``annotations`` of an object or a template."""
    return mapping(mapping(mapping(tree).get("metadata")).get(kind))


def of_group(group: str, objects: list[Manifest]) -> list[Manifest]:
    """Those of an API group."""
    return [one for one in objects if one.ref.api_version.partition("/")[0] == group]


def says(context: Context, name: str | None = None) -> bool:
    """Whether the cluster profile says what a queue has; without a name: any of them."""
    queues = context.cluster.scheduling.queues if context.cluster is not None else []
    if not isinstance(queues, dict):
        return False
    own = queues.values() if name is None else [local.own for local in named(queues, name)]
    return any([bool(one.quota or one.flavors) for one in own])


def release(context: Context) -> str | None:
    """Which Kueue the cluster profile says; None: it says none, or another scheduler of gangs."""
    scheduling = context.cluster.scheduling if context.cluster is not None else None
    return scheduling.version if scheduling is not None and scheduling.gang == "kueue" else None


def queue_names(cluster: ClusterProfile) -> list[str]:
    """The queues that jobs of a cluster may name."""
    return names(cluster.scheduling.queues)


def queues_named(cluster: ClusterProfile, name: str, namespace: str | None = None) -> list[Local]:
    """What a job of a namespace may mean by the name of a queue; without a namespace, each that is called so."""
    return named(cluster.scheduling.queues, name, namespace)


def queues_before(cluster: ClusterProfile, name: str, namespace: str | None = None) -> list[str]:
    """The LocalQueues of a namespace that lead to a ClusterQueue of another name, which jobs may not name."""
    found = local_queues(cluster.scheduling.queues)
    return [one.name for one in found if one.queue == name != one.name and one.serves(namespace)]


def policy(workload: Workload) -> dict[str, Any]:
    """What the job says of its gang; empty where it says nothing, or its operator has no such words."""
    if workload.operator not in GROUPING:
        return {}
    run = mapping(mapping(workload.manifest.tree.get("spec")).get("runPolicy"))
    return mapping(run.get("schedulingPolicy"))


def queue_of(workload: Workload) -> Iterator[tuple[str, Any, Path]]:
    """(gang, queue, where it is said), in the order in which its reader looks."""
    tree = workload.manifest.tree
    labels = marks(tree, "labels")
    if KUEUE_QUEUE in labels:
        yield "kueue", labels[KUEUE_QUEUE], ("metadata", "labels", KUEUE_QUEUE)
    if workload.operator == "volcano":
        yield "volcano", mapping(tree.get("spec")).get("queue"), ("spec", "queue")
    elif policy(workload).get("queue"):
        yield "volcano", policy(workload)["queue"], (*POLICY, "queue")
    elif workload.operator == "mpi-operator":
        yield "volcano", marks(tree, "annotations").get(VOLCANO_QUEUE), ("metadata", "annotations", VOLCANO_QUEUE)
    if KAI_QUEUE in labels:
        yield "kai", labels[KAI_QUEUE], ("metadata", "labels", KAI_QUEUE)
    seen = []
    for role in workload.roles:
        for gang, kind, key in (("volcano", "annotations", VOLCANO_QUEUE), ("kai", "labels", KAI_QUEUE)):
            value = marks(role.template, kind).get(key)
            if value is not None and (gang, value) not in seen:
                seen.append((gang, value))
                yield gang, value, (*role.template_path, "metadata", kind, key)


def number(value: Any) -> int | None:
    """The value if it is a whole number."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def scheduler(role: Role, context: Context) -> str | None:
    """The name of the scheduler that places a role's pods; None: nobody here knows.

    The mpi-operator overrides what the template says (``scheduler-name-mpi``), the training operator does not
    (``scheduler-name-default``); where any role of an MSJob names one, the others get none.
    """
    workload = role.workload
    named = role.pod.get("schedulerName")
    if workload.gang is not None and workload.operator == "mpi-operator":
        return workload.gang
    if isinstance(named, str) and named:
        return named
    if workload.operator == "volcano":
        said = mapping(workload.manifest.tree.get("spec")).get("schedulerName")
        return said if isinstance(said, str) and said else VOLCANO
    if workload.gang is not None:
        others = any([other.pod.get("schedulerName") for other in workload.roles])
        return DEFAULT if workload.operator == "ms-operator" and others else workload.gang
    # only an operator without the flag is known to name none
    known = workload.operator not in GROUPING or workload.operator in context.operators
    return DEFAULT if known else None


def devices(role: Role) -> bool:
    """Whether the role's pods ask for devices."""
    return any(
        [
            isinstance(name, str) and "/" in name and "kubernetes.io/" not in name
            for container in role.containers()
            for name in container.amounts()
        ]
    )
