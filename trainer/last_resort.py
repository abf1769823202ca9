"""Ends a process in which no Python runs any more: a native call that holds the GIL stops the watchdog with it."""

from __future__ import annotations

import ctypes
import faulthandler
import signal
import sys
import threading
import time
from typing import NoReturn

_CLOCK_MONOTONIC, _SIGEV_SIGNAL = 1, 0  # linux/time.h, bits/sigevent-consts.h of glibc
_STACKS_BEFORE_S = 2.0  # the stacks are written so much earlier than the process is killed
_TICK_S = 1.0


class _Event(ctypes.Structure):
    """struct sigevent of glibc, 64 bytes."""

    _fields_ = [
        ("value", ctypes.c_void_p),
        ("signal", ctypes.c_int),
        ("notify", ctypes.c_int),
        ("rest", ctypes.c_char * 48),
    ]


class _Times(ctypes.Structure):
    """struct itimerspec: interval and first expiry, each in seconds and nanoseconds."""

    _fields_ = [(name, ctypes.c_long) for name in ("every_s", "every_ns", "first_s", "first_ns")]


def keep_alive(limit: float) -> bool:
    """From now on this process writes its stacks and dies of SIGKILL, which every operator restarts, once no Python has
    run in it for ``limit`` seconds. False where the C library has no such timer."""
    try:
        library = ctypes.CDLL("librt.so.1", use_errno=True)
        create, settime = library.timer_create, library.timer_settime
    except (OSError, AttributeError):
        return False
    timer = ctypes.c_void_p()
    event = _Event(None, signal.SIGKILL, _SIGEV_SIGNAL, b"")
    if create(_CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(timer)):
        return False
    times = _Times(0, 0, int(limit), int(limit % 1 * 1e9))

    def run() -> NoReturn:
        while True:
            settime(timer, 0, ctypes.byref(times), None)
            # a thread of C of its own, which needs no GIL
            faulthandler.dump_traceback_later(max(0.1, limit - _STACKS_BEFORE_S), file=sys.__stderr__ or 2)
            time.sleep(_TICK_S)

    threading.Thread(target=run, name="last-resort", daemon=True).start()
    return True
