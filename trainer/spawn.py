"""One process per GPU without torchrun: fork them, pass signals on, keep the first failure's exit code."""

from __future__ import annotations

import os
import signal
import socket
import sys
from types import FrameType

from trainer.env import Place
from trainer.faults import PEER, USAGE, Fault


def on_this_machine(place: Place, count: int) -> Place:
    """`--spawn N`: N ranks on one machine, or N in this pod where the environment counts them."""
    if place.world == 1:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        return Place(0, count, source="--spawn", master="127.0.0.1", port=port, spawn=count, said=place.said)
    if place.spawn != count:
        raise Fault(USAGE, f"`--spawn={count}` contradicts {max(place.spawn, 1)} processes per pod ({place.source})")
    return place


def start(place: Place) -> Place:
    """Returns in every child with its own place; the parent stays here, as a small init, until all have ended."""
    count = place.spawn
    children: dict[int, int] = {}
    received: list[int] = []

    def forward(number: int, _: FrameType | None) -> None:
        received.append(number)
        for child in children:
            os.kill(child, number)

    wanted = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2)
    signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
    for local in range(count):
        child = os.fork()
        if child == 0:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, wanted)
            rank = place.node * count + local
            return Place(
                rank,
                place.world,
                local,
                count,
                place.node,
                place.master,
                place.port,
                place.source,
                hosts_store=rank == 0,
                generation=place.generation,
                said=place.said,
            )
        children[child] = local
    for number in wanted:
        signal.signal(number, forward)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, wanted)
    code = 0
    while children:
        child, status = os.wait()
        if child in children:  # as PID 1 this process also reaps orphans of others
            local, ended = children.pop(child), os.waitstatus_to_exitcode(status)
            if ended < 0:
                print(f"trainer: process {local} of this pod died of signal {-ended}", file=sys.stderr, flush=True)
            code = code or (ended if ended >= 0 else PEER)
    os._exit(code)
