"""What a queue says of a job, whichever scheduler's it is: its sums, who is before the job, and what it is given."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.schedulers.kueue.topology import Room
    from specgen.schedulers.world import World

ADMITTED, WAITS, NEVER, UNKNOWN = "admitted", "waits", "never", "unknown"
_LISTED = 5


class Sum:
    """What pods ask of a resource, and what the queue has of it, in billionths.

    ``nominal``: its own; ``borrowed``: what it has now beyond that; ``most``: with everybody else away; ``used``: by
    others; ``left``: now; ``flavor``: empty where a queue has none.
    """

    __slots__ = ("asked", "borrowed", "flavor", "left", "most", "nominal", "pods", "resource", "short", "used")

    def __init__(
        self,
        pods: str,
        flavor: str,
        resource: str,
        *,
        asked: int,
        nominal: int,
        borrowed: int,
        most: int,
        used: int,
        left: int,
        short: int,
    ) -> None:
        self.pods = pods
        self.flavor = flavor
        self.resource = resource
        self.asked = asked
        self.nominal = nominal
        self.borrowed = borrowed
        self.most = most
        self.used = used
        self.left = left
        self.short = short


class Turn:
    """What a queue says of a job. ``rooms``: (domain, pods that find room in it), those with most first.

    ``evicts``: who loses pods to it; where it is not known whether it begins, who may. ``stated``: whether anybody says
    what the queue has. ``domains``: pod set → (domain, its pods there); ``tree``: the domains from the top to
    ``level``, each before those in it. ``uncounted``: resources that the job asks for and the queue has no amount of,
    where a cluster profile says so that they do not count; ``later``: it waits for nodes that are away. ``raised``: the
    world in which the queue has what ``helps`` say, and admits it; ``fewer``: how many of its pods it admits now.
    """

    __slots__ = (
        "before",
        "cluster_queue",
        "domains",
        "evicts",
        "fewer",
        "flavors",
        "helps",
        "holders",
        "later",
        "level",
        "message",
        "pods",
        "queue",
        "raised",
        "rooms",
        "stated",
        "sums",
        "tree",
        "uncounted",
        "verdict",
    )

    def __init__(self, queue: str) -> None:
        self.queue = queue
        self.cluster_queue = ""
        self.pods = 0
        self.later = False
        self.verdict = UNKNOWN
        self.stated = True
        self.message = ""
        # pod set → its flavors
        self.flavors: dict[str, list[str]] = {}
        self.sums: list[Sum] = []
        self.before: list[str] = []
        self.holders: list[str] = []
        self.evicts: list[str] = []
        self.helps: list[str] = []
        self.raised: World | None = None
        self.fewer = 0
        self.level = ""
        self.rooms: list[tuple[str, int]] = []
        self.domains: dict[str, list[tuple[str, int]]] = {}
        self.tree: list[Room] = []
        self.uncounted: list[str] = []


def few(names: list[str]) -> str:
    """Names in a line, not all of many."""
    return ", ".join(names if len(names) <= _LISTED else [*names[:_LISTED], f"{len(names) - _LISTED} more"])
