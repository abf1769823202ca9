"""Volcano Job, ``batch.volcano.sh/v1alpha1``: read, so that its pods are checked as those of other kinds are.

Read from volcano-sh/volcano v1.15.1: vendor/volcano.sh/apis/pkg/apis/batch/v1alpha1/job.go, and
pkg/controllers/job/job_controller_util.go for the names of pods. Nothing is recorded of it: ``expand`` shows the pods
of the templates, and says so.
"""

from __future__ import annotations

from specgen.manifest.views import Role, Workload, mapping, sequence
from specgen.operators.reader import Reader
from specgen.operators.volcano.facts import OPERATOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.manifest.model import Manifest
    from specgen.operators.expansion import Expansion
    from specgen.operators.objection import Objection


def read(manifest: Manifest, version: str | None = None) -> Workload:
    """The Job as Volcano sees it, a role for each task. Never raises."""
    workload = Workload(manifest, container=None, operator=OPERATOR.name, version=version or OPERATOR.newest)
    for index, task in enumerate(sequence(mapping(manifest.tree.get("spec")).get("tasks"))):
        if isinstance(task, dict):
            name = task.get("name")
            # Volcano's webhook calls a task without a name after its place
            called = name if isinstance(name, str) and name else f"default{index}"
            workload.roles.append(Role(workload, called, ("spec", "tasks", index), task))
    return workload


def expand(workload: Workload) -> Expansion:
    """The pods of the tasks' templates, with the names that Volcano gives them. Never raises."""
    # loaded here: linting does not ask for it
    from specgen.operators.expansion import MOST_PODS, Expansion, Instance, Refusal
    from specgen.operators.kubernetes.admission import pod_refusal
    from specgen.operators.kubernetes.command import command, devices, environment
    from specgen.operators.kubernetes.objects import SERVER

    expansion = Expansion(OPERATOR.name, workload.version, workload.manifest.ref)
    for objection in refusals(workload):
        ref = expansion.job
        expansion.refusals.append(Refusal(ref.kind, ref.name, objection.by, objection.reason))
        return expansion
    expansion.notes.append(
        "nothing is recorded of Volcano's Jobs: these are the pods of the templates, without what its plugins add"
    )
    for role in workload.roles:
        for index in range(max(role.replicas, 0)):
            if len(expansion.pods) >= MOST_PODS:
                expansion.left_out += role.replicas - index
                break
            name = f"{expansion.job.name}-{role.name}-{index}"
            metadata = {**mapping(role.template.get("metadata")), "name": name}
            if expansion.job.namespace:
                metadata["namespace"] = expansion.job.namespace
            pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": role.pod}
            reason = pod_refusal(pod) if index == 0 else ""
            if reason:
                expansion.refusals.append(Refusal("Pod", name, SERVER, reason))
                break
            container = role.main.tree if role.main is not None else {}
            words = command(container, environment(container, pod))
            expansion.pods.append(pod)
            expansion.instances.append(
                Instance(name, role.name, ranks=None, devices=devices(pod), rendezvous="", command=words)
            )
    return expansion


def refusals(workload: Workload) -> Iterator[Objection]:
    """What is refused of its name; what Volcano's own webhook refuses besides is not known here."""
    from specgen.operators.kubernetes.names import known
    from specgen.operators.kubernetes.objects import NAME, SERVER, name_of, name_refusal
    from specgen.operators.objection import Objection

    name = name_of(workload.manifest.tree)
    reason = name_refusal(name)
    if reason:
        yield Objection(NAME, reason, SERVER, "name")
    elif len(known(name)) > 63:
        # the Job's name is the value of a label of its pods
        reason = f"`metadata.name`: {len(known(name))} characters are no value of a label"
        yield Objection(NAME, reason, f"{OPERATOR.name} {workload.version}", "name")


READER = Reader(
    "batch.volcano.sh/v1alpha1",
    "Job",
    schema="job_v1alpha1",
    operator=OPERATOR,
    read=read,
    expand=expand,
    refusals=refusals,
)
