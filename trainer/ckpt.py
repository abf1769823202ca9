"""Files of checkpoints that a kill at any moment leaves whole, and the count of the job's attempts beside them."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch

from trainer import __version__
from trainer.faults import OUTPUT, Fault
from trainer.files import digest, json_lines, put

# The SHA-256 is over all bytes, and a second check costs a sixth of a save.
torch.serialization.set_crc32_options(False)


class Store:
    """Checkpoints in one directory. Only rank 0 writes; every rank may read."""

    def __init__(self, folder: str, keep: int, attempt: int, config: str, say: Callable[[str], None]) -> None:
        self.folder = folder
        self.keep = keep  # how many stay besides the newest
        self.attempt = attempt  # tells the temp files of this process from those of a killed one
        self.config = config  # a hash of network, seed and data: others' checkpoints are not loaded
        self.say = say  # a line for people
        self.misses = 0  # failed saves in a row

    def path(self, step: int) -> str:
        return os.path.join(self.folder, f"step-{step:09d}.pt")

    def steps(self) -> list[int]:
        """Committed steps, newest first: those whose file and side file are both in place."""
        names = set(os.listdir(self.folder)) if os.path.isdir(self.folder) else set()
        found = [re.fullmatch(r"step-(\d{9})\.pt", name) for name in names if name + ".json" in names]
        return sorted((int(match[1]) for match in found if match), reverse=True)

    def clean(self) -> None:
        """Removes what a killed attempt left half-written."""
        names = set(os.listdir(self.folder))
        for name in sorted(names):
            orphan = name.endswith(".pt.json") and name[:-5] not in names
            if name.startswith("step-") and (orphan or name.endswith(".tmp") or ".pt.tmp-" in name):
                os.unlink(os.path.join(self.folder, name))
                self.say(f"removed the unfinished `{name}` of an earlier attempt")

    def save(self, step: int, state: dict[str, Any], facts: dict[str, Any]) -> None:
        """Commits one checkpoint; on any error the temp file is gone again. Raises OSError or RuntimeError."""
        final, side = self.path(step), self.path(step) + ".json"
        temp = f"{final}.tmp-{self.attempt}"
        need, free = sum(tensor.nbytes for tensor in tensors(state)), shutil.disk_usage(self.folder).free
        if free < need:
            raise OSError(28, f"{need} bytes needed, {free} free in `{self.folder}`")
        try:
            with open(temp, "wb") as file, ThreadPoolExecutor(1) as beside:
                torch.save(state, file)
                file.flush()
                sha = beside.submit(digest, temp)  # while the disk is waited for: both let go of the GIL
                os.fsync(file.fileno())
            said = {"step": step, "sha256": sha.result(), "bytes": os.stat(temp).st_size, "config": self.config}
            said |= {"trainer": __version__, "torch": torch.__version__, **facts}
            put(side, json.dumps(said, indent=1) + "\n", durable=True)
            os.replace(temp, final)
            folder = os.open(self.folder, os.O_RDONLY)
            os.fsync(folder)
            os.close(folder)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temp)
            raise
        # Committed: what fails from here on is no miss, and a full disk is no reason to keep the old ones.
        latest = os.path.join(self.folder, "latest")
        after: tuple[Callable[[], None], ...] = (lambda: put(latest, os.path.basename(final) + "\n"), self.prune)
        for tidy in after:
            try:
                tidy()
            except OSError as error:
                self.say(f"the checkpoint of step {step} is written, but not what follows it: {error}")

    def prune(self) -> None:
        """Removes all but the newest and ``keep`` others."""
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
            return "" if digest(path) == side["sha256"] else "its SHA-256 is not that of its side file"
        except (OSError, ValueError, KeyError) as error:
            return f"{type(error).__name__}: {error}"


def load(path: str) -> dict[str, Any]:
    """The state, its tensors still in the file: whoever keeps one must copy it."""
    state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    return state


def tensors(value: Any) -> Iterator[torch.Tensor]:
    """All tensors in a nest of dictionaries and lists."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (dict, list, tuple)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from tensors(part)


class Attempts:
    """``attempts.jsonl``: the bound on restarts that ``restartPolicy: ExitCode`` lacks (it ignores backoffLimit)."""

    def __init__(self, folder: str) -> None:
        self.path = os.path.join(folder, "attempts.jsonl")
        self.lines: list[dict[str, Any]] = json_lines(self.path)  # of the attempts before this one
        self.number: int = 1 + sum(line["event"] == "start" for line in self.lines)

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
        """One more line, on the disk before this returns."""
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"attempt": self.number, **line}) + "\n")
            file.flush()
            os.fsync(file.fileno())
