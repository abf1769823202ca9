"""Options of `mpirun` that the MPI of the job does not know.

## What it checks
The options of the only `mpirun` or `mpiexec` in a Launcher's command line, against `mpiImplementation` of an MPIJob
v2beta1, which is Open MPI where nothing is said: `-x`, `--mca` and `--allow-run-as-root` are Open MPI's alone,
`-genvlist` and `-ppn` those of Intel MPI and MPICH.

## Why it hurts
`mpirun` ends at an option that it does not know, before any process starts. With the right program under another
`mpiImplementation` the host file and the operator's variables are another family's.

## Severity
- warning: which MPI the image has is not known.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: llama-ft}
spec:
  mpiImplementation: Intel
  mpiReplicaSpecs:
    Launcher:
      template: {spec: {containers: [{name: mpi, image: "mpi:1", command: [mpirun, -x, NCCL_DEBUG=INFO, ./train]}]}}
```

Good:

```yaml
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: llama-ft}
spec:
  mpiReplicaSpecs:
    Launcher:
      template: {spec: {containers: [{name: mpi, image: "mpi:1", command: [mpirun, -x, NCCL_DEBUG=INFO, ./train]}]}}
```

## Fix
`mpiImplementation` as the image has it, or options of that family. None is applied.

## When to ignore it
Where a release of that family knows the option.

## References
Each option was tried with Open MPI 4.1.8 and 5.0.11, MPICH 3.4.3 and 5.0.2, and Intel MPI 2021.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, listed
from specgen.operators.mpi import mpirun
from specgen.rules import ROLE
from specgen.rules._operators import spec
from specgen.rules._words import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG516", "mpirun-of-other-family", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ("MPIJob",)

_NAMES = {"OpenMPI": "Open MPI", "Intel": "Intel MPI"}


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding, at the first of them."""
    container = role.main
    if role.name != "Launcher" or role.workload.operator != "mpi-operator" or container is None:
        return
    line = words(container)
    said = mpirun.call([word.text for word in line])
    name = str(spec(role.workload).get("mpiImplementation") or "OpenMPI")
    if said is None or said.program not in ("mpirun", "mpiexec", "orterun", "mpiexec.hydra"):
        return
    found = [
        (option, given[0].partition("=")[0])
        for option, given in said.options
        if mpirun.is_foreign(option, name) and mpirun.MAY_BE_KNOWN.get(option) != name
    ]
    if not found:
        return
    word = next(one for one in line[said.at :] if one.text.partition("=")[0] == found[0][1])
    theirs = "Open MPI" if name != "OpenMPI" else "Intel MPI and MPICH"
    written = spec(role.workload).get("mpiImplementation")
    yield CODE.at(
        Place(word.path, inside=(word.start, word.start + len(found[0][1]))),
        f"{listed(list(dict.fromkeys(one for _, one in found)))} of {theirs} in a job of {_NAMES.get(name, name)}",
        label="its `mpirun` ends at it",
        related=[(Place(("spec", "mpiImplementation")), "says which")] if written else [],
        notes=[] if written else ["`mpiImplementation` is `OpenMPI` where nothing is said"],
        helps=["`mpiImplementation` as the image has it, or options of its family"],
    )
