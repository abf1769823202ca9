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

from specgen.diagnostics.model import UNSAFE, WARNING, Code, Fix, Place
from specgen.diagnostics.operations import Set
from specgen.diagnostics.secrets import secret
from specgen.rules import ALL, SLASHES, WORKLOAD
from specgen.rules._slashes import comments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG497", "slash-comment", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (SLASHES,)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each value."""
    for path, value, word in comments(workload, context):
        entry: Any = workload.manifest.tree
        for step in path[:-1]:
            entry = entry[step]
        named = entry.get("name") if isinstance(entry, dict) else ""
        hidden = secret(str(named)) or secret(str(path[-1]))
        yield CODE.at(
            Place(path, inside=(len(word) + value[len(word) :].index("//"), len(value))),
            f"`//` begins no comment in YAML: it is a part of `{path[-1]}`",
            label="read as text",
            notes=["only `#` begins a comment, behind a blank"],
            # what is never shown goes into no edit
            fix=None if hidden else Fix("leave the comment out", UNSAFE, [Set(path, word)]),
        )
