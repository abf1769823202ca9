"""MSEvalJob, ``mindspore.gitee.com/v1``: pods that judge checkpoints, each by itself.

What the operator creates is in ``msevaljob_pods``.
"""

from __future__ import annotations

from specgen.manifest.views import Role, Terms, Workload, mapping
from specgen.operators.mindspore.facts import OPERATOR
from specgen.operators.reader import Reader
from specgen.operators.training.facts import Framework

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.manifest.model import Manifest
    from specgen.operators.expansion import Expansion

FRAMEWORK = Framework(
    "MSEvalJob",
    Terms("evalReplicaSpecs", ("Worker",)),
    container="mindspore",
    controller="msevaljob-controller",
    injected=frozenset(("MS_EVAL_ID",)),
)


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
    """What the operator creates (``msevaljob_pods``)."""
    # loaded here: linting does not ask for it
    from specgen.operators.mindspore.msevaljob_pods import expand as objects

    return objects(workload, FRAMEWORK)


READER = Reader(
    "mindspore.gitee.com/v1", "MSEvalJob", schema="msevaljob_v1", operator=OPERATOR, read=read, expand=expand
)
