"""Several words of a command line in one.

## What it checks
The first word of `command` is a program's name, and the word after `python` or behind a launcher's options is a
script's: neither holds blanks and further words. The same for a launcher's option with its value behind a blank, and,
as a warning, for an argument such as `--epochs 3` of a Python script.

## Why it hurts
The kubelet starts the words as they are; nothing splits them. The runtime looks for a program whose whole name is
`python train.py --epochs 3`, the container ends in `StartError`, and the pods are started again without end, or the job
fails. Python finds no file of such a name, and an option with its value in one word is unknown to most programs.

## Severity
- error: no file can be meant: the container ends in `StartError`, or Python finds no such file.
- warning: the image may hold a program with a blank in its name, and the program may split its arguments.

## Example
Bad:

```yaml
containers: [{name: pytorch, image: "registry.example.com/train:1.4", command: ["python train.py --epochs 3"]}]
```

Good:

```yaml
containers: [{name: pytorch, image: "registry.example.com/train:1.4", command: [python, train.py, --epochs, "3"]}]
```

## Fix
Write each word for itself, or `[sh, -c, "…"]` where a shell is wanted. Safe where no file can be meant and the text has
neither quotes nor variables, which may mean either; a line that needs a shell is not written.

## When to ignore it
An error only where no file can be meant: the text begins with a program that everybody knows, or holds options. Else it
is a warning, as an image may hold a program with a blank in its name; there, ignore it.

## References
OCI runtime specification 1.2, config.md (`process.args`); CPython 3.11, Modules/main.c (`pymain_run_file`); torch 2.13,
torch/distributed/run.py (`get_args_parser`; argparse takes a word with a blank for no option).
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, SAFE, UNSAFE, WARNING, Code, Fix, shown
from specgen.operators.kubernetes.argv import ONE_STRING
from specgen.rules import ALL, CONTAINER, SLIP
from specgen.rules._slips import in_place, separated, split_words, word_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG460", "one-string-command", ERROR, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (SLIP.format(ONE_STRING),)


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each word."""
    for slip in context.slips(container):
        if slip.cause != ONE_STRING:
            continue
        place = word_place(container, slip)
        text = shown(slip.text)
        if slip.at == 0:
            message = f"the program is called `{text}`, all of it"
            note = "no shell splits it: the runtime finds no file of that name, and the container ends in StartError"
        elif slip.text.startswith("-"):
            message = f"`{text}` is one argument, not an option and its value"
            note = "most programs know no option of that name; a launcher takes it for the script"
        elif not slip.text.split()[0].endswith(".py"):
            message = f"the program is called `{text}`, all of it"
            note = "no shell splits it: mpirun finds no file of that name"
        else:
            message = f"the script is called `{text}`, all of it"
            note = "no shell splits it: Python finds no file of that name"
        help = "if these are several words, write each for itself"
        fix = None
        if slip.sure or slip.at:
            help = f"write {separated(slip.text)}"
            whole = container.words()[slip.at][2]
            words = split_words(whole)
            level = SAFE if slip.sure and not any(sign in whole for sign in "\"'$\\") else UNSAFE
            if words:
                fix = Fix(help, level, in_place(container, slip, words))
        yield CODE.at(
            place,
            message,
            label="one word",
            notes=[note],
            helps=[] if fix else [help],
            fix=fix,
            severity=ERROR if slip.sure else WARNING,
        )
