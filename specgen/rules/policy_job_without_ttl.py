"""A job that stays when it has ended.

## What it checks
A job of the training operator or the MPI operator has `runPolicy.ttlSecondsAfterFinished`, unless Argo CD or Flux
manages it, which would create it again. Opt-in: looked for where the group `policy` or the code is selected.

## Why it hurts
Jobs that have ended stay with their pods, Services, and logs until somebody deletes them: listings grow long, names are
taken, and etcd fills up.

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
runPolicy: {ttlSecondsAfterFinished: 604800}
pytorchReplicaSpecs:
  Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}}
```

## Fix
A time in which somebody looks at the logs, such as a week. None is applied: how long logs are wanted is not known.

## When to ignore it
Where something else takes jobs away.

## References
training-operator 1.9.4, pkg/controller.v1/common/job.go (CleanupJob); mpi-operator 0.8.2,
pkg/controller/mpi_job_controller.go.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code
from specgen.manifest.views import mapping
from specgen.rules import WORKLOAD
from specgen.rules._operators import home_of_limit, spec
from specgen.rules.ttl_under_gitops import marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG860", "job-without-ttl", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
# kinds whose operators delete a job by this field
KINDS = ("JAXJob", "MPIJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, where the field would stand."""
    policy = mapping(spec(workload).get("runPolicy"))
    if policy.get("ttlSecondsAfterFinished") is None and not marks(workload):
        yield CODE.at(
            home_of_limit(workload),
            "nothing deletes this job when it has ended",
            label="no `ttlSecondsAfterFinished`",
            helps=["`ttlSecondsAfterFinished: 604800` keeps it for a week"],
        )
