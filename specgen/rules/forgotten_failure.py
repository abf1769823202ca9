"""A time to live in a runtime, after which Trainer begins a failed job anew.

## What it checks
The runtime of a TrainJob gives its JobSet no `ttlSecondsAfterFinished`, where the release of Trainer does not remember
that the job has failed: 2.3 and before.

## Why it hurts
Once the time is over the failed JobSet is deleted. Trainer then makes another one, with all its restarts before it: the
job trains again, fails again, and so on without end, with all its GPUs. `maxRestarts` does not stop it.

## Severity
- warning: it comes to that only if the job fails.

## Example
Bad:

```yaml
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: llama-ft}
spec:
  runtimeRef: {kind: TrainingRuntime, name: torch}
```

Good:

```yaml
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: llama-ft}
spec:
  runtimeRef: {kind: TrainingRuntime, name: without-ttl}
```

## Fix
Leave the field out of the runtime, and delete TrainJobs once they have ended: their pods go with them. Unsafe, as
nothing else deletes the pods of jobs that have ended well.

## When to ignore it
Where a release of Trainer is installed that has the fix, which is none that is known here.

## References
Public reports: kubeflow/trainer#3779, #3737, #2991; that a job that ended well is left alone is recorded with 2.3.0.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, plural
from specgen.operators import lifecycle as facts
from specgen.rules import RUNTIME_TTL, WORKLOAD
from specgen.rules._operators import forgets_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG434", "forgotten-failure", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("TrainJob",)
NEEDS = (RUNTIME_TTL,)

_PATH: Path = ("spec", "template", "spec", "ttlSecondsAfterFinished")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding."""
    if context.reader is None or not workload.roles or not forgets_failure(workload):
        return
    life = context.life(workload)
    found = (
        [one for one in life.limits if one.field == _PATH[-1] and one.effect == facts.DELETES_JOBSET] if life else []
    )
    holder, _ = context.reader.locate(workload, workload.roles[0].path)
    for one in found:
        yield CODE.at(
            Place(_PATH, where=holder.where),
            f"Trainer {workload.version} begins the job anew {plural(one.value, 'second')} after it has failed",
            label="the failed JobSet is deleted",
            notes=[
                "it takes the JobSet that is gone for one that was never made: the job fails and begins without end",
                "a job that ended well is left alone",
            ],
            helps=["leave it out of the runtime, and delete TrainJobs that have ended"],
        )
