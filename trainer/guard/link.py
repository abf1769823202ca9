"""A member's connection to the hub. Its end is the end of a life: the kernel closes it when a guard dies."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from dataclasses import asdict

from trainer.faults import PEER, Fault
from trainer.guard.members import Member
from trainer.guard.options import Options
from trainer.guard.wire import Channel


def connect(
    member: Member, port: int, options: Options, stop: Callable[[], None], say: Callable[[str], None]
) -> Channel:
    """``stop`` raises what this guard is to leave with. Raises Fault(138) naming what does not answer."""
    host = "127.0.0.1" if member.number == 0 else member.address  # the name of a Service resolves once its pod is ready
    begin = time.monotonic()
    told, pause = 10.0, 0.05
    while True:
        stop()
        try:
            connection = socket.create_connection((host, port), 2.0)
            break
        except socket.gaierror as error:
            why = f"the name `{host}` does not resolve: {error.strerror}"
        except OSError as error:
            why = f"`{host}:{port}` does not answer: {error.strerror or error}"
        past = time.monotonic() - begin
        if past > options.meet_limit:
            remedy = "see that pod's log; the guards' port must be open between pods"
            raise Fault(PEER, f"{member.name()} does not reach {member.unit} 0 after {past:.0f} s: {why}", (0,), remedy)
        if past > told:
            told += 10.0
            say(f"does not reach {member.unit} 0 after {past:.0f} s: {why}")
        time.sleep(pause)
        pause = min(1.0, pause * 1.5)
    channel = Channel(connection)
    channel.send({"member": asdict(member)})
    return channel
