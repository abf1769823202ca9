"""Two trees → their differences by path, each side's value or its absence."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.source import Path


class Absent:
    """The value of a side that has none."""

    def __repr__(self) -> str:
        return "absent"


ABSENT = Absent()


def differences(left: Any, right: Any, path: Path = ()) -> list[tuple[Path, Any, Any]]:
    """(path, left, right) for each leaf or subtree that differs, in the left tree's order, then the right's own."""
    if isinstance(left, dict) and isinstance(right, dict):
        found = []
        for key in [*left, *(key for key in right if key not in left)]:
            found += differences(left.get(key, ABSENT), right.get(key, ABSENT), (*path, key))
        return found
    if isinstance(left, list) and isinstance(right, list):
        found = []
        for index in range(max(len(left), len(right))):
            one = left[index] if index < len(left) else ABSENT
            two = right[index] if index < len(right) else ABSENT
            found += differences(one, two, (*path, index))
        return found
    return [] if type(left) is type(right) and left == right else [(path, left, right)]
