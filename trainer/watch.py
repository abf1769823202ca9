"""The watchdog, a thread that tells rank 0 where every rank is, and the one function through which ranks leave.

Each rank posts a heartbeat to the store: (count, phase, step, seconds in this phase). Rank 0 reads them all. A rank in
``sync`` waits for others; one too long in any other phase is stuck; one without a new heartbeat is dead. A socket from
each rank to rank 0, the life line, is closed by the kernel when its process dies, so that a death is known at once.
"""

from __future__ import annotations

import contextlib
import copy
import faulthandler
import multiprocessing
import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any, NoReturn

from torch._C import _distributed_c10d as c10d

from trainer.agree import Board, Verdict
from trainer.faults import DONE, INTERRUPTED, PEER, STOPPED, Fault, first_line
from trainer.last_resort import keep_alive
from trainer.net import listen, own_address

TICK_S = 0.5
READ_LOG = "read that pod's log and last state (OOMKilled, Evicted)"
READ_STACKS = "see the stacks of the stuck rank and flight-*.json"


class Watch:
    """``phase()`` is called by the training thread; everything else runs in the watchdog thread or at the end."""

    def __init__(self, board: Board, start_limit: float, step_limit: float, on_exit: Callable[[Fault], None]) -> None:
        self.board = board
        self.start_limit = start_limit  # seconds for everything up to the end of the first step
        self.step_limit = step_limit  # seconds in one phase, from then on
        self.on_exit = on_exit  # writes what is to be written at the end
        self.now: tuple[str, int, float] = ("init", 0, time.monotonic())  # phase, step, since when
        self.spent: dict[str, float] = {}  # seconds by phase: they sum to the time since the start
        self.repeating = False  # an attempt before this one has taken the present step already
        self.started = False  # the first step of this process is done: the step limit holds from here on
        self.poll_file: Callable[[], None] = lambda: None  # looks for the stop file
        self._leaving = threading.Lock()  # held by the thread that ends the process
        self._quiet = threading.Event()  # set once the verdict stands: nothing is looked for any more
        self._lines: dict[int, socket.socket] = {}  # life lines, by the rank at their other side
        self._server: socket.socket | None = None  # takes them, on rank 0
        self._seen: dict[int, tuple[float, list[Any]]] = {}  # when the last new beat came, and what it said
        self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)
        self._held = 0  # ticks since the watchdog last came round

    def phase(self, name: str, step: int | None = None) -> None:
        """Every moment belongs to one phase; repeated steps are kept apart."""
        before, at, since = self.now
        now = time.monotonic()
        key = "repeated" if self.repeating and before in {"data", "fwd", "bwd", "sync"} else before
        self.spent[key] = self.spent.get(key, 0.0) + now - since
        self.now = (name, at if step is None else step, now)

    # -- life ---------------------------------------------------------------------------------------------------------
    def start(self) -> None:
        self.board = board = copy.copy(self.board)  # with a connection of its own, which no wait of the training holds
        board.store, place = board.connect(30.0), board.place
        board.store.set_timeout(timedelta(seconds=self.step_limit))  # a silent store is a silent rank 0
        self._beat(0)
        if place.rank == 0:
            self._server = listen(0, 1.0)
            board.put("lifeline", [own_address(place.master, place.port), self._server.getsockname()[1]])
        else:
            address, port = board.wait_key("lifeline", board.limit)
            for host in (address,) if place.store_elsewhere else (place.master, address):
                with contextlib.suppress(OSError):  # without a life line a death is found by silence, later
                    self._lines[0] = socket.create_connection((host, port), 2.0)
                    self._lines[0].sendall(b"%08d" % place.rank)
                    break
        self._thread.start()
        keep_alive(2 * min(self.step_limit, 60.0) + 10.0)
        if not place.hosts_store:
            threading.Thread(target=self._guard, name="guard", daemon=True).start()

    def _guard(self) -> None:
        """A cut network ends no connection: the store then holds for ever whoever asks it, the watchdog too.

        Counts ticks and not seconds, so that a process that was stopped reads its verdict first.
        """
        limit = min(self.step_limit, 60.0) + 5.0  # rank 0 says what it finds after the first part
        while self._held * TICK_S < limit:
            time.sleep(TICK_S)
            self._held += 1
        fault = Fault(PEER, f"lost {self.board.name(0)}: its store has not answered for {limit:.0f} s (network?)", (0,))
        with contextlib.suppress(OSError):
            self.on_exit(fault)
        kill_children()
        print(f"trainer: {fault.line()}", file=sys.stderr, flush=True)
        os._exit(fault.code)

    def _run(self) -> None:
        beat, begin = 0, time.monotonic()
        while not self._quiet.is_set():
            try:
                self._held = 0
                beat += 1
                self._beat(beat)
                self.poll_file()
                fault = self.board.verdict() or self._judge() or self._ends(TICK_S)
                end = time.monotonic()
                fault, begin = self._awake(end - begin, fault), end
                if fault:
                    self.leave(fault)
            except (RuntimeError, OSError) as error:
                if not self._quiet.is_set():
                    self.leave(Fault(PEER, f"lost {self.board.name(0)}: {first_line(error)}", (0,)))

    def _awake(self, asleep: float, fault: Fault | None) -> Fault | None:
        """What one round of so many seconds comes to: a process that was stopped meanwhile has seen nobody, so whatever
        it finds when it wakes, it is itself the one that was gone."""
        own = self.board.place.rank
        if asleep > min(self.step_limit, 60.0) and not isinstance(fault, Verdict):
            text = f"dead: {self.board.name(own)} (this process did not run for {asleep:.0f} s)"
            return Fault(PEER, text, (own,), READ_STACKS)
        if asleep > 2 * TICK_S:
            self._seen = {rank: (since + asleep, beat) for rank, (since, beat) in self._seen.items()}
        return fault

    def _beat(self, beat: int) -> None:
        name, step, since = self.now
        said = [beat, name, step, round(time.monotonic() - since, 2)]
        self.board.put(f"hb/{self.board.place.rank}", said)

    def _judge(self) -> Fault | None:
        """Rank 0 looks at everybody. Where rank 0 does not host the store, rank 1 looks at rank 0."""
        board, place, now = self.board, self.board.place, time.monotonic()
        others = range(place.world) if place.rank == 0 else [0] if place.rank == 1 and place.store_elsewhere else []
        stuck, dead, waiting = dict[int, str](), dict[int, str](), dict[int, str]()
        for rank in others:
            said = board.peek(f"hb/{rank}")
            if said is None or board.has(f"bye/{rank}"):
                continue
            if rank not in self._seen or self._seen[rank][1][0] != said[0]:
                self._seen[rank] = now, said
            silent, (_, name, step, age) = now - self._seen[rank][0], said
            limit = self.step_limit if self.started and name != "init" else self.start_limit
            if silent > min(self.step_limit, 60.0):
                dead[rank] = f"{board.name(rank)} (no heartbeat for {silent:.1f} s, last seen in {name} at step {step})"
            elif name == "sync":
                waiting[rank] = str(rank)
                if age > 2 * limit and len(waiting) == place.world:
                    text = f"all ranks wait for each other since {age:.1f} s at step {step}: network"
                    return Fault(PEER, text, (), READ_STACKS)
            elif age > limit:
                stuck[rank] = f"{board.name(rank)} in {name} for {age:.1f} s at step {step}"
        if not stuck and not dead:
            return None
        groups = (("stuck", stuck), ("dead", dead), ("waiting", waiting))
        text = "; ".join(f"{word}: {', '.join(who.values())}" for word, who in groups if who)
        return Fault(PEER, text, list(stuck or dead), READ_STACKS)

    def _ends(self, seconds: float) -> Fault | None:
        """Waits a tick, ended early by the end of a life line: the process at its other side is gone."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and not self._quiet.is_set():
            by_line = {line: rank for rank, line in self._lines.items()}
            for ready in select.select([*by_line, *filter(None, [self._server])], [], [], left)[0]:
                if ready is self._server:
                    line, _ = self._server.accept()
                    line.settimeout(2.0)
                    self._lines[int(line.recv(8) or -1)] = line
                    continue
                rank = by_line[ready]
                del self._lines[rank]
                # A rank that leaves has its farewell acknowledged by the store before its life line ends.
                if rank < 0 or self.board.has("verdict") or self.board.has(f"bye/{rank}"):
                    continue
                if self.board.place.rank:
                    return Fault(PEER, f"lost {self.board.name(0)}", (0,))
                _, (_, name, step, _) = self._seen.get(rank, (0.0, [0, "init", 0, 0.0]))
                text = f"{self.board.name(rank)} vanished, last seen in {name} at step {step}"
                return Fault(PEER, text, (rank,), READ_LOG)
        return None

    # -- the end ------------------------------------------------------------------------------------------------------
    def cause(self, error: BaseException) -> Fault:
        """A broken connection is a symptom: the cause comes as the verdict, from the rank that knows it."""
        fault = Fault(PEER, f"rank {self.board.place.rank} lost its connection to a peer: {first_line(error)}")
        end = time.monotonic() + 2.5
        try:
            while time.monotonic() < end and not (verdict := self.board.verdict()):
                time.sleep(0.05)
            return verdict or fault
        except RuntimeError:
            return Verdict(PEER, f"lost {self.board.name(0)}", (0,))

    def leave(self, fault: Fault) -> NoReturn:
        """The only way out, past all destructors: ``destroy_process_group`` beside a living DDP object can hang."""
        if not self._leaving.acquire(blocking=False):
            threading.Event().wait()  # the other thread is leaving and takes this one along
        # After a stop all ranks leave alike, unless it came before they could agree on a step.
        alike = fault.code == DONE or (fault.code in {STOPPED, INTERRUPTED} and self.started)
        with contextlib.suppress(RuntimeError):  # the store is gone with rank 0
            if not isinstance(fault, Verdict) and (not alike or self.board.has("verdict")):
                fault = self.board.settle(fault)
        if self.board.place.rank in fault.culprits and fault.reason.startswith("stuck"):
            faulthandler.dump_traceback(sys.stderr, all_threads=True)
        try:
            self.on_exit(fault)
        except OSError as error:
            print(f"trainer: cannot write the last words: {error}", file=sys.stderr)
        self._quiet.set()
        kill_children()
        with contextlib.suppress(RuntimeError):
            self._farewell(fault)
        print(f"trainer: {fault.line()}" if fault.code else "trainer: done", file=sys.stderr)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(fault.code)

    def _farewell(self, fault: Fault) -> None:
        """Rank 0 hosts the store and leaves last, or after five seconds; nobody waits long for the culprits."""
        board, place = self.board, self.board.place
        if not board.rival:
            board.put(f"bye/{place.rank}", fault.code)
            board.has(f"bye/{place.rank}")  # `set` does not wait: it must be there before the life line ends
        if place.rank:
            return
        if place.source == "MSJob":
            board.put("end", 1)
        stray = (board.peek("stray") or {"rank": 0})["rank"]
        waiting = {rank for rank in {*range(1, place.world), stray} if rank}
        begin = time.monotonic()
        while waiting:
            # The culprits may not answer, and who is not there yet may never come.
            there = {rank for rank in waiting if rank not in fault.culprits and board.has(f"claim/{rank}")}
            absent = waiting - there - set(fault.culprits)
            if time.monotonic() - begin > (5.0 if there else 2.0 if absent else 1.0):
                break
            time.sleep(0.02)
            waiting = {rank for rank in waiting if not board.has(f"bye/{rank}")}


def kill_children() -> None:
    """Loader workers shield themselves from SIGTERM; their end must not raise here (DataLoader handles SIGCHLD)."""
    with contextlib.suppress(ValueError):  # only the main thread may set handlers, and only it would be interrupted
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for child in multiprocessing.active_children():
        child.kill()


def dump_flight(path: str) -> None:
    """The last collectives of this rank, where this torch can tell (private API, hence the test)."""
    dump = getattr(c10d, "_dump_fr_trace_json", None)
    if dump:
        with contextlib.suppress(RuntimeError, OSError, TypeError), open(path, "wb") as file:
            file.write(dump())
