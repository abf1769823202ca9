"""What lies in the data directory: formats, the index file and the manifest of hashes (T5). Nothing is ever fetched."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import random
import select
import signal
import struct
import tarfile
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from trainer.faults import DATA, Fault

INDEX, MANIFEST = "trainer-index.tsv", "trainer-manifest.tsv"
IMAGES = (".jpg", ".jpeg", ".png", ".bmp", ".webp")
IDX = {
    "train": ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
    "val": ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"),
}
HASH_ALL = 2 << 30  # bytes up to which every file is hashed at start
SAMPLES = 32


class Entry(NamedTuple):
    """One sample: bytes [offset, offset + size) of a file below the data directory."""

    path: str
    offset: int
    size: int
    label: int


class Index(NamedTuple):
    kind: str
    classes: list[str]
    entries: list[Entry]

    def text(self) -> str:
        head = f"trainer-index\t1\t{self.kind}\t{len(self.classes)}\t{len(self.entries)}\n"
        return (
            head
            + "".join(f"{name}\n" for name in self.classes)
            + "".join(f"{path}\t{offset}\t{size}\t{label}\n" for path, offset, size, label in self.entries)
        )


def read_index(text: str, where: str) -> Index:
    lines = text.splitlines()
    head = lines[0].split("\t") if lines else [""]
    if head[:2] != ["trainer-index", "1"] or len(lines) != 1 + int(head[3]) + int(head[4]):
        raise Fault(DATA, f"`{where}` is no index of this version, or it is cut off", (), "make it anew: trainer index")
    first = 1 + int(head[3])
    rows = (line.split("\t") for line in lines[first:])
    return Index(head[2], lines[1:first], [Entry(p, int(o), int(s), int(c)) for p, o, s, c in rows])


def split_root(root: str, split: str) -> str:
    """`root/train` or `root/val` where there are such, else `root` itself for training."""
    inner = os.path.join(root, split)
    return inner if split == "val" or os.path.isdir(inner) else root


def idx_files(root: str, split: str) -> list[str]:
    """Images and labels, plain or .gz, in the directory or in the places where MNIST is usually unpacked."""
    found = []
    for name in IDX[split]:
        places = [
            os.path.join(root, sub, name + end) for sub in ("", "MNIST/raw", "raw", "mnist") for end in ("", ".gz")
        ]
        place = next((path for path in places if os.path.exists(path)), None)
        if place is None:
            raise Fault(
                DATA,
                f"`{os.path.join(root, name)}` is missing (nor is it there as .gz)",
                (),
                "put the four MNIST files there; this program fetches nothing",
            )
        found.append(place)
    return found


def detect(root: str) -> str:
    if not os.path.isdir(root):
        raise Fault(DATA, f"data directory `{root}` is missing", (), "mount it, or wait for it with --data-wait")
    if any(
        os.path.exists(os.path.join(root, sub, IDX["train"][0] + end))
        for sub in ("", "MNIST/raw", "raw", "mnist")
        for end in ("", ".gz")
    ):
        return "idx"
    inner = split_root(root, "train")
    return "tar" if any(name.endswith(".tar") for name in os.listdir(inner)) else "folder"


def scan(root: str, kind: str) -> Index:
    """One walk over the directory; classes are numbered by sorted name."""
    found: list[tuple[str, int, int, str]] = []
    if kind == "tar":
        for shard in sorted(name for name in os.listdir(root) if name.endswith(".tar")):
            with tarfile.open(os.path.join(root, shard)) as tar:
                pictures: dict[str, tuple[int, int]] = {}
                for member in tar:
                    key, _, end = member.name.partition(".")
                    if f".{end.lower()}" in IMAGES:
                        pictures[key] = (member.offset_data, member.size)
                    elif end == "cls" and (file := tar.extractfile(member)):
                        pictures.setdefault(key, (0, 0))
                        found.append((shard, *pictures[key], file.read().decode().strip()))
        if any(size == 0 for _, _, size, _ in found):
            raise Fault(DATA, f"`{root}`: a label comes before its image in a shard")
        classes = [str(number) for number in range(max((int(label) for *_, label in found), default=-1) + 1)]
    else:
        classes = sorted(entry.name for entry in os.scandir(root) if entry.is_dir())
        for name in classes:
            for folder, folders, names in os.walk(os.path.join(root, name)):
                folders.sort()
                for file_name in sorted(names):
                    if file_name.lower().endswith(IMAGES):
                        path = os.path.join(folder, file_name)
                        found.append((os.path.relpath(path, root), 0, os.stat(path).st_size, name))
    if not found:
        raise Fault(DATA, f"`{root}` holds no images")
    number = {name: position for position, name in enumerate(classes)}
    return Index(kind, classes, [Entry(path, offset, size, number[label]) for path, offset, size, label in found])


def make_index(root: str) -> None:
    """`trainer index DIR`: the index of each split, and the manifest of all files, written beside the data."""
    kind = detect(root)
    names: list[str] = []
    for split in ("train", "val"):
        inner = split_root(root, split)
        if kind == "idx":
            try:
                names += [os.path.relpath(path, root) for path in idx_files(root, split)]
            except Fault:
                if split == "train":
                    raise
        elif os.path.isdir(inner):
            index = scan(inner, kind)
            write(os.path.join(inner, INDEX), index.text())
            paths = dict.fromkeys(entry.path for entry in index.entries)
            names += [os.path.relpath(os.path.join(inner, path), root) for path in [INDEX, *paths]]
    rows = [(digest(os.path.join(root, name)), os.stat(os.path.join(root, name)).st_size, name) for name in names]
    write(os.path.join(root, MANIFEST), "".join(f"{sha}\t{size}\t{name}\n" for sha, size, name in rows))
    print(f"{root}: {kind}, {len(rows)} files, {sum(row[1] for row in rows)} bytes", flush=True)


def write(path: str, text: str) -> None:
    with open(path + ".tmp", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".tmp", path)


def digest(path: str, alive: Callable[[str], None] = lambda path: None) -> str:
    state = hashlib.sha256()
    alive(path)
    with open(path, "rb") as file:
        while block := file.read(16 << 20):
            state.update(block)
            alive(path)
    return state.hexdigest()


def verify(
    root: str,
    kind: str,
    manifest: str,
    seed: int,
    splits: tuple[str, ...],
    alive: Callable[[str], None],
) -> dict[str, Any]:
    """{kind, prints}: short facts that must be equal on all ranks. Raises Fault(65) on any flaw."""
    alive(root)
    kind = detect(root) if kind == "auto" else kind
    if not os.path.isdir(root):
        raise Fault(DATA, f"data directory `{root}` is missing", (), "mount it, or wait for it with --data-wait")
    prints: dict[str, str] = {}
    pool: list[tuple[str, str, int]] = []  # path, expected hash or "", size
    manifest = manifest or os.path.join(root, MANIFEST)
    if os.path.exists(manifest):
        alive(manifest)
        with open(manifest, encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file]
        for sha, size, name in rows:
            path = os.path.join(root, name)
            alive(path)
            if not os.path.exists(path):
                raise Fault(DATA, f"`{path}` is missing, the manifest has it")
            if os.stat(path).st_size != int(size):
                raise Fault(DATA, f"`{path}` has {os.stat(path).st_size} bytes, the manifest says {size}")
            pool.append((path, sha, int(size)))
        prints["manifest"] = digest(manifest)
    elif kind == "idx":
        pool = [(path, "", os.stat(path).st_size) for split in splits for path in idx_files(root, split)]
    if sum(size for *_, size in pool) > HASH_ALL:
        some = random.Random(seed).sample(pool, min(SAMPLES, len(pool)))
        pool = [row for row in pool if row[0].endswith(INDEX)] + some
    for path, sha, _ in pool:
        real = digest(path, alive)
        if sha and real != sha:
            raise Fault(
                DATA, f"`{path}` has SHA-256 {real[:16]}, the manifest says {sha[:16]}", (), "copy the file anew"
            )
        if not sha:
            prints[os.path.relpath(path, root)] = real
    if kind != "idx":
        for split in splits:
            inner = split_root(root, split)
            names = sorted(entry.name for entry in os.scandir(inner) if entry.is_dir() or entry.name.endswith(".tar"))
            prints[f"{split} classes"] = hashlib.sha256("\n".join(names).encode()).hexdigest()
            if os.path.exists(os.path.join(inner, INDEX)):
                prints[f"{split} index"] = digest(os.path.join(inner, INDEX), alive)
    return {"kind": kind, "prints": prints}


class Reader:
    """`verify` in a child process, because a read on a dead mount cannot be interrupted, only left behind."""

    def __init__(self, wait: float, work: Callable[[Callable[[str], None]], dict[str, Any]], root: str) -> None:
        self.last = root
        self.pipe, write_end = os.pipe()
        self.child = os.fork()
        if self.child == 0:
            os.close(self.pipe)
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2):
                signal.signal(number, signal.SIG_IGN)

            def send(value: Any) -> None:
                os.write(write_end, json.dumps(value).encode() + b"\n")

            end = time.monotonic() + wait
            while not os.path.isdir(root) and time.monotonic() < end:
                send(f"{root} (waiting for the mount)")
                time.sleep(0.5)
            try:
                send({"ok": work(send)})
            except Fault as fault:
                send({"fault": [fault.code, fault.reason, fault.remedy]})
            except Exception as error:  # whatever it is, the parent must hear of it
                send({"fault": [DATA, f"reading `{root}`: {error!r}", ""]})
            os._exit(0)
        os.close(write_end)

    def result(self, limit: float, stop: Callable[[], None]) -> dict[str, Any]:
        """The answer, or Fault(65) `limit` seconds after the child's last sign of progress."""
        buffer, since = b"", time.monotonic()
        try:
            while True:
                stop()
                if time.monotonic() - since > limit:
                    raise Fault(
                        DATA, f"no verdict in time: read of `{self.last}` did not finish in {limit:.0f} s (mount?)"
                    )
                if not select.select([self.pipe], [], [], 0.05)[0]:
                    continue
                block = os.read(self.pipe, 65536)
                since = time.monotonic()
                if not block:
                    raise Fault(DATA, f"the reading process ended without a word at `{self.last}`")
                buffer += block
                *lines, buffer = buffer.split(b"\n")
                for said in map(json.loads, lines):
                    if isinstance(said, str):
                        self.last = said
                    elif "fault" in said:
                        raise Fault(said["fault"][0], said["fault"][1], (), said["fault"][2])
                    else:
                        return dict(said["ok"])
        finally:
            self.close()

    def close(self) -> None:
        os.close(self.pipe)
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, os.WNOHANG)


def load_idx(path: str) -> np.ndarray[Any, Any]:
    """The array of an IDX file of unsigned bytes; the header must fit the length. Raises Fault(65)."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        raw = file.read()
    zero, kind, dims = struct.unpack(">HBB", raw[:4]) if len(raw) >= 4 else (1, 0, 0)
    if zero or kind != 8 or not 1 <= dims <= 3:
        raise Fault(DATA, f"`{path}` is no IDX file of bytes: it begins with {raw[:4].hex()}")
    shape = struct.unpack(f">{dims}I", raw[4 : 4 + 4 * dims])
    body = np.frombuffer(raw, np.uint8, offset=4 + 4 * dims)
    if body.size != int(np.prod(shape)):
        raise Fault(DATA, f"`{path}` has {body.size} bytes of data, its header says {int(np.prod(shape))}")
    return body.reshape(shape)
