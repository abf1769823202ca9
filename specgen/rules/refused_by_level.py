"""Pods of a manifest that the Pod Security level of the cluster profile refuses (``profile.codes`` has the page)."""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Place, shown
from specgen.manifest.views import mapping
from specgen.operators.kubernetes.pod_security import SINCE, certain, refused
from specgen.profile.codes import POD_SECURITY
from specgen.profile.library import level_of
from specgen.rules import ALL, ROLE
from specgen.rules import POD_SECURITY as LEVEL
from specgen.rules._context import below, is_own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context
    from specgen.source import Path

CODE = POD_SECURITY
SCOPE = ROLE
KINDS = ALL
NEEDS = (LEVEL,)

_OF = "the level of the namespace, as the cluster profile says"
_NOTE = "the API server refuses the pods; the job itself is accepted"
# What `restricted` wants said of every container, there or by its pod.
_DEMANDED = ("allowPrivilegeEscalation", "capabilities", "runAsNonRoot", "seccompProfile")


def check(role: Role, context: Context) -> Iterator[Finding]:
    """One finding for each thing that the level refuses; what the operator adds is nobody's here to change."""
    cluster, reader = context.cluster, context.reader
    level, where = level_of(cluster, role.workload.manifest.ref.namespace) if cluster is not None else (None, ())
    if level not in ("baseline", "restricted") or reader is None or not reader.makes_pods(role):
        return
    pod = reader.sent(role)
    demanded: dict[Path, list[tuple[Path, str]]] = {}
    for here, what in refused(pod, strict=level == "restricted"):
        if not is_own(role, here):
            continue
        if here[-1] in _DEMANDED and len(here) == 5 and _at(pod, here) is None:
            demanded.setdefault(here[:3], []).append((here, what))
            continue
        known = certain(here, cluster.kubernetes if cluster is not None else None)
        if known is False:
            continue
        finding = CODE.at(
            Place((*role.template_path, *here)),
            f"{what} contradicts `podSecurity: {level}`",
            notes=[_OF, _NOTE if known else SINCE],
            severity=None if known else WARNING,
        )
        finding.cluster = [(where, "the level")]
        yield finding
    for container, missing in demanded.items():
        name = mapping(_at(pod, container)).get("name")
        finding = CODE.at(
            Place((*role.template_path, *container)),
            f"container `{shown(name)}` lacks what `podSecurity: {level}` demands",
            notes=[_OF, *[f"it says no `{path[-1]}`" for path, _ in missing], _NOTE],
        )
        finding.cluster = [(where, "the level")]
        yield finding


def _at(tree: Any, path: Path) -> Any:
    for step in path:
        tree = below(tree, step)
    return tree
