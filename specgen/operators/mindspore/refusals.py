"""What is refused of an MSJob: by the API server, or by the ms-operator, whose validation only writes to the log.

Read from mindspore-ai/ms-operator v1.0.0 (e361e2b): pkg/apis/v1/defaults.go, pkg/controllers/v1/msjob_controller.go;
held against its recorded jobs.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.objects import NAME, SERVER, name_of, name_refusal, tree_of
from specgen.operators.mindspore.facts import FRAMEWORK, OPERATOR
from specgen.operators.objection import Objection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.manifest.views import Workload


_ROLES = frozenset(FRAMEWORK.roles)


def refusals(workload: Workload) -> Iterator[Objection]:
    """Everything for which an MSJob gets no objects, or its Scheduler no Service, and then nothing either."""
    tree = tree_of(workload)
    own = f"{OPERATOR.name} {workload.version}"
    reason = name_refusal(name_of(tree))
    if reason:
        yield Objection(NAME, reason, SERVER, "name")
    for role, (written, part) in roles_of(mapping(mapping(tree.get("spec")).get(FRAMEWORK.field))).items():
        pod = mapping(mapping(mapping(part).get("template")).get("spec"))
        if not sequence(pod.get("containers")):
            path = (*FRAMEWORK.terms.path, written, "template", "spec", "containers")
            reason = (
                f"it panics over the empty list of containers of `{role}`, and serves no MSJob until this one is gone"
            )
            yield Objection(path, reason, own, "containers")
        elif role == "Scheduler" and all(mapping(one).get("name") != FRAMEWORK.container for one in pod["containers"]):
            path = (*FRAMEWORK.terms.path, written, "template", "spec", "containers")
            reason = f"no container of `{role}` is called `{FRAMEWORK.container}`, so it finds no port; no pod follows"
            yield Objection(path, reason, own, "container-name", of="Service")


def roles_of(given: dict[str, Any]) -> dict[str, tuple[str, Any]]:
    """Role as the operator calls it → the key under which it stands, and its replica spec.

    Its own come first, unknown ones by name after them. It corrects the case of letters: a name in another case wins
    over the right one.
    """
    if given.keys() <= _ROLES and None not in given.values():
        return {role: (role, given[role]) for role in FRAMEWORK.roles if role in given}  # as most are written
    right = {role.lower(): role for role in FRAMEWORK.roles}
    words = {name: part for name, part in given.items() if isinstance(name, str) and part is not None}
    found = {name: (name, part) for name, part in words.items() if right.get(name.lower(), name) == name}
    found |= {right[name.lower()]: (name, part) for name, part in words.items() if name not in found}
    known = [role for role in FRAMEWORK.roles if role in found]
    return {role: found[role] for role in [*known, *sorted(role for role in found if role not in known)]}
