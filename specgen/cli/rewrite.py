"""Files that specgen writes one by one, each as a whole or not at all."""

from __future__ import annotations

import os
import stat


def write_text(path: str, text: str) -> bool:
    """Writes a file through a temporary name beside it, only if its bytes change; False if they were the same.

    A link in its place is replaced, never written through. A file that was there keeps who may read and write it.
    """
    data = text.encode()
    mode = None
    try:
        # a link is not followed, and nobody waits for a FIFO or reads a device
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:
            known = os.fstat(file.fileno())
            if stat.S_ISREG(known.st_mode):
                if known.st_size == len(data) and file.read() == data:
                    return False
                mode = stat.S_IMODE(known.st_mode)
    except OSError:
        pass
    folder = os.path.dirname(path) or "."
    os.makedirs(folder, exist_ok=True)
    # a number of its own: those of processes are the same in each container
    temporary = os.path.join(folder, f".specgen-{os.urandom(8).hex()}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            if mode is not None:
                os.fchmod(handle, mode)
            file.flush()
            os.fsync(handle)
        os.replace(temporary, path)
    except BaseException:
        try:
            os.unlink(temporary)
        except OSError:
            pass
        raise
    return True
