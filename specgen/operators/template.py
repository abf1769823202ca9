"""A pod of a role as its operator sends it: the template, and what the operator adds that the API server judges.

What grows with a pod's index, such as its name and its environment, is not in it: ``expand`` makes the pods with that,
and tests hold both to one verdict.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.views import Role

_POLICIES = ("Always", "OnFailure", "Never", "ExitCode")


def sent(role: Role) -> dict[str, Any]:
    """The template with the volumes that the operator adds."""
    spec = dict(role.pod)
    known = [mapping(volume).get("name") for volume in sequence(spec.get("volumes"))]
    append(spec, "volumes", [{"name": name} for name in role.workload.added_volumes if name not in known])
    return pod(role, spec)


def pod(role: Role, spec: dict[str, Any], *taken: str) -> dict[str, Any]:
    """A pod of this spec with the metadata of the role's template; ``taken``: the only parts of it that come along."""
    if "metadata" not in role.template:
        return {"spec": spec}
    metadata = mapping(role.template["metadata"])
    if taken:
        metadata = {key: metadata[key] for key in taken if key in metadata}
    return {"metadata": metadata, "spec": spec}


def restart(role: Role) -> str:
    """The policy of the pods, whatever the template says; an unknown word is a finding of its own (SG313)."""
    terms, policy = role.workload.terms, role.tree.get("restartPolicy")
    if terms is None or policy in (None, "") or policy not in _POLICIES:
        return "" if terms is None else terms.restart.get(role.name, terms.restart[""])
    return "Never" if policy == "ExitCode" else str(policy)


def append(tree: dict[str, Any], key: str, items: list[dict[str, Any]]) -> None:
    """Adds items to a list of a tree, which is not changed itself."""
    if items:
        tree[key] = [*sequence(tree.get(key)), *items]


def mount(spec: dict[str, Any], mounts: list[dict[str, Any]]) -> None:
    """Adds volumes of these names to a spec, and their mounts to its first container."""
    append(spec, "volumes", [{"name": one["name"]} for one in mounts])
    first, *rest = sequence(spec.get("containers")) or [None]
    if isinstance(first, dict):
        first = dict(first)
        append(first, "volumeMounts", mounts)
        spec["containers"] = [first, *rest]
