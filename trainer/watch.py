"""Watchdog and exit (T8): a thread that says where every rank is, and the one function through which ranks leave.

Each rank posts (beat, phase, step, age). Rank 0 reads them all: over the limit in a phase other than `sync` is stuck,
silent is dead, `sync` is waiting. A socket per rank to rank 0, the life line, shows the kernel's own news of a death.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
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

from torch._C._distributed_c10d import TCPStore

from trainer.agree import Board, Refused, Verdict, describe, ranks
from trainer.faults import DONE, INTERRUPTED, PEER, STOPPED, Fault
from trainer.net import listen, own_address

TICK_S = 0.5


class Watch:
    """`phase()` is called by the training thread; everything else runs in the watchdog thread or at the end."""

    def __init__(self, board: Board, start_limit: float, step_limit: float, on_exit: Callable[[Fault], None]) -> None:
        self.board, self.start_limit, self.step_limit, self.on_exit = board, start_limit, step_limit, on_exit
        self.now: tuple[str, int, float] = ("init", 0, time.monotonic())
        self.spent: dict[str, float] = {}  # seconds by phase: they sum to the time since the start
        self.repeating = False
        self.started = False  # the first step of this process is done: the step limit holds from here on
        self.symptom = ""
        self.poll_file: Callable[[], None] = lambda: None
        self._leaving, self._quiet = threading.Lock(), threading.Event()
        self._store: TCPStore | None = None
        self._lines: dict[int, socket.socket] = {}
        self._server: socket.socket | None = None
        self._seen: dict[int, tuple[int, float, list[Any]]] = {}
        self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)

    def phase(self, name: str, step: int | None = None) -> None:
        """Every moment belongs to one phase; repeated steps are kept apart."""
        before, at, since = self.now
        now = time.monotonic()
        key = "repeated" if self.repeating and before in {"data", "fwd", "bwd", "sync"} else before
        self.spent[key] = self.spent.get(key, 0.0) + now - since
        self.now = (name, at if step is None else step, now)

    # -- life ---------------------------------------------------------------------------------------------------------
    def start(self) -> None:
        board, place = self.board, self.board.place
        self._store = board.connect(30.0)
        self._store.set_timeout(timedelta(seconds=self.step_limit))  # a silent store is a silent rank 0
        self._beat(0)
        if place.world > 1:
            if place.rank == 0:
                self._server = listen(0, 1.0)
                board.put("lifeline", [own_address(place.master, place.port), self._server.getsockname()[1]])
            else:
                while (where := board.peek("lifeline")) is None:
                    board.look()
                    time.sleep(0.02)
                self._tie(where)
        self._thread.start()

    def _tie(self, where: list[Any]) -> None:
        place = self.board.place
        for host in (where[0],) if place.store_elsewhere else (place.master, where[0]):
            try:
                line = socket.create_connection((host, where[1]), 2.0)
                line.sendall(b"%08d" % place.rank)
                self._lines[0] = line
                return
            except OSError:
                continue  # without a life line a death is found by silence, later

    def _run(self) -> None:
        beat, before = 0, time.monotonic()
        while not self._quiet.is_set():
            try:
                now = time.monotonic()
                if now - before > self.step_limit:
                    self.leave(
                        self._found(
                            f"dead: {self.board.place.rank} (this process did not run for {now - before:.0f} s)",
                            (self.board.place.rank,),
                        )
                    )
                before, beat = now, beat + 1
                self._beat(beat)
                fault: Fault | None = self.board.verdict(self._store)
                if fault is None:
                    self.poll_file()
                    fault = self._judge() or self._ends(TICK_S)
                if fault:
                    self.leave(fault)
            except (RuntimeError, OSError) as error:
                if not self._quiet.is_set():
                    self.leave(Fault(PEER, f"lost {self.board.name(0)}: {first_line(error)}", (0,)))

    def _beat(self, beat: int) -> None:
        name, step, since = self.now
        self.board.put(
            f"hb/{self.board.place.rank}",
            [beat, name, step, round(time.monotonic() - since, 2), self.symptom],
            self._store,
        )

    def _found(self, text: str, culprits: tuple[int, ...]) -> Fault:
        remedy = (
            "read that pod's log and last state (OOMKilled, Evicted)"
            if "vanished" in text
            else "see the stacks of the stuck rank and flight-*.json"
        )
        return Fault(PEER, text, culprits, remedy)

    def _limit(self, name: str) -> float:
        return self.step_limit if self.started and name != "init" else self.start_limit

    def _judge(self) -> Fault | None:
        """Rank 0 looks at everybody. Where rank 0 does not host the store, rank 1 looks at rank 0."""
        board, place, now = self.board, self.board.place, time.monotonic()
        others = range(place.world) if place.rank == 0 else [0] if place.rank == 1 and place.store_elsewhere else []
        stuck, dead, waiting = [], [], []
        for rank in others:
            said = board.peek(f"hb/{rank}", self._store)
            if said is None or board.peek(f"bye/{rank}", self._store):
                continue
            beat, since, _ = self._seen.get(rank, (-1, now, said))
            since = now if beat != said[0] else since
            self._seen[rank] = (said[0], since, said)
            _, name, step, age, _ = said
            if now - since > min(self.step_limit, 60.0):
                dead.append(f"{rank} (no heartbeat for {now - since:.1f} s, last seen in {name} at step {step})")
            elif name == "sync":
                waiting.append(rank)
                if age > 2 * self._limit(name) and len(waiting) == place.world:
                    return self._found(f"all ranks wait for each other since {age:.1f} s at step {step}: network", ())
            elif age > self._limit(name):
                stuck.append((rank, f"{rank} in {name} for {age:.1f} s at step {step}"))
        if not stuck and not dead:
            return None
        parts = [
            f"stuck: {', '.join(board.name(r) + text[len(str(r)) :] for r, text in stuck)}" if stuck else "",
            f"dead: {', '.join(dead)}" if dead else "",
            f"waiting: {ranks(waiting)}" if waiting else "",
        ]
        return self._found(
            "; ".join(filter(None, parts)), tuple(r for r, _ in stuck) or tuple(int(text.split()[0]) for text in dead)
        )

    def _ends(self, seconds: float) -> Fault | None:
        """Waits a tick, ended early by the end of a life line: the process at its other side is gone."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and not self._quiet.is_set():
            reading = list(self._lines.values()) + ([self._server] if self._server else [])
            if not reading:
                self._quiet.wait(left)
                break
            for ready in select.select(reading, [], [], left)[0]:
                if ready is self._server:
                    line, _ = self._server.accept()
                    line.settimeout(2.0)
                    self._lines[int(line.recv(8) or b"-1")] = line
                    continue
                rank = next(rank for rank, line in self._lines.items() if line is ready)
                del self._lines[rank]
                if self.board.verdict(self._store) or self.board.peek(f"bye/{rank}", self._store):
                    continue
                if self.board.place.rank:
                    return Fault(PEER, f"lost {self.board.name(0)}", (0,))
                _, _, said = self._seen.get(rank, (0, 0.0, [0, "init", 0, 0.0, ""]))
                return self._found(
                    f"{self.board.name(rank)} vanished, last seen in {said[1]} at step {said[2]}", (rank,)
                )
        return None

    # -- the end ------------------------------------------------------------------------------------------------------
    def peer_error(self, error: BaseException) -> NoReturn:
        """A broken connection is a symptom: the cause comes as the verdict, from the rank that knows it."""
        self.symptom = first_line(error)
        end = time.monotonic() + 2.5
        try:
            while time.monotonic() < end:
                verdict = self.board.verdict()
                if verdict:
                    self.leave(verdict)
                time.sleep(0.05)
            fault = Fault(PEER, f"rank {self.board.place.rank} lost its connection to a peer: {self.symptom}")
        except RuntimeError:
            fault = Fault(PEER, f"lost {self.board.name(0)}", (0,))
        self.leave(fault)

    def leave(self, fault: Fault) -> NoReturn:
        """The only way out. Never through destructors: `destroy_process_group` beside a living DDP object can hang."""
        if not self._leaving.acquire(blocking=False):
            threading.Event().wait()  # the other thread is leaving and takes this one along
        store = self._store or self.board.store
        board, place = self.board, self.board.place
        try:
            if isinstance(fault, Refused):
                pass
            elif fault.code not in {DONE, STOPPED, INTERRUPTED} or board.verdict(store):
                fault = board.settle(fault, store) if not isinstance(fault, Verdict) else fault
            elif not self.started and fault.code != DONE:
                fault = board.settle(fault, store)  # stopped before the ranks could agree on a step
        except RuntimeError:
            if fault.code == PEER or fault.code == DONE:
                pass  # the store is gone with rank 0
        if place.rank in fault.culprits and fault.reason.startswith("stuck"):
            faulthandler.dump_traceback(sys.stderr, all_threads=True)
        try:
            self.on_exit(fault)
        except OSError as error:
            print(f"trainer: cannot write the last words: {error}", file=sys.stderr)
        self._quiet.set()
        kill_children()
        if not isinstance(fault, Refused):
            self._farewell(fault, store)
        print(f"trainer: {describe(fault)}" if fault.code else "trainer: done", file=sys.stderr)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(fault.code)

    def _farewell(self, fault: Fault, store: TCPStore) -> None:
        """Rank 0 hosts the store and leaves last, or after five seconds; nobody waits for the dead."""
        board, place = self.board, self.board.place
        try:
            if not board.rival:
                board.put(f"bye/{place.rank}", fault.code, store)
                board.peek(
                    f"bye/{place.rank}", store
                )  # `set` does not wait; the farewell must be there before the exit
            if place.rank:
                return
            if place.source == "MSJob":
                board.put("end", 1, store)
            silent = set(fault.culprits) if fault.reason.startswith(("dead", "rank", "stuck")) else set()
            end = time.monotonic() + 5.0
            expected = set(range(1, place.world))
            if not board.who:  # not all have joined: wait for those that did
                stray = board.peek("stray", store)
                expected = {
                    r
                    for r in expected | ({stray["rank"]} if stray else set())
                    if store.check([f"{board.prefix}claim/{r}"])
                }
            while expected and time.monotonic() < end:
                expected = {rank for rank in expected if board.peek(f"bye/{rank}", store) is None}
                if expected <= silent and time.monotonic() > end - 4.0:
                    break
                time.sleep(0.02)
        except RuntimeError:
            return


def first_line(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0][:300] if text else ''}".rstrip(": ")


def kill_children() -> None:
    """Loader workers shield themselves from SIGTERM; their end must not raise here (DataLoader handles SIGCHLD)."""
    with contextlib.suppress(ValueError):  # only the main thread may set handlers, and only it would be interrupted
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for child in multiprocessing.active_children():
        child.kill()


def dump_flight(path: str) -> None:
    """The last collectives of this rank, where this torch can tell (private API, hence the test)."""
    from torch._C import _distributed_c10d as c10d

    dump = getattr(c10d, "_dump_fr_trace_json", None)
    if dump:
        try:
            text = dump()
            with open(path, "wb") as file:
                file.write(text if isinstance(text, bytes) else json.dumps(text).encode())
        except (RuntimeError, OSError, TypeError):
            return
