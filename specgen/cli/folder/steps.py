"""Files and folders below an open folder: from handle to handle, so that no link leads anywhere else."""

from __future__ import annotations

import errno
import os
import stat

from specgen.document.decode import MOST_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ENTER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
# From more files on, one call for their whole file system is quicker than one for each.
_MANY = 64


def content(at: int, name: str, *, surely: bool = False) -> bytes | None:
    """The bytes of a regular file of no unlikely length, else None. ``surely``: raises OSError if unknown."""
    try:
        handle = os.open(name, _READ, dir_fd=at)
    except OSError as error:
        # a link in the place of the file is known: it is none
        if surely and error.errno not in (errno.ENOENT, errno.ELOOP):
            raise
        return None
    try:
        known = os.fstat(handle)
        if not stat.S_ISREG(known.st_mode) or known.st_size > 4 * MOST_BYTES:
            return None
        data = os.read(handle, known.st_size + 1)
        while len(data) <= 4 * MOST_BYTES and (more := os.read(handle, 1 << 20)):
            data += more
        return data
    except OSError:
        if surely:
            raise
        return None
    finally:
        os.close(handle)


def is_folder(at: int, name: str) -> bool:
    try:
        return stat.S_ISDIR(os.stat(name, dir_fd=at, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return False


def entered(top: int, steps: Iterable[str], *, make: bool = True) -> int:
    """A handle of a folder below another, where it is missing made or FileNotFoundError; never through a link."""
    at = os.dup(top)
    for step in steps:
        try:
            try:
                below = os.open(step, ENTER, dir_fd=at)
            except FileNotFoundError:
                if not make:
                    raise
                os.mkdir(step, dir_fd=at)
                below = os.open(step, ENTER, dir_fd=at)
        finally:
            os.close(at)
        at = below
    return at


def write_all(top: int, texts: Mapping[str, str], paths: Iterable[str], *, like: int = -1) -> None:
    """New files below a folder; ``sync`` brings them to disk. What they replace in ``like`` says who may use them."""
    for path in paths:
        *steps, name = path.split("/")
        at = entered(top, steps)
        try:
            handle = os.open(name, MAKE, 0o644, dir_fd=at)
        finally:
            os.close(at)
        try:
            data = texts[path].encode()
            while data:
                data = data[os.write(handle, data) :]
            mode = _mode(like, path)
            if mode is not None and mode != stat.S_IMODE(os.fstat(handle).st_mode):
                os.fchmod(handle, mode)
        finally:
            os.close(handle)


def _mode(top: int, path: str) -> int | None:
    """Who may read and write a file, without the bits that give a program the rights of its owner."""
    if top < 0:
        return None
    try:
        mode = os.stat(path, dir_fd=top, follow_symlinks=False).st_mode
    except OSError:
        return None
    return stat.S_IMODE(mode) & 0o777 if stat.S_ISREG(mode) else None


def sync(top: int, paths: Iterable[str]) -> None:
    """Files below a folder and all folders that they lie in on disk; paths that are gone are folders that changed."""
    paths = list(paths)
    folders = {part for path in paths for part in _parts(path.rpartition("/")[0])}
    if len(paths) + len(folders) > _MANY:
        _sync(top)
        return
    for path in [*paths, *sorted(folders, reverse=True)]:
        try:
            handle = os.open(path, _READ, dir_fd=top)
        except (FileNotFoundError, NotADirectoryError):
            continue
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    os.fsync(top)


def _sync(handle: int) -> None:
    """All that was written to the file system of a handle on disk, or those of all where there is no such call."""
    try:
        import ctypes

        libc = ctypes.CDLL(None, use_errno=True)
        if libc.syncfs(handle):
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))
    except AttributeError:
        os.sync()


def without_empty(top: int, removed: Iterable[str]) -> None:
    """Takes away the folders that the removed files leave empty."""
    folders = {path.rpartition("/")[0] for path in removed}
    for folder in sorted({part for one in folders for part in _parts(one)}, key=len, reverse=True):
        try:
            os.rmdir(folder, dir_fd=top)
        except OSError:
            pass  # something else is in it, or it is gone


def _parts(folder: str) -> list[str]:
    steps = folder.split("/") if folder else []
    return ["/".join(steps[:end]) for end in range(1, len(steps) + 1)]
