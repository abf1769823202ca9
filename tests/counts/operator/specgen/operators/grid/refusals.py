"""What is refused of a GridJob: its name, by the API server; the grid-operator has no webhook."""

from __future__ import annotations

from specgen.operators.kubernetes.objects import NAME, SERVER, name_of, name_refusal, tree_of
from specgen.operators.objection import Objection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.manifest.views import Workload


def refusals(workload: Workload) -> Iterator[Objection]:
    """Everything for which a GridJob gets no objects."""
    reason = name_refusal(name_of(tree_of(workload)))
    if reason:
        yield Objection(NAME, reason, SERVER, "name")
