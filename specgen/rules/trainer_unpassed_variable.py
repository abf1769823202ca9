"""A variable of an MPIJob's launcher that mpirun does not pass to the trainer's processes.

## What it checks
Variables that the trainer reads, and that the launcher's container sets, are named by an `-x` of Open MPI's mpirun, or
are set in the workers too. What is of the launcher's own pod, such as `NODE_NAME` by `fieldRef`, must not be passed and
is not asked for. Lines with arguments in variables, and with `mca_base_env_list`, are not judged.

## Why it hurts
Processes on other pods begin with the environment of the ssh session or `kubectl exec` that started them. The trainer
runs without what was written: with another NCCL, over another network, or with other arguments.

## Severity
- error: no process on another pod gets the variable: ssh starts it without.
- warning: the script's name alone does not say that it is the trainer.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: resnet}
spec:
  mpiReplicaSpecs:
    Launcher:
      template:
        spec:
          containers:
            - name: mpi
              image: registry.example.com/train:1.4
              command: [mpirun, -np, "4", python, -u, main_allreduce.py]
              env: [{name: NCCL_IB_HCA, value: mlx5}]
```

Good:

```yaml
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: resnet}
spec:
  mpiReplicaSpecs:
    Launcher:
      template:
        spec:
          containers:
            - name: mpi
              image: registry.example.com/train:1.4
              command: [mpirun, -np, "4", -x, NCCL_IB_HCA, python, -u, main_allreduce.py]
              env: [{name: NCCL_IB_HCA, value: mlx5}]
```

## Fix
Add `-x NAME` to mpirun for each. A profile with `start: mpirun` gets them by itself.

## When to ignore it
Where a wrapper or a configuration file of Open MPI in the image passes them.

## References
Open MPI 4.1, mpirun(1), "-x"; `python -m trainer contract --json`, "environment".
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, Code, Place, listed
from specgen.manifest.views import mapping
from specgen.rules import ALL, CONTAINER
from specgen.rules._trainer import call
from specgen.tables.trainer_contract import CONTRACT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG550", "trainer-unpassed-variable", ERROR, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL

_READ: list[str] = CONTRACT["environment"]["read"] + CONTRACT["environment"]["set_if_absent"]
# mpirun sets these itself for each process.
_OF_MPI = ("OMPI_", "PMIX_", "PMI_", "MPI_")


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding."""
    role = container.role
    if role.name != "Launcher" or not container.env:
        return
    found = call(container)
    mpirun = found.mpirun if found is not None else None
    if found is None or mpirun is None or not _is_open_mpi(container):
        return
    elsewhere = [name for home in found.homes for name in home.env]
    names = [
        name
        for name in container.env
        if (name in _READ or name.startswith("TRAINER_"))
        and not name.startswith(_OF_MPI)
        and name not in elsewhere
        and not _is_of_pod(container, name)
    ]
    line = [word.text for word in found.before]
    if any(word.open or "mca_base_env_list" in word.text for word in found.before):
        return
    missing = [name for name in names if not any(name in text for text in line)]
    if not missing:
        return
    passes = " ".join(f"-x {name}" for name in missing)
    yield CODE.at(
        mpirun.place,
        f"mpirun does not pass {listed(missing)} to the processes of the trainer that it starts",
        label=f"without `{passes}`" if len(missing) < 4 else "without `-x` for them",
        related=[(Place((*container.path, "env", container.env[name][0], "name")), "set here") for name in missing],
        notes=[
            "Open MPI passes on its own variables alone; the trainer in the workers runs without these",
            *found.doubts,
        ],
        helps=[f"add `{passes}` to mpirun"],
        severity=found.severity,
    )


def _is_of_pod(container: Container, name: str) -> bool:
    """Whether the value is one of the launcher's own pod, such as its node, which is wrong for all others."""
    return "fieldRef" in mapping(container.env[name][1].get("valueFrom"))


def _is_open_mpi(container: Container) -> bool:
    """Whether mpirun is that of Open MPI: the others pass the launcher's environment on."""
    spec = mapping(container.role.workload.manifest.tree.get("spec"))
    said = spec.get("mpiImplementation", "OpenMPI")
    return said == "OpenMPI" and "OMPI_MCA_mca_base_env_list" not in container.env
