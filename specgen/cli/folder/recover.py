"""What a build left that was ended: the folder beside its output."""

from __future__ import annotations

import os

from specgen.cli.folder.steps import ENTER, content, entered, is_folder
from specgen.emit import ownership

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable

# In the folder beside: the new tree, or the old one once they have changed places, and which of both it was at first.
TREE, STAGED = "tree", "staged"


def holder_of(name: str) -> str:
    """The folder beside a folder, in which the new tree is put together and the old one is taken apart."""
    return f".{name}.specgen"


def recover(above: str, name: str) -> None:
    """Takes away the folder beside a folder: the new tree that a build left, or the old one, which was exchanged."""
    try:
        parent = os.open(above, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except PermissionError:
        return
    try:
        holder = holder_of(name)
        if not is_folder(parent, holder):
            return
        beside = os.open(holder, ENTER, dir_fd=parent)
        try:
            if is_folder(beside, TREE):
                _apart(parent, name, beside)
            try:
                os.unlink(STAGED, dir_fd=beside)
            except FileNotFoundError:
                pass
        finally:
            os.close(beside)
        os.rmdir(holder, dir_fd=parent)
    finally:
        os.close(parent)


def _apart(parent: int, name: str, beside: int) -> None:
    """Takes the tree apart: a new one holds links and copies alone, in an old one may be what came in the meantime."""
    number = os.stat(TREE, dir_fd=beside, follow_symlinks=False).st_ino
    try:
        new = os.readlink(STAGED, dir_fd=beside) == str(number)
    except OSError:
        new = False
    if new:
        discard(beside, TREE, None, -1)
        return
    try:
        out = os.open(name, ENTER, dir_fd=parent)
    except FileNotFoundError:
        out = -1
    try:
        tree = os.open(TREE, ENTER, dir_fd=beside)
        try:
            ours = {ownership.FILE, *_listed(tree), *(_listed(out) if out >= 0 else ())}
        finally:
            os.close(tree)
        discard(beside, TREE, ours, out)
    finally:
        if out >= 0:
            os.close(out)


def _listed(at: int) -> Iterable[str]:
    # a list that cannot be read just now is no empty one: all files would then be somebody else's
    data = content(at, ownership.FILE, surely=True)
    return ownership.read(data.decode("utf-8", "replace")) or () if data is not None else ()


def discard(at: int, name: str, ours: Container[str] | None, out: int, path: str = "") -> None:
    """Takes away a folder, with the files that are ``ours`` or stand in the folder ``out`` as well.

    Others came while the two changed places: they go back to where they were, unless a later one stands there by now.
    ``ours`` None: all of them.
    """
    here = os.open(name, ENTER, dir_fd=at)
    try:
        try:
            os.fchmod(here, 0o700)
        except OSError:
            pass  # it is another user's, and what can be done with it will show
        with os.scandir(here) as entries:
            inside = [(one.name, one.is_dir(follow_symlinks=False)) for one in entries]
        for one, folder in inside:
            below = f"{path}{one}"
            if folder:
                discard(here, one, ours, out, f"{below}/")
            elif ours is None or below in ours or _is_same(here, one, out, below):
                os.unlink(one, dir_fd=here)
            else:
                there = entered(out, below.split("/")[:-1])
                try:
                    if _is_older(here, there, one):
                        os.unlink(one, dir_fd=here)
                    else:
                        os.rename(one, one, src_dir_fd=here, dst_dir_fd=there)
                finally:
                    os.close(there)
    finally:
        os.close(here)
    os.rmdir(name, dir_fd=at)


def _is_older(here: int, there: int, name: str) -> bool:
    """Whether a file was written before another one of its name."""
    try:
        other = os.stat(name, dir_fd=there, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.stat(name, dir_fd=here, follow_symlinks=False).st_mtime_ns < other.st_mtime_ns


def _is_same(here: int, name: str, out: int, path: str) -> bool:
    """Whether a file is linked to the same path in the folder ``out``."""
    if out < 0:
        return False
    known = os.stat(name, dir_fd=here, follow_symlinks=False)
    at = os.dup(out)
    try:
        for step in path.split("/")[:-1]:
            below = os.open(step, ENTER, dir_fd=at)
            os.close(at)
            at = below
        other = os.stat(name, dir_fd=at, follow_symlinks=False)
    except OSError:
        return False
    finally:
        os.close(at)
    return (known.st_ino, known.st_dev) == (other.st_ino, other.st_dev)
