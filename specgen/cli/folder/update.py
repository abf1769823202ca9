"""One change of a folder at a time: the lock, and which way is gone."""

from __future__ import annotations

import errno
import os

from specgen.cli.folder.exchange import Unable, exchange
from specgen.cli.folder.recover import recover
from specgen.cli.folder.standing import LINKED, refused
from specgen.cli.folder.steps import ENTER
from specgen.diagnostics.model import BadQuestion
from specgen.emit import ownership

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from specgen.emit.tree import Change

    T = TypeVar("T")


def update(out: str, decide: Callable[[], tuple[Change | None, T]]) -> T:
    """Brings a folder to what ``decide`` says of it, which is asked while no other build may change it.

    ``decide`` gives the change, None where nothing shall be written, and an answer that is passed on. Raises
    BadQuestion where the folder cannot be written, and has changed nothing then.
    """
    whole = os.path.abspath(out)
    above, name = os.path.split(whole)
    if os.path.islink(whole):
        raise BadQuestion(f"{out}: {LINKED}")
    try:
        os.makedirs(above, exist_ok=True)
        lock = _locked(above if name else whole)
    except OSError as error:
        raise refused(out, error) from None
    try:
        if name:
            recover(above, name)
        _resume(whole)
        change, answer = decide()
        if change is not None and (change.write or change.remove):
            try:
                exchange(above, name, change)
            except Unable:
                from specgen.cli.folder.one_by_one import one_by_one

                one_by_one(whole, change)
        return answer
    except OSError as error:
        raise refused(out, error) from None
    finally:
        if lock >= 0:
            os.close(lock)


def unchanged(out: str, look: Callable[[], T]) -> T:
    """What is seen of a folder while no build changes it; nothing is written, nor mended that a build has left."""
    above, name = os.path.split(os.path.abspath(out))
    try:
        lock = _locked(above if name else out, shared=True)
    except OSError:
        lock = -1  # there is none, or nobody may look into it: what that means is said of the folder itself
    try:
        return look()
    finally:
        if lock >= 0:
            os.close(lock)


def _resume(whole: str) -> None:
    """Goes on where a build was ended that replaced the files one by one."""
    if os.path.lexists(os.path.join(whole, ownership.JOURNAL)):
        from specgen.cli.folder.one_by_one import resume

        top = os.open(whole, ENTER)
        try:
            resume(top)
        finally:
            os.close(top)


def _locked(folder: str, *, shared: bool = False) -> int:
    """A handle that holds the lock of a folder; -1 where its file system has none."""
    import fcntl

    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except PermissionError:
        return -1
    try:
        fcntl.flock(handle, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
    except OSError as error:
        if error.errno == errno.EINTR:
            os.close(handle)
            raise
    return handle
