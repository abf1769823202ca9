"""A deadline that is over as soon as the job begins.

## What it checks
`activeDeadlineSeconds` of a job, and of the Jobs of a JobSet or runtime, is neither 0 nor above 9,223,372,036 seconds,
which are 292 years.

## Why it hurts
The job is accepted, its pods are created and deleted within a second, and it has failed. Operators count the time in
nanoseconds: of more than fit in 63 bits the rest is left, which is below zero as a rule.

## Severity
- error: the operator ends the job within a second of its creation.

## Example
Bad:

```yaml
runPolicy: {activeDeadlineSeconds: 86399999913600}
```

Good:

```yaml
runPolicy: {activeDeadlineSeconds: 604800}
```

## Fix
Write the seconds that the job may take, or leave the field out: there is then no deadline. The second
is unsafe: the job then runs.

## When to ignore it
Never.

## References
Go 1.24, time.Duration; training-operator 1.9.4, pkg/core/job.go; Trainer 2.3.0 with JobSet 0.12.0; all recorded.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, UNSAFE, Code, Fix
from specgen.diagnostics.operations import Remove
from specgen.operators.kubernetes.objects import LONGEST
from specgen.rules import ALL, WORKLOAD
from specgen.rules._operators import limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG240", "instant-deadline", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL

FIELD = "activeDeadlineSeconds"
NEEDS = (FIELD,)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each deadline; one below 0 is SG320's."""
    title = "remove it: the job then has no deadline"
    for path, seconds in limits(workload, FIELD):
        if not isinstance(seconds, int) or isinstance(seconds, bool) or 0 < seconds <= LONGEST or seconds < 0:
            continue
        message = f"a deadline of {seconds} s is over as soon as the job begins"
        notes = ["the pods are deleted within a second, and the job has failed"]
        if seconds:
            notes.insert(0, f"operators count nanoseconds in 63 bits, which end after {LONGEST} s")
        yield CODE.at(
            path,
            message,
            label="0 s" if not seconds else f"above {LONGEST} s",
            notes=notes,
            fix=Fix(title, UNSAFE, [Remove(path)]),
        )
