"""Which files git tracks, by its index (git's Documentation/gitformat-index.txt, 2.39: versions 2 to 4)."""

from __future__ import annotations

import os

# An index of a million files is of this size.
_MOST_BYTES = 256 * 1024 * 1024
# Bytes of an entry before the name of its object; those of the name by SHA-1 and by SHA-256.
_STAT, _NAMES = 40, (20, 32)
_EXTENDED, _LENGTH = 0x4000, 0x0FFF


def folder_of(top: str) -> str:
    """Where a repository keeps its own files: `.git`, or the folder that a file of this name names."""
    git = os.path.join(top, ".git")
    if os.path.isdir(git):
        return git
    text = _content(git, 4096).decode("utf-8", "surrogateescape")
    return os.path.join(top, text.removeprefix("gitdir: ").rstrip("\n")) if text.startswith("gitdir: ") else git


def tracks(top: str, path: str) -> bool:
    """Whether the repository at a folder tracks the file at a path below it; False also where its index is none."""
    data = _content(os.path.join(folder_of(top), "index"), _MOST_BYTES)
    wanted = path.encode("utf-8", "surrogateescape")
    if data[:4] != b"DIRC":
        return False
    version = int.from_bytes(data[4:8], "big")
    return any(_lists(data, version, length, wanted) for length in _NAMES)


def _lists(data: bytes, version: int, length: int, wanted: bytes) -> bool:
    """Whether one of the entries has this path, if the names of objects have this length."""
    at = 12
    path = b""
    for _ in range(int.from_bytes(data[8:12], "big")):
        start = at
        flags = int.from_bytes(data[at + _STAT + length : at + _STAT + length + 2], "big")
        at += _STAT + length + 2
        if flags & _EXTENDED and version >= 3:
            at += 2
        kept = 0
        if version >= 4:  # how many bytes of the path before it go
            cut, at = _number(data, at)
            kept = len(path) - cut
        end = data.find(b"\0", at)
        if end < 0 or kept < 0:
            return False
        path = path[:kept] + data[at:end]
        if min(len(path), _LENGTH) != flags & _LENGTH:
            return False
        if path == wanted:
            return True
        at = end + 1 if version >= 4 else start + (end - start + 8) // 8 * 8
    return False


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of variable length, as in pack files, and where it ends."""
    number = -1
    while at < len(data):
        byte = data[at]
        at += 1
        number = number + 1 << 7 | byte & 127
        if byte < 128:
            break
    return number, at


def _content(path: str, most: int) -> bytes:
    """The bytes of a regular file, empty where there is none or it is longer."""
    import stat

    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        known = os.fstat(handle)
        if not stat.S_ISREG(known.st_mode) or known.st_size > most:
            return b""
        with os.fdopen(os.dup(handle), "rb") as file:
            return file.read()
    except OSError:
        return b""
    finally:
        os.close(handle)
