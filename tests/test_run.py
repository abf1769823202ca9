"""`specgen run`: the pods of a job as processes of this machine. The programs here are a line of Python each."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from specgen.cli import keeper
from specgen.local.addresses import Addresses
from tests.bad.program import specgen

HERE = Path(__file__).parent.parent
SAY = "import json, os; print(json.dumps({k: os.environ.get(k) for k in %r.split()}))"


def run(folder: Path, profile: Mapping[str, object], *words: str) -> subprocess.CompletedProcess[str]:
    """The verb on a profile, as a user calls it."""
    return subprocess.run(command(folder, profile, *words), capture_output=True, text=True, timeout=60, env=_env())


def command(folder: Path, profile: Mapping[str, object], *words: str) -> list[str]:
    job = {"apiVersion": "specgen/v1", "kind": "Job", "image": "registry.example.com/a:1", "target": "PyTorchJob"}
    (folder / "job.yaml").write_text(json.dumps({**job, "metadata": {"name": "one"}, **profile}))
    return [sys.executable, "-m", "specgen", "run", str(folder / "job.yaml"), *words]


def _env() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(HERE), "WORLD_SIZE": "99", "PET_NNODES": "99"}


def lines(result: subprocess.CompletedProcess[str]) -> dict[str, str]:
    """Mark → text of each line of the answer."""
    return dict(line.split(" | ", 1) for line in result.stdout.splitlines())


def test_pods_get_the_operators_environment_with_this_machine_in_it(tmp_path: Path) -> None:
    program = SAY % "MASTER_ADDR WORLD_SIZE RANK PET_NNODES PET_NODE_RANK NODE_NAME"
    env = {"NODE_NAME": {"field": "spec.nodeName"}}
    result = run(tmp_path, {"command": ["python", "-c", program], "pods": 2, "env": env})
    assert result.returncode == 0, result.stderr
    said = {mark: json.loads(text) for mark, text in lines(result).items()}
    common = {"MASTER_ADDR": "127.0.0.1", "WORLD_SIZE": "2", "PET_NNODES": "2", "NODE_NAME": "localhost"}
    assert said == {
        "master-0 rank 0": {**common, "RANK": "0", "PET_NODE_RANK": "0"},
        "worker-0 rank 1": {**common, "RANK": "1", "PET_NODE_RANK": "1"},
    }


def test_as_many_pods_as_asked_and_the_code_of_the_first_failure(tmp_path: Path) -> None:
    program = "import os, sys; sys.exit(7 if os.environ['RANK'] == '2' else 0)"
    result = run(tmp_path, {"command": ["python", "-c", program], "pods": 2}, "--pods", "3")
    assert result.returncode == 7
    assert "`--pods 3` is of this run" in result.stderr
    assert sorted(line.split(" ended with ")[0] for line in result.stderr.splitlines() if " ended with " in line) == [
        "master-0 rank 0",
        "worker-0 rank 1",
        "worker-1 rank 2",
    ]


def test_what_is_not_here_is_said_before_anything_starts(tmp_path: Path) -> None:
    profile = {
        "command": ["/opt/conda/bin/python", "/var/train.py", "--data=/data/mnist"],
        "mounts": {"/data": {"pvc": "data"}},
        "files": {"/var/ran.txt": {"text": "x"}},
    }
    result = run(tmp_path, profile)
    assert result.returncode == 1
    assert result.stdout == ""
    said = [
        line.partition("error[SG801] ")[2].partition(" (")[0] for line in result.stderr.splitlines() if "SG801" in line
    ]
    assert said == [
        f"`{what}` is not on this machine" for what in ("/opt/conda/bin/python", "/var/train.py", "/data/mnist")
    ]


def test_what_is_mapped_runs(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import sys; print(open(sys.argv[1] + '/a.txt').read(), sys.argv[2])")
    (tmp_path / "data").mkdir()
    (tmp_path / "data/a.txt").write_text("there")
    profile = {
        "command": ["/opt/conda/bin/python", "/var/train.py", "/data/mnist", "--backend=nccl"],
        "mounts": {"/data": {"pvc": "data"}},
    }
    maps = [f"--map=/var/train.py={tmp_path}/train.py", f"--map=/data/mnist={tmp_path}/data"]
    result = run(tmp_path, profile, "--python", sys.executable, *maps)
    assert result.returncode == 0, result.stderr
    backend = "--backend=nccl" if Path("/dev/nvidia0").exists() else "--backend=gloo"
    assert lines(result) == {"master-0 rank 0": f"there {backend}"}


def test_a_map_of_which_nothing_comes_is_named(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("print(1)")
    profile = {"command": ["python", "/var/train.py"], "mounts": {"/data": {"pvc": "data"}}}
    used = [f"--map=/var={tmp_path}", "--map=/data/mnist=/tmp", "--map=/=/"]
    result = run(tmp_path, profile, "--python", sys.executable, *used, "--map=/date=/tmp")
    assert result.returncode == 0, result.stderr
    assert [line.strip() for line in result.stderr.splitlines() if "--map" in line] == [
        "`--map /date=/tmp` changes nothing: the job names nothing there, and mounts nothing"
    ]


def test_carried_files_and_init_containers_come_first(tmp_path: Path) -> None:
    profile = {
        "command": ["python", "-c", "import sys; print(open(sys.argv[1]).read())", "/work/a.txt"],
        "files": {"/job/make.py": {"text": "import sys; open(sys.argv[1], 'a').write('made')"}},
        "mounts": {"/work": {"scratch": "work"}},
        "init": {"make": {"command": ["python", "/job/make.py", "/work/a.txt"]}},
        "pods": 2,
    }
    result = run(tmp_path, profile)
    assert result.returncode == 0, result.stderr
    assert lines(result) == {"master-0 rank 0": "made", "worker-0 rank 1": "made"}


def test_an_init_container_that_fails_stops_the_run(tmp_path: Path) -> None:
    profile = {
        "command": ["python", "-c", "print('started')"],
        "init": {"make": {"command": ["python", "-c", "raise SystemExit(3)"]}},
    }
    result = run(tmp_path, profile)
    assert (result.returncode, result.stdout) == (3, "")
    assert "ended with 3, nothing was started" in result.stderr


def test_one_interrupt_stops_all(tmp_path: Path) -> None:
    program = "import time; print('up', flush=True); time.sleep(100)"
    line = command(tmp_path, {"command": ["python", "-c", program], "pods": 2})
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=_env()) as running:
        assert running.stdout is not None
        for _ in range(2):
            assert running.stdout.readline().endswith("up\n")
        before = time.monotonic()
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=30) == 130
        assert time.monotonic() - before < 20


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--pods", "0"], "--pods 0: at least one"),
        (["--map", "data"], "`data` maps nothing"),
        (["--variant", "small"], "job.yaml: it has no variants"),
    ],
)
def test_wrong_words_are_answered(tmp_path: Path, words: list[str], said: str) -> None:
    result = run(tmp_path, {"command": ["python"]}, *words)
    assert result.returncode == 2
    assert said in result.stderr


@pytest.mark.parametrize(
    ("target", "lifecycle", "said"),
    [
        (
            "PyTorchJob",
            {"restarts": 2},
            "the kubelet restarts a container that fails, in place, until `backoffLimit 5`",
        ),
        ("VolcanoJob", {"restarts": 2}, "a pod that fails has all pods created again, at most 2 times"),
        ("PyTorchJob", {"restart": "ExitCode"}, "a pod that fails is deleted and created again after some exit codes"),
        ("PyTorchJob", {"restart": "Never"}, ""),
    ],
)
def test_what_would_begin_again_on_the_cluster(
    tmp_path: Path, target: str, lifecycle: dict[str, object], said: str
) -> None:
    profile = {"target": target, "command": ["python", "-c", "pass"], "pods": 2, "lifecycle": lifecycle}
    result = run(tmp_path, profile, "--dry-run")
    assert result.returncode == 0, result.stderr
    found = [line.strip() for line in result.stderr.splitlines() if "begins again" in line]
    assert [line.startswith(f"nothing begins again here: there {said}") for line in found] == ([True] if said else [])


def test_variants_are_named_where_there_is_no_job_without_one(tmp_path: Path) -> None:
    profile = {"command": ["python"], "variants": {"small": {}, "full": {"pods": 2}}}
    result = run(tmp_path, {**profile, "variantsOnly": True}, "--dry-run")
    assert result.returncode == 2
    assert result.stderr.endswith("name one of its variants with --variant: `small` and `full`\n")
    result = run(tmp_path, {**profile, "variantsOnly": True}, "--dry-run", "--variant", "full")
    assert (result.returncode, result.stdout.count(" rank ")) == (0, 2)
    result = run(tmp_path, profile, "--dry-run")
    assert (result.returncode, result.stdout.count(" rank ")) == (0, 1)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "specgen", "run", "nowhere.yaml"]
    result = subprocess.run(words, capture_output=True, text=True, timeout=60, env=_env(), cwd=tmp_path)
    assert (result.returncode, result.stderr) == (2, "specgen: nowhere.yaml: there is no such file\n")


def test_all_findings_come_in_one_report(tmp_path: Path) -> None:
    profile = {"command": ["/opt/none"], "resources": {"gpu": 2}, "communication": {"rdma": False}}
    result = run(tmp_path, profile, "--format=json")
    assert result.returncode == 1
    assert [one["code"] for one in json.loads(result.stderr)["diagnostics"]] == ["SG801", "SG216"]


def test_a_name_is_no_address(tmp_path: Path) -> None:
    program = SAY % "MS_SCHED_HOST MS_NODE_ID POD_NAME"
    profile = {"target": "MSJob", "pods": 2, "env": {"POD_NAME": {"field": "metadata.name"}}}
    result = run(tmp_path, {**profile, "command": ["python", "-c", program]})
    assert result.returncode == 0, result.stderr
    pods = ("scheduler-0", "worker-0", "worker-1")
    assert {mark: json.loads(text) for mark, text in lines(result).items()} == {
        pod: {"MS_SCHED_HOST": "127.0.0.1", "MS_NODE_ID": f"one-{pod}", "POD_NAME": f"one-{pod}"} for pod in pods
    }


def test_a_job_keeps_off_the_ports_of_others(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", 2222))
        other.listen()
        profile = {"target": "TFJob", "pods": 2, "command": ["python"]}
        result = run(tmp_path, profile, "--dry-run")
    assert result.returncode == 0, result.stderr
    assert '"worker":["127.0.0.1:2322","127.0.0.1:2323"]' in result.stdout


@pytest.mark.parametrize(
    ("text", "variable", "shift", "here"),
    [
        ("one-worker-0", "MASTER_ADDR", 0, "127.0.0.1"),
        ("one-worker-0.ns.svc.cluster.local", "MASTER_ADDR", 0, "127.0.0.1"),
        ("one-worker-1.ns.svc:2222", "", 0, "127.0.0.1:2223"),
        (
            '{"worker":["one-worker-0.ns.svc:2222","one-worker-1.ns.svc:2222"]}',
            "TF_CONFIG",
            100,
            '{"worker":["127.0.0.1:2322","127.0.0.1:2323"]}',
        ),
        ("one-worker-10", "", 0, "one-worker-10"),
        ("my-one-worker-0", "", 0, "my-one-worker-0"),
        ("23456", "MASTER_PORT", 100, "23556"),
        ("23456", "PORTION", 100, "23456"),
        ("<clusterIP of one-scheduler-0>", "MS_SCHED_HOST", 0, "127.0.0.1"),
    ],
)
def test_addresses_of_pods_become_this_machines(text: str, variable: str, shift: int, here: str) -> None:
    assert Addresses(["one-worker-0", "one-worker-1"], shift).here(text, variable) == here


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="the extra `trainer` is not installed")
@pytest.mark.soak
def test_the_sample_trains_to_the_end_on_data_that_it_makes() -> None:
    line = [sys.executable, "-m", "specgen", "run", "profiles/jobs/mnist.yaml"]
    result = subprocess.run(line, cwd=HERE, capture_output=True, text=True, timeout=120, env=_env())
    assert result.returncode == 0, result.stdout + result.stderr
    ended = [text for text in result.stdout.splitlines() if text.endswith("| trainer: done")]
    assert sorted(text.partition(" | ")[0] for text in ended) == ["master-0 rank 0", "worker-0 rank 1"]
    shares = re.findall(r"evaluation at step \d+: loss \S+, accuracy (\S+),", result.stdout)
    assert len(shares) == 3
    assert float(shares[-1]) > 0.95, "the sample does not learn"


def test_pods_of_a_job_object_are_known_by_the_names_that_dns_knows(tmp_path: Path) -> None:
    program = SAY % "PET_MASTER_ADDR PET_NODE_RANK"
    profile = {"target": "TrainJob", "start": "none", "pods": 2, "command": ["python", "-c", program]}
    result = run(tmp_path, profile)
    assert result.returncode == 0, result.stderr
    assert {mark: json.loads(text) for mark, text in lines(result).items()} == {
        f"node-0-{rank}": {"PET_MASTER_ADDR": "127.0.0.1", "PET_NODE_RANK": str(rank)} for rank in (0, 1)
    }


def test_a_launcher_alone_runs_and_finds_this_machine(tmp_path: Path) -> None:
    (tmp_path / "mpirun").write_text("#!/bin/sh\ncat $OMPI_MCA_orte_default_hostfile\n")
    (tmp_path / "mpirun").chmod(0o755)
    start = {"by": "mpirun", "launcherTrains": True, "path": f"{tmp_path}/mpirun"}
    result = run(tmp_path, {"target": "TrainJob", "start": start, "pods": 2, "command": ["true"]})
    assert result.returncode == 0, result.stderr
    assert lines(result) == {"mpirun": "localhost slots=2"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"command": ["python"], "workdir": "/no/such"}, "SG801] `/no/such` is not on this machine"),
        ({"command": ["/etc/passwd"]}, "SG801] `/etc/passwd` is no program, its file may not be run"),
        ({"command": ["/a.sh"], "files": {"/a.sh": {"text": "#!/bin/sh"}}}, "SG344] nobody may execute `/a.sh`"),
    ],
)
def test_what_cannot_be_started_is_said_before(tmp_path: Path, words: dict[str, object], said: str) -> None:
    result = run(tmp_path, words)
    assert result.returncode == 1 and result.stdout == ""
    assert f"error[{said}" in result.stderr


def test_what_the_system_does_not_start_ends_the_run(tmp_path: Path) -> None:
    (tmp_path / "program").write_bytes(b"\0\0")
    (tmp_path / "program").chmod(0o755)
    result = run(tmp_path, {"command": [f"{tmp_path}/program"]})
    assert result.returncode == 126
    assert "cannot be started: exec format error" in result.stderr


def _alive(number: str) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


_LEAVES = """\
import subprocess, sys
program = "import signal, time; signal.signal(15, signal.SIG_IGN); print('up', flush=True); time.sleep(100)"
child = subprocess.Popen([sys.executable, "-c", program], start_new_session=True, stdout=subprocess.PIPE)
child.stdout.readline()
print(child.pid, flush=True)
"""


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="only Linux shows the variables of processes")
def test_nothing_is_left_of_what_a_process_put_into_a_session_of_its_own(tmp_path: Path) -> None:
    result = run(tmp_path, {"command": ["python", "-c", _LEAVES]})
    assert result.returncode == 0, result.stderr
    assert not _alive(lines(result)["master-0 rank 0"])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_stop_all_and_leave_nothing(tmp_path: Path, number: signal.Signals) -> None:
    program = "import os, time; print(os.getpid(), flush=True); time.sleep(100)"
    line = command(tmp_path, {"command": ["python", "-c", program], "mounts": {"/a": {"scratch": "a"}}})
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    env = {**_env(), "TMPDIR": str(scratch)}
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env) as running:
        assert running.stdout is not None
        child = running.stdout.readline().split()[-1]
        assert list(scratch.iterdir())
        running.send_signal(number)
        assert running.wait(timeout=30) == 128 + number
    assert not _alive(child) and not list(scratch.iterdir())


# Processes as daemons are made: the first is the rank, the others have lost their parent, their session, and all that
# marked them; the last ones ignore what can be ignored.
_DAEMONS = """\
import os, signal, subprocess, sys, time
line = "import os, signal, sys, time; os.setsid(); [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 15)]"
line += "; print(os.getpid(), flush=True); os.close(1); time.sleep(100)"
fork = "import os, subprocess, sys; subprocess.Popen([sys.executable, '-c', sys.argv[1]], env={})"
both = [subprocess.Popen([sys.executable, "-c", *argv], env={}, stdout=subprocess.PIPE, text=True)
        for argv in (("import os; os.fork() or " + "exec(" + repr(line) + ")",), (fork, line))]
print(os.getpid(), *[one.stdout.readline().strip() for one in both], flush=True)
time.sleep(100)
"""
_DIES_OF = (signal.SIGKILL, signal.SIGQUIT, signal.SIGABRT, signal.SIGUSR1, signal.SIGALRM, signal.SIGSEGV)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives what lost its parent to another one")
def test_no_process_outlives_the_run_whatever_kills_it(tmp_path: Path) -> None:
    line = command(tmp_path, {"command": ["python", "-c", _DAEMONS]})
    env = {**_env(), "PYTHONFAULTHANDLER": "", "TMPDIR": str(tmp_path)}
    # a shell has what it runs in the background ignore this one, and so would all below
    ignored = signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    runs = [
        subprocess.Popen(line, stdout=subprocess.PIPE, text=True, env=env, start_new_session=True) for _ in _DIES_OF
    ]
    signal.signal(signal.SIGQUIT, ignored)
    left = []
    for one, number in zip(runs, _DIES_OF, strict=True):
        assert one.stdout is not None
        pids = one.stdout.readline().split(" | ")[1].split()
        assert len(pids) == 3 and all(_alive(pid) for pid in pids)
        left += pids
        os.killpg(one.pid, number)
        assert one.wait(timeout=30) == -number
        one.stdout.close()
    _gone(left)


def _gone(pids: list[str]) -> None:
    until = time.monotonic() + 20
    while any(_alive(pid) for pid in pids) and time.monotonic() < until:
        time.sleep(0.05)
    assert not [pid for pid in pids if _alive(pid)]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives what lost its parent to another one")
def test_a_run_ends_what_its_keeper_leaves(tmp_path: Path) -> None:
    line = command(tmp_path, {"command": ["python", "-c", _DAEMONS]})
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=_env()) as running:
        assert running.stdout is not None and running.stderr is not None
        pids = running.stdout.readline().split(" | ")[1].split()
        keeper = Path(f"/proc/{pids[0]}/stat").read_text().rpartition(")")[2].split()[1]
        assert keeper != str(running.pid)
        os.kill(int(keeper), signal.SIGKILL)
        assert running.wait(timeout=30) == 137
        assert "master-0 rank 0 ended with 137" in running.stderr.read()
    _gone(pids)


def test_what_descends_from_a_process_is_known_without_proc(monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("ps") is None:
        pytest.skip("there is no ps here")
    program = "import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=0); print(p.pid)"
    line = [sys.executable, "-c", f"{program}; sys.stdout.flush(); p.wait()"]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as one:
        assert one.stdin is not None and one.stdout is not None
        grandchild = int(one.stdout.readline())
        monkeypatch.setattr(keeper, "_parent", lambda pid: None)
        below = keeper._below(os.getpid())
        assert {one.pid, grandchild} <= set(below)
        assert keeper._below(one.pid) == [grandchild]
        one.communicate("\n")


def test_the_place_of_a_process_in_a_batch_system_is_not_that_of_a_rank(tmp_path: Path) -> None:
    names = "SLURM_PROCID SLURM_NTASKS SLURM_LOCALID SLURM_NODEID"
    line = command(tmp_path, {"command": ["python", "-c", SAY % f"RANK {names}"]})
    env = {**_env(), **dict.fromkeys(names.split(), "7")}
    result = subprocess.run(line, capture_output=True, text=True, timeout=60, env=env)
    said = json.loads(lines(result)["master-0 rank 0"])
    assert said == {"RANK": "0", **dict.fromkeys(names.split())}


def test_a_reader_that_goes_away_ends_the_run(tmp_path: Path) -> None:
    program = "import itertools\nfor number in itertools.count(): print(number)"
    line = command(tmp_path, {"command": ["python", "-c", program], "pods": 2})
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=_env()) as running:
        assert running.stdout is not None and running.stderr is not None
        assert running.stdout.readline()
        running.stdout.close()
        assert running.wait(timeout=30) == 1
        assert "Traceback" not in running.stderr.read()


def test_lines_without_end_and_bytes_that_are_no_text_are_passed_on(tmp_path: Path) -> None:
    program = "import sys; sys.stdout.buffer.write(b'a' * 100000 + b'\\xff\\n' + b'end')"
    line = command(tmp_path, {"command": ["python", "-c", program]})
    result = subprocess.run(line, capture_output=True, timeout=60, env=_env())
    pieces = [piece.partition(b" | ")[2] for piece in result.stdout.splitlines()]
    assert b"".join(pieces) == b"a" * 100000 + b"\xff" + b"end" and pieces[-1] == b"end"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has sockets without a file")
def test_two_runs_at_once_do_not_share_a_port_that_neither_has_opened_yet(tmp_path: Path) -> None:
    program = "import os, sys, time; print(os.environ['MASTER_PORT'], flush=True); time.sleep(100)"
    line = command(tmp_path, {"command": ["python", "-c", program]})
    ports = []
    running = [subprocess.Popen(line, stdout=subprocess.PIPE, text=True, env=_env()) for _ in range(2)]
    for one in running:
        assert one.stdout is not None
        ports.append(one.stdout.readline().split()[-1])
    for one in running:
        one.send_signal(signal.SIGTERM)
        assert one.wait(timeout=30) == 143
        assert one.stdout is not None
        one.stdout.close()
    assert ports[0] != ports[1]


def test_over_a_runtime_of_the_cluster_its_file_says_what_runs(tmp_path: Path) -> None:
    container = {"name": "node", "image": "registry.example.com/torch:1"}
    label = {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
    batch = {"metadata": {"labels": label}, "spec": {"template": {"spec": {"containers": [container]}}}}
    jobset = {"replicatedJobs": [{"name": "node", "template": batch}]}
    runtime = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": "t"},
    }
    text = json.dumps({**runtime, "spec": {"mlPolicy": {"torch": {}}, "template": {"spec": jobset}}})
    (tmp_path / ".git").mkdir()
    (tmp_path / "runtime.yaml").write_text(text)
    operators = {"trainer": {"version": "2.3.0", "runtimes": {"t": "runtime.yaml", "unseen": {}}}}
    cluster = {"apiVersion": "specgen/v1", "kind": "Cluster", "metadata": {"name": "c"}, "operators": operators}
    (tmp_path / "cluster.yaml").write_text(json.dumps(cluster))
    profile = {"cluster": "cluster.yaml", "start": "none", "pods": 2}
    profile["command"] = ["python", "-c", SAY % "PET_NNODES"]
    result = run(tmp_path, {**profile, "target": {"kind": "TrainJob", "runtime": "t"}})
    assert result.returncode == 0, result.stderr
    assert lines(result) == {f"node-0-{index}": '{"PET_NNODES": "2"}' for index in (0, 1)}
    result = run(tmp_path, {**profile, "target": {"kind": "TrainJob", "runtime": "unseen"}})
    assert result.returncode == 1 and "`unseen` is not among the files" in result.stderr
    # `expand` sees what `run` sees
    head = {"apiVersion": "specgen/v1", "kind": "Job", "metadata": {"name": "a"}, "image": "a:1", **profile}
    for name, told in (("t", ""), ("unseen", "specgen: what the runtime `unseen` holds is not known")):
        job = {**head, "target": {"kind": "TrainJob", "runtime": name}}
        (tmp_path / "job.yaml").write_text(json.dumps(job))
        ended = specgen("expand", "job.yaml", cwd=tmp_path)
        assert (ended.code, "becomes 2 pods" in ended.out) == (bool(told), not told)
        assert told in ended.err and bool(told) == bool(ended.err)


@pytest.mark.parametrize(
    ("words", "started", "processes"),
    [
        ({"start": "accelerate", "command": ["train.py"]}, "accelerate.commands.launch --tee=3", None),
        ({"start": "torchrun", "command": ["train.py"]}, "torch.distributed.run ", "2"),
        ({"command": ["torchrun", "train.py"]}, "torch.distributed.run ", "2"),
    ],
)
def test_launchers_start_here_as_in_the_pods(
    tmp_path: Path, words: dict[str, object], started: str, processes: str | None
) -> None:
    """As modules of this interpreter, with as many processes as the pods have GPUs; each is told its own number."""
    (tmp_path / "train.py").write_text("")
    profile = {"pods": 2, "resources": {"gpu": 2}, **words}
    here = ("--python", sys.executable, "--map", f"train.py={tmp_path}/train.py", "--dry-run")
    result = run(tmp_path, profile, *here)
    assert result.returncode == 0, result.stderr
    shown = [line for line in result.stdout.splitlines() if " -m " in line]
    assert len(shown) == 2 and all(f" -m {started}" in line for line in shown)
    if processes is not None:
        assert result.stdout.count(f"PET_NPROC_PER_NODE={processes}\n") == 2
    else:
        assert ["--machine_rank=0" in line for line in shown] == [True, False]
        assert all("--num_machines=2 --num_processes=4" in line for line in shown)
