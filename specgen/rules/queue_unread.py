"""A queue that is named where nobody looks for it.

## What it checks
`scheduling.volcano.sh/queue-name` among the annotations of a job, which the mpi-operator alone reads there, or of pods
of which the operator makes the PodGroup, whose queue is what counts; `kueue.x-k8s.io/queue-name` among annotations in
place of labels, or on a kind that Kueue does not know, or its release, by `scheduling.version` of the cluster profile;
`queue` of `schedulingPolicy` where the cluster profile says that the operator groups jobs for scheduler-plugins, which
has no queues.

## Why it hurts
The job is accepted and goes to Volcano's queue `default`, or into no queue at all: past the quota that it was meant
for, or against another one's.

## Severity
- warning: something else of the cluster may read it.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft, annotations: {scheduling.volcano.sh/queue-name: research}}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 4
      template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}
```

Good:

```yaml
runPolicy: {schedulingPolicy: {queue: research}}
pytorchReplicaSpecs:
  Worker:
    replicas: 4
    template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}
```

## Fix
Say it where it is read: `runPolicy.schedulingPolicy.queue`, `spec.queue` of a Volcano Job, a label for Kueue. That is
unsafe: the job then waits for the quota of its queue.

## When to ignore it
Where something else in the cluster reads the annotation.

## References
Recorded: Volcano 1.15.1, `queue-pt-annotation`, `queue-mpi-annotation`, `trainjob-queue`; scheduler-plugins 0.34.7,
`pt-queue-and-priority-ignored`; Kueue 0.19.2, `quota-label-as-annotation`.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, UNSAFE, WARNING, Code, Fix, Place, article
from specgen.diagnostics.operations import Remove
from specgen.manifest.views import mapping
from specgen.operators.queues import KUEUE_QUEUE, KUEUE_SINCE, VOLCANO, VOLCANO_QUEUE, kueue_knows, kueue_lacks
from specgen.rules import ALL, GANG, KUEUE, WORKLOAD
from specgen.rules._gangs import POLICY, marks, policy, release
from specgen.rules._remedies import put, removed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG612", "queue-unread", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (GANG, KUEUE)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each queue that nobody reads."""
    tree = workload.manifest.tree
    named = marks(tree, "annotations")
    if KUEUE_QUEUE in named and KUEUE_QUEUE not in marks(tree, "labels"):
        path: Path = ("metadata", "annotations", KUEUE_QUEUE)
        yield CODE.at(
            Place(path, KEY),
            f"nobody reads the annotation `{KUEUE_QUEUE}`",
            label="a label to Kueue",
            notes=["the job is in no queue: it starts at once, past every quota"],
            fix=_moved(workload, path, ("metadata", "labels", KUEUE_QUEUE), "make it a label"),
        )
    if marks(tree, "labels").get(KUEUE_QUEUE) and not kueue_knows(tree, release(context)):
        yield _unknown(workload, context)
    # the mpi-operator reads it on the job
    if VOLCANO_QUEUE in named and workload.operator != "mpi-operator":
        yield _on_job(workload)
    if workload.operator == "volcano" or workload.gang == VOLCANO:
        for role in workload.roles:
            if VOLCANO_QUEUE in marks(role.template, "annotations"):
                yield CODE.at(
                    Place((*role.template_path, "metadata", "annotations", VOLCANO_QUEUE), KEY),
                    f"nobody reads `{VOLCANO_QUEUE}` on pods that have a PodGroup",
                    label="without effect",
                    notes=["they are in the queue of their PodGroup"],
                )
    if workload.gang not in (None, VOLCANO) and policy(workload).get("queue"):
        yield CODE.at(
            Place((*POLICY, "queue"), KEY),
            "`queue` of `schedulingPolicy` is Volcano's word, and the gang is not Volcano's",
            label="dropped without a word",
            notes=["scheduler-plugins has no queues"],
        )


def _unknown(workload: Workload, context: Context) -> Finding:
    """A label on a kind that Kueue does not look after."""
    own, kind = release(context), workload.kind
    old = kueue_lacks(kind, own)
    finding = CODE.at(
        Place(("metadata", "labels", KUEUE_QUEUE), KEY),
        f"Kueue {own} looks after no {kind}"
        if old
        else f"Kueue looks after no {kind} of `{workload.manifest.ref.api_version}`",
        label="without effect",
        notes=["the job is in no queue: it starts at once, past every quota"],
    )
    if old:
        finding.helps = [f"Kueue looks after them since {KUEUE_SINCE[kind]}; a JobSet is known to all releases"]
        finding.cluster = [(("scheduling", "version"), "its release")]
    elif kind == "MPIJob":
        finding.helps = ["Kueue knows MPIJobs of the mpi-operator alone"]
    return finding


def _on_job(workload: Workload) -> Finding:
    path: Path = ("metadata", "annotations", VOLCANO_QUEUE)
    to: Path | None = None
    if workload.operator == "volcano":
        to = ("spec", "queue")
    elif workload.operator in ("training-operator", "ms-operator"):
        to = (*POLICY, "queue")
    spec = mapping(workload.manifest.tree.get("spec"))
    said = policy(workload).get("queue") or (workload.operator == "volcano" and spec.get("queue"))
    helps = []
    if to is not None and len(to) > 2 and "schedulingPolicy" in spec:
        # it belongs into the policy that stands at the wrong place, which moves first (SG112)
        said = said or mapping(spec["schedulingPolicy"]).get("queue")
        to = None if not said else to
    if workload.operator == "trainer":
        helps = ["the runtime says it, among the annotations of `spec.template.metadata`"]
    return CODE.at(
        Place(path, KEY),
        f"nobody reads `{VOLCANO_QUEUE}` on {article(workload.kind)}",
        label="without effect",
        notes=["a gang of Volcano's is in the queue `default`" if not said else "the job says its queue elsewhere"],
        helps=helps,
        fix=_moved(workload, path, to, f"say it as `{'.'.join(map(str, to[1:]))}`") if to and not said else None,
    )


def _moved(workload: Workload, path: Path, to: Path, title: str) -> Fix:
    tree = workload.manifest.tree
    value = marks(tree, str(path[1]))[str(path[2])]
    return Fix(title, UNSAFE, [put(tree, to, value), Remove(removed(tree, path), to)])
