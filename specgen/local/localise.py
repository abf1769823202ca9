"""All pods of a job as processes of this machine."""

from __future__ import annotations

from specgen.diagnostics.model import listed, plural
from specgen.local.addresses import Addresses
from specgen.local.codes import NOT_HERE
from specgen.local.differences import differences
from specgen.local.model import Local
from specgen.local.pod import MADE_UP, LocalPod
from specgen.manifest.origins import located
from specgen.manifest.views import mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.local.model import Machine, Wish
    from specgen.operators.expansion import Expansion
    from specgen.plan.model import Plan

_LAUNCHED = ("mpirun", "mpiexec", "horovodrun", "mpiexec.hydra")


def localise(
    plan: Plan, expansion: Expansion, carried: dict[str, dict[str, str]], machine: Machine, wish: Wish, shift: int = 0
) -> tuple[Local, list[Finding]]:
    """The processes of a job's pods. ``carried``: ConfigMap → its files, for those that stand beside the job.

    ``shift`` is added to every port, so that two jobs can run at once.
    """
    local = Local()
    findings: list[Finding] = []
    roles = {role.name.lower(): role for role in plan.roles}
    launched = any(role.word == plan.kind.launcher for role in plan.roles)
    # by their names without the end that a Job's controller makes up, as DNS knows them
    names = [str(mapping(pod.get("metadata")).get("name")).removesuffix(MADE_UP) for pod in expansion.pods]
    addresses = Addresses(names, shift)
    instances = {instance.pod: instance for instance in expansion.instances}
    found: list[Finding] | None = None
    if launched:
        from specgen.local.ranks import ranks as of_launcher  # most jobs have none

        found = of_launcher(plan, expansion, carried, machine, wish, addresses, local)
    findings += found or []
    for index, pod in enumerate(expansion.pods if found is None else []):
        name = str(pod["metadata"]["name"])
        role = roles.get(instances[name].role.lower()) if name in instances else None
        if role is None:
            continue
        if launched and role.word != plan.kind.launcher:
            local.note("mpirun starts the ranks of all pods on this machine")
            continue
        one = LocalPod(plan, role, pod, index, machine, wish, addresses, local)
        process, wrong = one.process(carried)
        findings += [finding for finding in wrong if finding.message not in [other.message for other in findings]]
        if process is not None:
            ranks = instances[name].ranks
            if ranks is not None and ranks[0] == ranks[1] and not launched:
                process.prefix += f" rank {ranks[0]}"
            local.processes.append(process)
    for there, here in wish.maps:
        mounts = [mount.path for role in plan.roles for mount in role.mounts]
        # a program may find by itself what is mounted
        if there not in local.mapped and not any(_beside(there, path) for path in mounts):
            local.note(f"`--map {there}={here}` changes nothing: the job names nothing there, and mounts nothing")
        elif not machine.exists(here):
            local.note(f"`--map {there}={here}`: there is no `{here}` on this machine")
    if launched and (found is None or any(process.prefix == "mpirun" for process in local.processes)):
        _hosts(local, plan, machine)
    if machine.gpus and plan.world.size > machine.gpus and any(role.devices.gpu for role in plan.roles):
        place = located(plan.world.pods_place)
        helps = ["ask for fewer with `--pods` and `--procs`"]
        message = (
            f"{plural(plan.world.size, 'process')} need a GPU each, and this machine has {plural(machine.gpus, 'GPU')}"
        )
        findings.append(NOT_HERE.at(place, message, helps=helps))
    for text in differences(plan, expansion.lifecycle, machine, wish):
        local.note(text)
    return local, findings


def _beside(one: str, other: str) -> bool:
    """Whether one path is the other, or lies below it."""
    first, second = one.rstrip("/") + "/", other.rstrip("/") + "/"
    return first.startswith(second) or second.startswith(first)


def _hosts(local: Local, plan: Plan, machine: Machine) -> None:
    """mpirun finds this machine as its only host, with room for all ranks."""
    path = f"{machine.scratch}/hostfile"
    local.files[path] = f"localhost slots={plan.world.size}\n"
    for process in local.processes:
        for name in [name for name in process.env if name.startswith(("OMPI_MCA_plm_", "PRTE_MCA_plm_"))]:
            del process.env[name]
        # the names of Open MPI up to 4, then those of 5, which hands its launching to PRRTE
        process.env.update(
            OMPI_MCA_orte_default_hostfile=path,
            OMPI_MCA_rmaps_base_oversubscribe="1",
            OMPI_MCA_hwloc_base_binding_policy="none",
            PRTE_MCA_prte_default_hostfile=path,
            PRTE_MCA_hwloc_default_binding_policy="none",
            OMPI_ALLOW_RUN_AS_ROOT="1",
            OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
        )
        if process.argv[0].rpartition("/")[2] not in _LAUNCHED:
            local.note(f"{listed([process.argv[0]])} is expected to call mpirun itself")
