"""An Evaluator that is deleted before it has seen the last checkpoint.

## What it checks
A TFJob with an Evaluator has `cleanPodPolicy: None`, or none.

## Why it hurts
The chief, or Worker 0, or all Workers (`successPolicy: AllWorkers`), decide that the job has succeeded. With `Running`
or `All` the operator then deletes all pods that still run, the Evaluator among them, which has yet to evaluate what was
saved last: the number that the run was for is missing.

## Severity
- warning: the chief may wait for the Evaluator.

## Example
Bad:

```yaml
kind: TFJob
apiVersion: kubeflow.org/v1
metadata: {name: mnist}
spec:
  runPolicy: {cleanPodPolicy: Running}
  tfReplicaSpecs:
    Chief: {replicas: 1, template: {spec: {containers: [{name: tensorflow, image: "registry.example.com/mnist:2"}]}}}
    Evaluator:
      replicas: 1
      template: {spec: {containers: [{name: tensorflow, image: "registry.example.com/mnist:2"}]}}
```

Good:

```yaml
kind: TFJob
apiVersion: kubeflow.org/v1
metadata: {name: mnist}
spec:
  runPolicy: {cleanPodPolicy: None}
  tfReplicaSpecs:
    Chief: {replicas: 1, template: {spec: {containers: [{name: tensorflow, image: "registry.example.com/mnist:2"}]}}}
    Evaluator:
      replicas: 1
      template: {spec: {containers: [{name: tensorflow, image: "registry.example.com/mnist:2"}]}}
```

## Fix
Let the chief wait for the last evaluation, or evaluate in a job of its own; with `cleanPodPolicy: None`, in a profile
`lifecycle.cleanPods`, parameter servers stay as well.

## When to ignore it
Where the chief waits for the Evaluator.

## References
training-operator 1.9.4, pkg/controller.v1/tensorflow/tfjob_controller.go (UpdateJobStatus); kubeflow/trainer#1658.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place
from specgen.manifest.views import mapping
from specgen.operators.lifecycle import EVERY
from specgen.rules import WORKLOAD
from specgen.rules._operators import spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG487", "evaluator-killed", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("TFJob",)
NEEDS = ("cleanPodPolicy",)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at the policy."""
    policy = mapping(spec(workload).get("runPolicy")).get("cleanPodPolicy")
    evaluators = [role for role in workload.roles if role.name == "Evaluator" and role.replicas]
    if policy not in ("Running", "All") or not evaluators:
        return
    life = context.life(workload)
    chief, saved, wait = "the chief is", "the chief ends", "the chief"
    if life is not None and list(life.success.roles) == ["Worker"]:
        chief, saved, wait = "Worker 0 is", "Worker 0 ends", "Worker 0"
        if life.success.how == EVERY:
            chief, saved, wait = "all Workers are", "the training ends", "a Worker"
    yield CODE.at(
        ("spec", "runPolicy", "cleanPodPolicy"),
        f"`cleanPodPolicy: {policy}` ends the Evaluator as soon as {chief} done",
        label="deletes what still runs",
        related=[(Place(evaluators[0].path, KEY), "evaluates what was saved last")],
        notes=[f"the last checkpoint is saved when {saved}, and nobody evaluates it then"],
        helps=[
            f"let {wait} wait for the last evaluation, and ignore this; or evaluate in a job of its own "
            "(in a profile the policy is `lifecycle.cleanPods`)"
        ],
    )
