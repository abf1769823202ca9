"""An argument that the trainer does not know.

## What it checks
Every argument of `main_allreduce.py`, `main_mnist.py`, and `python -m trainer train`, `bench`, or `preflight` is one
that the program has, also behind torchrun, mpirun, or a shell. Words that a variable fills in are not judged.

## Why it hurts
The trainer ends with exit code 64 as soon as it is started, after the pods were placed and the image was pulled. Under
`restartPolicy: OnFailure` it does so until the job's restarts are used up.

## Severity
- error: the trainer ends with exit code 64 as soon as it is started.
- warning: the script's name alone does not say that it is the trainer.

## Example
Bad:

```yaml
command: [python, -u, main_allreduce.py, -a, resnet50, --batchsize=256]
```

Good:

```yaml
command: [python, -u, main_allreduce.py, -a, resnet50, --batch-size=256]
```

## Fix
Write the argument as `python -m trainer train --help` shows it. Arguments are not abbreviated.

## When to ignore it
Never for the trainer. Another program of the same name, as a script's name alone may be, gets a warning: call it by
another name, or ignore it.

## References
trainer/cli.py (`parse`); `python -m trainer contract --json`, "arguments".
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, Code
from specgen.diagnostics.suggest import Names
from specgen.rules import ALL, CONTAINER
from specgen.rules._trainer import call
from specgen.rules._trainer_arguments import table
from specgen.rules._words import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG230", "trainer-unknown-argument", ERROR, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each word."""
    found = call(container)
    if found is None:
        return
    names = Names(table(found.command)[0])
    for word in found.arguments.unknown:
        name = word.text.partition("=")[0]
        near = names.hint(name, "flag") if name.startswith("-") else None
        yield CODE.at(
            word.place,
            f"the trainer's `{found.command}` knows no argument `{shown(name)}`",
            label="not an argument" if name.startswith("-") else "one word too many",
            notes=["the trainer ends with exit code 64 at its start", *found.doubts],
            helps=[near] if near is not None else [],
            severity=found.severity,
        )
