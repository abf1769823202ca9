"""The commands of the README's tour run as they stand, in their order, in a folder that has what they name."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.kubectl import kubectl

HERE = Path(__file__).resolve().parent
DATA = yaml.safe_load((HERE / "ends.yaml").read_text("utf-8"))
TRAINER = "### The program that the jobs run"
# What a project of a reader's own has: a manifest with a slip, a definition of another kind, a script.
SLIP = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train}
spec: {pytorchReplicaSpecs: {Worker: {}}}
"""
DEFINITION = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: queues.example.com}
spec:
  group: example.com
  names: {kind: Queue, plural: queues}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
"""
SCRIPT = """\
from argparse import ArgumentParser

words = ArgumentParser()
words.add_argument("--lr", type=float)
print(words.parse_args())
"""


def blocks(text: str) -> list[list[str]]:
    """The commands of each `sh` block that another test does not run: those of the first minute, and of the doors."""
    tour = text.partition("### Write a job\n")[2]
    found = [block.replace("\\\n", " ") for block in re.findall(r"^```sh\n(.*?)^```", tour, re.M | re.S)]
    return [[line for line in block.splitlines() if line.strip()] for block in found]


@pytest.fixture
def home(root: Path, tmp_path: Path) -> Path:
    """A project of a reader's own."""
    shutil.copytree(root / "profiles", tmp_path / "profiles")
    for path in sorted((tmp_path / "profiles/jobs").glob("*.yaml")):
        text = path.read_text("utf-8")
        if "namespace:" not in text:  # Flux takes a tree whose objects all say theirs
            path.write_text(text.replace("\nmetadata: {", "\nmetadata: {namespace: training, ", 1), "utf-8")
    for folder in (".git", "manifests", "crds"):
        (tmp_path / folder).mkdir()
    (tmp_path / "manifests/train.yaml").write_text(SLIP, "utf-8")
    (tmp_path / "crds/queues.yaml").write_text(DEFINITION, "utf-8")
    (tmp_path / "GUIDE.md").write_text(f"# How we train\n\n```yaml\n{SLIP}```\n", "utf-8")
    (tmp_path / "train.py").write_text(SCRIPT, "utf-8")
    built = root / "out/training.llama-pretrain-v2-small"
    for name in ("runtime", "job"):
        texts = [one.read_text("utf-8") for one in sorted((built / name).rglob("*.yaml"))]
        kept = [text for text in texts if "kind: TrainJob" in text or "Runtime\n" in text]
        to = "trainjob.yaml" if name == "job" else "runtime.yaml"
        (tmp_path / to).write_text("---\n".join(kept), "utf-8")
    shutil.copy(root / "tests/cli/files/nodes.json", tmp_path / "cluster.json")
    return tmp_path


def run(command: str, home: Path, root: Path) -> tuple[int, str]:
    """The exit code of a command as a shell runs it, and all that it says."""
    bin_folder = os.path.dirname(sys.executable)
    variables = {**os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(root)}
    ended = subprocess.run(
        ["sh", "-c", command], cwd=home, env=variables, capture_output=True, text=True, check=False, timeout=120
    )
    return ended.returncode, ended.stdout + ended.stderr


def named(command: str, table: dict[str, object]) -> str | None:
    """The entry of a table that a command begins with."""
    return next((one for one in table if command.startswith(one)), None)


@pytest.mark.soak
def test_every_command_of_the_tour_runs(root: Path, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commands = [line for block in blocks((root / "README.md").read_text("utf-8")) for line in block]
    assert len(commands) > 30
    met = {"left_out": set[str](), "ends": set[str]()}
    wrong = []
    for command in commands:
        if command.startswith("python -m trainer"):
            continue
        reason = named(command, DATA["left_out"])
        if reason is not None:
            met["left_out"].add(reason)
            with capsys.disabled():
                print(f"\nnot run: {reason}: {DATA['left_out'][reason]}", end=" ")
            continue
        if "kubectl" in command.split()[0] and kubectl() is None:
            pytest.skip("kubectl is not installed")
        end = named(command, DATA["ends"])
        met["ends"] |= {end} if end is not None else set()
        code, said = run(command, home, root)
        if code != (DATA["ends"][end] if end is not None else 0):
            wrong.append(f"{command}\n  ended with {code}: {said[:600]}")
    assert wrong == [], "\n".join(wrong)
    assert {name: sorted(found) for name, found in met.items()} == {name: sorted(DATA[name]) for name in met}


@pytest.mark.soak
def test_the_commands_of_the_trainer_run(root: Path, home: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    text = (root / "README.md").read_text("utf-8").partition(TRAINER)[2]
    (block,) = [one for one in blocks("### Write a job\n" + text) if one[0].startswith("python -m trainer")]
    for command in block:
        code, said = run(command, home, root)
        assert code == 0, f"{command}\n{said[-2000:]}"
    assert json.loads(run("python -m trainer contract --json", home, root)[1])["exit_codes"]
    assert (home / "run/report.md").is_file()
