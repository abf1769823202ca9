"""The limits on restarts that a job says, beside what one incident costs: for the verbs that judge a manifest.

What is counted is a fact of each operator (``Reader.counted``, in ``lifecycle`` of its folder).
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.lifecycle import number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.manifest.views import Role, Workload
    from specgen.operators.lifecycle import Counted
    from specgen.operators.reader import Reader
    from specgen.source import Path


class Said:
    """A limit that a manifest says. ``path``: as the paths of the workload's roles; ``rounds``: how often all pods are
    created again once the limit is used up; ``waits``: Workers whose init containers wait for a Master, and count.
    """

    __slots__ = ("counted", "limit", "path", "rounds", "waits")

    def __init__(self, path: Path, limit: int, counted: Counted, rounds: int = 0, waits: int = 0) -> None:
        self.path = path
        self.limit = limit
        self.counted = counted
        self.rounds = rounds
        self.waits = waits


def said(workload: Workload, reader: Reader) -> Iterator[Said]:
    """The limits of a job that its operator counts restarts by: one of the whole job, or one of each Job."""
    terms = workload.terms
    if terms is None:
        yield from _of_jobs(workload, reader)
        return
    spec = mapping(workload.manifest.tree.get("spec"))
    limit = number(mapping(spec.get("runPolicy")).get("backoffLimit"))
    if limit is None:
        return
    roles = {role.name: (role.replicas, policy(role)) for role in workload.roles}
    elastic = mapping(spec.get("elasticPolicy"))
    counted = reader.counted(roles, (number(elastic.get("maxReplicas")) or 1) if elastic else None)
    if counted is not None:
        waits = roles["Worker"][0] if "Master" in roles and "Worker" in counted.roles else 0
        yield Said(("spec", "runPolicy", "backoffLimit"), limit, counted, waits=waits)


def policy(role: Role) -> str:
    """The restart policy of a role as its operator takes it; of a Job's pods, as the API server stores them."""
    terms = role.workload.terms
    if terms is None:
        return str(role.pod.get("restartPolicy") or "OnFailure")
    return str(role.tree.get("restartPolicy") or terms.restart.get(role.name, terms.restart[""]))


def _of_jobs(workload: Workload, reader: Reader) -> Iterator[Said]:
    launched = any(role.name == "launcher" for role in workload.roles)
    for role in workload.roles:
        own = mapping(_at(role.tree, ("template", "spec")))
        limit, jobs = number(own.get("backoffLimit")), number(role.tree.get("replicas")) or 1
        counted = reader.counted({role.name: (role.replicas // max(jobs, 1), policy(role))}, None)
        # what mpirun starts breaks in the launcher: sshd of its nodes runs on
        if limit is None or counted is None or (launched and role.name != "launcher") or "backoffLimitPerIndex" in own:
            continue
        holder, at = reader.locate(workload, role.path)
        failure = mapping(_at(holder.tree, (*at[:-2], "failurePolicy")))
        if not failure.get("rules"):  # they say for each Job what follows
            rounds = number(failure.get("maxRestarts")) or 0
            yield Said((*role.path, "template", "spec", "backoffLimit"), limit, counted, rounds)


def _at(tree: Any, path: Path) -> Any:
    for step in path:
        items = sequence(tree)
        tree = (items[step] if step < len(items) else None) if isinstance(step, int) else mapping(tree).get(step)
    return tree
