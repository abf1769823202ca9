r"""An option in the place of the program.

## What it checks
The first word of `command` begins with a dash, as in `command: [--model, llama]`, or that of a command in a shell's
text, where a comment or a missing `\\` has ended the command in front of it.

## Why it hurts
`command` takes the place of the image's entrypoint, and its first word is the program that the kubelet has started.
There is no program `--model`: the container ends in `StartError`, and its pods are started again without end, or the
job fails. What stands behind the image in `docker run` are arguments of the entrypoint, which Kubernetes calls `args`.
A shell runs the program without the options of such lines, or without its script, and then finds no command `--model`.

## Severity
- warning: an image may hold a program whose name begins with a dash, though hardly any does.

## Example
Bad:

```yaml
containers: [{name: pytorch, image: "registry.example.com/train:1.4", command: [--epochs, "3"]}]
```

Good:

```yaml
containers: [{name: pytorch, image: "registry.example.com/train:1.4", args: [--epochs, "3"]}]
```

## Fix
Write the words as `args`, in front of those that are there: applied where one asks for it, as the program may have been
forgotten instead.

## When to ignore it
Where the image holds a program of that name.

## References
Kubernetes, "Define a Command and Arguments for a Container"; OCI runtime specification 1.2, config.md (`process.args`:
the first word is looked up in PATH).
"""

from __future__ import annotations

from specgen.diagnostics.model import UNSAFE, WARNING, Code, Fix, Place, shown
from specgen.diagnostics.operations import Remove, Set
from specgen.manifest.views import sequence
from specgen.operators.kubernetes.argv import OPTION_FIRST
from specgen.rules import ALL, CONTAINER, SLIP
from specgen.rules._slips import word_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.diagnostics.operations import Operation
    from specgen.manifest.views import Container
    from specgen.operators.kubernetes.argv import Slip
    from specgen.rules import Context

CODE = Code("SG479", "option-as-program", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (SLIP.format(OPTION_FIRST),)


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding."""
    for slip in context.slips(container):
        if slip.cause != OPTION_FIRST:
            continue
        if slip.inside is not None:
            yield _in_text(container, slip)
            return
        words = [*sequence(container.tree.get("command")), *sequence(container.tree.get("args"))]
        patch: list[Operation] = [Set((*container.path, "args"), words), Remove((*container.path, "command"))]
        yield CODE.at(
            word_place(container, slip),
            f"`{shown(slip.text)}` is an option, and stands where the program does",
            label="no program",
            notes=[
                "`command` takes the place of the image's entrypoint; `args` are the arguments of the entrypoint",
                "where a program was forgotten, write it in front",
            ],
            fix=Fix("write `args` in place of `command`, where the image's entrypoint is meant", UNSAFE, patch),
        )


def _in_text(container: Container, slip: Slip) -> Finding:
    """In a shell's text, where the command in front has ended too soon."""
    key, index, text = container.words()[slip.at]
    lines = text[: slip.inside[0] if slip.inside else 0].split("\n")
    before = lines[-2] if len(lines) > 1 else ""
    why, way = "the line in front of it does not go on", "end the line in front of it with `\\`"
    if before.lstrip().startswith("#"):
        why = "a comment ends the command, and a `\\` behind it is a part of the comment"
        way = "take the comment out of the command"
    elif before.rstrip().endswith("\\"):
        why, way = "a blank behind the `\\` ends the command", "leave out what stands behind the `\\`"
    return CODE.at(
        Place((*container.path, key, index), inside=slip.inside),
        f"`{shown(slip.text)}` is an option, and stands where a program does",
        label="a command of its own",
        notes=[f"{why}: its program runs without this option and what follows"],
        helps=[way],
    )
