"""What lies in the data directory: formats, the index file, the manifest of hashes. Nothing is ever fetched."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import os
import random
import struct
import tarfile
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from trainer.faults import DATA, Fault

INDEX, MANIFEST = "trainer-index.json", "trainer-manifest.tsv"
IMAGES = (".jpg", ".jpeg", ".png", ".bmp", ".webp")
IDX = {
    "train": ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
    "val": ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"),
}
HASH_ALL, SAMPLES = 2 << 30, 32  # bytes up to which every file is hashed at start; files that are beyond that


# -- small files ------------------------------------------------------------------------------------------------------
def text_of(path: str) -> str:
    """The text without blanks around it, empty where there is no such file."""
    with contextlib.suppress(OSError), open(path, encoding="utf-8") as file:
        return file.read().strip()
    return ""


def json_lines(path: str) -> list[Any]:
    """The objects of a ``.jsonl`` file, without lines that a kill cut off."""
    found = []
    for line in text_of(path).splitlines():
        with contextlib.suppress(ValueError):
            found.append(json.loads(line))
    return found


def put(path: str, text: str, durable: bool = False) -> None:
    """Replaces a small file in one step; on any error the temp file is gone again. Raises OSError."""
    try:
        with open(path + ".tmp", "w", encoding="utf-8") as file:
            file.write(text)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(path + ".tmp", path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(path + ".tmp")
        raise


def digest(path: str, alive: Callable[[str], None] = lambda path: None) -> str:
    """SHA-256, with a word to ``alive`` before every 16 MiB."""
    state = hashlib.sha256()
    alive(path)
    with open(path, "rb") as file:
        while block := file.read(16 << 20):
            alive(path)
            state.update(block)
    return state.hexdigest()


# -- formats ----------------------------------------------------------------------------------------------------------
class Entry(NamedTuple):
    """One sample: bytes [offset, offset + size) of a file below the data directory."""

    path: str
    offset: int
    size: int
    label: int


class Index(NamedTuple):
    """Every sample of a split, so that its directory is walked once and for all."""

    kind: str  # `folder` or `tar`
    classes: list[str]  # names by label
    entries: list[Entry]

    def text(self) -> str:
        return json.dumps({"version": 1, **self._asdict()})


def read_index(text: str, where: str) -> Index:
    try:
        version, kind, classes, entries = json.loads(text).values()
        if version != 1:
            raise ValueError
        return Index(kind, classes, [Entry(*row) for row in entries])
    except (ValueError, TypeError, AttributeError):
        text = f"`{where}` is no index of this version, or it is cut off"
        raise Fault(DATA, text, (), "make it anew: trainer index") from None


def split_root(root: str, split: str) -> str:
    """``root/train`` or ``root/val`` where there are such, else ``root`` itself for training."""
    inner = os.path.join(root, split)
    return inner if split == "val" or os.path.isdir(inner) else root


def idx_file(root: str, name: str) -> str:
    """An IDX file, plain or .gz, in the directory or in the places where MNIST is usually unpacked; else empty."""
    places = (os.path.join(root, sub, name + end) for sub in ("", "MNIST/raw", "raw", "mnist") for end in ("", ".gz"))
    return next(filter(os.path.exists, places), "")


def idx_files(root: str, split: str) -> list[str]:
    """The images and the labels. Raises Fault(65)."""
    found = [idx_file(root, name) for name in IDX[split]]
    for name, path in zip(IDX[split], found, strict=True):
        if not path:
            text = f"`{os.path.join(root, name)}` is missing (nor is it there as .gz)"
            raise Fault(DATA, text, (), "put the four MNIST files there; this program fetches nothing")
    return found


def load_idx(path: str) -> np.ndarray[Any, Any]:
    """The array of an IDX file of unsigned bytes; the header must fit the length. Raises Fault(65)."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        raw = file.read()
    zero, kind, dims = struct.unpack(">HBB", raw[:4]) if len(raw) >= 4 else (1, 0, 0)
    if zero or kind != 8 or not 1 <= dims <= 3:
        raise Fault(DATA, f"`{path}` is no IDX file of bytes: it begins with {raw[:4].hex()}")
    shape = struct.unpack(f">{dims}I", raw[4 : 4 + 4 * dims])
    body = np.frombuffer(raw, np.uint8, offset=4 + 4 * dims)
    if body.size != np.prod(shape):
        raise Fault(DATA, f"`{path}` has {body.size} bytes of data, its header says {np.prod(shape)}")
    return body.reshape(shape)


def detect(root: str) -> str:
    if not os.path.isdir(root):
        raise Fault(DATA, f"data directory `{root}` is missing", (), "mount it, or wait for it with --data-wait")
    if idx_file(root, IDX["train"][0]):
        return "idx"
    return "tar" if any(name.endswith(".tar") for name in os.listdir(split_root(root, "train"))) else "folder"


def scan(root: str, kind: str) -> Index:
    """One walk over the directory; classes are numbered by sorted name."""
    found = [*(scan_tar(root) if kind == "tar" else scan_folder(root))]
    if not found:
        raise Fault(DATA, f"`{root}` holds no images")
    if kind == "tar":
        classes = [str(number) for number in range(max(int(label) for *_, label in found) + 1)]
    else:
        classes = sorted(entry.name for entry in os.scandir(root) if entry.is_dir())
    number = {name: position for position, name in enumerate(classes)}
    return Index(kind, classes, [Entry(path, offset, size, number[label]) for path, offset, size, label in found])


def scan_tar(root: str) -> Any:
    """(shard, offset, size, label) of WebDataset samples: KEY.jpg and KEY.cls one after the other, in either order.

    KEY is the path up to the first dot of the file's name (webdataset 1.0.2, tariterators.py, `base_plus_ext`).
    """
    for shard in sorted(name for name in os.listdir(root) if name.endswith(".tar")):
        sample, picture, label = "", (0, 0), ""
        with tarfile.open(os.path.join(root, shard)) as tar:
            for member in [*filter(tarfile.TarInfo.isfile, tar), None]:
                folder, _, name = member.name.rpartition("/") if member else ("", "", "")
                base, _, end = name.partition(".")
                if member is None or f"{folder}/{base}" != sample:
                    if picture[0] and not label:
                        text = f"`{os.path.join(root, shard)}`: `{sample.lstrip('/')}` has an image and no label (.cls)"
                        raise Fault(DATA, text)
                    if picture[0]:
                        yield shard, *picture, label
                    sample, picture, label = f"{folder}/{base}", (0, 0), ""
                if member and f".{end.lower()}" in IMAGES:
                    picture = (member.offset_data, member.size)
                elif member and end == "cls" and (file := tar.extractfile(member)):
                    label = file.read().decode().strip()


def scan_folder(root: str) -> Any:
    """(path, 0, size, class) of CLASS/.../NAME.jpg, in sorted order."""
    for folder, folders, names in os.walk(root, followlinks=True):
        folders.sort()
        inner = os.path.relpath(folder, root)
        for name in sorted(names) if inner != "." else ():
            if name.lower().endswith(IMAGES):
                yield os.path.join(inner, name), 0, os.stat(os.path.join(folder, name)).st_size, inner.split(os.sep)[0]


def shared_index(root: str, kind: str, rank: int, say: Callable[[str], None], group: Any) -> Index:
    """The index file beside the data, else rank 0's scan for everybody: sixteen walks over a network file system are
    fifteen too many."""
    from torch import distributed as dist  # not needed by `trainer index`

    path, box = os.path.join(root, INDEX), list[Any]([None])
    if os.path.exists(path):
        return read_index(text_of(path), path)
    if rank == 0:
        say(f"no index in `{root}`: rank 0 scans it (make one with `trainer index`)")
        box = [scan(root, kind)]
    dist.broadcast_object_list(box, 0, group)
    return Index(*box[0])


def make_index(root: str) -> None:
    """``trainer index DIR``: the index of each split, and the manifest of all files, written beside the data."""
    kind, paths = detect(root), list[str]()
    for split in ("train", "val"):
        inner = split_root(root, split)
        if kind == "idx" and (split == "train" or idx_file(root, IDX[split][0])):
            paths += idx_files(root, split)
        elif kind != "idx" and os.path.isdir(inner):
            index = scan(inner, kind)
            put(os.path.join(inner, INDEX), index.text())
            paths += [os.path.join(inner, path) for path in [INDEX, *dict.fromkeys(e.path for e in index.entries)]]
    rows = [(digest(path), os.stat(path).st_size, os.path.relpath(path, root)) for path in paths]
    put(os.path.join(root, MANIFEST), "".join(f"{sha}\t{size}\t{name}\n" for sha, size, name in rows))
    print(f"{root}: {kind}, {len(rows)} files, {sum(row[1] for row in rows)} bytes", flush=True)


# -- the check at start -----------------------------------------------------------------------------------------------
def verify(
    root: str, kind: str, manifest: str, seed: int, splits: tuple[str, ...], alive: Callable[[str], None]
) -> dict[str, Any]:
    """{kind, counts, prints}: short facts that must be equal on all ranks, of how much there is and which bytes.

    Raises Fault(65) on any flaw.
    """
    alive(root)
    found, counts, prints = detect(root), dict[str, str](), dict[str, str]()
    for folder in dict.fromkeys((root, *(split_root(root, split) for split in splits))):
        if os.path.isdir(folder) and not os.listdir(folder):
            raise Fault(DATA, f"`{folder}` is empty", (), "is the volume mounted, and was anything written to it?")
    kind, manifest = found if kind == "auto" else kind, manifest or os.path.join(root, MANIFEST)
    pool: list[tuple[str, str]] = []  # path, expected hash or ""
    if os.path.exists(manifest):
        prints["manifest"] = digest(manifest, alive)
        pool = listed(root, manifest, seed, alive)
    for split in splits:
        inner = split_root(root, split)
        if kind == "idx":
            pool += [] if "manifest" in prints else [(path, "") for path in idx_files(root, split)]
            continue
        classes = sorted(entry.name for entry in os.scandir(inner) if entry.is_dir())
        shards = sorted((entry.name, entry.stat().st_size) for entry in os.scandir(inner) if ".tar" in entry.name)
        pool += [] if "manifest" in prints else spot_checks(inner, classes, seed)
        prints[f"{split} classes"] = hashlib.sha256(json.dumps([classes, shards]).encode()).hexdigest()
        counts[split] = f"{len(classes)} classes, {len(shards)} shards"
        for folder in [] if "manifest" in prints else sampled(inner, classes, seed):
            names = sorted(os.listdir(folder))
            which = hashlib.sha256(json.dumps(names).encode()).hexdigest()[:16]
            counts[os.path.relpath(folder, root)] = f"{len(names)} files ({which})"
    for path, sha in pool:
        real = digest(path, alive)
        if sha and real != sha:
            text = f"`{path}` has SHA-256 {real[:16]}, the manifest says {sha[:16]}"
            raise Fault(DATA, text, (), "copy the file anew")
        if not sha:
            prints[os.path.relpath(path, root)] = real
    return {"kind": kind, "counts": counts, "prints": prints}


def listed(root: str, manifest: str, seed: int, alive: Callable[[str], None]) -> list[tuple[str, str]]:
    """(path, hash) of the manifest; of more than 2 GB the index files and a sample. All must be there in full size."""
    pool, total = list[tuple[str, str]](), 0
    for sha, size, name in (line.split("\t") for line in text_of(manifest).splitlines()):
        path = os.path.join(root, name)
        alive(path)
        if not os.path.exists(path):
            raise Fault(DATA, f"`{path}` is missing, the manifest has it")
        if os.stat(path).st_size != int(size):
            raise Fault(DATA, f"`{path}` has {os.stat(path).st_size} bytes, the manifest says {size}")
        pool.append((path, sha))
        total += int(size)
    some = random.Random(seed).sample(pool, min(SAMPLES, len(pool)))
    return pool if total <= HASH_ALL else [row for row in pool if row[0].endswith(INDEX)] + some


def sampled(inner: str, classes: list[str], seed: int) -> list[str]:
    """The folders of up to 32 classes."""
    return [os.path.join(inner, name) for name in random.Random(seed).sample(classes, min(SAMPLES, len(classes)))]


def spot_checks(inner: str, classes: list[str], seed: int) -> list[tuple[str, str]]:
    """Where nothing says what should be there: the index, if there is one, and one file of up to 32 classes."""
    index, chance = os.path.join(inner, INDEX), random.Random(seed)
    pool = [index] if os.path.exists(index) else []
    for folder in sampled(inner, classes, seed):
        names = sorted(name for name in os.listdir(folder) if name.lower().endswith(IMAGES))
        pool += [os.path.join(folder, chance.choice(names))] if names else []
    return [(path, "") for path in pool]
