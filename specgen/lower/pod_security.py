"""The Pod Security level of the cluster: what `restricted` demands is written, what a level refuses is found.

Loaded where the cluster profile names a level.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Place
from specgen.manifest.origins import located
from specgen.manifest.views import mapping
from specgen.operators.kubernetes.pod_security import SINCE, certain, refused
from specgen.plan.codes import POD_SECURITY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.origins import Origins
    from specgen.plan.model import Plan
    from specgen.source import Path


def check(plan: Plan, tree: dict[str, Any], origins: Origins) -> list[Finding]:
    """SG325 for every pod template below ``tree``, patches and all; equal templates are looked at once."""
    if plan.pod_security is None:
        return []
    level, cluster = plan.pod_security.value, plan.pod_security.at
    strict = level == "restricted"
    findings = []
    seen: list[dict[str, Any]] = []
    for path, template in _pods(tree, ()):
        spec, metadata = template.get("spec"), template.get("metadata")
        if any(spec is other.get("spec") and metadata == other.get("metadata") for other in seen):
            continue
        seen.append(template)
        for below, what in refused(template, strict=strict):
            known = certain(below, None)
            findings.append(
                POD_SECURITY.at(
                    Place((*path, *below), where=origins),
                    f"{what} contradicts `podSecurity: {level}`",
                    related=[(cluster, "the level of the namespace")],
                    notes=["the API server refuses the pods; the job itself is accepted" if known else SINCE],
                    severity=None if known else WARNING,
                )
            )
    role, name = _added(plan) if strict else ("", "")
    if len(plan.roles) > 1 and any(one.name == role for one in plan.roles):
        findings.append(
            POD_SECURITY.at(
                cluster,
                "`podSecurity: restricted` contradicts "
                f"the container `{name}`, which the operator adds to every {role}",
                related=[(located(plan.world.target), f"{plan.kind.one}")],
                notes=["as it is built in, it says nothing of privileges, and the API server refuses the pod"],
                helps=["the administrator of the operator can give it another template"],
                severity=WARNING,
            )
        )
    return findings


def _added(plan: Plan) -> tuple[str, str]:
    """(role, container) of what the operator puts into pods without a word about security; empty where it adds none."""
    if plan.kind.operator != "training-operator":
        return "", ""
    from specgen.operators.training.facts import ADDED  # jobs of other operators do not load it

    return ADDED.get(plan.kind.name, ("", ""))


def _pods(tree: Any, path: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """(path, template) of every pod template in a tree."""
    if isinstance(tree, list):
        for index, item in enumerate(tree):
            yield from _pods(item, (*path, index))
    if not isinstance(tree, dict):
        return
    template = mapping(tree.get("template"))
    if "containers" in mapping(template.get("spec")):
        yield (*path, "template"), template
        return
    for key, value in tree.items():
        yield from _pods(value, (*path, key))
