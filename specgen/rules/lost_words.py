"""Words behind a shell's text that the text does not read.

## What it checks
`sh -c` takes one word as its text; those behind it are `$0`, `$1`, and so on. Without `$@`, `$*`, `$1` or the like in
the text, they are lost. One word that names the shell, as `sh` or `--`, is `$0` by custom and passes.

## Why it hurts
`[sh, -c, python, train.py]` starts Python with nothing to run: it ends at once with success, and so does the job.
`[sh, -c, "python train.py", --epochs=3]` trains, but not for three epochs.

## Severity
- error: the shell runs something else than the whole line, which is what was meant.
- warning: the words may be left over on purpose.

## Example
Bad:

```yaml
containers: [{name: pytorch, image: "registry.example.com/train:1.4", command: [sh, -c, python, train.py]}]
```

Good:

```yaml
containers: [{name: pytorch, image: "registry.example.com/train:1.4", command: [sh, -c, "exec python train.py"]}]
```

## Fix
Write the whole line as one text, or no shell at all. None is applied: quoting decides.

## When to ignore it
An error where the text is a program's name alone, or where signs of a shell are among the lost words. Else it is a
warning: the words may be left over on purpose.

## References
POSIX 2017, `sh`, "-c" (command_name and argument).
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, WARNING, Code, shown
from specgen.operators.kubernetes.argv import LOST_WORDS
from specgen.rules import ALL, CONTAINER, SLIP
from specgen.rules._slips import word_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG465", "lost-words", ERROR, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (SLIP.format(LOST_WORDS),)


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding, at the first word that is lost."""
    for slip in context.slips(container):
        if slip.cause == LOST_WORDS:
            yield CODE.at(
                word_place(container, slip),
                f"the shell's text does not read `{shown(slip.text)}`, nor what follows it",
                label="lost",
                notes=["`-c` takes the next word alone as its text; those behind it are `$0`, `$1`, …"],
                helps=['write the whole line as one text behind `-c`, or read the words with `"$@"`'],
                severity=ERROR if slip.sure else WARNING,
            )
