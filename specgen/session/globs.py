"""Patterns of paths, as ``.gitignore`` has them: ``charts/**``, ``*.tmpl.yaml``, ``legacy``, ``/jobs/*.yaml``.

``*``, ``?``, ``[…]`` and ``\\`` stay within a name, ``**`` is any number of folders. A pattern without ``/``, but at
its end, matches at any depth, others from the folder that they are written for. What matches a folder matches all below
it.

As gitignore(5) and git's ``wildmatch.c`` (2.39) have it, but for the case of letters, which counts everywhere.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

    # of a name: a sign, any one, any number of them, or one of a class: (whether it is none of them, ranges)
    Part: TypeAlias = str | tuple[bool, tuple[tuple[str, str], ...]]
    # a name as it is, what is said of its signs, or None for any number of names
    Step: TypeAlias = str | tuple[Part, ...] | None

_STAR, _ANY = "**", "??"
_NONE: tuple[Part, ...] = ()  # no name is empty
_CLASSES = {
    "alnum": "09AZaz",
    "alpha": "AZaz",
    "blank": "\t\t  ",
    "cntrl": "\0\x1f\x7f\x7f",
    "digit": "09",
    "graph": "!~",
    "lower": "az",
    "print": " ~",
    "punct": "!/:@[`{~",
    "space": "\t\r  ",
    "upper": "AZ",
    "xdigit": "09AFaf",
}


# pattern → its steps: those of a configuration are held against all files of a run
_KNOWN: dict[str, tuple[Step, ...]] = {}


def matches(pattern: str, path: str) -> bool:
    """Whether a path, or a folder that it lies in, matches; both with ``/``."""
    if pattern not in _KNOWN:
        _KNOWN[pattern] = steps(pattern.removeprefix("./"))
    return any(_prefixes(_KNOWN[pattern], path.split("/")))


def exactly(wanted: Sequence[Step], names: Sequence[str]) -> bool:
    """Whether the ``steps`` of a pattern match all names of a path together."""
    if len(wanted) == 2 and wanted[0] is None:
        return wanted[1] is None or _named(wanted[1], names[-1])
    return list(_prefixes(wanted, names))[-1]


def steps(pattern: str) -> tuple[Step, ...]:
    """A pattern as what it says of each name of a path."""
    words = pattern.strip("/").split("/")
    if "/" not in pattern.rstrip("/"):
        words = ["**", *words]
    words = [word for at, word in enumerate(words) if word != "**" or words[at - 1 : at] != ["**"]]
    return tuple(None if word == "**" else _parts(word) for word in words)


def _prefixes(wanted: Sequence[Step], names: Sequence[str]) -> Iterator[bool]:
    """Of the first name, the first two, and so on: whether they match."""
    # how many steps may be behind us, before each name: no way back is taken, so that no pattern takes long
    reached = {0}
    for name in names:
        following = set()
        for at in reached:
            if at < len(wanted) and wanted[at] is None:
                following.add(at)
                at += 1
                if at == len(wanted):
                    following.add(at)  # what ends with it matches all below, and not the folder itself
            if at < len(wanted):
                step = wanted[at]
                if step is not None and _named(step, name):
                    following.add(at + 1)
        reached = following
        yield len(wanted) in reached


def _named(parts: str | tuple[Part, ...], name: str) -> bool:
    """Whether one name matches what stands between two ``/``."""
    if isinstance(parts, str):
        return parts == name
    at = place = 0
    star = start = -1
    while place < len(name):
        if at < len(parts) and parts[at] is _STAR:
            star, start = at, place
            at += 1
        elif at < len(parts) and _is(parts[at], name[place]):
            at += 1
            place += 1
        elif star < 0:
            return False
        else:  # the last star takes one more; those before it have no better choice
            start += 1
            at, place = star + 1, start
    return all(part is _STAR for part in parts[at:])


def _is(part: Part, sign: str) -> bool:
    if isinstance(part, str):
        return part is _ANY or part == sign
    without, ranges = part
    return any(low <= sign <= high for low, high in ranges) != without


def _parts(pattern: str) -> str | tuple[Part, ...]:
    """What a pattern says of the signs of a name; the name itself, where it says no more."""
    if "*" not in pattern and "?" not in pattern and "[" not in pattern and "\\" not in pattern:
        return pattern
    found: list[Part] = []
    at = 0
    while at < len(pattern):
        sign = pattern[at]
        at += 1
        if sign == "*":
            if found[-1:] != [_STAR]:
                found.append(_STAR)
        elif sign == "?":
            found.append(_ANY)
        elif sign == "[":
            one, at = _class(pattern, at)
            if one is None:
                return _NONE
            found.append(one)
        elif sign == "\\":
            if at == len(pattern):
                return _NONE
            found.append(pattern[at])
            at += 1
        else:
            found.append(sign)
    return tuple(found)


def _class(pattern: str, at: int) -> tuple[Part | None, int]:
    """The class that begins behind a ``[``, and where it ends; None: it has no end."""
    without = pattern[at : at + 1] in ("!", "^")
    at += without
    ranges: list[tuple[str, str]] = []
    first = at
    while at < len(pattern) and (pattern[at] != "]" or at == first):
        if pattern.startswith("[:", at):
            end = pattern.find(":]", at)
            signs = _CLASSES.get(pattern[at + 2 : end]) if end > 0 else None
            if signs is None:
                return None, at
            ranges += zip(signs[::2], signs[1::2], strict=True)
            at = end + 2
            continue
        low, at = _sign(pattern, at)
        high = low
        if pattern.startswith("-", at) and pattern[at + 1 : at + 2] not in ("", "]"):
            high, at = _sign(pattern, at + 1)
        ranges.append((low, high))
    return ((without, tuple(ranges)), at + 1) if at < len(pattern) else (None, at)


def _sign(pattern: str, at: int) -> tuple[str, int]:
    at += pattern[at] == "\\"
    return pattern[at : at + 1], at + 1


def first(patterns: Sequence[str], path: str) -> str | None:
    """The first of several patterns that matches."""
    return next((pattern for pattern in patterns if matches(pattern, path)), None)
