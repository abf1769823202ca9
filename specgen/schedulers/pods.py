"""A pod as schedulers see it. Pods that are alike in all that a scheduler asks are of one sort."""

from __future__ import annotations

from specgen.diagnostics.model import shown
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.objects import namespace_of
from specgen.operators.kubernetes.room import asked, named
from specgen.operators.kubernetes.selectors import requirements
from specgen.quantity import fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeAlias

    from specgen.operators.kubernetes.selectors import Requirement

    # protocol, address, number
    Port: TypeAlias = tuple[str, str, int]

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
SCHEDULER = "default-scheduler"
# What the default score counts for a container that requests none (kube-scheduler, util/pod_resources.go).
_LEAST = {"cpu": 100 * 10**6, "memory": 200 * 1024 * 1024 * 10**9}
# The parts of a spec that a scheduler looks at; pods that differ elsewhere are alike.
_SEEN = (
    "affinity",
    "nodeSelector",
    "nodeName",
    "tolerations",
    "topologySpreadConstraints",
    "priority",
    "preemptionPolicy",
    "schedulingGates",
    "schedulerName",
    "hostNetwork",
    "overhead",
    "resources",
)


class Term:
    """A term of affinity between pods; ``namespaces``: those it names, and None with a selector of all of them."""

    __slots__ = ("asked", "key", "namespaces", "selector", "weight")

    def __init__(self, tree: dict[str, Any], namespace: str, labels: dict[str, str], weight: int = 0) -> None:
        self.key = str(tree.get("topologyKey"))
        self.weight = weight
        own = requirements(tree.get("labelSelector"))
        if own is not None:
            for word, operator in (("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")):
                keys = [str(key) for key in sequence(tree.get(word)) if str(key) in labels]
                own = (*own, *((key, operator, (labels[key],)) for key in keys))
        self.asked = own
        named = [str(one) for one in sequence(tree.get("namespaces"))]
        self.selector = requirements(tree.get("namespaceSelector"))
        self.namespaces = tuple(named) if named or self.selector is not None else (namespace,)


class Constraint:
    """A constraint of spread over the values of a label."""

    __slots__ = ("affinity", "asked", "hard", "key", "least", "skew", "taints")

    def __init__(self, tree: dict[str, Any], labels: dict[str, str]) -> None:
        self.key = str(tree.get("topologyKey"))
        self.skew = _number(tree.get("maxSkew"), 1)
        self.least = _number(tree.get("minDomains"), 1)
        self.hard = tree.get("whenUnsatisfiable") != "ScheduleAnyway"
        own = requirements(tree.get("labelSelector"))
        if own is not None:
            keys = [str(key) for key in sequence(tree.get("matchLabelKeys")) if str(key) in labels]
            own = (*own, *((key, "In", (labels[key],)) for key in keys))
        self.asked = own
        self.affinity = tree.get("nodeAffinityPolicy") != "Ignore"
        self.taints = tree.get("nodeTaintsPolicy") == "Honor"


class Sort:
    """Pods that are alike to a scheduler: what one of them asks."""

    __slots__ = (
        "affinity",
        "anti",
        "asks",
        "body",
        "claims",
        "constraints",
        "fault",
        "gates",
        "id",
        "labels",
        "namespace",
        "never",
        "node",
        "plain",
        "ports",
        "preferred",
        "preferred_pods",
        "priority",
        "resources",
        "scheduler",
        "scored",
        "selector",
        "terms",
        "tolerations",
        "volumes",
    )

    def __init__(self, number: int, namespace: str, labels: dict[str, str], spec: dict[str, Any]) -> None:
        self.id = number
        # all but the labels, to compare by
        self.body = ""
        self.namespace = namespace
        self.labels = labels
        self.asks = asked(spec)
        # what is wrong with an amount; what is counted of it is not known
        self.fault = next(
            (
                f"`{name}` of {shown(amount)} {said}"
                for _, amounts in named(spec)
                for name, amount in amounts.items()
                if (said := fault(amount, str(name)))
            ),
            "",
        )
        self.scored = {name: _scored(spec, name, least) for name, least in _LEAST.items()}
        self.ports = tuple(ports(spec))
        self.tolerations = sequence(spec.get("tolerations"))
        self.priority = _number(spec.get("priority"), 0)
        self.never = spec.get("preemptionPolicy") == "Never"
        self.gates = [str(mapping(one).get("name")) for one in sequence(spec.get("schedulingGates"))]
        self.scheduler = str(spec.get("schedulerName") or SCHEDULER)
        self.node = str(spec.get("nodeName") or "")
        self.volumes = tuple(sequence(spec.get("volumes")))
        self.claims = tuple(mapping(one) for one in sequence(spec.get("resourceClaims")))
        self.resources = spec
        node = mapping(spec.get("nodeSelector"))
        self.selector = tuple((str(key), "In", (str(value),)) for key, value in node.items())
        affinity = mapping(spec.get("affinity"))
        by_node = mapping(affinity.get("nodeAffinity"))
        required = by_node.get(REQUIRED)
        # None: no node affinity is required; an empty list: no node will do
        self.terms = sequence(required.get("nodeSelectorTerms")) if isinstance(required, dict) else None
        self.preferred = [
            (_number(mapping(one).get("weight"), 0), mapping(one).get("preference"))
            for one in sequence(by_node.get(PREFERRED))
        ]
        near, far = mapping(affinity.get("podAffinity")), mapping(affinity.get("podAntiAffinity"))
        self.affinity = [Term(mapping(one), namespace, labels) for one in sequence(near.get(REQUIRED))]
        self.anti = [Term(mapping(one), namespace, labels) for one in sequence(far.get(REQUIRED))]
        self.preferred_pods = [*_weighted(near, namespace, labels, 1), *_weighted(far, namespace, labels, -1)]
        self.constraints = [Constraint(mapping(one), labels) for one in sequence(spec.get("topologySpreadConstraints"))]

        # whether nothing but what a node is and holds itself matters to it
        self.plain = self.scheduler == SCHEDULER and not (
            self.gates or self.node or self.claims or self.constraints or self.affinity or self.anti
        )

    def asked_labels(self) -> Iterator[Requirement]:
        """All requirements on labels of pods, by which pods are told apart."""
        for term in (*self.affinity, *self.anti, *self.preferred_pods):
            yield from term.asked or ()
        for constraint in self.constraints:
            yield from constraint.asked or ()


class Pod:
    """A pod: ``job`` and ``role`` are empty where it is nobody's; ``node``: where it stands, None while it waits.

    ``since``: when it was last looked at, ``born``: when it was made, both counted. ``reason`` and ``message``: of its
    condition PodScheduled, None where nobody looked. ``key``: what it is of its job, so that it can be made again;
    ``unit``: who makes it. ``tree`` may be what writes it, for a pod of which nobody may ask for more than its sort.
    """

    __slots__ = (
        "_tree",
        "born",
        "done",
        "job",
        "key",
        "message",
        "node",
        "reason",
        "role",
        "since",
        "sort",
        "unit",
        "unknown",
    )

    def __init__(
        self,
        tree: dict[str, Any] | Callable[[], dict[str, Any]],
        job: str = "",
        role: str = "",
        key: str = "",
        unit: str = "",
    ) -> None:
        self._tree = tree
        self.job = job
        self.role = role
        self.key = key or self.name
        self.unit = unit
        self.sort: Sort
        self.node: Any = None
        self.born = self.since = 0
        # one that has ended already is nobody's
        self.done = not callable(tree) and mapping(tree.get("status")).get("phase") in ("Succeeded", "Failed")
        self.reason: str | None = None
        self.message: str | None = None
        # a fact that is missing to decide on it
        self.unknown = ""

    @property
    def tree(self) -> dict[str, Any]:
        if callable(self._tree):
            self._tree = self._tree()
        return self._tree

    @tree.setter
    def tree(self, tree: dict[str, Any]) -> None:
        self._tree = tree

    @property
    def name(self) -> str:
        return str(mapping(self.tree.get("metadata")).get("name"))

    @property
    def namespace(self) -> str:
        return namespace_of(self.tree)

    @property
    def labels(self) -> dict[str, str]:
        own = mapping(mapping(self.tree.get("metadata")).get("labels"))
        return {str(key): str(value) for key, value in own.items()}

    @property
    def spec(self) -> dict[str, Any]:
        return mapping(self.tree.get("spec"))


class Sorts:
    """The sorts of pods that were met. ``keys``: labels that somebody asks for; others tell no pods apart.

    ``social``: whether one of them asks to be near others, or far from them.
    """

    __slots__ = ("_known", "_labelled", "keys", "listed", "social")

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Sort] = {}
        self.keys: set[str] = set()
        self.listed: list[Sort] = []
        self._labelled: dict[tuple[str, str, str], list[Sort]] = {}
        self.social = False

    def learn(self, pod: Pod) -> bool:
        """Takes in which labels a pod asks of others; whether one of them is new."""
        spec = pod.spec
        if not spec.get("affinity") and not spec.get("topologySpreadConstraints"):
            return False
        found = {key for key, _, _ in Sort(-1, pod.namespace, pod.labels, spec).asked_labels()}
        return self.know(found)

    def know(self, keys: set[str]) -> bool:
        """Takes in labels by which pods are told apart; whether one of them is new."""
        new = not keys <= self.keys
        self.keys |= keys
        return new

    def of(self, pod: Pod) -> Sort:
        """The sort of a pod."""
        from json import dumps

        spec = pod.spec
        labels = {key: value for key, value in pod.labels.items() if key in self.keys}
        seen: list[Any] = [pod.namespace, {word: spec[word] for word in _SEEN if spec.get(word) is not None}]
        for word in ("containers", "initContainers"):
            seen.append(
                [
                    [one.get("resources"), one.get("ports"), one.get("restartPolicy")]
                    for one in map(mapping, sequence(spec.get(word)))
                ]
            )
        listed = [mapping(one) for one in sequence(spec.get("volumes"))]
        volumes = [one for one in listed if {"persistentVolumeClaim", "ephemeral"} & one.keys()]
        seen += [volumes, spec.get("resourceClaims")]
        if spec.get("resourceClaims") or "ephemeral" in str(volumes):
            seen.append(pod.name)  # claims are a pod's own
        body = dumps(seen, sort_keys=True, default=str)
        return self._met(pod.namespace, labels, body, volumes, lambda: spec)

    def _met(
        self,
        namespace: str,
        labels: dict[str, str],
        body: str,
        volumes: list[dict[str, Any]],
        spec: Callable[[], dict[str, Any]],
    ) -> Sort:
        from json import dumps

        signature = (dumps(labels, sort_keys=True) if labels else "", body)
        sort = self._known.get(signature)
        if sort is None:
            sort = self._known[signature] = Sort(len(self.listed), namespace, labels, spec())
            sort.body = body
            sort.volumes = tuple(volumes)
            sort.plain = sort.plain and not volumes
            self.social = self.social or bool(sort.affinity or sort.anti or sort.preferred_pods)
            self.listed.append(sort)
            for key, value in labels.items():
                self._labelled.setdefault((namespace, key, value), []).append(sort)
        return sort

    def eligible(self, namespace: str, asked: tuple[Requirement, ...] | None) -> list[Sort]:
        """A list that grows with the sorts, and holds at least those that meet requirements: the shortest there is.

        Each job has a label of its own for what its Service selects, and is not to be compared with all others.
        """
        lists = [
            self._labelled.setdefault((namespace, key, values[0]), [])
            for key, operator, values in asked or ()
            if operator == "In" and len(values) == 1
        ]
        return min(lists, key=len, default=self.listed)

    def renamed(self, sort: Sort, before: str, after: str) -> Sort:
        """The sort of pods that bear another name where those of a sort bear one."""
        labels = {key: value.replace(before, after) for key, value in sort.labels.items()}
        if before not in sort.body:
            if labels == sort.labels:
                return sort
            return self._met(sort.namespace, labels, sort.body, list(sort.volumes), lambda: sort.resources)

        def spec() -> dict[str, Any]:
            from json import dumps, loads

            return mapping(loads(dumps(sort.resources, default=str).replace(before, after)))

        return self._met(sort.namespace, labels, sort.body.replace(before, after), list(sort.volumes), spec)


def ports(spec: dict[str, Any]) -> Iterator[Port]:
    """Ports of the node that a pod takes: its host ports, and on the node's network all that it names."""
    own = spec.get("hostNetwork") is True
    sidecars = [one for one in sequence(spec.get("initContainers")) if mapping(one).get("restartPolicy") == "Always"]
    for container in (*sequence(spec.get("containers")), *sidecars):
        for port in (mapping(one) for one in sequence(mapping(container).get("ports"))):
            number = port.get("hostPort") or (port.get("containerPort") if own else None)
            if isinstance(number, int) and not isinstance(number, bool) and number > 0:
                yield str(port.get("protocol") or "TCP"), str(port.get("hostIP") or "0.0.0.0"), number


def _weighted(tree: dict[str, Any], namespace: str, labels: dict[str, str], sign: int) -> list[Term]:
    found = []
    for one in (mapping(entry) for entry in sequence(tree.get(PREFERRED))):
        weight = sign * _number(one.get("weight"), 0)
        found.append(Term(mapping(one.get("podAffinityTerm")), namespace, labels, weight))
    return found


def _scored(spec: dict[str, Any], name: str, least: int) -> int:
    """What the default score counts of a resource: at least a little for each container that requests none."""

    def filled(container: Any) -> Any:
        tree = mapping(container)
        own = mapping(tree.get("resources"))
        if mapping(own.get("requests")).get(name) is not None or mapping(own.get("limits")).get(name) is not None:
            return tree
        words = {"requests": {**mapping(own.get("requests")), name: f"{least}n"}, "limits": own.get("limits")}
        return {**tree, "resources": words}

    whole = {**spec}
    for word in ("containers", "initContainers"):
        whole[word] = [filled(one) for one in sequence(spec.get(word))]
    return asked(whole).get(name, 0)


def _number(value: Any, default: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else default
