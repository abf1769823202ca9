"""Takes the calls of the script's processes: phases, questions whether to stop, committed checkpoints."""

from __future__ import annotations

import selectors
import socket
import time
from dataclasses import dataclass, field
from typing import Any

from trainer.guard.wire import Channel, Message


@dataclass
class Caller:
    """A process of the script that calls."""

    channel: Channel
    label: str = ""  # `rank 3`, where its environment says so
    phase: str = ""
    step: int | None = None
    since: float = 0.0  # when the phase began
    asks: bool = False  # calls should_stop
    stands_at: int | None = None  # at this call of it, once it was asked to stop
    totals: dict[str, float] = field(default_factory=dict)  # seconds by phase, and the number of steps


class Desk:
    def __init__(self, name: str, selector: selectors.BaseSelector) -> None:
        self.selector = selector
        self.server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.server.bind("\0" + name)
        self.server.listen(64)
        self.server.setblocking(False)
        selector.register(self.server, selectors.EVENT_READ, self.accept)
        self.callers: list[Caller] = []
        self.committed: int | None = None  # the highest step of a committed checkpoint
        self.stopping = False

    def accept(self) -> None:
        caller = Caller(Channel(self.server.accept()[0]))
        self.callers.append(caller)
        self.selector.register(caller.channel, selectors.EVENT_READ, lambda: self._serve(caller))

    def _serve(self, caller: Caller) -> None:
        for message in caller.channel.receive():
            self._hear(caller, message)
        if caller.channel.closed:
            self.selector.unregister(caller.channel)
            caller.channel.close()
            self.callers.remove(caller)

    def _hear(self, caller: Caller, message: Message) -> None:
        now = time.monotonic()
        if message.get("rank"):
            caller.label = f"rank {message['rank']}"
        if "phase" in message:
            if caller.phase:
                caller.totals[caller.phase] = caller.totals.get(caller.phase, 0.0) + now - caller.since
            if message["step"] != caller.step:
                caller.totals["steps"] = caller.totals.get("steps", 0) + 1
            caller.phase, caller.step, caller.since = message["phase"], message["step"], now
        if "asks" in message:
            caller.asks = True
            if self.stopping:
                caller.channel.send({"stop": True})
        if "at" in message:
            caller.stands_at = message["at"]
        if "committed" in message:
            self.committed = max(self.committed or 0, message["committed"])

    @property
    def asks(self) -> bool:
        return any(caller.asks for caller in self.callers)

    def tell(self, message: Message) -> None:
        self.stopping = self.stopping or "stop" in message
        for caller in self.callers:
            if caller.asks:
                caller.channel.send(message)

    def stands_at(self) -> int | None:
        """The furthest call of should_stop at which a process holds."""
        return max((caller.stands_at for caller in self.callers if caller.stands_at is not None), default=None)

    def ranks(self) -> dict[str, Any]:
        """What the hub is told of those that say phases."""
        now = time.monotonic()
        return {
            caller.label: {
                "phase": caller.phase,
                "step": caller.step,
                "age": round(now - caller.since, 1),
                "totals": caller.totals,
            }
            for caller in self.callers
            if caller.phase
        }
