"""The way from a root down to a file, from one open folder to the next, none of them by a link."""

from __future__ import annotations

import os

from specgen.cli.belonging.ignored import FILE, MOST_BYTES, Folder, rules
from specgen.cli.belonging.secrets import by_name
from specgen.diagnostics.model import BadQuestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    # real path of a folder → what is known of it; None: no repository holds it
    Known: TypeAlias = dict[str, Folder | None]

# A folder that may be passed and not listed is no obstacle where the system knows such handles.
_ENTER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_DEEPEST = 64


def opened(root: str, real: str, beside: Iterable[str], known: Known | None) -> int:
    """A handle of what lies at a real path below the real path of a root, not to be waited for.

    Raises BadQuestion where it must not be read, OSError where it cannot be. ``beside``: the real paths of folders from
    which profiles were named: what they share an ignored folder with is as little of the repository as they are.
    ``known`` is kept from file to file; None: what is ignored may be read.
    """
    root = root.rstrip("/")
    held = by_name(real[len(root) + 1 :].split("/"))
    if held:
        raise BadQuestion(held)
    top = _top(root)
    names = real[len(top) + 1 :].split("/")
    if len(names) > _DEEPEST:
        raise BadQuestion(f"it lies more than {_DEEPEST} folders deep")
    at = os.open(top or "/", _ENTER)
    path = top
    try:
        folder = None if known is None else _known(at, path, None, known)
        for name in names[:-1]:
            below = os.open(name, _ENTER, dir_fd=at)
            os.close(at)
            at = below
            path = f"{path}/{name}"
            folder = None if known is None else _known(at, path, folder, known)
        if folder is not None:
            _belongs(folder, names[-1], beside)
        return os.open(names[-1], _READ, dir_fd=at)
    finally:
        os.close(at)


def _top(root: str) -> str:
    """The nearest folder of a repository from the root upwards, whose rules speak of all below; else the root."""
    at = root
    while not os.path.lexists(f"{at}/.git"):
        if not at:
            return root
        at = at.rpartition("/")[0]
    return at


def _known(at: int, path: str, above: Folder | None, known: Known) -> Folder | None:
    if path not in known:
        known[path] = _looked_at(at, path, above)
    return known[path]


def _looked_at(at: int, path: str, above: Folder | None) -> Folder | None:
    try:
        os.stat(".git", dir_fd=at, follow_symlinks=False)
    except OSError:
        if above is None:
            return None
        name = path.rpartition("/")[2]
        top, names, chain, by = above.top, (*above.names, name), above.chain, above.by
        rule = above.rule(name, folder=True) if by is None else None
        by = by if rule is None else (rule, path)
    else:
        top, names, chain, by = path, (), [], None
    found = rules(_data(at), f"{path}/{FILE}")
    return Folder(top, names, [*chain, (len(names), found)] if found else chain, by)


def _data(at: int) -> bytes:
    """The rules in an open folder; git takes none through a link either."""
    try:
        handle = os.open(FILE, _READ, dir_fd=at)
    except OSError:
        return b""
    try:
        return os.read(handle, MOST_BYTES)
    except OSError:
        return b""
    finally:
        os.close(handle)


def _belongs(folder: Folder, name: str, beside: Iterable[str]) -> None:
    """Raises BadQuestion for a file that its repository ignores."""
    if folder.by is None:
        rule = folder.rule(name)
        if rule is None:
            return
    else:
        rule, ignored = folder.by
        if any(f"{one}/".startswith(f"{ignored}/") for one in beside):
            return
    from specgen.cli.belonging.index import tracks  # most files are not ignored

    path = "/".join((*folder.names, name))
    if tracks(folder.top, path):
        return
    whole = f"{folder.top}/{path}"
    rules = os.path.relpath(rule.file)
    ways = f"`git add --force {os.path.relpath(whole)}`"
    if folder.by is None:  # git looks for nothing in a folder that it ignores
        ways += f", or `!{whole[len(rule.file) - len(FILE) - 1 :]}` at the end of `{rules}`,"
    message = f"it is ignored by `{rule.text}` in line {rule.line} of `{rules}`, and other clones lack it"
    raise BadQuestion(message, f"{ways} makes it a part of the repository")
