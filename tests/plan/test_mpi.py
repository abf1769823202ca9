"""The launcher's line, what travels to the ranks, what workers run, and how a launcher waits."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.lower.lowering import built, found, tree
from tests.plan.launching import FABRIC, MPI, OLD, V1, env, parts


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            {"pods": 4, "resources": {"gpu": 8}},
            "mpirun --allow-run-as-root -np 32 --bind-to none --map-by slot --hostfile /etc/mpi/hostfile"
            " -x PATH -x LD_LIBRARY_PATH train",
        ),
        (
            {"pods": 2, "start": {"by": "mpirun", "bind": "core", "mapBy": "ppr:1:node", "forward": ["PATH"]}},
            "mpirun --allow-run-as-root -np 2 --bind-to core --map-by ppr:1:node --hostfile /etc/mpi/hostfile"
            " -x PATH train",
        ),
        (
            {
                "start": {"by": "mpirun", "path": "/opt/a/mpirun", "options": ["--tag-output"], "hostfile": "/h"},
                "env": {"A": "b"},
            },
            "/opt/a/mpirun --allow-run-as-root -np 1 --bind-to none --map-by slot --hostfile /h --tag-output"
            " -x PATH -x LD_LIBRARY_PATH -x A train",
        ),
        (
            {
                "security": {"user": 1000},
                "start": {"by": "mpirun", "forward": [], "ssh": {"keys": "/home/m/.ssh", "server": ["HostKey=/m"]}},
            },
            "mpirun -np 1 --bind-to none --map-by slot --hostfile /etc/mpi/hostfile train",
        ),
        (
            {"start": {"by": "mpirun", "ssh": {"port": 2222, "client": ["StrictHostKeyChecking=no"]}, "forward": []}},
            "mpirun --allow-run-as-root -np 1 --bind-to none --map-by slot --hostfile /etc/mpi/hostfile"
            " --mca plm_rsh_args -o ConnectionAttempts=10 -p 2222 -o StrictHostKeyChecking=no train",
        ),
        (
            {"pods": 2, "procsPerPod": 4, "start": {"by": "mpirun", "implementation": "Intel"}, "env": {"A": "b"}},
            "mpirun -n 8 -ppn 4 -genvlist PATH,LD_LIBRARY_PATH,A train",
        ),
        (
            {
                "pods": 2,
                "procsPerPod": 4,
                "start": {"by": "mpirun", "implementation": "MPICH", "bind": "core", "hostfile": "/h", "forward": []},
            },
            "mpirun -n 8 -ppn 4 -f /h -bind-to core train",
        ),
        ({"pods": 2, "start": "horovodrun"}, "horovodrun -np 2 --hostfile /etc/mpi/hostfile train"),
        (
            {"start": {"by": "horovodrun", "ssh": {"port": 2222}, "options": ["--verbose"]}, "env": {"A": "b"}},
            "horovodrun -np 1 --hostfile /etc/mpi/hostfile -p 2222 --verbose train",
        ),
        (
            {"pods": 2, "start": "self", "command": ["mpirun", "--allow-run-as-root", "train"]},
            "mpirun --allow-run-as-root train",
        ),
        (
            {
                "pods": 2,
                "start": "self",
                "command": ["mpirun", "train"],
                "env": {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
            },
            "mpirun train",
        ),
        ({"pods": 2, "start": "none", "command": ["bash", "run.sh"]}, "bash run.sh"),
    ],
)
def test_the_launchers_line(words: dict[str, Any], line: str) -> None:
    assert " ".join(parts(words)[0]["command"]) == line


def test_variables_travel_by_name_and_two_groups_stay() -> None:
    words = {
        "pods": 2,
        "resources": {"gpu": 8, "hca": "auto"},
        "env": {
            "NCCL_DEBUG": "WARN",
            "TOKEN": {"secret": "hub", "key": "token"},
            "OMPI_MCA_pml": "ucx",
            "NVIDIA_DRIVER_CAPABILITIES": "all",
        },
        "roles": {"launcher": {"env": {"ONLY_HERE": "1"}}, "worker": {"env": {"LATER": "2"}}},
    }
    launcher, worker = parts(words, FABRIC)
    script, line = launcher["command"][3], " ".join(launcher["command"][5:])
    assert script == 'export LD_LIBRARY_PATH=\'/opt/x\'"${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"\nexec "$@"\n'
    travelling = "PATH LD_LIBRARY_PATH NCCL_DEBUG TOKEN LATER NCCL_SOCKET_IFNAME GLOO_SOCKET_IFNAME UCX_TLS"
    handed = " ".join(f"-x {name}" for name in travelling.split())
    assert line.endswith(f" --hostfile /etc/mpi/hostfile {handed} train")
    assert env(launcher) == {
        "NCCL_DEBUG": "WARN",
        "TOKEN": {"secretKeyRef": {"name": "hub", "key": "token"}},
        "OMPI_MCA_pml": "ucx",
        "ONLY_HERE": "1",
        "LATER": "2",
        "NCCL_SOCKET_IFNAME": "eth0",
        "GLOO_SOCKET_IFNAME": "eth0",
        "UCX_TLS": "rc",
        "OMPI_MCA_btl": "^openib",
    }
    assert env(worker) == {"NVIDIA_DRIVER_CAPABILITIES": "all"}


def test_what_kubectl_exec_starts_sees_the_variables_of_its_container() -> None:
    words = {**V1, "env": {"A": "b", "HOST": {"field": "spec.nodeName"}, "OMPI_MCA_pml": "ob1"}}
    launcher, worker = parts(words)
    assert launcher["command"][-5:] == ["-x", "LD_LIBRARY_PATH", "-x", "A", "train"]
    assert list(env(worker)) == ["A", "HOST"]


WITHOUT: dict[str, Any] = {"roles": {"launcher": {"env": {"UCX_TLS": None, "A": None}}}, "env": {"A": "a"}}


@pytest.mark.parametrize("words", [{"start": "self"}, V1])
def test_a_launcher_can_be_without_variables_that_it_does_not_hand_on(words: dict[str, Any]) -> None:
    launcher, worker = parts({"resources": {"gpu": 8, "hca": "auto"}, **WITHOUT, **words, "pods": 2}, FABRIC)
    assert not {"A", "UCX_TLS"} & env(launcher).keys() and "UCX_TLS" not in launcher["command"]
    assert env(worker)["A"] == "a"


@pytest.mark.parametrize("start", ["mpirun", "horovodrun"])
def test_a_variable_that_mpirun_hands_on_is_not_taken_from_the_launcher_alone(start: str) -> None:
    words = {**MPI, "resources": {"gpu": 8, "hca": "auto"}, **WITHOUT, "start": start, "pods": 2}
    wanted = [("SG207", "error", "roles.launcher.env.A"), ("SG207", "error", "roles.launcher.env.UCX_TLS")]
    assert sorted(found(built(words, FABRIC))) == wanted
    launcher, _ = parts({**words, "roles": {}, "env": {"UCX_TLS": None}}, FABRIC)
    assert "UCX_TLS" not in env(launcher) and "UCX_TLS" not in launcher["command"]


def test_nothing_of_training_reaches_the_launcher() -> None:
    words = {
        "pods": 2,
        "resources": {"gpu": 8, "hca": "auto", "shm": "1Gi"},
        "communication": {"library": "nccl"},
        "mounts": {"/data": {"pvc": "data"}},
        "dataset": {"path": "/data/a"},
    }
    launcher, worker = parts(words, FABRIC)
    assert "resources" not in launcher and "volumeMounts" not in launcher
    assert worker["resources"]["limits"] == {"nvidia.com/gpu": 8, "rdma/hca": 8}


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ({}, None),
        ({"start": {"by": "mpirun", "ssh": {"port": 2222}}}, "/usr/sbin/sshd -De -p 2222"),
        (
            {"start": {"by": "mpirun", "ssh": {"config": "/c", "server": ["StrictModes=no"]}}},
            "/usr/sbin/sshd -De -f /c -o StrictModes=no",
        ),
        ({"prepare": "date"}, '/bin/sh -e -c date\nexec "$@"\n sh /usr/sbin/sshd -De'),
        ({"roles": {"worker": {"command": ["my-sshd"], "args": ["-D"]}}}, "my-sshd"),
        ({**V1, "prepare": "date"}, '/bin/sh -e -c date\nexec "$@"\n sh sleep 365d'),
        (V1, None),
    ],
)
def test_what_workers_run(words: dict[str, Any], command: str | None) -> None:
    worker = parts(words)[1]
    assert (" ".join(worker["command"]) if "command" in worker else None) == command


@pytest.mark.parametrize(
    ("words", "policy", "port"),
    [
        ({}, "WaitForWorkersReady", 2222),
        ({"start": {"by": "mpirun", "ssh": {"config": "/home/mpiuser/.sshd_config"}}}, "WaitForWorkersReady", 2222),
        ({"start": {"by": "mpirun", "ssh": {"port": 2222}}}, "WaitForWorkersReady", 2222),
        ({"start": {"by": "mpirun", "wait": False}}, None, None),
        ({"start": {"by": "mpirun", "launcherTrains": True}}, None, None),
        ({"pods": 2, "start": {"by": "mpirun", "launcherTrains": True}}, "WaitForWorkersReady", 2222),
        # nobody knows the image's port, nor a line to put a loop before: ready is then what runs
        ({"image": "a/b:1", "start": "self", "command": None}, "WaitForWorkersReady", None),
    ],
)
def test_the_operator_creates_the_launcher_late(words: dict[str, Any], policy: str | None, port: int | None) -> None:
    spec = tree(built({**MPI, **words}))["spec"]
    assert spec.get("launcherCreationPolicy") == policy
    probe = parts(words)[1].get("readinessProbe")
    assert (probe["tcpSocket"]["port"] if probe else None) == port
    assert "until " not in " ".join(parts(words)[0].get("command", ()))


@pytest.mark.parametrize(
    "words",
    [
        {"image": "registry.example.com/team/mpi:1"},
        {"image": "mpioperator/openmpi:v0.3.0"},
        {"image": "mpioperator/tensorflow-benchmarks:latest"},
        {"start": {"by": "mpirun", "ssh": {"config": "/c"}}},
        {"start": {"by": "mpirun", "ssh": {"config": "/c"}}, "prepare": "date"},
        {"roles": {"worker": {"command": ["my-sshd"]}}},
    ],
)
def test_no_port_is_guessed(words: dict[str, Any]) -> None:
    spec = tree(built({**MPI, **words}))["spec"]
    assert "launcherCreationPolicy" not in spec
    assert "readinessProbe" not in parts(words)[1]
    assert 'until said=$$(ssh -o BatchMode=yes -o ConnectTimeout=5 "$host" true' in parts(words)[0]["command"][3]


def test_elsewhere_the_launcher_waits_in_a_loop_that_ends(tmp_path: Path) -> None:
    for words, cluster, reach in (
        (V1, None, '/etc/mpi/kubexec.sh "$host" true'),
        ({**V1, "prepare": "date"}, None, '/etc/mpi/kubexec.sh "$host" \'test "$(cat /proc/1/comm)" = sleep\''),
        (MPI, OLD, 'ssh -o BatchMode=yes -o ConnectTimeout=5 "$host" true'),
        (
            {**MPI, "start": {"by": "mpirun", "ssh": {"port": 2222, "client": ["A=b;c"]}}},
            OLD,
            "ssh -o BatchMode=yes -o ConnectTimeout=5 -p 2222 -o 'A=b;c' \"$host\" true",
        ),
    ):
        shell = parts(words, cluster)[0]["command"]
        assert shell[:3] == ["/bin/sh", "-e", "-c"] and shell[4:6] == ["sh", "mpirun"]
        script = shell[3].replace("$$(", "$(")
        assert f"until said=$({reach} </dev/null 2>&1); do" in script
        _run(tmp_path, script.replace(reach, f'{tmp_path}/reach "$host"'))
    assert "until " not in " ".join(parts({**V1, "start": {"by": "mpirun", "wait": False}})[0]["command"])


def _run(folder: Path, script: str) -> None:
    """Runs a loop: each host is asked until it answers, the launcher never, and the program has the last word."""
    (folder / "hostfile").write_text("me slots=2\nworker-0 slots=2\nworker-1.demo.default.svc:2\n")
    reach = folder / "reach"
    log = folder / "log"
    for fails in (0, 2, 99):
        reach.write_text(f'#!/bin/sh\necho "$1" >>{log}\necho no route\n[ "$(wc -l <{log})" -gt {fails} ]\n')
        reach.chmod(0o755)
        log.unlink(missing_ok=True)
        text = script.replace("/etc/mpi/hostfile", str(folder / "hostfile")).replace("sleep 2", ":")
        text = text.replace("-ge 1800", "-ge 4")
        words = ["/bin/sh", "-e", "-c", text, "sh", "echo", "started"]
        done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "HOSTNAME": "me"}, timeout=60)
        asked = log.read_text().split()
        if fails == 99:
            assert (done.returncode, done.stdout, asked) == (1, "", ["worker-0"] * 4)
            assert "worker-0 does not answer: no route" in done.stderr
        else:
            assert done.stdout == "started\n", done.stderr
            assert asked == ["worker-0"] * (fails + 1) + ["worker-1.demo.default.svc"]


def test_a_probe_can_be_replaced_and_containers_before_see_the_hosts() -> None:
    probe = {"tcpSocket": {"port": 2022}}
    words = {
        "roles": {
            "worker": {"patch": {"container": {"readinessProbe": probe}}},
            "launcher": {"init": {"order": {"image": "a/b:1"}}},
        }
    }
    roles = tree(built({**MPI, **words}))["spec"]["mpiReplicaSpecs"]
    assert roles["Worker"]["template"]["spec"]["containers"][0]["readinessProbe"] == probe
    mounts = roles["Launcher"]["template"]["spec"]["initContainers"][0]["volumeMounts"]
    assert mounts == [
        {"name": "mpi-job-config", "mountPath": "/etc/mpi"},
        {"name": "ssh-auth", "mountPath": "/root/.ssh"},
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"procsPerPod": 4}, ["4 processes for 8 GPUs of a pod: 4 idle"]),
        ({"procsPerPod": 1, "start": "horovodrun"}, ["1 process for 8 GPUs of a pod: 7 idle"]),
        ({"procsPerPod": 8}, []),
        ({"procsPerPod": 4, "start": "self"}, []),
        # a launcher in each pod, which counts for itself
        ({"procsPerPod": 1, "command": ["torchrun", "--standalone", "--nproc-per-node=8", "train.py"]}, []),
    ],
)
def test_fewer_processes_than_gpus_are_said_where_mpirun_spreads_them(words: dict[str, Any], said: list[str]) -> None:
    job = {**MPI, "pods": 2, "command": ["python", "train.py"], "resources": {"gpu": 8}, **words}
    assert [one["message"] for one in built(job).diagnostics if one["code"] == "SG216"] == said
