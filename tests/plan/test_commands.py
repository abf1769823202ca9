"""Command lines in profiles: who starts the processes and what it is told, held against what the operator makes of it.

What cannot work of a command line is in ``refused.yaml``, where it is an error, and here, where it is a warning.
"""

from __future__ import annotations

from typing import Any

import pytest

from specgen.checking import workload_of
from specgen.diagnostics.model import ERROR
from specgen.operators.expansion import Expansion
from specgen.pipeline import Result
from tests.plan.carrying import compiled, trees

Words = dict[str, Any]
GPUS = {"resources": {"gpu": 8}}


def expansion(result: Result) -> Expansion:
    (one,) = result.compiled
    assert one.bundle is not None and one.reader is not None
    beside = [manifest for manifest in one.bundle.manifests if manifest is not one.bundle.job]
    return one.reader.expand(workload_of(one.reader, one.bundle.job, None, beside))


def codes(result: Result) -> list[str]:
    return [one["code"] for one in result.diagnostics]


def line(result: Result) -> list[str]:
    """The command of the last role's program."""
    job = trees(result)[-1]
    if job["kind"] == "TrainJob":
        return list(job["spec"]["trainer"]["command"])
    (*_, role) = job["spec"]["pytorchReplicaSpecs"].values()
    return list(role["template"]["spec"]["containers"][0]["command"])


TOLD = ["--machine_rank=$(RANK)", "--main_process_ip=$(MASTER_ADDR)", "--main_process_port=$(MASTER_PORT)"]
FILE = {"command": ["--config_file", "/f.yaml", "train.py"], **GPUS}
NO_SSH = "--deepspeed_multinode_launcher=standard"
STANDARD = "deepspeed_multinode_launcher: standard"
PET = [
    "--machine_rank=$(PET_NODE_RANK)",
    "--main_process_ip=$(PET_MASTER_ADDR)",
    "--main_process_port=$(PET_MASTER_PORT)",
]


@pytest.mark.parametrize(
    ("words", "expected", "ranks"),
    [
        (GPUS, ["--multi_gpu", "--num_machines=2", "--num_processes=16", *TOLD], [(0, 7), (8, 15)]),
        ({"target": "TrainJob", **GPUS}, ["--multi_gpu", "--num_machines=2", "--num_processes=16", *PET], None),
        ({"procsPerPod": 2}, ["--multi_gpu", "--num_machines=2", "--num_processes=4", *TOLD], [(0, 1), (2, 3)]),
        ({"pods": 1, **GPUS}, ["--multi_gpu", "--num_machines=1", "--num_processes=8"], [(0, 7)]),
        ({"pods": 1}, ["--num_machines=1", "--num_processes=1"], [None]),
        (
            {"start": {"by": "accelerate", "options": ["--use_fsdp", "--num-processes=8"]}, **GPUS},
            ["--num_machines=2", *TOLD, "--use_fsdp", "--num-processes=8"],
            [(0, 3), (4, 7)],
        ),
        (
            {"start": {"by": "accelerate", "options": ["--use_deepspeed"]}, **GPUS},
            [
                "--deepspeed_multinode_launcher=standard",
                "--num_machines=2",
                "--num_processes=16",
                *TOLD,
                "--use_deepspeed",
            ],
            [(0, 7), (8, 15)],
        ),
        # options that the command begins with, of which a file may choose the launcher
        (
            {"command": ["--config_file", "fsdp.yaml", "train.py"], **GPUS},
            ["--num_machines=2", "--num_processes=16", *TOLD, "--config_file", "fsdp.yaml"],
            [(0, 7), (8, 15)],
        ),
        (
            {"command": ["--use_fsdp", "--num_processes", "8", "train.py"], **GPUS},
            ["--num_machines=2", *TOLD, "--use_fsdp", "--num_processes", "8"],
            [(0, 3), (4, 7)],
        ),
        # files that the job carries: DeepSpeed's launcher would go over ssh, and a file may choose none at all
        (
            {**FILE, "files": {"/f.yaml": {"text": "distributed_type: DEEPSPEED\nnum_machines: 2\n"}}},
            [NO_SSH, "--num_machines=2", "--num_processes=16", *TOLD, "--config_file", "/f.yaml"],
            None,
        ),
        (
            {**FILE, "files": {"/f.yaml": {"text": f"distributed_type: DEEPSPEED\ndeepspeed_config: {{{STANDARD}}}"}}},
            ["--num_machines=2", "--num_processes=16", *TOLD, "--config_file", "/f.yaml"],
            [(0, 7), (8, 15)],
        ),
        (
            {**FILE, "files": {"/f.yaml": {"text": '{"distributed_type": "NO"}'}}},
            ["--multi_gpu", "--num_machines=2", "--num_processes=16", *TOLD, "--config_file", "/f.yaml"],
            [(0, 7), (8, 15)],
        ),
        (
            {
                "command": ["--config_file", "f.yaml", "--use_fsdp", "train.py"],
                "workdir": "/w",
                "files": {"/w/f.yaml": {"text": "distributed_type: DEEPSPEED\n"}},
                **GPUS,
            },
            ["--num_machines=2", "--num_processes=16", *TOLD, "--config_file", "f.yaml", "--use_fsdp"],
            [(0, 7), (8, 15)],
        ),
    ],
)
def test_accelerate_is_told_all_it_needs(words: Words, expected: list[str], ranks: list[Any] | None) -> None:
    result = compiled({"pods": 2, "start": "accelerate", "command": ["train.py"], **words})
    assert line(result) == ["accelerate", "launch", *expected, "train.py"]
    assert codes(result) == (["SG534"] if ranks == [(0, 3), (4, 7)] else [])  # half of the GPUs are idle
    found = [one.ranks for one in expansion(result).instances]
    assert found == (ranks if ranks is not None else [(0, 7), (8, 15)])


def test_accelerate_by_another_path_and_behind_a_shell() -> None:
    start = {"by": "accelerate", "path": "python -m accelerate.commands.launch"}
    result = compiled({"pods": 2, "start": start, "prepare": "pip install x", "command": ["-m", "train"], **GPUS})
    words = line(result)
    assert words[4:8] == ["sh", "python", "-m", "accelerate.commands.launch"]
    assert words[-2:] == ["-m", "train"]
    assert [one.ranks for one in expansion(result).instances] == [(0, 7), (8, 15)]


@pytest.mark.parametrize(
    ("command", "ranks"),
    [
        (["torchrun", "train.py"], [(0, 7), (8, 15)]),
        (["python", "-m", "torch.distributed.run", "train.py"], [(0, 7), (8, 15)]),
        (["torchrun", "--nproc-per-node=4", "train.py"], [(0, 3), (4, 7)]),
        (["accelerate", "launch", "train.py"], [(0, 7), (8, 15)]),
    ],
)
def test_a_launcher_of_the_commands_own_starts_the_processes(command: list[str], ranks: list[tuple[int, int]]) -> None:
    """Somebody starts processes (SG216), and their number is that which the launcher starts, be it fewer (SG534)."""
    result = compiled({"pods": 2, "command": command, "env": {"SIZE": "n=$<processes>"}, **GPUS})
    assert codes(result) == (["SG534"] if ranks[0] == (0, 3) else [])
    assert line(result) == command
    (one,) = result.compiled
    assert one.plan is not None
    assert [one.ranks for one in expansion(result).instances] == ranks
    assert one.plan.world.size == ranks[-1][1] + 1


def test_without_a_gpu_torchrun_counts_and_nobody_knows() -> None:
    result = compiled({"pods": 2, "command": ["torchrun", "train.py"], "env": {"SIZE": "n=$<processes>"}})
    assert codes(result) == ["SG204"]


def test_one_process_for_several_gpus_is_said_still() -> None:
    assert codes(compiled({"pods": 2, "command": ["python", "train.py"], **GPUS})) == ["SG216"]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ({"start": "none", "command": ["python", "train.py"]}, ["SG207"]),
        ({"start": "none", "command": ["torchrun", "train.py"]}, []),
        ({"start": "self", "command": ["python", "train.py"]}, []),
        ({"command": ["torchrun", "train.py"]}, []),
        ({"start": "none", "command": ["python", "train.py"], "elastic": {"min": 1, "max": 1}, "pods": 1}, []),
    ],
)
def test_an_elastic_job_of_single_processes_is_told_nothing(words: Words, found: list[str]) -> None:
    result = compiled({"pods": 2, "elastic": {"min": 1, "max": 4}, **GPUS, **words})
    assert codes(result) == found
    assert not result.failed


@pytest.mark.parametrize(
    ("words", "code", "at"),
    [
        ({"command": ["python", "train.py", "--token=$HF_TOKEN"]}, "SG462", "$HF_TOKEN"),
        ({"command": ["python", "train.py"], "args": ["--out=${OUT}"]}, "SG462", "${OUT}"),
        ({"command": ["python", "train.py", "--x=$(NOPE)"]}, "SG463", "$(NOPE)"),
        ({"start": "torchrun", "command": ["train.py", "--x=$(NOPE)"]}, "SG463", "$(NOPE)"),
        ({"command": ["python", "train.py", "--epochs 3"]}, "SG460", "--epochs 3"),
        ({"command": ["python", "train.py", "|", "tee", "log"]}, "SG461", "|"),
        ({"pods": 2, "command": ["deepspeed", "train.py"]}, "SG466", "deepspeed"),
    ],
)
def test_a_warning_points_at_the_word_of_the_profile(words: Words, code: str, at: str) -> None:
    result = compiled(words)
    (found,) = result.diagnostics
    assert found["code"] == code and found["severity"] != ERROR
    region = found["primary"]
    text = result.compiled[0].job.document.source.text[region["start"]["offset"] : region["end"]["offset"]]
    assert text.strip("'\"") == at


def test_what_a_patch_writes_is_judged_alike() -> None:
    result = compiled({"patch": {"container": {"command": ["python train.py --epochs 3"]}}})
    assert [one["code"] for one in result.diagnostics if one["severity"] == ERROR] == ["SG460"]


def test_variables_of_the_operator_are_known_for_every_kind() -> None:
    """A name that an operator sets where the job runs is never called unknown."""
    for target, name in (("PyTorchJob", "MASTER_ADDR"), ("TFJob", "TF_CONFIG"), ("TrainJob", "PET_NODE_RANK")):
        start = "self" if target == "TrainJob" else "none"
        result = compiled(
            {"pods": 2, "target": target, "start": start, "command": ["python", "t.py", f"--x=$({name})"]}
        )
        assert codes(result) == [], target
        (pod, *_) = expansion(result).pods
        assert any(entry["name"] == name for entry in pod["spec"]["containers"][0]["env"])


PYTHON = {"patch": {"container": {"command": ["python", "train.py"]}}}
MORE_GPUS = {"container": {"resources": {"limits": {"nvidia.com/gpu": 8}}}}
TORCHRUN = {"patch": {"container": {"command": ["torchrun", "train.py"]}}}


@pytest.mark.parametrize(
    ("words", "found"),
    [
        # a patch takes the launcher away, brings one, or brings the GPUs: what comes of it is judged, once
        ({"command": ["torchrun", "train.py"], **GPUS, **PYTHON}, ["SG503"]),
        ({"command": ["python", "train.py"], **GPUS, **TORCHRUN}, []),
        (
            {"command": ["python", "train.py"], "resources": {"gpu": 1}, "patch": MORE_GPUS},
            ["SG503"],
        ),
        ({"start": "none", "command": ["torchrun", "train.py"], **GPUS, **PYTHON}, []),
        ({"target": "MPIJob", "command": ["train"], **GPUS, "roles": {"launcher": PYTHON}}, ["SG504"]),
        ({"target": "MPIJob", "command": ["train"], **GPUS}, []),
    ],
    ids=str,
)
def test_what_a_patch_makes_of_the_command_is_judged(words: dict[str, Any], found: list[str]) -> None:
    said = codes(compiled({"pods": 2, **words}))
    assert [code for code in said if code in ("SG216", "SG503", "SG504")] == found
