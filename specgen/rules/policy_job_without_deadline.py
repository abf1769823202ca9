"""A job that may run for ever.

## What it checks
A job has `runPolicy.activeDeadlineSeconds`. Opt-in: looked for where the group `policy` or the code is selected.

## Why it hurts
A rank that hangs in a collective holds the GPUs of all others, and nothing ends it: the watchdog of NCCL is switched
off, or hangs as well. A deadline is the last bound.

## Severity
- warning: the job runs; it is advice, which is looked for where it is asked for.

## Example
Bad:

```yaml
pytorchReplicaSpecs:
  Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}}
```

Good:

```yaml
runPolicy: {activeDeadlineSeconds: 259200}
pytorchReplicaSpecs:
  Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}}
```

## Fix
A time that no healthy run needs. None is applied: how long the job takes is not known.

## When to ignore it
For services and for elastic jobs that are meant to run on.

## References
training-operator 1.9.4, pkg/core/job.go (PastActiveDeadline); pytorch/pytorch#97191.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code
from specgen.manifest.views import mapping
from specgen.rules import ROLED, WORKLOAD
from specgen.rules._operators import home_of_limit, spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG861", "job-without-deadline", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ROLED


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, where the field would stand."""
    if mapping(spec(workload).get("runPolicy")).get("activeDeadlineSeconds") is None:
        yield CODE.at(
            home_of_limit(workload),
            "no time ends this job",
            label="no `activeDeadlineSeconds`",
            notes=["a rank that hangs holds the devices of all others until somebody looks"],
        )
