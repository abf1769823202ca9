"""Files that are named more than once are submitted as often, each time under a name of their own."""

from __future__ import annotations

from typing import Any

import pytest

from specgen.cli.submissions import repeated, submitted


def job(name: str, namespace: str = "a", **spec: Any) -> dict[str, Any]:
    return {"kind": "PyTorchJob", "metadata": {"name": name, "namespace": namespace}, "spec": spec}


def named(trees: list[dict[str, Any]]) -> list[str]:
    return [f"{one['metadata']['namespace']}/{one['metadata']['name']}" for one in trees]


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        (["x", "y"], ["a/one", "a/two", "b/one"]),
        (["x", "y", "x"], ["a/one", "a/two", "b/one", "a/one-2", "a/two-2"]),
        (["y", "y", "x", "y"], ["b/one", "b/one-2", "a/one", "a/two", "b/one-3"]),
        # what no name leads to comes last
        (["y", "y"], ["b/one", "b/one-2", "a/one", "a/two"]),
    ],
)
def test_jobs_come_in_the_order_of_names(paths: list[str], found: list[str]) -> None:
    assert named(submitted({"x": [job("one"), job("two")], "y": [job("one", "b")]}, paths)) == found


def test_a_name_that_another_job_has_is_not_taken() -> None:
    assert named(submitted({"x": [job("one"), job("one-2")]}, ["x", "x"])) == [
        "a/one",
        "a/one-2",
        "a/one-3",
        "a/one-2-2",
    ]


def test_selectors_of_pods_follow_the_name() -> None:
    near = {"labelSelector": {"matchLabels": {"training.kubeflow.org/job-name": "one", "team": "two"}}}
    [_, copy] = submitted({"x": [job("one", near=[near], image="one")]}, ["x", "x"])
    labels = {"training.kubeflow.org/job-name": "one-2", "team": "two"}
    assert copy["spec"] == {"near": [{"labelSelector": {"matchLabels": labels}}], "image": "one"}


def test_a_generated_name_has_its_number() -> None:
    tree = {"kind": "Job", "metadata": {"generateName": "sweep-", "namespace": "a"}, "spec": {}}
    assert submitted({"x": [tree]}, ["x", "x"])[1]["metadata"]["name"] == "sweep-2"


def test_a_file_of_two_names_is_one() -> None:
    assert repeated(["x", "./x", "y"], ["x", "x", "y"]) == ["./x"]
