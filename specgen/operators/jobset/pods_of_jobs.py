"""The pods of a Job that a JobSet owns, as the Job controller, the JobSet's pod webhook and admission leave them.

Read from Kubernetes 1.36, pkg/controller/job/{job_controller,indexed_job_utils}.go and plugin/pkg/admission/priority,
and from kubernetes-sigs/jobset v0.12.0 (f22e565ac3cc), pkg/webhooks/pod_*webhook.go.
"""

from __future__ import annotations

from specgen.manifest.beside import named
from specgen.manifest.views import mapping, sequence
from specgen.operators.expansion import Instance
from specgen.operators.jobset import facts as layout
from specgen.operators.kubernetes.command import command, devices, environment, meeting, ranks
from specgen.operators.kubernetes.names import RANDOM
from specgen.operators.kubernetes.objects import opened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from specgen.manifest.model import Manifest
    from specgen.operators.expansion import Expansion

_INDEX = "batch.kubernetes.io/job-completion-index"
# The two classes that every cluster has (Kubernetes 1.36, pkg/apis/scheduling/types.go).
_SYSTEM = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}


def pods_of(expansion: Expansion, job: dict[str, Any], role: str, companions: Sequence[Manifest]) -> None:
    """Adds a Job's pods by index, with an instance each, as far as there is room."""
    spec = job["spec"]
    template, name = spec["template"], job["metadata"]["name"]
    indexed = spec.get("completionMode") == "Indexed"
    count = layout.pods_each(spec)
    room = expansion.room(count, template)
    expansion.left_out += count - room
    annotations = template["metadata"]["annotations"]
    topology = annotations.get(layout.EXCLUSIVE, "")
    placed = bool(topology) and layout.BY_SELECTOR not in annotations
    priority = priority_of(template["spec"], companions)
    for index in range(room):
        pod = pod_of(job, index, indexed=indexed, priority=priority)
        if placed and index == 0:
            alone(pod, topology)
        elif placed:
            # the pod webhook refuses it until then, and the Job's controller asks again
            beside = {topology: f"<{topology} of {name}-0>"}
            pod["spec"]["nodeSelector"] = {**mapping(pod["spec"].get("nodeSelector")), **beside}
            note = f"pods of index 1 and up come once that of index 0 has a node: they follow it to its `{topology}`"
            if note not in expansion.notes:
                expansion.notes.append(note)
        expansion.pods.append(pod)
        expansion.starts(_instance, pod, role)


def priority_of(pod: dict[str, Any], companions: Sequence[Manifest]) -> dict[str, Any]:
    """The fields that admission adds for a pod's PriorityClass, as far as it is known."""
    name = layout.text(pod.get("priorityClassName"))
    if not name:
        return {}
    if name in _SYSTEM:
        return {"priority": _SYSTEM[name]}
    for one in named(companions, "PriorityClass", name):
        known = {"priority": layout.number(one.tree.get("value"), 0)}
        policy = one.tree.get("preemptionPolicy")
        return {**known, "preemptionPolicy": policy} if policy == "Never" else known
    return {"priority": f"<value of PriorityClass {name}>"}


def pod_of(job: dict[str, Any], index: int, *, indexed: bool, priority: dict[str, Any]) -> dict[str, Any]:
    """The pod of an index of a Job, a JobSet's or one of its own; ``priority``: what admission adds."""
    template, name = job["spec"]["template"], job["metadata"]["name"]
    labels, annotations = dict(template["metadata"]["labels"]), dict(template["metadata"]["annotations"])
    spec = {**opened(template["spec"]), **priority}
    called = f"{name}-{RANDOM}"
    if indexed:
        called = f"{name}-{index}-{RANDOM}"
        labels[_INDEX] = annotations[_INDEX] = str(index)
        spec["hostname"] = f"{name}-{index}"
        for key in ("initContainers", "containers"):
            for container in sequence(spec.get(key)):
                _with_index(container)
    if not spec.get("priority"):
        spec.pop("priority", None)
    if layout.PREFIX + "jobset-name" in labels and layout.BY_SELECTOR not in annotations:
        # the pod webhook leaves those alone that are placed by node selectors (recorded)
        labels[layout.PREFIX + "priority"] = str(priority.get("priority", 0))
    metadata: dict[str, Any] = {"name": called}
    if "namespace" in job["metadata"]:
        metadata["namespace"] = job["metadata"]["namespace"]
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": name, "controller": True, "blockOwnerDeletion": True}
    metadata |= {"labels": labels, "annotations": annotations, "finalizers": ["batch.kubernetes.io/job-tracking"]}
    metadata["ownerReferences"] = [owner]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _with_index(container: dict[str, Any]) -> None:
    env = sequence(container.get("env"))
    if any(mapping(entry).get("name") == "JOB_COMPLETION_INDEX" for entry in env):
        return
    source = {"fieldRef": {"fieldPath": f"metadata.labels['{_INDEX}']"}}
    container["env"] = [*env, {"name": "JOB_COMPLETION_INDEX", "valueFrom": source}]


def alone(pod: dict[str, Any], topology: str) -> None:
    """Keeps the leader's topology for its own Job."""
    labels = pod["metadata"]["labels"]
    key = layout.PREFIX + "job-key"
    own = [labels.get(key)]
    near = [{"key": key, "operator": "In", "values": own}]
    apart = [
        {"key": key, "operator": "Exists"},
        {"key": key, "operator": "NotIn", "values": own},
        {"key": layout.PREFIX + "priority", "operator": "In", "values": [labels.get(layout.PREFIX + "priority")]},
    ]
    affinity = dict(mapping(pod["spec"].get("affinity")))
    for kind, expressions in (("podAffinity", near), ("podAntiAffinity", apart)):
        terms = dict(mapping(affinity.get(kind)))
        term = {"labelSelector": {"matchExpressions": expressions}, "topologyKey": topology, "namespaceSelector": {}}
        required = "requiredDuringSchedulingIgnoredDuringExecution"
        terms[required] = [*sequence(terms.get(required)), term]
        affinity[kind] = terms
    pod["spec"]["affinity"] = affinity


def _instance(pod: dict[str, Any], role: str) -> Instance:
    containers = [mapping(one) for one in sequence(pod["spec"].get("containers"))]
    named = [one for one in containers if one.get("name") == "node"]
    main: dict[str, Any] = (named or containers or [{}])[0]
    env = environment(main, pod)
    words, found = command(main, env), devices(pod)
    accelerators = next((amount for resource, amount in found.items() if resource.endswith((".com/gpu", "/npu"))), 0)
    given = ranks(words, env, accelerators)
    for name in ("JAX_PROCESS_ID", "DMLC_TASK_ID"):
        own = env.get(name, "")
        if given is None and own.isascii() and own.isdigit() and len(own) < 10:
            given = (int(own), int(own))
    pairs = (
        ("PET_MASTER_ADDR", "PET_MASTER_PORT"),
        ("MASTER_ADDR", "MASTER_PORT"),
        ("DMLC_TRACKER_URI", "DMLC_TRACKER_PORT"),
    )
    met = next((f"{env[host]}:{env.get(port, '')}" for host, port in pairs if host in env), "")
    rendezvous = meeting(words, met or env.get("JAX_COORDINATOR_ADDRESS", ""))
    name = pod["metadata"]["name"]
    return Instance(name, role, ranks=given, devices=found, rendezvous=rendezvous, command=words)
