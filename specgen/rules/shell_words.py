"""Words of a shell in a command line that no shell reads.

## What it checks
`cd`, `source`, `export` and other builtins as the program, or a variable such as `NCCL_DEBUG=INFO` in front of it;
`&&`, `||`, `;`, `|`, `&`, and redirections as words of their own. Not where the command line begins with a shell, or
with a program that hands its words to one, such as `ssh`.

## Why it hurts
The kubelet starts the first word as a program and gives it all the others. There is no program `cd` that changes
anything for those behind it, none is called `NCCL_DEBUG=INFO`, and `python train.py && echo done` gives `&&` to the
script as an argument: what stands behind it never runs.

## Severity
- error: what stands behind the sign never runs, or no program of the first word's name starts it.
- warning: the program, or the image's entrypoint, may hand its words to a shell.

## Example
Bad:

```yaml
containers: [{name: pytorch, image: "registry.example.com/train:1.4", command: [cd, /w, "&&", python, train.py]}]
```

Good:

```yaml
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    command: [sh, -c, "cd /w && exec python train.py"]
```

## Fix
Write the line for a shell: applied where one asks for it, as quoting decides what it means. A working directory has a
field of its own, `workingDir`. The program `env` sets variables without a shell; `env` of the container does so, too.
A `&` at the end and `nohup` are left out: the container ends with its shell. Where a pipe is meant the shell is bash
with `pipefail`, which dash lacks: a pipe ends with the exit code of its last program.

## When to ignore it
An error where the program is a shell's builtin, or one that everybody knows and that takes no `&&`. Else it is a
warning: the program, or the image's entrypoint, may hand its words to a shell.

## References
OCI runtime specification 1.2, config.md (`process.args`); POSIX 2017, 2.9 (lists) and 2.14 (special built-in
utilities), and `cd` (it "affects the current shell execution environment").
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, UNSAFE, WARNING, Code, Fix, shown
from specgen.diagnostics.operations import Remove, Set
from specgen.manifest.views import sequence
from specgen.operators.kubernetes.argv import SHELL_WORDS
from specgen.operators.kubernetes.shell import assigned
from specgen.rules import ALL, CONTAINER, SLIP
from specgen.rules._slips import for_a_shell, line_for_a_shell, word_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.diagnostics.operations import Operation
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG461", "shell-words", ERROR, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (SLIP.format(SHELL_WORDS),)


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding: at the builtin, else at the first sign."""
    for slip in context.slips(container):
        if slip.cause != SHELL_WORDS:
            continue
        words = [text for _, _, text in container.words()]
        builtin = slip.at == 0
        given = f"`{shown(slip.text)}` is a word of a shell, and no shell runs here"
        note = f"`{shown(words[0])}` gets it as an argument, with all that follows"
        if builtin:
            given = f"`{shown(slip.text)}` is a shell's own, and no shell runs here"
            note = "no program of that name starts what follows: the container ends at once"
        if builtin and (name := assigned(slip.text)):
            # what follows may be a secret
            given = f"`{shown(name)}=` sets a variable in a shell, and no shell runs here"
        yield CODE.at(
            word_place(container, slip),
            given,
            label="the program" if builtin else "an argument",
            notes=[note],
            fix=_fix(container, words, builtin),
            severity=ERROR if slip.sure else WARNING,
        )


def _fix(container: Container, words: list[str], builtin: bool) -> Fix:
    if builtin and (name := assigned(words[0])):
        line = sequence(container.tree.get("command"))
        title = f"write `env` in front of it, or `{shown(name)}` into `env` of the container"
        return Fix(title, UNSAFE, [Set((*container.path, "command"), ["env", *line])])
    patch: list[Operation] = [Set((*container.path, "command"), line_for_a_shell(words))]
    if "args" in container.tree:
        patch.append(Remove((*container.path, "args")))
    return Fix(for_a_shell(words), UNSAFE, patch)
