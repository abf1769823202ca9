"""MSJob, ``mindspore.gitee.com/v1``: what the ms-operator (mindspore-ai/ms-operator) takes.

Read from v1.0.0 (e361e2b), its only release: pkg/apis/v1/{msjob_types,defaults}.go, pkg/controllers/v1/
{msjob_controller,utils}.go, config/crd; held against its recorded jobs. What the operator creates is in ``pods``.
"""

from __future__ import annotations

from specgen.manifest.views import Role, Workload, mapping
from specgen.operators.mindspore.facts import FRAMEWORK, OPERATOR
from specgen.operators.mindspore.refusals import refusals, roles_of
from specgen.operators.reader import Reader
from specgen.operators.template import restart
from specgen.operators.training.roles import with_port

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.model import Manifest
    from specgen.operators.expansion import Expansion
    from specgen.operators.lifecycle import Counted


def read(manifest: Manifest, version: str | None = None) -> Workload:
    """The job as the operator sees it: roles in any case of letters, one process in each pod. Never raises."""
    workload = Workload(
        manifest, container=FRAMEWORK.container, operator=OPERATOR.name, version=version or OPERATOR.newest
    )
    workload.rules_env = FRAMEWORK.injected
    workload.terms = FRAMEWORK.terms
    roles = roles_of(mapping(mapping(manifest.tree.get("spec")).get(FRAMEWORK.field)))
    for name, (written, part) in roles.items():
        # the operator makes pods of any other word too
        if isinstance(part, dict):
            workload.roles.append(Role(workload, name, (*FRAMEWORK.terms.path, written), part))
    return workload


def expand(workload: Workload) -> Expansion:
    """What the operator creates (``pods``)."""
    # loaded here: linting does not ask for it
    from specgen.operators.mindspore.pods import expand as objects

    return objects(workload)


def sent(role: Role) -> dict[str, Any]:
    """A pod of a role as the operator sends it, without metadata: the CRD drops that of templates."""
    spec = {**role.pod, "restartPolicy": restart(role)}
    if spec.get("hostNetwork") is True:
        with_port(role.workload, spec)
    return {"spec": spec}


def counted(roles: dict[str, tuple[int, str]], most: int | None = None) -> Counted | None:
    """What a limit on restarts counts of an incident (``lifecycle``)."""
    # loaded here: few jobs have a limit
    from specgen.operators.mindspore.lifecycle import counted as count

    return count(roles, most)


READER = Reader(
    "mindspore.gitee.com/v1",
    "MSJob",
    schema="msjob_v1",
    operator=OPERATOR,
    read=read,
    expand=expand,
    refusals=refusals,
    sent=sent,
    counted=counted,
    insists=True,
)
