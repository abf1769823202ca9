"""Who am I: rank, world size and master address from the environment of the launcher (T1). No torch here."""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from trainer.faults import USAGE, Fault

Env = Mapping[str, str]
DEFAULT_PORT = 29500


@dataclass
class Place:
    """One process among `world`. `node` counts pods. `problem` is a fault that the others must hear of."""

    rank: int = 0
    world: int = 1
    local_rank: int = 0
    local_world: int = 1
    node: int = 0
    master: str = "127.0.0.1"
    port: int = 0
    source: str = "single process"
    role: str = "worker"  # or "scheduler": MSJob only, hosts the store and has no rank
    hosts_store: bool = True
    store_elsewhere: bool = False  # not at rank 0: the MSJob scheduler's, or the one torchrun's agent keeps
    spawn: int = 0  # processes this pod must start itself, 0 = none
    generation: str = ""
    problem: Fault | None = None
    said: dict[str, str] = field(default_factory=dict)  # the variables that were read, for messages and the log


def number(env: Env, name: str) -> int | None:
    text = env.get(name, "").strip()
    if not text:
        return None
    if not re.fullmatch(r"-?\d+", text):
        raise Fault(USAGE, f"`{name}={text}` is not a whole number")
    return int(text)


def visible_gpus(env: Env) -> int:
    """GPUs this process can see, without loading CUDA: the visible-devices list, else the device files."""
    listed = env.get("CUDA_VISIBLE_DEVICES")
    if listed is not None:
        return len([part for part in listed.split(",") if part.strip() not in {"", "-1", "NoDevFiles"}])
    return len([path for path in glob.glob("/dev/nvidia*") if re.fullmatch(r"/dev/nvidia\d+", path)])


def torchrun(env: Env) -> Place | None:
    if "TORCHELASTIC_RUN_ID" not in env or "LOCAL_RANK" not in env:
        return None
    return Place(
        _need(env, "RANK"),
        _need(env, "WORLD_SIZE"),
        _need(env, "LOCAL_RANK"),
        number(env, "LOCAL_WORLD_SIZE") or 1,
        number(env, "GROUP_RANK") or 0,
        source="torchrun",
        generation=env.get("TORCHELASTIC_RESTART_COUNT", ""),
    )


def mpi(env: Env) -> Place | None:
    """Open MPI names first, then PMIx, then PMI-1 (MPICH, Intel MPI)."""
    for rank, sizes, local, local_size in (
        ("OMPI_COMM_WORLD_RANK", ("OMPI_COMM_WORLD_SIZE",), "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"),
        ("PMIX_RANK", ("PMIX_SIZE", "PMI_SIZE"), "PMIX_LOCAL_RANK", "PMIX_LOCAL_SIZE"),
        ("PMI_RANK", ("PMI_SIZE",), "MPI_LOCALRANKID", "MPI_LOCALNRANKS"),
    ):
        if rank in env:
            size = next((name for name in sizes if name in env), None)
            if size is None:
                raise Fault(USAGE, f"`{rank}={env[rank]}` is set, but none of {_names(sizes)}")
            place = Place(
                _need(env, rank),
                _need(env, size),
                number(env, local) or 0,
                number(env, local_size) or 1,
                number(env, "OMPI_COMM_WORLD_NODE_RANK") or 0,
                source="MPI",
                generation=env.get("PMIX_NAMESPACE", ""),
            )
            # `OMPI_COMM_WORLD_NODE_RANK` is the rank on the node, not the node's number (Open MPI 4.1 mpirun(1)).
            place.node = 0
            return place
    return None


def pytorchjob(env: Env) -> Place | None:
    """RANK and WORLD_SIZE as the operator or a person sets them; the operator's RANK is the pod's.

    training-operator 1.7 and later: WORLD_SIZE = pods x nprocPerNode (pkg/controller.v1/pytorch/envvar.go).
    """
    if "RANK" not in env and "WORLD_SIZE" not in env:
        return None
    rank, world = _need(env, "RANK"), _need(env, "WORLD_SIZE")
    place = Place(rank, world, node=rank, source="PyTorchJob")
    if "LOCAL_RANK" in env:
        place.local_rank, place.local_world = _need(env, "LOCAL_RANK"), number(env, "LOCAL_WORLD_SIZE") or 1
        place.node = number(env, "GROUP_RANK") or 0
        return place
    pods = _pods(env)
    if pods and world != pods:
        if world % pods or world < pods:
            raise Fault(USAGE, f"`WORLD_SIZE={world}` contradicts `PET_NNODES={pods}`: not a multiple")
        place.spawn = world // pods
    return place


def pet(env: Env, gpus: int | None = None) -> Place | None:
    """PET_* alone: TrainJob, which leaves RANK and WORLD_SIZE to torchrun."""
    pods = _pods(env)
    if pods is None:
        return None
    node = number(env, "PET_NODE_RANK")
    if pods > 1 and (node is None or "PET_MASTER_ADDR" not in env):
        raise Fault(
            USAGE,
            f"`PET_NNODES={pods}`, but no `PET_NODE_RANK` and `PET_MASTER_ADDR`: needs torchrun with "
            "a rendezvous, or a Master in the PyTorchJob",
        )
    asked = env.get("PET_NPROC_PER_NODE", "1") or "1"
    if asked in {"auto", "gpu"}:
        each = max(1, visible_gpus(env) if gpus is None else gpus)
    elif asked == "cpu":
        each = os.cpu_count() or 1
    else:
        each = number(env, "PET_NPROC_PER_NODE") or 1
    place = Place(node or 0, pods * each, node=node or 0, source="PET_*")
    place.spawn = each if each > 1 else 0
    return place


def slurm(env: Env) -> Place | None:
    if "SLURM_PROCID" not in env or "SLURM_NTASKS" not in env:
        return None
    return Place(
        _need(env, "SLURM_PROCID"),
        _need(env, "SLURM_NTASKS"),
        number(env, "SLURM_LOCALID") or 0,
        number(env, "SLURM_NTASKS_PER_NODE") or 1,
        number(env, "SLURM_NODEID") or 0,
        source="Slurm",
        master=_first_host(env.get("SLURM_JOB_NODELIST", "")),
        port=DEFAULT_PORT,
        generation=env.get("SLURM_RESTART_COUNT", ""),
    )


def tfjob(env: Env) -> Place | None:
    """TF_CONFIG: chief (old word: master) is rank 0, then the workers; ps and evaluator have no place here."""
    if not env.get("TF_CONFIG"):
        return None
    try:
        config = json.loads(env["TF_CONFIG"])
        cluster, task = config["cluster"], config["task"]
        role, index = task["type"], int(task["index"])
        hosts = [host for kind in ("chief", "master", "worker") for host in cluster.get(kind, [])]
        before = sum(len(cluster.get(kind, [])) for kind in ("chief", "master") if kind != role)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Fault(USAGE, f"`TF_CONFIG` is not what a TFJob sets: {error!r}") from None
    if role not in {"chief", "master", "worker"}:
        raise Fault(USAGE, f"`TF_CONFIG` gives this pod the role `{role}`, which has no work here")
    rank = index + (before if role == "worker" else 0)
    master, _, port = hosts[0].rpartition(":")
    return Place(rank, len(hosts), node=rank, source="TFJob", master=master, port=int(port))


def msjob(env: Env) -> Place | None:
    """MS_*: no rank number; the index is the trailing number of the pod's name (ms-operator 1.0.0)."""
    if not env.get("MS_ROLE"):
        return None
    world = _need(env, "MS_WORKER_NUM")
    place = Place(0, world, source="MSJob", master=env.get("MS_SCHED_HOST", ""), port=_need(env, "MS_SCHED_PORT"))
    place.hosts_store = env["MS_ROLE"] == "MS_SCHED"
    if place.hosts_store:
        place.role = "scheduler"
        return place
    if env["MS_ROLE"] != "MS_WORKER":
        raise Fault(USAGE, f"`MS_ROLE={env['MS_ROLE']}` has no work here: only MS_WORKER and MS_SCHED do")
    index = re.search(r"(\d+)$", env.get("MS_NODE_ID", ""))
    if not index:
        raise Fault(USAGE, f"`MS_NODE_ID={env.get('MS_NODE_ID', '')}` does not end in a number")
    place.rank = place.node = int(index[1])
    return place


READERS: dict[str, Callable[[Env], Place | None]] = {
    "torchrun": torchrun,
    "mpi": mpi,
    "pytorchjob": pytorchjob,
    "pet": pet,
    "slurm": slurm,
    "tfjob": tfjob,
    "msjob": msjob,
}


def resolve(env: Env, launcher: str = "auto", spawn: bool = False, gpus: int | None = None) -> Place:
    """The place of this process. Contradictions do not raise: they come as `problem`, so that the peers can be told."""
    said = {
        name: env[name]
        for name in sorted(env)
        if re.match(
            r"(RANK|WORLD_SIZE|LOCAL_|GROUP_|MASTER_|PET_|OMPI_COMM|"
            r"PMIX?_(RANK|SIZE|NAMESPACE)|SLURM_(PROCID|NTASKS|LOCALID|NODEID|JOB_NODELIST)|TF_CONFIG|MS_|TORCHELASTIC_"
            r"(RUN_ID|RESTART))",
            name,
        )
    }
    problem: Fault | None = None
    found: list[Place] = []
    readers = dict(READERS) if launcher == "auto" else {launcher: READERS[launcher]} if launcher in READERS else {}
    readers["pet"] = lambda e: pet(e, gpus)
    if launcher not in {"auto", "pet"}:
        readers.pop("pet")
    for name, reader in readers.items():
        # RANK and PET_* come from one operator: pytorchjob() has read both. Under torchrun the operator's
        # values are expected to differ (they count pods) and are ignored.
        if (name == "pet" and any(place.source == "PyTorchJob" for place in found)) or (
            found and found[0].source == "torchrun"
        ):
            continue
        try:
            place = reader(env)
        except Fault as fault:
            problem, place = problem or fault, None
        if place is not None:
            found.append(place)
    if launcher != "auto" and not found and problem is None:
        problem = Fault(USAGE, f"`--launcher={launcher}`, but its variables are not set")
    place = found[0] if found else Place()
    for other in found[1:]:
        if (other.rank, other.world) != (place.rank, place.world) and problem is None:
            problem = Fault(
                USAGE,
                f"{place.source} says rank {place.rank} of {place.world}, {other.source} says rank "
                f"{other.rank} of {other.world}",
                (),
                "name the right one with `--launcher`",
            )
    place.said, place.problem = said, problem
    _address(place, env)
    _processes(place, env, spawn)
    place.generation = env.get("TRAINER_GENERATION", place.generation)
    if place.problem is None and place.role == "worker" and not 0 <= place.rank < place.world:
        place.problem = Fault(USAGE, f"rank {place.rank} contradicts world size {place.world} ({place.source})")
    return place


def _address(place: Place, env: Env) -> None:
    agent = place.source == "torchrun" and env.get("TORCHELASTIC_USE_AGENT_STORE") == "True"
    place.store_elsewhere = agent or place.source == "MSJob"
    place.hosts_store = place.role == "scheduler" or (place.rank == 0 and not place.store_elsewhere)
    if place.source in {"MSJob", "TFJob"} and place.port:
        return
    if place.source in {"single process"} or (place.world == 1 and not {"MASTER_ADDR", "PET_MASTER_ADDR"} & set(env)):
        place.master, place.port = "127.0.0.1", 0
        return
    master = env.get("MASTER_ADDR") or env.get("PET_MASTER_ADDR") or ("" if place.source != "Slurm" else place.master)
    place.master = master
    try:
        place.port = number(env, "MASTER_PORT") or number(env, "PET_MASTER_PORT") or DEFAULT_PORT
    except Fault as fault:
        place.port, place.problem = DEFAULT_PORT, place.problem or fault
    if not master and place.source != "MPI" and place.problem is None:
        place.problem = Fault(
            USAGE, f"rank {place.rank} of {place.world} ({place.source}), but `MASTER_ADDR` is not set"
        )


def _processes(place: Place, env: Env, spawn: bool) -> None:
    each, place.spawn = place.spawn, 0
    if each <= 1 or place.problem is not None:
        return
    if spawn:
        place.spawn = each
        return
    pods = place.world // each
    place.problem = Fault(
        USAGE,
        f"`WORLD_SIZE={place.world}` counts {pods} pods x {each} processes, but this pod started one",
        (),
        "start it with torchrun, or give `--spawn`",
    )


def _pods(env: Env) -> int | None:
    text = env.get("PET_NNODES", "")
    if ":" in text:
        low, high = text.split(":", 1)
        if low != high:
            raise Fault(USAGE, f"`PET_NNODES={text}` is an elastic range: needs torchrun")
        text = low
    if text and not re.fullmatch(r"\d+", text):
        raise Fault(USAGE, f"`PET_NNODES={text}` is not a whole number")
    return int(text) if text else None


def _need(env: Env, name: str) -> int:
    value = number(env, name)
    if value is None:
        other = {"RANK": "WORLD_SIZE", "WORLD_SIZE": "RANK"}.get(name, "")
        raise Fault(
            USAGE,
            f"`{other}={env.get(other, '')}` is set, but `{name}` is not" if other in env else f"`{name}` is not set",
        )
    return value


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _first_host(nodes: str) -> str:
    """`gpu[07-09,12],cpu1` -> `gpu07` (the compressed list of Slurm)."""
    match = re.match(r"([^\[,]+)(?:\[(\d+))?", nodes)
    return (match[1] + (match[2] or "")) if match else ""
