"""What the planner must know of a target kind; each backend describes its own in ``PLAN``."""

from __future__ import annotations

from specgen.plan.model import Said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from specgen.diagnostics.model import Place
    from specgen.plan.launching import Mpi
    from specgen.plan.model import Plan, World
    from specgen.profile.resolve import ResolvedJob


class Count:
    """How many pods a role has, with the origin of the number."""

    __slots__ = ("said", "word")

    def __init__(self, word: str, pods: int, place: Place | None, reason: str) -> None:
        self.word = word
        self.said = Said(pods, place, reason)


class Kind:
    """What the planner must know of a target kind: its roles, how they share the pods, and its starters.

    ``roles``: word in the profile → name in the manifest, in the manifest's order; ``worker``: the word of the role
    that holds ``pods``, or what ``first`` leaves of them. ``first``: the role that always takes one of the pods and has
    rank 0 (PyTorchJob's Master), or None. ``own``: roles with a count of their own. ``counts``: who has how many pods,
    where that is more than ``first`` and workers. ``launcher``: the role that runs mpirun's line, or None; ``mpi``: how
    it finds and reaches its workers. ``restart``: the operator's restart policy, ``restarts``: of roles with another
    one. ``letter``: who wants names to begin with a letter, empty where nobody does.
    ``starters``: words of ``start`` that the kind can do, ``starter`` the one it has by itself. ``labels``: the
    operator's labels for the job's name and the role on its pods. ``elastic``: whether the number of workers may change
    while the job runs; ``rigid``: what a reader should know where it may not. ``no_gang``: gang scheduler → why jobs of
    this kind cannot have it, unless their operator makes the gang itself, for one of ``flags``. ``single``: roles that
    come with the others, one pod each. ``all_devices``: whether a process uses all devices of its pod. ``pods_of``: the
    version of Kubernetes whose pods the CRD knows, where that is an old one. ``unled``: ``first`` can be taken
    away, and all pods are then workers. ``words``: the operator hands torchrun's words for a number of processes on.
    ``untold``: the job's name, how many processes there are, and the operator's version → options of torchrun for what
    it is not told.
    """

    __slots__ = (
        "all_devices",
        "counts",
        "elastic",
        "fetches",
        "first",
        "flags",
        "groups",
        "labels",
        "launcher",
        "letter",
        "mpi",
        "name",
        "names",
        "no_gang",
        "operator",
        "own",
        "pods_of",
        "reserved_env",
        "restart",
        "restarts",
        "rigid",
        "roles",
        "single",
        "starter",
        "starters",
        "unled",
        "untold",
        "words",
        "worker",
    )

    def __init__(
        self,
        name: str,
        *,
        operator: str,
        roles: dict[str, str],
        first: str | None,
        worker: str,
        starters: tuple[str, ...],
        restart: str,
        reserved_env: frozenset[str],
        labels: tuple[str, str],
        starter: str = "none",
        own: tuple[str, ...] = (),
        counts: Callable[[ResolvedJob, World], list[Count]] | None = None,
        launcher: str | None = None,
        mpi: Mpi | None = None,
        restarts: dict[str, str] | None = None,
        letter: str = "the webhook wants a letter first",
        elastic: bool = False,
        rigid: str = "",
        no_gang: dict[str, str] | None = None,
        flags: tuple[str, ...] = ("volcano", "scheduler-plugins"),
        single: tuple[str, ...] = (),
        all_devices: bool = False,
        pods_of: tuple[int, int] | None = None,
        groups: Callable[[Plan, str], bool] | None = None,
        names: Callable[[Plan], tuple[list[str], str]] | None = None,
        fetches: bool = False,
        unled: bool = False,
        words: bool = False,
        untold: Callable[[str, World, str], list[str]] | None = None,
    ) -> None:
        self.name = name
        self.elastic = elastic
        self.operator = operator
        self.roles = roles
        self.first = first
        self.worker = worker
        self.starters = starters
        self.starter = starter
        self.own = own
        self.counts = counts
        self.launcher = launcher
        self.mpi = mpi
        self.restarts = restarts or {}
        self.letter = letter
        self.rigid = rigid
        self.no_gang = no_gang or {}
        self.flags = flags
        self.groups = groups
        self.names = names
        self.fetches = fetches
        self.unled = unled
        self.words = words
        self.untold = untold
        self.single = single
        self.all_devices = all_devices
        self.pods_of = pods_of
        self.restart = restart
        self.reserved_env = reserved_env
        self.labels = labels

    @property
    def one(self) -> str:
        """The kind in a sentence: ``a PyTorchJob``, ``an MSJob``."""
        return f"an {self.name}" if self.name.startswith(("MPI", "MS", "XGB")) else f"a {self.name}"
