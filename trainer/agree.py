"""Agreement before any process group, over one TCPStore (T2): who is here, and does everyone mean the same job.

torch alone never says who is missing (gloo: `3/4 clients joined`). Every wait here is a poll with a limit, and every
poll looks for the `verdict`: the first fault of the job, set once, which all ranks leave with.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from torch._C._distributed_c10d import TCPStore

from trainer.env import Place
from trainer.faults import DISAGREE, PEER, Fault
from trainer.net import listen

POLL_S = 0.05
Stop = Callable[[], None]
Say = Callable[[str], None]
Got = dict[int, Any]  # what was posted, by rank


class Verdict(Fault):
    """The fault of the whole job as the store has it, whoever found it."""


class Refused(Fault):
    """Leaves alone: this process has no say in the job that it met."""


def ranks(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


class Board:
    """The store of the job, seen from one rank. `stop` is polled in every wait and may raise."""

    def __init__(self, place: Place, limit: float, stop: Stop = lambda: None, say: Say = lambda text: None) -> None:
        self.place, self.limit, self.stop, self.say = place, limit, stop, say
        self.host = socket.gethostname()
        self.who: dict[int, dict[str, Any]] = {}
        self.rival = False  # a second process with a rank number that is taken: must not speak for that rank
        self.prefix = ""
        self.store = self._open()
        self.prefix = f"{self._generation()}/"

    def wait(self, ready: Callable[[], Any], limit: float, what: Callable[[], str], late: Callable[[], Fault]) -> Any:
        """Polls until `ready()` is not None, saying every 10 s what is waited for; at the limit raises `late()`."""
        begin, told = time.monotonic(), 10.0
        while (answer := ready()) is None:
            self.stop()
            past = time.monotonic() - begin
            if past > limit:
                raise late()
            if past > told:
                self.say(f"waiting for {what()} ({past:.0f} s)")
                told += 10.0
            time.sleep(POLL_S)
        return answer

    # -- the store ----------------------------------------------------------------------------------------------------
    def _open(self) -> TCPStore:
        if not self.place.hosts_store:
            return self.connect(self.limit)
        server, limit = listen(self.place.port, self.limit), timedelta(seconds=self.limit)
        self.place.port = port = server.getsockname()[1]
        # The host talks to itself: the name of a headless Service resolves only once its pod is ready.
        return TCPStore("127.0.0.1", port, None, True, limit, False, master_listen_fd=server.detach())

    def connect(self, limit: float) -> TCPStore:
        """A connection of its own to the store; says which name or port does not answer. Raises Fault(138)."""
        place, last, pause = self.place, "", POLL_S
        host = "127.0.0.1" if place.hosts_store else place.master
        where = f"`{host}:{place.port}`"

        def attempt() -> TCPStore | None:
            nonlocal last, pause
            try:
                # torch takes pages to say that nobody listens
                socket.create_connection((host, place.port), 2.0).close()
                store = self._client(host, min(10.0, limit))
                last = f"{where} answers, but is no trainer store (held by another program)"
                return store
            except socket.gaierror as error:
                last = f"the name `{host}` does not resolve: {error.strerror}"
            except OSError as error:
                last = f"{where} does not answer: {error.strerror or error}"
            time.sleep(pause)
            pause = min(1.0, pause * 1.5)
            return None

        def late() -> Fault:
            text = f"rank {place.rank} ({self.host}) gave up on rank 0 after {limit:.0f} s: {last}"
            return Fault(PEER, text, (0,))

        store: TCPStore = self.wait(attempt, limit, lambda: f"rank 0: {last}", late)
        return store

    def _client(self, host: str, limit: float) -> TCPStore | None:
        """In a thread of its own: against a program that is no store and says nothing, TCPStore waits for ever."""
        made: list[TCPStore] = []

        def make() -> None:
            with contextlib.suppress(RuntimeError):
                made.append(TCPStore(host, self.place.port, None, False, timedelta(seconds=limit)))
                made[0].set_timeout(timedelta(seconds=self.limit))

        thread, end = threading.Thread(target=make, daemon=True), time.monotonic() + limit
        thread.start()
        while thread.is_alive() and time.monotonic() < end:
            self.stop()
            thread.join(0.02)
        return made[0] if made else None

    def _generation(self) -> str:
        """A late process of an earlier attempt must not join this one: it leaves alone, without a verdict."""
        place, mine = self.place, self.place.generation
        if place.source == "torchrun":  # the agent starts all processes anew, with a new count
            return mine or "-"
        if place.hosts_store:
            theirs = json.loads(self.store.compare_set("generation", "", json.dumps(mine or "-")))
        else:
            theirs = self.wait_key("generation")
        if mine and theirs not in {mine, "-"}:
            who = f"rank {place.rank} ({self.host}) is of generation {mine}"
            raise Refused(PEER, f"{who}, but the job runs generation {theirs}: refused")
        return str(theirs)

    # -- single values ------------------------------------------------------------------------------------------------
    def put(self, key: str, value: Any) -> None:
        self.store.set(self.prefix + key, json.dumps(value))

    def has(self, key: str) -> bool:
        """Whether the key is there, whatever its value: a farewell with code 0 is a farewell too."""
        return bool(self.store.check([self.prefix + key]))

    def peek(self, key: str) -> Any:
        return json.loads(self.store.get(self.prefix + key)) if self.has(key) else None

    def wait_key(self, key: str) -> Any:
        """What rank 0 posts soon after its start."""
        late = Fault(PEER, f"no `{key}` from rank 0 after {self.limit:.0f} s", (0,))

        def ready() -> Any:
            self.look()
            return self.peek(key)

        return self.wait(ready, self.limit, lambda: f"rank 0's {key}", lambda: late)

    def verdict(self) -> Verdict | None:
        said = self.peek("verdict")
        return Verdict(*said) if said else None

    def settle(self, fault: Fault) -> Verdict:
        """Sets the verdict unless there is one; returns the one that stands."""
        said = json.dumps([fault.code, fault.reason, fault.culprits, fault.remedy])
        return Verdict(*json.loads(self.store.compare_set(self.prefix + "verdict", "", said)))

    def look(self) -> None:
        """Raises the verdict, if there is one, or what `stop` raises."""
        self.stop()
        verdict = self.verdict()
        if verdict:
            raise verdict

    def name(self, rank: int) -> str:
        return f"rank {rank} ({self.who[rank]['host']})" if rank in self.who else f"rank {rank}"

    # -- rounds -------------------------------------------------------------------------------------------------------
    def round(self, name: str, value: Any, limit: float, judge: Any = lambda got: got[0], early: Any = bool) -> Any:
        """Every rank posts `value`; rank 0 judges all of them (or raises a Fault) and everyone gets its answer.

        `judge(got)` makes the answer of all that was posted; `early(got)` sees what is there so far, and may raise.
        """
        rank, world, got = self.place.rank, self.place.world, Got()
        self.put(f"{name}/{rank}", value)

        def ready() -> list[Any] | None:
            self.look()
            if rank:
                answer: list[Any] | None = self.peek(name)
                return answer
            for other in missing():
                if self.has(f"{name}/{other}"):
                    got[other] = self.peek(f"{name}/{other}")
            early(got)
            if missing():
                return None
            self.put(name, [judge(got)])
            return list(self.peek(name))

        def missing() -> list[int]:
            return [other for other in range(world) if other not in got]

        def late() -> Fault:
            if rank:
                return Fault(PEER, f"no word from rank 0 on `{name}` after {limit + 5:.0f} s", (0,))
            text = f"ranks missing after {limit:.0f} s: [{ranks(missing())}] of {world} ({name})"
            return Fault(PEER, text, missing())

        def what() -> str:
            return f"rank 0's answer on {name}" if rank else f"ranks [{ranks(missing())}] of {world} on {name}"

        # Rank 0 judges; the others give it a little longer, so that its verdict names the missing.
        return self.wait(ready, limit + (5 if rank else 0), what, late)[0]

    def join(self, facts: dict[str, Any]) -> None:
        """Claims the rank number and compares what must be equal. Raises Fault(76) or Fault(138)."""
        place, differ = self.place, 0.0
        mine = {"rank": place.rank, "host": self.host, "pid": os.getpid(), "WORLD_SIZE": place.world, **facts}
        if self.store.add(f"{self.prefix}claim/{place.rank}", 1) > 1:
            self.rival = True
            time.sleep(1.0)  # the first one posts its facts right after its claim
            first = self.peek(f"join/{place.rank}") or {"host": "unknown host", "pid": "?"}
            who = f"{first['host']} (process {first['pid']}) and by {self.host} (process {os.getpid()})"
            raise Fault(DISAGREE, f"rank {place.rank} is claimed twice: by {who}", (place.rank,))

        def early(got: Got) -> None:
            """One that differs ends the wait; a second more shows which of the values is the odd one."""
            nonlocal differ
            said = self.peek("stray")
            fault = compare({**got, **({said["rank"]: said} if said else {})})
            if fault:
                differ = differ or time.monotonic()
                if time.monotonic() - differ > 1.0 or len(got) == place.world:
                    raise fault

        if place.rank and place.rank >= self.wait_key("join/0")["WORLD_SIZE"]:
            self.put("stray", mine)  # outside rank 0's world, where rank 0 would not look
        who = self.round("join", mine, self.limit, lambda got: got, early)
        self.who = {int(rank): said for rank, said in who.items()}


def compare(everyone: Got) -> Fault | None:
    """Fault(76) that names the ranks whose world size, versions or arguments are not those of the majority."""
    flat = {
        rank: {**said, **{f"--{key.replace('_', '-')}": value for key, value in said["arguments"].items()}}
        for rank, said in sorted(everyone.items())
    }
    known = ["WORLD_SIZE", "trainer", "torch", "backend", "nccl"]
    for key in known + sorted({key for said in flat.values() for key in said if key.startswith("--")}):
        values = {rank: str(said.get(key)) for rank, said in flat.items()}
        usual, count = Counter(values.values()).most_common(1)[0]
        if count < len(values):
            odd = [rank for rank, value in values.items() if value != usual]
            rest = [rank for rank in values if rank not in odd]
            first = f"rank {ranks(odd)} ({flat[odd[0]]['host']}, process {flat[odd[0]]['pid']})"
            seen = f"{first} has `{key}={values[odd[0]]}`, rank {ranks(rest)} has `{key}={usual}`"
            return Fault(DISAGREE, f"ranks disagree: {seen}", odd)
    return None


def tell_peers(place: Place, fault: Fault, seconds: float = 3.0) -> None:
    """A fault found before the rendezvous is worth a few seconds, so that the others need not wait for this rank."""
    if place.world <= 1 or not place.master or not place.port or place.role != "worker" or fault.code == PEER:
        return
    with contextlib.suppress(Fault, RuntimeError, OSError):
        board = Board(place, seconds)
        who = f"rank {place.rank} ({board.host})"
        board.settle(Fault(fault.code, f"{who}: {fault.reason}", (place.rank,), fault.remedy))
        if place.hosts_store:  # the store goes with this process: it stays until the others have read
            time.sleep(seconds)


def serve(place: Place, limit: float, stop: Stop) -> Fault:
    """MSJob's scheduler: hosts the store until the workers' end mark, or until the verdict was read."""
    board = Board(place, limit, stop)
    while not board.has("end") and not board.verdict():
        stop()
        time.sleep(POLL_S * 4)
    time.sleep(1.0)
    return board.verdict() or Fault(0, "the workers have ended")
