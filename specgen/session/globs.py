"""Patterns of paths, as ``.gitignore`` has them: ``charts/**``, ``*.tmpl.yaml``, ``legacy``, ``/jobs/*.yaml``.

``*``, ``?`` and ``[…]`` stay within a name, ``**`` is any number of folders. A pattern without ``/``, but at its end,
matches at any depth, others from the folder that they are written for. What matches a folder matches all below it.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def matches(pattern: str, path: str) -> bool:
    """Whether a path, or a folder that it lies in, matches; both with ``/``."""
    steps = pattern.removeprefix("./").strip("/").split("/")
    if "/" not in pattern.removeprefix("./").rstrip("/"):
        steps = ["**", *steps]
    return _matches([step for at, step in enumerate(steps) if step != "**" or steps[at - 1 : at] != ["**"]], path)


def _matches(steps: Sequence[str], path: str) -> bool:
    # how many steps may be behind us, before each name: no way back is taken, so that no pattern takes long
    reached = {0}
    for name in path.split("/"):
        following = set()
        for at in sorted(reached):
            while at < len(steps) and steps[at] == "**":
                following.add(at)
                at += 1
            if at < len(steps) and fnmatchcase(name, steps[at]):
                following.add(at + 1)
        reached = following
        if any(all(step == "**" for step in steps[at:]) for at in reached):
            return True
    return False


def first(patterns: Sequence[str], path: str) -> str | None:
    """The first of several patterns that matches."""
    return next((pattern for pattern in patterns if matches(pattern, path)), None)
