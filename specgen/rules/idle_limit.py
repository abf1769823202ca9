"""A limit that limits nothing.

## What it checks
`backoffLimit` counts restarts of at least one role: some role has `restartPolicy: OnFailure` or `Always`. And
`ttlSecondsAfterFinished` stands in a job whose operator looks at it.

## Why it hurts
"Three tries" are one: a container under `Never` is not restarted, and the first pod that fails ends the job. An MSJob
that says when it is to be deleted stays for ever.

## Severity
- warning: the job runs; the field does nothing.

## Example
Bad:

```yaml
runPolicy: {backoffLimit: 3}
pytorchReplicaSpecs:
  Master:
    replicas: 1
    restartPolicy: Never
    template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}
```

Good:

```yaml
runPolicy: {backoffLimit: 3}
pytorchReplicaSpecs:
  Master:
    replicas: 1
    restartPolicy: OnFailure
    template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}
```

## Fix
`restartPolicy: OnFailure` where tries were meant; else leave the limit out. None is applied: which was meant is not
known.

## When to ignore it
Never: the field does nothing.

## References
training-operator 1.9.4, pkg/core/job.go (PastBackoffLimit), and ms-operator 1.0.0,
pkg/controllers/v1/msjob_controller.go; both recorded; kubeflow/trainer#2342.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place
from specgen.operators.lifecycle import NO_EFFECT
from specgen.rules import ROLED, WORKLOAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG486", "idle-limit", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ROLED
BACKOFF, TTL = "backoffLimit", "ttlSecondsAfterFinished"
NEEDS = (BACKOFF, TTL)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each limit; a `backoffLimit` of 0 says that nothing is to be restarted, which nothing is."""
    facts = context.life(workload)
    for limit in facts.limits if facts is not None else ():
        if limit.field == BACKOFF and limit.value > 0 and not limit.counts:
            policies = [(role, role.tree.get("restartPolicy")) for role in workload.roles]
            yield CODE.at(
                ("spec", "runPolicy", BACKOFF),
                f"`backoffLimit: {limit.value}` counts nothing: no container of this job is restarted in place",
                label="never reached",
                related=[
                    (Place((*role.path, "restartPolicy")), f"of `{role.name}`") for role, said in policies if said
                ],
                notes=[limit.words],
                helps=["`restartPolicy: OnFailure` restarts containers, which this limit counts"],
            )
        elif limit.effect == NO_EFFECT:
            path = ("spec", "runPolicy", limit.field)
            yield CODE.at(path, f"`{limit.field}` has no effect on this kind", notes=[limit.words])
