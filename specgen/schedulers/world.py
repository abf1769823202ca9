"""What a scheduler sees of a cluster: nodes in groups of equal ones, what stands on them, and the objects that matter.

A world is made of real objects (``objects``), of a cluster profile (``session.world``), or of anything else that
names nodes. Amounts are whole numbers of billionths, as ``quantity.nano`` gives them. What further schedulers look at
(queues, flavors, topologies, PodGroups) are objects like the others: ``Objects`` keeps any kind by namespace and name.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    from specgen.source import Path

    # operator → its version and its flag for gang scheduling; None: the newest; nobody says, empty: it has none
    Operators: TypeAlias = dict[str, tuple[str | None, str | None]]

HOSTNAME = "kubernetes.io/hostname"
# Taints by which the node controller says what is wrong with a node (kubernetes.io, "Taints and Tolerations").
_OF_CONDITIONS = "node.kubernetes.io/"


class Numbered:
    """Names that are counted, such as ``h100-0``, ``h100-1``, …: as many as there are, at the cost of one.

    ``start``: the number of the first one.
    """

    __slots__ = ("_count", "_start", "prefix")

    def __init__(self, prefix: str, count: int, start: int = 0) -> None:
        self.prefix = prefix
        self._count = count
        self._start = start

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, at: int) -> str:
        return f"{self.prefix}{self._start + at}"

    def place(self, name: str) -> int | None:
        """Where a name stands; None: it is none of these."""
        rest = name.removeprefix(self.prefix)
        if rest == name or not rest.isascii() or not rest.isdigit() or len(rest) > 10 or rest != str(int(rest)):
            return None
        at = int(rest) - self._start
        return at if 0 <= at < self._count else None


class Named:
    """Names that are listed."""

    __slots__ = ("_at", "_names")

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self._at = {name: at for at, name in enumerate(self._names)}

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, at: int) -> str:
        return self._names[at]

    def place(self, name: str) -> int | None:
        """Where a name stands; None: it is none of these."""
        return self._at.get(name)


class Taint:
    """A taint of nodes."""

    __slots__ = ("effect", "key", "value")

    def __init__(self, key: str, value: str, effect: str) -> None:
        self.key = key
        self.value = value
        self.effect = effect

    @property
    def words(self) -> tuple[str, str, str]:
        """All of it, to compare by."""
        return self.key, self.value, self.effect


class Nodes:
    """Nodes that are alike: a group's name, the names of its nodes, and what one of them is and offers.

    ``allocatable``: resource → billionths; a resource that is not there is 0, but for those of ``unknown``: of these
    nobody knows how much a node has, and nothing is counted against them. ``labels``: without the hostname, which is
    each node's own name. ``conditions``: type → status; no scheduler here looks at them, only at taints. ``devices``:
    of each of them, for claims.
    """

    __slots__ = (
        "allocatable",
        "conditions",
        "devices",
        "group",
        "labels",
        "names",
        "taints",
        "unknown",
        "unschedulable",
    )

    def __init__(
        self,
        group: str,
        names: Numbered | Named,
        allocatable: dict[str, int],
        *,
        labels: dict[str, str] | None = None,
        taints: Sequence[Taint] = (),
        unschedulable: bool = False,
        conditions: dict[str, str] | None = None,
        unknown: frozenset[str] = frozenset(),
        devices: Sequence[Any] = (),
    ) -> None:
        self.group = group
        self.names = names
        self.allocatable = allocatable
        self.labels = labels or {}
        self.taints = tuple(taints)
        self.unschedulable = unschedulable
        self.conditions = conditions or {}
        self.unknown = unknown
        self.devices = tuple(devices)

    def returned(self) -> Nodes | None:
        """The nodes as they are once nothing is wrong with them; None: nothing is."""
        passing = [taint for taint in self.taints if taint.key.startswith(_OF_CONDITIONS)]
        if not self.unschedulable and not passing:
            return None
        return Nodes(
            self.group,
            self.names,
            self.allocatable,
            labels=self.labels,
            taints=[taint for taint in self.taints if taint not in passing],
            conditions=self.conditions,
            unknown=self.unknown,
            devices=self.devices,
        )

    @property
    def order(self) -> tuple[str, ...]:
        """What groups are put in order by, whatever the order in which they are named."""
        words = (self.labels, self.allocatable, [taint.words for taint in self.taints], self.unschedulable)
        return (*(str(sorted(one.items()) if isinstance(one, dict) else one) for one in words), self.group)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.names)


class Objects:
    """Objects by kind, namespace and name; those without a namespace are in ``default``.

    ``open``: of a kind of which none is among them there may be some all the same; ``more``: kinds of which there may
    be others besides; ``held``: classes of devices that the nodes name themselves, without slices.
    """

    __slots__ = ("_kinds", "_selecting", "held", "more", "open")

    def __init__(self, trees: Sequence[dict[str, Any]] = ()) -> None:
        self._kinds: dict[str, dict[tuple[str, str], dict[str, Any]]] = {}
        # the labels by which Services select pods → (namespace, their values) → the Services
        self._selecting: dict[tuple[str, ...], dict[tuple[str, ...], dict[tuple[str, str], dict[str, str]]]] = {}
        self.open = False
        self.more: tuple[str, ...] = ()
        self.held: frozenset[str] = frozenset()
        for tree in trees:
            self.add(tree)

    def add(self, tree: dict[str, Any]) -> None:
        """Adds an object, in place of one of its name."""
        if tree.get("kind") == "Service":
            self.drop(tree)
            selector = _selector(tree)
            if selector:
                own = self._selecting.setdefault(tuple(selector), {})
                own.setdefault((_key(tree)[0], *selector.values()), {})[_key(tree)] = selector
        self._kinds.setdefault(str(tree.get("kind")), {})[_key(tree)] = tree

    def bring(self, tree: dict[str, Any]) -> None:
        """Adds an object that comes with a job: it says nothing of which others of its kind there are."""
        kind = str(tree.get("kind"))
        if not self.knows(kind) and kind not in self.more:
            self.more = (*self.more, kind)
        self.add(tree)

    def drop(self, tree: dict[str, Any]) -> None:
        """Takes an object away, if it is there."""
        gone = self._kinds.get(str(tree.get("kind")), {}).pop(_key(tree), None)
        selector = _selector(gone) if gone is not None and gone.get("kind") == "Service" else {}
        if selector:
            self._selecting[tuple(selector)][(_key(tree)[0], *selector.values())].pop(_key(tree), None)

    def selecting(self, namespace: str, labels: Mapping[str, str]) -> Iterator[dict[str, str]]:
        """The selectors of the Services that select pods with these labels."""
        for keys, own in self._selecting.items():
            if all(key in labels for key in keys):
                yield from own.get((namespace, *(labels[key] for key in keys)), {}).values()

    def of(self, kind: str, namespace: str = "") -> Iterator[dict[str, Any]]:
        """The objects of a kind, those of one namespace where one is named."""
        for (there, _), tree in self._kinds.get(kind, {}).items():
            if not namespace or there == namespace:
                yield tree

    def named(self, kind: str, name: str, namespace: str = "default") -> dict[str, Any] | None:
        """The object of a kind and name; None: there is none."""
        return self._kinds.get(kind, {}).get((namespace, name))

    def knows(self, kind: str) -> bool:
        """Whether an object of a kind that is not among these does not exist."""
        return not self.open or (bool(self._kinds.get(kind)) and kind not in self.more)

    def copy(self) -> Objects:
        """A world of its own: what is added there is not here."""
        made = Objects()
        made.open, made.more, made.held = self.open, self.more, self.held
        made._kinds = {kind: dict(trees) for kind, trees in self._kinds.items()}
        made._selecting = {
            keys: {values: dict(services) for values, services in own.items()} for keys, own in self._selecting.items()
        }
        return made


def _selector(service: dict[str, Any]) -> dict[str, str]:
    own = mapping(mapping(service.get("spec")).get("selector"))
    return {str(key): str(own[key]) for key in sorted(own, key=str)}


def _key(tree: dict[str, Any]) -> tuple[str, str]:
    metadata = mapping(tree.get("metadata"))
    return str(metadata.get("namespace") or "default"), str(metadata.get("name") or metadata.get("generateName") or "")


class Missing:
    """A fact about a world that nobody says; with ``label`` it matters to pods alone that ask for that label.

    ``named``: to those alone that ask for a value of it; ``placed``: also to pods that find a node; ``nodes``: those
    that it is about, where it is about some alone: to pods that may not go there it does not matter.
    """

    __slots__ = ("label", "named", "nodes", "placed", "what")

    def __init__(
        self, what: str, label: str = "", *, named: bool = False, placed: bool = False, nodes: Nodes | None = None
    ) -> None:
        self.what = what
        self.nodes = nodes
        self.label = label
        self.named = named
        self.placed = placed


class Supposed:
    """Flavors of queues as a cluster profile lets suppose them.

    ``pools``: flavor → the pools whose nodes it means; ``called``: those that are called like a pool, of which nobody
    says whether they bring tolerations; ``levels``: flavor → the labels of the levels that it has; ``large``: those of
    more nodes than are told apart; ``words``: label → the profile's word for it; ``told``: flavor → the labels of the
    levels that it has in truth, none of one without a Topology, of those of which the profile says it.
    """

    __slots__ = ("called", "large", "levels", "pools", "told", "words")

    def __init__(self) -> None:
        self.pools: dict[str, list[str]] = {}
        self.called: frozenset[str] = frozenset()
        self.levels: dict[str, list[str]] = {}
        self.large: set[str] = set()
        self.words: dict[str, str] = {}
        self.told: dict[str, list[str]] = {}

    def supposes(self, flavors: Iterable[str]) -> bool:
        """Whether nobody says of one of some flavors which levels it has."""
        return any(flavor not in self.told for flavor in flavors)

    def lacks(self, flavors: Sequence[str], level: str) -> str:
        """The fact that nobody says about a level of some flavors; empty: all of them have it."""
        for flavor in flavors:
            if level in self.levels.get(flavor, ()) or level not in self.told.get(flavor, [level]):
                continue
            pools = self.pools.get(flavor, [])
            if not pools:
                line = f"`pools.NAME.labels`, or `scheduling.flavors.{flavor}.labels`"
                return f"which nodes the flavor {flavor} means: {line}"
            if flavor in self.large:
                return f"which nodes of the flavor {flavor} are in which domain, of so many nodes"
            word = self.words.get(level)
            line = f"`pools.{pools[0]}.nodes.domains.{word}`" if word else f"`topology: {{WORD: {level}}}`"
            return f"which nodes are in which domain of `{level}`: {line}"
        return ""


class World:
    """Nodes, the pods that stand or wait there already (plain trees with ``spec.nodeName``), and all other objects.

    ``partial``: devices that no group of nodes names may be there all the same; ``missing``: what else nobody says;
    ``operators``: those that make pods of jobs, where another is meant than the newest. Without ``domains`` nobody says
    which flavor has a topology, nor in which domains of it the nodes are; ``supposed``: what a cluster profile lets
    suppose of that, so that it counts for pods alone that wish for a domain. ``said``: where the cluster profile that
    it is made of says what decides, and what it says there, by ``nodes`` (how many), ``taint`` or ``label`` and the
    group, by ``amount``, the group and a resource, and by ``quota`` or ``limits`` and the namespace. ``ways``: the
    nodes as those that are away may be shared among domains, and whether these are all ways, else the best and the
    worst of them; None: nobody leaves that open. ``housed``: group → nodes of it that real pods were given.
    """

    __slots__ = (
        *("domains", "housed", "missing", "nodes", "objects", "operators", "partial", "pods", "said", "supposed"),
        "ways",
    )

    def __init__(
        self, nodes: Sequence[Nodes], pods: Sequence[dict[str, Any]] = (), objects: Objects | None = None
    ) -> None:
        self.nodes = list(nodes)
        self.pods = list(pods)
        self.objects = objects or Objects()
        self.missing: list[Missing] = []
        self.partial = False
        self.operators: Operators = {}
        self.domains = True
        self.supposed: Supposed | None = None
        self.said: dict[tuple[str, ...], tuple[Path, str]] = {}
        self.ways: Callable[[], tuple[list[list[Nodes]], bool]] | None = None
        self.housed: dict[str, int] = {}

    def emptied(self, objects: Objects | None = None) -> World:
        """The same nodes without a pod, and without what claims of pods hold; ``objects``: others than its own."""
        whole = objects or self.objects
        held = [tree for tree in whole.of("ResourceClaim") if tree.get("status")]
        if held:
            whole = whole.copy()
            for tree in held:
                whole.add({key: value for key, value in tree.items() if key != "status"})
        made = World(self.nodes, [], whole)
        made.operators, made.domains, made.said = self.operators, self.domains, self.said
        made.supposed = self.supposed
        return made

    def with_pods(self, pods: Sequence[dict[str, Any]]) -> World:
        """The same with other pods."""
        made = World(self.nodes, pods, self.objects)
        made.missing, made.partial, made.operators, made.domains = (
            self.missing,
            self.partial,
            self.operators,
            self.domains,
        )
        made.supposed, made.said = self.supposed, self.said
        return made

    def with_nodes(self, nodes: Sequence[Nodes]) -> World:
        """The same with other nodes, of which nothing is left open."""
        made = World(nodes, self.pods, self.objects)
        made.missing = [one for one in self.missing if not one.placed]
        made.partial, made.operators, made.domains = self.partial, self.operators, self.domains
        made.supposed, made.said = self.supposed, self.said
        return made

    def returned(self) -> World | None:
        """The same nodes without a pod, all of them as they are once nothing is wrong with them; None: nothing is."""
        if all(nodes.returned() is None for nodes in self.nodes):
            return None
        made = self.emptied()
        made.nodes = [nodes.returned() or nodes for nodes in self.nodes]
        return made

    def unsaid(self, name: str) -> bool:
        """Whether nobody says how much of a resource there is."""
        if any(name in nodes.unknown for nodes in self.nodes):
            return True
        return self.partial and not any(name in nodes.allocatable for nodes in self.nodes)

    def strangers(self) -> int:
        """Pods that say they stand on a node that is not there."""
        names = [str(mapping(tree.get("spec")).get("nodeName") or "") for tree in self.pods]
        return sum(all(nodes.names.place(name) is None for nodes in self.nodes) for name in names if name)

    @property
    def count(self) -> int:
        """Nodes in all."""
        return sum(group.count for group in self.nodes)


def taints_of(entries: Any) -> list[Taint]:
    """Taints as a node's spec writes them."""
    trees = [mapping(one) for one in sequence(entries)]
    return [Taint(str(one.get("key")), str(one.get("value") or ""), str(one.get("effect"))) for one in trees]
