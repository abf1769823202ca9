"""Run the planned processes of a job profile on this machine.

The processes get the environment that the operator would inject, with this machine in place of the pods' names. A pod's
own volumes are folders of its own in this run, carried files too, and the profile's init containers run first in each
pod. Without a GPU, gloo takes nccl's place. Ranks of a launcher run in their workers' places: by mpirun where this
machine has one, else by themselves. What exists in the image or on the cluster alone is said before anything starts
(map it), and so is what the cluster would do differently with this job.

  specgen run job.yaml --pods 2 --procs 1 --map /data=./data --map /var/mnist.py=./mnist.py

Lines are marked with pod and rank. One Ctrl-C stops all, and whatever kills the run kills them. The exit code is that
of the first process that failed.
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from socket import socket

    from specgen.cli.terminal import Terminal
    from specgen.local.model import Local, Wish
    from specgen.operators.expansion import Expansion
    from specgen.pipeline import Compiled
    from specgen.session import Session

HELP = "run the planned processes of a profile on this machine"
EXAMPLES = (
    ("specgen run job.yaml --map train.py=train.py --dry-run", "what would be started, with its environment"),
    ("specgen run job.yaml --map train.py=train.py --pods 2", "two pods' processes on this machine"),
)

# Ports are shifted by this much until those of the job are free, at most so many times.
_SHIFT, _TRIES = 100, 50
# Of fewer processes than GPUs.
_IDLE = "SG534"


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    from specgen.cli.options import common, profiles

    parser.add_argument("file", metavar="PROFILE", help="a job profile")
    parser.add_argument("--pods", type=int, metavar="N", help="as many pods, in place of the profile's")
    parser.add_argument("--procs", type=int, metavar="N", help="as many processes in a pod, in place of the profile's")
    parser.add_argument("--python", metavar="PATH", help="the interpreter, in place of the image's")
    said = "what lies at a path of the container, may be repeated"
    parser.add_argument("--map", action="append", default=[], metavar="THERE=HERE", help=said)
    profiles(parser)
    parser.add_argument("--dry-run", action="store_true", help="print what would be started, and start nothing")
    common(parser)


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    from specgen.cli.files import opened
    from specgen.local.model import Wish

    maps = []
    for text in options.map:
        there, equals, here = text.partition("=")
        if not equals or not there or not here:
            terminal.say(f"specgen: `{text}` maps nothing: write /path/in/the/container=path/here")
            return exits.QUESTION
        maps.append((there, _absolute(here)))
    for word, count in (("--pods", options.pods), ("--procs", options.procs)):
        if count is not None and count < 1:
            terminal.say(f"specgen: {word} {count}: at least one")
            return exits.QUESTION
    settings = [*options.set]
    for word, count in (("pods", options.pods), ("procsPerPod", options.procs)):
        if count is not None:
            settings.append(f"{word}={count}")
    session = opened(cluster=options.cluster, settings=settings, variant=options.variant, mib=options.max_input)
    compiled = _job(session, options.file)
    if options.procs is not None:
        # so many run here, whatever a pod of the cluster has
        session.diagnostics = [one for one in session.diagnostics if one["code"] != _IDLE]
    if compiled is None:
        return terminal.conclude(session)
    expansion = None
    with session.trying(compiled.job.document.source):
        expansion = _expansion(compiled, terminal)
    if expansion is None:
        return terminal.conclude(session) if session.failed else exits.BAD
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="specgen-") as scratch:
        wish = Wish(options.python and _absolute(options.python), maps)
        machine = _Machine(scratch)
        try:
            return _run(session, compiled, expansion, machine, wish, options, terminal)
        finally:
            machine.release()


def _absolute(path: str) -> str:
    import os

    return os.path.abspath(path)


def _job(session: Session, name: str) -> Compiled | None:
    """The job that is to run: of several the one without a variant. None: the profile has errors, or not this variant.

    Raises BadQuestion where a variant must be named.
    """
    from specgen.diagnostics.model import BadQuestion, listed

    jobs = [compiled for result in session.compile([name], folders=False) for compiled in result.compiled]
    if session.failed or session.unreadable:
        return None
    if len(jobs) > 1 and jobs[0].job.variant is not None:
        names = [str(one.job.variant) for one in jobs]
        raise BadQuestion(f"{name}: name one of its variants with --variant: {listed(names, most=8)}")
    return jobs[0]


def _expansion(compiled: Compiled, terminal: Terminal) -> Expansion | None:
    from specgen.operators.expand import expand_manifest

    assert compiled.bundle is not None and compiled.reader is not None and compiled.plan is not None
    beside = [one for one in compiled.bundle.manifests if one is not compiled.bundle.job] + compiled.plan.existing
    # a job that waits for its queue is begun here at once
    expansion, _ = expand_manifest(
        compiled.bundle.job, compiled.reader, compiled.plan.version, companions=beside, resumed=True
    )
    if expansion is None or not expansion.pods:
        why = next((one.reason for one in expansion.refusals), expansion.idle) if expansion is not None else ""
        terminal.say(f"specgen: the operator makes no pods of {compiled.job.name}" + (f": {why}" if why else ""))
        return None
    return expansion


def _run(
    session: Session,
    compiled: Compiled,
    expansion: Expansion,
    machine: _Machine,
    wish: Wish,
    options: Namespace,
    terminal: Terminal,
) -> int:
    from specgen.local.localise import localise

    assert compiled.plan is not None and compiled.bundle is not None
    carried = {
        one.ref.name: one.tree.get("data") or {} for one in compiled.bundle.manifests if one.ref.kind == "ConfigMap"
    }
    local, findings = localise(
        compiled.plan, expansion, carried, machine, wish, _free(compiled, expansion, machine, wish)
    )
    for word, count in (("--pods", options.pods), ("--procs", options.procs)):
        if count is not None:
            local.note(f"`{word} {count}` is of this run: the cluster starts as many as the profile says")
    # one report: what the build says, and what this machine lacks
    session.add(findings, compiled.job.document)
    code = terminal.conclude(session)
    if findings:
        return code
    _tell(compiled, local, machine, terminal)
    if options.dry_run:
        terminal.answer(_listing(local))
        return exits.GOOD
    _write(local)
    from specgen.cli.processes import run_together

    return run_together(local.processes, terminal.say if not options.quiet else _silent)


def _silent(text: str) -> None:
    """What a quiet run says of processes that end."""


def _free(compiled: Compiled, expansion: Expansion, machine: _Machine, wish: Wish) -> int:
    """The least shift with which no port of the job is in use here."""
    import socket

    from specgen.local.localise import localise

    assert compiled.plan is not None
    for shift in range(0, _SHIFT * _TRIES, _SHIFT):
        local, _ = localise(compiled.plan, expansion, {}, machine, wish, shift)
        ports = {port for process in local.processes for port in _ports(process.env, process.argv)}
        try:
            for port in sorted(ports):
                with socket.socket() as probe:
                    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        if all(machine.claims(port) for port in sorted(ports)):
            return shift
    return 0


def _ports(env: dict[str, str], argv: list[str]) -> list[int]:
    """The ports on which the processes of a job meet: variables of their own, or behind this machine's address."""
    from specgen.local.addresses import HERE

    found = [env[name] for name in ("MASTER_PORT", "PET_MASTER_PORT", "MS_SCHED_PORT") if name in env]
    for text in [*env.values(), *argv]:
        # as many as there are in a TF_CONFIG
        found += [piece.partition('"')[0] for piece in text.split(f"{HERE}:")[1:]]
    return [int(port) for port in found if port.isdigit() and 0 < int(port) < 65536]


def _tell(compiled: Compiled, local: Local, machine: _Machine, terminal: Terminal) -> None:
    from specgen.diagnostics.model import plural

    plan = compiled.plan
    assert plan is not None
    if terminal.quiet:
        return
    gpus = plural(machine.gpus, "GPU") if machine.gpus else "no GPU"
    each = plural(plan.world.procs_per_pod, "process") if plan.world.counted else "what torchrun counts here"
    world = f"{plural(plan.world.pods, 'pod')} of {each}"
    terminal.say(f"{compiled.job.name}: {world}, on this machine with {gpus}")
    for note in local.notes:
        terminal.say(f"  {note}")


def _listing(local: Local) -> str:
    """What would be started, with its environment, without the secrets in either."""
    from shlex import quote

    from specgen.diagnostics.safe import log_line
    from specgen.diagnostics.secrets import DOTS, masked, masked_words, secret, values

    lines = []
    for process in local.processes:
        known = values(process.env)
        for argv in [*process.before, process.argv]:
            words = [word if DOTS in word else quote(word) for word in masked_words(argv, known)]
            lines.append(f"{process.prefix}: {' '.join(words)}")
        for name, value in process.env.items():
            lines.append(f"  {name}={DOTS if secret(name) and value else masked(value, known)}")
    return "".join(f"{log_line(line)}\n" for line in lines)


def _write(local: Local) -> None:
    import os

    for folder in local.folders:
        os.makedirs(folder, exist_ok=True)
    for path, text in local.files.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


class _Machine:
    """This machine, for ``specgen.local``."""

    def __init__(self, scratch: str) -> None:
        from glob import glob

        self.scratch = scratch
        self._claims: list[socket] = []
        self.gpus = len([path for path in sorted(glob("/dev/nvidia[0-9]*")) if path[11:].isdigit()])

    def claims(self, port: int) -> bool:
        """Whether no other run has the port, whose process may not listen yet; held until this run ends.

        By a socket without a file, which Linux alone has (unix(7), "abstract").
        """
        import socket
        import sys

        if sys.platform != "linux":
            return True
        claim = socket.socket(socket.AF_UNIX)
        try:
            claim.bind(f"\0specgen-run-{port}")
        except OSError:
            claim.close()
            return False
        self._claims.append(claim)
        return True

    def release(self) -> None:
        """Lets go of the ports."""
        for claim in self._claims:
            claim.close()

    def exists(self, path: str) -> bool:
        import os

        # what a step before makes is not there yet
        return os.path.exists(path) or path.startswith(self.scratch + "/")

    def program(self, name: str) -> str | None:
        import sys
        from shutil import which

        # the interpreter that runs specgen has what was installed beside it; another one is named with --python
        return sys.executable if name in ("python", "python3") else which(name)
