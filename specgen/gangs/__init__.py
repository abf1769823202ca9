"""One file per gang scheduler; the folder is the registry, and the file's name is the word of profiles.

Every module offers ``SCHEDULER`` (the ``schedulerName`` of its pods where the cluster names no other; None: pods keep
theirs), ``QUEUES`` (whether ``scheduling.queue`` means something to it), ``prepare(plan)`` and
``attach(plan, bundle, workload)``. ``prepare`` runs before the job is lowered, so that a patch has the last word;
``attach`` afterwards, so that what it adds up is what was written. Files that begin with ``_`` are helpers. May import
``plan``, ``manifest``, ``profile`` and below; not ``backends``.
To add a gang scheduler: the file, its word in ``profile/job.py`` and ``profile/cluster.py``, cases in
``tests/scheduling/<name>``.
"""

from __future__ import annotations

from specgen.plan.model import Said
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Bundle
    from specgen.manifest.views import Workload
    from specgen.plan.model import Plan, RolePlan

    class Scheduler(Protocol):
        """What every module of this folder offers."""

        SCHEDULER: str | None
        QUEUES: bool

        def prepare(self, plan: Plan) -> list[Finding]:
            """Writes into the plan what the job itself must say; findings where its words contradict that."""
            ...

        def attach(self, plan: Plan, bundle: Bundle, workload: Workload) -> None:
            """Adds to the bundle what stands beside the job, and to its pods what follows from them as written."""
            ...


def names() -> list[str]:
    """Gang schedulers by module name, sorted; nothing is imported."""
    import os

    files = os.listdir(os.path.dirname(os.path.abspath(__file__)))
    return sorted(file[:-3] for file in files if file.endswith(".py") and not file.startswith("_"))


def load(name: str) -> Scheduler:
    """One gang scheduler."""
    from importlib import import_module

    module: Any = import_module(f"specgen.gangs.{name}")
    return module  # type: ignore[no-any-return]


def prepare(plan: Plan) -> list[Finding]:
    """What the plan's gang adds to the job. Findings: a queue for a scheduler without, another scheduler's name."""
    gang = plan.gang
    if gang is None:
        return []
    scheduler = load(gang.word)
    findings = _scheduler(plan, scheduler)
    if gang.queue is not None and not scheduler.QUEUES:
        assert gang.queue.place is not None
        related = [(gang.said.place, f"`gang: {gang.word}`")] if gang.said.place is not None else []
        message = f"`queue` contradicts the gang scheduler {gang.word}, which knows no queues"
        findings.append(codes.CONTRADICTION.at(gang.queue.place, message, related=related))
    return findings + scheduler.prepare(plan)


def attach(plan: Plan, bundle: Bundle, workload: Workload) -> None:
    """What the plan's gang puts beside the job, or into its pods once they are written."""
    if plan.gang is not None:
        load(plan.gang.word).attach(plan, bundle, workload)


def _scheduler(plan: Plan, scheduler: Scheduler) -> list[Finding]:
    """Sets ``plan.scheduler``; an operator that makes the gang by its flag names the scheduler in every pod itself."""
    gang, own = plan.gang, scheduler.SCHEDULER
    if gang is None or own is None:
        return []
    if not gang.by_operator or plan.kind.groups is not None:
        plan.scheduler = Said(own, gang.said.place, f"the scheduler of the gang: {gang.said.reason}")
    name = plan.job.cluster.scheduling.scheduler or own
    findings: list[Finding] = []
    seen: list[object] = []
    for role in plan.roles:
        if role.words not in seen:
            seen.append(role.words)
            findings += _other_scheduler(plan, role, name)
    return findings


def _other_scheduler(plan: Plan, role: RolePlan, name: str) -> list[Finding]:
    written = role.words.words.scheduling.scheduler
    gang = plan.gang
    if gang is None or written is None or written == name:
        return []
    related = [(gang.said.place, f"`gang: {gang.word}`")] if gang.said.place is not None else []
    if plan.job.cluster.scheduling.scheduler is not None:
        related.append((plan.job.cluster_place(("scheduling", "scheduler")), f"the cluster calls it `{name}`"))
    return [
        codes.CONTRADICTION.at(
            role.words.place(("scheduling", "scheduler")),
            f"`scheduler: {written}` contradicts the gang, whose scheduler is `{name}`",
            related=related,
            helps=["`scheduling.scheduler` of the cluster profile says what the gang's scheduler is called there"],
        )
    ]
