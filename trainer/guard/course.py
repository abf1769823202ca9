"""The course of a guard: meet, start the script, watch it, take the verdict, end what is left, leave with its code."""

from __future__ import annotations

import os
import selectors
import shutil
import signal
import socket
import sys
import time
from collections.abc import Sequence

from trainer.faults import DONE, INTERRUPTED, PEER, STOPPED, USAGE, Fault
from trainer.guard import cause, last_words, link, members, options
from trainer.guard.desk import Desk
from trainer.guard.hub import BEAT_S, Hub
from trainer.guard.judge import Verdict, verdict_of
from trainer.guard.last_words import say
from trainer.guard.script import Script, keep

STOPS = (signal.SIGTERM, signal.SIGINT)
PASSED_ON = (signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP)
END_S = 5.0  # for the script's end once the job has failed: nothing is to be saved any more


def run(argv: Sequence[str]) -> int:
    """The exit code. Raises Fault(64) for arguments and environment that contradict."""
    chosen = options.read(argv, os.environ, sys.executable)
    return Guard(chosen, members.find(chosen, os.environ)).run()


def problem(command: Sequence[str]) -> str:
    """What keeps the command from starting, as far as it can be seen before; empty if nothing does."""
    if shutil.which(command[0]) is None:
        return f"`{command[0]}` is no program here"
    words = [word for word in command[1:] if not word.startswith("-")][:1]
    if os.path.basename(command[0]).startswith("python") and words and words[0].endswith(".py"):
        return "" if os.path.isfile(words[0]) else f"`{words[0]}` is no file here"
    return ""


class Guard:
    def __init__(self, chosen: options.Options, member: members.Member) -> None:
        self.options = chosen
        self.member = member
        self.came: list[int] = []  # signals, in order
        self.selector = selectors.DefaultSelector()
        self.name = f"trainer-guard-{os.getpid()}-{os.urandom(8).hex()}"
        self.keeper = keep(self.name)  # forked before there is a thread
        self.desk = Desk(self.name, self.selector)
        self.hub: Hub | None = None  # where this is member 0
        self.script: Script | None = None
        self.reported = False  # the script's end
        self.stop_sent = False  # to the hub
        self.stopping = 0.0  # since when the script is asked to stop
        self.stop_at_sent = False

    def run(self) -> int:
        wakes, woken = socket.socketpair()
        for one in (wakes, woken):
            one.setblocking(False)
        signal.set_wakeup_fd(woken.fileno(), warn_on_full_buffer=False)
        for number in (*STOPS, *PASSED_ON):
            signal.signal(number, lambda number, _: self.came.append(number))
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self.selector.register(wakes, selectors.EVENT_READ, lambda: wakes.recv(4096))
        stack = ""
        try:
            if self.member.number == 0:
                self.hub = Hub(self.member, self.options, say)
                self.hub.start()
            port = self.hub.port if self.hub else self.member.port
            self.channel = link.connect(self.member, port, self.options, self._stop_before_start, say)
            self.selector.register(self.channel, selectors.EVENT_READ, None)
            if wrong := problem(self.options.command):
                self._end(cause.End(USAGE, wrong))
            verdict: Fault = self._watch()
        except Fault as fault:
            verdict = fault
        culprit = not verdict.culprits or self.member.number in verdict.culprits
        if self.script:
            if isinstance(verdict, Verdict) and verdict.stacks and culprit:
                stack = self.script.stacks()
            over = verdict.code in (DONE, STOPPED, INTERRUPTED) and self.reported
            self.script.end(0.0 if over else min(END_S, self.options.grace))
        last_words.leave(self.options.termination_log, verdict, self.member.name(), self.desk.committed, stack)
        if hasattr(self, "channel"):
            self.channel.close()
        if self.hub:
            self.hub.thread.join(self.options.grace + 10.0)
        return verdict.code

    def _stop_before_start(self) -> None:
        if self.came and self.came[0] in STOPS:
            raise Fault(128 + self.came[0], f"stopped by {signal.Signals(self.came[0]).name} before the script began")

    def _watch(self) -> Fault:
        """Until there is a verdict."""
        beat = heard = before = time.monotonic()
        while True:
            verdict = None
            for key, _ in self.selector.select(0.2):
                if key.data is not None:
                    key.data()
                    continue
                for message in self.channel.receive():
                    heard = time.monotonic()
                    if "refused" in message:
                        return Fault(PEER, message["refused"])
                    if "verdict" in message:
                        verdict = verdict_of(message)
                    elif "go" in message:
                        self.script = Script(self.options.command, self.name, self.keeper)
                        say(f"{self.member.name()} starts `{' '.join(self.options.command)}`")
                    elif "stop" in message:
                        self._stop(message["stop"])
                    elif "stop_at" in message:
                        self.desk.tell(message)
            if verdict:
                return verdict
            now = time.monotonic()
            if now - before > self.options.silence_limit or (self.hub and self.hub.thread.is_alive()):
                # this process was stopped meanwhile: what the hub said of it is read first; and a member's own thread
                # is late for want of a processor, never lost
                heard = now
            before = now
            if self.channel.closed or now - heard > self.options.silence_limit:
                first = f"{self.member.unit} 0 (`{self.member.address}`)"
                how = "its guard was killed, or its host is gone" if self.channel.closed else "no word from it"
                return Fault(PEER, f"{self.member.name()} lost {first}: {how}", (0,), cause.READ_LOG)
            self._signals()
            self._look()
            if now - beat > BEAT_S:
                beat = now
                self._report()

    def _signals(self) -> None:
        while self.came:
            number = self.came.pop(0)
            if number in PASSED_ON:
                if self.script:
                    os.kill(self.script.process.pid, number)
            elif not self.stop_sent:
                self.stop_sent = True
                self.channel.send({"stop": signal.Signals(number).name})

    def _stop(self, by: str) -> None:
        """The script is told once: by should_stop where it asks, else by SIGTERM."""
        say(f"asked to stop by {by}")
        self.stopping = time.monotonic()
        if self.desk.asks:
            self.desk.tell({"stop": True})
        elif self.script is not None:
            self.script.signal(signal.SIGTERM)
        self._report()  # that the script has been told

    def _look(self) -> None:
        """At the script: whether it has ended, or has to."""
        if self.script is None or self.reported:
            return
        status = self.script.status()
        if status is not None:
            self._end(cause.of_script(status, self.script.said, self.options.retry_codes, self.member.unit == "pod"))
        elif self.stopping and time.monotonic() - self.stopping > self.options.grace:
            say(f"the script has not ended {self.options.grace:g} s after it was asked to: killed")
            self.script.signal(signal.SIGKILL)
        elif self.stopping and not self.stop_at_sent and (place := self.desk.stands_at()) is not None:
            self.stop_at_sent = True
            self.channel.send({"at": place})

    def _end(self, end: cause.End) -> None:
        self.reported = True
        said = {"code": end.code, "reason": end.reason, "symptom": end.symptom, "remedy": end.remedy}
        self.channel.send({"ended": said})

    def _report(self) -> None:
        frozen, idle = self.script.watch() if self.script and not self.reported else (None, 0.0)
        said = {"ranks": self.desk.ranks(), "asks": self.desk.asks, "frozen": frozen, "idle": round(idle, 1)}
        said["stopping"] = self.stopping > 0
        self.channel.send({"beat": said})
