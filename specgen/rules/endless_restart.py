"""`restartPolicy: Always` of the pods that decide on the job's success.

## What it checks
No role whose end is the job's success says `Always`. Roles that serve others, such as parameter servers, may.

## Why it hurts
With `Always` the kubelet starts a container again when it has ended with exit code 0, too. The training begins anew,
over its own results, the job never succeeds, and it holds its devices until somebody deletes it.

## Severity
- warning: the program may be meant to run until somebody deletes the job.

## Example
Bad:

```yaml
Master:
  replicas: 1
  restartPolicy: Always
  template: {spec: {containers: [{name: pytorch, image: "a/b:1", command: [python, train.py]}]}}
```

Good:

```yaml
Master:
  replicas: 1
  restartPolicy: OnFailure
  template: {spec: {containers: [{name: pytorch, image: "a/b:1", command: [python, train.py]}]}}
```

## Fix
`OnFailure` restarts what has failed. It is unsafe, as a program that serves would stay down once it has ended well.

## When to ignore it
Where the program is meant to run until somebody deletes the job.

## References
Kubernetes 1.36, pod lifecycle, "Container restart policy"; recorded with training-operator 1.9.4.
"""

from __future__ import annotations

from specgen.diagnostics.model import UNSAFE, WARNING, Code, Fix, Place
from specgen.diagnostics.operations import Set
from specgen.operators import lifecycle as facts
from specgen.rules import ALWAYS, ROLED, WORKLOAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG426", "endless-restart", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ROLED
NEEDS = (ALWAYS,)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each role."""
    life = context.life(workload)
    again = facts.starts_again(life) if life is not None else []
    for role in workload.roles:
        path = (*role.path, "restartPolicy")
        if role.name in again and role.tree.get("restartPolicy") == "Always":
            yield CODE.at(
                Place(path),
                f"`Always` starts the `{role.name}` again when it has ended well: the job never succeeds",
                label="after exit code 0, too",
                notes=["the training begins anew, and the job holds its devices until somebody deletes it"],
                fix=Fix("write `OnFailure`", UNSAFE, [Set(path, "OnFailure")]),
            )
