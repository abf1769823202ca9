"""`restartPolicy: ExitCode` with torchrun, which ends with 1 whatever its processes end with.

## What it checks
A role whose training container starts its processes by torchrun has another restart policy than `ExitCode`. What the
trainer of this repository makes of it is SG453. Behind `python -m trainer guard --` torchrun hides nothing: the guard
leaves with the code of the rank that failed first.

## Why it hurts
The operator takes 1 for a failure that no other attempt can mend, and ends the job. torchrun makes 1 of every exit code
of its processes: of 143 after a drained node, of 137 after too little memory, of what the program itself says. Only a
signal that ends torchrun itself, or the pod, starts anything again.

## Severity
- warning: it comes to that only if a process fails, and a lost node may be all that is to be mended.

## Example
Bad:

```yaml
Worker:
  restartPolicy: ExitCode
  template:
    spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4", command: [torchrun, train.py]}]}
```

Good:

```yaml
Worker:
  restartPolicy: OnFailure
  template:
    spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4", command: [torchrun, train.py]}]}
```

## Fix
Restart `OnFailure`, with a limit on restarts; torchrun's own `--max-restarts` starts processes again within the pod.

## When to ignore it
Where only the loss of a whole node is worth another attempt.

## References
torch 2.13, torch/distributed/run.py (a failed child ends torchrun with 1); training-operator 1.9.4,
pkg/util/train/train_util.go (from 128 on an exit code is worth another try).
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place
from specgen.rules import CONTAINER, EXIT_CODE, ROLED
from specgen.rules._words import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context
    from specgen.rules._words import Word

CODE = Code("SG471", "torchrun-hides-exit-code", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ROLED
NEEDS = (EXIT_CODE,)

_MODULES = ("torch.distributed.run", "torch.distributed.launch")
_GUARD = ["-m", "trainer", "guard"]
# By these a script may give another code than that of torchrun.
_OTHERWISE = ("exit", "trap")


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding."""
    role = container.role
    if role.tree.get("restartPolicy") != "ExitCode" or container is not role.main:
        return
    line = words(container)
    torchrun = next((word for at, word in enumerate(line) if _is_torchrun(word, line[:at])), None)
    if [word.text for word in line if word.text in _GUARD][:3] == _GUARD:
        return  # the guard reads torchrun's report, and leaves with the code of the rank that failed first
    if torchrun is None or any(word.text in _OTHERWISE for word in line):
        return
    from specgen.rules._trainer import call  # few jobs come here

    found = call(container)
    if found is not None and found.torchrun is not None:
        return
    yield CODE.at(
        (*role.path, "restartPolicy"),
        "`restartPolicy: ExitCode` contradicts torchrun, which makes 1 of every exit code of its processes",
        label="asks for the exit code",
        related=[(Place(torchrun.path, inside=(torchrun.start, torchrun.start + len(torchrun.text))), "hides it")],
        notes=["the operator takes 1 for a permanent failure: the job ends, and no pod is started again"],
        helps=["`OnFailure` starts torchrun again whatever its exit code"],
    )


def _is_torchrun(word: Word, before: list[Word]) -> bool:
    if word.text in _MODULES:
        return bool(before) and before[-1].text == "-m"
    return word.text.rpartition("/")[2] == "torchrun"
