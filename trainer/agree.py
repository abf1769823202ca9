"""Agreement of all ranks on one TCPStore, before there is a process group: who is here, and do all mean the same job.

torch alone never says who is missing (gloo: ``3/4 clients joined``). Every wait here is a poll with a limit, and every
poll looks for the ``verdict``: the first fault of the job, set once, with which all ranks leave.
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


class Verdict(Fault):
    """The fault of the whole job as the store has it, whoever found it."""


class Board:
    """The store of the job, seen from one rank."""

    def __init__(self, place: Place, limit: float, stop: Stop = lambda: None, say: Say = lambda text: None) -> None:
        self.place = place
        self.limit = limit  # seconds until all ranks must have joined
        self.stop = stop  # called in every wait; raises what this process is to leave with
        self.say = say  # a line for people
        self.host = socket.gethostname()
        self.who: dict[int, dict[str, Any]] = {}  # host, process and facts of each rank, once all have joined
        self.rival = False  # a second process with a rank number that is taken: must not speak for that rank
        self.prefix = f"{place.restarts}/"  # of all keys
        self.store = self._host() if place.hosts_store else self.connect(limit)

    def wait(self, ready: Callable[[], Any], limit: float, lack: Callable[[], tuple[str, str, Sequence[int]]]) -> Any:
        """Polls until ``ready()`` is not None. ``lack()`` is (what is wrong, details, culprits): said every 10 s, and
        raised as Fault(138) at the limit."""
        begin, told = time.monotonic(), 10.0
        while (answer := ready()) is None:
            self.stop()
            past = time.monotonic() - begin
            if past > min(limit, told):
                what, details, culprits = lack()
                if past > limit:
                    raise Fault(PEER, f"{what} after {limit:.0f} s: {details}", culprits)
                self.say(f"{what} after {past:.0f} s: {details}")
                told += 10.0
            time.sleep(POLL_S)
        return answer

    # -- the store ----------------------------------------------------------------------------------------------------
    def _host(self) -> TCPStore:
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
                last = f"{where} answers, but is no trainer store (held by another program)"
                return self._client(host, min(10.0, limit))
            except socket.gaierror as error:
                last = f"the name `{host}` does not resolve: {error.strerror}"
            except OSError as error:
                last = f"{where} does not answer: {error.strerror or error}"
            time.sleep(pause)
            pause = min(1.0, pause * 1.5)
            return None

        store: TCPStore = self.wait(
            attempt, limit, lambda: (f"rank {place.rank} ({self.host}) does not reach rank 0", last, (0,))
        )
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

    # -- single values ------------------------------------------------------------------------------------------------
    def put(self, key: str, value: Any) -> None:
        self.store.set(self.prefix + key, json.dumps(value))

    def has(self, key: str) -> bool:
        """Whether the key is there, whatever its value: a farewell with code 0 is a farewell too."""
        return bool(self.store.check([self.prefix + key]))

    def peek(self, key: str) -> Any:
        """The value, or None; does not wait for it."""
        return json.loads(self.store.get(self.prefix + key)) if self.has(key) else None

    def wait_key(self, key: str, limit: float) -> Any:
        """What rank 0 posts. Raises the verdict, where there is one, or Fault(138)."""

        def ready() -> Any:
            self.look()
            return self.peek(key)

        return self.wait(ready, limit, lambda: ("no word from rank 0", f"`{key}`", (0,)))

    def verdict(self) -> Verdict | None:
        """The fault with which the job ends, once one is set."""
        said = self.peek("verdict")
        return Verdict(*said) if said else None

    def settle(self, fault: Fault) -> Verdict:
        """Sets the verdict unless there is one; returns the one that stands."""
        said = json.dumps([fault.code, fault.reason, fault.culprits, fault.remedy])
        return Verdict(*json.loads(self.store.compare_set(self.prefix + "verdict", "", said)))

    def look(self) -> None:
        """Raises the verdict, if there is one, or what ``stop`` raises."""
        self.stop()
        verdict = self.verdict()
        if verdict:
            raise verdict

    def name(self, rank: int) -> str:
        """With the host, which is the pod, and the node, as far as they are known."""
        if rank not in self.who:
            return f"rank {rank}"
        node = self.who[rank].get("node")
        return f"rank {rank} ({self.who[rank]['host']}{f', node {node}' if node else ''})"

    # -- rounds -------------------------------------------------------------------------------------------------------
    def round(self, name: str, value: Any, limit: float, judge: Any = lambda got: got[0], early: Any = bool) -> Any:
        """Every rank posts ``value``; rank 0 judges all of them (or raises a Fault) and everyone gets its answer.

        ``judge(got)`` makes the answer of {rank: value}; ``early(got)`` sees what is there so far, and may raise.
        """
        world, got = self.place.world, dict[int, Any]()
        self.put(f"{name}/{self.place.rank}", value)
        if self.place.rank:  # waits a little longer, so that rank 0's verdict names the missing
            return self.wait_key(name, limit + 5)[0]

        def missing() -> list[int]:
            return [rank for rank in range(world) if rank not in got]

        def ready() -> bool | None:
            self.look()
            got.update({rank: self.peek(f"{name}/{rank}") for rank in missing() if self.has(f"{name}/{rank}")})
            early(got)
            return None if missing() else True

        self.wait(ready, limit, lambda: ("ranks missing", f"{missing()} of {world} ({name})", missing()))
        self.put(name, [judge(got)])
        return self.peek(name)[0]

    def join(self, facts: dict[str, Any]) -> None:
        """Claims the rank number and compares what must be equal. Raises Fault(76) or Fault(138)."""
        place, differ = self.place, 0.0
        mine = {"rank": place.rank, "host": self.host, "pid": os.getpid(), "WORLD_SIZE": place.world, **facts}
        mine["node"] = os.environ.get("NODE_NAME", "")
        if self.store.add(f"{self.prefix}claim/{place.rank}", 1) > 1:
            self.rival = True
            time.sleep(1.0)  # the first one posts its facts right after its claim
            first = self.peek(f"join/{place.rank}") or {"host": "unknown host", "pid": "?"}
            who = f"{first['host']} (process {first['pid']}) and by {self.host} (process {os.getpid()})"
            raise Fault(DISAGREE, f"rank {place.rank} is claimed twice: by {who}", (place.rank,))

        def early(got: dict[int, Any]) -> None:
            """One that differs ends the wait; a second more shows which of the values is the odd one."""
            nonlocal differ
            stray = self.peek("stray")
            fault = compare({**got, **({stray["rank"]: stray} if stray else {})})
            if fault:
                differ = differ or time.monotonic()
                if time.monotonic() - differ > 1.0 or len(got) == place.world:
                    raise fault

        if place.rank and place.rank >= self.wait_key("join/0", self.limit)["WORLD_SIZE"]:
            self.put("stray", mine)  # outside rank 0's world, where rank 0 would not look
        who = self.round("join", mine, self.limit, lambda got: got, early)
        self.who = {int(rank): said for rank, said in who.items()}


def majority(values: dict[int, str]) -> tuple[str, list[int]]:
    """The usual value, and the ranks that have another one."""
    usual = Counter(values.values()).most_common(1)[0][0]
    return usual, [rank for rank, value in values.items() if value != usual]


def compare(everyone: dict[int, Any]) -> Fault | None:
    """Fault(76) that names the ranks whose world size, versions or arguments are not those of the majority."""
    flat = {
        rank: {**said, **{f"--{key.replace('_', '-')}": value for key, value in said["arguments"].items()}}
        for rank, said in sorted(everyone.items())
    }
    known = ["WORLD_SIZE", "trainer", "torch", "backend", "nccl"]
    for key in known + sorted({key for said in flat.values() for key in said if key.startswith("--")}):
        values = {rank: str(said.get(key)) for rank, said in flat.items()}
        usual, odd = majority(values)
        if odd:
            rest = ", ".join(str(rank) for rank in values if rank not in odd)
            who = f"rank {', '.join(map(str, odd))} ({flat[odd[0]]['host']}, process {flat[odd[0]]['pid']})"
            text = f"ranks disagree: {who} has `{key}={values[odd[0]]}`, rank {rest} has `{key}={usual}`"
            return Fault(DISAGREE, text, odd)
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
