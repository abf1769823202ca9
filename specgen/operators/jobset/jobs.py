"""What the JobSet controller and the Job controller make of a JobSet: claims, a Service, Jobs, and their pods.

Read from kubernetes-sigs/jobset v0.12.0 (f22e565ac3cc), pkg/controllers/jobset_controller.go and pkg/webhooks, and from
Kubernetes 1.36, pkg/controller/job; held against recordings by ``tests/operators/test_conformance_trainer.py``. What
waits for other Jobs stands among the objects too: they are those of a run in which everything goes well.
"""

from __future__ import annotations

from specgen.manifest.beside import named
from specgen.manifest.views import mapping, sequence
from specgen.operators.expansion import MOST_PODS, Refusal
from specgen.operators.jobset import facts as layout
from specgen.operators.jobset.lifecycle import lifecycle
from specgen.operators.jobset.pods_of_jobs import pods_of
from specgen.operators.jobset.refusals import job_refusal
from specgen.operators.kubernetes.objects import SERVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from specgen.manifest.model import Manifest
    from specgen.operators.expansion import Expansion


def create(expansion: Expansion, jobset: dict[str, Any], companions: Sequence[Manifest]) -> None:
    """Adds what comes of a JobSet that is stored with its defaults, in the controllers' order.

    A Job that is refused takes those with it that wait for it; a suspended JobSet has Jobs and no pods.
    """
    metadata, spec = mapping(jobset.get("metadata")), mapping(jobset.get("spec"))
    name = layout.text(metadata.get("name"))
    jobs = [layout.copied(job) for job in sequence(spec.get("replicatedJobs"))]
    if not jobs:
        expansion.notes.append("there are no replicated jobs, so there is nothing to run")
    _claims(expansion, jobset, name, spec, jobs)
    _service(expansion, jobset, name, spec, companions)
    expansion.lifecycle = lifecycle({**spec, "replicatedJobs": jobs})
    missing: dict[str, None] = {}
    places = _Places(jobs)
    for position, job in enumerate(jobs):
        role = layout.text(job.get("name"))
        waits = sequence(job.get("dependsOn"))
        held = spec.get("suspend") is True and bool(waits)
        if held or any(mapping(one).get("name") in missing for one in waits):
            missing[role] = None
            continue
        # without replicas there is no Job that anybody could refuse
        reason = job_refusal(job) if layout.number(job.get("replicas"), 1) > 0 else ""
        if reason:
            refused = layout.job_name(name, role, 0)
            expansion.refusals.append(Refusal("Job", refused, SERVER, reason))
            missing[role] = None
            if mapping(spec.get("startupPolicy")).get("startupPolicyOrder") == "InOrder":
                return
            continue
        _jobs(expansion, jobset, job, places.of(position), companions)


def owned(jobset: dict[str, Any], name: str) -> dict[str, Any]:
    """Metadata of an object of a JobSet: name, namespace if there is one, controlling owner without its uid."""
    metadata = mapping(jobset.get("metadata"))
    tree: dict[str, Any] = {"name": name}
    if metadata.get("namespace"):
        tree["namespace"] = metadata["namespace"]
    owner = {"apiVersion": layout.API_VERSION, "kind": "JobSet", "name": metadata.get("name"), "controller": True}
    tree["ownerReferences"] = [{**owner, "blockOwnerDeletion": True}]
    return tree


def _claims(
    expansion: Expansion, jobset: dict[str, Any], name: str, spec: dict[str, Any], jobs: list[dict[str, Any]]
) -> None:
    for policy in sequence(spec.get("volumeClaimPolicies")):
        kept = mapping(mapping(policy).get("retentionPolicy")).get("whenDeleted") == "Retain"
        for template in sequence(mapping(policy).get("templates")):
            given = mapping(mapping(template).get("metadata"))
            volume = layout.text(given.get("name"))
            metadata = owned(jobset, f"{volume}-{name}")
            if kept:
                del metadata["ownerReferences"]
            metadata["labels"] = {**mapping(given.get("labels")), layout.PREFIX + "jobset-name": name}
            if given.get("annotations"):
                metadata["annotations"] = given["annotations"]
            claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata}
            expansion.others.append({**claim, "spec": mapping(template).get("spec", {})})
            for job in jobs:
                _mount(job, volume, f"{volume}-{name}")


def _mount(job: dict[str, Any], volume: str, claim: str) -> None:
    """Adds the volume of a claim to pods that mount one of its name."""
    both = [*layout.containers_of(job, "initContainers"), *layout.containers_of(job)]
    mounts = [mapping(mount).get("name") for one in both for mount in sequence(one.get("volumeMounts"))]
    if volume in mounts:
        pod = layout.pod_spec(job)
        pod["volumes"] = [
            *sequence(pod.get("volumes")),
            {"name": volume, "persistentVolumeClaim": {"claimName": claim}},
        ]


def _service(
    expansion: Expansion, jobset: dict[str, Any], name: str, spec: dict[str, Any], companions: Sequence[Manifest]
) -> None:
    called = layout.subdomain(name, spec)
    if not called:
        return
    metadata = owned(jobset, called)
    if taken(companions, "v1", "Service", called, metadata.get("namespace")):
        expansion.notes.append(f"the controller makes no Service: it takes `{called}`, which is there, as it is")
        return
    publishes = mapping(spec.get("network")).get("publishNotReadyAddresses", True)
    own = {
        "clusterIP": "None",
        "publishNotReadyAddresses": publishes,
        "selector": {layout.PREFIX + "jobset-name": name},
    }
    if not publishes:
        del own["publishNotReadyAddresses"]
    expansion.services.append({"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": own})


def taken(companions: Sequence[Manifest], api_version: str, kind: str, name: str, namespace: Any) -> bool:
    """Whether an object of this name stands among the files."""
    wanted = (api_version, namespace or "default")
    same = [one.ref for one in named(companions, kind, name)]
    return any([(ref.api_version, ref.namespace or "default") == wanted for ref in same])


def _jobs(
    expansion: Expansion,
    jobset: dict[str, Any],
    job: dict[str, Any],
    place: dict[str, int],
    companions: Sequence[Manifest],
) -> None:
    """Adds the Jobs of a replicated job, each followed by its pods in ``expansion.pods``."""
    spec = mapping(jobset.get("spec"))
    annotations = mapping(mapping(jobset.get("metadata")).get("annotations"))
    topology, by_selector = layout.exclusive(annotations, job)
    suspended = spec.get("suspend") is True
    replicas = layout.number(job.get("replicas"), 1)
    room = expansion.room(replicas, job)
    for index in range(replicas):
        if index == room or len(expansion.pods) >= MOST_PODS:
            expansion.left_out += (replicas - index) * layout.pods_each(layout.job_spec(job))
            return
        own = _own(jobset, job, place, index)
        tree = _job(jobset, job, index, own, suspended=suspended)
        if topology:
            placed = {layout.EXCLUSIVE: topology, **({layout.BY_SELECTOR: "true"} if by_selector else {})}
            template = tree["spec"]["template"]
            for part in (tree, template):
                part["metadata"]["annotations"] = {**part["metadata"]["annotations"], **placed}
            if by_selector:
                _select(template["spec"], f"{_namespace(jobset)}_{tree['metadata']['name']}")
        expansion.others.append(tree)
        if not suspended:
            pods_of(expansion, tree, layout.text(job.get("name")), companions)


def _namespace(jobset: dict[str, Any]) -> str:
    return layout.text(mapping(jobset.get("metadata")).get("namespace")) or "default"


def _select(pod: dict[str, Any], job: str) -> None:
    """Binds a pod to the nodes that were labelled for its Job."""
    pod["nodeSelector"] = {**mapping(pod.get("nodeSelector")), "alpha.jobset.sigs.k8s.io/namespaced-job": job}
    toleration = {"key": "alpha.jobset.sigs.k8s.io/no-schedule", "operator": "Exists", "effect": "NoSchedule"}
    pod["tolerations"] = [*sequence(pod.get("tolerations")), toleration]


class _Places:
    """Where each replicated job stands among all Jobs of a JobSet, and among those of its group."""

    __slots__ = ("_all", "_before", "_groups", "_jobs")

    def __init__(self, jobs: list[dict[str, Any]]) -> None:
        self._jobs = jobs
        self._all = 0
        # Jobs of each group
        self._groups: dict[Any, int] = {}
        # for each replicated job those before it, and those of its group
        self._before: list[tuple[int, int]] = []
        for job in jobs:
            count, group = layout.number(job.get("replicas"), 1), str(job.get("groupName"))
            self._before.append((self._all, self._groups.get(group, 0)))
            self._all += count
            self._groups[group] = self._groups.get(group, 0) + count

    def of(self, position: int) -> dict[str, int]:
        """What the labels count, of the first Job of a replicated job."""
        job = self._jobs[position]
        before, in_group = self._before[position]
        return {
            "global-replicas": self._all,
            "group-replicas": self._groups[str(job.get("groupName"))],
            "job-global-index": before,
            "job-group-index": in_group,
            "replicatedjob-replicas": layout.number(job.get("replicas"), 1),
        }


def _own(jobset: dict[str, Any], job: dict[str, Any], place: dict[str, int], index: int) -> dict[str, str]:
    """The labels, and annotations, by which the controller finds a Job and its pods."""
    name = layout.text(mapping(jobset.get("metadata")).get("name"))
    role = layout.text(job.get("name"))
    own = {
        "global-replicas": place["global-replicas"],
        "group-name": job.get("groupName"),
        "group-replicas": place["group-replicas"],
        "job-global-index": place["job-global-index"] + index,
        "job-group-index": place["job-group-index"] + index,
        "job-index": index,
        "job-key": _key(_namespace(jobset), layout.job_name(name, role, index)),
        "jobset-name": name,
        "replicatedjob-name": role,
        "replicatedjob-replicas": place["replicatedjob-replicas"],
        "restart-attempt": 0,
    }
    spec = mapping(jobset.get("spec"))
    coordinator = mapping(spec.get("coordinator"))
    if coordinator:
        job_of = layout.job_name(
            name, str(coordinator.get("replicatedJob")), layout.number(coordinator.get("jobIndex"), 0)
        )
        pod = f"{job_of}-{layout.number(coordinator.get('podIndex'), 0)}"
        own["coordinator"] = f"{pod}.{layout.text(mapping(spec.get('network')).get('subdomain')) or name}"
    return {layout.PREFIX + key: str(value) for key, value in own.items()}


def _key(namespace: str, job: str) -> str:
    if "<" in job:
        return "<sha1>"
    from hashlib import sha1

    return sha1(f"{namespace}/{job}".encode(), usedforsecurity=False).hexdigest()


def _job(
    jobset: dict[str, Any], job: dict[str, Any], index: int, own: dict[str, str], *, suspended: bool
) -> dict[str, Any]:
    spec, metadata = mapping(jobset.get("spec")), mapping(jobset.get("metadata"))
    role = layout.text(job.get("name"))
    name = layout.job_name(layout.text(metadata.get("name")), role, index)
    tree = owned(jobset, name)
    given = mapping(layout.template_of(job).get("metadata"))
    tree["labels"] = {**mapping(given.get("labels")), **own}
    tree["annotations"] = {**mapping(given.get("annotations")), **own}
    template = layout.copied(layout.pod_template(job))
    inner = mapping(template.get("metadata"))
    words = {"batch.kubernetes.io/job-name": name, "job-name": name}
    template["metadata"] = {
        "labels": {**mapping(inner.get("labels")), **own, **words},
        "annotations": {**mapping(inner.get("annotations")), **own},
    }
    domain = layout.subdomain(layout.text(metadata.get("name")), spec)
    if domain:
        template["spec"]["subdomain"] = domain
    body = {**layout.job_spec(job), "suspend": suspended, "template": template}
    if "parallelism" not in body:
        body["parallelism"] = 1
        body.setdefault("completions", 1)
    if isinstance(body.get("podFailurePolicy"), dict):
        # the default beside that policy; TerminatingOrFailed without it
        body.setdefault("podReplacementPolicy", "Failed")
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": tree, "spec": body}
