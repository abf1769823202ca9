"""The PodGroups that Trainer makes for a runtime's ``podGroupPolicy``, and the words it puts on pods for them.

Read from kubeflow/trainer v2.3.0 (658725bdae5c), pkg/runtime/framework/plugins/{coscheduling,volcano}; requests of a
pod as Kubernetes' component-helpers add them up. Limits do not count, and neither do ``replicas`` (recorded).
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.jobset import facts as layout
from specgen.operators.queues import COSCHEDULING_GROUP, VOLCANO_GROUP, VOLCANO_QUEUE
from specgen.quantity import canonical, nano

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.operators.trainer.job import TrainJob


def label(job: TrainJob) -> None:
    """Marks all pods as members of their group."""
    for replicated in job.jobs:
        for policy, key, word in (
            ("coscheduling", "labels", COSCHEDULING_GROUP),
            ("volcano", "annotations", VOLCANO_GROUP),
        ):
            if policy in job.gang:
                template = layout.pod_template(replicated)
                metadata = mapping(template.get("metadata"))
                own = {**mapping(metadata.get(key)), word: job.name}
                template["metadata"] = {**metadata, key: own}


def groups(job: TrainJob) -> list[tuple[str, dict[str, Any]]]:
    """(apiVersion, spec) of each PodGroup."""
    found: list[tuple[str, dict[str, Any]]] = []
    common = {"minMember": sum(job.counts), "minResources": resources(job)}
    if "coscheduling" in job.gang:
        timeout = mapping(job.gang["coscheduling"]).get("scheduleTimeoutSeconds", 60)
        found.append(("scheduling.x-k8s.io/v1alpha1", {**common, "scheduleTimeoutSeconds": timeout}))
    if "volcano" in job.gang:
        spec = {**common, "queue": layout.text(job.annotations.get(VOLCANO_QUEUE)) or "default"}
        for replicated in job.jobs:
            priority = layout.text(layout.pod_spec(replicated).get("priorityClassName"))
            if priority:
                spec["priorityClassName"] = priority
        topology = mapping(job.gang["volcano"]).get("networkTopology")
        if isinstance(topology, dict):
            spec["networkTopology"] = topology
        found.append(("scheduling.volcano.sh/v1beta1", spec))
    return found


def waiting(job: TrainJob) -> list[str]:
    """The replicated jobs that come after others, which must end or be ready before."""
    later = mapping(job.spec.get("startupPolicy")).get("startupPolicyOrder") == "InOrder"
    return [
        layout.text(replicated.get("name"))
        for index, replicated in enumerate(job.jobs)
        if (later and index) or sequence(replicated.get("dependsOn"))
    ]


def resources(job: TrainJob) -> dict[str, str]:
    total: dict[str, int] = {}
    binary: dict[str, bool] = {}
    for replicated, count in zip(job.jobs, job.counts, strict=True):
        for name, amount in _requests(layout.pod_spec(replicated), binary).items():
            total[name] = total.get(name, 0) + amount * count
    return {name: canonical(amount, "i" if binary.get(name) else "") for name, amount in total.items()}


def _requests(pod: dict[str, Any], binary: dict[str, bool]) -> dict[str, int]:
    """Requests of a pod in billionths: containers together, or the greatest init container; and its overhead."""
    total: dict[str, int] = {}
    for container in sequence(pod.get("containers")):
        for name, amount in _amounts(container, binary).items():
            total[name] = total.get(name, 0) + amount
    sidecars: dict[str, int] = {}
    greatest: dict[str, int] = {}
    for container in sequence(pod.get("initContainers")):
        stays = mapping(container).get("restartPolicy") == "Always"
        for name, amount in _amounts(container, binary).items():
            held = sidecars.get(name, 0)
            greatest[name] = max(greatest.get(name, 0), held + amount)
            if stays:
                sidecars[name] = held + amount
    for name, amount in sidecars.items():
        total[name] = total.get(name, 0) + amount
    for name, amount in greatest.items():
        total[name] = max(total.get(name, 0), amount)
    for name, said in mapping(pod.get("overhead")).items():
        total[name] = total.get(name, 0) + (nano(said) or 0)
    return total


def _amounts(container: Any, binary: dict[str, bool]) -> dict[str, int]:
    requests = mapping(mapping(mapping(container).get("resources")).get("requests"))
    for name, amount in requests.items():
        binary[name] = binary.get(name, False) or str(amount).endswith("i")
    return {name: nano(amount) or 0 for name, amount in requests.items()}
