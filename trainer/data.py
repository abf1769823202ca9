"""Batches on the device: generated, IDX kept as one tensor, or images decoded by worker processes (T5)."""

from __future__ import annotations

import ctypes
import io
import mmap
import os
import random
import signal
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from trainer.faults import DATA, PEER, Fault
from trainer.files import Index, idx_files, load_idx

Batch = tuple[int, int, Tensor, Tensor]  # epoch, cursor after this batch, images, labels
SLOT = 256
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of ImageNet, as the imagenet example has them


class Dummy:
    """Generated on the device: one random image, scaled by the sample's id, so a batch is the same on every run."""

    def __init__(self, count: int, classes: int, shape: tuple[int, int, int], seed: int, device: torch.device) -> None:
        self.count, self.classes, self.device = count, classes, device
        self.image = torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(device)

    def batches(self, steps: Iterator[tuple[int, int, Any]]) -> Iterator[Batch]:
        for epoch, cursor, ids in steps:
            number = torch.from_numpy(np.ascontiguousarray(ids)).to(self.device, non_blocking=True)
            scale = 0.5 + (number % 97).float() / 97
            yield epoch, cursor, self.image * scale.view(-1, 1, 1, 1), number % self.classes

    def close(self) -> None:
        """Nothing to end."""


class Idx:
    """MNIST files as uint8 tensors on the device; indexing one tensor beats a DataLoader nine times over."""

    classes = 10

    def __init__(self, root: str, split: str, device: torch.device) -> None:
        images, labels = idx_files(root, split)
        pixels, marks = load_idx(images), load_idx(labels)
        if len(pixels) != len(marks):
            raise Fault(DATA, f"`{images}` has {len(pixels)} images, `{labels}` has {len(marks)} labels")
        self.count = len(pixels)
        self.pixels, self.marks = torch.from_numpy(pixels.copy()).to(device), torch.from_numpy(marks.copy()).to(device)

    def batches(self, steps: Iterator[tuple[int, int, Any]]) -> Iterator[Batch]:
        for epoch, cursor, ids in steps:
            number = torch.from_numpy(np.ascontiguousarray(ids)).to(self.pixels.device)
            x = self.pixels[number].float().div_(255).sub_(0.1307).div_(0.3081).unsqueeze_(1)
            yield epoch, cursor, x, self.marks[number].long()

    def close(self) -> None:
        """Nothing to end."""


class BadSample(ValueError):
    """Crosses the process border with its text alone."""


class Pictures(Dataset[tuple[Tensor, int]]):
    """Decodes one sample; `where` shows the parent which file each worker is at."""

    def __init__(self, root: str, index: Index, size: int, seed: int, train: bool, where: mmap.mmap) -> None:
        self.root, self.index, self.size, self.seed, self.train, self.where = root, index, size, seed, train, where
        self.open: dict[str, int] = {}

    def __getitem__(self, key: tuple[int, int]) -> tuple[Tensor, int]:
        from PIL import Image

        number, epoch = key
        path, offset, size, label = self.index.entries[number]
        info = torch.utils.data.get_worker_info()
        slot = (info.id if info else 0) * SLOT
        self.where[slot : slot + SLOT] = path.encode()[-SLOT:].ljust(SLOT, b"\0")
        try:
            image = Image.open(io.BytesIO(self._bytes(path, offset, size))).convert("RGB")
        except Exception as error:  # Pillow raises what it likes; the file's name is what matters
            raise BadSample(f"`{os.path.join(self.root, path)}` cannot be read: {error!r}") from None
        image = self._crop(image, random.Random(f"{self.seed}/{epoch}/{number}"))
        self.where[slot : slot + SLOT] = bytes(SLOT)
        return torch.from_numpy(np.array(image)).permute(2, 0, 1).contiguous(), label

    def _bytes(self, path: str, offset: int, size: int) -> bytes:
        if self.index.kind == "tar":
            if path not in self.open:
                self.open[path] = os.open(os.path.join(self.root, path), os.O_RDONLY)
            return os.pread(self.open[path], size, offset)
        with open(os.path.join(self.root, path), "rb") as file:
            return file.read()

    def _crop(self, image: Any, chance: random.Random) -> Any:
        """Random area of 8 to 100 % and aspect 3/4 to 4/3, mirrored half the time; for evaluation the middle 7/8."""
        width, height = image.size
        if not self.train:
            side = int(min(width, height) * 0.875)
            left, top = (width - side) // 2, (height - side) // 2
            return image.resize((self.size, self.size), 2, box=(left, top, left + side, top + side))
        for _ in range(10):
            area, aspect = width * height * chance.uniform(0.08, 1.0), chance.uniform(0.75, 4 / 3)
            w, h = round((area * aspect) ** 0.5), round((area / aspect) ** 0.5)
            if 0 < w <= width and 0 < h <= height:
                break
        else:
            w = h = min(width, height)
        left, top = chance.randint(0, width - w), chance.randint(0, height - h)
        image = image.resize((self.size, self.size), 2, box=(left, top, left + w, top + h))
        return image.transpose(0) if chance.random() < 0.5 else image


def end_with_parent(_: int) -> None:
    """A worker must not outlive its rank: it holds the rank's sockets open, and with them the news of its death."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    torch.set_num_threads(1)


class Images:
    """Folder or tar shards through an index, decoded by `workers` processes that signals do not reach."""

    def __init__(
        self,
        root: str,
        index: Index,
        size: int,
        seed: int,
        train: bool,
        workers: int,
        timeout: float,
        rank: int,
        device: torch.device,
    ) -> None:
        self.root, self.count, self.classes, self.rank, self.device = (
            root,
            len(index.entries),
            len(index.classes),
            rank,
            device,
        )
        self.workers, self.timeout = workers, timeout
        self.where = mmap.mmap(-1, max(1, workers) * SLOT)
        self.pictures = Pictures(root, index, size, seed, train, self.where)
        self.mean, self.std = (torch.tensor(three, device=device).view(1, 3, 1, 1) * 255 for three in (MEAN, STD))
        self.iterator: Any = None

    def batches(self, steps: Iterator[tuple[int, int, Any]]) -> Iterator[Batch]:
        ahead: list[tuple[int, int]] = []  # what the loader has been given and not yet returned

        def keys() -> Iterator[list[tuple[int, int]]]:
            for epoch, cursor, ids in steps:
                ahead.append((epoch, cursor))
                yield [(int(number), epoch) for number in ids]

        options: dict[str, Any] = {"timeout": self.timeout, "prefetch_factor": 2} if self.workers else {}
        loader = DataLoader(
            self.pictures,
            batch_sampler=_Once(keys()),
            num_workers=self.workers,
            pin_memory=self.device.type == "cuda",
            worker_init_fn=end_with_parent,
            **options,
        )
        # Workers inherit the blocked signals: a SIGTERM to the process group must not kill them before the last batch.
        mine = {signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2}
        signal.pthread_sigmask(signal.SIG_BLOCK, mine)
        try:
            self.iterator = iter(loader)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, mine)
        while True:
            try:
                pixels, labels = next(self.iterator)
            except StopIteration:
                return
            except BadSample as error:
                raise Fault(DATA, f"rank {self.rank}: {_sentence(error)}", (self.rank,), "restore the file") from None
            except RuntimeError as error:
                if "timed out" not in str(error):
                    raise
                at = [self.where[n * SLOT : (n + 1) * SLOT].rstrip(b"\0").decode() for n in range(self.workers)]
                busy = "; ".join(
                    f"worker {n} at `{os.path.join(self.root, path)}`" for n, path in enumerate(at) if path
                )
                raise Fault(
                    PEER, f"rank {self.rank}: no batch in {self.timeout:.0f} s, {busy or 'workers idle'}", (self.rank,)
                ) from None
            epoch, cursor = ahead.pop(0)
            x = pixels.to(self.device, non_blocking=True).float().sub_(self.mean).div_(self.std)
            yield epoch, cursor, x, labels.to(self.device, non_blocking=True)

    def close(self) -> None:
        if self.iterator is not None and self.workers:
            self.iterator._shutdown_workers()
        self.iterator = None


class _Once:
    """The iterator of batches as the batch sampler that DataLoader asks for."""

    def __init__(self, keys: Iterator[list[tuple[int, int]]]) -> None:
        self.keys = keys

    def __iter__(self) -> Iterator[list[tuple[int, int]]]:
        return self.keys


def _sentence(error: BaseException) -> str:
    """DataLoader puts the worker's traceback before the text."""
    lines = [line for line in str(error).strip().splitlines() if line.strip()]
    return lines[-1].split("BadSample: ")[-1] if lines else repr(error)


def plan(
    count: int,
    batch: int,
    seed: int,
    rank: int,
    world: int,
    epoch: int,
    cursor: int,
) -> Iterator[tuple[int, int, np.ndarray[Any, Any]]]:
    """Endless (epoch, cursor after the step, this rank's ids); `batch` is the global one, `cursor` counts samples.

    The global order depends on seed and epoch only: batch s is the same set of ids for every world size. The last
    partial batch of an epoch is left out, so all ranks take the same number of steps.
    """
    while True:
        order = np.random.Generator(np.random.PCG64([seed, epoch])).permutation(count)
        while cursor + batch <= count:
            cursor += batch
            yield epoch, cursor, order[cursor - batch : cursor][rank::world]
        epoch, cursor = epoch + 1, 0


def evaluation(count: int, batch: int, rank: int, world: int) -> Iterator[tuple[int, int, np.ndarray[Any, Any]]]:
    """Every sample once; the same number of batches on all ranks, the last ones shorter or empty."""
    for begin in range(0, count, batch * world):
        yield 0, begin, np.arange(begin, min(count, begin + batch * world))[rank::world]


Source = Dummy | Idx | Images
