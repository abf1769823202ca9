"""The line as arguments of the image's entrypoint: where the job says so, and where the image is known to need it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lower.lowering import Came, built, found, tree
from tests.plan.launching import MPI, parts

INTEL = "mpioperator/mpi-pi:intel"
THROUGH = {"by": "torchrun", "entrypoint": True}


def test_the_line_of_a_known_image_goes_through_its_entrypoint() -> None:
    start = {"by": "mpirun", "implementation": "Intel"}
    launcher, worker = parts({"image": INTEL, "pods": 2, "start": start})
    assert "command" not in launcher and launcher["args"][:3] == ["mpirun", "-n", "2"]
    assert worker.get("command") is None and worker["readinessProbe"] == {"tcpSocket": {"port": 2222}}
    assert parts({"image": INTEL, "pods": 2, "start": {**start, "entrypoint": False}})[0]["command"][0] == "mpirun"


def test_what_stands_before_the_line_goes_with_it() -> None:
    words = {"image": INTEL, "start": {"by": "mpirun", "implementation": "Intel"}}
    args = parts({**words, "roles": {"launcher": {"prepare": "date", "args": ["--more"]}}})[0]["args"]
    assert args[:3] == ["/bin/sh", "-e", "-c"] and args[-1] == "--more"


def test_any_kind_can_have_it() -> None:
    job = built({"target": "PyTorchJob", "pods": 2, "command": ["train.py"], "args": ["--a"], "start": THROUGH})
    for role in tree(job)["spec"]["pytorchReplicaSpecs"].values():
        (container,) = role["template"]["spec"]["containers"]
        assert "command" not in container and container["args"] == ["torchrun", "train.py", "--a"]
    for instance in Came(job.compiled[0]).expansion.instances:
        assert instance.command == ["<entrypoint>", "torchrun", "train.py", "--a"]
    runtime = built({"target": "TrainJob", "pods": 2, "command": ["train.py"], "start": THROUGH})
    trainer = tree(runtime)["spec"]["trainer"]
    assert "command" not in trainer and trainer["args"] == ["torchrun", "train.py"]


@pytest.mark.parametrize(
    ("words", "code", "path"),
    [
        ({"target": "PyTorchJob", "command": None, "start": {"by": "none", "entrypoint": True}}, "SG207", "entrypoint"),
        (
            {"target": {"kind": "TrainJob", "runtime": "r"}, "command": ["a.py"], "start": THROUGH},
            "SG208",
            "entrypoint",
        ),
        ({**MPI, "command": None, "start": {"by": "self", "entrypoint": True}}, "SG207", "entrypoint"),
    ],
)
def test_there_is_a_line_and_somebody_to_hand_it_to(words: dict[str, Any], code: str, path: str) -> None:
    assert (code, "error", f"start.{path}") in found(built(words))
