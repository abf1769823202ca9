"""Quotes that reach a program as a part of its argument.

## What it checks
Words of `command` and `args` that are one quoted text (`'"train.py"'`), and options whose value is (`--name="llama"`),
outside a shell's text. JSON, and values with further quotes in them, are passed over.

## Why it hurts
YAML has taken its own quotes away, and no shell takes others: the program gets them with the value. A file
`"train.py"` is not there, a choice `"bf16"` is none of the choices, a number in quotes is no number.

## Severity
- warning: whether the program takes the quotes away itself is not known.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
command: [python, train.py, '--precision="bf16"']
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
command: [python, train.py, --precision=bf16]
```

## Fix
Leave the inner quotes out. It is unsafe, as a program may take quotes off by itself.

## When to ignore it
Where the program reads such a value as an expression: Hydra's overrides, Python literals.

## References
OCI runtime specification 1.2, config.md, "process.args": words are handed over as they are.
"""

from __future__ import annotations

from specgen.diagnostics.model import UNSAFE, WARNING, Code, Fix, Place, shown
from specgen.diagnostics.operations import ReplaceText
from specgen.operators.kubernetes.argv import script_at
from specgen.rules import ALL, CONTAINER, QUOTE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG424", "literal-quotes", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (QUOTE,)

# Programs that hand their words to a shell, or read them as text of their own.
_READERS = ("awk", "jq", "yq", "sed", "ssh", "su", "xargs", "find", "echo", "printf", "perl", "mongo", "kubectl")


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each word."""
    line = container.words()
    script = script_at([text for _, _, text in line])
    if not line or line[0][2].rpartition("/")[2] in _READERS:
        return
    for at, (key, index, text) in enumerate(line):
        value = _quoted(text)
        if at == script or value is None:
            continue
        path = (*container.path, key, index)
        start = len(text) - len(value)
        fix = None
        if text.count(value) == 1:
            fix = Fix("leave the inner quotes out", UNSAFE, [ReplaceText(path, value, value[1:-1])])
        yield CODE.at(
            Place(path, inside=(start, len(text))),
            f"the quotes of `{shown(text)}` reach the program",
            label="with its quotes",
            notes=["YAML has taken its own quotes off, and no shell takes these"],
            fix=fix,
        )


def _quoted(text: str) -> str | None:
    """The quoted text that a word is, or the value of an option; None where it is no such thing."""
    value = text
    if text[:1] == "-" and "=" in text:
        value = text.partition("=")[2]
    quote = value[:1]
    inner = value[1:-1]
    if len(value) < 3 or quote not in ("'", '"') or value[-1] != quote or "'" in inner or '"' in inner:
        return None
    return value if inner.strip() else None
