"""Labels and annotations of a gang: put where the author says nothing, refused where the author says otherwise."""

from __future__ import annotations

from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.manifest.origins import Sourced
    from specgen.plan.model import Plan
    from specgen.plan.pods import RolePlan


def on_job(plan: Plan, name: str, said: Sourced) -> list[Finding]:
    """A label of the job object alone."""
    written = plan.labels.get(name)
    if written is None:
        plan.job_labels[name] = said
        return []
    return _differs(name, written, said)


def on_pods(plan: Plan, group: str, name: str, said: Sourced) -> list[Finding]:
    """A mark of every pod; ``group``: ``labels`` or ``annotations``."""
    findings: list[Finding] = []
    for role in plan.roles:
        found = on_role(role, group, name, said)
        findings += [one for one in found if one.place.path not in [other.place.path for other in findings]]
    return findings


def on_role(role: RolePlan, group: str, name: str, said: Sourced) -> list[Finding]:
    """A mark of the pods of one role."""
    marks = role.labels if group == "labels" else role.annotations
    written = marks.setdefault(name, said)
    return _differs(name, written, said)


def _differs(name: str, written: Sourced, said: Sourced) -> list[Finding]:
    if written.value == said.value:
        return []
    related = [(said.place, f"hence `{said.value}`")] if said.place is not None else []
    message = f"`{name}: {written.value}` contradicts the gang, which sets it to `{said.value}`"
    return [codes.CONTRADICTION.at(written.key, message, related=related)]
