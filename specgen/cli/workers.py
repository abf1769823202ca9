"""Parts of a run in processes of their own: forked, so that what was read already need not be read again."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from multiprocessing.connection import Connection
    from typing import TypeVar

    T = TypeVar("T")


def together(parts: Sequence[Callable[[], T]]) -> list[T]:
    """What each part gives, in their order. The first one stays in this process; what any of them raises is raised.

    An interruption ends all of them, and this process alone answers it.
    """
    from multiprocessing import get_all_start_methods, get_context
    from signal import SIG_BLOCK, SIG_SETMASK, SIGINT, pthread_sigmask

    if "fork" not in get_all_start_methods():
        return [part() for part in parts]
    context = get_context("fork")
    others = []
    try:
        # one that comes between a fork and the child's own answer to it would be told there
        before = pthread_sigmask(SIG_BLOCK, (SIGINT,))
        try:
            for part in parts[1:]:
                ours, theirs = context.Pipe(duplex=False)
                process = context.Process(target=_give, args=(theirs, part), daemon=True)
                process.start()
                theirs.close()
                others.append((process, ours))
        finally:
            pthread_sigmask(SIG_SETMASK, before)
        found = [part() for part in parts[:1]]
        for process, ours in others:
            value, error = ours.recv()
            process.join()
            if error is not None:
                raise error
            found.append(value)
    except BaseException:
        for process, ours in others:
            process.kill()
            process.join()
            ours.close()
        raise
    return found


def _give(pipe: Connection, part: Callable[[], T]) -> None:
    from signal import SIG_DFL, SIG_IGN, SIG_UNBLOCK, SIGINT, getsignal, pthread_sigmask, signal

    if getsignal(SIGINT) != SIG_IGN:  # as in the background of a shell
        signal(SIGINT, SIG_DFL)
    pthread_sigmask(SIG_UNBLOCK, (SIGINT,))
    try:
        pipe.send((part(), None))
    except Exception as error:
        pipe.send((None, error))
    pipe.close()
