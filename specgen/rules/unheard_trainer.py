"""What a TrainJob says of its trainer, over a runtime in which no job trains.

## What it checks
`spec.trainer` of a TrainJob whose runtime is among the files, patches of the TrainJob included: a replicated job of it
has the label `trainer.kubeflow.org/trainjob-ancestor-step: trainer`.

## Why it hurts
Trainer knows by that label which job is meant. Without it the number of nodes, image, command, variables and resources
of the TrainJob reach no pod, and nobody says so: the runtime's own pods start, as many as its job says, and train
something else, or nothing. Variables of the policy, such as those of torchrun, are missing as well.

## Severity
- warning: nobody refuses the two, and the runtime's own pods may be all that is wanted.

## Example
Bad:

```yaml
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: lab-torch}
spec:
  mlPolicy: {torch: {}}
  template: {spec: {replicatedJobs: [
    {name: node, template: {spec: {template: {spec: {containers: [{name: node, image: "train:1.4"}]}}}}}]}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
spec: {runtimeRef: {name: lab-torch}, trainer: {numNodes: 4}}
```

Good:

```yaml
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: lab-torch}
spec:
  mlPolicy: {torch: {}}
  template: {spec: {replicatedJobs: [
    {name: node, template: {metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}},
      spec: {template: {spec: {containers: [{name: node, image: "train:1.4"}]}}}}}]}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
spec: {runtimeRef: {name: lab-torch}, trainer: {numNodes: 4}}
```

## Fix
Give the runtime's job that trains the label, and its container the name `node`, which Trainer then asks for. None is
applied, as it is in another object.

## When to ignore it
Where the runtime's own pods are wanted; better, leave out what is without effect.

## References
kubeflow/trainer v2.3.0, pkg/runtime/runtime.go (the label) and pkg/runtime/framework/plugins.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place, listed, shown
from specgen.manifest.views import mapping, sequence
from specgen.rules import WORKLOAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.manifest.views import Workload
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG627", "unheard-trainer", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("TrainJob",)
NEEDS = ("trainer",)

_MEANT = "trainer"


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at the trainer of the job."""
    from specgen.operators.trainer.claims import untaken
    from specgen.operators.trainer.roles import runtime_of

    runtime = runtime_of(workload)
    lost = untaken(workload, runtime) if runtime is not None else []
    if runtime is None or not lost:
        return
    place, label, help = _around(runtime)
    said, verb = listed([shown(one) for one in lost]), "reaches" if len(lost) == 1 else "reach"
    yield CODE.at(
        Place(("spec", "trainer"), KEY),
        f"{said} {verb} no pod: no job of `{shown(runtime.ref.name)}` is of the step `{_MEANT}`",
        label="without effect",
        related=[(place, label)],
        notes=["Trainer takes a job of the runtime for the one that trains by its label, and by nothing else"],
        helps=[help],
    )


def _around(runtime: Manifest) -> tuple[Place, str, str]:
    """Where the runtime lacks the label, what to say there, and what to do."""
    from specgen.operators.trainer.runtime import ANCESTOR, STEPS, ancestor

    above: Path = ("spec", "template", "spec", "replicatedJobs")
    tree = mapping(mapping(mapping(runtime.tree.get("spec")).get("template")).get("spec"))
    jobs = [(at, mapping(one)) for at, one in enumerate(sequence(tree.get("replicatedJobs")))]
    strange = [(at, job) for at, job in jobs if ancestor(job) and ancestor(job) not in STEPS]
    others = [(at, job) for at, job in jobs if ancestor(job) not in STEPS]
    if not others:
        return Place(above, KEY, where=runtime.where), "none of these trains", f"add a job with `{ANCESTOR}: {_MEANT}`"
    named = [one for name in ("launcher", "node") for one in others if one[1].get("name") == name]
    at, job = [*strange, *named, *others][0]
    containers = mapping(mapping(mapping(mapping(job.get("template")).get("spec")).get("template")).get("spec"))
    names = [mapping(one).get("name") for one in sequence(containers.get("containers"))]
    called = "" if "node" in names or not names else f", and call the container `{shown(names[0])}` `node`"
    path: Path = (*above, at)
    if strange:
        path, label = (*path, "template", "metadata", "labels", ANCESTOR), f"`{shown(ancestor(job))}` is no step"
        return Place(path, where=runtime.where), label, f"write `{_MEANT}` there{called}"
    label = f"has no label `{ANCESTOR}`"
    return Place(path, where=runtime.where), label, f"give that job the label `{ANCESTOR}: {_MEANT}`{called}"
