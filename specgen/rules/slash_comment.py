"""A comment of another language, which YAML takes for a part of the value.

## What it checks
No value without quotes is one word, blanks, and `//` with further text. Passed over are `command` and `args`; fields
that take no such text have an error of shape instead.

## Why it hurts
Only `#` begins a comment in YAML. A variable, an image's tag or a scheduler's name is the whole text: nothing of that
name is there, and mostly nobody refuses it.

## Severity
- error: the API server or the operator refuses the whole text.
- warning: the field takes any text, and the slashes may be meant.

## Example
Bad:

```yaml
env: [{name: NCCL_DEBUG, value: INFO // all of it}]
```

Good:

```yaml
env: [{name: NCCL_DEBUG, value: INFO}] # all of it
```

## Fix
The value is cut off before the slashes. That is unsafe, as the text may be meant, and the comment is lost.

## When to ignore it
Where the text is meant; in quotes it is not reported.

## References
YAML 1.2.2, section 6.6 (comments).
"""

from __future__ import annotations

from specgen.diagnostics.model import UNSAFE, WARNING, Code, Fix, Place, shown
from specgen.diagnostics.operations import Set
from specgen.document.tree import Document
from specgen.rules import ALL, SLASHES, WORKLOAD
from specgen.schema.judge import before_slashes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG497", "slash-comment", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (SLASHES,)

_LINES = ("command", "args")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each value."""
    where = workload.manifest.where
    if not isinstance(where, Document) or context.reader is None:
        return
    from specgen.manifest.shape import file_of
    from specgen.schema.files import load
    from specgen.schema.walk import Walk

    walk = Walk(load(file_of(context.reader.schema)), None)
    for path, value in _texts(workload.manifest.tree, ()):
        word = before_slashes(value)
        if word is None or where.plain(path) is None:
            continue
        # what the field does not take is an error of shape, with the same remedy
        if not walk.fits(value, walk.alternatives(walk.field(workload.manifest.tree, path))):
            continue
        yield CODE.at(
            Place(path, inside=(len(word) + value[len(word) :].index("//"), len(value))),
            f"`//` begins no comment in YAML: it is a part of `{path[-1]}`",
            label="read as text",
            notes=["only `#` begins a comment, behind a blank"],
            fix=Fix(f"write `{shown(word)}` alone", UNSAFE, [Set(path, word)]),
        )


def _texts(tree: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Texts of one line, without those of command lines."""
    below = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in below:
        if isinstance(value, str):
            if "//" in value:
                yield (*path, key), value
        elif key not in _LINES:
            yield from _texts(value, (*path, key))
