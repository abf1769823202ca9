"""Which variables the launcher has, which travel to the ranks, and which stay in the workers' containers."""

from __future__ import annotations

from specgen.diagnostics.model import KEY, NOTE, Place
from specgen.plan.codes import OPERATOR_SETS_IT
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.plan.draft import RoleDraft
    from specgen.plan.kind import Mpi
    from specgen.plan.model import World
    from specgen.profile.start import StartChoice

# Read by mpirun itself, which hands them on.
_OF_THE_LAUNCHER = ("OMPI_", "PRTE_", "I_MPI_", "HYDRA_")
# Read by the container runtime of a node.
_OF_THE_NODE = ("NVIDIA_",)
# The options of ssh: the mpi-operator and Trainer append their own value (facts: mpi-operator 0.8, Trainer 2.3).
_OF_SSH = {
    "OMPI_MCA_plm_rsh_args": "OpenMPI",
    "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS": "Intel",
    "HYDRA_LAUNCH_EXTRA_ARGS": "MPICH",
}
FORWARDED = ("PATH", "LD_LIBRARY_PATH")


def share(
    launcher: RoleDraft, worker: RoleDraft | None, mpi: Mpi, count: World, start: StartChoice, kept: list[str]
) -> tuple[list[str], list[Finding]]:
    """Gives both roles what they need; (names that travel, in order, findings).

    mpirun takes a variable by its name and its value from the launcher's environment, so that no value, and no secret,
    stands in a command line. ``kept``: names that the fabric adds to the workers' containers alone.
    """
    findings = _of_ssh([role for role in (launcher, worker) if role is not None], mpi)
    lined = count.starter in ("mpirun", "horovodrun")
    names = list(FORWARDED if start.forward is None else start.forward)
    training = worker or launcher
    kept = [*kept, *(start.keep or ())]
    staying = [name for name in training.env if name in kept or _by_role(launcher, worker, name)]
    findings += _nothing_to_keep(training, start)
    for name in list(training.env):
        if name.startswith(_OF_THE_NODE) or name in staying:
            continue
        if lined and _of_one_pod(training, name):
            findings += _of_the_pod(training, mpi, name)
            continue
        findings += (
            _lend(launcher, training, name, carried=lined and mpi.agent is None) if training is not launcher else []
        )
        if not name.startswith(_OF_THE_LAUNCHER) and name in launcher.env and name not in names:
            names.append(name)
    if launcher.profile.starts:
        own = _written(launcher)
        launcher.env = {
            name: said for name, said in launcher.env.items() if name in own or not name.startswith(_OF_THE_NODE)
        }
    if worker is not None:
        _keep(worker, mpi, lined, staying)
    if lined and mpi.agent is None and count.starter == "mpirun":
        findings += _unnamed(training, [name for name in names if name not in FORWARDED and name not in training.env])
    return names, findings


def _written(role: RoleDraft) -> dict[str, object]:
    """The variables that the role writes itself."""
    words = (role.profile.job.layers.data.get("roles") or {}).get(role.word) or {}
    return words.get("env") or {}


def _by_role(launcher: RoleDraft, worker: RoleDraft | None, name: str) -> bool:
    """Whether both roles say a variable themselves, each another value: it is of the containers then."""
    if worker is None or name not in _written(launcher) or name not in _written(worker):
        return False
    return bool(launcher.env[name].value != worker.env[name].value)


def _nothing_to_keep(role: RoleDraft, start: StartChoice) -> list[Finding]:
    """SG207: what `keep` names and nobody sets, or what is to travel as well."""
    findings = []
    for index, name in enumerate(start.keep or ()):
        place = role.profile.job.place(("start", "keep", index))
        if name in (start.forward or ()):
            findings.append(codes.CONTRADICTION.at(place, f"`keep: {name}` contradicts `forward`, by which it travels"))
        elif name not in role.env:
            findings.append(codes.CONTRADICTION.at(place, f"`keep` names `{name}`, which no `env` sets"))
    return findings


def _lend(launcher: RoleDraft, worker: RoleDraft, name: str, *, carried: bool) -> list[Finding]:
    """The launcher has the workers' value of a variable, unless it takes the variable away.

    ``carried``: the processes have it from the launcher, by mpirun.
    """
    said = worker.env[name]
    own = _written(launcher)
    if name in own:
        if launcher.env[name].value == said.value or name.startswith(_OF_THE_LAUNCHER):
            return []
        message = f"`{name}` of the launcher contradicts that of the workers, whose processes get it from the launcher"
        related = [(said.place, "the workers' value")] if said.place is not None else []
        helps = [f"`start: {{keep: [{name}]}}`, or `roles.worker.env` beside it, leaves each container its own"]
        return [codes.CONTRADICTION.at(launcher.profile.place(("env", name)), message, related=related, helps=helps)]
    launcher.profile.removed(("env", name))
    job = launcher.profile.job
    taken = ("roles", launcher.word, "env", name)
    if taken not in job.layers.removals:
        launcher.env[name] = said
    elif carried and not name.startswith(_OF_THE_LAUNCHER):
        at = job.layers.removals[taken][0]
        message = f"`{name}: null` takes the variable from every process: mpirun hands on what the launcher has"
        related = [(said.place, "meant for the processes")] if said.place is not None else []
        place = Place(at.path, KEY, where=at.document)
        return [codes.CONTRADICTION.at(place, message, related=related)]
    return []


def _of_one_pod(role: RoleDraft, name: str) -> bool:
    """Whether the value differs by pod."""
    source = role.env[name].value.get("valueFrom") or {}
    return "fieldRef" in source or "resourceFieldRef" in source


def _of_the_pod(role: RoleDraft, mpi: Mpi, name: str) -> list[Finding]:
    """SG208 where the launcher's own value would travel; what an agent starts has the value of its pod anyway."""
    if mpi.agent is not None:
        return []
    message = f"`{name}` is of each pod, and every process would get the launcher's: sshd starts them without the pod's"
    return [codes.NOT_FOR_TARGET.at(role.profile.place(("env", name), KEY), message)]


def _keep(worker: RoleDraft, mpi: Mpi, lined: bool, staying: list[str]) -> None:
    """What the worker's container has: variables that reach nobody there are left out."""
    if not lined:
        return
    seen = mpi.agent is not None or bool(worker.profile.words.prepare)
    worker.env = {
        name: said
        for name, said in worker.env.items()
        if name.startswith(_OF_THE_NODE) or name in staying or (seen and not name.startswith(_OF_THE_LAUNCHER))
    }


def _of_ssh(roles: list[RoleDraft], mpi: Mpi) -> list[Finding]:
    findings = []
    seen: list[object] = []
    for role in roles:
        for name in _OF_SSH:
            if name not in role.env or role.env[name].place in seen:
                continue
            seen.append(role.env[name].place)
            place = role.profile.place(("env", name), KEY)
            if mpi.agent is None:
                message = f"the operator sets `{name}` itself"
                helps = ["`start.ssh.client` takes options of ssh, and keeps the operator's"]
            else:
                message = f"`{name}` holds options of ssh, and `{mpi.agent}` takes none"
                helps = []
            findings.append(OPERATOR_SETS_IT.at(place, message, helps=helps))
    return findings


def _unnamed(role: RoleDraft, forwarded: list[str]) -> list[Finding]:
    """A note for each entry of ``envFrom``: mpirun carries variables by name, and nobody knows theirs.

    forwarded: names that travel and that no ``env`` sets: they may be those of an entry.
    """
    findings = []
    for index, source in enumerate(role.profile.words.env_from):
        if any(name.startswith(source.prefix or "") for name in forwarded):
            continue
        name = source.secret or source.config_map
        message = f"the variables of `{name}` reach mpirun and not the processes that sshd starts"
        helps = ["`start: {forward: [PATH, LD_LIBRARY_PATH, …]}` names those of them that travel"]
        place = role.profile.place(("envFrom", index))
        findings.append(codes.NOT_FOR_TARGET.at(place, message, helps=helps, severity=NOTE))
    return findings
