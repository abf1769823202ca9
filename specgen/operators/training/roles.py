"""What all readers of the training operator's kinds share: the job as it is written, role by role."""

from __future__ import annotations

from specgen.manifest.views import Role, Workload, mapping
from specgen.operators.training.facts import HOOKED, OPERATOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.model import Manifest
    from specgen.operators.training.facts import Framework


def workload(
    framework: Framework, manifest: Manifest, version: str | None = None, *, any_name: bool = False
) -> Workload:
    """A job as the operator sees it, one process in each pod. Never raises.

    any_name: the operator takes names of roles in any case of letters, and unknown ones too, which come last.
    """
    found = Workload(
        manifest, container=framework.container, operator=OPERATOR.name, version=version or OPERATOR.newest
    )
    found.hooked = framework.terms.hooked and OPERATOR.at(found.version) >= HOOKED
    found.rules_env = framework.injected
    found.terms = framework.terms
    _add_roles(found, framework.field, framework.roles, any_name=any_name)
    return found


def _add_roles(workload: Workload, field: str, names: tuple[str, ...], *, any_name: bool) -> None:
    """Gives a workload its roles in the order of ``names``."""
    given = mapping(mapping(workload.manifest.tree.get("spec")).get(field))
    right = {name.lower(): name for name in names}
    found: dict[str, str] = {}
    for written in given:
        name = right.get(written.lower(), written) if any_name and isinstance(written, str) else written
        if isinstance(given[written], dict) and (any_name or name in names):
            found[name] = written
    for name in [*(name for name in names if name in found), *(name for name in found if name not in names)]:
        # absent Workers of an MPIJob are none (pkg/apis/kubeflow.org/v1/mpi_defaults.go)
        unsaid = 0 if workload.kind == "MPIJob" and name == "Worker" else 1
        workload.roles.append(Role(workload, name, ("spec", field, found[name]), given[found[name]], unsaid=unsaid))


def roles_of(workload: Workload, spec: dict[str, Any]) -> dict[str, tuple[str, Any]] | None:
    """Role as this version calls it → the key under which it stands, and its replica spec; None: no field holds any.

    The operator corrects the case of letters, if nobody refuses the job before (recorded): since 1.8 the webhooks do,
    but TFJob's; MPIJobs are always judged before they are defaulted.
    """
    terms = workload.terms
    given = spec.get(terms.field) if terms is not None else None
    if terms is None or not isinstance(given, dict):
        return None
    if workload.kind == "MPIJob" or (workload.hooked and terms.strict):
        return {name: (name, part) for name, part in given.items()}
    right = {role.lower(): role for role in terms.roles}
    return {right.get(name.lower(), name): (name, part) for name, part in given.items() if isinstance(name, str)}
