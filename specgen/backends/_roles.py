"""What all readers of the training operator's kinds share: roles as they are written, and what its versions lack."""

from __future__ import annotations

from specgen.manifest.views import Role, mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.manifest.views import Workload

OPERATOR = "training-operator"
NEWEST = "1.9.4"
# Releases whose behaviour was read and recorded; another one is said to be unknown.
RELEASES: tuple[str, ...] = ("1.7", "1.8", "1.9")
# What the webhooks of the kinds that look at ``managedBy`` take (pkg/apis/kubeflow.org/v1/common_types.go).
MANAGERS = ("kubeflow.org/training-operator", "kueue.x-k8s.io/multikueue")


def add_roles(workload: Workload, field: str, names: tuple[str, ...], *, any_name: bool = False) -> None:
    """Gives a workload its roles in the order of ``names``.

    any_name: the operator takes names in any case of letters, and unknown ones too, which come last.
    """
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


def absent_fields(version: str) -> frozenset[tuple[str, str]]:
    """Fields of the vendored schema that the CRD of an older version lacks."""
    from specgen.backends._training_operator import absent_fields as fields

    return fields(version)


def unique_lists(version: str) -> tuple[str, ...] | None:
    """The only lists whose keys an older version holds unique."""
    from specgen.backends._training_operator import unique_lists as lists

    return lists(version)
