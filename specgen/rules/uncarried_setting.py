"""A setting of NCCL in the launcher that `mpirun` carries to no worker.

## What it checks
Variables of the Launcher that begin with `NCCL_`, where the command line calls `mpirun` of Open MPI once: each is named
behind `-x`, or the workers of an MPIJob v1 have it. Silent where a variable, a file or `mca_base_env_list` may say what
is carried, and where the line names the variable in another way.

## Why it hurts
Open MPI carries its own variables and those that `-x` names. The processes of the workers run with NCCL's defaults, by
another network for instance, and nothing says so.

## Severity
- warning: the image of the workers may set the variable.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: llama-ft}
spec:
  mpiReplicaSpecs:
    Launcher:
      template: {spec: {containers: [{name: mpi, image: "mpi:1", command: [mpirun, ./train],
        env: [{name: NCCL_IB_HCA, value: mlx5}]}]}}
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: mpi, image: "mpi:1"}]}}
```

Good:

```yaml
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: llama-ft}
spec:
  mpiReplicaSpecs:
    Launcher:
      template: {spec: {containers: [{name: mpi, image: "mpi:1", command: [mpirun, -x, NCCL_IB_HCA, ./train],
        env: [{name: NCCL_IB_HCA, value: mlx5}]}]}}
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: mpi, image: "mpi:1"}]}}
```

## Fix
`-x NAME` behind `mpirun`. That is unsafe: the processes then have the settings.

## When to ignore it
Where the image of the workers has a file of settings, such as `/etc/nccl.conf`.

## References
Open MPI 4.1, mpirun(1), `-x` and "Exported Environment Variables".
"""

from __future__ import annotations

from specgen.diagnostics.model import UNSAFE, WARNING, Code, Fix, Place, listed
from specgen.diagnostics.operations import ReplaceText, Set
from specgen.manifest.views import mapping
from specgen.operators.mpi.mpirun import call
from specgen.rules import NCCL, ROLE
from specgen.rules._operators import spec
from specgen.rules._words import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.diagnostics.operations import Operation
    from specgen.manifest.views import Container, Role
    from specgen.rules import Context
    from specgen.rules._words import Word

CODE = Code("SG517", "uncarried-setting", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ("MPIJob",)
NEEDS = (NCCL,)

# Options, and a variable, that say what is carried in another way.
_OTHERS = ("mca_base_env_list", "-tune", "-am ")
# Set by the images themselves as a rule: NVIDIA's name the release of NCCL.
_OF_IMAGES = ("NCCL_VERSION",)


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding, at the first of them."""
    container, workload = role.main, role.workload
    workers = next((other for other in workload.roles if other.name == "Worker"), None)
    if role.name != "Launcher" or container is None or workers is None or workers.replicas < 1:
        return
    names = [
        name
        for name, (_, entry) in container.env.items()
        # what is of the launcher's own pod is wrong for all others
        if name.startswith("NCCL_") and name not in _OF_IMAGES and "fieldRef" not in mapping(entry.get("valueFrom"))
    ]
    line = words(container)
    said = call([word.text for word in line]) if names else None
    if said is None or said.unknown or said.program not in ("mpirun", "mpiexec", "orterun"):
        return
    behind = [word.text for word in line[said.behind : said.behind + 1]]
    whole = " ".join([container.line, *container.env])
    if spec(workload).get("mpiImplementation") not in (None, "", "OpenMPI") or any(one in whole for one in _OTHERS):
        return
    if any(one[:1] in ("$", "`") for one in behind):
        return
    has = workers.main.env if workers.main is not None and workload.operator == "training-operator" else {}
    missing = [name for name in names if name not in container.line and name not in has]
    if not missing or _is_trainers(container):
        return
    index, _ = container.env[missing[0]]
    others = [Place((*container.path, "env", container.env[name][0], "name")) for name in missing[1:5]]
    patch = _patch(container, line[said.at], missing)
    yield CODE.at(
        Place((*container.path, "env", index, "name")),
        f"`{line[said.at].text}` carries {listed(missing)} to no Worker",
        label="of the launcher alone",
        related=[(place, "and this one") for place in others],
        notes=["Open MPI carries its own variables, and those that `-x` names"],
        helps=[] if patch else [f"`-x {missing[0]}` behind `{line[said.at].text}`"],
        fix=Fix("name them behind `-x`", UNSAFE, patch) if patch else None,
    )


def _is_trainers(container: Container) -> bool:
    """Whether the trainer runs, of which another rule knows what it reads (SG550)."""
    if "trainer" not in container.line and "main_" not in container.line:
        return False
    from specgen.rules._trainer import call as trainer

    return trainer(container) is not None


def _patch(container: Container, word: Word, names: list[str]) -> list[Operation]:
    """They behind mpirun's word; nothing where that is not the only one of its text."""
    key, index = word.path[-2:]
    listed_ = container.tree[str(key)]
    added = [part for name in names for part in ("-x", name)]
    if listed_[index] == word.text:
        return [Set((*container.path, key), [*listed_[: int(index) + 1], *added, *listed_[int(index) + 1 :]])]
    if listed_[index].count(word.text) != 1:
        return []
    return [ReplaceText(word.path, word.text, " ".join([word.text, *added]))]
