"""All errors come in one round: what is wrong in a value hides nothing that does not depend on it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from specgen.cli.files import opened
from specgen.cli.main import main
from specgen.pipeline import Text, compile_texts
from specgen.profile.library import Library
from specgen.reference.examples import Files
from specgen.source import Source
from tests.plan.test_one_round import CLUSTER

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD = "apiVersion: specgen/v1\nkind: Job\nmetadata: {name: train}\n"


@pytest.mark.parametrize(
    ("job", "words", "said"),
    [
        ("cluster: lab.yaml\nextends: gone.yaml\npods: x\n", [], ["lab.yaml:4:", "`gone.yaml`", "`pods` takes"]),
        ("pods: x\n", [], ["no `target` and no `image`", "`pods` takes"]),
        ("target: TFJob\npods: x\n", ["--cluster", "lab.yaml"], ["lab.yaml:4:", "`pods` takes"]),
        ("", [], ["no `target` and no `image`"]),
    ],
)
def test_one_round_says_all(
    job: str,
    words: list[str],
    said: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "job.yaml").write_text(_HEAD + job)
    lab = "apiVersion: specgen/v1\nkind: Cluster\nmetadata: {name: lab}\nkubernetes: 1.31\n"
    (tmp_path / "lab.yaml").write_text(lab)
    monkeypatch.chdir(tmp_path)
    assert main(["build", "job.yaml", *words]) == 1
    shown = capsys.readouterr().err
    assert [one for one in said if one not in shown] == [], shown


def test_a_word_that_was_meant_is_not_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "job.yaml").write_text(_HEAD + "traget: PyTorchJob\nimage: a:1\n")
    monkeypatch.chdir(tmp_path)
    assert main(["build", "job.yaml"]) == 1
    shown = capsys.readouterr().err
    assert "`target`" in shown and "has no" not in shown


_JOB = {
    "apiVersion": "specgen/v1",
    "kind": "Job",
    "metadata": {"name": "train", "labels": {"team": "vision"}},
    "cluster": "cluster.yaml",
    "target": "PyTorchJob",
    "image": "registry.example.com/train:1",
    "command": ["python", "train.py"],
    "pods": 4,
    "procsPerPod": 1,
    "vars": {"run": "a"},
    "resources": {"gpu": 1, "memory": "64Gi", "cpu": 8},
    "communication": {"library": "nccl", "version": "2.4.8-1", "nvlink": True},
    "mounts": {"/data": {"storage": "data", "subPath": "$<run>"}},
    "env": {"A": "3"},
    "scheduling": {"nodeLabels": {"zone": "a"}},
    "lifecycle": {"restart": "OnFailure"},
}


def _told(job: dict[str, Any]) -> list[str]:
    """`code path` of each error."""
    source = Source("job.yaml", yaml.safe_dump(job, sort_keys=False))
    (result,) = compile_texts([Text(source)], Library(Files(CLUSTER)))
    return sorted(f"{one['code']} {one['path']}" for one in result.diagnostics if one["severity"] == "error")


# Errors of a shape, and those that only a plan shows; none of them depends on another.
_SHAPES: list[tuple[dict[str, Any], str]] = [
    ({"command": "python train.py"}, "SG103 command"),
    ({"pull": "Alwys"}, "SG103 pull"),
    ({"replicaz": 4}, "SG101 replicaz"),
    ({"lifecycle": {"restart": "Sometimes"}}, "SG104 lifecycle.restart"),
    ({"resources": {"gpu": 1, "memory": "64GB"}}, "SG104 resources.memory"),
    ({"metadata": "train"}, "SG103 metadata"),
    ({"workdir": 5}, "SG103 workdir"),
    ({"prot": 5}, "SG101 prot"),
    ({"image": None}, "SG201 image"),
    ({"argss": ["--a"]}, "SG101 argss"),
    ({"commnd": ["python"]}, "SG101 commnd"),
]
_PLANS: list[tuple[dict[str, Any], str]] = [
    ({"pods": 200}, "SG601 spec.pytorchReplicaSpecs.Worker.replicas"),
    ({"communication": {"library": "nccl", "version": "9.9.9"}}, "SG203 communication.version"),
    ({"mounts": {"/data": {"storage": "nothere"}}, "vars": {}}, "SG203 mounts[/data].storage"),
    ({"env": {"RANK": "3"}}, "SG212 env.RANK"),
]
# Of a word of unknown meaning, and of a mapping, nobody knows what else it would heal.
_UNKNOWN = ("SG101 replicaz", "SG101 prot", "SG101 commnd", "SG103 pull")
_ALONE = ("SG203", "SG212")


@pytest.mark.parametrize("shape", _SHAPES, ids=lambda shape: shape[1])
def test_a_wrong_shape_hides_no_error_of_the_plan(shape: tuple[dict[str, Any], str]) -> None:
    words, first = shape
    assert _told(_JOB | words) == [first]
    held = [one for one in _PLANS if words.keys().isdisjoint(one[0])]
    told = _told({key: value for change in [_JOB, words, *[one[0] for one in held]] for key, value in change.items()})
    expected = [one for _, one in held]
    if first in _UNKNOWN:
        expected = [one for one in expected if one[:5] in _ALONE]
    assert told == sorted([first, *expected])


_FOLLOWED: list[dict[str, Any]] = [
    # with GPUs, whatever their number, NCCL has what it needs
    {"resources": {"gpu": "eight"}},
    {"resources": {"gpus": 8}},
    {"resources": ["gpu"]},
    {"resources": 5},
    # another kind may take what this one does not
    {"target": "TrainJobb", "dataset": {"uri": "hf://a/b", "path": "/data"}, "mounts": {}, "vars": {}},
    {"target": ["x"]},
    # a variable may be used by what cannot be read
    {"mounts": {"/data": 5}},
    {"command": {"a": "b"}, "mounts": {}},
    {"vars": []},
    # what chooses the pool
    {"scheduling": "x y"},
    {"cluster": 5},
    {"extends": {"a": "b"}},
]


@pytest.mark.parametrize("words", _FOLLOWED, ids=str)
def test_what_follows_of_a_wrong_shape_is_not_told(words: dict[str, Any]) -> None:
    told = _told(_JOB | words)
    assert told and all(one[:5] in ("SG101", "SG102", "SG103", "SG104") for one in told)


def _places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    for key, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield from _places(value, (*path, key))


def _with(node: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    pairs = node.items() if isinstance(node, dict) else enumerate(node)
    new = [(key, _with(below, path[1:], value) if key == path[0] else below) for key, below in pairs]
    return dict(new) if isinstance(node, dict) else [below for _, below in new]


_WRONG: list[Any] = [[["x"]], {"zz": {"yy": []}}, [], "?? x", 7.5]


def test_one_wrong_value_is_told_alone() -> None:
    """Of a job that is right each value in turn is of a wrong type: nothing else is wrong then."""
    assert _told(_JOB) == []
    places = [path for path in _places(_JOB) if path[0] not in ("apiVersion", "kind")]
    assert len(places) > 25
    seen = 0
    for path in places:
        for wrong in _WRONG:
            told = _told(_with(_JOB, path, wrong))
            if told and all(one[:5] in ("SG101", "SG102", "SG103", "SG104") for one in told):
                seen += 1
            else:
                # a text that the schema takes, and something else does not
                assert not any(one[:5] in ("SG101", "SG102", "SG103", "SG104") for one in told), (path, wrong, told)
    assert seen > 80


_BASE = "apiVersion: specgen/v1\nkind: Base\nmetadata: {name: base}\nlifecycle: {restart: Sometimes}\n"
_LAB = CLUSTER.replace("metadata: {name: lab}\n", "metadata: {name: lab}\nkubernetes: 1.31\n")


@pytest.mark.parametrize(
    ("cluster", "base", "first", "silent"),
    [
        (_LAB, "", "SG103 kubernetes", ["SG203"]),
        (CLUSTER, _BASE, "SG104 lifecycle.restart", []),
        (CLUSTER + "scheduling: 7.5\n", "", "SG103 scheduling", ["SG203", "SG601"]),
        # two files that are wrong
        (_LAB, _BASE, "SG104 lifecycle.restart", ["SG203"]),
        # what a file that cannot be read says nobody knows: all but what the job itself has alone
        ("pools: {", "", "SG002 ", ["SG203", "SG601"]),
        (CLUSTER, "lifecycle: [", "SG002 ", ["SG601"]),
        ("", "", "SG202 cluster", ["SG203", "SG601"]),
        # whose pool is not read, nothing is known of room
        (CLUSTER.replace("pools:", "polls:"), "", "SG101 polls", ["SG203", "SG601"]),
    ],
)
def test_a_wrong_base_or_cluster_hides_no_error_of_the_job(
    cluster: str, base: str, first: str, silent: list[str], tmp_path: Path
) -> None:
    """Which names a cluster that is wrong has is not told."""
    for name, text in (("cluster.yaml", cluster), ("base.yaml", base)):
        if text:
            (tmp_path / name).write_text(text, "utf-8")
    changes = [change for change, _ in _PLANS if "mounts" not in change]
    job = {key: value for change in [_JOB, *changes] for key, value in change.items()}
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(job | ({"extends": "base.yaml"} if base else {})), "utf-8")
    session = opened()
    for _ in session.compile([str(tmp_path / "job.yaml")]):
        pass
    errors = [one for one in session.found() if one["severity"] == "error"]
    assert first in [f"{one['code']} {one['path']}" for one in errors]
    told = {one["code"] for one in errors if one["primary"]["file"].endswith("job.yaml")} - {"SG202"}
    assert told == {"SG203", "SG212", "SG601"} - set(silent)


def test_a_copy_that_is_met_twice_proves_nothing() -> None:
    """Of a mount without its wrong source it is said that it has none: beside three values of another file, too."""
    cluster = CLUSTER.replace("data: {pvc: data}", "data: {hostPath: /mnt, type: [x]}")
    job = yaml.safe_dump(_JOB | {"mounts": {"/data": {"storage": [["x"]]}}, "vars": {}}, sort_keys=False)
    (result,) = compile_texts([Text(Source("job.yaml", job))], Library(Files(cluster)))
    told = [f"{one['code']} {one['path']}" for one in result.diagnostics]
    assert sorted(told) == ["SG103 mounts[/data].storage", "SG103 storage.data.type"]


@pytest.mark.parametrize(
    ("settings", "first", "silent"),
    [
        (["workdir=5"], ["SG104 workdir"], []),
        (["lifecycle.restart=Sometimes", "workdir=5"], ["SG104 lifecycle.restart", "SG104 workdir"], []),
        # what the setting would say is what is found, or might be
        (["pods=x"], ["SG103 pods"], ["SG601"]),
        (["env=5"], ["SG103 env"], ["SG203", "SG601"]),
    ],
)
@pytest.mark.parametrize("slip", [{}, {"pull": {"policy": "Alwys"}}], ids=str)
def test_a_wrong_setting_hides_no_error_of_the_job(
    slip: dict[str, Any], settings: list[str], first: list[str], silent: list[str], tmp_path: Path
) -> None:
    """Nor does a wrong shape of the job, beside it."""
    (tmp_path / "cluster.yaml").write_text(CLUSTER, "utf-8")
    changes = [change for change, _ in _PLANS if "mounts" not in change]
    job = {key: value for change in [_JOB, *changes, slip] for key, value in change.items()}
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(job), "utf-8")
    session = opened(settings=settings)
    for _ in session.compile([str(tmp_path / "job.yaml")]):
        pass
    errors = [one for one in session.found() if one["severity"] == "error"]
    said = [f"{one['code']} {one['path']}" for one in errors if one["primary"]["file"].startswith("--set ")]
    assert sorted(said) == sorted(first)
    told = {one["code"] for one in errors if one["primary"]["file"].endswith("job.yaml")} - {"SG104"}
    assert told == {"SG203", "SG212", "SG601"} - set(silent)
