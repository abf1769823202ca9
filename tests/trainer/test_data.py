"""Readers, index, manifest and sampler."""

from __future__ import annotations

import io
import os
import random
import shutil
import tarfile
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: the extra `trainer` has it")
np = pytest.importorskip("numpy", reason="numpy is not installed: the extra `trainer` has it")
pytest.importorskip("PIL", reason="Pillow is not installed: the extra `trainer` has it")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from tests.trainer.harness import write_folder, write_mnist  # noqa: E402
from trainer import data, files  # noqa: E402
from trainer.faults import Fault  # noqa: E402
from trainer.job import different  # noqa: E402
from trainer.watch import kill_children  # noqa: E402

CPU = torch.device("cpu")


def steps_of(
    count: int, batch: int, seed: int, world: int, epoch: int = 0, cursor: int = 0, take: int = 0
) -> list[Any]:
    """Per step (epoch, cursor, ids of all ranks in global order)."""
    plans = [data.plan(count, batch, seed, rank, world, epoch, cursor) for rank in range(world)]
    steps = []
    before = epoch, cursor
    for each in islice(zip(*plans, strict=True), take or -(-count // batch)):
        now = each[0][:2]
        taken = now[1] - (before[1] if before[0] == now[0] else 0)
        ids, before = np.empty(taken, dtype=np.int64), now
        for rank, (_, _, own) in enumerate(each):
            assert len(own) == batch // world
            ids[rank::world] = own[: data.share(taken, rank, world)]
        steps.append((*now, ids.tolist()))
    return steps


@settings(max_examples=60, deadline=None)
@given(count=st.integers(16, 400), per=st.integers(1, 4), seed=st.integers(0, 9))
def test_sampler_order_is_the_same_for_every_world(count: int, per: int, seed: int) -> None:
    batch = 16 if count < 64 else 16 * per
    if count < batch:
        batch = 16
    one, four, sixteen = (steps_of(count, batch, seed, world) for world in (1, 4, 16))
    assert one == four == sixteen
    seen = [number for _, _, ids in one for number in ids]
    assert sorted(seen) == list(range(count))


@settings(max_examples=40, deadline=None)
@given(count=st.integers(20, 200), batch=st.integers(1, 20), stop=st.integers(1, 30))
def test_sampler_resumes_where_it_stopped(count: int, batch: int, stop: int) -> None:
    whole = steps_of(count, batch, 3, 1, take=40)
    epoch, cursor, _ = whole[stop - 1]
    assert steps_of(count, batch, 3, 1, epoch, cursor, take=40 - stop) == whole[stop:]


def test_epochs_differ_and_seeds_differ() -> None:
    first, second = steps_of(32, 32, 0, 1, take=2)
    assert sorted(first[2]) == sorted(second[2])
    assert first[2] != second[2]
    assert steps_of(32, 32, 1, 1)[0][2] != first[2]


def test_evaluation_takes_every_sample_once() -> None:
    parts = [[ids for _, _, ids in data.evaluation(29, 4, rank, 3)] for rank in range(3)]
    assert len({len(part) for part in parts}) == 1
    assert sorted(int(i) for part in parts for ids in part for i in ids) == list(range(29))


@pytest.mark.parametrize("compress", [False, True])
def test_idx(tmp_path: Path, compress: bool) -> None:
    root = write_mnist(tmp_path / "m", 64, compress=compress)
    source = data.Idx(str(root), "train", CPU)
    epoch, cursor, x, y = next(source.batches(data.plan(64, 8, 0, 0, 1, 0, 0)))
    assert (epoch, cursor, tuple(x.shape), tuple(y.shape), x.dtype, y.dtype) == (
        0,
        8,
        (8, 1, 28, 28),
        (8,),
        torch.float32,
        torch.int64,
    )
    assert files.detect(str(root)) == "idx"


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda raw: raw[:-1], "bytes of data, its header says"),
        (lambda raw: b"\x1f\x8b" + raw[2:], "is no IDX file of bytes"),
        (lambda raw: raw[:3], "is no IDX file of bytes"),
    ],
)
def test_damaged_idx(tmp_path: Path, change: Any, words: str) -> None:
    root = write_mnist(tmp_path / "m", 16)
    path = root / "train-images-idx3-ubyte"
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(Fault, match=words):
        data.Idx(str(root), "train", CPU)


def tar_of(folder: Path, out: Path, ends: tuple[str, ...] = ("cls", "jpg")) -> Path:
    """Shards of four samples, their files sorted by extension, as WebDataset writes them."""
    out.mkdir()
    paths = sorted((folder / "train").glob("*/*.jpg"))
    for shard in range(0, len(paths), 4):
        with tarfile.open(out / f"shard-{shard // 4:03d}.tar", "w") as tar:
            for number, path in enumerate(paths[shard : shard + 4], shard):
                label = str(int(path.parent.name[-1])).encode()
                for end in ends:
                    raw = label if end == "cls" else path.read_bytes()
                    info = tarfile.TarInfo(f"./some.folder/{number:05d}.{end}")
                    info.size = len(raw)
                    tar.addfile(info, io.BytesIO(raw))
    return out


def images(root: Path, kind: str, workers: int = 0, train: bool = True) -> data.Images:
    inner = files.split_root(str(root), "train")
    return data.Images(data.Pictures(inner, files.scan(inner, kind), 16, 5, train), workers, 20.0, 0, CPU)


def first(source: data.Images, epoch: int = 0) -> Any:
    batch = next(source.batches(data.plan(source.count, 4, 0, 0, 1, epoch, 0)))
    source.close()
    return batch


def test_folder_and_tar_give_the_same_images(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "f")
    shards = tar_of(folder, tmp_path / "t")
    assert (files.detect(str(folder)), files.detect(str(shards))) == ("folder", "tar")
    one, two = first(images(folder, "folder")), first(images(shards, "tar"))
    assert torch.equal(one[2], two[2])
    assert torch.equal(one[3], two[3])
    assert tuple(one[2].shape) == (4, 3, 16, 16)


@pytest.mark.parametrize("ends", [("jpg", "cls"), ("cls", "jpg", "json")])
def test_files_of_a_sample_come_in_any_order(tmp_path: Path, ends: tuple[str, ...]) -> None:
    shards = tar_of(write_folder(tmp_path / "f"), tmp_path / "t", ends)
    index = files.scan(str(shards / "."), "tar")
    assert [entry.label for entry in index.entries] == [0] * 8 + [1] * 8
    with (shards / index.entries[0].path).open("rb") as file:
        file.seek(index.entries[0].offset)
        assert file.read(2) == b"\xff\xd8"


def test_an_image_without_a_label_is_refused(tmp_path: Path) -> None:
    shards = tar_of(write_folder(tmp_path / "f"), tmp_path / "t", ("jpg",))
    with pytest.raises(Fault, match=r"`\./some.folder/00000` has an image and no label"):
        files.scan(str(shards), "tar")


@pytest.mark.parametrize("inner", ["", "train"])
def test_an_empty_mount_is_said_to_be_empty(tmp_path: Path, inner: str) -> None:
    (tmp_path / inner).mkdir(exist_ok=True)
    with pytest.raises(Fault, match="is empty") as fault:
        files.verify(str(tmp_path), "auto", "", 0, ("train",), lambda path: None)
    assert fault.value.code == 65


def test_augmentation_depends_on_seed_epoch_and_sample_only(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "f", size=48)
    alone, shared = first(images(folder, "folder")), first(images(folder, "folder", workers=2))
    assert torch.equal(alone[2], shared[2])
    pictures = images(folder, "folder").pictures
    assert (
        pictures._crop(_gradient(), random.Random("5/0/1")).tobytes()
        == pictures._crop(_gradient(), random.Random("5/0/1")).tobytes()
    )
    assert (
        pictures._crop(_gradient(), random.Random("5/0/1")).tobytes()
        != pictures._crop(_gradient(), random.Random("5/1/1")).tobytes()
    )


def _gradient() -> Any:
    from PIL import Image

    return Image.fromarray(np.arange(48 * 48 * 3, dtype=np.uint32).reshape(48, 48, 3).astype(np.uint8))


@pytest.mark.parametrize("workers", [0, 2])
def test_damaged_image_is_named(tmp_path: Path, workers: int) -> None:
    folder = write_folder(tmp_path / "f", each=2)
    for path in (folder / "train").glob("*/*.jpg"):
        path.write_bytes(b"\xff\xd8 cut off")
    with pytest.raises(Fault, match=r"rank 0: `.*\.jpg` cannot be read") as fault:
        first(images(folder, "folder", workers))
    assert fault.value.code == 65


def test_hanging_worker_is_named_with_its_file(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "f", each=2)
    source = images(folder, "folder", workers=1)
    source.timeout = 1.0
    for path in (folder / "train").glob("*/*.jpg"):
        path.unlink()
        os.mkfifo(path)
    with pytest.raises(Fault, match=r"rank 0: no batch in 1 s, worker 0 at `.*\.jpg`") as fault:
        first(source)
    assert fault.value.code == 138
    kill_children()


def test_index_round_trip_and_damage(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "f", classes=3, each=2)
    index = files.scan(str(folder / "train"), "folder")
    assert files.read_index(index.text(), "here") == index
    assert index.classes == ["class-0", "class-1", "class-2"]
    with pytest.raises(Fault, match="no index of this version, or it is cut off"):
        files.read_index("\n".join(index.text().splitlines()[:-1]), "here")


def check(root: Path, splits: tuple[str, ...] = ("train",)) -> dict[str, Any]:
    return files.verify(str(root), "auto", "", 0, splits, lambda path: None)


def test_manifest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = write_mnist(tmp_path / "m", 16)
    assert set(check(root)["prints"]) == {"train-images-idx3-ubyte", "train-labels-idx1-ubyte"}
    files.make_index(str(root))
    assert set(check(root)["prints"]) == {"manifest"}
    path = root / "train-images-idx3-ubyte"
    raw = bytearray(path.read_bytes())
    raw[100] ^= 1
    path.write_bytes(raw)
    with pytest.raises(Fault, match=r"has SHA-256 .*, the manifest says"):
        check(root)
    path.write_bytes(raw[:-1])
    with pytest.raises(Fault, match="bytes, the manifest says"):
        check(root)
    path.unlink()
    with pytest.raises(Fault, match="is missing"):
        check(root)


def test_index_command_on_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_folder(tmp_path / "f", each=2)
    files.make_index(str(folder))
    assert (folder / "train" / files.INDEX).is_file()
    assert (folder / "val" / files.INDEX).is_file()
    assert {"manifest", "train classes"} == set(check(folder)["prints"])
    assert "folder, 10 files" in capsys.readouterr().out


def test_a_folder_without_an_index_is_spot_checked(tmp_path: Path) -> None:
    """Nothing says what should be there, but one file of each class must be the same on all ranks."""
    ours, theirs = (write_folder(tmp_path / name, each=3) for name in ("a", "b"))
    one, two = check(ours)["prints"], check(theirs)["prints"]
    sampled = [name for name in one if name.startswith("train/")]
    assert len(sampled) == 2 and one == two
    path = theirs / sampled[0]
    path.write_bytes(path.read_bytes() + b"x")
    fault = different({0: one, 1: check(theirs)["prints"], 2: two}, "rank {}".format)
    assert fault is not None
    assert (fault.code, fault.culprits) == (65, (1,))
    assert fault.reason.startswith(f"rank 1: `{sampled[0]}` has SHA-256 ")


def everything(root: Path) -> dict[str, str]:
    said = check(root)
    return {**said["counts"], **said["prints"]}


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        ("class", "`train` has 1 classes, 0 shards, elsewhere it has 2 classes, 0 shards"),
        ("file", "`train/class-1` has 2 files ("),
        ("name", "`train/class-1` has 3 files ("),
    ],
)
def test_what_one_rank_alone_lacks_is_seen_without_a_manifest(tmp_path: Path, harm: str, words: str) -> None:
    ours, theirs = (write_folder(tmp_path / name, each=3) for name in ("a", "b"))
    other = theirs / "train" / "class-1"
    if harm == "class":
        shutil.rmtree(other)
    elif harm == "file":
        (other / "2.jpg").unlink()
    else:
        (other / "2.jpg").rename(other / "7.jpg")
    fault = different({0: everything(ours), 1: everything(theirs), 2: everything(ours)}, "rank {}".format)
    assert fault is not None
    assert (fault.code, fault.culprits) == (65, (1,))
    assert fault.reason.startswith(f"rank 1: {words}"), fault.reason


def test_missing_directory(tmp_path: Path) -> None:
    with pytest.raises(Fault, match="is missing"):
        check(tmp_path / "none")


def test_dummy_is_the_same_for_every_world() -> None:
    source = data.Dummy(64, 10, (1, 4, 4), 0, CPU)
    whole = next(source.batches(data.plan(64, 8, 0, 0, 1, 0, 0)))
    halves = [next(source.batches(data.plan(64, 8, 0, rank, 2, 0, 0))) for rank in range(2)]
    assert torch.equal(whole[2][0::2], halves[0][2])
    assert torch.equal(whole[3][1::2], halves[1][3])
