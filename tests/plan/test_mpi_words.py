"""The words of a launcher's job: sshd and ssh, the nodes' network, and what contradicts what."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lower.lowering import built, found, tree
from tests.plan.carrying import compiled
from tests.plan.launching import MPI, V1, parts

HOST = {
    "pools": {
        "gpu": {
            "gpu": {"resource": "nvidia.com/gpu", "perNode": 8},
            "hca": {"perNode": 8},
            "fabric": {"rdma": "host", "memlock": "runtime"},
        }
    }
}


def test_on_the_nodes_network_sshd_has_a_port_of_its_own_and_the_launcher_is_there_too() -> None:
    words = {**MPI, "pods": 2, "resources": {"gpu": 8, "hca": "auto"}}
    roles = tree(built(words, HOST))["spec"]["mpiReplicaSpecs"]
    for role in roles.values():
        pod = role["template"]["spec"]
        assert (pod["hostNetwork"], pod["dnsPolicy"]) == (True, "ClusterFirstWithHostNet")
    launcher, worker = parts(words, HOST)
    assert "-o ConnectionAttempts=10 -p 2222" in launcher["command"]
    assert worker["command"] == ["/usr/sbin/sshd", "-De", "-p", "2222"]
    assert worker["readinessProbe"] == {"tcpSocket": {"port": 2222}}
    assert worker["ports"] == [{"name": "ssh", "containerPort": 2222}] and "ports" not in launcher
    named = parts({**words, "ports": {"ssh": 9999, "sshd": 2222}}, HOST)[1]["ports"]
    assert [port["containerPort"] for port in named] == [9999, 2222]
    mpirun = {"by": "mpirun", "ssh": {"port": 2022}}
    assert parts({**words, "start": mpirun}, HOST)[1]["command"][-1] == "2022"
    assert "ssh" not in " ".join(parts({**words, **V1}, HOST)[0]["command"])


def test_without_an_option_of_the_starter_the_options_of_ssh_are_a_variable() -> None:
    ssh = {"port": 2222, "client": ["A=b"]}
    for start, names in (
        ({"by": "self"}, ("OMPI_MCA_plm_rsh_args", "PRTE_MCA_plm_ssh_args")),
        ({"by": "mpirun", "implementation": "Intel"}, ("I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS",)),
        ({"by": "mpirun", "implementation": "MPICH"}, ("HYDRA_LAUNCH_EXTRA_ARGS",)),
    ):
        script = parts({"start": {**start, "ssh": ssh}})[0]["command"][3]
        exports = "".join(f"export {name}='-o ConnectionAttempts=10 -p 2222 -o A=b'\n" for name in names)
        assert script == exports + 'exec "$@"\n'


@pytest.mark.parametrize(
    ("words", "code", "path", "said"),
    [
        ({"command": ["mpirun", "train"]}, "SG207", "command[0]", "mpirun would start `mpirun` in every process"),
        (
            {"resources": {"gpu": 8}, "command": ["bash", "-c", "cd /w && A=b torchrun --nproc-per-node=8 train.py"]},
            "SG207",
            "command[2]",
            "mpirun would start `torchrun` in every process",
        ),
        (
            {"resources": {"gpu": 8}, "command": ["bash", "-c", "cd /w\nmpirun -np 16 python train.py"]},
            "SG207",
            "command[2]",
            "mpirun would start `mpirun` in every process",
        ),
        ({"command": None, "args": ["a"]}, "SG207", "target", "needs a `command`"),
        (
            {"command": None, "start": {"by": "self", "ssh": {"port": 2222}}},
            "SG207",
            "start.ssh",
            "`ssh` needs a `command`",
        ),
        (
            {**V1, "command": None, "start": {"by": "self", "wait": True}},
            "SG207",
            "start.wait",
            "`wait: true` needs a `command`",
        ),
        (
            {"command": None, "start": "self", "roles": {"launcher": {"prepare": "date"}}},
            "SG207",
            "roles.launcher.prepare",
            "`prepare` needs a `command`",
        ),
        (
            {"command": None, "start": "self", "env": {"PATH": {"prepend": "/a"}}},
            "SG207",
            "env.PATH",
            "`prepend` needs a `command`",
        ),
        ({"start": {"by": "self", "bind": "core"}}, "SG207", "start.bind", "no starter's line is written"),
        ({"start": {"by": "self", "path": "/a"}}, "SG207", "start.path", "no starter's line is written"),
        ({"start": {"by": "horovodrun", "mapBy": "slot"}}, "SG207", "start.mapBy", "horovodrun calls it by itself"),
        (
            {"start": {"by": "horovodrun", "implementation": "Intel"}},
            "SG207",
            "start.implementation",
            "cannot read the host file of Intel",
        ),
        (
            {"start": {"by": "horovodrun", "ssh": {"client": ["A=b"]}}},
            "SG208",
            "start.ssh.client",
            "options of its own",
        ),
        (
            {"start": {"by": "mpirun", "implementation": "Intel", "bind": "core"}},
            "SG207",
            "start.bind",
            "no option of Intel MPI",
        ),
        (
            {"start": {"by": "mpirun", "implementation": "Intel", "options": ["-l", "--mca", "btl", "^openib"]}},
            "SG207",
            "start.options[1]",
            "`--mca` is an option of Open MPI, and the image's is Intel MPI",
        ),
        (
            {"start": {"by": "mpirun", "implementation": "MPICH", "options": ["--allow-run-as-root"]}},
            "SG207",
            "start.options[0]",
            "`--allow-run-as-root` is an option of Open MPI, and the image's is MPICH",
        ),
        (
            {"start": {"by": "mpirun", "options": ["--mca", "-genv", "x", "-genv", "A", "1"]}},
            "SG207",
            "start.options[3]",
            "`-genv` is an option of Intel MPI and MPICH, and the image's is Open MPI",
        ),
        ({"start": {"by": "mpirun", "ssh": {"server": ["-d"]}}}, "SG207", "start.ssh.server[0]", "is no option"),
        ({"start": {"by": "mpirun", "ssh": {"client": ["A=b c"]}}}, "SG207", "start.ssh.client[0]", "without blanks"),
        ({"env": {"OMPI_MCA_plm_rsh_args": "-p 1"}}, "SG212", "env.OMPI_MCA_plm_rsh_args", "sets"),
        ({**V1, "env": {"OMPI_MCA_plm_rsh_args": "-p 1"}}, "SG212", "env.OMPI_MCA_plm_rsh_args", "takes none"),
        ({"env": {"HOST": {"field": "spec.nodeName"}}}, "SG208", "env.HOST", "would get the launcher's"),
        ({"env": {"CORES": {"resource": "limits.cpu"}}}, "SG208", "env.CORES", "would get the launcher's"),
        (
            {"env": {"A": "b"}, "roles": {"launcher": {"env": {"A": "c"}}}},
            "SG207",
            "roles.launcher.env.A",
            "contradicts that of the workers",
        ),
        ({"security": {"user": 1000}}, "SG207", "security.user", "the keys of ssh, which lie under `/root/.ssh`"),
        ({"security": {"nonRoot": True}}, "SG207", "security.nonRoot", "the keys of ssh, which lie under `/root/.ssh`"),
        (
            {"command": None, "start": {"by": "self", "entrypoint": True}},
            "SG207",
            "start.entrypoint",
            "`entrypoint` needs a `command`",
        ),
        (
            {**V1, "prepare": "date", "pod": {"shareProcessNamespace": True}},
            "SG207",
            "prepare",
            "cannot see when it is done",
        ),
        (
            {"roles": {"launcher": {"mounts": {"/etc/mpi/": {"scratch": "a"}}}}},
            "SG207",
            "roles.launcher.mounts[/etc/mpi/]",
            "mounts its own there",
        ),
        (
            {"mounts": {"/k": {"secret": "a"}}, "start": {"by": "mpirun", "ssh": {"keys": "/k"}}},
            "SG207",
            "mounts[/k]",
            "mounts its own there",
        ),
        ({"roles": {"worker": {"args": ["-d"]}}}, "SG207", "roles.worker.args", "a command of its own"),
        ({"roles": {"launcher": {"pods": 2}}}, "SG208", "roles.launcher.pods", "no count of its own"),
        ({"elastic": {"max": 3}}, "SG208", "elastic", "does not change while it runs"),
        ({"start": "torchrun"}, "SG208", "start", "`torchrun` cannot start"),
    ],
)
def test_what_contradicts_a_launcher(words: dict[str, Any], code: str, path: str, said: str) -> None:
    result = built({**MPI, **words})
    assert found(result) == [(code, "error", path)], result.diagnostics
    assert said in result.diagnostics[0]["message"]


def test_options_of_the_image_are_taken_and_a_path_of_ones_own_may_take_any() -> None:
    for start in (
        {"implementation": "Intel", "options": ["-genv", "A", "--mca"]},
        {"options": ["--mca", "pml", "ucx", "-v"]},
        {"options": ["-genv", "A", "1"], "path": "/opt/run-mpi"},
        {"implementation": "Intel", "options": ["-tune", "a.conf"]},
    ):
        assert found(built({**MPI, "start": {"by": "mpirun", **start}})) == []
    for start in ({"options": ["-ppn", "2"]}, {"implementation": "MPICH", "options": ["--report-bindings"]}):
        may_be = {**MPI, "start": {"by": "mpirun", **start}}
        assert found(built(may_be)) == [("SG207", "warning", "start.options[0]")]


def test_variables_without_a_name_do_not_travel_and_that_is_said() -> None:
    words = {"envFrom": [{"configMap": "mpi"}]}
    assert found(built({**MPI, **words})) == [("SG208", "note", "envFrom[0]")]
    assert found(built({**V1, **words})) == found(built({**MPI, **words, "start": "self"})) == []


def test_where_no_pod_is_root_the_keys_are_not_roots() -> None:
    cluster = {"podSecurity": "restricted"}
    assert found(built(MPI, cluster)) == [("SG207", "error", "podSecurity")]
    keys: dict[str, Any] = {"by": "mpirun", "ssh": {"port": 2222, "keys": "/home/mpiuser/.ssh"}}
    assert found(built({**MPI, "start": keys}, cluster)) == [("SG207", "warning", "podSecurity")]
    for own in ({"config": "/home/mpiuser/.sshd_config"}, {"server": ["HostKey=/home/mpiuser/.ssh/id_rsa"]}):
        started = {"by": "mpirun", "ssh": {**keys["ssh"], **own}}
        assert found(built({**MPI, "start": started}, cluster)) == []
    assert found(built({**MPI, "security": {"nonRoot": None}}, cluster))[0][0] == "SG325"


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ({"start": "none"}, True),
        ({"start": "self"}, False),
        ({}, False),
        ({"start": "none", "resources": {"cpu": 1}}, False),
        ({"start": "none", "roles": {"worker": {"command": ["serve"]}}}, False),
    ],
    ids=str,
)
def test_one_process_beside_the_gpus_of_all_workers_is_said(words: dict[str, Any], found: bool) -> None:
    result = compiled({"target": "MPIJob", "pods": 16, "resources": {"gpu": 8}, **words})
    said = [one["message"] for one in result.diagnostics if one["code"] == "SG216"]
    message = "`start: none` starts one process, in the launcher, and none on the 16 workers with 8 GPUs each"
    assert said == ([message] if found else [])


@pytest.mark.parametrize(
    ("words", "severity"),
    [
        ({"command": ["bash", "-c", "torchrun train.py"]}, "error"),
        ({"command": ["bash", "-c", "if [ -e /w/a ]; then torchrun train.py; fi"]}, "warning"),
        # one process knows which it is, and one in each pod may divide further
        ({"command": ["bash", "-c", "torchrun --node-rank $OMPI_COMM_WORLD_RANK train.py"]}, None),
        ({"procsPerPod": 1, "command": ["bash", "-c", "torchrun --nnodes 2 --rdzv-endpoint a:1 train.py"]}, None),
        # the words are a package's and a file's
        ({"command": ["bash", "-c", "pip install deepspeed && python torchrun.py"]}, None),
    ],
    ids=str,
)
def test_a_text_of_a_shell_that_starts_processes_in_every_process(words: dict[str, Any], severity: str | None) -> None:
    result = compiled({"target": "MPIJob", "pods": 2, "resources": {"gpu": 8}, **words})
    found = [(one["code"], one["severity"]) for one in result.diagnostics if one["code"] in ("SG207", "SG462")]
    assert found == ([("SG207", severity)] if severity else [])


@pytest.mark.parametrize(
    ("start", "command", "found"),
    [
        ("self", ["torchrun", "train_ds.py"], "torchrun"),
        ("none", ["bash", "-c", "cd /w && accelerate launch train.py"], "accelerate"),
        ("self", ["deepspeed", "train_ds.py"], "deepspeed"),
        ("self", ["deepspeed", "--hostfile=/etc/mpi/hostfile", "train_ds.py"], None),
        ("self", ["bash", "-c", "mpirun -np 32 torchrun train.py"], None),
        ("self", ["bash", "run.sh"], None),
    ],
    ids=str,
)
def test_a_launcher_that_trains_by_itself_is_said_once(start: str, command: list[str], found: str | None) -> None:
    result = compiled({"target": "MPIJob", "pods": 4, "resources": {"gpu": 8}, "start": start, "command": command})
    said = [one["message"] for one in result.diagnostics if one["code"] in ("SG504", "SG216")]
    message = f"`{found}` starts its processes in the launcher, and none on the 4 workers with 8 GPUs each"
    assert said == ([message] if found else [])
