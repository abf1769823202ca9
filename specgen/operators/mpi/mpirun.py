"""Which ranks mpirun gives to the hosts of a host file, where its command says nothing out of the ordinary.

Read from the manuals of Open MPI 4.1 (mpirun, "Process Slots" and "Process Mapping"), Intel MPI 2021 (I_MPI_PERHOST)
and MPICH 4 (Hydra): all fill the slots of one host before they go on to the next.
"""

from __future__ import annotations

from specgen.operators.kubernetes.calls import calls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from specgen.operators.expansion import Expansion
    from specgen.operators.mpi.hosts import Hosts

# Those of MPI itself, and Horovod's, which hands the rest over.
_MPI = ("mpirun", "mpiexec", "orterun", "prterun", "mpiexec.hydra")
_HOROVOD = "horovodrun"
_COUNTS = ("np", "n", "c", "num-proc")
_PER_HOST = ("N", "npernode", "ppn", "perhost")
# What starts the processes of workers from a launcher.
STARTERS = (*_MPI, _HOROVOD)
# The operator's own, which is the default anyway.
_HOST_FILE = "/etc/mpi/hostfile"
_HOST_FILES = ("hostfile", "default-hostfile", "machinefile", "machine", "f")
# Options after which ranks are spread otherwise, or over other hosts.
_PLACING = frozenset(("H", "host", "hosts", "rf", "rankfile", "map-by", "rank-by", "pernode", "bynode", "byslot"))
_PLACING |= frozenset(("grr", "rr", "app", "configfile", "hostlist", "npersocket", "nolocal", "no-local", "slot-list"))
_PLACING |= frozenset(("cpus-per-proc", "cpus-per-rank", "cpu-set", "cpu-list", "localonly"))
# Options by which a job of Horovod is elastic, and its number of processes the one at the start.
_ELASTIC = ("min-np", "max-np", "min-num-proc", "max-num-proc", "host-discovery-script")
# Options of one family alone, however many dashes they have: what one of another family ends at, as it knows none such.
# Each was tried: those of Open MPI with MPICH 3.4.3, 4.2.3, 5.0.2 and Intel MPI 2021.5, .10, .18, those of Hydra with
# Open MPI 4.1.8, 5.0.8, 5.0.11.
# fmt: off
OF_OPENMPI = {
    **dict.fromkeys((
        "allow-run-as-root", "oversubscribe", "nooversubscribe", "report-bindings", "tag-output", "timestamp-output",
        "display-map", "display-allocation", "display-devel-map", "bynode", "byslot", "pernode", "use-hwthread-cpus",
        "leave-session-attached", "merge-stderr-to-stdout", "noprefix", "bind-to-core", "bind-to-socket",
        "bind-to-none", "enable-recovery", "disable-recovery", "no-local",
    ), 0),
    **dict.fromkeys((
        "npernode", "npersocket", "x", "rank-by", "rankfile", "rf", "default-hostfile", "output-filename",
        "cpus-per-proc", "cpus-per-rank", "cpu-set", "cpu-list", "slot-list", "report-uri", "preload-files", "am",
        "tune", "personality", "ompi-server",
    ), 1),
    **dict.fromkeys(("mca", "gmca", "prtemca", "pmixmca"), 2),
}
OF_HYDRA = {
    **dict.fromkeys((
        "genvall", "genvnone", "envall", "envnone", "print-rank-map", "prepend-rank", "print-all-exitcodes",
        "disable-auto-cleanup", "localonly", "rr",
    ), 0),
    **dict.fromkeys((
        "genvlist", "genvexcl", "envlist", "envexcl", "ppn", "perhost", "hosts", "hostlist", "bootstrap", "launcher",
        "bootstrap-exec", "launcher-exec", "iface", "rmk", "outfile-pattern", "errfile-pattern", "grr", "configfile",
        "topolib", "gwdir", "gpath",
    ), 1),
    **dict.fromkeys(("genv", "env"), 2),
}
# Those of Intel's alone among the latter: MPICH 4.2.3 and 5.0.2 know none of them.
OF_INTEL = ("perhost", "rr", "grr", "print-rank-map", "genvexcl", "envexcl", "gwdir", "gpath")
# That of another family that one knows as well.
KNOWN_TOO = {"tune": "Intel"}
# Those that a release of another family may know, by its name: MPICH 5.0.2 has taken in the last one.
MAY_BE_KNOWN = {"ppn": "OpenMPI", "hosts": "OpenMPI", "report-bindings": "MPICH"}
# horovodrun's own (Horovod 0.28.1, horovod/runner/launch.py).
_OF_HOROVOD = {
    **dict.fromkeys((
        "verbose", "disable-cache", "autotune", "no-autotune", "hierarchical-allreduce", "no-hierarchical-allreduce",
        "hierarchical-allgather", "no-hierarchical-allgather", "timeline-mark-cycles", "no-timeline-mark-cycles",
        "no-stall-check", "stall-check", "log-with-timestamp", "log-without-timestamp", "mpi", "gloo", "jsrun", "tcp",
    ), 0),
    **dict.fromkeys((
        "fusion-threshold-mb", "cycle-time-ms", "cache-capacity", "autotune-log-file", "autotune-warmup-samples",
        "autotune-steps-per-sample", "autotune-bayes-opt-max-samples", "autotune-gaussian-process-noise",
        "timeline-filename", "stall-check-warning-time-seconds", "stall-check-shutdown-time-seconds", "mpi-args",
        "num-nccl-streams", "thread-affinity", "gloo-timeout-seconds", "log-level", "start-timeout",
        "network-interfaces", "network-interface", "output-filename", "config-file", "ssh-port", "p",
        "ssh-identity-file", "i", "reset-limit", "elastic-timeout", "slots-per-host", "slots", *_ELASTIC,
    ), 1),
}
# fmt: on
# How many words follow an option; behind an unknown one nobody knows where the program begins.
_WORDS = {
    **OF_OPENMPI,
    **OF_HYDRA,
    **dict.fromkeys(("v", "q", "d", "l", "verbose", "quiet", "nolocal"), 0),
    **dict.fromkeys((*_COUNTS, *_HOST_FILES, *_PER_HOST, "map-by", "bind-to", "H", "host", "wdir", "wd"), 1),
    **dict.fromkeys(("prefix", "path", "app", "timeout", "max-restarts"), 1),
}


def is_foreign(option: str, implementation: str) -> bool:
    """Whether an option, without its dashes, is one of another family alone, at which mpirun of this one ends."""
    ours, theirs = (OF_OPENMPI, OF_HYDRA) if implementation == "OpenMPI" else (OF_HYDRA, OF_OPENMPI)
    return option in theirs and option not in ours and KNOWN_TOO.get(option) != implementation


def values(option: str) -> int:
    """How many words follow an option of mpirun that is known; none follow another."""
    return _WORDS.get(option, 0)


class Call:
    """What the only call of an MPI program in a command line says of its processes.

    ``count``: the word of ``-np`` and where its value begins in it, None: not said. ``each``: processes of a host,
    None: not said, or not as a number; ``spread``: whether other hosts, or another order of ranks, may be meant;
    ``elastic``: whether the count is that of the start alone; ``unknown``: the options that nobody knows here.
    ``options``: the words of each, by its name without dashes; ``behind``: where they end.
    """

    __slots__ = ("at", "behind", "count", "each", "elastic", "options", "program", "spread", "unknown", "value")

    def __init__(self, program: str, at: int) -> None:
        self.program = program
        self.at = at
        self.count: tuple[int, int] | None = None
        self.value = ""
        self.options: list[tuple[str, list[str]]] = []
        self.behind = at
        self.each: int | None = None
        self.elastic = False
        self.spread = False
        self.unknown: list[str] = []


def call(pieces: Sequence[str], implementation: str = "OpenMPI") -> Call | None:
    """The call; None where there is none, or several, or one of several programs. pieces: words split at blanks."""
    names = [word.rpartition("/")[2] for word in pieces]
    starts = [at for at, name in enumerate(names) if name in _MPI or name == _HOROVOD]
    if len(starts) != 1:
        return None
    found = Call(names[starts[0]], starts[0])
    table = {**_WORDS, **_OF_HOROVOD} if found.program == _HOROVOD else _WORDS
    own_hosts = found.program != _HOROVOD  # without a host file it starts all of them where it runs itself
    at = starts[0] + 1
    while at < len(pieces) and pieces[at].startswith("-"):
        option, equals, value = pieces[at].lstrip("-").partition("=")
        here, behind = at, "" if equals else pieces[at + 1] if at + 1 < len(pieces) else ""
        given = value if equals else behind
        known = table.get(option)
        if known is None:
            found.unknown.append(pieces[here].partition("=")[0])
            known = int(bool(behind) and not behind.startswith("-"))
        at += 1 + (0 if equals else known)
        found.options.append((option, [*pieces[here:at]]))
        if option in _COUNTS and found.count is None:
            found.count = (here, len(pieces[here]) - len(value)) if equals else (here + 1, 0)
            found.value = given
        elif option in _HOST_FILES:
            own_hosts = own_hosts or given == _HOST_FILE
            found.spread = found.spread or given != _HOST_FILE
        elif option in _PER_HOST and given.isascii() and given.isdigit() and len(given) < 10:
            found.each = int(given)
        elif option in _ELASTIC:
            found.elastic = True
        elif option in _PER_HOST or (option in _PLACING and not _as_usual(option, given, implementation)):
            found.spread = True
    found.behind = at
    if found.unknown:
        options = [word.lstrip("-").partition("=")[0] for word in pieces[at:] if word.startswith("-")]
        found.spread = found.spread or any([one in _PLACING or one in _PER_HOST for one in options])
    found.spread = found.spread or not own_hosts
    return None if ":" in pieces[starts[0] :] else found


def ranks(words: list[str], hosts: Hosts | _Hosts, host: int) -> tuple[int, int] | None:
    """First and last rank of a host, by its place in the host file; None: nothing tells, or it gets none.

    words: the launcher's command; a line of a shell counts as words of its own.
    """
    pieces = [piece.text for one in calls(words) if not one.idle for piece in one.pieces]
    said = call(pieces, hosts.implementation)
    if said is None or hosts.slots < 1 or said.spread or said.elastic:
        return None
    each = hosts.slots if said.each is None else said.each
    if each > hosts.slots:
        return None
    total = each * hosts.count
    # Open MPI fills all slots where no number is given
    asked = total if hosts.implementation == "OpenMPI" else None
    if said.count is not None:
        value = said.value
        asked = int(value) if value.isascii() and value.isdigit() and len(value) < 10 else None
    if asked is None or asked > total:
        return None
    first = host * each
    return (first, min(first + each, asked) - 1) if first < asked else None


class _Hosts:
    """The hosts of a host file that an operator wrote, in Open MPI's words."""

    __slots__ = ("count", "implementation", "slots")

    def __init__(self, count: int, slots: int) -> None:
        self.count = count
        self.slots = slots
        self.implementation = "OpenMPI"


def of_host_file(expansion: Expansion) -> None:
    """Gives the pods of an expansion their ranks, by the host file among its objects and the launcher's command.

    Nothing is given where there is no launcher, where hosts have no name of a pod, or where their slots differ.
    """
    maps = (tree["data"] for tree in expansion.others if tree["kind"] == "ConfigMap")
    text = next((data["hostfile"] for data in maps if "hostfile" in data), "")
    launcher = next((one for one in expansion.instances if one.role.lower() == "launcher"), None)
    lines = [line.partition(" slots=") for line in text.splitlines()]
    slots = {behind for _, _, behind in lines}
    if launcher is None or len(slots) != 1 or not (each := slots.pop()).isdigit():
        return
    hosts = _Hosts(len(lines), int(each))
    places = {host.partition(".")[0]: at for at, (host, _, _) in enumerate(lines)}
    for pod, instance in zip(expansion.pods, expansion.instances, strict=True):
        host = pod["spec"].get("hostname", instance.pod)
        place = places.get(host) if isinstance(host, str) else None
        if place is not None:
            instance.ranks = ranks(launcher.command, hosts, place)


def _as_usual(option: str, given: str, implementation: str) -> bool:
    """Whether a placing option says what happens without it: slot by slot, all slots of a host."""
    return implementation == "OpenMPI" and option == "map-by" and given == "slot"
