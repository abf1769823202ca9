"""The ranks of a job with a launcher: in the worker pods' folders and environment, with or without an mpirun here.

Which rank is of which pod follows from the operator's host file, as `specgen.operators.mpi.mpirun` reads it. Where this
machine has mpirun, it starts them as one job of MPI; elsewhere each is a process with the variables by which Open MPI,
MPICH and Intel MPI number theirs (Open MPI 4.1, mpirun(1), "Environment Variables"; MPICH 4, Hydra).
"""

from __future__ import annotations

from specgen.local.addresses import HERE
from specgen.local.model import Process
from specgen.local.pod import LocalPod
from specgen.manifest.views import mapping, sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.local.addresses import Addresses
    from specgen.local.model import Local, Machine, Wish
    from specgen.operators.expansion import Expansion
    from specgen.plan.model import Plan
    from specgen.plan.pods import RolePlan

# Read by mpirun, which hands them on; of the launcher's own these are the ones that reach a rank on another pod.
_OF_MPIRUN = ("OMPI_", "PRTE_", "I_MPI_", "HYDRA_")
_PORT = 29500


def ranks(
    plan: Plan,
    expansion: Expansion,
    carried: dict[str, dict[str, str]],
    machine: Machine,
    wish: Wish,
    addresses: Addresses,
    local: Local,
) -> list[Finding] | None:
    """Puts the ranks into ``local``; what this machine lacks. None: nothing tells which ranks mpirun would start."""
    roles = {role.name.lower(): role for role in plan.roles}
    launcher = next((role for role in plan.roles if role.word == plan.kind.launcher), None)
    hosts = [
        (pod, one.ranks, roles[one.role.lower()])
        for pod, one in zip(expansion.pods, expansion.instances, strict=True)
        if one.ranks is not None and one.role.lower() in roles
    ]
    hosts.sort(key=lambda host: host[1][0])
    first = next(
        (pod for pod, one in zip(expansion.pods, expansion.instances, strict=True) if _is(one, launcher)), None
    )
    if launcher is None or first is None or launcher.program is None or plan.world.starter != "mpirun":
        return None
    if sum(last - low + 1 for _, (low, last), _ in hosts) != plan.world.size:
        return None
    line = _main(first, launcher)
    mpirun = next((str(word) for word in _words(line) if str(word).rpartition("/")[2] in ("mpirun", "mpiexec")), "")
    findings: list[Finding] = []
    started: list[Process] = []
    for number, (pod, (low, last), role) in enumerate(hosts):
        main = _rank(plan, launcher, line, _main(pod, role), own=pod is first or expansion.operator != "mpi-operator")
        one = LocalPod(plan, role, pod, number, machine, wish, addresses, local, launcher, main)
        process, wrong = one.process(carried)
        findings += [finding for finding in wrong if finding.message not in [other.message for other in findings]]
        if process is None:
            continue
        for rank in range(low, last + 1):
            of_rank = Process(f"{process.prefix} rank {rank}", process.argv, dict(process.env), process.folder)
            of_rank.before = process.before if rank == low else []
            of_rank.env.update(_numbers(rank, plan.world.size, rank - low, last - low + 1))
            started.append(of_rank)
    found = machine.program(dict(wish.maps).get(mpirun, mpirun)) if mpirun else None
    if found is not None:
        local.mapped.update(dict.fromkeys([mpirun]))
        local.note("mpirun of this machine starts all ranks here; its options for the cluster's hosts are left out")
        started = [_together(found, started, plan.world.procs_per_pod)]
        started[0].prefix = "mpirun"
    else:
        what = f"`{mpirun or 'mpirun'}` is not here"
        local.note(f"{what}: the ranks start by themselves, and MPI_Init would find each of them alone")
        _meet(started, local, addresses)
    local.processes += started
    return findings


def _is(one: Any, launcher: RolePlan | None) -> bool:
    return launcher is not None and one.role.lower() == launcher.name.lower()


def _main(pod: dict[str, Any], role: RolePlan) -> dict[str, Any]:
    """The container of the pod that trains, or starts what trains: the first one of all kinds with a launcher."""
    containers = [mapping(one) for one in sequence(mapping(pod.get("spec")).get("containers"))]
    said = role.command.value if role.command is not None else None
    return next((one for one in containers if said and one.get("command") == said), containers[0] if containers else {})


def _words(container: dict[str, Any]) -> list[Any]:
    return [*sequence(container.get("command")), *sequence(container.get("args"))]


def _rank(plan: Plan, launcher: RolePlan, line: dict[str, Any], worker: dict[str, Any], *, own: bool) -> dict[str, Any]:
    """A container that runs what mpirun would: the job's own words, and the variables that reach it on its pod.

    ``own``: whether the variables of the pod's container do, too: in mpirun's own pod, and by an agent's ``kubectl
    exec``; what sshd starts does not get them.
    """
    names = {piece.partition("=")[0] for word in _words(line) for piece in str(word).split(",")}
    env = {one["name"]: one for one in sequence(worker.get("env"))} if own else {}
    env = {name: one for name, one in env.items() if name in launcher.env or not name.startswith(_OF_MPIRUN)}
    for one in sequence(line.get("env")):
        if one["name"] in launcher.env and (one["name"] in names or one["name"].startswith(_OF_MPIRUN)):
            env[one["name"]] = one
    assert launcher.program is not None
    words = [*launcher.program.value, *(launcher.args.value if launcher.args is not None else [])]
    return {"command": words, "env": list(env.values()), "workingDir": line.get("workingDir")}


def _numbers(rank: int, world: int, local_rank: int, each: int) -> dict[str, str]:
    """What tells a rank which one it is, by the names of Open MPI and of the family of MPICH."""
    values = {"RANK": rank, "SIZE": world, "LOCAL_RANK": local_rank, "LOCAL_SIZE": each}
    env = {f"OMPI_COMM_WORLD_{name}": str(value) for name, value in values.items()}
    env.update(PMI_RANK=str(rank), PMI_SIZE=str(world), MPI_LOCALRANKID=str(local_rank), MPI_LOCALNRANKS=str(each))
    return env


def _meet(started: list[Process], local: Local, addresses: Addresses) -> None:
    """Without MPI the ranks have no way to tell each other where they meet."""
    lack = [one for one in started if "MASTER_ADDR" not in one.env]
    for one in lack:
        one.env.update(MASTER_ADDR=HERE, MASTER_PORT=str(_PORT + addresses.shift))
    if lack:
        local.note("`MASTER_ADDR` and `MASTER_PORT` are given to the ranks, which get none from mpirun on the cluster")


def _together(mpirun: str, started: list[Process], each: int) -> Process:
    """One job of MPI, with a program for each pod: they differ by their folders (mpirun(1), "MPMD")."""
    common = {
        name: value
        for name, value in started[0].env.items()
        if all(one.env.get(name) == value for one in started) and not name.startswith(("OMPI_COMM_", "PMI_"))
    }
    argv = [mpirun]
    of_ranks = _numbers(0, 0, 0, 0)
    for one in started[::each]:
        differ = [f"{name}={value}" for name, value in one.env.items() if name not in common and name not in of_ranks]
        argv += [":"] if len(argv) > 1 else []
        argv += ["-n", str(each), *(["/usr/bin/env", *differ] if differ else []), *one.argv]
    process = Process("", argv, {name: value for name, value in common.items() if name not in of_ranks}, None)
    process.folder = started[0].folder
    process.before = [line for one in started for line in one.before]
    return process
