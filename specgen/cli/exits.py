"""Exit codes: the same in every format."""

from __future__ import annotations

GOOD = 0
"""The answer is good: clean, built, no difference."""

BAD = 1
"""The answer is not good: findings at or above error, stale files, differences."""

QUESTION = 2
"""The question was not good: unknown option, missing file, a path that does not exist."""

BUG = 3
"""specgen failed: a bug."""

INTERRUPTED = 130
"""Interrupted."""

HELP = """exit codes:
  0  the answer is good: clean, built, nothing stale
  1  the answer is not good: errors found, differences, or files that are stale, missing or foreign
  2  the question was not good: an unknown option, a file that cannot be opened
  3  specgen failed: a bug, please report it
"""
