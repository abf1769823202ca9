"""The page of a code in its one form, and the severities that it gives reasons for."""

from __future__ import annotations


def page(
    title: str, checks: str, hurts: str, severity: str, bad: str, good: str, fix: str, ignore: str, references: str
) -> str:
    """Texts of the sections, Markdown; ``bad`` and ``good`` are YAML, ``title`` one sentence with a full stop.

    ``severity``: a line ``- error: why.`` for each severity that findings of the code have. An error says who refuses
    it or what certainly breaks, a warning what it depends on.
    """
    return f"""{title}

## What it checks
{checks}

## Why it hurts
{hurts}

## Severity
{severity}

## Example
Bad:

```yaml
{bad}
```

Good:

```yaml
{good}
```

## Fix
{fix}

## When to ignore it
{ignore}

## References
{references}
"""


def severities(text: str) -> dict[str, str]:
    """Severity → the reason for it, of a page: one line each, the most severe first."""
    _, _, rest = text.partition("\n## Severity\n")
    lines = [line[2:].partition(": ") for line in rest.partition("\n\n")[0].split("\n") if line.startswith("- ")]
    return {severity: reason for severity, _, reason in lines}
