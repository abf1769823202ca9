"""A variable that mpirun is to carry and the launcher does not have.

## What it checks
`-x NAME` behind `mpirun` in an MPIJob's launcher: the launcher's container has `NAME` among its variables, or something
may set it that is not seen: `envFrom`, the shell in front of mpirun, a file that it reads. Names are found that begin
with `NCCL_`, that differ a little from a variable of the launcher, or, where the workers are reached by ssh, that only
the workers' containers have.

## Why it hurts
mpirun takes the value from its own environment. Where there is none it says `could not find environment variable` and
goes on without it. sshd starts the processes of a worker without the variables of its container: they run with the
defaults, over TCP for instance.

## Severity
- warning: the image may set the variable.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: llama-ft}
spec:
  mpiReplicaSpecs:
    Launcher:
      template: {spec: {containers: [{name: mpi, image: "mpi:1", command: [mpirun, -x, NCCL_IB_HCA, ./train]}]}}
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: mpi, image: "mpi:1", env: [{name: NCCL_IB_HCA, value: mlx5}]}]}}
```

Good:

```yaml
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: llama-ft}
spec:
  mpiReplicaSpecs:
    Launcher:
      template: {spec: {containers: [{name: mpi, image: "mpi:1", command: [mpirun, -x, NCCL_IB_HCA=mlx5, ./train]}]}}
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: mpi, image: "mpi:1"}]}}
```

## Fix
Give the variable to the launcher, or write `-x NAME=VALUE`.

## When to ignore it
Where the image sets it.

## References
Open MPI 4.1, mpirun(1), `-x`, and opal/mca/base/mca_base_var.c (process_env_list).
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place
from specgen.rules import CARRIED, ROLE
from specgen.rules._words import carried

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.diagnostics.suggest import Names
    from specgen.manifest.views import Container, Role
    from specgen.rules import Context

CODE = Code("SG507", "uncarried-variable", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ("MPIJob",)
NEEDS = (CARRIED,)

# Set by the images themselves as a rule: NVIDIA's name the release of NCCL.
_OF_IMAGES = ("PATH", "LD_LIBRARY_PATH", "NCCL_VERSION")
# What a shell may read variables from.
_FILES = ("source ", ". /", "env -S", "set -a")


def check(role: Role, context: Context) -> Iterator[Finding]:
    """One finding for each name."""
    container = role.main
    if role.name != "Launcher" or container is None or container.tree.get("envFrom"):
        return
    said = list(carried(container))
    if not any(value is None for _, value, _ in said):
        return
    text = " ".join(word for _, _, word in container.words())
    workers = next((other.main for other in role.workload.roles if other.name == "Worker"), None)
    from specgen.diagnostics.suggest import Names

    names = Names(container.env)
    found: set[str] = set()
    for name, value, word in said:
        if value is not None or name in found or name in container.env or name in _OF_IMAGES:
            continue
        # said once more than it is carried: the shell may set it
        if text.count(name) > sum(one[0] == name for one in said) or any(file in text for file in _FILES):
            continue
        finding = _judge(
            role, container, workers, names, name, Place(word.path, inside=(word.start, word.start + len(name)))
        )
        if finding is not None:
            found.add(name)
            yield finding


def _judge(
    role: Role, container: Container, workers: Container | None, names: Names, name: str, place: Place
) -> Finding | None:
    notes = ["mpirun takes the value from its own environment, and goes on without it where there is none"]
    if workers is not None and name in workers.env and role.workload.operator == "mpi-operator":
        index, _ = workers.env[name]
        related = [(Place((*workers.path, "env", index, "name")), "the workers have it")]
        notes.append("sshd starts the processes of a worker without the variables of its container")
        helps = [f"give the launcher `{name}` too"]
        return CODE.at(
            place, f"the launcher has no `{name}` that mpirun could carry", related=related, notes=notes, helps=helps
        )
    near = names.similar(name)[:1]
    if not near and not name.startswith("NCCL_"):
        return None
    related = [(Place((*container.path, "env", container.env[one][0], "name")), "a similar name") for one in near]
    helps = [f"the launcher has `{one}`" for one in near] or [f"give the launcher `{name}`, or write `-x {name}=…`"]
    return CODE.at(
        place, f"the launcher has no `{name}` that mpirun could carry", related=related, notes=notes, helps=helps
    )
