"""A TrainJob and its runtime → what Trainer makes of them, and the JobSet controller of that.

Read from kubeflow/trainer v2.3.0 (658725bdae5c): pkg/controller/trainjob_controller.go and the plugins; held against
recordings by ``tests/operators/test_conformance_trainer.py``.
"""

from __future__ import annotations

from specgen.diagnostics.model import shown
from specgen.manifest.model import ObjectRef
from specgen.manifest.prune import without_nulls
from specgen.manifest.views import mapping, sequence
from specgen.operators import MULTIKUEUE
from specgen.operators.expansion import Expansion, Refusal
from specgen.operators.jobset import facts as layout
from specgen.operators.jobset.jobs import create, taken
from specgen.operators.jobset.lifecycle import for_trainjob
from specgen.operators.jobset.refusals import hooked
from specgen.operators.kubernetes.names import known
from specgen.operators.kubernetes.objects import SERVER, misshapen, name_of
from specgen.operators.trainer import policies
from specgen.operators.trainer.facts import MERGED, OPERATOR, RECORDED, SNAPSHOT
from specgen.operators.trainer.job import TrainJob
from specgen.operators.trainer.refusals import judge, lacks
from specgen.operators.trainer.runtime import API_VERSION, STEPS, ancestor
from specgen.operators.trainer.spelling import of_release
from specgen.quantity import NANO

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.views import Workload


def expand(workload: Workload) -> Expansion:
    """The objects of a TrainJob, or who refuses it. Never raises."""
    tree: Any = without_nulls(of_release(workload.manifest, workload.version))
    ref = workload.manifest.ref
    name = name_of(mapping(tree))
    expansion = Expansion(OPERATOR.name, workload.version, ObjectRef(ref.api_version, ref.kind, name, ref.namespace))
    spec = mapping(mapping(tree).get("spec"))
    reason = misshapen("trainjob_v1alpha1", tree)
    if reason:
        expansion.refusals.append(Refusal(ref.kind, name, SERVER, reason))
        return expansion
    judged = judge(workload, mapping(tree), expansion)
    if judged.assumed:
        expansion.notes.append(judged.assumed)
    for objection in judged.objections:
        expansion.refusals.append(Refusal(ref.kind, name, objection.by, objection.reason))
        return expansion
    job = judged.job
    if job is None:
        return expansion
    if spec.get("managedBy") == MULTIKUEUE:
        expansion.idle = f"`spec.managedBy` leaves the job to `{MULTIKUEUE}`"
        return expansion
    job.take()
    _build(expansion, workload, job)
    return expansion


def _overflows(deadline: Any) -> bool:
    """Whether a number of seconds is below zero as Go's 64 bits of nanoseconds (recorded)."""
    seconds = layout.number(deadline, 0)
    return (seconds * NANO + 2**63) % 2**64 < 2**63


def _build(expansion: Expansion, workload: Workload, job: TrainJob) -> None:
    snapshot = f"{job.name}-runtime-snapshot"
    if OPERATOR.at(workload.version) >= SNAPSHOT and taken(
        workload.companions, "v1", "ConfigMap", snapshot, job.namespace
    ):
        reason = "a ConfigMap of that name exists and belongs to another object: the TrainJob is stuck"
        expansion.refusals.append(Refusal("ConfigMap", snapshot, OPERATOR.name, reason))
        return
    at = OPERATOR.at(workload.version)
    if at >= SNAPSHOT:
        expansion.others.append(_owned(job, "v1", "ConfigMap", snapshot, {"data": {"runtime": _snapshot(job)}}))
    else:
        said = f"only Trainer {RECORDED} was recorded: this is its behaviour, less what this version lacks"
        expansion.notes.append(said)
    if _overflows(job.tree.get("activeDeadlineSeconds")):
        expansion.notes.append(
            "`spec.activeDeadlineSeconds` overflows in Trainer: the TrainJob fails before it has pods"
        )
        return
    made, reason = _plugins(job, replaced=at < MERGED)
    if reason:
        expansion.refusals.append(Refusal("JobSet", job.name, OPERATOR.name, reason))
        return
    spec = layout.with_defaults(job.spec)
    by, reason = _refusal(job, spec)
    if taken(workload.companions, layout.API_VERSION, "JobSet", job.name, job.namespace):
        by, reason = OPERATOR.name, "a JobSet of that name exists: Trainer takes it for its own and waits for it"
    if reason:
        # the JobSet is refused again and again before anything else is made, and only an event says so (recorded)
        expansion.refusals.append(Refusal("JobSet", job.name, by, reason))
        return
    jobset = _owned(job, layout.API_VERSION, "JobSet", job.name, {"spec": spec})
    for key, words in (("labels", job.labels), ("annotations", job.annotations)):
        if words:
            jobset["metadata"][key] = words
    expansion.others += [jobset, *made]
    if spec.get("suspend") is True:
        expansion.notes.append("`spec.suspend` is true: its Jobs have no pods before it is resumed")
    create(expansion, jobset, workload.companions)
    if job.source == "mpi":
        from specgen.operators.mpi.mpirun import of_host_file

        of_host_file(expansion)
    if expansion.lifecycle is not None:
        for_trainjob(expansion.lifecycle, job.tree.get("activeDeadlineSeconds"))


def _plugins(job: TrainJob, *, replaced: bool) -> tuple[list[dict[str, Any]], str]:
    """Lets the policies change the job; the objects beside the JobSet, or why each reconcile fails."""
    from specgen.operators.trainer import gang

    reason, made = "", []
    policies.with_resources(job, replaced=replaced)
    if job.source == "mpi":
        from specgen.operators.trainer import mpi

        reason = mpi.failure(job)
    elif job.source == "flux":
        from specgen.operators.trainer import flux

        reason = flux.failure(job)
    if reason:
        return [], reason
    policies.enforce(job)
    policies.with_trainer(job)
    gang.label(job)
    for replicated, count in zip(job.jobs, job.counts, strict=True):
        body = layout.job_spec(replicated)
        body["parallelism"] = body["completions"] = count
        if ancestor(replicated) in STEPS:
            replicated["replicas"] = 1
    for key in ("jobIndex", "podIndex"):
        # Go's JSON leaves zeros out
        if mapping(job.spec.get("coordinator")).get(key) == 0:
            del job.spec["coordinator"][key]
    job.spec["suspend"] = job.tree.get("suspend") is True
    if job.source == "mpi":
        made = [_owned(job, "v1", *one) for one in mpi.objects(job)]
    elif job.source == "flux":
        made = [_owned(job, "v1", *one) for one in flux.objects(job)]
    for api_version, spec in gang.groups(job):
        made.append(_owned(job, api_version, "PodGroup", job.name, {"spec": spec}))
    return made, ""


def _refusal(job: TrainJob, spec: dict[str, Any]) -> tuple[str, str]:
    for replicated in job.jobs:
        if not layout.containers_of(replicated):
            name = layout.text(replicated.get("name"))
            if name in job.own_jobs():
                return SERVER, f"its replicated job `{shown(name)}` has no containers"
            return SERVER, f"a patch adds the job `{shown(name)}`, which has no containers: {lacks(job)}"
        for container in layout.containers_of(replicated):
            ports = [mapping(port) for port in sequence(container.get("ports"))]
            numbers = [(port.get("containerPort"), port.get("protocol", "TCP")) for port in ports]
            for port in numbers:
                if numbers.count(port) > 1:
                    return SERVER, f"two ports of its container `{container.get('name')}` have the number {port[0]}"
    return layout.WEBHOOK, next((reason for _, reason in hooked(known(job.name), spec)), "")


def _owned(job: TrainJob, api_version: str, kind: str, name: str, fields: dict[str, Any]) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": name}
    if job.namespace:
        metadata["namespace"] = job.namespace
    owner = {"apiVersion": API_VERSION, "kind": "TrainJob", "name": job.name, "controller": True}
    metadata["ownerReferences"] = [{**owner, "blockOwnerDeletion": True}]
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}


def _snapshot(job: TrainJob) -> str:
    """The text of the runtime as it was when the TrainJob came, from which the TrainJob lives."""
    from specgen.document.write import write_yaml

    given = mapping(job.runtime.get("metadata"))
    metadata = {key: given[key] for key in ("name", "namespace", "labels", "annotations") if key in given}
    head = {"apiVersion": API_VERSION, "kind": job.runtime.get("kind"), "metadata": metadata}
    return write_yaml({**head, "spec": mapping(job.runtime.get("spec"))})
