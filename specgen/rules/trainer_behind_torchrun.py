"""`restartPolicy: ExitCode` with torchrun, which ends with 1 whatever the trainer's exit code was.

## What it checks
A role whose training container starts the trainer by torchrun has another restart policy than `ExitCode`.

## Why it hurts
The trainer says by its exit code whether another attempt can help: 138 and 143 can, 64 to 81 cannot. torchrun makes 1
of each, which the operator takes for good: no pod is restarted, not even after a node was drained.

## Severity
- error: torchrun ends with 1, which the operator never takes for a reason to restart.
- warning: the script's name alone does not say that it is the trainer.

## Example
Bad:

```yaml
Worker:
  restartPolicy: ExitCode
  template:
    spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4", command: [torchrun, main_mnist.py]}]}
```

Good:

```yaml
Worker:
  restartPolicy: ExitCode
  template:
    spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4", command: [python, main_mnist.py]}]}
```

## Fix
Let the trainer start the processes of a pod itself, with `--spawn` and without torchrun, or restart `OnFailure`.

## When to ignore it
Never: with torchrun, `ExitCode` is a longer word for `Never`.

## References
torch 2.13, torch/distributed/run.py (a failed child ends torchrun with 1); trainer, "start" of its contract.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, Code
from specgen.rules import ALL, CONTAINER
from specgen.rules._trainer import call, guard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG453", "trainer-behind-torchrun", ERROR, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding."""
    role = container.role
    if role.tree.get("restartPolicy") != "ExitCode":
        return
    found = call(container)
    torchrun = found.torchrun if found is not None else None
    if found is None or torchrun is None or guard(container) is not None:
        return  # the guard leaves with the code of the rank that failed first
    yield CODE.at(
        (*role.path, "restartPolicy"),
        "`restartPolicy: ExitCode` contradicts torchrun, which makes 1 of every exit code of the trainer",
        label="asks for the exit code",
        related=[(torchrun.place, "hides it")],
        notes=["the operator takes 1 for a permanent failure and never restarts a pod", *found.doubts],
        helps=["let the trainer start its processes with `--spawn`, without torchrun; or restart `OnFailure`"],
        severity=found.severity,
    )
