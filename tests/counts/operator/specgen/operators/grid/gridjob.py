"""GridJob, ``grid.example.com/v1``: what the grid-operator takes."""

from __future__ import annotations

from specgen.manifest.views import Role, Workload, mapping
from specgen.operators.grid.facts import FRAMEWORK, OPERATOR
from specgen.operators.grid.refusals import refusals
from specgen.operators.reader import Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.manifest.model import Manifest
    from specgen.operators.expansion import Expansion


def read(manifest: Manifest, version: str | None = None) -> Workload:
    """The job as the operator sees it. Never raises."""
    found = Workload(
        manifest, container=FRAMEWORK.container, operator=OPERATOR.name, version=version or OPERATOR.newest
    )
    found.rules_env = FRAMEWORK.injected
    found.terms = FRAMEWORK.terms
    roles = mapping(mapping(manifest.tree.get("spec")).get(FRAMEWORK.field))
    for name in FRAMEWORK.roles:
        if isinstance(roles.get(name), dict):
            found.roles.append(Role(found, name, (*FRAMEWORK.terms.path, name), roles[name]))
    return found


def expand(workload: Workload) -> Expansion:
    """What the operator creates (``pods``)."""
    # loaded here: linting does not ask for it
    from specgen.operators.grid.pods import expand as objects

    return objects(workload)


READER = Reader(
    "grid.example.com/v1",
    "GridJob",
    schema="gridjob_v1",
    operator=OPERATOR,
    read=read,
    expand=expand,
    refusals=refusals,
)
