"""The page of a code in its one form: title, what it checks, why it hurts, example, fix, when to ignore, references."""

from __future__ import annotations


def page(title: str, checks: str, hurts: str, bad: str, good: str, fix: str, ignore: str, references: str) -> str:
    """Texts of the sections, Markdown; ``bad`` and ``good`` are YAML, ``title`` one sentence with a full stop."""
    return f"""{title}

## What it checks
{checks}

## Why it hurts
{hurts}

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
