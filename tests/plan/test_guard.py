"""`guard: true`: what is written before the program, and that each guard finds its number and the others by it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from specgen import operators
from specgen.operators.expand import expand_manifest
from specgen.pipeline import Result
from tests.lower.lowering import built, found
from trainer.guard import members, options

SEVERAL = {"pods": 2, "procsPerPod": 2, "resources": {"gpu": 2}}
PODS = {"pods": 2}
# (words of the job; what the guard stands before; `pod` or `rank`; where the guards meet)
STARTS: list[tuple[dict[str, Any], list[str], str, str]] = [
    ({**SEVERAL}, ["torchrun"], "pod", "demo-master-0:23556"),
    (
        {**SEVERAL, "start": "accelerate"},
        ["accelerate", "launch"],
        "pod",
        "demo-master-0:23556",
    ),
    (
        {**SEVERAL, "start": "self", "command": ["deepspeed", "train.py"]},
        ["deepspeed"],
        "pod",
        "demo-master-0:23556",
    ),
    (
        {
            **SEVERAL,
            "target": "PyTorchJob",
            "prepare": "pip install trainer",
            "start": {"by": "torchrun", "path": "/opt/torchrun"},
        },
        ["/opt/torchrun"],
        "pod",
        "demo-master-0:23556",
    ),
    ({**PODS}, ["train.py"], "rank", "demo-master-0:23556"),
    ({**PODS, "target": "TFJob"}, ["train.py"], "rank", "demo-worker-0.default.svc:2322"),
    ({**PODS, "target": "TrainJob", "start": "none"}, ["train.py"], "rank", "demo-node-0-0.demo:29600"),
    ({**SEVERAL, "target": "TrainJob"}, ["torchrun"], "pod", "demo-node-0-0.demo:29600"),
    ({**PODS, "target": "JobSet"}, ["train.py"], "rank", "demo-worker-0-0.demo:29600"),
    ({**SEVERAL, "target": "JobSet"}, ["torchrun"], "pod", "demo-worker-0-0.demo:29600"),
    ({**PODS, "target": "VolcanoJob"}, ["train.py"], "rank", "demo-master-0.demo:23556"),
    ({**SEVERAL, "target": "VolcanoJob"}, ["torchrun"], "pod", "demo-master-0.demo:23556"),
]


def pods(result: Result) -> list[dict[str, Any]]:
    """What the operator makes of it."""
    (one,) = result.compiled
    assert one.bundle is not None and one.plan is not None
    backend = operators.by_object(one.bundle.job.ref.api_version, one.bundle.job.ref.kind)
    assert backend is not None
    expansion, _ = expand_manifest(one.bundle.job, backend, one.plan.version, companions=one.bundle.manifests)
    assert expansion is not None
    return expansion.pods


@pytest.mark.parametrize(("words", "first", "unit", "meeting"), STARTS)
def test_guards_find_each_other(words: dict[str, Any], first: list[str], unit: str, meeting: str) -> None:
    result = built({"target": "PyTorchJob", "command": ["train.py"], "guard": True, **words})
    assert not [one for one in result.diagnostics if one["severity"] == "error"]
    numbers: list[int] = []
    for pod in pods(result):
        container = pod["spec"]["containers"][0]
        line = container["command"]
        line = line[line.index("trainer") + 1 :]
        assert line[0] == "guard" and line[line.index("--") + 1 :][: len(first)] == first
        env = {one["name"]: one.get("value") for one in container["env"]}
        assert env.pop("NODE_NAME", "") is None
        told = {name: value if value is not None else str(len(numbers)) for name, value in env.items()}
        member = members.find(options.read(line[1:], told, "python"), told)
        assert (member.count, member.unit, f"{member.address}:{member.port}") == (2, unit, meeting)
        numbers.append(member.number)
    assert numbers == [0, 1]


def test_ranks_of_mpirun_are_told_where_the_first_host_is(tmp_path: Path) -> None:
    words = {**SEVERAL, "target": "MPIJob", "start": "mpirun", "command": ["/opt/bin/python3", "train.py"]}
    job = built({**words, "guard": True, "lifecycle": {"grace": "2m"}}).compiled[0].bundle
    assert job is not None
    launcher = job.job.tree["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"][0]
    line = launcher["command"]
    mpirun, guard = line[line.index("mpirun") :], line[line.index("trainer") - 2 :]
    assert mpirun[mpirun.index("MASTER_ADDR") - 1] == "-x"
    assert guard == ["/opt/bin/python3", "-m", "trainer", "guard", "--grace=115", "--", "/opt/bin/python3", "train.py"]
    hosts = tmp_path / "hostfile"
    hosts.write_text("# by hand\ndemo-worker-0.demo.default.svc slots=2\ndemo-worker-1.demo.default.svc slots=2\n")
    (told,) = [one for one in line if "MASTER_ADDR=" in one]
    text = (
        told[told.index("MASTER_ADDR=") : told.index("exec ")]
        .replace("$$", "$")
        .replace("/etc/mpi/hostfile", str(hosts))
    )
    done = subprocess.run(["sh", "-ec", f"{text}printenv MASTER_ADDR"], capture_output=True, text=True, check=True)
    assert done.stdout == "demo-worker-0.demo.default.svc\n"


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ({"target": "MSJob"}, "SG208", "whose workers have no address"),
        ({"target": "PyTorchJob", "elastic": {"max": 4}}, "SG207", "guards wait for a fixed number of pods"),
        ({"target": {"kind": "MPIJob", "version": "v1"}, "start": "mpirun"}, "SG208", "these have no Service"),
        ({"target": "MPIJob", "start": "self"}, "SG207", "contradicts `start: self`"),
        ({"target": "MPIJob", "start": "horovodrun"}, "SG207", "contradicts horovodrun"),
        ({"target": "TFJob", "roles": {"ps": {"pods": 1}}}, "SG207", "contradicts the role `ps`"),
        ({"target": "PyTorchJob", "command": None, "args": ["--lr"]}, "SG207", "`guard: true` needs a `command`"),
    ],
)
def test_where_no_guard_can_stand(words: dict[str, Any], code: str, says: str) -> None:
    result = built({**PODS, "guard": True, **words})
    (error,) = [one for one in result.diagnostics if one["severity"] == "error"]
    assert (error["code"], error["path"]) == (code, "guard") and says in error["message"]


@pytest.mark.parametrize(
    "words",
    [
        {"env": {"PYTHONPATH": "/opt"}},
        {"prepare": "git clone https://example.com/trainer"},
        {"mounts": {"/opt/trainer": {"scratch": "code", "size": "1Gi"}}},
    ],
)
def test_what_brings_the_trainer_is_not_asked_after(words: dict[str, Any]) -> None:
    job = {"target": "PyTorchJob"}
    assert found(built({**job, "guard": True})) == [("SG469", "note", "guard")]
    assert found(built({**job, "guard": True, **words})) == found(built({**job, "guard": False})) == []
