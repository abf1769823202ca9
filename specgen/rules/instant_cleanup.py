"""A job that is deleted as soon as it has ended.

## What it checks
`ttlSecondsAfterFinished` of a job, and of the Jobs or the JobSet of a runtime, is not 0.

## Why it hurts
The job goes with its pods, their logs, its events and its status before anybody has looked: whether it succeeded, and
why it failed, is not to be seen any more. What waits for its status, such as a pipeline or `kubectl wait`, finds none.

## Severity
- warning: somebody may watch the job, and collect logs elsewhere.

## Example
Bad:

```yaml
runPolicy: {ttlSecondsAfterFinished: 0}
```

Good:

```yaml
runPolicy: {ttlSecondsAfterFinished: 86400}
```

## Fix
Write the seconds for which an ended job may be looked at. None is applied: how many, people say.

## When to ignore it
Where logs and results are kept elsewhere, and nobody asks for the job's status.

## References
training-operator 1.9.4, pkg/controller.v1/common/job.go (CleanupJob); Kubernetes 1.36, pkg/controller/ttlafterfinished.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code
from specgen.rules import ALL, WORKLOAD
from specgen.rules._operators import limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG334", "instant-cleanup", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL

FIELD = "ttlSecondsAfterFinished"
NEEDS = (FIELD,)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each such field."""
    for path, seconds in limits(workload, FIELD):
        if type(seconds) is int and seconds == 0:
            yield CODE.at(
                path,
                "the job is deleted as soon as it has ended, with its pods and their logs",
                label="0 s",
                notes=["whether it succeeded, and why it failed, is then not to be seen any more"],
                helps=["write the seconds for which an ended job may be looked at"],
            )
