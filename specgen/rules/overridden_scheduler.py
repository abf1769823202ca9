"""A scheduler that the pods name and the operator overrides.

## What it checks
`schedulerName` in the templates of an MPIJob, where the cluster profile says that the mpi-operator was started with a
gang scheduler.

## Why it hurts
The operator writes its own scheduler into every pod. What was said has no effect, and the pods are a gang of another
scheduler than their author thinks.

## Severity
- warning: the manifest may be for several clusters.

## Example
Bad:

```yaml
# a cluster with `operators: {mpi-operator: {version: 0.8.2, gang: volcano}}`
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: allreduce}
spec:
  mpiReplicaSpecs:
    Launcher:
      replicas: 1
      template:
        spec:
          schedulerName: default-scheduler
          containers: [{name: mpi, image: "example/mpi:1", command: [mpirun, ./train]}]
```

Good:

```yaml
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: allreduce}
spec:
  mpiReplicaSpecs:
    Launcher:
      replicas: 1
      template:
        spec:
          containers: [{name: mpi, image: "example/mpi:1", command: [mpirun, ./train]}]
```

## Fix
Remove it, which is safe: nothing reads it.

## When to ignore it
Where the manifest is for several clusters, of which others have no gang scheduler.

## References
mpi-operator 0.8.2, recorded: `scheduler-name-mpi`.
"""

from __future__ import annotations

from specgen.diagnostics.model import SAFE, WARNING, Code, Fix, Place, shown
from specgen.diagnostics.operations import Remove
from specgen.rules import ROLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG611", "overridden-scheduler", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ("MPIJob",)
NEEDS = ("schedulerName",)


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding."""
    gang, named = role.workload.gang, role.pod.get("schedulerName")
    if role.workload.operator != "mpi-operator" or gang is None or not isinstance(named, str) or not named:
        return
    # what the operator's flag names for scheduler-plugins is a name that the cluster chose
    if named == gang or gang != "volcano":
        return
    path = (*role.pod_path, "schedulerName")
    yield CODE.at(
        Place(path),
        f"the mpi-operator overrides the scheduler `{shown(named)}`",
        label=f"`{gang}` places the pods",
        notes=["it was started with a gang scheduler, as the cluster profile says, and names it in every pod"],
        fix=Fix("remove it", SAFE, [Remove(path)]),
    )
