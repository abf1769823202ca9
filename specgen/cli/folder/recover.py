"""What a build left that was ended: the folder beside its output, or the files that waited inside."""

from __future__ import annotations

import os

from specgen.cli.folder.steps import ENTER, content, entered, is_folder
from specgen.emit import ownership

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable

# Where new files wait to be renamed, inside of a folder that cannot be exchanged.
INSIDE = ".specgen-new"


def holder_of(name: str) -> str:
    """The folder beside a folder, in which the new tree is put together and the old one is taken apart."""
    return f".{name}.specgen"


def recover(above: str, name: str, whole: str) -> None:
    """Takes away what a build left that was ended, or the old tree that this one has exchanged."""
    try:
        out = os.open(whole, ENTER)
    except FileNotFoundError:
        out = -1
    try:
        if out >= 0 and is_folder(out, INSIDE):
            discard(out, INSIDE, None, -1)
        if not name:
            return
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
                if is_folder(beside, "tree"):
                    tree = os.open("tree", ENTER, dir_fd=beside)
                    try:
                        ours = {ownership.FILE, *_listed(tree), *(_listed(out) if out >= 0 else ())}
                    finally:
                        os.close(tree)
                    discard(beside, "tree", ours, out)
            finally:
                os.close(beside)
            os.rmdir(holder, dir_fd=parent)
        finally:
            os.close(parent)
    finally:
        if out >= 0:
            os.close(out)


def _listed(at: int) -> Iterable[str]:
    # a list that cannot be read just now is no empty one: all files would then be somebody else's
    data = content(at, ownership.FILE, surely=True)
    return ownership.read(data.decode("utf-8", "replace")) or () if data is not None else ()


def discard(at: int, name: str, ours: Container[str] | None, out: int, path: str = "") -> None:
    """Takes away a folder, with the files that are ``ours`` or stand in the folder ``out`` as well.

    Others came while the two changed places: they go back to where they were. ``ours`` None: all of them.
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
                    os.rename(one, one, src_dir_fd=here, dst_dir_fd=there)
                finally:
                    os.close(there)
    finally:
        os.close(here)
    os.rmdir(name, dir_fd=at)


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
