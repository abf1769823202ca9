"""A program whose exit code is lost in a shell's text.

## What it checks
The text of `sh -c` ends with `… | tee FILE`, and neither `pipefail` is set nor `PIPESTATUS` read; or another command
follows the program that trains, as in `torchrun train.py; echo done` or `torchrun train.py || true`, with no `set -e`
that would end the text, and no `exit`, `trap` or `$?` that would hand the code on.

## Why it hurts
A pipe ends with the exit code of its last program, and a text with that of its last command. `tee` and `echo` end well
whatever the program in front of them did: where that one crashes, the container ends with 0, its pod counts as
succeeded, and nothing starts it again. A job that failed on its first step is reported as done.

## Severity
- warning: what the program does when it fails is not seen here.

## Example
Bad:

```yaml
containers: [{name: pytorch, image: "registry.example.com/train:1.4", command: [sh, -c, "python a.py | tee /o/log"]}]
```

Good:

```yaml
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    command: [bash, -o, pipefail, -c, "python a.py | tee /o/log"]
```

## Fix
Begin the text with `set -e`, or join what follows with `&&`. For a pipe write `set -o pipefail` in front, for a shell
that has it: bash, zsh, ksh and busybox do, and dash, which is `sh` in images of Debian and Ubuntu, stops at the word.
Or leave `tee` out: `kubectl logs` has what the program prints.

## When to ignore it
Where the program may fail.

## References
POSIX 2017, Shell Command Language, 2.9.2 (pipelines, "Exit Status"), 2.9.3 (lists), 2.14 (`set -e`); bash 5.2, "The Set
Builtin" (`pipefail`).
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, shown
from specgen.operators.kubernetes.argv import LOST_CODE
from specgen.operators.kubernetes.command import never_ends
from specgen.operators.kubernetes.script import TESTS, commands
from specgen.operators.kubernetes.shell import assigned
from specgen.rules import ALL, CONTAINER, SLIP
from specgen.rules._shell import parse, sign_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.operators.kubernetes.script import Command
    from specgen.rules import Context

CODE = Code("SG494", "lost-exit-code", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (SLIP.format(LOST_CODE),)

# Programs that start what trains.
_STARTERS = ("torchrun", "accelerate", "accelerate-launch", "deepspeed", "mpirun", "mpiexec", "horovodrun", "msrun")
# By these a text may end with the code of another program than the last one.
_ENDS = ("exit", "trap", "wait", "kill", "false", "return")
# Programs that print, and hardly fail.
_PRINT = ("echo", "printf", "date", "env", "cat", "ls", "nvidia-smi", "df", "free", "uname", "hostname")


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding, at what takes the place of the program's exit code."""
    for slip in context.slips(container):
        if slip.cause != LOST_CODE:
            continue
        key, index, text = container.words()[slip.at]
        found = _into_tee(text, container) or _before_others(
            text, [word for _, _, word in container.words()[: slip.at]]
        )
        if found is not None:
            at, last, program, label, way = found
            yield CODE.at(
                Place((*container.path, key, index), inside=at),
                f"the exit code is that of `{shown(last)}`: a crash of `{shown(program)}` counts as success",
                label=label,
                helps=[way],
            )
        return


def _into_tee(text: str, container: Container) -> tuple[tuple[int, int], str, str, str, str] | None:
    """A pipe at the end: its place, its last program, the first one, and what to do."""
    script = parse(text)
    if script is None or len(script.commands) < 2 or "pipefail" in container.line or "PIPESTATUS" in text:
        return None
    *before, (words, _) = script.commands
    pipe = sign_at(text[: words[0].start], "|", before[-1][0][-1].end)
    if words[0].text.rpartition("/")[2] != "tee" or pipe < 0:
        return None
    at = len(before) - 1
    while at > 0 and before[at - 1][1] == "|":
        at -= 1
    first = before[at][0]
    program = next((word for word in first if not assigned(word.text)), first[0])
    if program.text.rpartition("/")[2] in _PRINT:
        return None
    way = "write `[bash, -o, pipefail, -c, …]`, as dash has no `pipefail`; or leave `tee` out: `kubectl logs` "
    return (pipe, pipe + 1), "tee", program.text, "a pipe", f"{way}prints the same"


def _before_others(text: str, before: list[str]) -> tuple[tuple[int, int], str, str, str, str] | None:
    """A command behind the program that trains, as ``_into_tee``. None where its failure may end the text as well."""
    line = list(commands(text))
    trains = [at for at, one in enumerate(line) if _trains(_program(one), _texts(one))]
    if not trains:
        return None
    one, *behind = line[trains[-1] :]
    if "pipefail" in text or "pipefail" in before:
        # the code of a pipe is then that of the program that failed
        behind = behind[next((at for at, each in enumerate(behind) if not (each.piped or each.fed)), len(behind)) :]
    if not behind:
        return None
    last = behind[-1]
    plain = not (one.under or one.loops or one.shells or one.function or one.tests or one.asks or one.negated)
    if not plain or one.behind or _texts(one)[0] == "exec" or not last.words or _program(last)[:1] == "-":
        return None
    # what takes the shell's place is what trains, and a test looks at what the program left
    if _texts(last)[0] == "exec" or _texts(last)[0] in TESTS:
        return None
    # what the text does with the code itself, or where it never ends
    if "$?" in text or "PIPESTATUS" in text or never_ends([text]) or any([_program(each) in _ENDS for each in line]):
        return None
    ends = any(["e" in word for word in before if word[:1] == "-" and word[:2] != "--"]) or "errexit" in before
    ends = ends or any([_texts(each)[:1] == ["set"] and _is_errexit(_texts(each)) for each in line[: trains[-1]]])
    joined = text[one.end : behind[0].start]
    if "||" in joined or _is_asked(text, one, behind):
        way = "leave out what stands behind the `||`, or end it with `exit 1`"
    elif (ends and "&&" not in joined and not behind[0].piped) or _is_joined(text, one, behind):
        return None
    else:
        way = "begin the text with `set -e`, or join what follows with `&&`"
    word = last.words[last.program or 0]
    return (word.start, word.end), _program(last), _program(one), "the last command", way


def _texts(command: Command) -> list[str]:
    return [word.text for word in command.words] or [""]


def _program(command: Command) -> str:
    at = command.program
    return command.words[at].text.rpartition("/")[2] if at is not None else ""


def _trains(program: str, words: list[str]) -> bool:
    """Whether a program is one whose failure matters: a launcher, or Python with a file or a module."""
    of_python = "-m" in words or any([word.endswith(".py") for word in words])
    return program in _STARTERS or (program.startswith("python") and of_python)


def _is_errexit(words: list[str]) -> bool:
    return "errexit" in words or any([word[:1] == "-" and "e" in word for word in words])


def _is_asked(text: str, one: Command, behind: list[Command]) -> bool:
    """Whether a `||` stands further on in the program's list, `a && b || c`, where `set -e` ends nothing."""
    ends = [one.end, *[each.end for each in behind]]
    between = [text[end : then.start] for end, then in zip(ends, behind, strict=False)]
    many = next((at for at, signs in enumerate(between) if "&&" not in signs and "||" not in signs), len(between))
    return any(["||" in signs for signs in between[:many]])


def _is_joined(text: str, one: Command, behind: list[Command]) -> bool:
    """Whether all that follows stands behind `&&`: it runs only where the program ends well."""
    ends = [one.end, *[each.end for each in behind]]
    return all(["&&" in text[end : then.start] for end, then in zip(ends, behind, strict=False)])
