"""Checkpoints that a kill at any moment leaves whole: temp file, fsync, hash, side file, rename, fsync (T6)."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from typing import Any

import torch

from trainer import __version__
from trainer.faults import OUTPUT, Fault


class Hashing:
    """A file that hashes what goes through it, so the hash is of what was written, not of what was read back."""

    def __init__(self, path: str) -> None:
        self.file = open(path, "wb")  # noqa: SIM115  # closed by close()
        self.state, self.bytes = hashlib.sha256(), 0

    def write(self, block: bytes) -> int:
        self.state.update(block)
        self.bytes += len(block)
        return self.file.write(block)

    def flush(self) -> None:
        self.file.flush()

    def close(self, sync: bool) -> None:
        try:
            if sync:
                self.file.flush()
                os.fsync(self.file.fileno())
        finally:
            self.file.close()


def sync_folder(path: str) -> None:
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def put(path: str, text: str) -> None:
    """Replaces a small file in one step, durably."""
    with open(path + ".tmp", "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".tmp", path)


class Store:
    """Checkpoints in one directory. Only rank 0 writes; every rank may read."""

    def __init__(self, folder: str, keep: int, attempt: int, config: str, say: Callable[[str], None]) -> None:
        self.folder, self.keep, self.attempt, self.config, self.say = folder, keep, attempt, config, say
        self.misses = 0

    def path(self, step: int) -> str:
        return os.path.join(self.folder, f"step-{step:09d}.pt")

    def steps(self) -> list[int]:
        """Committed steps, newest first: those whose file and side file are both in place."""
        names = set(os.listdir(self.folder)) if os.path.isdir(self.folder) else set()
        return sorted(
            (
                int(name[5:14])
                for name in names
                if name.startswith("step-") and name.endswith(".pt") and name + ".json" in names
            ),
            reverse=True,
        )

    def clean(self) -> None:
        """Removes what a killed attempt left half-written."""
        for name in os.listdir(self.folder):
            orphan = (
                name.startswith("step-")
                and name.endswith(".pt.json")
                and not os.path.exists(os.path.join(self.folder, name[:-5]))
            )
            if ".pt.tmp-" in name or (name.startswith("step-") and name.endswith(".tmp")) or orphan:
                os.unlink(os.path.join(self.folder, name))
                self.say(f"removed the unfinished `{name}` of an earlier attempt")

    def save(self, step: int, state: dict[str, Any], facts: dict[str, Any]) -> None:
        """Commits one checkpoint; on any error the temp file is gone again. Raises OSError or RuntimeError."""
        final = self.path(step)
        temp = f"{final}.tmp-{self.attempt}"
        need = sum(t.numel() * t.element_size() for t in _tensors(state))
        free = shutil.disk_usage(self.folder).free
        if free < need:
            raise OSError(28, f"{need} bytes needed, {free} free in `{self.folder}`")
        out = None
        try:
            out = Hashing(temp)
            torch.save(state, out)  # type: ignore[arg-type]  # only write and flush are used
            out.close(sync=True)
            side = {
                "step": step,
                "sha256": out.state.hexdigest(),
                "bytes": out.bytes,
                "config": self.config,
                "trainer": __version__,
                "torch": torch.__version__,
                **facts,
            }
            put(final + ".json", json.dumps(side, indent=1) + "\n")
            os.replace(temp, final)
            sync_folder(self.folder)
        except BaseException:
            if out is not None and not out.file.closed:
                try:
                    out.close(sync=False)
                except OSError:
                    pass  # the error that matters is on its way
            for path in (temp, final + ".json.tmp"):
                if os.path.exists(path):
                    os.unlink(path)
            raise
        put(os.path.join(self.folder, "latest"), os.path.basename(final) + "\n")
        for old in self.steps()[self.keep + 1 :]:
            os.unlink(self.path(old))  # first the file: a side file alone counts for nothing
            os.unlink(self.path(old) + ".json")

    def try_save(self, step: int, state: dict[str, Any], facts: dict[str, Any]) -> bool:
        """False on a miss that can be borne: there is a checkpoint to go back to. The third in a row is Fault(74)."""
        try:
            self.save(step, state, facts)
            self.misses = 0
            return True
        except Exception as error:  # torch turns ENOSPC into a RuntimeError of its own
            self.misses += 1
            text = f"checkpoint of step {step} cannot be written: {str(error).splitlines()[0][:200]}"
            self.say(f"{text} (miss {self.misses} of 3)")
            if self.misses >= 3 or not self.steps():
                raise Fault(OUTPUT, text, (0,), "make room or repair the mount of --out") from None
            return False

    def flaw(self, step: int) -> str:
        """Why this checkpoint is not to be used; empty if it is whole."""
        path = self.path(step)
        try:
            with open(path + ".json", encoding="utf-8") as file:
                side = json.load(file)
            if side["config"] != self.config:
                return f"it is of another configuration ({side['config']}, not {self.config})"
            if os.stat(path).st_size != side["bytes"]:
                return f"it has {os.stat(path).st_size} bytes, not {side['bytes']}"
            state = hashlib.sha256()
            with open(path, "rb") as data:
                while block := data.read(16 << 20):
                    state.update(block)
            return "" if state.hexdigest() == side["sha256"] else "its SHA-256 is not that of its side file"
        except (OSError, ValueError, KeyError) as error:
            return f"{type(error).__name__}: {error}"

    def load(self, path: str, device: torch.device) -> dict[str, Any]:
        loaded: dict[str, Any] = torch.load(path, map_location=device, weights_only=True)
        return loaded


def _tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [tensor for part in inner for tensor in _tensors(part)]


class Attempts:
    """`attempts.jsonl`: the bound on restarts that `restartPolicy: ExitCode` lacks (it ignores backoffLimit)."""

    def __init__(self, folder: str) -> None:
        self.path = os.path.join(folder, "attempts.jsonl")
        self.lines: list[dict[str, Any]] = []
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                # A line that a kill cut off has no end; the next one may follow it without a break.
                self.lines = [
                    json.loads(line)
                    for line in file
                    if line.startswith("{") and line.endswith("}\n") and line.count("{") == 1
                ]
        self.number = 1 + sum(line["event"] == "start" for line in self.lines)

    def fruitless(self, committed: int) -> int:
        """Attempts at the end that began at today's checkpoint and were neither finished nor asked to stop."""
        ends = {line["attempt"]: line["code"] for line in self.lines if line["event"] == "end"}
        count = 0
        for line in reversed([line for line in self.lines if line["event"] == "start"]):
            if line["committed"] != committed or ends.get(line["attempt"]) == 0:
                break
            count += ends.get(line["attempt"]) not in {130, 143}
        return count

    def add(self, **line: Any) -> None:
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"attempt": self.number, **line}) + "\n")
            file.flush()
            os.fsync(file.fileno())


class Progress:
    """The last step taken, in the page cache: it outlives a kill, so the next attempt knows what it repeats."""

    def __init__(self, folder: str) -> None:
        path = os.path.join(folder, "progress")
        self.reached = 0
        if os.path.exists(path):
            with open(path, encoding="ascii") as file:
                self.reached = int(file.read(12) or 0)
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)

    def at(self, step: int) -> None:
        os.pwrite(self.file, b"%012d" % step, 0)
