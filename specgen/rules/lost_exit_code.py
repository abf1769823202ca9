"""A program whose exit code is lost in a pipe.

## What it checks
The text of `sh -c` ends with `… | tee FILE`, and neither `pipefail` is set nor `PIPESTATUS` read.

## Why it hurts
A pipe ends with the exit code of its last program. `tee` ends well whatever the program in front of it did: where that
one crashes, the container ends with 0, its pod counts as succeeded, and nothing starts it again. A job that failed on
its first step is reported as done.

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
Write `set -o pipefail` in front, for a shell that has it: bash, zsh, ksh and busybox do, and dash, which is `sh` in
images of Debian and Ubuntu, stops at the word. Or leave `tee` out: `kubectl logs` has what the program prints.

## When to ignore it
Where the program in front of the pipe may fail.

## References
POSIX 2017, Shell Command Language, 2.9.2 (pipelines, "Exit Status"); bash 5.2, "The Set Builtin" (`pipefail`).
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, shown
from specgen.operators.kubernetes.argv import PIPED
from specgen.operators.kubernetes.shell import assigned
from specgen.rules import ALL, CONTAINER, SLIP
from specgen.rules._shell import parse, sign_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG494", "lost-exit-code", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (SLIP.format(PIPED),)

# Programs that print, and hardly fail.
_PRINT = ("echo", "printf", "date", "env", "cat", "ls", "nvidia-smi", "df", "free", "uname", "hostname")


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding, at the program whose exit code is lost."""
    for slip in context.slips(container):
        if slip.cause != PIPED:
            continue
        key, index, text = container.words()[slip.at]
        script = parse(text)
        if script is None or len(script.commands) < 2 or "pipefail" in text or "PIPESTATUS" in text:
            return
        *before, (words, _) = script.commands
        pipe = sign_at(text[: words[0].start], "|", before[-1][0][-1].end)
        if words[0].text.rpartition("/")[2] != "tee" or pipe < 0:
            return
        at = len(before) - 1
        while at > 0 and before[at - 1][1] == "|":
            at -= 1
        first = before[at][0]
        program = next((word for word in first if not assigned(word.text)), first[0])
        if program.text.rpartition("/")[2] in _PRINT:
            return
        yield CODE.at(
            Place((*container.path, key, index), inside=(pipe, pipe + 1)),
            f"the exit code is that of `tee`: a crash of `{shown(program.text)}` counts as success",
            label="a pipe",
            helps=[
                "write `[bash, -o, pipefail, -c, …]`, as dash has no `pipefail`; or leave `tee` out: `kubectl logs` "
                "prints the same"
            ],
        )
        return
