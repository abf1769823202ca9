"""A shell that ends while the program is still in the background.

## What it checks
The text of `sh -c` ends with a program in the background, `python train.py &`, and waits for nothing: no `wait` is in
it, and no other program follows. The same of a loop that puts programs into the background.

## Why it hurts
A container ends with its first process, which is the shell. It has started the program, has nothing left to do, and
ends with exit code 0 at once; the kernel kills whatever is still there. The job has succeeded, and nothing was trained.

## Severity
- error: the text has no other program: the container ends at once, and well.
- warning: another program of the text runs before, and the one in the background may not matter.

## Example
Bad:

```yaml
containers: [{name: pytorch, image: "registry.example.com/train:1.4", command: [sh, -c, "nohup python train.py &"]}]
```

Good:

```yaml
containers: [{name: pytorch, image: "registry.example.com/train:1.4", command: [sh, -c, "exec python train.py"]}]
```

## Fix
Leave the `&` out, and `nohup` with it: a container has no terminal that would be closed. Where several programs are to
run side by side, end the text with `wait`, which alone has the exit code 0: `wait "$!"` has that of the last program.

## When to ignore it
Where the program in the background may be killed as soon as the shell ends.

## References
POSIX 2017, Shell Command Language, 2.9.3 (asynchronous lists: "the shell shall not wait") and 2.8.2 (exit status);
pid_namespaces(7): with the first process of a namespace the kernel kills all others.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, WARNING, Code, Place, shown
from specgen.operators.kubernetes.argv import BACKGROUND
from specgen.operators.kubernetes.shell import BUILTINS, assigned
from specgen.rules import ALL, CONTAINER, SLIP
from specgen.rules._shell import parse, sign_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context
    from specgen.rules._shell import Script, Word

CODE = Code("SG485", "left-in-background", ERROR, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (SLIP.format(BACKGROUND),)

# Words that end a command of several, behind which nothing runs.
_CLOSES = ("done", "fi", "esac", "}")
_OPENS = ("do", "then", "else", "{", "exec", "nohup", "setsid", "time")
# Programs that are over before the one in the background begins.
_BEFORE = (*BUILTINS, "mkdir", "echo", "test", "[", "nohup", "date", "umask", "true")


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding, at the sign."""
    for slip in context.slips(container):
        if slip.cause != BACKGROUND:
            continue
        key, index, text = container.words()[slip.at]
        script = parse(text)
        last = _last(script) if script is not None else None
        sign = sign_at(text, "&", last[-1].end) if last is not None else -1
        if script is None or last is None or sign < 0:
            return
        program = next((word for word in last if word.text not in _OPENS and not assigned(word.text)), last[0])
        yield CODE.at(
            Place((*container.path, key, index), inside=(sign, sign + 1)),
            f"the shell does not wait for `{shown(program.text)}`, and the container ends with the shell",
            label="in the background",
            notes=["it ends at once with exit code 0, which counts as success; what still runs is killed"],
            helps=["leave the `&` out, or end the text with `wait`"],
            severity=ERROR if key == "command" and _is_alone(script) else WARNING,
        )
        return


def _last(script: Script) -> list[Word] | None:
    """The command that the text ends with, where it is left in the background."""
    for words, end in reversed(script.commands):
        if end == "&":
            return words
        if words[0].text not in _CLOSES:
            break
    return None


def _is_alone(script: Script) -> bool:
    """Whether the list in the background is all that the text runs."""
    commands = script.commands[:-1]
    while commands and commands[-1][1] in ("&&", "||", "|"):
        commands = commands[:-1]  # a part of the list
    return script.simple and all(
        words[0].text in _BEFORE or assigned(words[0].text) for words, end in commands if end != "&"
    )
