"""What the API server refuses of a role's pods, for the rules that present it; each role is judged once.

``operators.kubernetes.admission`` decides, about the template as the job's operator sends it.
"""

from __future__ import annotations

from specgen.manifest.views import mapping
from specgen.operators.kubernetes.admission import refusals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.views import Container, Role
    from specgen.operators.kubernetes.reason import Reason
    from specgen.rules import Context
    from specgen.source import Path

# Causes that the schema of a job finds by itself where its CRD holds the keys of a list unique (SG104).
_UNIQUE = ("claim-twice", "container-twice", "gate-twice", "mount-twice", "spread-twice", "volume-twice")


def refused(role: Role, context: Context) -> list[Reason]:
    """The refusals of a role's pods that are nobody else's finding; none where the operator makes no pod."""
    if role.refused is None:
        reader = context.reader
        assert reader is not None  # whoever asks for this judges a job
        role.refused = list(refusals(reader.sent(role))) if reader.makes_pods(role) else []
    return [one for one in role.refused if not _is_known(one, role, context)] if role.refused else []


def of_container(container: Container, context: Context) -> list[Reason]:
    """Those of one container."""
    own: Path = ("spec", *container.path[-2:])
    return [one for one in refused(container.role, context) if one.path[:3] == own]


def is_own(role: Role, path: Path) -> bool:
    """Whether a path of the pod leads to something of the role's template, and not to what its operator adds."""
    tree: Any = {"spec": role.pod, "metadata": role.template.get("metadata")}
    for step in path:
        if isinstance(tree, list) and isinstance(step, int) and step >= len(tree):
            return False
        tree = below(tree, step)
    # a field that is missing is missing in the template
    return True


def below(tree: Any, step: str | int) -> Any:
    """The item or field of a tree; None where it has none."""
    if isinstance(step, int):
        return tree[step] if isinstance(tree, list) and step < len(tree) else None
    return mapping(tree).get(step)


def _is_known(reason: Reason, role: Role, context: Context) -> bool:
    """Whether a refusal is another finding already, or about a text that a tool still fills in."""
    path: Path = (*role.template_path, *reason.path)
    for other in (*context.misplaced_env, *context.misshapen):
        common = min(len(path), len(other))
        if path[:common] == other[:common]:
            return True
    # a runtime's lists are judged where the runtime is
    if role.workload.operator == "trainer" and reason.cause in _UNIQUE:
        return True
    return reason.cause != "no-volume" and _is_unfinished(role, reason.path)


def _is_unfinished(role: Role, path: Path) -> bool:
    """Whether a value, or the key that names it, holds what a tool fills in: ``${NAME}``, ``{{name}}``."""
    value: Any = {"spec": role.pod, "metadata": role.template.get("metadata")}
    for step in path:
        value = below(value, step)
    return any("$" in text or "{{" in text for text in (value, path[-1]) if isinstance(text, str))
