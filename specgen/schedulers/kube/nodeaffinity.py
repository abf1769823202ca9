"""NodeName and NodeAffinity: the selector and the required terms (Kubernetes 1.36, nodeaffinity/node_affinity.go)."""

from __future__ import annotations

from specgen.manifest.views import mapping
from specgen.operators.kubernetes.selectors import expressions, meets, node_term
from specgen.schedulers.kube.state import UNRESOLVABLE, Status
from specgen.schedulers.world import HOSTNAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.schedulers.kube.state import Kind
    from specgen.schedulers.pods import Sort

MISMATCH = "node(s) didn't match Pod's node affinity/selector"
CONFLICT = "pod affinity terms conflict"


def matches(sort: Sort, kind: Kind) -> bool:
    """Whether a node meets the selector and one of the required terms."""
    if not meets(kind.labels, sort.selector):
        return False
    return sort.terms is None or any(node_term(term, kind.labels, kind.name) for term in sort.terms)


def check(sort: Sort, kind: Kind) -> Status | None:
    """A node that the pod does not select."""
    return None if matches(sort, kind) else Status("NodeAffinity", UNRESOLVABLE, MISMATCH)


def named(sort: Sort) -> frozenset[str] | None:
    """The only nodes that are looked at, where each term names some by ``metadata.name``; None: all are."""
    if not sort.terms:
        return None
    found: set[str] = set()
    for term in sort.terms:
        own: set[str] | None = None
        for key, operator, values in expressions(mapping(term).get("matchFields")):
            if key == "metadata.name" and operator == "In":
                own = set(values) if own is None else own & set(values)
        if own is None:
            return None
        found |= own
    return frozenset(found)


def host(sort: Sort) -> str | None:
    """The one hostname that the selector asks for, as Kueue's topology writes it; None: it asks for none."""
    for key, operator, values in sort.selector:
        if key == HOSTNAME and operator == "In" and len(values) == 1:
            return values[0]
    return None


def preferred(sort: Sort, kind: Kind) -> int:
    """The sum of the weights of preferences that a node meets."""
    return sum(weight for weight, term in sort.preferred if node_term(term, kind.labels, kind.name))
