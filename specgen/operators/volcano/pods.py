"""What Volcano's controller makes of a Job: its PodGroup, what its plugins stand beside the pods, and the pods.

Read from volcano-sh/volcano, pkg/controllers/job/{job_controller_actions,job_controller_util}.go; PodGroups are held
against recordings of v1.15.1. Pods come once the scheduler has let their group in.
"""

from __future__ import annotations

from specgen.manifest.model import ObjectRef
from specgen.manifest.prune import without_nulls
from specgen.manifest.views import mapping, sequence
from specgen.operators.expansion import Expansion, Instance, Refusal
from specgen.operators.kubernetes.admission import pod_refusal, service_refusal
from specgen.operators.kubernetes.command import command, devices, environment, meeting, ranks
from specgen.operators.kubernetes.names import RANDOM, known
from specgen.operators.kubernetes.objects import SERVER, misshapen, name_of, opened, owned, tree_of
from specgen.operators.template import pod as pod_of
from specgen.operators.template import sent as as_it_stands
from specgen.operators.volcano import facts
from specgen.operators.volcano.lifecycle import lifecycle
from specgen.operators.volcano.plugins import Job, beside, joined
from specgen.operators.volcano.refusals import refusals
from specgen.quantity import canonical, nano

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.views import Role, Workload

_PREEMPTABLE = "volcano.sh/preemptable"
# Of the Job's annotations those that its pods bear too (createJobPod).
_HANDED_ON = (
    _PREEMPTABLE,
    "volcano.sh/revocable-zone",
    "volcano.sh/jdb-min-available",
    "volcano.sh/jdb-max-unavailable",
)
_LIMITED = ("cpu", "memory", "ephemeral-storage")


def expand(workload: Workload) -> Expansion:
    """The objects of a Job, or its refusal. Never raises."""
    tree: Any = without_nulls(workload.manifest.tree)
    ref, name = workload.manifest.ref, name_of(mapping(tree))
    job_ref = ObjectRef(ref.api_version, ref.kind, name, ref.namespace)
    expansion = Expansion(facts.OPERATOR.name, workload.version, job_ref)
    reason = misshapen("job_v1alpha1", tree)
    if reason:
        expansion.refusals.append(Refusal(ref.kind, name, SERVER, reason))
        return expansion
    objection = next((one for one in refusals(workload) if not one.of), None)
    if objection is not None:
        expansion.refusals.append(Refusal(ref.kind, name, objection.by, objection.reason))
        return expansion
    metadata = mapping(tree.get("metadata"))
    job = Job(job_ref, facts.with_defaults(mapping(tree.get("spec"))))
    expansion.lifecycle = lifecycle(job.spec)
    made = beside(job)
    for one in made:
        reason = service_refusal(known(name), one["spec"]["ports"]) if one["kind"] == "Service" else ""
        if reason:
            expansion.refusals.append(Refusal("Service", name, SERVER, f"{reason}; no pod follows"))
            return expansion
    expansion.services += [one for one in made if one["kind"] == "Service"]
    expansion.others += [one for one in made if one["kind"] != "Service"]
    group = _group(job, metadata)
    expansion.others.append(group)
    for plugin in job.spec["plugins"]:
        if plugin in facts.UNREAD:
            expansion.notes.append(f"what the plugin `{plugin}` adds is not known here")
    if facts.number(job.spec.get("minSuccess"), 0):
        expansion.notes.append(f"the Job has completed once {job.spec['minSuccess']} of its pods have succeeded")
    for task in job.tasks:
        if mapping(task.get("dependsOn")).get("name"):
            before = ", ".join(str(one) for one in sequence(task["dependsOn"]["name"]))
            expansion.notes.append(f"pods of {task['name']} come once those of {before} run")
        _pods(expansion, job, metadata, task, group["metadata"]["name"])
    return expansion


def _group(job: Job, metadata: dict[str, Any]) -> dict[str, Any]:
    """The PodGroup, with the Job's own labels and annotations."""
    spec: dict[str, Any] = {
        "minMember": job.spec["minAvailable"],
        "minTaskMember": {task["name"]: facts.number(task["minAvailable"], 0) for task in job.tasks},
        "minResources": _resources(job),
        "queue": job.spec["queue"],
    }
    for key in ("priorityClassName", "networkTopology"):
        if job.spec.get(key):
            spec[key] = job.spec[key]
    own = owned(job.ref, f"{job.name}-<uid>", {})
    for key in ("labels", "annotations"):
        if mapping(metadata.get(key)):
            own[key] = metadata[key]
    return {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "metadata": own, "spec": spec}


def _resources(job: Job) -> dict[str, str]:
    """What must be free before the pods come: those that each task must have, then others up to the Job's own number.

    Requests under two names, limits of what Kubernetes limits: limits without requests count only as such (recorded).
    Priorities of tasks, by which the controller sorts them, are not known here.
    """
    least = job.spec["minAvailable"]
    wanted = [min(facts.number(task["minAvailable"], 0), task["replicas"]) for task in job.tasks]
    if least < sum(wanted):
        wanted = [task["replicas"] for task in job.tasks]
        for at, count in enumerate(wanted):
            wanted[at] = max(0, min(count, least - sum(wanted[:at])))
    else:
        for at, task in enumerate(job.tasks):
            wanted[at] += min(task["replicas"] - wanted[at], least - sum(wanted))
    sums: dict[str, tuple[int, Any]] = {}
    for task, count in zip(job.tasks, wanted, strict=True):
        for name, amount in _used(task):
            before, spelling = sums.get(name, (0, amount))
            sums[name] = (before + count * (nano(amount) or 0), spelling)
    return {name: canonical(total, spelling) for name, (total, spelling) in sorted(sums.items()) if total}


def _used(task: dict[str, Any]) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = [("pods", "1"), ("count/pods", "1")]
    for container in sequence(mapping(mapping(task.get("template")).get("spec")).get("containers")):
        resources = mapping(mapping(container).get("resources"))
        for name, amount in mapping(resources.get("requests")).items():
            found += [(name, amount), (f"requests.{name}", amount)]
        found += [(f"limits.{name}", one) for name, one in mapping(resources.get("limits")).items() if name in _LIMITED]
    return found


def _pods(expansion: Expansion, job: Job, metadata: dict[str, Any], task: dict[str, Any], group: str) -> None:
    """The pods of a task, by index, as far as there is room; the first that is refused is the last."""
    count = max(0, task["replicas"])
    room = expansion.room(count, task)
    expansion.left_out += count - room
    for index in range(room):
        pod = _pod(job, metadata, task, index, group)
        reason = _refusal(job, task, pod) if index == 0 else ""
        if reason:
            expansion.refusals.append(Refusal("Pod", pod["metadata"]["name"], SERVER, reason))
            return
        expansion.pods.append(pod)
        expansion.starts(_instance, pod, task["name"])


def sent(role: Role) -> dict[str, Any]:
    """The first pod of a role's task as the controller sends it, with what the plugins add. Never raises."""
    ref, tree, at = role.workload.manifest.ref, tree_of(role.workload), role.path[-1]
    if not isinstance(at, int) or (not role.workload.shaped and misshapen("job_v1alpha1", tree)):
        return as_it_stands(role)
    job = _job_of(role.workload, ref, tree)
    spec = _pod(job, {}, job.tasks[at], 0, "", judged=True)["spec"]
    # what is called after the Job and its tasks is judged with their names
    own = {key: one for key, one in spec.items() if key not in ("hostname", "subdomain") or key in role.pod}
    return pod_of(role, own)


# The workload that was asked for last, and its job: each of its roles asks for it.
_last: tuple[Workload | None, Job | None] = (None, None)


def _job_of(workload: Workload, ref: ObjectRef, tree: dict[str, Any]) -> Job:
    global _last
    known_one, job = _last
    if known_one is not workload or job is None:
        called = ObjectRef(ref.api_version, ref.kind, known(name_of(tree)), ref.namespace)
        job = Job(called, facts.with_defaults(mapping(tree.get("spec"))))
        _last = workload, job
    return job


def _refusal(job: Job, task: dict[str, Any], pod: dict[str, Any]) -> str:
    """Why the first pod of a task is refused, under the name of its job, be it one that is not made yet."""
    ref = job.ref
    if ref.name != known(ref.name) or sequence(job.spec.get("volumes")):
        called = Job(ObjectRef(ref.api_version, ref.kind, known(ref.name), ref.namespace), job.spec)
        pod = _pod(called, {}, task, 0, "", judged=True)
    # the controller's own labels and annotations are good
    return pod_refusal({**pod, "metadata": mapping(mapping(task.get("template")).get("metadata"))})


def _pod(
    job: Job, metadata: dict[str, Any], task: dict[str, Any], index: int, group: str, *, judged: bool = False
) -> dict[str, Any]:
    """A pod of a task; ``judged``: what is made by chance is letters, so that its form can be judged."""
    template, name = mapping(task.get("template")), task["name"]
    own = owned(job.ref, facts.pod_name(job.name, name, index), {})
    written = mapping(template.get("metadata"))
    handed = {key: one for key, one in mapping(metadata.get("annotations")).items() if key in _HANDED_ON}
    own["annotations"] = {
        **mapping(written.get("annotations")),
        "volcano.sh/task-spec": name,
        "scheduling.k8s.io/group-name": group,
        "volcano.sh/job-name": job.name,
        "volcano.sh/queue-name": job.spec["queue"],
        "volcano.sh/job-version": "0",
        "volcano.sh/template-uid": f"{job.name}-{name}",
        **handed,
    }
    preemptable = mapping(metadata.get("labels")).get(_PREEMPTABLE)
    own["labels"] = {
        **mapping(written.get("labels")),
        "volcano.sh/job-name": job.name,
        "volcano.sh/task-spec": name,
        "volcano.sh/job-namespace": job.ref.namespace or "<namespace>",
        "volcano.sh/queue-name": job.spec["queue"],
        **({_PREEMPTABLE: preemptable} if preemptable else {}),
    }
    spec = opened(mapping(template.get("spec")))
    spec["schedulerName"] = spec.get("schedulerName") or job.spec["schedulerName"]
    if spec.get("hostNetwork") is True:
        spec.setdefault("dnsPolicy", "ClusterFirstWithHostNet")
    _volumes(job, spec, judged=judged)
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": own, "spec": spec}
    joined(job, pod, name, index)
    return pod


def _volumes(job: Job, spec: dict[str, Any], *, judged: bool) -> None:
    """The volumes of the Job: claims, mounted into every container, under names that are made by chance.

    One without a claim gets its own. A claim that stands there twice is mounted at the first path alone.
    """
    claims: list[str] = []
    for at, volume in enumerate(mapping(one) for one in sequence(job.spec.get("volumes"))):
        path, claim = volume.get("mountPath"), facts.text(volume.get("volumeClaimName"))
        if claim and claim in claims:
            continue
        claims.append(claim)
        letters = str(at).rjust(facts.LETTERS, "x") if judged else f"<random of {path}>"
        name = f"{job.name}-{letters}"
        source = {"claimName": claim or f"{job.name}-pvc-{RANDOM}"}
        spec["volumes"] = [*sequence(spec.get("volumes")), {"name": name, "persistentVolumeClaim": source}]
        for container in sequence(spec.get("containers")):
            if isinstance(container, dict):
                mounts = [*sequence(container.get("volumeMounts")), {"name": name, "mountPath": path}]
                container["volumeMounts"] = mounts


def _instance(pod: dict[str, Any], role: str) -> Instance:
    containers = [mapping(one) for one in sequence(pod["spec"].get("containers"))]
    main: dict[str, Any] = (containers or [{}])[0]
    env = environment(main, pod)
    words, found = command(main, env), devices(pod)
    accelerators = next((amount for resource, amount in found.items() if resource.endswith((".com/gpu", "/npu"))), 0)
    met = f"{env['MASTER_ADDR']}:{env.get('MASTER_PORT', '')}" if "MASTER_ADDR" in env else ""
    given = ranks(words, env, accelerators)
    met = meeting(words, met)
    return Instance(pod["metadata"]["name"], role, ranks=given, devices=found, rendezvous=met, command=words)
