"""Comments in bases and cluster profiles: they ignore what jobs bring to light there, and nothing in other files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bad.every_node import specgen

JOB = """\
apiVersion: specgen/v1
kind: Job
metadata: {name: NAME}
cluster: cluster.yaml
target: PyTorchJob
image: a:1
command: [python, -V]
"""
CLUSTER = """\
apiVersion: specgen/v1
kind: Cluster
metadata: {name: c}

operators: {training-operator: {version: 99.0.0}}
"""
THERE = "cluster.yaml:5:42: warning[SG214] "
COMMENT = "  # specgen: ignore[SG214] it is our own build"


def _written(cluster: str, job: str = JOB) -> None:
    Path("cluster.yaml").write_text(cluster)
    Path("job.yaml").write_text(job.replace("NAME", "one"))
    Path("other.yaml").write_text(JOB.replace("NAME", "two"))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _lines(*words: str) -> list[str]:
    code, out, err = specgen(*words)
    assert code == 0, err
    return [line for line in (err if words[0] == "build" else out).splitlines() if "warning[" in line]


RUNS = [
    ("build", "job.yaml"),
    ("build", "."),
    ("lint", "job.yaml"),
    ("lint", "."),
    ("lint", "job.yaml", "cluster.yaml"),
]


@pytest.mark.parametrize("words", RUNS, ids=" ".join)
def test_it_ignores_what_is_found_at_its_place(words: tuple[str, ...]) -> None:
    _written(CLUSTER)
    assert [line.startswith(THERE) for line in _lines(*words)] == [True]
    _written(CLUSTER.replace("}}\n", "}}" + COMMENT + "\n"))
    assert _lines(*words) == []


@pytest.mark.parametrize("words", RUNS, ids=" ".join)
def test_that_of_a_job_ignores_nothing_there(words: tuple[str, ...]) -> None:
    _written(CLUSTER, JOB.replace("PyTorchJob\n", "PyTorchJob" + COMMENT + "\n"))
    found = _lines(*words)
    assert [line.startswith(THERE) for line in found] == [True, False]
    assert found[1].startswith("job.yaml:5:21: warning[SG031] this comment ignores no SG214")


def test_it_is_unused_where_jobs_of_the_run_bring_nothing_to_light() -> None:
    _written(CLUSTER.replace("99.0.0}}", "1.9.4}}" + COMMENT))
    unused = ["cluster.yaml:5:51: warning[SG031] this comment ignores no SG214"]
    assert _lines("lint", ".") == unused
    assert _lines("lint", "job.yaml", "cluster.yaml") == unused
    # other jobs may need it, and who builds one job did not ask about the cluster profile
    assert _lines("lint", "cluster.yaml") == []
    assert _lines("lint", "job.yaml") == []
    assert _lines("build", "job.yaml") == []


def test_a_malformed_one_is_reported_with_its_file() -> None:
    _written(CLUSTER.replace("99.0.0}}", "1.9.4}}  # specgen: ignore SG214"))
    found = _lines("lint", "cluster.yaml")
    assert [line.partition(" this")[0] for line in found] == ["cluster.yaml:5:51: warning[SG032]"]
    assert _lines("lint", ".") == found
    assert _lines("build", "job.yaml") == []


def test_an_error_is_not_ignored() -> None:
    _written(CLUSTER.replace("operators", "# specgen: ignore[SG103] later\nkubernetes: [1]\noperators"))
    for verb, file in (("build", "job.yaml"), ("lint", "cluster.yaml")):
        code, out, err = specgen(verb, file)
        assert code == 1
        assert "cluster.yaml:6:1: error[SG103]" in out + err
    assert "cluster.yaml:5:1: warning[SG031] SG103 is an error that no comment ignores" in specgen("lint", ".")[1]
