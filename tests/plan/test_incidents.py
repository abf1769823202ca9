"""How many incidents a job goes on after: its limit on restarts by kind, and that lint reads it as it was meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.operators import by_object
from specgen.operators.incidents import said
from specgen.pipeline import Compiled, Result
from tests.plan.carrying import JOB, compiled

CASES: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("incidents.yaml").read_text("utf-8"))


def build(words: dict[str, Any]) -> Result:
    return compiled({"pods": 4, **words})


def only(result: Result) -> Compiled:
    assert not result.failed, result.diagnostics
    (one,) = result.compiled
    return one


def at(tree: Any, path: str) -> Any:
    for step in path.split("/"):
        tree = tree[int(step)] if isinstance(tree, list) else tree[step]
    return tree


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["about"])
def test_the_limit_that_follows(case: dict[str, Any]) -> None:
    result = build(case["job"])
    if "finds" in case:
        found = [f"{one['code']} {one['path']}: {one['message']}" for one in result.diagnostics]
        assert [line for line in found if "restarts" in line] == case["finds"]
        return
    compiled_job = only(result)
    assert compiled_job.bundle is not None
    trees = [one.tree for one in compiled_job.bundle.manifests]
    for path, limit in case["limits"].items():
        (tree,) = [tree for tree in trees if path.split("/")[1] in tree["spec"]]
        assert at(tree, path) == limit
    if "policies" in case:
        (roles,) = [value for key, value in trees[-1]["spec"].items() if key.endswith("ReplicaSpecs")]
        assert [role["restartPolicy"] for role in roles.values()][:2] == case["policies"]


KINDS: tuple[dict[str, Any], ...] = (
    {},
    {"pods": 1},
    {"elastic": {"max": 8}},
    {"target": "TFJob"},
    {"target": "MSJob"},
    {"target": "MPIJob"},
    {"target": {"kind": "MPIJob", "version": "v1"}},
    {"target": "TrainJob"},
    {"target": "TrainJob", "lifecycle": {"restart": "Never"}},
    {"target": "TrainJob", "start": "mpirun"},
    {"target": "JobSet"},
    {"target": "JobSet", "lifecycle": {"restart": "Never"}},
)


@pytest.mark.parametrize("words", KINDS, ids=str)
@pytest.mark.parametrize("incidents", (1, 2, 7))
def test_what_is_built_is_read_as_it_was_meant(words: dict[str, Any], incidents: int) -> None:
    result = build({**words, "lifecycle": {**words.get("lifecycle", {}), "restarts": incidents}})
    assert "SG470" not in [one["code"] for one in result.diagnostics]
    one = only(result)
    assert one.bundle is not None and one.reader is not None
    workload = one.reader.read(one.bundle.job)
    one.reader.with_runtime(workload, one.bundle.manifests)
    (limit,) = said(workload, one.reader)
    again = limit.counted.outlives(limit.limit) if limit.limit else 0
    if "elastic" in words:
        # what broke alone begins again alone
        assert again >= incidents
    else:
        assert (again + 1) * (limit.rounds + 1) - 1 == incidents


@pytest.mark.parametrize(
    "words",
    [
        {"lifecycle": {"backoffLimit": 3}},
        {"patch": {"job": {"spec": {"runPolicy": {"backoffLimit": 3}}}}},
        {"lifecycle": {"restarts": 3}, "patch": {"job": {"spec": {"runPolicy": {"backoffLimit": 3}}}}},
    ],
    ids=("word", "patch", "patch over a word"),
)
def test_a_limit_is_judged_where_it_is_written(words: dict[str, Any]) -> None:
    (found,) = [one for one in build(words).diagnostics if one["code"] == "SG470"]
    assert found["message"] == "`backoffLimit: 3` is reached by the first incident, which counts 4"
    lines = yaml.safe_dump({**JOB, "pods": 4, **words}, sort_keys=False).splitlines()
    assert lines[found["primary"]["start"]["line"] - 1].strip() == "backoffLimit: 3"


@pytest.mark.parametrize(
    ("api_version", "kind", "roles", "most", "expected"),
    [
        ("kubeflow.org/v1", "PyTorchJob", {"Master": (1, "OnFailure"), "Worker": (15, "OnFailure")}, None, (16, 16)),
        ("kubeflow.org/v1", "PyTorchJob", {"Master": (1, "Never"), "Worker": (15, "OnFailure")}, None, (15, 15)),
        ("kubeflow.org/v1", "PyTorchJob", {"Worker": (4, "OnFailure")}, 9, (1, 9)),
        ("kubeflow.org/v1", "TFJob", {"PS": (2, "OnFailure"), "Worker": (6, "OnFailure")}, None, (1, 8)),
        ("kubeflow.org/v1", "MPIJob", {"Launcher": (1, "OnFailure"), "Worker": (9, "OnFailure")}, None, (1, 1)),
        ("kubeflow.org/v2beta1", "MPIJob", {"Launcher": (1, "Never"), "Worker": (9, "Never")}, None, (1, 1)),
        ("mindspore.gitee.com/v1", "MSJob", {"Scheduler": (1, "Always"), "Worker": (4, "OnFailure")}, None, (5, 5)),
        ("jobset.x-k8s.io/v1alpha2", "JobSet", {"node": (8, "OnFailure")}, None, (8, 8)),
        ("trainer.kubeflow.org/v1alpha1", "TrainJob", {"node": (8, "Never")}, None, (8, 8)),
        ("batch.volcano.sh/v1alpha1", "Job", {"master": (1, "Never"), "worker": (8, "Never")}, None, (1, 1)),
    ],
)
def test_what_an_incident_counts(
    api_version: str, kind: str, roles: dict[str, tuple[int, str]], most: int | None, expected: tuple[int, int]
) -> None:
    reader = by_object(api_version, kind)
    assert reader is not None
    counted = reader.counted(roles, most)
    assert counted is not None
    assert (counted.least, counted.most) == expected
    assert counted.outlives(counted.limit(3)) >= 3
    assert counted.outlives(counted.limit(3) - 1) < 3 or counted.least < counted.most


@pytest.mark.parametrize("policy", ("Never", "ExitCode"))
def test_what_is_not_counted(policy: str) -> None:
    reader = by_object("kubeflow.org/v1", "PyTorchJob")
    assert reader is not None and reader.counted({"Worker": (4, policy)}, None) is None


NEVER = {"restart": "Never"}


@pytest.mark.parametrize(
    ("words", "path"),
    [
        ({"target": "JobSet", "lifecycle": NEVER}, "lifecycle.restart"),
        ({"target": "TrainJob", "lifecycle": NEVER}, "lifecycle.restart"),
        ({"target": "TrainJob", "start": "mpirun", "lifecycle": NEVER}, "lifecycle.restart"),
        ({"target": "MPIJob", "roles": {"launcher": {"lifecycle": NEVER}}}, "roles.launcher.lifecycle.restart"),
        # a patch of something else
        (
            {"target": "JobSet", "lifecycle": NEVER, "patch": {"pod": {"spec": {"hostIPC": True}}}},
            "lifecycle.restart",
        ),
    ],
)
def test_a_job_makes_other_pods_where_none_is_to_start_again(words: dict[str, Any], path: str) -> None:
    (found,) = [one for one in build(words).diagnostics if "restart: Never" in one["message"]]
    assert (found["code"], found["severity"], found["path"]) == ("SG208", "warning", path)
    assert "up to 6 times" in found["notes"][0]
    # what it tells people to write is the way out, and takes nothing else away
    lifecycle = {**words.get("lifecycle", {}), "restarts": 0}
    result = build({**words, "lifecycle": lifecycle})
    assert not [one for one in result.diagnostics if "restart" in one["message"]]
    one = only(result)
    assert one.bundle is not None and "backoffLimit: 0" in yaml.safe_dump([one.tree for one in one.bundle.manifests])


@pytest.mark.parametrize(
    "words",
    [
        # a failed pod fails the job, or nobody replaces it
        {"lifecycle": NEVER},
        {"target": "TFJob", "lifecycle": NEVER},
        {"target": "MSJob", "lifecycle": NEVER},
        {"target": {"kind": "MPIJob", "version": "v1"}, "lifecycle": NEVER},
        {"target": "VolcanoJob", "lifecycle": NEVER},
        {"target": "MPIJob", "roles": {"worker": {"lifecycle": NEVER}}},
        # somebody has said how often
        {"target": "JobSet", "lifecycle": {**NEVER, "restarts": 2}},
        {"target": "JobSet", "lifecycle": {**NEVER, "restartAll": 2}},
        {"target": "JobSet", "lifecycle": {**NEVER, "backoffLimit": 6}},
        {
            "target": "MPIJob",
            "lifecycle": NEVER,
            "patch": {"job": {"spec": {"runPolicy": {"backoffLimit": 2}}}},
        },
        {"target": "JobSet"},
    ],
    ids=str,
)
def test_never_is_what_it_says(words: dict[str, Any]) -> None:
    assert not [one for one in build(words).diagnostics if "restart: Never" in one["message"]]
