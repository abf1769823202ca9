"""A limit of a job that is below zero.

## What it checks
`backoffLimit`, `activeDeadlineSeconds`, and `ttlSecondsAfterFinished` of a `runPolicy` are not negative, nor is
`slotsPerWorker` of an MPIJob.

## Why it hurts
The mpi-operator does not take the job and says so in an event. With the other operators a negative `backoffLimit` is
reached before the first pod, a negative deadline is over, and a negative time to live deletes the job at its end.

## Severity
- error: the operator refuses the job, or fails it before its first pod.
- warning: the job begins; the limit is over at once, or deletes it at its end.

## Example
Bad:

```yaml
runPolicy: {backoffLimit: -1}
```

Good:

```yaml
runPolicy: {backoffLimit: 3}
```

## Fix
Write 0 or more, or leave the field out: there is then no such limit.

## When to ignore it
Never.

## References
mpi-operator 0.8, pkg/apis/kubeflow/validation/validation.go; training-operator 1.9.4, pkg/core/job.go; both recorded.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, WARNING, Code
from specgen.manifest.views import mapping
from specgen.rules import ROLED, WORKLOAD
from specgen.rules._operators import refuses, spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG320", "negative-limit", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ROLED

_AFTER = {
    "backoffLimit": "the operator fails the job before it has a pod",
    "activeDeadlineSeconds": "the operator ends the job as soon as it looks at it again",
    "ttlSecondsAfterFinished": "the operator deletes the job when it ends",
}
NEEDS = (*_AFTER, "slotsPerWorker")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each limit; only a `backoffLimit` keeps the jobs of other operators from starting."""
    judged = workload.operator == "mpi-operator"
    policy = mapping(spec(workload).get("runPolicy"))
    numbers: list[tuple[Path, Any]] = [(("spec", "runPolicy", field), policy.get(field)) for field in _AFTER]
    if judged:
        numbers.append((("spec", "slotsPerWorker"), spec(workload).get("slotsPerWorker")))
    for path, number in numbers:
        if not isinstance(number, int) or isinstance(number, bool) or number >= 0:
            continue
        field = str(path[-1])
        severe = judged or field == "backoffLimit"
        yield CODE.at(
            path,
            f"`{field}` is {number}, a limit is 0 or more",
            label="below 0",
            notes=[refuses(workload) if judged else _AFTER[field]],
            severity=ERROR if severe else WARNING,
        )
