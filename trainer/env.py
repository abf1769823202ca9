"""Rank, world size and master address of this process, from the variables of its launcher. No torch here."""

from __future__ import annotations

import glob
import json
import os
import re
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from trainer.faults import USAGE, Fault

Env = Mapping[str, str]
DEFAULT_PORT = 29500
# Every variable that is looked at, here and later; what is set of them goes to run.json.
READ = """
RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE GROUP_RANK MASTER_ADDR MASTER_PORT
PET_NNODES PET_NODE_RANK PET_NPROC_PER_NODE PET_MASTER_ADDR PET_MASTER_PORT
TORCHELASTIC_RUN_ID TORCHELASTIC_RESTART_COUNT TORCHELASTIC_USE_AGENT_STORE
OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_LOCAL_RANK OMPI_COMM_WORLD_LOCAL_SIZE
PMIX_RANK PMIX_SIZE PMIX_NAMESPACE PMI_RANK PMI_SIZE MPI_LOCALRANKID MPI_LOCALNRANKS
TF_CONFIG MS_ROLE MS_WORKER_NUM MS_NODE_ID MS_SCHED_HOST MS_SCHED_PORT
CUDA_VISIBLE_DEVICES LD_PRELOAD NCCL_IB_HCA GLOO_SOCKET_IFNAME NODE_NAME
"""
# Launchers that number every process: rank, world size, local rank, local size, node. Of the MPIs, Open MPI comes
# first, then PMIx, then PMI-1 (MPICH, Intel MPI): an implementation may set two of them.
NUMBERED = {
    "torchrun": ("RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE GROUP_RANK",),
    "MPI": (
        "OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_LOCAL_RANK OMPI_COMM_WORLD_LOCAL_SIZE -",
        "PMIX_RANK PMIX_SIZE PMIX_LOCAL_RANK PMIX_LOCAL_SIZE -",
        "PMI_RANK PMI_SIZE MPI_LOCALRANKID MPI_LOCALNRANKS -",
    ),
    "PyTorchJob": ("RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE GROUP_RANK",),
}


@dataclass
class Place:
    """One process of the job, as the launcher's variables place it."""

    rank: int = 0
    world: int = 1  # processes of the job
    local_rank: int = 0  # among the processes of this pod
    local_world: int = 1  # processes of this pod
    node: int = 0  # number of this pod
    source: str = "single process"  # whose variables said so, for messages
    master: str = ""  # host of the store, empty where nobody has said it yet
    port: int = 0  # of the store, 0 = a free one
    role: str = "worker"  # or "scheduler": MSJob only, hosts the store and has no rank
    hosts_store: bool = True
    store_elsewhere: bool = False  # not at rank 0: the MSJob scheduler's, or the one torchrun's agent keeps
    spawn: int = 0  # processes this pod must start itself, 0 = none
    restarts: str = "0"  # of all processes around one store, which torchrun's agent keeps from attempt to attempt
    problem: Fault | None = None  # what is wrong here, kept until the other ranks can be told
    said: dict[str, str] = field(default_factory=dict)  # the variables that were read, for messages and the log


def whole(env: Env, name: str, missing: int | None = None) -> int:
    """A whole number. Raises Fault(64), also where there is none and nothing stands in for it."""
    text = env.get(name, "").strip()
    if not text and missing is not None:
        return missing
    if not re.fullmatch(r"-?\d+", text):
        raise Fault(USAGE, f"`{name}={text}` is not a whole number" if text else f"`{name}` is not set")
    return int(text)


def numbered(env: Env, source: str) -> Place | None:
    """The place by the first of the launcher's sets of variables that is there."""
    for names in NUMBERED[source]:
        rank, world, local, local_world, node = names.split()
        if rank in env or world in env:
            for one, other in ((rank, world), (world, rank)):
                if other not in env:
                    raise Fault(USAGE, f"`{one}={env[one]}` is set, but `{other}` is not")
            place = Place(whole(env, rank), whole(env, world), whole(env, local, 0), whole(env, local_world, 1))
            return replace(place, node=whole(env, node, 0), source=source)
    return None


def torchrun(env: Env) -> Place | None:
    place = numbered(env, "torchrun") if {"TORCHELASTIC_RUN_ID", "LOCAL_RANK"} <= set(env) else None
    return place and replace(place, restarts=env.get("TORCHELASTIC_RESTART_COUNT", "0"))


def mpi(env: Env) -> Place | None:
    return numbered(env, "MPI")


def pytorchjob(env: Env) -> Place | None:
    """RANK and WORLD_SIZE as the operator or a person sets them; the operator's RANK is the pod's.

    training-operator 1.7 and later: WORLD_SIZE = pods x nprocPerNode (pkg/controller.v1/pytorch/envvar.go).
    """
    place, pods = numbered(env, "PyTorchJob"), pods_of(env)
    if place and "LOCAL_RANK" not in env:
        place.node = place.rank
        if pods and (place.world % pods or place.world < pods):
            raise Fault(USAGE, f"`WORLD_SIZE={place.world}` contradicts `PET_NNODES={pods}`: not a multiple")
        place.spawn = place.world // pods if pods else 0
    return place


def pet(env: Env) -> Place | None:
    """PET_* alone: TrainJob, which leaves RANK and WORLD_SIZE to torchrun."""
    pods, asked, node = pods_of(env), env.get("PET_NPROC_PER_NODE", ""), whole(env, "PET_NODE_RANK", 0)
    if not pods:
        return None
    if pods > 1 and not {"PET_NODE_RANK", "PET_MASTER_ADDR"} <= set(env):
        text = f"`PET_NNODES={pods}`, but no `PET_NODE_RANK` and `PET_MASTER_ADDR`"
        raise Fault(USAGE, f"{text}: needs torchrun with a rendezvous, or a Master in the PyTorchJob")
    if asked in {"auto", "gpu", "cpu"}:
        each = max(1, visible_gpus(env)) if asked != "cpu" else os.cpu_count() or 1
    else:
        each = whole(env, "PET_NPROC_PER_NODE", 1)
    return Place(node, pods * each, node=node, source="PET_*", spawn=each)


def tfjob(env: Env) -> Place | None:
    """TF_CONFIG: chief (old word: master) is rank 0, then the workers; ps and evaluator have no place here."""
    if not env.get("TF_CONFIG"):
        return None
    try:
        config = json.loads(env["TF_CONFIG"])
        role, index = config["task"]["type"], int(config["task"]["index"])
        if role not in {"chief", "master", "worker"}:
            raise Fault(USAGE, f"`TF_CONFIG` gives this pod the role `{role}`, which has no work here")
        hosts = [(kind, host) for kind in ("chief", "master", "worker") for host in config["cluster"].get(kind, [])]
        rank = [number for number, (kind, _) in enumerate(hosts) if kind == role][index]
        master, _, port = hosts[0][1].rpartition(":")
        return Place(rank, len(hosts), node=rank, source="TFJob", master=master, port=int(port))
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise Fault(USAGE, f"`TF_CONFIG` is not what a TFJob sets: {error!r}") from None


def msjob(env: Env) -> Place | None:
    """MS_*: no rank number; the index is the trailing number of the pod's name (ms-operator 1.0.0)."""
    role, index = env.get("MS_ROLE"), re.search(r"\d+$", env.get("MS_NODE_ID", ""))
    if not role:
        return None
    if role not in {"MS_SCHED", "MS_WORKER"}:
        raise Fault(USAGE, f"`MS_ROLE={role}` has no work here: only MS_WORKER and MS_SCHED do")
    if role == "MS_WORKER" and not index:
        raise Fault(USAGE, f"`MS_NODE_ID={env.get('MS_NODE_ID', '')}` does not end in a number")
    place = Place(0, whole(env, "MS_WORKER_NUM"), source="MSJob", role="scheduler")
    place.master, place.port = env.get("MS_SCHED_HOST", ""), whole(env, "MS_SCHED_PORT")
    if role == "MS_WORKER" and index:
        place.rank = place.node = int(index[0])
        place.role = "worker"
    return place


READERS: dict[str, Callable[[Env], Place | None]] = {
    reader.__name__: reader for reader in (torchrun, mpi, pytorchjob, pet, tfjob, msjob)
}


def resolve(env: Env, launcher: str = "auto", spawn: int = -1) -> Place:
    """The place of this process. Contradictions do not raise: they come as ``problem``, so that the peers can be told.

    All sources are read, and two that disagree are a problem. But RANK and PET_* come from one operator, and under
    torchrun the operator's values are expected to differ (they count pods).
    """
    faults: list[Fault] = []
    found: list[Place] = []
    for name in READERS if launcher == "auto" else [launcher]:
        known = [place.source for place in found]
        if "torchrun" not in known and not (name == "pet" and "PyTorchJob" in known):
            try:
                found += filter(None, [READERS[name](env)])
            except Fault as fault:
                faults.append(fault)
    if launcher != "auto" and not found:
        faults.append(Fault(USAGE, f"`--launcher={launcher}`, but its variables are not set"))
    place = found[0] if found else Place()
    for other in found[1:]:
        if (other.rank, other.world) != (place.rank, place.world):
            text = f"{place.source} says rank {place.rank} of {place.world}, {other.source} says rank "
            remedy = "name the right one with `--launcher`"
            faults.append(Fault(USAGE, f"{text}{other.rank} of {other.world}", (), remedy))
    place.said = {name: env[name] for name in sorted(READ.split()) if name in env}
    try:
        _address(place, env)
        _processes(place, spawn)
        if place.role == "worker" and not 0 <= place.rank < place.world:
            text = f"rank {place.rank} contradicts world size {place.world} ({place.source})"
            raise Fault(USAGE, text)
    except Fault as fault:
        faults.append(fault)
    place.problem = faults[0] if faults else None
    return place


def _address(place: Place, env: Env) -> None:
    agent = place.source == "torchrun" and env.get("TORCHELASTIC_USE_AGENT_STORE") == "True"
    place.store_elsewhere = agent or place.source == "MSJob"
    place.hosts_store = place.role == "scheduler" or (place.rank == 0 and not place.store_elsewhere)
    given = env.get("MASTER_ADDR") or env.get("PET_MASTER_ADDR") or ""
    if place.source == "single process" or (place.world == 1 and not given and not place.port):
        place.master, place.port = "127.0.0.1", 0
    elif place.source not in {"MSJob", "TFJob"}:
        place.master, place.port = given or place.master, DEFAULT_PORT
        place.port = whole(env, "MASTER_PORT", 0) or whole(env, "PET_MASTER_PORT", DEFAULT_PORT)
        if not place.master and place.source != "MPI":
            raise Fault(USAGE, f"rank {place.rank} of {place.world} ({place.source}), but `MASTER_ADDR` is not set")


def _processes(place: Place, spawn: int) -> None:
    """``--spawn``: -1 none, 0 as many as the environment counts, N on one machine or where the environment agrees."""
    each = place.spawn
    place.spawn = each if each > 1 and spawn >= 0 else 0
    if spawn > 0 and place.world == 1:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            place.port = probe.getsockname()[1]
        place.world, place.spawn, place.source = spawn, spawn, "--spawn"
    elif spawn > 0 and spawn != max(each, 1):
        raise Fault(USAGE, f"`--spawn={spawn}` contradicts {max(each, 1)} processes per pod ({place.source})")
    elif each > 1 and spawn < 0:
        text = f"`WORLD_SIZE={place.world}` counts {place.world // each} pods x {each} processes"
        remedy = "start it with torchrun, or give `--spawn`"
        raise Fault(USAGE, f"{text}, but this pod started one", (), remedy)


def pods_of(env: Env) -> int:
    """Pods by PET_NNODES, 0 where it is not set."""
    low, _, high = env.get("PET_NNODES", "").partition(":")
    if high and low != high:
        raise Fault(USAGE, f"`PET_NNODES={low}:{high}` is an elastic range: needs torchrun")
    return whole({"PET_NNODES": low}, "PET_NNODES", 0)


def visible_gpus(env: Env) -> int:
    """GPUs this process can see, without loading CUDA: the visible-devices list, else the device files."""
    listed = env.get("CUDA_VISIBLE_DEVICES")
    if listed is not None:
        return len([part for part in listed.split(",") if part.strip() not in {"", "-1", "NoDevFiles"}])
    return len([path for path in glob.glob("/dev/nvidia*") if re.fullmatch(r"/dev/nvidia\d+", path)])
