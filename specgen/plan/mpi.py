"""A launcher and its workers: who runs which command, with which variables, and who waits for whom.

Loaded for kinds with a launcher. ``mpi_line`` writes the starter's line, ``mpi_env`` shares the variables, ``mpi_ssh``
knows sshd, ssh and the loop in which a launcher waits; what differs between operators is ``kind.Mpi``.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, has_errors, listed
from specgen.manifest.origins import Sourced
from specgen.plan import mpi_line, mpi_ssh
from specgen.plan.mpi_env import share
from specgen.plan.network import may_run_trainer
from specgen.plan.pods import MountPoint
from specgen.plan.world import by_hand, shell, through_entrypoint
from specgen.profile import codes
from specgen.profile.library import installed
from specgen.schema.record import plain, record
from specgen.tables import job as job_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.plan.draft import JobDraft, RoleDraft
    from specgen.plan.kind import Kind, Mpi
    from specgen.plan.model import World
    from specgen.profile.resolve import ResolvedJob
    from specgen.profile.start import StartChoice

# Words of `start` that stand in a starter's line, and the starters and implementations that have them.
_OF_A_LINE = ("bind", "mapBy", "hostfile", "forward", "keep")


def start_words(job: ResolvedJob, starter: str) -> StartChoice:
    """The words of ``start``, also where it is a word alone or nothing."""
    start = job.job.start
    if start is None or isinstance(start, str):
        found: StartChoice = record({"by": starter}, "StartChoice", job_table.RECORDS)
        return found
    return start


def launch(draft: JobDraft) -> list[Finding]:
    """Fills command, arguments and environment of launcher and workers; the launcher may be the only pod.

    For roles whose devices, network and mounts are planned. Findings: words that contradict each other or the kind.
    """
    job, kind, version, roles, count = draft.job, draft.kind, draft.version, draft.roles, draft.world
    launcher = next(role for role in roles if role.word == kind.launcher)
    worker = next((role for role in roles if role.word == kind.worker), None)
    mpi = draft.target.mpi(version, launcher, count.pods)
    start = start_words(job, count.starter)
    staying, findings = _by_role(launcher, worker)
    findings += _words(job, kind, mpi, version, start, count) + _launcher(kind, mpi, launcher)
    added = _added(mpi, start)
    findings += mpi_ssh.checks(job, start, mpi, count.starter) + _mounts(kind, added, launcher)
    own = worker is not None and own_command(worker) is not None
    if worker is not None:
        findings += mpi_ssh.readable(job, worker, mpi, start, own_command=own) + _arguments(worker)
        findings += _mounts(kind, [mount for mount in added if mount[1] == _keys(mpi, start)], worker)
    if has_errors(findings):
        return findings
    ssh = mpi_ssh.SshOptions(job, start, worker, own_command=own)
    findings += _waiting(mpi, launcher, worker, start, ssh)
    travelling, found = share(launcher, worker, mpi, count, start, staying)
    findings += found
    if count.starter == "self":
        findings += mpi_line.as_root(launcher, start)
    if count.starter == "self" and worker is not None and (line := by_hand(job)) is not None:
        from specgen.plan.deepspeed import checks as deepspeed_checks  # few jobs start by it

        findings += deepspeed_checks(launcher, mpi, line)
    telling = ""
    if may_run_trainer(launcher):
        from specgen.plan.node_name import name_nodes_of_ranks  # most jobs run programs of their own

        local = count.trains is not None and count.starter == "mpirun" and start.implementation in (None, "OpenMPI")
        telling = name_nodes_of_ranks(launcher, worker, agent=mpi.agent is not None, own=own, local=local)
    if worker is not None:
        _worker(mpi, worker, ssh, telling)
        if worker.devices.on_host is not None and not mpi_ssh.on_host_network(launcher):
            reason = "the workers share their nodes' network, and the launcher is to reach them there"
            launcher.pod.setdefault("hostNetwork", Sourced(True, worker.devices.on_host.place, reason))
    text = mpi_ssh.listed(mpi, count, start, workers=worker is not None)
    if not launcher.late and worker is not None and start.wait is not False:
        text += mpi_ssh.loop(worker, mpi, start, ssh)
    findings += _command(mpi, launcher, count, start, travelling, ssh, text) + _entrypoint(launcher, start)
    launcher.lent = [_lent(launcher, volume, path) for volume, path in added]
    return findings


def _by_role(launcher: RoleDraft, worker: RoleDraft | None) -> tuple[list[str], list[Finding]]:
    """What the fabric adds to one role alone: (variables that stay in the workers' containers, findings)."""
    pool = (worker or launcher).devices.pool
    if pool is None or not plain(pool.fabric.adds).get("roles"):
        return [], []
    from specgen.plan.mpi_adds import add_by_role  # few fabrics tell roles apart

    return add_by_role(launcher, worker)


def _words(job: ResolvedJob, kind: Kind, mpi: Mpi, version: str, start: StartChoice, count: World) -> list[Finding]:
    """SG207 and SG208: words of ``start`` that no line of this starter and implementation has."""
    findings = []
    written = job.layers.data.get("start")
    said: dict[str, Any] = written if isinstance(written, dict) else {}
    name = start.implementation or "OpenMPI"
    known = mpi.implementations
    if name not in known:
        message = f"the {kind.operator} {version} writes no host files for {name}"
        related = _version(job, kind)
        notes = [f"it writes them for {listed(list(known))}"]
        place = job.place(("start", "implementation"))
        findings.append(codes.NOT_FOR_TARGET.at(place, message, related=related, notes=notes))
    for word in _OF_A_LINE:
        if said.get(word) is None:
            continue
        place = job.place(("start", word), KEY)
        if count.starter not in mpi_line.STARTERS:
            message = f"`{word}` contradicts `by: {count.starter}`: no starter's line is written"
            findings.append(codes.CONTRADICTION.at(place, message))
        elif count.starter == "horovodrun" and word != "hostfile":
            message = f"`{word}` is of mpirun, and horovodrun calls it by itself"
            findings.append(codes.CONTRADICTION.at(place, message))
        elif name == "Intel" and word in ("bind", "mapBy"):
            message = f"`{word}` is no option of Intel MPI, which reads variables: `I_MPI_PIN_DOMAIN` and others"
            findings.append(codes.CONTRADICTION.at(place, message))
    if count.starter == "horovodrun" and name != "OpenMPI":
        message = f"`implementation: {name}` contradicts `horovodrun`, which cannot read the host file of {name}"
        findings.append(codes.CONTRADICTION.at(job.place(("start", "implementation")), message))
    return findings + mpi_line.foreign_options(job, start, count)


def _version(job: ResolvedJob, kind: Kind) -> list[Any]:
    if installed(job.cluster, kind.operator) is None:
        return []
    return [(job.cluster_place(("operators", kind.operator, "version")), "this version")]


def _launcher(kind: Kind, mpi: Mpi, launcher: RoleDraft) -> list[Finding]:
    """SG208: a launcher that cannot train, or cannot but train."""
    job = launcher.profile.job
    if not mpi.refusal:
        return []
    place = job.place(("start", "launcherTrains"), KEY)
    if launcher.profile.starts:
        place = launcher.profile.place(("resources",), KEY)
    return [codes.NOT_FOR_TARGET.at(place, mpi.refusal, related=_version(job, kind))]


def _keys(mpi: Mpi, start: StartChoice) -> str:
    """Where the keys of ssh are mounted."""
    return (start.ssh.keys if start.ssh is not None else None) or mpi.keys


def _added(mpi: Mpi, start: StartChoice) -> list[tuple[str, str]]:
    """What the operator mounts into the launcher, the keys where the job wants them."""
    return [(volume, _keys(mpi, start) if path == mpi.keys else path) for volume, path in mpi.mounts]


def _arguments(worker: RoleDraft) -> list[Finding]:
    """SG207: arguments of the workers without a command that takes them."""
    words = (worker.profile.job.layers.data.get("roles") or {}).get(worker.word) or {}
    if not words.get("args") or words.get("command"):
        return []
    message = "`args` of the workers contradicts the operator, which has them run a command of its own"
    helps = ["say the workers' own `command`, or `start.ssh.server` for options of sshd"]
    return [codes.CONTRADICTION.at(worker.profile.place(("args",), KEY), message, helps=helps)]


def _mounts(kind: Kind, added: list[tuple[str, str]], role: RoleDraft) -> list[Finding]:
    """SG207: mounts where the operator adds its own, by which the API server would refuse the pod."""
    findings = []
    taken = [path for _, path in added]
    for mount in role.mounts:
        if mount.path.rstrip("/") in taken:
            message = f"the mount `{mount.path}` contradicts the {kind.operator}, which mounts its own there"
            place = role.profile.place(("mounts", mount.path), KEY)
            findings.append(codes.CONTRADICTION.at(place, message))
    return findings


def _waiting(
    mpi: Mpi, launcher: RoleDraft, worker: RoleDraft | None, start: StartChoice, ssh: mpi_ssh.SshOptions
) -> list[Finding]:
    """Whether the operator creates the launcher late, and how it sees that a worker is ready."""
    if worker is None or start.wait is False:
        return []
    prepares = bool(worker.profile.words.prepare)
    if mpi.agent is not None:
        fields = worker.profile.words.pod
        if not prepares or not (fields.host_pid or fields.share_process_namespace):
            return []
        message = "`prepare` contradicts the shared process namespace: the launcher cannot see when it is done"
        return [codes.CONTRADICTION.at(worker.profile.place(("prepare",), KEY), message)]
    if launcher.profile.job.runtime is not None:
        # the runtime says who waits for whom, unless the job wants its own loop
        launcher.late = not start.wait
        return []
    if not mpi.holds:
        return []
    port = ssh.listens(worker, own_command(worker) is not None)
    if port is None:
        # the launcher's loop asks by the client's own configuration; where there is no line to put it before, the
        # launcher is held until the workers run, which the kubelet sees without a port
        launcher.late = launcher.profile.words.command is None
        return []
    launcher.late = True
    reason = f"the launcher is created once sshd answers in every worker; {port.reason}"
    worker.container["readinessProbe"] = Sourced({"tcpSocket": {"port": port.value}}, port.place, reason)
    return []


def own_command(worker: RoleDraft) -> list[str] | None:
    """The command that the role of the workers writes itself; the job's command is the launcher's."""
    words = (worker.profile.job.layers.data.get("roles") or {}).get(worker.word) or {}
    return list(worker.profile.words.command or ()) if words.get("command") else None


def _worker(mpi: Mpi, worker: RoleDraft, ssh: mpi_ssh.SshOptions, telling: str) -> None:
    """What a worker runs: the operator's own command, written where it has options or something runs before it.

    ``telling``: shell text of specgen's own, after that of the job.
    """
    profile = worker.profile
    own = own_command(worker)
    options = ssh.server() if mpi.agent is None else []
    if mpi.agent is None and ssh.port is not None and mpi_ssh.on_host_network(worker):
        _declare(worker, ssh.port)
    prepare = profile.words.prepare or ""
    exports = [name for name, said in worker.env.items() if "prepend" in said.value]
    line = own or [*mpi.idle, *options]
    place, reason = ssh.origin(), "the operator's own command of workers, with the options of `start.ssh`"
    if own is not None:
        worker.program = Sourced(own, profile.place(("command",), KEY), "`command` of the workers")
        place, reason = profile.place(("command",), KEY), "`command` of the workers"
    if prepare or telling:
        line = shell(worker, prepare, exports if prepare else [], line, telling)
    if prepare:
        place, reason = profile.place(("prepare",), KEY), "`prepare`, then what workers run"
    elif telling:
        place = profile.place(("command",), KEY)
        reason = "the operator's own command of workers, with the node's name for the trainer"
    for name in exports:
        # without a shell in front of it: what is put before the image's value travels from the launcher
        worker.env.pop(name, None)
    worker.command = Sourced(line, place, reason) if own or options or prepare or telling or mpi.written else None
    worker.args = None
    if own is not None and profile.words.args is not None:
        worker.args = Sourced(list(profile.words.args), profile.place(("args",), KEY), "`args` of the workers")


def _declare(worker: RoleDraft, port: Sourced) -> None:
    """Says sshd's port, so that the scheduler keeps pods apart which would take one port of their node."""
    if all(said.value != port.value for said in worker.ports.values()):
        name = "ssh" if "ssh" not in worker.ports else f"ssh-{port.value}"
        worker.ports[name] = Sourced(port.value, port.place, "on its node's network no two pods can listen there")


def _command(
    mpi: Mpi,
    launcher: RoleDraft,
    count: World,
    start: StartChoice,
    travelling: list[str],
    ssh: mpi_ssh.SshOptions,
    text: str,
) -> list[Finding]:
    """The launcher's command: the starter's line, behind a shell where something comes before it."""
    profile = launcher.profile
    command, args, prepare = profile.words.command, profile.words.args, profile.words.prepare or ""
    exports = [name for name, said in launcher.env.items() if "prepend" in said.value]
    lined = count.starter in mpi_line.STARTERS
    implementation = start.implementation or "OpenMPI"
    if not (lined and (implementation == "OpenMPI" or count.starter == "horovodrun")):
        text = ssh.export(implementation) + text
    if args is not None:
        launcher.args = Sourced(list(args), profile.place(("args",), KEY), "`args`")
    if command is None:
        return _without_command(launcher, count, exports, start, ssh)
    findings = mpi_line.nested(launcher, count) if lined else []
    line, reason = list(command), "`command`"
    launcher.program = Sourced(command, profile.place(("command",), KEY), reason)
    if profile.job.job.guard:
        from specgen.plan.guard import MEETS_AT, before, meeting  # few jobs have one

        line, reason = [*before(profile, line), *line], "`command`, behind the guard"
        if mpi.agent is not None:
            message = "`guard: true` needs workers with names that resolve, and these have no Service"
            helps = ["`target: {kind: MPIJob, version: v2beta1}`"]
            place = profile.job.place(("guard",))
            findings.append(codes.NOT_FOR_TARGET.at(place, message, helps=helps))
        alone = count.trains is not None and count.pods == 1
        if not alone and MEETS_AT not in launcher.env:
            text += meeting(start.hostfile or mpi.hostfile)
            travelling = [*travelling, MEETS_AT]
    if lined:
        line = mpi_line.line(launcher, count, start, travelling, ssh.arguments(), mpi) + line
        reason += f", started by {count.starter} in {count.size} processes on the hosts of its host file"
    if prepare or exports or text:
        line = shell(launcher, prepare, exports, line, text)
        reason += ", behind the shell text of `prepare`" if prepare else ""
        reason += ", behind the exports of `prepend`" if exports else ""
        reason += ", once every worker answers" if "until " in text else ""
    launcher.command = Sourced(line, profile.place(("command",), KEY), reason)
    return findings


def _entrypoint(launcher: RoleDraft, start: StartChoice) -> list[Finding]:
    """Hands the line to the entrypoint where the job says so, or where the image is known to need it."""
    image = launcher.profile.words.image
    if start.entrypoint is None and image and launcher.command is not None and launcher.profile.job.runtime is None:
        from specgen.operators.mpi.images import found_by_entrypoint

        known = found_by_entrypoint(image)
        if known:
            reason = f"the entrypoint of `{known}` is what finds its MPI"
            launcher.entrypoint = Sourced(True, launcher.profile.place(("image",)), reason)
            return []
    return through_entrypoint(launcher)


def _without_command(
    launcher: RoleDraft, count: World, exports: list[str], start: StartChoice, ssh: mpi_ssh.SshOptions
) -> list[Finding]:
    """SG207: words that stand in the launcher's command, and there is none."""
    profile = launcher.profile
    if count.starter in mpi_line.STARTERS:
        said = profile.job.job.start is not None
        place = profile.job.place(("start",) if said else ("target",), KEY)
        what = f"`start: {count.starter}`" if said else f"`{count.starter}`, which starts the processes,"
    elif profile.words.prepare:
        place, what = profile.place(("prepare",)), "`prepare`"
    elif exports:
        place, what = profile.place(("env", exports[0]), KEY), "`prepend`"
    elif ssh.said is not None and ssh.arguments():
        place, what = profile.job.place(("start", "ssh"), KEY), "`ssh`"
    elif start.wait and not launcher.late:
        place, what = profile.job.place(("start", "wait"), KEY), "`wait: true`"
    else:
        return []
    return [codes.CONTRADICTION.at(place, f"{what} needs a `command`: nobody knows the image's entrypoint")]


def _lent(launcher: RoleDraft, volume: str, path: str) -> MountPoint:
    reason = "containers beside the program see what the operator mounts into it"
    return MountPoint(path, volume, False, None, Sourced(path, launcher.profile.job.place(("target",)), reason))
