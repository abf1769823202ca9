"""Files of a folder replaced one by one, for folders that cannot be exchanged: first a journal, then what it says.

The journal is a folder inside: all new files, the list of what goes, and the list of specgen's own with both sides of
each file. Renaming that last one to its place is the step from the old tree to the new one. A build that is ended
before it has changed nothing; one that is ended after it has, and the next build goes on from there, unless somebody
else has changed one of the files by then.
"""

from __future__ import annotations

import errno
import os

from specgen.cli.folder.recover import discard
from specgen.cli.folder.steps import ENTER, content, entered, is_folder, sync, without_empty, write_all
from specgen.emit import ownership

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from specgen.emit.tree import Change

# In the journal: the new files, the list with both sides, and what becomes of which path: `+PATH` or `-PATH` a line.
_TREE, _BETWEEN, _PLAN = "tree", "between", "plan"


def one_by_one(whole: str, change: Change) -> None:
    """File by file, each as a whole: what is new waits inside until all of it is on disk."""
    try:
        os.mkdir(whole)
    except FileExistsError:
        pass
    top = os.open(whole, ENTER)
    try:
        _writable(top, [*change.write, *change.remove])
        written = [path for path in change.write if path != ownership.FILE]
        try:
            _begin(top, change, written)
            _end(top, written, change.remove)
        except BaseException:
            resume(top, asked=True)  # what is begun is ended, where that can be
            raise
    finally:
        os.close(top)


def resume(top: int, *, asked: bool = False) -> None:
    """Ends what the journal in an open folder says, or takes it away where it says nothing, or too late.

    ``asked``: whatever the files are that it replaces, since this run means them.
    """
    if not is_folder(top, ownership.JOURNAL):
        return
    inside = os.open(ownership.JOURNAL, ENTER, dir_fd=top)
    try:
        plan = content(inside, _PLAN, surely=True)
        begun = plan is not None and not _is_there(inside, _BETWEEN)
    finally:
        os.close(inside)
    lines = (plan or b"").decode().splitlines()
    written = [line[1:] for line in lines if line.startswith("+")]
    removed = [line[1:] for line in lines if line.startswith("-")]
    if begun and (asked or _is_own(top, [*written, *removed])):
        _end(top, written, removed)
    else:
        _abandon(top)


def _writable(top: int, paths: Iterable[str]) -> None:
    """Raises PermissionError for a folder in which nothing may be changed, before anything is."""
    for folder in sorted({path.rpartition("/")[0] or "." for path in paths}):
        try:
            os.stat(folder, dir_fd=top)
        except (FileNotFoundError, NotADirectoryError):
            continue
        if not os.access(folder, os.W_OK | os.X_OK, dir_fd=top):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _begin(top: int, change: Change, written: Sequence[str]) -> None:
    """Writes the journal, and takes the step when all of it is on disk."""
    os.mkdir(ownership.JOURNAL, 0o700, dir_fd=top)
    inside = os.open(ownership.JOURNAL, ENTER, dir_fd=top)
    try:
        os.mkdir(_TREE, dir_fd=inside)
        tree = os.open(_TREE, ENTER, dir_fd=inside)
        try:
            write_all(tree, change.files, [*written, ownership.FILE], like=top)
        finally:
            os.close(tree)
        plan = "".join([f"+{path}\n" for path in written] + [f"-{path}\n" for path in change.remove])
        write_all(inside, {_BETWEEN: change.between, _PLAN: plan}, (_BETWEEN, _PLAN))
        sync(top, [f"{ownership.JOURNAL}/{_TREE}/{path}" for path in (*written, ownership.FILE)])
        os.rename(_BETWEEN, ownership.FILE, src_dir_fd=inside, dst_dir_fd=top)
    finally:
        os.close(inside)


def _end(top: int, written: Sequence[str], removed: Sequence[str]) -> None:
    """Does what is still to be done of a journal, each part of which may have been done."""
    inside = os.open(ownership.JOURNAL, ENTER, dir_fd=top)
    try:
        os.fsync(inside)
        os.fsync(top)
        tree = os.open(_TREE, ENTER, dir_fd=inside)
        try:
            for path in written:
                _move(tree, top, path)
            for path in removed:
                _remove(top, path)
            without_empty(top, removed)
            sync(top, [*written, *removed])
            _move(tree, top, ownership.FILE)
            os.fsync(top)
        finally:
            os.close(tree)
    finally:
        os.close(inside)
    _abandon(top)


def _abandon(top: int) -> None:
    """Takes the journal away; first what makes it one."""
    try:
        inside = os.open(ownership.JOURNAL, ENTER, dir_fd=top)
    except FileNotFoundError:
        return
    try:
        os.unlink(_PLAN, dir_fd=inside)
    except FileNotFoundError:
        pass
    finally:
        os.close(inside)
    discard(top, ownership.JOURNAL, None, -1)


def _is_there(at: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=at, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _is_own(top: int, paths: Iterable[str]) -> bool:
    """Whether all of the files are as specgen wrote them once, or absent."""
    listed = content(top, ownership.FILE, surely=True)
    owned = (ownership.read(listed.decode("utf-8", "replace")) if listed is not None else None) or {}
    for path in paths:
        *steps, name = path.split("/")
        try:
            at = entered(top, steps, make=False)
        except FileNotFoundError:
            continue
        except OSError:
            return False  # a link or a file stands in the place of a folder
        try:
            data = content(at, name, surely=True)
            known = not _is_there(at, name) if data is None else ownership.digest(data) in owned.get(path, ((), ""))[0]
        finally:
            os.close(at)
        if not known:
            return False
    return True


def _move(tree: int, top: int, path: str) -> None:
    *steps, name = path.split("/")
    try:
        source = entered(tree, steps, make=False)
    except FileNotFoundError:
        return
    try:
        if not _is_there(source, name):
            return
        at = entered(top, steps)
        try:
            os.rename(name, name, src_dir_fd=source, dst_dir_fd=at)
        finally:
            os.close(at)
    finally:
        os.close(source)


def _remove(top: int, path: str) -> None:
    *steps, name = path.split("/")
    try:
        at = entered(top, steps, make=False)
    except FileNotFoundError:
        return
    try:
        os.unlink(name, dir_fd=at)
    except FileNotFoundError:
        pass
    finally:
        os.close(at)
