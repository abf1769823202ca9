"""Where the guards meet, a thread of member 0's guard: names the absent, passes stops on, finds the verdict."""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import threading
import time
from collections.abc import Callable

from trainer.faults import DISAGREE, INTERRUPTED, PEER, STOPPED, Fault
from trainer.guard import judge
from trainer.guard.judge import Seat, Verdict
from trainer.guard.members import Member
from trainer.guard.options import Options
from trainer.guard.wire import Channel, Message

TICK_S = 0.1
BEAT_S = 1.0
FAREWELL_S = 5.0  # beyond the grace, in which the members take leave after a verdict


class Hub:
    """``port`` is where it listens. Only its own thread touches the rest."""

    def __init__(self, member: Member, options: Options, say: Callable[[str], None]) -> None:
        self.count = member.count
        self.unit = member.unit
        self.options = options
        self.say = say
        self.server = listen(member.port if member.count > 1 else 0)
        self.port: int = self.server.getsockname()[1]
        self.seats: dict[int, Seat] = {}  # by the member's number
        self.strangers: list[Channel] = []  # who has not yet said who it is
        self.refused: list[str] = []
        self.stopped = ""  # who asked the job to stop
        self.stopped_at = 0.0
        self.stop_at: int | None = None  # the call of should_stop at which all stop
        self.symptom: float | None = None  # when the first broken connection was reported
        self.verdict: Verdict | None = None
        self.selector = selectors.DefaultSelector()
        self.thread = threading.Thread(target=self._run, name="hub", daemon=True)

    def start(self) -> None:
        self.server.setblocking(False)
        self.selector.register(self.server, selectors.EVENT_READ)
        self.thread.start()

    def _run(self) -> None:
        begin = now = time.monotonic()
        told, beat, interval = begin + 10.0, begin, begin
        met = False
        while self.verdict is None:
            self._listen(TICK_S)
            before, now = now, time.monotonic()
            if now - before > BEAT_S + TICK_S:  # this process was stopped: the others' words are still to be read
                for seat in self.seats.values():
                    seat.heard += now - before
                continue
            if now - beat > BEAT_S:
                beat = now
                self._tell({"alive": True})
            if not met:
                met = len(self.seats) == self.count
                if met:
                    self._tell({"go": True})
                    if self.count > 1:
                        self.say(f"{self.count} {self.unit}s have met after {now - begin:.1f} s")
                elif now - begin > self.options.meet_limit:
                    self.verdict = Verdict(PEER, f"{self._absent()} after {now - begin:.0f} s", self._missing())
                elif now > told:
                    told += 10.0
                    self.say(f"{self._absent()} after {now - begin:.0f} s")
            if met and now - interval > judge.INTERVAL_S:
                interval = now
                for line in judge.stragglers(list(self.seats.values())):
                    self.say(line)
            self.verdict = self.verdict or self._judge(met, now)
        self._tell(self.verdict.message())
        end = time.monotonic() + self.options.grace + FAREWELL_S
        while time.monotonic() < end and not self._all_have_left():
            self._listen(TICK_S)
            for stranger in self.strangers:
                stranger.send(self.verdict.message())

    def _all_have_left(self) -> bool:
        """The culprits may never answer. Member 0 is this process: it is only to be told, and may not have come yet."""
        culprits = self.verdict.culprits if self.verdict else ()
        awaited = [seat for number, seat in self.seats.items() if number and number not in culprits]
        return 0 in self.seats and all(seat.channel.closed for seat in awaited)

    def _missing(self) -> list[int]:
        return [number for number in range(self.count) if number not in self.seats]

    def _absent(self) -> str:
        text = f"{self.unit}s missing: {self._missing()} of {self.count}"
        return "; ".join([text, *self.refused])

    def _judge(self, met: bool, now: float) -> Verdict | None:
        seats = list(self.seats.values())
        if self.stopped:
            return self._judge_stop(seats, met, now)
        verdict = judge.of_failures(seats) or judge.of_life(seats, self.options, now)
        if met:
            verdict = verdict or judge.of_ends(seats, "", self.symptom, now)
            verdict = verdict or judge.of_phases(seats, self.options) or judge.of_idleness(seats, self.options)
        return verdict

    def _judge_stop(self, seats: list[Seat], met: bool, now: float) -> Verdict | None:
        """Once the job was asked to stop, an end of whatever kind is what was asked for."""
        for seat in seats:
            if seat.channel.closed and seat.ended is None:
                seat.ended = {"code": STOPPED, "reason": "gone", "symptom": False, "remedy": ""}
        code = INTERRUPTED if self.stopped.startswith("SIGINT") else STOPPED
        if not met:
            return Verdict(code, f"stopped by {self.stopped} before all had met")
        if now - self.stopped_at > self.options.grace + FAREWELL_S:
            silent = [seat.name for seat in seats if seat.ended is None]
            return Verdict(code, f"stopped by {self.stopped}; no answer from {', '.join(silent)}")
        return judge.of_ends(seats, self.stopped, None, now)

    # -- messages -----------------------------------------------------------------------------------------------------
    def _tell(self, message: Message) -> None:
        for seat in self.seats.values():
            seat.channel.send(message)

    def _listen(self, seconds: float) -> None:
        for key, _ in self.selector.select(seconds):
            if key.fileobj is self.server:
                with contextlib.suppress(OSError):
                    channel = Channel(self.server.accept()[0])
                    self.strangers.append(channel)
                    self.selector.register(channel, selectors.EVENT_READ, channel)
                continue
            channel = key.data
            for message in channel.receive():
                self._hear(channel, message)
            if channel.closed:
                self.selector.unregister(channel)
                channel.close()
                self.strangers = [stranger for stranger in self.strangers if stranger is not channel]
        for seat in self.seats.values():
            seat.channel.flush()

    def _hear(self, channel: Channel, message: Message) -> None:
        seat = next((seat for seat in self.seats.values() if seat.channel is channel), None)
        if seat is None:
            self._greet(channel, message)
            return
        seat.heard = time.monotonic()
        if "beat" in message:
            seat.beat = message["beat"]
        if "ended" in message:
            seat.ended = message["ended"]
            if seat.ended["symptom"] and self.symptom is None:
                self.symptom = seat.heard
        if "stop" in message and not self.stopped:
            self.stopped = f"{message['stop']}, which came to {seat.name}"
            self.stopped_at = seat.heard
            self._tell({"stop": self.stopped})
        if "at" in message:
            seat.stands_at = message["at"]
        if self.stopped and self.stop_at is None:
            self._agree_on_stop()

    def _agree_on_stop(self) -> None:
        """Once every guard has told its ranks. A rank that holds at a call keeps the others from passing the next one,
        but some may have passed the same call before they were told: all stop at the one after."""
        running = [seat for seat in self.seats.values() if seat.ended is None]
        places = [seat.stands_at for seat in running if seat.stands_at is not None]
        if places and all(seat.beat.get("stopping") for seat in running):
            self.stop_at = max(places) + 1
            self._tell({"stop_at": self.stop_at})

    def _greet(self, channel: Channel, message: Message) -> None:
        try:
            member = Member(**message["member"])
        except (KeyError, TypeError):
            channel.closed = True
            return
        if member.count != self.count:
            text = f"{member.name()} counts {member.count} members, member 0 counts {self.count}"
            self.verdict = Verdict(DISAGREE, text, (member.number,))
        elif member.number in self.seats and not self.seats[member.number].channel.closed:
            first = self.seats[member.number].member
            text = f"{self.unit} {member.number} is claimed twice: by {first.where()} (process {first.process}) and by "
            self.refused.append(text + f"{member.where()} (process {member.process})")
            channel.send({"refused": self.refused[-1]})
            return
        self.strangers = [stranger for stranger in self.strangers if stranger is not channel]
        self.seats[member.number] = Seat(member, channel, time.monotonic())
        if self.verdict:
            channel.send(self.verdict.message())


def listen(port: int) -> socket.socket:
    """On all addresses; waits for a predecessor to leave. Raises Fault(138)."""
    six, end = socket.has_dualstack_ipv6(), time.monotonic() + 5.0
    while True:
        try:
            family = socket.AF_INET6 if six else socket.AF_INET
            return socket.create_server(("", port), family=family, backlog=1024, dualstack_ipv6=six)
        except OSError as error:
            if time.monotonic() > end:
                text = f"the guards' port {port} on {socket.gethostname()} is taken: {os.strerror(error.errno or 0)}"
                raise Fault(PEER, text, (0,), "free it, or set another with --address HOST:PORT") from None
            time.sleep(0.2)
