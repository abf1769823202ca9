"""Files of checkpoints that a kill at any moment leaves whole."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch

from trainer import __version__
from trainer.faults import OUTPUT, Fault
from trainer.files import digest, put
from trainer.history import steps_in

# The SHA-256 is over all bytes, and a second check costs a sixth of a save.
torch.serialization.set_crc32_options(False)


class Store:
    """Checkpoints of one lineage, in a directory of their own. Only rank 0 writes; every rank may read."""

    def __init__(self, out: str, keep: int, attempt: int, say: Callable[[str], None], lineage: str = "") -> None:
        self.out = out
        self.lineage = lineage  # its folder below `out`, empty for the first one
        self.folder = os.path.join(out, lineage) if lineage else out
        self.keep = keep  # how many stay besides the newest
        self.attempt = attempt  # tells the temp files of this process from those of a killed one
        self.say = say  # a line for people
        self.misses = 0  # failed saves in a row

    def path(self, step: int) -> str:
        return os.path.join(self.folder, f"step-{step:09d}.pt")

    def steps(self) -> list[int]:
        """Steps of the complete checkpoints, newest first."""
        return steps_in(self.folder)

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
            said = {"step": step, "sha256": sha.result(), "bytes": os.stat(temp).st_size}
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
        latest, name = os.path.join(self.out, "latest"), os.path.join(self.lineage, os.path.basename(final))
        after: tuple[Callable[[], None], ...] = (lambda: put(latest, name + "\n"), self.prune)
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

    def set_aside(self, step: int) -> None:
        """A checkpoint that was skipped keeps its bytes and loses its name: it must not count as the newest again."""
        for name in (self.path(step) + ".json", self.path(step)):  # a file without its side file counts for nothing
            os.replace(name, f"{name}.skipped")
        self.say(f"`{os.path.basename(self.path(step))}` is set aside as `{os.path.basename(self.path(step))}.skipped`")

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
        """Why the file of this checkpoint cannot be read; empty if it is whole."""
        path = self.path(step)
        try:
            with open(path + ".json", encoding="utf-8") as file:
                side = json.load(file)
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
