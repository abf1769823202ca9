"""Labels and annotations of a gang: put where the author says nothing, refused where the author says otherwise."""

from __future__ import annotations

from specgen.diagnostics.model import KEY
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding, Place
    from specgen.plan.model import Plan, RolePlan, Said


def on_job(plan: Plan, name: str, said: Said) -> list[Finding]:
    """A label of the job object alone."""
    written = (plan.job.layers.data["metadata"].get("labels") or {}).get(name)
    if written is None:
        plan.labels[name] = said
        return []
    return _differs(name, written, plan.job.place(("metadata", "labels", name), KEY), said)


def on_pods(plan: Plan, group: str, name: str, said: Said) -> list[Finding]:
    """A mark of every pod; ``group``: ``labels`` or ``annotations``."""
    findings: list[Finding] = []
    for role in plan.roles:
        found = on_role(plan, role, group, name, said)
        findings += [one for one in found if one.place.path not in [other.place.path for other in findings]]
    return findings


def on_role(plan: Plan, role: RolePlan, group: str, name: str, said: Said) -> list[Finding]:
    """A mark of the pods of one role."""
    written, place = written_on(plan, role, group, name)
    if place is not None:
        return _differs(name, written, place, said)
    marks = role.labels if group == "labels" else role.annotations
    marks[name] = said
    return []


def written_on(plan: Plan, role: RolePlan, group: str, name: str) -> tuple[Any, Place | None]:
    """What the author writes for the pods of a role, and where; labels of the job go on its pods too."""
    own = role.words.data.get(group, {})
    if name in own:
        return own[name], role.words.place((group, name), KEY)
    of_job = (plan.job.layers.data["metadata"].get("labels") or {}) if group == "labels" else {}
    if name in of_job:
        return of_job[name], plan.job.place(("metadata", "labels", name), KEY)
    return None, None


def _differs(name: str, written: Any, place: Place, said: Said) -> list[Finding]:
    if written == said.value:
        return []
    related = [(said.place, f"hence `{said.value}`")] if said.place is not None else []
    message = f"`{name}: {written}` contradicts the gang, which sets it to `{said.value}`"
    return [codes.CONTRADICTION.at(place, message, related=related)]
