"""A folder and the new one beside it change places in one step (renameat2, or renameatx_np on macOS)."""

from __future__ import annotations

import errno
import os
import stat

from specgen.cli.folder.recover import STAGED, TREE, holder_of, recover
from specgen.cli.folder.steps import ENTER, sync, without_empty, write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

    from specgen.emit.tree import Change


# Of a tree of more files and folders than this, a small part is replaced without a new folder for all the rest: that
# takes a millisecond for each where the disk is far away.
_LARGE, _PART = 1000, 10


class Unable(Exception):
    """This folder cannot be exchanged: its files are replaced one by one."""


def exchange(above: str, name: str, change: Change) -> None:
    """The whole folder at once. Raises Unable where that cannot be, before anything has changed."""
    whole = os.path.join(above, name)
    little = change.standing > _LARGE and _PART * (len(change.write) + len(change.remove)) < change.standing
    if not name or little or _in_use(whole):
        raise Unable
    holder = holder_of(name)
    parent = os.open(above, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            os.mkdir(holder, 0o700, dir_fd=parent)
        except OSError as error:
            raise (Unable if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS) else error) from None
        try:
            beside = os.open(holder, ENTER, dir_fd=parent)
            try:
                exists = _staged(parent, name, beside, change)
                _swap(beside, parent, name, exists)
                os.fsync(parent)
            finally:
                os.close(beside)
        finally:
            recover(above, name)
    finally:
        os.close(parent)


def _in_use(whole: str) -> bool:
    """Whether a folder had better keep its identity: a shell or git stands in it, or a mount."""
    here = os.path.realpath(os.getcwd())
    real = os.path.realpath(whole)
    return f"{here}/".startswith(f"{real}/") or os.path.ismount(real) or os.path.lexists(os.path.join(real, ".git"))


def _staged(parent: int, name: str, beside: int, change: Change) -> bool:
    """The new tree in the folder ``beside``, on disk; whether there is an old one."""
    os.mkdir(TREE, dir_fd=beside)
    new = os.open(TREE, ENTER, dir_fd=beside)
    try:
        # whoever finds this tree later must know it from the old one
        os.symlink(str(os.fstat(new).st_ino), STAGED, dir_fd=beside)
        old = _old(parent, name)
        try:
            if old >= 0:
                _alike(old, new)
            folders: list[str] = []
            if old >= 0:
                _linked(old, new, "", {*change.write, *change.remove}, folders)
            write_all(new, change.files, change.write, like=old)
            without_empty(new, change.remove)
            if old >= 0:
                os.fchmod(new, stat.S_IMODE(os.fstat(old).st_mode))
        finally:
            if old >= 0:
                os.close(old)
        sync(new, [*change.write, *(f"{folder}/" for folder in folders)])
    finally:
        os.close(new)
    os.fsync(beside)
    return old >= 0


def _alike(old: int, new: int) -> None:
    """Gives a new folder, for now with all rights for its owner, whose the old one is and what it allows."""
    was, now = os.fstat(old), os.fstat(new)
    if (was.st_uid, was.st_gid) != (now.st_uid, now.st_gid):
        try:
            os.fchown(new, was.st_uid, was.st_gid)
        except PermissionError:
            raise Unable from None
    if _has_list(old) or _has_list(new):
        raise Unable
    os.fchmod(new, stat.S_IMODE(was.st_mode) | stat.S_IRWXU)


def _has_list(folder: int) -> bool:
    """Whether a folder has an access control list, which no mode says."""
    try:
        return any(name.startswith("system.posix_acl") for name in os.listxattr(folder))
    except (AttributeError, OSError):  # macOS, and file systems without
        return False


def _old(parent: int, name: str) -> int:
    """A handle of the folder as it is, -1: there is none. One that its owner made read-only stays as it is."""
    try:
        old = os.open(name, ENTER, dir_fd=parent)
    except FileNotFoundError:
        return -1
    if not os.access(name, os.W_OK | os.X_OK, dir_fd=parent):
        os.close(old)
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return old


def _linked(old: int, new: int, above: str, without: Container[str], folders: list[str]) -> None:
    """Everything of the old folder in the new one, but for the paths that change; ``folders`` takes what was made."""
    with os.scandir(old) as entries:
        inside = sorted((one.name, one.is_dir(follow_symlinks=False)) for one in entries)
    for name, folder in inside:
        if above + name in without:
            continue
        if not folder:
            try:
                os.link(name, name, src_dir_fd=old, dst_dir_fd=new, follow_symlinks=False)
            except OSError as error:
                no_links = error.errno in (errno.EPERM, errno.EMLINK, errno.EXDEV, errno.ENOTSUP)
                raise (Unable if no_links else error) from None
            continue
        os.mkdir(name, dir_fd=new)
        folders.append(above + name)
        below, there = os.open(name, ENTER, dir_fd=old), os.open(name, ENTER, dir_fd=new)
        try:
            _alike(below, there)
            _linked(below, there, f"{above}{name}/", without, folders)
            os.fchmod(there, stat.S_IMODE(os.fstat(below).st_mode))
        finally:
            os.close(below)
            os.close(there)


def _swap(beside: int, parent: int, name: str, exists: bool) -> None:
    """The tree changes places with the folder, or becomes it."""
    if not exists:
        os.rename(TREE, name, src_dir_fd=beside, dst_dir_fd=parent)
        return
    import ctypes

    try:
        libc = ctypes.CDLL(None, use_errno=True)
        # RENAME_EXCHANGE of Linux and RENAME_SWAP of macOS are both 2
        call = libc.renameat2 if hasattr(libc, "renameat2") else libc.renameatx_np
    except (OSError, AttributeError):
        raise Unable from None
    if call(beside, os.fsencode(TREE), parent, os.fsencode(name), 2):
        code = ctypes.get_errno()
        if code in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EBUSY, errno.EXDEV, errno.EPERM, errno.EACCES):
            raise Unable
        raise OSError(code, os.strerror(code))
