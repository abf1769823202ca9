"""A volume with the name of one that the operator adds.

## What it checks
No pod template of an MPIJob has a volume of its own named `ssh-auth` or `mpi-job-config` (mpi-operator), or
`mpi-job-config` or `mpi-job-kubectl` (training operator); none of a Volcano Job one that is called like its own for the
plugins `svc` and `ssh`, `JOB-svc` and `JOB-ssh`.

## Why it hurts
The operator appends its own volume of that name. The API server refuses pods with two volumes of one name: the launcher
is never created, and only an event says so.

## Severity
- error: the API server refuses pods with two volumes of one name.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: llama-ft}
spec:
  mpiReplicaSpecs:
    Launcher:
      template:
        spec:
          containers: [{name: mpi, image: "registry.example.com/train:1.4", command: [mpirun, python, train.py]}]
          volumes: [{name: ssh-auth, emptyDir: {}}]
```

Good:

```yaml
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: llama-ft}
spec:
  mpiReplicaSpecs:
    Launcher:
      template:
        spec:
          containers: [{name: mpi, image: "registry.example.com/train:1.4", command: [mpirun, python, train.py]}]
          volumes: [{name: scratch, emptyDir: {}}]
```

## Fix
Rename the volume and its mounts. To use the operator's own volume, mount it without adding it.

## When to ignore it
Never; such pods are not created.

## References
mpi-operator 0.8, pkg/controller/mpi_job_controller.go (recorded); training-operator 1.9.4, pkg/controller.v1/mpi;
volcano 1.15, pkg/controllers/job/plugins/{svc,ssh}.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, Code
from specgen.manifest.views import mapping, sequence
from specgen.rules import REFUSED_POD, ROLE
from specgen.rules._context import is_own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG318", "reserved-volume", ERROR, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ("Job", "MPIJob")
NEEDS = (REFUSED_POD,)


def check(role: Role, context: Context) -> Iterator[Finding]:
    """One finding for each volume; a role without pods has none."""
    for reason in context.refused_pod(role):
        if reason.cause != "volume-twice" or reason.other is None:
            continue
        if is_own(role, reason.path) or not is_own(role, reason.other):
            continue
        name = mapping(sequence(role.pod.get("volumes"))[int(reason.other[-2])]).get("name")
        yield CODE.at(
            (*role.template_path, *reason.other),
            f"the name `{name}` is taken by the volume that the operator adds",
            label="needs another name",
            notes=["the API server refuses pods with two volumes of one name"],
            helps=["rename this volume and its mounts, or leave it out and mount the operator's"],
        )
