"""Which ranks mpirun gives to the hosts of a host file, where its command says nothing out of the ordinary.

Read from the manuals of Open MPI 4.1 (mpirun, "Process Slots" and "Process Mapping"), Intel MPI 2021 (I_MPI_PERHOST)
and MPICH 4 (Hydra): all fill the slots of one host before they go on to the next.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.operators.expansion import Expansion
    from specgen.operators.mpi.hosts import Hosts

_PROGRAMS = ("mpirun", "mpiexec", "orterun", "mpiexec.hydra")
# What starts the processes of workers from a launcher.
STARTERS = (*_PROGRAMS, "horovodrun")
_COUNTS = ("np", "n", "c")
# The operator's own, which is the default anyway.
_HOST_FILE = "/etc/mpi/hostfile"
_HOST_FILES = ("hostfile", "machinefile", "machine", "f")
# Options after which ranks are spread otherwise, or over other hosts.
_PLACING = frozenset(
    ("H", "host", "hosts", "rf", "rankfile", "map-by", "rank-by", "N", "npernode", "pernode", "bynode")
)
_PLACING |= frozenset(("byslot", "ppn", "perhost", "grr", "rr", "app", "configfile"))
# How many words follow an option; behind an unknown one nobody knows where the program begins.
_WORDS = {
    **dict.fromkeys(("allow-run-as-root", "tag-output", "oversubscribe", "report-bindings", "v", "q", "genvall"), 0),
    **dict.fromkeys((*_COUNTS, *_HOST_FILES, "N", "npernode", "ppn", "perhost", "map-by", "rank-by", "x", "wdir"), 1),
    **dict.fromkeys(("bind-to", "prefix", "path", "genvlist", "genvnone"), 1),
    **dict.fromkeys(("mca", "gmca", "genv"), 2),
}


def ranks(words: list[str], hosts: Hosts | _Hosts, host: int) -> tuple[int, int] | None:
    """First and last rank of a host, by its place in the host file; None: nothing tells, or it gets none.

    words: the launcher's command; a line of a shell counts as words of its own.
    """
    pieces = " ".join(words).split()
    starts = [at for at, word in enumerate(pieces) if word.rpartition("/")[2] in _PROGRAMS]
    if len(starts) != 1 or hosts.slots < 1:
        return None
    total = hosts.slots * hosts.count
    # Open MPI fills all slots where no number is given
    asked = total if hosts.implementation == "OpenMPI" else None
    counted = False
    following = _options(pieces[starts[0] + 1 :])
    # not strict: nothing at all may follow the program's name
    for word, value in zip(following, [*following[1:], ""], strict=False):
        if not word.startswith("-"):
            continue
        option, _, behind = word.lstrip("-").partition("=")
        given = behind or value
        if _as_usual(option, given, hosts):
            continue
        if option in _PLACING or ":" in word or (option in _HOST_FILES and given != _HOST_FILE):
            return None
        if option in _COUNTS and not counted:
            counted = True
            asked = int(given) if given.isascii() and given.isdigit() and len(given) < 10 else None
    if asked is None or asked > total:
        return None
    first = host * hosts.slots
    return (first, min(first + hosts.slots, asked) - 1) if first < asked else None


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
        place = places.get(pod["spec"].get("hostname", instance.pod))
        if place is not None:
            instance.ranks = ranks(launcher.command, hosts, place)


def _as_usual(option: str, given: str, hosts: Hosts | _Hosts) -> bool:
    """Whether a placing option says what happens without it: slot by slot, all slots of a host."""
    if hosts.implementation == "OpenMPI":
        return option == "map-by" and given == "slot"
    return option in ("ppn", "perhost") and given == str(hosts.slots)


def _options(words: list[str]) -> list[str]:
    """The words before the program; all of them where an option is not known."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        option, equals, _ = words[at].lstrip("-").partition("=")
        if option not in _WORDS:
            return words
        at += 1 + (0 if equals else _WORDS[option])
    return words[:at]
