"""A shell between the kubelet and the trainer, which keeps the signals to itself.

## What it checks
Where a container's own process is a shell, as in `sh -c`, the command that starts the trainer, or its guard, begins
with `exec` and is not part of a pipe. A lone command of `bash -c` needs none: bash makes room by itself. Texts with
`trap`, `wait`, or compound commands are not judged.

## Why it hurts
The kubelet sends SIGTERM to the first process alone. A shell there does not hand it on, and without a trap of its own
does not even end: the trainer saves nothing, and all are killed when the grace period is over.

## Severity
- error: the shell does not hand the signal on: the trainer saves nothing.
- warning: the script's name alone does not say that it is the trainer.

## Example
Bad:

```yaml
command: [sh, -c, "python -u -m trainer train --data /data/imagenet --out /out"]
```

Good:

```yaml
command: [sh, -c, "exec python -u -m trainer train --data /data/imagenet --out /out"]
```

## Fix
Write `exec` before the command, or leave the shell out. In a profile, `prepare` holds what runs before it.

## When to ignore it
Never: with `exec`, all shells do what some do without.

## References
`python -m trainer contract --json`, "start"; bash 5.2 and dash 0.5.11 replace themselves by a last command, dash 0.5.10
does not; pid_namespaces(7) on signals to the first process.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, Code, Place
from specgen.operators.kubernetes.trainer_line import GUARD
from specgen.rules import ALL, CONTAINER
from specgen.rules._trainer import call, guard
from specgen.rules._words import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG452", "trainer-behind-shell", ERROR, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding."""
    found = guard(container) or call(container)
    if found is None or found.shell is None or found.script is None:
        return
    script, number, path = found.script
    words, end = script.commands[number]
    piped = end == "|" or (number > 0 and script.commands[number - 1][1] == "|")
    first = next((word for word in words if not _assigns(word.text)), words[0])
    shell = found.shell.text.rpartition("/")[2]
    lone = shell == "bash" and len(script.commands) == 1 and not piped
    if not script.simple or end == "&" or (first.text == "exec" and not piped) or lone:
        return
    last = number + 1 == len(script.commands)
    guards = found.command == GUARD
    yield CODE.at(
        Place(path, inside=(first.start, first.end)),
        f"`{shown(shell)} -c` stays between the kubelet and the {'guard' if guards else 'trainer'}",
        label="in a pipe" if piped else "without `exec`",
        notes=[
            f"the kubelet sends SIGTERM to the shell alone; the {'script' if guards else 'trainer'} saves nothing and "
            "is killed with it",
            *(["some shells make room for a last command, dash before 0.5.11 does not"] if last and not piped else []),
            *found.doubts,
        ],
        helps=["write `exec` before the command" if not piped else "write the log elsewhere than through a pipe"],
        severity=found.severity,
    )


def _assigns(text: str) -> bool:
    name, equals, _ = text.partition("=")
    return bool(equals) and name.isidentifier()
