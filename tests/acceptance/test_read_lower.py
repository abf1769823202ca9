"""Lowering and reading are each other's inverse where they meet, on jobs that nobody wrote."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from specgen.manifest.model import Manifest
from specgen.manifest.origins import Origins
from specgen.operators.training.pytorchjob import READER as pytorchjob
from specgen.pipeline import Result, compile_job
from tests.acceptance.trees import compiled
from tests.lower.lowering import stream

SAMPLES = sorted((Path(__file__).parent.parent.parent / "profiles/jobs").glob("*.yaml"))

_WORD = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=6)
_TEXT = st.text("ab $()<>{}'\"\\=:,#\n-", max_size=12).filter(lambda text: "$<" not in text)
_ENV = st.dictionaries(_WORD.map(lambda word: "MY_" + word.upper()), _TEXT, max_size=4)
_SOURCES = st.one_of(
    st.builds(lambda word: {"hostPath": "/srv/" + word}, _WORD),
    st.builds(lambda word: {"pvc": word, "readOnly": True}, _WORD),
    st.builds(lambda word: {"scratch": word, "size": "1Gi"}, _WORD),
    st.builds(lambda word: {"secret": word}, _WORD),
)
_FILES = st.dictionaries(
    _WORD.map(lambda word: "/etc/a/" + word), st.builds(lambda text: {"text": text}, _TEXT), max_size=3
)
_MOUNTS = st.dictionaries(_WORD.map(lambda word: "/data/" + word), _SOURCES, max_size=3)


@st.composite
def jobs(draw: st.DrawFn) -> dict[str, Any]:
    """A job that is right: counts of GPUs and processes agree with the starter."""
    gpu = draw(st.integers(0, 8))
    job: dict[str, Any] = {
        "apiVersion": "specgen/v1",
        "kind": "Job",
        "metadata": {"name": draw(_WORD)},
        "target": "PyTorchJob",
        "image": "registry.example.com/a:1",
        "command": ["train", *draw(st.lists(_TEXT, max_size=3))],
        "pods": draw(st.integers(1, 5)),
        "env": draw(_ENV),
        "mounts": draw(_MOUNTS),
    }
    if gpu:
        job["resources"] = {"gpu": gpu}
    starter = draw(st.sampled_from((None, "none", "self", "torchrun")))
    if starter is not None:
        job["start"] = starter
    if starter != "none" and draw(st.booleans()):
        job["procsPerPod"] = draw(st.integers(1, gpu or 4))
    if draw(st.booleans()):
        job["roles"] = {"worker": {"env": draw(_ENV), "mounts": draw(_MOUNTS)}}
    if draw(st.booleans()):
        job["prepare"] = draw(_TEXT)
    if draw(st.booleans()):
        job["files"] = draw(_FILES)
    if draw(st.integers(0, 3)) == 0:
        job["elastic"] = draw(_elastic(job["pods"]))
    return job


@st.composite
def _elastic(draw: st.DrawFn, pods: int) -> dict[str, Any]:
    words: dict[str, Any] = {"min": draw(st.integers(1, pods)), "max": draw(st.integers(pods, 9))}
    return {key: words[key] for key in words if draw(st.booleans())}


@settings(derandomize=True, max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(jobs())
def test_reading_what_was_lowered_gives_the_plan_back(job: dict[str, Any]) -> None:
    text = json.dumps(job)
    result = compile_job(text)
    assert not result.failed, result.diagnostics
    one = result.compiled[0]
    assert one.plan is not None and one.bundle is not None
    manifest = one.bundle.job
    workload = pytorchjob.read(manifest, one.plan.version)
    planned = [(role.name, role.replicas.value) for role in one.plan.roles]
    assert [(role.name, role.replicas) for role in workload.roles] == planned
    assert workload.pods == one.plan.world.pods == job["pods"]
    # processes that the program starts itself are none of the operator's business: WORLD_SIZE stays the number of pods
    started = one.plan.world.procs_per_pod if one.plan.world.starter != "self" else 1
    assert workload.world_size == job["pods"] * started
    assert workload.procs_per_pod == started
    for role in workload.roles:
        assert role.main is not None and role.main.name == "pytorch"
        env = {**job["env"], **(job.get("roles", {}).get("worker", {}).get("env", {}) if role.name == "Worker" else {})}
        assert {name: entry["value"] for name, (_, entry) in role.main.env.items()} == env
    for beside in one.bundle.manifests:
        _origins(beside)
    elastic = manifest.tree["spec"].get("elasticPolicy")
    assert (elastic is not None) == one.plan.world.elastic
    if elastic is not None:
        assert elastic["minReplicas"] <= workload.pods <= elastic["maxReplicas"]
        assert [role.name for role in workload.roles] == ["Worker"]
    carried = [beside.tree["data"] for beside in one.bundle.manifests[:-1]]
    texts = [file["text"] for file in job.get("files", {}).values()]
    assert [list(data.values()) for data in carried] == ([texts] if texts else [])
    assert _bytes(compile_job(text)) == _bytes(result)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_every_value_of_every_sample_has_its_reason(path: Path) -> None:
    result = compiled(path)
    for one in result.compiled:
        assert one.bundle is not None
        for manifest in one.bundle.manifests:
            _origins(manifest)
    assert _bytes(compiled(path)) == _bytes(result)


def _bytes(result: Result) -> bytes:
    return stream([one.bundle for one in result.compiled if one.bundle is not None]).encode()


def _origins(manifest: Manifest) -> None:
    """Every leaf has an origin of its own or of a part above it, never of the whole object."""
    assert isinstance(manifest.where, Origins)
    for path in _leaves(manifest.tree, ()):
        origin = manifest.where.of(path)
        assert origin is not None and origin[0] and len(origin[2]) > 3, f"{path} has no origin"
        source, start, end = manifest.where.span(_place(path))
        assert 0 <= start <= end <= len(source.text)


def _place(path: tuple[str | int, ...]) -> Any:
    from specgen.diagnostics.model import Place

    return Place(path)


def _leaves(tree: Any, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    children = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else None
    if not children:
        yield path
        return
    for key, child in children:
        yield from _leaves(child, (*path, key))
