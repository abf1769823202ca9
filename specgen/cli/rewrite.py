"""The one way to write a file that a user names: as a whole or not at all, and never in place of anything else.

A link is followed, as by ``> file`` of a shell: what it names is written, and the link stays. A device, a FIFO or a
pipe is written through. Whole folders are written by ``folder``.
"""

from __future__ import annotations

import errno
import os
import stat

from specgen.diagnostics.model import BadQuestion
from specgen.version import GENERATOR


def write_named(path: str, text: str) -> bool:
    """As ``write_text``. Raises BadQuestion, which names the file, where it cannot be written."""
    try:
        return write_text(path, text)
    except OSError as error:
        raise BadQuestion(f"{path or repr(path)}: {reason(error)}") from None


def reason(error: OSError) -> str:
    """Why a file is not written, as clauses say it."""
    if isinstance(error, IsADirectoryError):
        return "it is a folder"
    return (error.strerror or "it cannot be written").lower()


def write_text(path: str, text: str) -> bool:
    """Writes a file through a temporary name beside it, only if its bytes change; False if they were the same.

    A file that was there keeps its owner, and who may read and write it. Raises OSError; what stood there still does.
    """
    data = text.encode()
    known = None
    try:
        known = os.stat(path)
    except FileNotFoundError:
        pass
    # `/dev/fd/3` may be a pipe, or a file whose name is gone: it has no place in a folder
    target = os.path.realpath(path)
    if known is not None and not (stat.S_ISREG(known.st_mode) and _is(target, known)):
        _through(path, data)
        return True
    if known is not None and known.st_size == len(data) and _read(target) == data:
        return False
    if not path or path.endswith("/"):
        # what a slash follows is a folder
        open(path, "wb").close()
    _replace(target, data, known)
    return True


def unheld(path: str | None, usual: str) -> None:
    """Raises BadQuestion where a file stands that is no picture or page of specgen's. ``usual``: what it may be called.

    A device or a FIFO loses nothing by what is written into it, and an empty file holds nothing.
    """
    if path is None:
        return
    if os.path.isdir(path):
        raise BadQuestion(f"{path}: it is a folder", f"name a file in it: `{os.path.join(path, usual)}`")
    if os.path.isfile(path):
        try:
            with open(path, "rb") as file:
                start = file.read(_START)
        except OSError as error:
            raise BadQuestion(f"{path}: {reason(error)}") from None
        if start.strip() and GENERATOR.encode() not in start:
            message = f"{path}: there is such a file, and specgen did not write it"
            raise BadQuestion(message, "name another file, or remove this one")


# So far into a file stands who wrote it.
_START = 1024


def _is(path: str, known: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.stat(path), known)
    except OSError:
        return False


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None  # it may be written and not be read


def _through(path: str, data: bytes) -> None:
    # of a folder the system says that it is one, of a FIFO that nobody reads that there is no such device
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(errno.ENXIO, "nobody reads this pipe") from None
        raise
    os.set_blocking(handle, True)
    with os.fdopen(handle, "wb") as file:
        file.write(data)


def _replace(path: str, data: bytes, known: os.stat_result | None) -> None:
    """``path``: no link. ``known``: the file that is there."""
    folder = os.path.dirname(path) or "."
    os.makedirs(folder, exist_ok=True)
    # a number of its own: those of processes are the same in each container
    temporary = os.path.join(folder, f".specgen-{os.urandom(8).hex()}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            if known is not None:
                if (known.st_uid, known.st_gid) != (os.geteuid(), os.getegid()):
                    _give(handle, known)
                os.fchmod(handle, stat.S_IMODE(known.st_mode))
            file.flush()
            os.fsync(handle)
        os.replace(temporary, path)
    except BaseException:
        try:
            os.unlink(temporary)
        except OSError:
            pass
        raise


def _give(handle: int, known: os.stat_result) -> None:
    try:
        os.fchown(handle, known.st_uid, known.st_gid)
    except OSError:
        pass  # only root gives files away, and who may write this one may take it over
