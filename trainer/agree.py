"""Agreement before any process group, over one TCPStore (T2): who is here, and does everyone mean the same job.

torch alone never says who is missing (gloo: `3/4 clients joined`). Every wait here is a poll with a limit, and every
poll looks for the `verdict`: the first fault of the job, set once, which all ranks leave with.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from torch._C._distributed_c10d import TCPStore

from trainer.env import Place
from trainer.faults import DISAGREE, MEANING, PEER, Fault
from trainer.net import listen

POLL_S = 0.05


class Verdict(Fault):
    """The fault of the whole job as the store has it, whoever found it."""


def ranks(numbers: list[int] | tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers))


class Board:
    """The store of the job, seen from one rank. `stop` is polled in every wait and may raise."""

    def __init__(
        self,
        place: Place,
        limit: float,
        stop: Callable[[], None] = lambda: None,
        say: Callable[[str], None] = lambda text: print(text, file=sys.stderr, flush=True),
    ) -> None:
        self.place, self.limit, self.stop, self.say = place, limit, stop, say
        self.host = socket.gethostname()
        self.who: dict[int, dict[str, Any]] = {}
        self.store = self._open()
        self.prefix = f"{self._generation()}/"
        self.rival = False  # a second process with a rank number that is taken: must not speak for that rank

    def _open(self) -> TCPStore:
        place = self.place
        if place.hosts_store:
            server = listen(place.port, self.limit)
            place.port = server.getsockname()[1]
            # The host talks to itself: the name of a headless Service resolves only once its pod is ready.
            return TCPStore(
                "127.0.0.1",
                place.port,
                None,
                True,
                timedelta(seconds=self.limit),
                wait_for_workers=False,
                master_listen_fd=server.detach(),
            )
        return self.connect()

    def connect(self, limit: float | None = None) -> TCPStore:
        """A connection of its own to the store; says which name or port does not answer. Raises Fault(138)."""
        place, begin, told = self.place, time.monotonic(), 10.0
        where = "127.0.0.1" if place.hosts_store else place.master
        limit, pause, last = self.limit if limit is None else limit, 0.05, ""
        while True:
            self.stop()
            try:
                if not hasattr(self, "store"):  # torch takes pages to say that nobody listens
                    socket.create_connection((where, place.port), 2.0).close()
                return self._client(where, min(10.0, limit))
            except socket.gaierror as error:
                last = f"the name `{where}` does not resolve: {error.strerror}"
            except OSError as error:
                last = f"`{where}:{place.port}` does not answer: {error.strerror or error}"
            except RuntimeError:
                last = f"`{where}:{place.port}` answers, but is no trainer store (held by another program)"
            past = time.monotonic() - begin
            if past > limit:
                raise Fault(
                    PEER, f"rank {place.rank} ({self.host}) gave up on rank 0 after {limit:.0f} s: {last}", (0,)
                )
            if past > told:
                self.say(f"waiting for rank 0 for {past:.0f} s: {last}")
                told += 10.0
            time.sleep(pause)
            pause = min(1.0, pause * 1.5)

    def _client(self, where: str, limit: float) -> TCPStore:
        """In a thread of its own: against a program that is no store and says nothing, TCPStore waits for ever."""
        made: list[TCPStore] = []

        def make() -> None:
            with contextlib.suppress(RuntimeError):
                made.append(TCPStore(where, self.place.port, None, False, timedelta(seconds=limit)))

        thread = threading.Thread(target=make, daemon=True)
        thread.start()
        end = time.monotonic() + limit
        while thread.is_alive() and time.monotonic() < end:
            self.stop()
            thread.join(0.02)
        if not made:
            raise RuntimeError("no answer")
        made[0].set_timeout(timedelta(seconds=self.limit))
        return made[0]

    def _generation(self) -> str:
        """A late process of an earlier attempt must not join this one: it leaves alone, without a verdict."""
        mine = self.place.generation
        if self.place.source == "torchrun":  # the agent starts all processes anew, with a new count
            return mine or "-"
        theirs = (
            self.store.compare_set("generation", "", mine or "-").decode()
            if self.place.hosts_store
            else self._poll_raw("generation").decode()
        )
        if mine and theirs not in {mine, "-"}:
            raise Refused(
                PEER,
                f"rank {self.place.rank} ({self.host}) is of generation {mine}, but the job runs "
                f"generation {theirs}: refused",
            )
        return theirs

    def _poll_raw(self, key: str) -> bytes:
        end = time.monotonic() + self.limit
        while not self.store.check([key]):
            self.stop()
            if time.monotonic() > end:
                raise Fault(PEER, f"no `{key}` from rank 0 after {self.limit:.0f} s", (0,))
            time.sleep(POLL_S)
        value: bytes = self.store.get(key)
        return value

    # -- single values ----------------------------------------------------------------------------------------------
    def put(self, key: str, value: Any, store: TCPStore | None = None) -> None:
        (store or self.store).set(self.prefix + key, json.dumps(value))

    def peek(self, key: str, store: TCPStore | None = None) -> Any:
        store = store or self.store
        return json.loads(store.get(self.prefix + key)) if store.check([self.prefix + key]) else None

    def verdict(self, store: TCPStore | None = None) -> Verdict | None:
        said = self.peek("verdict", store)
        return Verdict(said["code"], said["reason"], tuple(said["culprits"]), said["remedy"]) if said else None

    def settle(self, fault: Fault, store: TCPStore | None = None) -> Verdict:
        """Sets the verdict unless there is one; returns the one that stands."""
        said = {
            "code": fault.code,
            "reason": fault.reason,
            "culprits": fault.culprits,
            "remedy": fault.remedy,
            "by": self.place.rank,
        }
        stands = json.loads((store or self.store).compare_set(self.prefix + "verdict", "", json.dumps(said)))
        return Verdict(stands["code"], stands["reason"], tuple(stands["culprits"]), stands["remedy"])

    def look(self) -> None:
        """Raises the verdict, if there is one, or what `stop` raises."""
        self.stop()
        verdict = self.verdict()
        if verdict:
            raise verdict

    # -- rounds -----------------------------------------------------------------------------------------------------
    def round(
        self,
        name: str,
        value: Any,
        judge: Callable[[dict[int, Any]], Any],
        limit: float,
        early: Callable[[dict[int, Any]], None] = lambda got: None,
    ) -> Any:
        """Every rank posts `value`; rank 0 judges all of them (or raises a Fault) and everyone gets its answer."""
        place, begin, told = self.place, time.monotonic(), 10.0
        self.put(f"{name}/{place.rank}", value)
        got: dict[int, Any] = {}
        while True:
            self.look()
            if place.rank == 0:
                for rank in range(place.world):
                    if rank not in got:
                        posted = self.peek(f"{name}/{rank}")
                        if posted is not None:
                            got[rank] = posted
                early(got)
                if len(got) == place.world:
                    answer = judge(got)
                    self.put(name, [answer])
                    return answer
            else:
                answer = self.peek(name)
                if answer is not None:
                    return answer[0]
            past, missing = time.monotonic() - begin, [rank for rank in range(place.world) if rank not in got]
            # Rank 0 judges; the others give it a little longer, so that its verdict names the missing.
            if past > limit + (0 if place.rank == 0 else 5):
                if place.rank:
                    raise Fault(PEER, f"no word from rank 0 on `{name}` after {past:.0f} s", (0,))
                raise Fault(
                    PEER,
                    f"ranks missing after {limit:.0f} s: [{ranks(missing)}] of {place.world} ({name})",
                    tuple(missing),
                )
            if past > told:
                text = (
                    f"waiting for ranks [{ranks(missing)}] of {place.world}"
                    if place.rank == 0
                    else "waiting for rank 0's answer"
                )
                self.say(f"{text} ({name}, {past:.0f} s)")
                told += 10.0
            time.sleep(POLL_S)

    def join(self, facts: dict[str, Any], problem: Fault | None = None) -> None:
        """Claims the rank number and compares what must be equal. Raises Fault 76, 138, or the problem itself."""
        place = self.place
        mine = {
            "rank": place.rank,
            "host": self.host,
            "pid": os.getpid(),
            "WORLD_SIZE": place.world,
            "source": place.source,
            **facts,
        }
        if problem:
            raise Fault(
                problem.code, f"rank {place.rank} ({self.host}): {problem.reason}", (place.rank,), problem.remedy
            )
        if self.store.add(f"{self.prefix}claim/{place.rank}", 1) > 1:
            self.rival = True
            end = time.monotonic() + 1.0
            while (first := self.peek(f"join/{place.rank}")) is None and time.monotonic() < end:
                time.sleep(POLL_S)
            first = first or {"host": "unknown host", "pid": "?"}
            raise Fault(
                DISAGREE,
                f"rank {place.rank} is claimed twice: by {first['host']} (process {first['pid']}) and by "
                f"{self.host} (process {os.getpid()})",
                (place.rank,),
            )
        disagreed = 0.0
        if place.rank:
            while (leader := self.peek("join/0")) is None:
                self.look()
                time.sleep(POLL_S)
            if place.rank >= leader["WORLD_SIZE"]:  # rank 0 does not look that far
                self.put("stray", mine)

        def early(got: dict[int, Any]) -> None:
            """One that differs ends the wait; a second more shows which of the values is the odd one."""
            nonlocal disagreed
            stray = self.peek("stray")
            everyone = {**got, **({stray["rank"]: stray} if stray else {})}
            fault = compare(everyone)
            if fault:
                disagreed = disagreed or time.monotonic()
                if time.monotonic() - disagreed > 1.0 or len(got) == place.world:
                    raise fault

        self.who = {
            int(rank): told for rank, told in self.round("join", mine, lambda got: got, self.limit, early).items()
        }

    def name(self, rank: int) -> str:
        return f"rank {rank} ({self.who[rank]['host']})" if rank in self.who else f"rank {rank}"


class Refused(Fault):
    """Leaves alone: this process has no say in the job that it met."""


def compare(everyone: dict[int, dict[str, Any]]) -> Fault | None:
    """Fault(76) that names the ranks whose world size, versions or arguments are not those of the majority."""
    for key in ("WORLD_SIZE", "trainer", "torch", "nccl", "arguments"):
        values = {rank: json.dumps(said.get(key), sort_keys=True) for rank, said in sorted(everyone.items())}
        if len(set(values.values())) < 2:
            continue
        usual = Counter(values.values()).most_common(1)[0][0]
        odd = [rank for rank, value in values.items() if value != usual]
        rest = [rank for rank in values if rank not in odd]
        what = key
        seen: Any = everyone[odd[0]].get(key)
        others: Any = json.loads(usual)
        if key == "arguments":
            what = next(name for name in {**others, **seen} if others.get(name) != seen.get(name))
            seen, others, what = seen.get(what), others.get(what), f"--{what.replace('_', '-')}"
        first = everyone[odd[0]]
        return Fault(
            DISAGREE,
            f"ranks disagree: rank {ranks(odd)} ({first['host']}, process {first['pid']}) has "
            f"`{what}={seen}`, rank {ranks(rest)} has `{what}={others}`",
            tuple(odd),
        )
    return None


def describe(fault: Fault) -> str:
    kind = MEANING.get(fault.code, ("permanent", ""))[0]
    return f"exit {fault.code} ({kind}): {fault.reason}" + (f"; {fault.remedy}" if fault.remedy else "")


def tell_peers(place: Place, fault: Fault, seconds: float = 3.0) -> None:
    """A fault found before the rendezvous is worth a few seconds, so that the others need not wait for this rank."""
    if place.world <= 1 or not place.master or not place.port or place.role != "worker" or fault.code == PEER:
        return
    try:
        board = Board(place, seconds)
        board.settle(
            Fault(fault.code, f"rank {place.rank} ({board.host}): {fault.reason}", (place.rank,), fault.remedy)
        )
        end = time.monotonic() + seconds
        while place.hosts_store and time.monotonic() < end:  # rank 0 is the store: it stays until the others have read
            time.sleep(POLL_S)
    except (Fault, RuntimeError, OSError):
        return


def serve(place: Place, limit: float, stop: Callable[[], None]) -> Fault:
    """MSJob's scheduler: hosts the store until the workers' end mark, or until the verdict was read."""
    board = Board(place, limit, stop)
    while True:
        stop()
        verdict = board.verdict()
        if verdict or board.peek("end"):
            time.sleep(1.0)
            return verdict or Fault(0, "the workers have ended")
        time.sleep(POLL_S * 4)
