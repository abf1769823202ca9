"""The answer for a job: its verdict, what it follows from, and what would help."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Region
    from specgen.schedulers.jobs import Job
    from specgen.schedulers.sums import Row, Sums
    from specgen.schedulers.turns import Turn
    from specgen.schedulers.walk import Walk
    from specgen.source import Path

FITS, WAITS, NEVER, HANGS, UNKNOWN = "fits", "waits", "never", "hangs", "unknown"


class Waiting:
    """Pods of a role that have no node. ``by``: (group of nodes, how many, why not), as the filters say now."""

    __slots__ = ("by", "message", "pods", "role")

    def __init__(self, role: str, pods: int, message: str, by: list[tuple[str, int, str]]) -> None:
        self.role = role
        self.pods = pods
        self.message = message
        self.by = by


class Answer:
    """What becomes of a job: ``placed`` is role → group of nodes → how many pods each of its nodes has."""

    __slots__ = (
        "bound",
        "cluster",
        "evicts",
        "helps",
        "kind",
        "lines",
        "name",
        "namespace",
        "near",
        "nodes",
        "notes",
        "placed",
        "pods",
        "reason",
        "sums",
        "turn",
        "unmade",
        "verdict",
        "waiting",
        "walks",
    )

    def __init__(self, job: Job) -> None:
        self.kind = job.kind
        self.name = job.name
        self.namespace = job.namespace
        # (group of nodes, node, role, pods of it there); of equal nodes another one may be taken
        self.nodes: list[tuple[str, str, str, int]] = []
        self.verdict = UNKNOWN
        # the label of domains of which the first pod chooses one, where that decides what becomes of the others
        self.near = ""
        self.reason = ""
        self.pods = self.bound = 0
        self.placed: dict[str, dict[str, list[int]]] = {}
        # pods that are not made
        self.unmade = 0
        self.waiting: list[Waiting] = []
        # what its pods ask and the nodes have; None: nobody looked at nodes
        self.sums: Sums | None = None
        # what each filter leaves of the nodes, where that is asked
        self.walks: list[Walk] = []
        self.helps: list[str] = []
        self.notes: list[str] = []
        # jobs, or pods of nobody, that lose pods to it; of a verdict that is not known those that may
        self.evicts: list[str] = []
        # what a queue before the scheduler says
        self.turn: Turn | None = None
        # what of the cluster profile it follows from, by paths there
        self.cluster: list[tuple[Path, str]] = []
        # the same in its file, for whoever has that
        self.lines: list[Region] = []

    def take(self, other: Answer) -> None:
        """Takes what is said of the same job on other nodes, but the sums."""
        for word in (
            "bound",
            "evicts",
            "helps",
            "nodes",
            "notes",
            "placed",
            "reason",
            "turn",
            "unmade",
            "verdict",
            "waiting",
        ):
            setattr(self, word, getattr(other, word))

    @property
    def rows(self) -> list[Row]:
        """The arithmetic by role, group of nodes and resource."""
        return self.sums.rows if self.sums is not None else []
