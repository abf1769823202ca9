"""A launcher before something that is no script.

## What it checks
What follows the options of `torchrun`, `python -m torch.distributed.run`, `accelerate launch` or `deepspeed` is a
Python script, unless `-m`, `--module` or `--no-python` say otherwise: not `sleep`, `python`, a shell, nor another
launcher, not a program of the PATH such as `lm_eval`, and not nothing.

## Why it hurts
The launcher has Python run that word as a file, once for each GPU: `torchrun sleep infinity` ends with "can't open file
'sleep'", `torchrun python train.py` with "can't open file 'python'". The pods fail and are started again.

## Severity
- error: Python runs a file of that name, and no such file can be meant: the launcher ends at once.
- warning: the word is a path, or a bare word: the folder may hold such a script.

## Example
Bad:

```yaml
containers: [{name: pytorch, image: "registry.example.com/train:1.4", command: [torchrun, python, train.py]}]
```

Good:

```yaml
containers: [{name: pytorch, image: "registry.example.com/train:1.4", command: [torchrun, train.py]}]
```

## Fix
Leave out what stands before the script. Of two launchers one is enough: torchrun tells Accelerate's and DeepSpeed's
libraries all that they need. A program that is none of Python's needs `--no-python`.

## When to ignore it
A warning where the word is a path, as programs that pip installs are scripts of Python's. Else never: a file called
`sleep` beside the program is not what was meant.

## References
torch 2.13, torch/distributed/run.py (`config_from_args`); huggingface/accelerate 1.15.0, utils/launch.py;
deepspeedai/DeepSpeed 0.19.8, deepspeed/launcher/launch.py.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, WARNING, Code, Place, shown
from specgen.operators.kubernetes import launchers
from specgen.operators.kubernetes.argv import NO_SCRIPT, is_bare
from specgen.rules import ALL, CONTAINER, SLIP
from specgen.rules._slips import word_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG464", "launcher-without-script", ERROR, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (SLIP.format(NO_SCRIPT),)


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding."""
    words = [text for _, _, text in container.words()]
    for slip in context.slips(container):
        if slip.cause != NO_SCRIPT:
            continue
        start = next((at for at in range(slip.at + 1) if launchers.of_words(words[at:]) is not None), 0)
        line = launchers.of_words(words[start:])
        if line is None:
            continue
        name = {launchers.ACCELERATE: "accelerate launch"}.get(line.name, line.name)
        if not slip.text:
            yield CODE.at(
                word_place(container, slip),
                f"`{name}` has no script to start",
                notes=["it ends with a list of its options"],
                helps=["name the script behind the options"],
            )
            continue
        key, index, _ = container.words()[start]
        yield CODE.at(
            word_place(container, slip),
            f"{name} would run `{shown(slip.text)}` as a Python script",
            label="no script",
            related=[(Place((*container.path, key, index)), "starts what follows with Python")],
            notes=["Python finds no such file, or no Python in it, and every process ends"],
            helps=[_help(name, slip.text, words[start + line.program :])],
            severity=ERROR if slip.sure else WARNING,
        )


def _help(name: str, word: str, words: list[str]) -> str:
    base = word.rpartition("/")[2]
    inner = launchers.of_words(words)
    if inner is not None:
        return f"leave out `{base}` or `{name}`: one of them starts the processes of a pod"
    if base.startswith("python"):
        return f"leave out `{base}`: {name} runs Python itself"
    if base in ("sleep", "tail"):
        return f"leave out `{name}`: `{base}` needs no ranks"
    if is_bare(word):
        return f"write the script's file, or `-m` and the module behind it; without {name} a program starts as it is"
    return f"name the script behind the options of {name}, or say `--no-python`"
