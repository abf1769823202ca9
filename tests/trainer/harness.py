"""Ranks for the tests: forked from one process that has imported torch, each with its own environment and log."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Zygote:
    def __init__(self, **more: str) -> None:
        """`more` are variables of its own, as LD_PRELOAD; ranks have only those that they are given."""
        env = {**os.environ, "PYTHONPATH": str(ROOT), "TORCH_CPP_LOG_LEVEL": "ERROR", **more}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.trainer.zygote"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=env,
            start_new_session=True,
        )

    def ask(self, request: dict[str, Any]) -> Any:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self) -> None:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(10)


class Rank:
    def __init__(self, pid: int, log: Path) -> None:
        self.pid, self.log, self.ended = pid, log, 0.0
        self.code: int | None = None

    @property
    def text(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def send(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)


class Job:
    """`ranks` started together. Whatever a test leaves running is killed, with its children, at the end."""

    def __init__(self, zygote: Zygote, folder: Path) -> None:
        self.zygote, self.folder, self.port = zygote, folder, free_port()
        self.ranks: list[Rank] = []
        self.begin = time.time()

    def start(
        self,
        rank: int | None,
        argv: list[str],
        env: dict[str, str] | None = None,
        inject: list[Any] | None = None,
        world: int = 0,
        netns: str = "",
    ) -> Rank:
        """`netns` names a network namespace to start in."""
        log = self.folder / f"log-{len(self.ranks)}.txt"
        log.unlink(missing_ok=True)
        own = {"PATH": os.environ["PATH"], "HOME": "/tmp"}
        if rank is not None:
            own |= {
                "RANK": str(rank),
                "WORLD_SIZE": str(world),
                "MASTER_ADDR": "127.0.0.1",
                "MASTER_PORT": str(self.port),
            }
        own = {key: value for key, value in {**own, **(env or {})}.items() if value != ""}
        request = {"argv": argv, "env": own, "log": str(log), "inject": inject or [], "netns": netns}
        pid = self.zygote.ask({"spawn": request})
        started = Rank(pid, log)
        self.ranks.append(started)
        return started

    def run(
        self,
        world: int,
        argv: list[str],
        env: dict[int, dict[str, str]] | None = None,
        inject: dict[int, list[Any]] | None = None,
        without: tuple[int, ...] = (),
    ) -> Job:
        for rank in range(world):
            if rank not in without:
                self.start(rank, argv, (env or {}).get(rank), (inject or {}).get(rank), world)
        return self

    def wait(self, limit: float = 60.0, ranks: list[Rank] | None = None) -> list[int | None]:
        """Exit codes; a rank that is still there after `limit` seconds has code None."""
        waiting = [rank for rank in (ranks or self.ranks) if rank.code is None]
        end = time.monotonic() + limit
        while waiting:
            said = self.zygote.ask({"poll": [rank.pid for rank in waiting]})
            for rank in waiting:
                if said[str(rank.pid)]:
                    rank.code, rank.ended = said[str(rank.pid)]
            waiting = [rank for rank in waiting if rank.code is None]
            if time.monotonic() >= end:
                break
            time.sleep(0.02)
        return [rank.code for rank in (ranks or self.ranks)]

    def until(self, text: str, rank: int = 0, limit: float = 40.0) -> None:
        end = time.monotonic() + limit
        while text not in self.ranks[rank].text:
            ended = self.wait(0.0, [self.ranks[rank]])[0]
            assert ended is None and time.monotonic() < end, f"no `{text}` in:\n{self.logs()}"
            time.sleep(0.02)

    def logs(self) -> str:
        return "\n".join(f"--- {rank.log.name} ({rank.code})\n{rank.text}" for rank in self.ranks)

    def last(self, rank: int = 0) -> str:
        lines = [line for line in self.ranks[rank].text.splitlines() if line.startswith("trainer: ")]
        return lines[-1] if lines else ""

    def close(self) -> None:
        for rank in self.ranks:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(rank.pid, signal.SIGKILL)
        self.wait(5.0)


def several(zygote: Zygote, folder: Path) -> Iterator[Callable[[], Job]]:
    """Makes jobs one after the other, each with a folder for its logs; all are ended when the test is over."""
    made: list[Job] = []

    def make() -> Job:
        own = folder / f"job-{len(made)}"
        own.mkdir()
        made.append(Job(zygote, own))
        return made[-1]

    yield make
    for one in made:
        one.close()


def idx(array: Any) -> bytes:
    head = struct.pack(">HBB", 0, 8, array.ndim) + struct.pack(f">{array.ndim}I", *array.shape)
    return head + bytes(array.tobytes())


def write_mnist(folder: Path, count: int = 512, seed: int = 0, compress: bool = False) -> Path:
    """A set that can be learned: the class is a bright bar at a height of its own."""
    import numpy as np

    folder.mkdir(parents=True, exist_ok=True)
    chance = np.random.default_rng(seed)
    for name, number in (("train", count), ("t10k", count // 4)):
        labels = chance.integers(0, 10, number).astype(np.uint8)
        images = chance.integers(0, 60, (number, 28, 28)).astype(np.uint8)
        for row, label in zip(images, labels, strict=True):
            row[2 + 2 * int(label) : 5 + 2 * int(label), 4:24] = 250
        for kind, array in (("images-idx3", images), ("labels-idx1", labels)):
            raw = idx(array)
            path = folder / f"{name}-{kind}-ubyte"
            if compress:
                path.with_name(path.name + ".gz").write_bytes(gzip.compress(raw, mtime=0))
            else:
                path.write_bytes(raw)
    return folder


def write_folder(folder: Path, classes: int = 2, each: int = 8, size: int = 40) -> Path:
    from PIL import Image

    for split in ("train", "val"):
        for label in range(classes):
            inner = folder / split / f"class-{label}"
            inner.mkdir(parents=True, exist_ok=True)
            for number in range(each):
                tone = random.Random(f"{split}{label}{number}").randint(0, 80)
                Image.new("RGB", (size, size), (label * 150 % 256, tone, 100)).save(inner / f"{number}.jpg")
    return folder
