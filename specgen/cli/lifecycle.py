"""What becomes of a job once it runs, in lines for people: success, failures, what stays at the end, limits."""

from __future__ import annotations

from specgen.diagnostics.model import plural
from specgen.operators import lifecycle as facts
from specgen.operators.held import after_failure as rest_of_failed
from specgen.operators.held import held, undecided

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.operators.expansion import Expansion, Instance
    from specgen.operators.lifecycle import Codes, Failure, Lifecycle, Step, Success


def lines(expansion: Expansion) -> list[str]:
    """The facts of a job in words; none where it does not come to life."""
    life = expansion.lifecycle
    if life is None or not (expansion.instances or expansion.left_out):
        return []
    found = [f"success: {_success(life, expansion)}"]
    found += [f"failure: {line}" for line in _failures(life)]
    found += [f"lost node: {line}" for line in _lost(life, expansion)]
    found.append(f"end: {_end(life, expansion)}")
    return found + [f"limit: `{one.field}` {one.value}: {one.words}" for one in life.limits]


def _success(life: Lifecycle, expansion: Expansion) -> str:
    success = life.success
    if success.how == facts.NEVER:
        return f"never: {success.why}"
    pods = _pods(success.roles, expansion)
    said = f"when {_who(success, pods, expansion)} with exit code 0"
    if facts.starts_again(life):
        said += "; it never comes to that, as `Always` has a container start again after exit code 0 too"
    return said


def _who(success: Success, pods: list[Instance], expansion: Expansion) -> str:
    roles = ", ".join(success.roles)
    if success.how == facts.ANY_JOB:
        return f"all pods of any one Job of {roles} end"
    if success.how == facts.ANY_ROLE:
        return f"all pods of any one of {roles} end"
    if pods and (len(pods) == 1 or success.how == facts.FIRST):
        return f"{pods[0].pod} ends"
    if success.how == facts.ANY:
        return f"any pod of {roles} ends"
    if expansion.left_out or not pods:
        return f"all pods of {roles} end"
    return f"the {plural(len(pods), 'pod')} of {roles} all end"


def _pods(roles: tuple[str, ...], expansion: Expansion) -> list[Instance]:
    return [one for one in expansion.instances if one.role in roles]


def _failures(life: Lifecycle) -> list[str]:
    """A line for each policy, with all roles that fare alike under it."""
    by_role: dict[str, list[Failure]] = {}
    for one in life.failures:
        for role in one.roles:
            by_role.setdefault(role, []).append(one)
    alike: dict[tuple[object, ...], list[str]] = {}
    for role, own in by_role.items():
        alike.setdefault(tuple(one.words for one in own), []).append(role)
    found = []
    for roles in alike.values():
        own = by_role[roles[0]]
        limited = any(one.effect == facts.FAILS for one in life.limits)
        # what follows an eviction too is said once
        both = len(own) > 1 and own[-1].gone and _steps(own[-1]) == _steps(own[-2])
        own = own[:-1] if both else own
        parts = [
            _failure(one, own[:at], limited=limited, both=both and at + 1 == len(own)) for at, one in enumerate(own)
        ]
        found.append(f"{', '.join(roles)} (`{own[0].policy}`): {'; '.join(parts)}")
    return found


def _lost(life: Lifecycle, expansion: Expansion) -> list[str]:
    """What becomes of the pods of a node that does not answer any more; nothing where it is not known."""
    if not life.lost:
        return []
    by_time: dict[int | None, list[str]] = {}
    for role, seconds in expansion.lost_after().items():
        by_time.setdefault(seconds, []).append(role)
    parts = [_marked(seconds, roles if len(by_time) > 1 else []) for seconds, roles in by_time.items()]
    fates: dict[tuple[str, bool], list[str]] = {}
    for role, what in life.lost.items():
        if what == facts.HELD:
            fates.setdefault((what, False), []).append(role)
        else:
            fates.setdefault((life.after_loss(role), role in by_time.get(None, ())), []).append(role)
    # those beside which another comes first
    for fate in sorted(fates, key=lambda one: one[0] == facts.HELD):
        parts.append(_fate(*fate, f" of {', '.join(fates[fate])}" if len(fates) > 1 else ""))
    return ["; ".join(parts)]


def _marked(seconds: int | None, roles: list[str]) -> str:
    pods = f"pods of {', '.join(roles)}" if roles else "its pods"
    if seconds is None:
        return f"{pods} are never marked for deletion, as they tolerate it without an end"
    return f"after {seconds} s {pods} are marked for deletion" if seconds else f"{pods} are marked for deletion at once"


def _fate(what: str, stays: bool, of: str) -> str:
    """What comes in the place of a lost pod. stays: nothing marks it for deletion by itself."""
    if what == facts.HELD:
        return f"none{of} comes in their place until they are gone: with the Node object, or deleted by force"
    then = "once somebody deletes it, or the Node object," if stays else "then,"
    if what == facts.FAILED:
        return f"the lost one{of} counts as failed {then} which fails the job"
    if what == facts.RESTARTED:
        return f"the lost one{of} counts as failed {then} which has all pods of the JobSet deleted and created again"
    return f"another pod{of} comes {then} and the lost one counts as failed"


def _steps(failure: Failure) -> list[tuple[object, ...]]:
    return [(step.outcome, step.times) for step in failure.steps]


def _failure(failure: Failure, before: list[Failure], *, limited: bool, both: bool) -> str:
    """A sentence about a failed pod. before: what was said of the role's pods already. limited: something ends it.

    both: it speaks of pods that are deleted as well.
    """
    said = ""
    if failure.restarts and not before:
        which = "whatever its exit code" if failure.restarts == failure.ALL else "that fails"
        endless = not limited and all(step.times is None for step in failure.steps)
        said = f"the kubelet restarts a container {which}, in place{' and without end' if endless else ''}; "
    if failure.gone:
        pod = "a pod that is deleted, as by an eviction,"
    elif both:
        whole = " as a whole" if failure.restarts else ""
        pod = f"{'any other' if before else 'a'} pod that fails{whole} or is deleted, as by an eviction,"
    elif failure.codes:
        pod = f"a pod that exits with {_codes(failure.codes)}"
    elif failure.restarts:
        pod = "a pod that fails as a whole, such as one evicted,"
    else:
        pod = "any other failed pod" if before else "a failed pod"
    if failure.crowded:
        pod += ", while another of its role runs,"
    elif any(one.crowded and one.codes == failure.codes for one in before):
        pod = "the only one that runs"
    steps = [step for step in failure.steps if step.times != 0]
    first = _first(steps[0], failure)
    return said + "; then ".join([f"{pod} {first}", *(_later(step) for step in steps[1:])])


def _codes(codes: Codes) -> str:
    parts = [str(low) if low == high else f"{low} to {high}" for low, high in codes]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"


def _first(step: Step, failure: Failure) -> str:
    if step.outcome == facts.FAILED:
        gone = " and is deleted" if failure.deletes else ""
        return f"fails the job{gone}" + (", which gets no completionTime" if failure.undated else "")
    return {
        facts.RECREATED: "is deleted and created again",
        facts.REPLACED: f"is replaced by another one{_times(step)}",
        facts.RESTARTED: f"has all pods of the JobSet deleted and created again{_times(step)}",
        facts.ANEW: f"has all pods of the job deleted and created again{_times(step)}",
        facts.STUCK: "leaves the job in Restarting for ever: nothing is created again, and nothing is deleted",
        facts.LEFT: "is never replaced, and the job goes on without it",
    }[step.outcome]


def _later(step: Step) -> str:
    if step.outcome == facts.RESTARTED:
        return f"all pods of the JobSet are deleted and created again{_times(step)}"
    if step.outcome == facts.ANEW:
        return f"all pods of the job are deleted and created again{_times(step)}"
    return "the job fails"


def _times(step: Step) -> str:
    if step.times is None:
        return ""
    return f", at most {plural(step.times, 'time')} ({step.by})"


def _end(life: Lifecycle, expansion: Expansion) -> str:
    end = life.end
    of = f" of {', '.join(end.roles)}" if end.roles else ""
    own = " with their Services" if end.services and expansion.services else ""
    if end.deletes == facts.EVERYTHING:
        parts = [f"all pods{of} are deleted{own} ({end.said})"]
    elif end.deletes == facts.UNFINISHED:
        parts = [f"pods{of} that have not ended are deleted{own} ({end.said})", "finished ones stay"]
    elif end.deletes == facts.ACTIVE_JOBS:
        parts = ["Jobs that have not ended are deleted with their pods"]
    else:
        parts = [f"no pod is deleted ({end.said})", *_kept(life, expansion)]
        if own:
            parts.append("Services stay")
    if any(tree["kind"] == "PodGroup" for tree in expansion.others):
        parts.append("the PodGroup is deleted" if end.group else "the PodGroup stays")
    if end.stays:
        parts.append(end.stays)
    if end.at_limit != end.deletes and any(one.effect == facts.FAILS for one in life.limits):
        parts.append("a limit that ends the job deletes all pods nevertheless")
    return "; ".join(parts)


def _kept(life: Lifecycle, expansion: Expansion) -> list[str]:
    """What pods that go on after the end hold on to."""
    if not expansion.instances:  # more pods than are shown
        return [_held("", "", expansion)] if expansion.left_out else []
    after_success = held(undecided(life.success, expansion.instances))
    after_failure = held(rest_of_failed(expansion.instances))
    found = []
    if expansion.left_out or len(expansion.instances) > 1:
        found.append(_held(after_success, after_failure, expansion))
    endless = _pods(life.end.endless, expansion)
    if endless:
        found.append(f"pods of {endless[0].role} never end by themselves")
    return found


def _held(after_success: str, after_failure: str, expansion: Expansion) -> str:
    if expansion.left_out or not (after_success or after_failure):
        return "those that still run go on" + (", with all that they hold" if expansion.left_out else "")
    if after_success == after_failure:
        return f"those that still run keep up to {after_success}"
    if not after_success:
        return f"those that still run after a failure keep up to {after_failure}"
    return f"those that still run keep up to {after_success} after success and {after_failure} after a failure"
