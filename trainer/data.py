"""Batches on the device: generated, IDX kept as one tensor, or images decoded by worker processes."""

from __future__ import annotations

import ctypes
import io
import os
import random
import signal
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, get_worker_info

from trainer.faults import DATA, PEER, Fault
from trainer.files import Index, idx_files, load_idx
from trainer.signals import SIGNALS

Batch = tuple[int, int, Tensor, Tensor]  # epoch, cursor after this batch, images, labels
Steps = Iterator[tuple[int, int, "np.ndarray[Any, Any]"]]  # epoch, cursor after this step, this rank's sample ids
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of ImageNet, as the imagenet example has them


class Source:
    """``count`` samples of ``classes`` classes on one device."""

    count: int
    classes: int
    device: torch.device
    of: Callable[[Tensor], tuple[Tensor, Tensor]]  # images and labels by sample id, of sources that have no batches yet

    def identity(self) -> str:
        """What the samples are and in which order they are numbered, in a few letters; equal texts are equal data."""
        raise NotImplementedError

    def batches(self, steps: Steps) -> Iterator[Batch]:
        for epoch, cursor, ids in steps:
            number = torch.from_numpy(np.ascontiguousarray(ids)).to(self.device, non_blocking=True)
            yield epoch, cursor, *self.of(number)

    def close(self) -> None:
        """Nothing to end."""


class Dummy(Source):
    """Generated on the device: one random image, scaled by the sample's id, so a batch is the same on every run."""

    def __init__(self, count: int, classes: int, shape: tuple[int, ...], seed: int, device: torch.device) -> None:
        self.count, self.classes, self.device = count, classes, device
        self.image = torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(device)

    def identity(self) -> str:
        return "generated"

    def of(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        return self.image * (0.5 + (ids % 97).float() / 97).view(-1, 1, 1, 1), ids % self.classes


class Idx(Source):
    """MNIST files as uint8 tensors on the device; indexing one tensor beats a DataLoader nine times over."""

    classes = 10

    def __init__(self, root: str, split: str, device: torch.device) -> None:
        images, labels = idx_files(root, split)
        # images and labels, as bytes
        self.pixels, self.marks = (torch.from_numpy(load_idx(path).copy()).to(device) for path in (images, labels))
        self.count, self.device = len(self.pixels), device
        if self.count != len(self.marks):
            raise Fault(DATA, f"`{images}` has {self.count} images, `{labels}` has {len(self.marks)} labels")

    def identity(self) -> str:
        checks = (zlib.crc32(part.cpu().numpy().data) for part in (self.pixels, self.marks))
        return "idx " + " ".join(f"{check:08x}" for check in checks)

    def of(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        x = self.pixels[ids].float().div_(255).sub_(0.1307).div_(0.3081)
        return x.unsqueeze_(1), self.marks[ids].long()


class BadSample(ValueError):
    """A file that is no image. From a loader worker to its rank only the text comes through."""


class Pictures(Dataset[tuple[Tensor, int]]):
    """Reads, decodes and crops single samples, in the loader's worker processes."""

    def __init__(self, root: str, index: Index, size: int, seed: int, train: bool) -> None:
        self.root = root
        self.index = index
        self.size = size  # side of the image in pixels
        self.seed = seed  # of the random crops
        self.train = train  # crops are random; else they are the middle
        # Shared with the parent: the sample that each worker is at, counted from 1; 0 where it is at none.
        self.where = torch.zeros(256, dtype=torch.int64).share_memory_()  # type: ignore[no-untyped-call]

    def __getitem__(self, key: tuple[int, int]) -> tuple[Tensor, int]:
        from PIL import Image

        number, epoch = key
        path, offset, size, label = self.index.entries[number]
        info = get_worker_info()
        worker = info.id if info else 0
        self.where[worker] = number + 1
        try:
            with open(os.path.join(self.root, path), "rb") as file:
                raw = os.pread(file.fileno(), size, offset)
            image = Image.open(io.BytesIO(raw)).convert("RGB")
        except Exception as error:  # Pillow raises what it likes; the file's name is what matters
            raise BadSample(f"`{os.path.join(self.root, path)}` cannot be read: {error!r}") from None
        image = self._crop(image, random.Random(f"{self.seed}/{epoch}/{number}"))
        self.where[worker] = 0
        return torch.from_numpy(np.array(image)).permute(2, 0, 1).contiguous(), label

    def _crop(self, image: Any, chance: random.Random) -> Any:
        """Random area of 8 to 100 % and aspect 3/4 to 4/3, mirrored half the time; for evaluation the middle 7/8."""
        width, height = image.size
        w = h = int(min(width, height) * 0.875)
        left, top = (width - w) // 2, (height - h) // 2
        for _ in range(10 if self.train else 0):
            area, aspect = width * height * chance.uniform(0.08, 1.0), chance.uniform(0.75, 4 / 3)
            new_w, new_h = round((area * aspect) ** 0.5), round((area / aspect) ** 0.5)
            if 0 < new_w <= width and 0 < new_h <= height:
                w, h, left, top = new_w, new_h, chance.randint(0, width - new_w), chance.randint(0, height - new_h)
                break
        image = image.resize((self.size, self.size), 2, box=(left, top, left + w, top + h))
        return image.transpose(0) if self.train and chance.random() < 0.5 else image


class Images(Source):
    """Folder or tar shards through an index, decoded by ``workers`` processes that signals do not reach."""

    def __init__(self, pictures: Pictures, workers: int, timeout: float, rank: int, device: torch.device) -> None:
        self.pictures = pictures
        self.workers = workers
        self.timeout = timeout  # seconds to wait for a batch
        self.rank = rank  # for messages
        self.device = device
        self.count, self.classes = len(pictures.index.entries), len(pictures.index.classes)
        # by channel, for values of 0 to 255
        self.mean, self.std = (torch.tensor(three, device=device).view(1, 3, 1, 1) * 255 for three in (MEAN, STD))
        self.iterator: Any = None  # of the DataLoader, while it runs

    def identity(self) -> str:
        """By the names, sizes and labels of all files, not by what is in them."""
        check = 0
        for path, _, size, label in self.pictures.index.entries:
            check = zlib.crc32(f"{path} {size} {label}\n".encode(), check)
        return f"{self.pictures.index.kind} {check:08x}"

    def batches(self, steps: Steps) -> Iterator[Batch]:
        ahead: list[tuple[int, int]] = []  # what the loader has been given and not yet returned

        def keys() -> Iterator[list[tuple[int, int]]]:
            for epoch, cursor, ids in steps:
                ahead.append((epoch, cursor))
                yield [(int(number), epoch) for number in ids]

        self.iterator = self._start(keys())
        while (batch := self._next()) is not None:
            epoch, cursor = ahead.pop(0)
            pixels, labels = (part.to(self.device, non_blocking=True) for part in batch)
            images, labels = pixels.float().sub_(self.mean).div_(self.std), labels.clone()
            del batch, pixels  # they lie in shared memory, where the next ones need the room
            yield epoch, cursor, images, labels

    def _start(self, keys: Iterator[list[tuple[int, int]]]) -> Any:
        """The loader's iterator, whose workers are forked here."""
        workers = self.workers
        options: dict[str, Any] = {"timeout": self.timeout, "worker_init_fn": end_with_parent} if workers else {}
        pin = self.device.type == "cuda"
        # DataLoader only iterates over its batch sampler, so a generator will do.
        options |= {"batch_sampler": keys, "num_workers": workers, "pin_memory": pin}
        loader = DataLoader(self.pictures, **options)
        # Workers inherit the blocked signals: a SIGTERM to the process group must not kill them before the last batch.
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            return iter(loader)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)

    def _next(self) -> Any:
        """A batch, or None after the last. Raises Fault(65) for a bad file and Fault(138) where none comes in time."""
        try:
            return next(self.iterator, None)
        except BadSample as error:  # DataLoader puts the worker's traceback before the text
            text = str(error).strip().splitlines()[-1].split("BadSample: ")[-1]
            raise Fault(DATA, f"rank {self.rank}: {text}", (self.rank,), "restore the file") from None
        except RuntimeError as error:
            if "timed out" not in str(error):
                raise
            entries, at = self.pictures.index.entries, self.pictures.where[: self.workers].tolist()
            paths = {w: os.path.join(self.pictures.root, entries[n - 1].path) for w, n in enumerate(at) if n}
            busy = "; ".join(f"worker {worker} at `{path}`" for worker, path in paths.items()) or "workers idle"
            text = f"rank {self.rank}: no batch in {self.timeout:.0f} s, {busy}"
            raise Fault(PEER, text, (self.rank,)) from None

    def close(self) -> None:
        if self.iterator is not None and self.workers:
            self.iterator._shutdown_workers()
        self.iterator = None


def end_with_parent(_: int) -> None:
    """A worker must not outlive its rank: it holds the rank's sockets open, and with them the news of its death."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    torch.set_num_threads(1)


def plan(count: int, batch: int, seed: int, rank: int, world: int, epoch: int, cursor: int) -> Steps:
    """Endless (epoch, cursor after the step, this rank's ids); ``batch`` is the global one, ``cursor`` counts samples.

    The global order depends on seed and epoch only, for every world size and batch: it can be gone on with by others.
    Every sample comes once in an epoch. Its last step may be a short one: then ``cursor`` grows by less than ``batch``,
    and each rank's ids, of which only ``share`` count, are filled up with such as it has.
    """
    while True:
        order = np.random.Generator(np.random.PCG64([seed, epoch])).permutation(count)
        while cursor < count:
            part = order[cursor : cursor + batch]
            cursor += len(part)
            own = part[rank::world]
            yield epoch, cursor, own if len(part) == batch else np.resize(own if len(own) else part, batch // world)
        epoch, cursor = epoch + 1, 0


def share(taken: int, rank: int, world: int) -> int:
    """How many samples of a step of ``taken`` samples are this rank's."""
    return len(range(rank, taken, world))


def evaluation(count: int, batch: int, rank: int, world: int) -> Steps:
    """Every sample once; the same number of batches on all ranks, the last ones shorter or empty."""
    for begin in range(0, count, batch * world):
        yield 0, begin, np.arange(begin, min(count, begin + batch * world))[rank::world]
