"""Several commands that stand in one line, where each was meant to have its own.

## What it checks
A shell's text hands a program to a builtin that runs none: `cd /app torchrun train.py`, as YAML makes it of two lines
below `>`.

## Why it hurts
A block that begins with `>` is folded: a blank takes the place of each line end, and the shell reads one command. bash
says that `cd` has too many arguments; dash changes the folder and ignores the rest. The program never runs, and where
nothing looks at the exit code the pod counts as succeeded.

## Severity
- error: builtins start no program.

## Example
Bad:

```yaml
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    command: [bash, -c]
    args:
      - >
        cd /app
        torchrun train.py
```

Good:

```yaml
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    command: [bash, -c]
    args:
      - |
        cd /app
        torchrun train.py
```

## Fix
`|` in place of `>`, or `&&` between the commands. None is applied: with `|` every line is a command.

## When to ignore it
Never.

## References
YAML 1.2.2, 8.1.3 (folded style); POSIX 2017, Shell Command Language, 2.14, and `cd`.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, Code, Place, shown
from specgen.operators.kubernetes.argv import FOLDED
from specgen.rules import ALL, CONTAINER, SLIP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG546", "folded-commands", ERROR, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (SLIP.format(FOLDED),)


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding, at the program that does not run."""
    for slip in context.slips(container):
        if slip.cause != FOLDED or slip.inside is None:
            continue
        key, index, text = container.words()[slip.at]
        program = text[slice(*slip.inside)]
        yield CODE.at(
            Place((*container.path, key, index), inside=slip.inside),
            f"`{shown(slip.text)}` takes `{shown(program)}` for a word of its own: it does not run",
            label="no command begins here",
            notes=["below `>` line ends are blanks, and all lines are one command"],
            helps=["write `|` in place of `>`, or `&&` between the commands"],
        )
        return
