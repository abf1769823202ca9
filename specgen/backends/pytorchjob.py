"""PyTorchJob, ``kubeflow.org/v1``: what the training operator (kubeflow/trainer, branch release-1.9) takes.

Read from v1.9.4 (4445c12): pkg/apis/kubeflow.org/v1/pytorch_types.go, pkg/webhooks/pytorch/pytorchjob_webhook.go,
pkg/controller.v1/pytorch/{envvar,master,elastic,initcontainer}.go; differences of 1.7.0 and 1.8.1 from their tags.
What the operator creates is in ``_pytorch_pods``.
"""

from __future__ import annotations

from specgen.backends._pod import template
from specgen.diagnostics.model import KEY, NOTE
from specgen.manifest.build import Build
from specgen.manifest.merge import merge
from specgen.manifest.model import Manifest
from specgen.manifest.origins import Origins
from specgen.manifest.views import Role, Workload, mapping
from specgen.plan.make import removals
from specgen.plan.model import Kind
from specgen.profile import codes
from specgen.profile.quantity import seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.backends._expansion import Expansion
    from specgen.diagnostics.model import Finding
    from specgen.plan.model import Plan, RolePlan
    from specgen.source import Path

API_VERSION = "kubeflow.org/v1"
KIND = "PyTorchJob"
SCHEMA = "pytorchjob_v1"
CONTAINER = "pytorch"
OPERATOR = "training-operator"
NEWEST = "1.9.4"
# Releases whose behaviour was read and recorded; another one is said to be unknown.
RELEASES = ("1.7", "1.8", "1.9")

# Appended by the operator to every container (facts/operators.md, 2.2).
INJECTED = frozenset(
    (
        "PYTHONUNBUFFERED",
        "MASTER_PORT",
        "PET_MASTER_PORT",
        "MASTER_ADDR",
        "PET_MASTER_ADDR",
        "WORLD_SIZE",
        "RANK",
        "PET_NODE_RANK",
        "PET_NPROC_PER_NODE",
        "PET_NNODES",
        "PET_RDZV_ENDPOINT",
        "PET_RDZV_BACKEND",
    )
)

PLAN = Kind(
    KIND,
    operator=OPERATOR,
    roles={"master": "Master", "worker": "Worker"},
    first="master",
    worker="worker",
    starters=("none", "self", "torchrun"),
    restart="OnFailure",
    reserved_env=INJECTED,
    labels=("training.kubeflow.org/job-name", "training.kubeflow.org/replica-type"),
    elastic=True,
)


def lower(plan: Plan) -> tuple[Manifest, list[Finding]]:
    """The plan as a PyTorchJob; every part knows where it came from."""
    job = plan.job
    origins = Origins(job.document)
    build = Build(origins)
    target = job.place(("target",))
    build.put("apiVersion", API_VERSION, target, "`target`, as the cluster's training operator serves it")
    build.put("kind", KIND, target, "`target`")
    _metadata(plan, build)
    spec = build.within("spec")
    findings = _run_policy(plan, spec)
    _elastic(plan, spec)
    _processes(plan, spec)
    replicas = spec.within("pytorchReplicaSpecs")
    for index, role in enumerate(plan.roles):
        part = replicas.within(role.name)
        part.say("replicas", role.replicas)
        restart = role.words.words.lifecycle.restart
        if restart is not None:
            part.put("restartPolicy", restart, role.words.place(("lifecycle", "restart")), "`lifecycle.restart`")
        else:
            part.put("restartPolicy", PLAN.restart, None, "the operator's default, written out")
        twin = next((other for other in plan.roles[:index] if other.alike(role)), None)
        if twin is None:
            findings += template(plan, role, part.within("template"), CONTAINER)
            _patch_role(role, part, findings)
        else:
            # what stands below is one tree for both: nothing changes a compiled pod in place
            part.tree["template"] = {**replicas.tree[twin.name]["template"]}
            origins.same((*part.path, "template"), (*replicas.path, twin.name, "template"))
    findings += removals(plan)
    tree = _patch_job(plan, build.tree, origins, findings)
    return Manifest(tree, origins), findings


def _metadata(plan: Plan, build: Build) -> None:
    job = plan.job
    written = job.layers.data["metadata"]
    metadata = build.within("metadata")
    metadata.put(
        "name",
        job.name,
        job.place(("metadata", "name")),
        "`metadata.name`" + (", with the variant" if job.variant else ""),
    )
    if "namespace" in written:
        metadata.put("namespace", written["namespace"], job.place(("metadata", "namespace")), "`metadata.namespace`")
    for key in ("labels", "annotations"):
        for name, value in (written.get(key) or {}).items():
            metadata.within(key).put(name, value, job.place(("metadata", key, name)), f"`metadata.{key}`")
    for name, said in plan.labels.items():
        metadata.within("labels").say(name, said)


def _run_policy(plan: Plan, spec: Build) -> list[Finding]:
    job, lifecycle = plan.job, plan.job.job.lifecycle
    policy = spec.within("runPolicy")
    data = job.layers.data.get("lifecycle", {})
    if ("lifecycle", "cleanPods") not in job.layers.removals or "cleanPods" in data:
        said = job.place(("lifecycle", "cleanPods")) if "cleanPods" in data else None
        reason = "`lifecycle.cleanPods`" if said else "pods that outlive the job would keep their GPUs"
        policy.put("cleanPodPolicy", lifecycle.clean_pods, said, reason)
    for key, field, value in (
        ("ttlSecondsAfterFinished", "ttl", lifecycle.ttl and seconds(lifecycle.ttl)),
        ("activeDeadlineSeconds", "deadline", lifecycle.deadline and seconds(lifecycle.deadline)),
        ("backoffLimit", "backoffLimit", lifecycle.backoff_limit),
        ("suspend", "suspend", lifecycle.suspend),
    ):
        if value is not None:
            policy.put(key, value, job.place(("lifecycle", field)), f"`lifecycle.{field}`")
    for path, ruled in plan.run_policy.items():
        part = policy
        for step in path[:-1]:
            part = part.within(step)
        part.say(path[-1], ruled)
    if not policy.tree:
        del spec.tree["runPolicy"]
    findings = []
    if lifecycle.success is not None:
        message = "a PyTorchJob succeeds when its Master does: `success` cannot be said"
        findings.append(codes.NOT_FOR_TARGET.at(job.place(("lifecycle", "success"), KEY), message))
    target = job.job.target
    if target is not None and not isinstance(target, str) and target.runtime is not None:
        findings.append(
            codes.NOT_FOR_TARGET.at(job.place(("target", "runtime"), KEY), "only a TrainJob uses a runtime")
        )
    return findings


def _elastic(plan: Plan, spec: Build) -> None:
    """The operator hands it on to torchrun: `PET_RDZV_…`, `PET_NNODES` as `min:max`, `PET_MAX_RESTARTS`."""
    job, elastic = plan.job, plan.job.job.elastic
    if elastic is None:
        return
    policy = spec.within("elasticPolicy")
    rendezvous = elastic.rendezvous
    backend = rendezvous.backend if rendezvous is not None else None
    place = job.place(("elastic", "rendezvous", "backend")) if backend is not None else job.place(("elastic",), KEY)
    reason = "worker 0 holds the rendezvous, no other service is needed"
    if backend is not None:
        reason = "`elastic.rendezvous.backend`"
    policy.put("rdzvBackend", backend or "c10d", place, reason)
    for key, word in (("rdzvHost", "host"), ("rdzvPort", "port")):
        value = getattr(rendezvous, word) if rendezvous is not None else None
        if value is not None:
            policy.put(key, value, job.place(("elastic", "rendezvous", word)), f"`elastic.rendezvous.{word}`")
    for key, word, count in (("minReplicas", "min", plan.world.least), ("maxReplicas", "max", plan.world.most)):
        written = getattr(elastic, word) is not None
        place = job.place(("elastic", word)) if written else job.place(("pods",))
        policy.put(key, count, place, f"`elastic.{word}`" if written else f"`pods`, as `elastic.{word}` is not said")
    if elastic.restarts is not None:
        policy.put("maxRestarts", elastic.restarts, job.place(("elastic", "restarts")), "`elastic.restarts`")
    if elastic.scale_on is not None:
        target = {"type": "Utilization", "averageUtilization": elastic.scale_on.cpu}
        metric = {"type": "Resource", "resource": {"name": "cpu", "target": target}}
        policy.put("metrics", [metric], job.place(("elastic", "scaleOn", "cpu")), "`elastic.scaleOn`")


def _processes(plan: Plan, spec: Build) -> None:
    if plan.world.starter != "torchrun":
        return
    job = plan.job
    written = "procsPerPod" in job.layers.data
    place = job.place(("procsPerPod",)) if written else job.place(("start",), KEY)
    reason = "`procsPerPod`" if written else "as many processes as GPUs, since torchrun starts them"
    # A string by schema; an integer in it makes WORLD_SIZE count processes (since 1.7).
    spec.put("nprocPerNode", str(plan.world.procs_per_pod), place, reason)


def _patch_role(role: RolePlan, part: Build, findings: list[Finding]) -> None:
    patch = role.words.data.get("patch")
    if not patch:
        return
    tree, path = part.tree, part.path
    if patch.get("pod"):
        tree["template"] = _patched(
            role, tree["template"], patch["pod"], (*path, "template"), ("patch", "pod"), part.origins, findings
        )
    if patch.get("container"):
        containers = tree["template"]["spec"]["containers"]
        at = (*path, "template", "spec", "containers", 0)
        containers[0] = _patched(
            role, containers[0], patch["container"], at, ("patch", "container"), part.origins, findings
        )


def _patch_job(plan: Plan, tree: dict[str, Any], origins: Origins, findings: list[Finding]) -> dict[str, Any]:
    patch = plan.job.layers.data.get("patch") or {}
    if patch.get("runtime"):
        message = "only a TrainJob has a runtime to patch"
        findings.append(codes.NOT_FOR_TARGET.at(plan.job.place(("patch", "runtime"), KEY), message))
    if not patch.get("job"):
        return tree
    # after the pods', since a role's patch is the more special one and the job's the last word
    return _patched(plan.roles[0], tree, patch["job"], (), ("patch", "job"), origins, findings)  # type: ignore[no-any-return]


def _patched(
    role: RolePlan, tree: Any, patch: Any, path: Path, said: Path, origins: Origins, findings: list[Finding]
) -> Any:
    changed: list[tuple[Path, Path, bool]] = []
    merged = merge(tree, patch, path, changed, said)
    for below, written, replaced in changed:
        place = role.words.place(written, KEY)
        before = origins.of(below)
        if replaced and before is not None and before[0] == below:
            related = [(before[1], "this field said it")] if before[1] is not None else []
            message = f"the patch changes `{below[-1]}`, which is there because: {before[2]}"
            findings.append(codes.PATCH_OVERRIDES.at(place, message, related=related, severity=NOTE))
        origins.note(below, place, f"`{'.'.join(str(step) for step in said)}`")
    return merged


def absent_fields(version: str) -> frozenset[tuple[str, str]]:
    """Fields that the CRD of an older version lacks."""
    from specgen.backends._training_operator import absent_fields as fields

    return fields(version)


def unique_lists(version: str) -> tuple[str, ...] | None:
    """Lists whose keys an older version holds unique."""
    if version == NEWEST:
        return None
    from specgen.backends._training_operator import unique_lists as lists

    return lists(version)


def expand(workload: Workload) -> Expansion:
    """What the operator creates (``_pytorch_pods``)."""
    # loaded here: neither building nor linting asks for it
    from specgen.backends._pytorch_pods import expand as pods

    return pods(workload)


def read(manifest: Manifest, version: str | None = None) -> Workload:
    """The job as the operator sees it: roles in its own order, processes by ``nprocPerNode``. Never raises."""
    workload = Workload(manifest, container=CONTAINER, operator=OPERATOR, version=version or NEWEST)
    workload.rules_env = INJECTED
    spec = mapping(manifest.tree.get("spec"))
    procs = spec.get("nprocPerNode")
    if isinstance(procs, str) and len(procs) < 7 and procs.isascii() and procs.isdigit():
        workload.procs_per_pod = int(procs)
        workload.procs_path = ("spec", "nprocPerNode")
    roles = mapping(spec.get("pytorchReplicaSpecs"))
    for name in ("Master", "Worker"):
        if isinstance(roles.get(name), dict):
            workload.roles.append(Role(workload, name, ("spec", "pytorchReplicaSpecs", name), roles[name]))
    return workload
