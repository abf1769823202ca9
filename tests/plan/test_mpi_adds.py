"""What the fabric of a pool adds to one role of a job with a launcher."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.lower.lowering import built, tree
from tests.plan.launching import FABRIC, MPI, V1, env, parts

JOB: dict[str, Any] = {"pods": 2, "resources": {"gpu": 8, "hca": "auto"}}
WORKER = {"env": {"MELLANOX_VISIBLE_DEVICES": "all"}, "mounts": {"/opt/lib": {"hostPath": "/opt/lib"}}}
LAUNCHER = {"env": {"OMPI_MCA_btl_tcp_if_include": "eth0", "TUNER": "a"}, "mounts": {"/etc/tuner": {"configMap": "t"}}}


def cluster(**roles: Any) -> dict[str, Any]:
    """The fabric that adds variables to all, with those of each role."""
    words: dict[str, Any] = copy.deepcopy(FABRIC)
    words["pools"]["gpu"]["fabric"]["adds"]["roles"] = roles
    return words


BOTH = cluster(worker=WORKER, launcher=LAUNCHER)


def paths(container: dict[str, Any]) -> list[str]:
    return [mount["mountPath"] for mount in container.get("volumeMounts", [])]


@pytest.mark.parametrize("target", [{}, V1])
def test_each_role_has_its_own(target: dict[str, Any]) -> None:
    launcher, worker = parts({**JOB, **target}, BOTH)
    assert env(worker)["MELLANOX_VISIBLE_DEVICES"] == "all" and "/opt/lib" in paths(worker)
    assert "TUNER" not in env(worker) and "/etc/tuner" not in paths(worker)
    assert {"OMPI_MCA_btl_tcp_if_include": "eth0", "TUNER": "a"}.items() <= env(launcher).items()
    assert "/etc/tuner" in paths(launcher) and "/opt/lib" not in paths(launcher)
    line = " ".join(launcher["command"])
    # what all get travels as before, what one role gets does not
    assert "-x UCX_TLS" in line
    assert not {"MELLANOX_VISIBLE_DEVICES", "TUNER"} & set(line.split()) and "MELLANOX_VISIBLE_DEVICES" not in env(
        launcher
    )


def test_a_launcher_that_trains_has_what_all_get_and_its_own() -> None:
    words = {**JOB, "start": {"by": "mpirun", "launcherTrains": True}}
    launcher, _ = parts(words, BOTH)
    assert env(launcher)["TUNER"] == "a" and "UCX_TLS" in env(launcher)
    assert "-x TUNER" not in " ".join(launcher["command"])


def test_a_job_alone_in_its_launcher() -> None:
    [container, none] = parts({"pods": 1, "resources": {"gpu": 8, "hca": "auto"}}, BOTH)
    assert none == {} or "TUNER" not in env(none)
    assert env(container)["TUNER"] == "a"


@pytest.mark.parametrize(
    "words",
    [
        {"pods": 2, "resources": {"gpu": 8}, "communication": {"rdma": False}},
    ],
)
def test_without_hcas_no_role_gets_anything(words: dict[str, Any]) -> None:
    launcher, worker = parts(words, BOTH)
    assert not {"MELLANOX_VISIBLE_DEVICES", "TUNER"} & {*env(launcher), *env(worker)}


def test_kinds_without_a_launcher_have_no_such_roles() -> None:
    text = str(tree(built({**JOB, "target": "PyTorchJob"}, BOTH)))
    assert "MELLANOX_VISIBLE_DEVICES" not in text and "/opt/lib" not in text


def test_the_jobs_own_and_its_nulls_win() -> None:
    launcher, worker = parts({**JOB, "env": {"MELLANOX_VISIBLE_DEVICES": "none"}}, BOTH)
    assert env(launcher)["MELLANOX_VISIBLE_DEVICES"] == "none" and "-x MELLANOX_VISIBLE_DEVICES" in " ".join(
        launcher["command"]
    )
    roles = {"worker": {"env": {"MELLANOX_VISIBLE_DEVICES": None}}, "launcher": {"mounts": {"/etc/tuner": None}}}
    launcher, worker = parts({**JOB, "roles": roles}, BOTH)
    assert "MELLANOX_VISIBLE_DEVICES" not in env(worker) and "/etc/tuner" not in paths(launcher)
    assert "/opt/lib" in paths(worker) and env(launcher)["TUNER"] == "a"


@pytest.mark.parametrize(
    ("roles", "said"),
    [
        ({"worker": {"env": {"UCX_TLS": "tcp"}}}, "`UCX_TLS` of one role contradicts that of all"),
        ({"worker": {"env": {"PATH": {"prepend": "/x"}}}}, "`prepend` needs the shell in front of the program"),
        ({"worker": {"mounts": {"/dev/shm/": {"hostPath": "/x"}}}}, "of one role contradicts what is mounted there"),
        (
            {"launcher": {"mounts": {"/x": {"pvc": "a", "create": {"size": "1Gi"}}}}},
            "`create` makes a claim of one job",
        ),
        ({"launcher": {"mounts": {"/x": {"pvc": "$<name>"}}}}, "stays as it is: what the fabric adds is every job's"),
    ],
)
def test_what_contradicts_itself(roles: dict[str, Any], said: str) -> None:
    messages = [one["message"] for one in built({**MPI, **JOB}, cluster(**roles)).diagnostics]
    assert any(said in message for message in messages), messages
