"""What an operator makes of a job: the objects it creates, those it is refused, and one line for each pod."""

from __future__ import annotations

from specgen.manifest.views import mapping
from specgen.operators.kubernetes.bearing import lost_after

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from specgen.manifest.model import ObjectRef
    from specgen.operators.lifecycle import Lifecycle
    from specgen.source import Path

# Objects are only built up to this many pods: a job may ask for 2**31 of them.
MOST_PODS = 10_000
# Where each pod holds the names of all others, pods are only built up to this much text: 64 MiB.
MOST_TEXT = 2**26
# Entries and items of all copies of templates: 10,000 pods of 200 each, which most have; fewer where they are longer.
MOST_PARTS = 2**21


class Instance:
    """One pod in words, for people.

    ``ranks``: first and last rank of the processes that start in it, None where nothing fixes them; ``devices``:
    extended resource → amount over all containers, ``claim NAME`` → 1; ``rendezvous``: where its processes meet, empty
    if nobody says; ``command``: words of the training container after ``$(VAR)`` replacement, ``<entrypoint>`` for the
    image's own.
    """

    __slots__ = ("command", "devices", "pod", "ranks", "rendezvous", "role")

    def __init__(
        self,
        pod: str,
        role: str,
        *,
        ranks: tuple[int, int] | None,
        devices: dict[str, int],
        rendezvous: str,
        command: list[str],
    ) -> None:
        self.pod = pod
        self.role = role
        self.ranks = ranks
        self.devices = devices
        self.rendezvous = rendezvous
        self.command = command


class Refusal:
    """An object that does not come to be: what, who refuses it, and why (lower case, no full stop)."""

    __slots__ = ("by", "kind", "name", "reason")

    def __init__(self, kind: str, name: str, by: str, reason: str) -> None:
        self.kind = kind
        self.name = name
        self.by = by
        self.reason = reason


class Expansion:
    """The objects that an operator creates for one job when nothing has gone wrong yet, as plain trees in its order.

    ``job``: the job's reference with the name it gets. ``refusals``: objects that are refused, the job itself among
    them; what would have come after one in its role does not come either. ``idle``: why the operator leaves the job
    alone, empty if it does not. ``notes``: what people should know besides. ``removed``: fields that the API server
    dropped before. ``left_out``: pods beyond what is built. ``others``: objects of further kinds.
    ``lifecycle``: what becomes of the job once it runs, None where it does not come to that.
    Parts that nobody can know are words in angle brackets, such as ``<random>``.
    """

    __slots__ = (
        "_instances",
        "_parts",
        "_unread",
        "autoscalers",
        "idle",
        "job",
        "left_out",
        "lifecycle",
        "notes",
        "operator",
        "others",
        "pods",
        "refusals",
        "removed",
        "services",
        "version",
    )

    def __init__(self, operator: str, version: str, job: ObjectRef) -> None:
        self.operator = operator
        self.version = version
        self.job = job
        self.pods: list[dict[str, Any]] = []
        self.services: list[dict[str, Any]] = []
        self.autoscalers: list[dict[str, Any]] = []
        self.others: list[dict[str, Any]] = []
        self._instances: list[Instance] = []
        # what puts a pod into words, and its arguments: rules that look for names alone never ask
        self._unread: list[tuple[Callable[..., Instance], tuple[Any, ...]]] = []
        self.refusals: list[Refusal] = []
        self.idle = ""
        self.notes: list[str] = []
        self.removed: list[Path] = []
        self.left_out = 0
        self.lifecycle: Lifecycle | None = None
        # entries and items of what was built
        self._parts = 0

    def room(self, count: int, template: object) -> int:
        """How many of so many copies of a tree are built: what a job costs is bounded, whatever it asks for."""
        room = min(count, MOST_PODS - len(self.pods))
        if room > 1:
            parts = _parts(template)
            room = min(room, max(0, -((self._parts - MOST_PARTS) // parts)))
            self._parts += room * parts
        return room

    def starts(self, read: Callable[..., Instance], *of: Any) -> None:
        """A pod that was made, in words: ``read(*of)``, which is called once somebody asks for ``instances``."""
        self._unread.append((read, of))

    @property
    def instances(self) -> list[Instance]:
        """One line for each pod, in the order of ``pods``."""
        if self._unread:
            unread, self._unread = self._unread, []
            self._instances += [read(*of) for read, of in unread]
        return self._instances

    def lost_after(self) -> dict[str, int | None]:
        """Role → seconds after which its pods are marked for deletion on a node that is lost; None: never.

        Roles that have no pods here, as of a job that is suspended, are as those whose pods say nothing.
        """
        found: dict[str, int | None] = {}
        for role in self.lifecycle.lost if self.lifecycle is not None else ():
            found[role] = lost_after({})
        seen = set()
        for one, pod in zip(self.instances, self.pods, strict=False):
            if one.role in found and one.role not in seen:
                seen.add(one.role)
                found[one.role] = lost_after(mapping(pod.get("spec")))
        return found

    def refuse(self, reason: str, by: str) -> None:
        """The job itself is refused, so that nothing comes of it."""
        self.refusals.insert(0, Refusal(self.job.kind, self.job.name, by, reason))
        for listed in (self.pods, self.services, self.autoscalers, self.others, self._instances, self._unread):
            listed.clear()
        self.lifecycle = None

    @property
    def objects(self) -> list[dict[str, Any]]:
        """All that is created: pods, Services, HorizontalPodAutoscalers, and the others as they come."""
        return [*self.pods, *self.services, *self.autoscalers, *self.others]


def _parts(tree: object) -> int:
    """Entries and items of a tree, itself among them."""
    count, waiting = 1, [tree]
    for one in waiting:  # grows while it is walked
        if isinstance(one, (dict, list)):
            count += len(one)
            waiting += one.values() if isinstance(one, dict) else one
    return count
