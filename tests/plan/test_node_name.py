"""The node's name for the trainer's verdicts: which containers have it, and how sshd is told it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.lower.lowering import built, tree
from tests.plan.launching import KNOWN, MPI, env, parts

CASES: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("node_names.yaml").read_text("utf-8"))
TRAIN = ["python", "-m", "trainer", "train", "--dummy"]
FIELD = {"fieldRef": {"fieldPath": "spec.nodeName"}}
# An sshd that takes or refuses `SetEnv`, or has one in its configuration; else it says what it was started with.
SSHD = """#!/bin/sh
case "$0 $*" in
  */sshd-old" "*SetEnv*) echo "Bad configuration option: SetEnv" >&2; exit 255;;
  */sshd-set" "*-T*) echo "setenv A=b"; exit 0;;
  *-T*|*-t*) exit 0;;
esac
echo "$@"
"""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["about"])
def test_who_has_the_name(case: dict[str, Any]) -> None:
    job = tree(built({"pods": 2, "image": KNOWN, "command": TRAIN, **case["job"]}))
    (roles,) = [value for key, value in job["spec"].items() if key.endswith("ReplicaSpecs")]
    pods = {name: role["template"]["spec"] for name, role in roles.items()}
    containers = {
        f"{name}/{one['name']}": one
        for name, pod in pods.items()
        for one in [*pod.get("initContainers", []), *pod["containers"]]
    }
    assert [name for name, one in containers.items() if env(one).get("NODE_NAME") == FIELD] == case["has"]
    assert any("SetEnv" in str(one.get("command")) for one in containers.values()) == case.get("told", False)
    assert not any("NODE_NAME" in one.get("command", []) for one in containers.values()), "mpirun has the launcher's"


@pytest.mark.parametrize(("name", "told"), [("sshd", True), ("sshd-old", False), ("sshd-set", False)])
def test_only_an_sshd_that_takes_it_is_told(tmp_path: Path, name: str, told: bool) -> None:
    command = parts({"pods": 2, "command": TRAIN, "start": {"by": "mpirun", "ssh": {"port": 2222}}, **MPI})[1][
        "command"
    ]
    sshd = tmp_path / name
    sshd.write_text(SSHD)
    sshd.chmod(0o755)
    line = [str(sshd) if word == "/usr/sbin/sshd" else word for word in command]
    done = subprocess.run(line, env={"NODE_NAME": "node-7"}, capture_output=True, text=True, check=True, timeout=20)
    assert done.stdout.split() == ["-De", "-p", "2222", *(["-o", "SetEnv=NODE_NAME=node-7"] if told else [])]
    assert done.stderr == ""
