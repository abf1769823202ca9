"""The number of processes where torchrun wants that of pods.

## What it checks
`--nnodes` of a PyTorchJob is not `WORLD_SIZE` where `nprocPerNode` is a number above 1: the operator then counts
processes in that variable, and pods in `PET_NNODES`.

## Why it hurts
The rendezvous waits for as many pods as there are processes: 16 for 2 pods of 8, which never come. All GPUs are held
until it gives up.

## Severity
- error: the kubelet fills the number in: the rendezvous waits for pods that never come.
- warning: a shell's script may set the variable anew before it is used.

## Example
Bad:

```yaml
nprocPerNode: "8"
pytorchReplicaSpecs:
  Master:
    replicas: 1
    template:
      spec:
        containers:
        - name: pytorch
          image: registry.example.com/train:1.4
          command: [torchrun, "--nnodes=$(WORLD_SIZE)", train.py]
```

Good:

```yaml
nprocPerNode: "8"
pytorchReplicaSpecs:
  Master:
    replicas: 1
    template:
      spec:
        containers:
        - name: pytorch
          image: registry.example.com/train:1.4
          command: [torchrun, "--nnodes=$(PET_NNODES)", train.py]
```

## Fix
`PET_NNODES` in its place, or no option at all: torchrun reads that variable. Unsafe: the job starts other processes.

## When to ignore it
Where a script sets `WORLD_SIZE` anew before it is used; in a shell's text it is a warning for that reason.

## References
training-operator 1.9.4, pkg/controller.v1/pytorch/envvar.go; recorded; kubeflow/trainer#1790.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, UNSAFE, WARNING, Code, Fix, Place, plural, shown
from specgen.diagnostics.operations import ReplaceText
from specgen.rules import CONTAINER, LAUNCHER
from specgen.rules._words import options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG495", "processes-as-nodes", ERROR, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ("PyTorchJob",)
NEEDS = (LAUNCHER,)

_WRITTEN = ("$(WORLD_SIZE)", "$WORLD_SIZE", "${WORLD_SIZE}")


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each option."""
    workload = container.role.workload
    each, pods = workload.procs_per_pod, workload.pods
    # only beside a Master does the operator set the variable
    if each < 2 or container.init or not any(role.name == "Master" for role in workload.roles):
        return
    for _, value, written, word, start in options(container, ("--nnodes", "--num_machines", "--num-machines")):
        # the edges of a word lose a parenthesis
        variable = value + ")" if value.startswith("$(") and not value.endswith(")") else value
        if variable not in _WRITTEN:
            continue
        right = variable.replace("WORLD_SIZE", "PET_NNODES")
        text = next((text for key, at, text in container.words() if (key, at) == word.path[-2:]), "")
        fix = Fix(f"write `{right}`", UNSAFE, [ReplaceText(word.path, variable, right)])
        said = written.replace(value, variable)
        yield CODE.at(
            Place(word.path, inside=(word.start + start, word.start + start + len(value))),
            f"`{shown(said)}` asks for {plural(pods * each, 'pod')}, and the job has {pods}",
            label="counts processes",
            related=[(Place(workload.procs_path), f"{each} in each pod")] if workload.procs_path else [],
            notes=["the rendezvous waits for pods that never come, until it gives up"],
            helps=[] if text.count(variable) == 1 else [f"write `{right}`"],
            fix=fix if text.count(variable) == 1 else None,
            severity=ERROR if variable[1] == "(" else WARNING,
        )
