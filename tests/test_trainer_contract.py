"""What specgen knows of the trainer is what the trainer says and does: the table, and what it refuses at its start."""

from __future__ import annotations

import ast
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from specgen.generate import trainer_contract as generator
from specgen.linting import lint_source
from specgen.rules import _trainer_arguments
from specgen.source import Source
from specgen.tables.trainer_contract import CONTRACT

REFUSED = ("SG230", "SG231")


def test_the_table_is_what_the_program_prints(root: Path) -> None:
    command = [sys.executable, "-m", "trainer", "contract", "--json"]
    said = json.loads(subprocess.run(command, cwd=root, capture_output=True, check=True).stdout)
    for flag in [flag for command in ("train", "preflight", "bench") for flag in said["arguments"][command]]:
        assert isinstance(flag.pop("help"), str)
    assert said == CONTRACT


def test_the_generated_text_is_the_table_of_the_program() -> None:
    text = generator.generate()[generator.PATH]
    names: dict[str, Any] = {}
    exec(compile(text, "table", "exec"), names)
    assert names["CONTRACT"] == CONTRACT
    assert max(map(len, text.splitlines())) <= 120


def test_without_a_trainer_nothing_is_generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generator, "_ROOT", tmp_path)
    assert generator.generate() == {}


def test_the_contract_says_what_the_rules_compute() -> None:
    assert CONTRACT["gradient_bytes"].endswith(" * parameters")
    assert CONTRACT["grace"]["rule"].startswith("terminationGracePeriodSeconds >= grace + ")
    models = next(flag["choices"] for flag in CONTRACT["arguments"]["train"] if "--arch" in flag["names"])
    assert sorted(models) == sorted(CONTRACT["parameters"])


@pytest.mark.parametrize(
    ("line", "need"),
    [
        (["-j", "4", "-b", "32"], 9 * 32 * 3 * 224**2 + 5 * 131072),
        (["-j", "4", "-b", "32", "--eval"], 18 * 32 * 3 * 224**2 + 5 * 131072),
        (["-j", "3", "--accum=2", "--eval", "--image-size", "96"], 21 * 32 * 3 * 96**2 + 4 * 131072),
        (["-j", "0", "-b", "9999"], 0),
    ],
)
def test_shared_memory_is_one_sum_here_and_there(line: list[str], need: int) -> None:
    """The rule finds a byte less too little, and nothing where it fits; the program computes the same."""
    from trainer.flags import shm_bytes

    cli = program()
    args, _ = cli.parse(cli.CONFIGS["train"], ["/data/a", *line], {})
    assert shm_bytes(vars(args)) == need
    for size, codes in ((need, []), (need - 1, ["SG450"])) if need else ((0, []),):
        words = ["python", "-u", "-m", "trainer", "train", "/data/a", "--format=tar", *line]
        mount = [{"name": "shm", "mountPath": "/dev/shm"}]
        volume = [{"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": str(size)}}]
        container = {"name": "pytorch", "image": "registry.example.com/a:1", "command": words, "volumeMounts": mount}
        role = {"replicas": 1, "template": {"spec": {"containers": [container], "volumes": volume}}}
        job = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "a"}}
        text = json.dumps({**job, "spec": {"pytorchReplicaSpecs": {"Master": role}}})
        found_here = [one["code"] for one in lint_source(Source("job.json", text)).diagnostics]
        assert [code for code in found_here if code == "SG450"] == codes


def test_the_mnist_script_has_these_defaults(root: Path) -> None:
    tree = ast.parse((root / "trainer" / "main_mnist.py").read_text("utf-8"))
    said = [ast.literal_eval(word.value) for word in ast.walk(tree) if isinstance(word, ast.keyword)]
    assert len(said) == 1
    ours = _trainer_arguments._DEFAULTS["main_mnist.py"]
    assert {key: said[0][key] for key in ours} == ours


def program() -> Any:
    """The trainer's own reader of arguments, which needs no torch."""
    if importlib.util.find_spec("trainer") is None:
        pytest.skip("no trainer here")
    from trainer import cli

    return cli


def is_refused(command: str, line: list[str], env: dict[str, str]) -> bool:
    """Whether the program itself ends with 64."""
    from trainer.env import Place
    from trainer.faults import USAGE, Fault

    cli = program()
    try:
        args, _ = cli.parse(cli.CONFIGS[command], line, env)
        cli.checked(args, Place())
        return command == "train" and not args.data and not args.dummy
    except Fault as fault:
        assert fault.code == USAGE
        return True


def found(command: str, line: list[str], env: dict[str, str]) -> list[str]:
    """The messages of the two rules on a job with that command."""
    words = ["python", "-u", "-m", "trainer", command, *line]
    variables = [{"name": name, "value": value} for name, value in env.items()]
    container = {"name": "pytorch", "image": "registry.example.com/trainer:1", "command": words, "env": variables}
    role = {"replicas": 1, "template": {"spec": {"containers": [container]}}}
    job = {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": "a"},
        "spec": {"pytorchReplicaSpecs": {"Worker": role}},
    }
    diagnostics = lint_source(Source("job.json", json.dumps(job))).diagnostics
    return [one["message"] for one in diagnostics if one["code"] in REFUSED]


# Not those that depend on the environment of the pod, nor those that end the program at once.
_FLAGS = [
    name
    for flag in [*CONTRACT["arguments"]["train"], *CONTRACT["arguments"]["bench"]]
    if not flag["legacy"]
    for name in flag["names"]
    if name not in ("--expect-world", "--spawn")
]
_VALUES = ("3", "0", "-1", "2.5", "nccl", "resnet18", "folder", "/data/a", "", "a b", "-x y", "fp16", "no", "8M", "1_0")
_WORDS = st.one_of(
    st.sampled_from(_FLAGS),
    st.sampled_from(_VALUES),
    st.builds("{}={}".format, st.sampled_from(_FLAGS), st.sampled_from(_VALUES)),
    st.sampled_from(("-j4", "-bx", "-a=mnist", "-arch", "--no-check", "-", "--nonsense", "--wor", "-.5", "--spawn")),
)
# What is mostly right: otherwise nearly every line would be refused for its first word.
_SOUND = st.sampled_from(
    (["/data/a"], ["--dummy"], ["-j", "4"], ["-b8"], ["--lr", "-1"], ["--op", "all_reduce"], ["--iter=5"], ["--out="])
)
_LINES = st.builds(
    lambda sound, junk: [word for words in sound for word in words] + junk,
    st.lists(_SOUND, max_size=4),
    st.one_of(st.just([]), st.lists(_WORDS, max_size=5)),
)
_ENV = st.dictionaries(
    st.sampled_from(("TRAINER_BATCH_SIZE", "TRAINER_ARCH", "TRAINER_DUMMY", "TRAINER_DATA", "TRAINER_OTHER")),
    st.sampled_from(_VALUES),
    max_size=2,
)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(command=st.sampled_from(("train", "bench", "preflight")), line=_LINES, env=_ENV)
@example("train", ["--data", "/data", "--dummy"], {})
@example("train", [], {"TRAINER_DATA": "/data"})
@example("train", ["--dist-backend=gloo", "--backend=mpi", "--dummy"], {})
@example("bench", ["8"], {})
@example("preflight", ["/data", "/more"], {})
@example("train", ["--dummy", "--iter=-5"], {})
@example("train", ["--dummy", "--ckpt-every=-1"], {})
@example("train", ["--dummy", "--bucket=0"], {})
@example("train", ["--dummy", "--lr=nan"], {})
@example("train", ["/data", "-a", "resnet18", "--format", "idx"], {})
@example("train", ["/data", "--format=idx"], {})
@example("train", ["/data", "--format=idx", "-a", "mnist", "--static-graph", "--accum=2"], {})
@example("train", ["--dummy", "--format=idx", "--accum", "2"], {"TRAINER_STATIC_GRAPH": "yes"})
@example("bench", ["-b", "0"], {})
@example("bench", ["--op=all_reduce,"], {})
@example("bench", ["--op=all_reduce,broadcast", "-f", "1"], {})
def test_the_rules_refuse_what_the_program_refuses(command: str, line: list[str], env: dict[str, str]) -> None:
    messages = found(command, line, env)
    assert bool(messages) == is_refused(command, line, env), messages


def _linted(command: list[str], **fields: Any) -> list[tuple[str, str]]:
    """(severity, code) of what is refused of a job's only container with this command."""
    container = {"name": "pytorch", "image": "registry.example.com/a:1", "command": command, **fields}
    replicas = {"Master": {"replicas": 1, "template": {"spec": {"containers": [container]}}}}
    job = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "a"}}
    text = json.dumps({**job, "spec": {"pytorchReplicaSpecs": replicas}})
    return [(one["severity"], one["code"]) for one in lint_source(Source("job.yaml", text)).diagnostics]


@pytest.mark.parametrize(
    ("command", "fields"),
    [
        (["python", "-m", "trainer", "train", "--dummy"], {}),
        (["torchrun", "-m", "trainer", "train", "--dummy"], {}),
        (["sh", "-c", 'cd /w && A=1 exec python -m trainer train --dummy "$@"', "sh"], {}),
        (["python", "/opt/trainer/main_mnist.py", "--dummy"], {}),
        (["python", "main_allreduce.py"], {"workingDir": "/opt/trainer/"}),
        (["python", "/job/main_allreduce.py"], {"env": [{"name": "TRAINER_EPOCHS", "value": "1"}]}),
    ],
)
def test_the_trainer_is_known_by_its_module_its_folder_or_its_variables(
    command: list[str], fields: dict[str, Any]
) -> None:
    assert _linted([*command, "--no-such"], **fields) == [("error", "SG230")]


@pytest.mark.parametrize(
    "command",
    [
        ["python", "main_allreduce.py"],
        ["python", "-u", "/var/main_mnist.py", "--dummy"],
        ["python", "-um", "torch.distributed.run", "/opt/main_allreduce.py"],
    ],
)
def test_what_only_has_the_name_of_a_script_is_warned_of(command: list[str]) -> None:
    assert _linted([*command, "--no-such"]) == [("warning", "SG230")]


@pytest.mark.parametrize(
    "command",
    [
        # the arguments of other people's programs of these names
        ["python", "main_mnist.py", "--no-cuda", "--log-interval=10", "--save-model"],
        ["python", "main_allreduce.py", "--size=1024", "--warmup=5"],
        ["python", "/var/mnist.py", "--no-such"],
        ["python", "-m", "pytest", "main_mnist.py", "--no-such"],
        ["python", "-c", "pass", "main_mnist.py", "--no-such"],
        ["python", "-m", "trainer.task", "train", "--no-such"],
        ["accelerate", "launch", "main_mnist.py", "--no-such"],
        ["sh", "-c", "test -f main_mnist.py --no-such"],
    ],
)
def test_another_program_is_left_alone(command: list[str]) -> None:
    assert _linted(command) == []
