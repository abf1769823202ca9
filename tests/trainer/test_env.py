"""Rank resolution: the golden table of environments, as each operator and launcher sets them. No torch."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from trainer.env import resolve

# (name, environment, (rank, world, local rank, master, port, source)) or the words of the refusal
MASTER = {"MASTER_ADDR": "job-master-0", "MASTER_PORT": "23456"}
PET = {"PET_MASTER_ADDR": "job-master-0", "PET_MASTER_PORT": "23456"}


def v19(rank: int, world: int, pods: int, nproc: str = "auto") -> dict[str, str]:
    """training-operator 1.8 and 1.9 with a Master."""
    return {
        "PYTHONUNBUFFERED": "1",
        **MASTER,
        **PET,
        "WORLD_SIZE": str(world),
        "RANK": str(rank),
        "PET_NODE_RANK": str(rank),
        "PET_NPROC_PER_NODE": nproc,
        "PET_NNODES": str(pods),
    }


def v17(rank: int, world: int, pods: int, nproc: str = "auto") -> dict[str, str]:
    return {k: v for k, v in v19(rank, world, pods, nproc).items() if k not in {"PET_MASTER_PORT", "PET_MASTER_ADDR"}}


def old(rank: int, world: int, master: str = "job-master-0") -> dict[str, str]:
    """pytorch-operator 0.7 and training-operator 1.3: no PET_ variables."""
    return {"MASTER_ADDR": master, "MASTER_PORT": "23456", "WORLD_SIZE": str(world), "RANK": str(rank)}


def trainjob(node: int, pods: int, nproc: str = "1") -> dict[str, str]:
    return {
        "PET_NNODES": str(pods),
        "PET_NPROC_PER_NODE": nproc,
        "PET_NODE_RANK": str(node),
        "PET_MASTER_ADDR": "job-node-0-0.job",
        "PET_MASTER_PORT": "29500",
        "JOB_COMPLETION_INDEX": str(node),
    }


def elastic(rank: int, world: int, local: int, group: int) -> dict[str, str]:
    return {
        "TORCHELASTIC_RUN_ID": "job",
        "TORCHELASTIC_RESTART_COUNT": "1",
        "RANK": str(rank),
        "WORLD_SIZE": str(world),
        "LOCAL_RANK": str(local),
        "LOCAL_WORLD_SIZE": "4",
        "GROUP_RANK": str(group),
        "MASTER_ADDR": "node-7",
        "MASTER_PORT": "40001",
    }


def ompi(rank: int, size: int, local: int = 0, **more: str) -> dict[str, str]:
    return {
        "OMPI_COMM_WORLD_RANK": str(rank),
        "OMPI_COMM_WORLD_SIZE": str(size),
        "OMPI_COMM_WORLD_LOCAL_RANK": str(local),
        "OMPI_COMM_WORLD_LOCAL_SIZE": "2",
        "PMIX_RANK": str(rank),
        "PMIX_NAMESPACE": "3171155969",
        **more,
    }


def tf(role: str, index: int, **cluster: int) -> dict[str, str]:
    hosts = {kind: [f"job-{kind}-{i}.ns.svc:2222" for i in range(count)] for kind, count in cluster.items()}
    return {"TF_CONFIG": json.dumps({"cluster": hosts, "task": {"type": role, "index": index}, "environment": "cloud"})}


def ms(role: str, name: str, workers: int = 3) -> dict[str, str]:
    return {
        "MS_SCHED_HOST": "10.96.0.7",
        "MS_NODE_ID": name,
        "MS_SCHED_PORT": "2222",
        "MS_SERVER_NUM": "0",
        "MS_WORKER_NUM": str(workers),
        "MS_ROLE": role,
    }


GOLDEN: list[tuple[str, dict[str, str], object]] = [
    ("laptop", {}, (0, 1, 0, "127.0.0.1", 0, "single process")),
    ("1.9 master", v19(0, 16, 16), (0, 16, 0, "job-master-0", 23456, "PyTorchJob")),
    ("1.9 last worker", v19(15, 16, 16), (15, 16, 0, "job-master-0", 23456, "PyTorchJob")),
    ("1.9 master alone", v19(0, 1, 1), (0, 1, 0, "job-master-0", 23456, "PyTorchJob")),
    ("1.9 nproc 1", v19(3, 4, 4, "1"), (3, 4, 0, "job-master-0", 23456, "PyTorchJob")),
    ("1.9 nproc 4", v19(1, 16, 4, "4"), "`WORLD_SIZE=16` counts 4 pods x 4 processes, but this pod started one"),
    ("1.9 nproc gpu", v19(1, 4, 4, "gpu"), (1, 4, 0, "job-master-0", 23456, "PyTorchJob")),
    ("1.9 nproc many", v19(1, 4, 4, "many"), (1, 4, 0, "job-master-0", 23456, "PyTorchJob")),
    ("1.9 nproc 0", v19(0, 0, 3, "0"), "not a multiple"),
    ("1.9 nproc -1", v19(0, -3, 3, "-1"), "not a multiple"),
    ("1.7 worker", v17(2, 4, 4), (2, 4, 0, "job-master-0", 23456, "PyTorchJob")),
    ("1.7 nproc 8", v17(2, 32, 4, "8"), "`WORLD_SIZE=32` counts 4 pods x 8 processes"),
    ("1.5 worker", old(2, 4), (2, 4, 0, "job-master-0", 23456, "PyTorchJob")),
    ("0.7 master", old(0, 4, "localhost"), (0, 4, 0, "localhost", 23456, "PyTorchJob")),
    ("0.7 worker", old(1, 4), (1, 4, 0, "job-master-0", 23456, "PyTorchJob")),
    (
        "1.9 no master, one worker",
        {"PYTHONUNBUFFERED": "1", "PET_NPROC_PER_NODE": "1", "PET_NNODES": "1"},
        (0, 1, 0, "127.0.0.1", 0, "PET_*"),
    ),
    (
        "1.9 no master",
        {"PYTHONUNBUFFERED": "1", "PET_NPROC_PER_NODE": "auto", "PET_NNODES": "3"},
        "no `PET_NODE_RANK` and `PET_MASTER_ADDR`",
    ),
    (
        "1.9 elastic",
        {"PET_RDZV_ENDPOINT": "job-worker-0:23456", "PET_RDZV_BACKEND": "c10d", "PET_NNODES": "2:4"},
        "`PET_NNODES=2:4` is an elastic range: needs torchrun",
    ),
    ("1.9 elastic with master", {**v19(1, 4, 4), "PET_NNODES": "2:4"}, "is an elastic range: needs torchrun"),
    ("world size without rank", {"WORLD_SIZE": "4", **MASTER}, "`WORLD_SIZE=4` is set, but `RANK` is not"),
    ("rank without world size", {"RANK": "1", **MASTER}, "`RANK=1` is set, but `WORLD_SIZE` is not"),
    ("rank is a word", {"RANK": "one", "WORLD_SIZE": "2", **MASTER}, "`RANK=one` is not a whole number"),
    ("rank outside", old(4, 4), "rank 4 contradicts world size 4"),
    ("no master address", {"RANK": "1", "WORLD_SIZE": "2"}, "`MASTER_ADDR` is not set"),
    (
        "by hand, local rank",
        {**old(5, 8), "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "4"},
        (5, 8, 1, "job-master-0", 23456, "PyTorchJob"),
    ),
    ("TrainJob node 0", trainjob(0, 4), (0, 4, 0, "job-node-0-0.job", 29500, "PET_*")),
    ("TrainJob node 3", trainjob(3, 4), (3, 4, 0, "job-node-0-0.job", 29500, "PET_*")),
    ("TrainJob auto, no GPU", trainjob(1, 2, "auto"), (1, 2, 0, "job-node-0-0.job", 29500, "PET_*")),
    ("TrainJob CPU count", trainjob(1, 2, "16"), "`WORLD_SIZE=32` counts 2 pods x 16 processes"),
    ("TrainJob single", trainjob(0, 1), (0, 1, 0, "job-node-0-0.job", 29500, "PET_*")),
    ("torchrun", elastic(5, 8, 1, 1), (5, 8, 1, "node-7", 40001, "torchrun")),
    (
        "torchrun in a PyTorchJob",
        {**v19(1, 16, 4, "4"), **elastic(5, 16, 1, 1)},
        (5, 16, 1, "node-7", 40001, "torchrun"),
    ),
    ("torchrun in a TrainJob", {**trainjob(1, 2, "4"), **elastic(5, 8, 1, 1)}, (5, 8, 1, "node-7", 40001, "torchrun")),
    ("mpirun, address passed", ompi(3, 4, 1, **MASTER), (3, 4, 1, "job-master-0", 23456, "MPI")),
    ("mpirun, no address", ompi(3, 4, 1), (3, 4, 1, "", 29500, "MPI")),
    ("mpirun, one rank", ompi(0, 1), (0, 1, 0, "127.0.0.1", 0, "MPI")),
    (
        "MPICH",
        {"PMI_RANK": "1", "PMI_SIZE": "2", "MPI_LOCALRANKID": "1", "MPI_LOCALNRANKS": "2", **MASTER},
        (1, 2, 1, "job-master-0", 23456, "MPI"),
    ),
    ("PMIx", {"PMIX_RANK": "1", "PMIX_SIZE": "2", **MASTER}, (1, 2, 0, "job-master-0", 23456, "MPI")),
    ("PMIx without size", {"PMIX_RANK": "1", **MASTER}, "`PMIX_RANK=1` is set, but `PMIX_SIZE` is not"),
    ("mpirun against stale RANK", ompi(1, 2, 0, **old(0, 4)), "MPI says rank 1 of 2, PyTorchJob says rank 0 of 4"),
    (
        "MPIJob launcher, no ranks",
        {"OMPI_MCA_plm_rsh_agent": "/etc/mpi/kubexec.sh"},
        (0, 1, 0, "127.0.0.1", 0, "single process"),
    ),
    ("TFJob chief", tf("chief", 0, chief=1, worker=2), (0, 3, 0, "job-chief-0.ns.svc", 2222, "TFJob")),
    ("TFJob worker", tf("worker", 1, chief=1, worker=2), (2, 3, 0, "job-chief-0.ns.svc", 2222, "TFJob")),
    ("TFJob workers only", tf("worker", 1, worker=2), (1, 2, 0, "job-worker-0.ns.svc", 2222, "TFJob")),
    ("TFJob old master", tf("master", 0, master=1, worker=1), (0, 2, 0, "job-master-0.ns.svc", 2222, "TFJob")),
    ("TFJob ps", tf("ps", 0, worker=2, ps=1), "the role `ps`, which has no work here"),
    ("TFJob broken", {"TF_CONFIG": "{}"}, "is not what a TFJob sets"),
    ("MSJob worker", ms("MS_WORKER", "job-worker-2"), (2, 3, 0, "10.96.0.7", 2222, "MSJob")),
    ("MSJob scheduler", ms("MS_SCHED", "job-scheduler-0"), (0, 3, 0, "10.96.0.7", 2222, "MSJob")),
    ("MSJob server", ms("MS_PSERVER", "job-ps-0"), "has no work here"),
    ("MSJob odd name", ms("MS_WORKER", "job-worker"), "does not end in a number"),
]


@pytest.mark.parametrize("env, want", [row[1:] for row in GOLDEN], ids=[row[0] for row in GOLDEN])
def test_golden(env: dict[str, str], want: object) -> None:
    place = resolve({"CUDA_VISIBLE_DEVICES": "", **env})
    if isinstance(want, str):
        assert place.problem is not None
        assert want in place.problem.reason
        assert place.problem.code == 64
    else:
        assert place.problem is None, place.problem
        assert (place.rank, place.world, place.local_rank, place.master, place.port, place.source) == want


def test_the_table_is_large_and_names_are_unique() -> None:
    assert len(GOLDEN) >= 40
    assert len({row[0] for row in GOLDEN}) == len(GOLDEN)


def test_launcher_settles_a_disagreement() -> None:
    env = ompi(1, 2, 0, **old(0, 4))
    assert resolve(env, "mpi").problem is None
    assert resolve(env, "mpi").world == 2
    assert resolve(env, "pytorchjob").world == 4
    missing = resolve({}, "tfjob").problem
    assert missing is not None
    assert "`--launcher=tfjob`, but its variables are not set" in missing.reason


def test_spawn_takes_the_processes_of_the_pod() -> None:
    place = resolve(v19(1, 16, 4, "4"), spawn=0)
    assert (place.problem, place.spawn, place.node) == (None, 4, 1)
    assert resolve({**trainjob(1, 2, "auto"), "CUDA_VISIBLE_DEVICES": "0,1,2,3,4,5,6,7"}, spawn=0).spawn == 8


def test_only_the_scheduler_hosts_the_store_of_an_msjob() -> None:
    assert resolve(ms("MS_SCHED", "job-scheduler-0")).hosts_store
    assert resolve(ms("MS_SCHED", "job-scheduler-0")).role == "scheduler"
    assert not resolve(ms("MS_WORKER", "job-worker-0")).hosts_store
    assert not resolve({**elastic(0, 4, 0, 0), "TORCHELASTIC_USE_AGENT_STORE": "True"}).hosts_store
    assert resolve(elastic(0, 4, 0, 0)).hosts_store
    assert resolve(v19(0, 2, 2)).hosts_store


def test_restarts_are_told_apart_where_one_store_outlives_them() -> None:
    assert resolve(elastic(0, 4, 0, 0)).restarts == "1"
    assert resolve(v19(0, 2, 2)).restarts == "0"


def test_no_torch_is_imported(root: Path) -> None:
    code = "import sys, trainer.cli, trainer.contract; sys.exit(bool({'torch', 'numpy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], cwd=root).returncode == 0
