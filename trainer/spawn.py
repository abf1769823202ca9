"""One process per GPU without torchrun: fork them, pass signals on, keep the first failure's exit code."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from dataclasses import replace
from types import FrameType

from trainer.env import Place
from trainer.faults import PEER, STOPPED
from trainer.signals import SIGNALS

PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of linux/prctl.h


def start(place: Place) -> Place:
    """Returns in every child with its own place; the parent stays here, as a small init, until all have ended."""
    count, children = place.spawn, dict[int, int]()

    def forward(number: int, _: FrameType | None) -> None:
        for child in children:
            os.kill(child, number)

    parent = os.getpid()
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    for local in range(count):
        child = os.fork()
        if child == 0:
            with contextlib.suppress(OSError, AttributeError):  # a parent that is killed can pass nothing on
                ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGTERM)
            if os.getppid() != parent:
                os._exit(STOPPED)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
            rank = place.node * count + local
            own = {"rank": rank, "local_rank": local, "local_world": count, "hosts_store": rank == 0, "spawn": 0}
            return replace(place, **own)  # type: ignore[arg-type]
        children[child] = local
    for number in SIGNALS:
        signal.signal(number, forward)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    code = 0
    while children:
        child, status = os.wait()
        if child in children:  # as PID 1 this process also reaps orphans of others
            local, ended = children.pop(child), os.waitstatus_to_exitcode(status)
            if ended < 0:
                print(f"trainer: process {local} of this pod died of signal {-ended}", file=sys.stderr, flush=True)
            code = code or (ended if ended >= 0 else PEER)
    os._exit(code)
