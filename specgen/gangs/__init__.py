"""One file per gang scheduler; the folder is the registry, and the file's name is the word of profiles.

Every module offers ``SCHEDULER`` (the ``schedulerName`` of its pods where the cluster names no other; None: pods keep
theirs), ``QUEUES`` (whether ``scheduling.queue`` means something to it), ``prepare(plan)`` and
``attach(plan, bundle, workload)``. ``prepare`` runs before the job is lowered, so that a patch has the last word;
``attach`` afterwards, so that what it adds up is what was written. Files that begin with ``_`` are helpers. May import
``plan``, ``manifest``, ``profile`` and below; not ``lower``.
To add a gang scheduler: the file, its word in ``profile/job.py`` and ``profile/cluster.py``, cases in
``tests/gangs/<name>``.
"""

from __future__ import annotations

from specgen.manifest.origins import Sourced
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Bundle
    from specgen.manifest.views import Workload
    from specgen.plan.model import Plan

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
    from specgen.modules import import_module

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
    if not gang.by_operator or not plan.kind.names_scheduler:
        plan.scheduler = Sourced(own, gang.said.place, f"the scheduler of the gang: {gang.said.reason}")
    cluster = gang.scheduler
    name = cluster.value if cluster is not None else own
    findings: list[Finding] = []
    for role in plan.roles:
        written = role.scheduler
        if written is None or written.value == name or any(one.place.path == written.at.path for one in findings):
            continue
        related = [(gang.said.place, f"`gang: {gang.word}`")] if gang.said.place is not None else []
        if cluster is not None:
            related.append((cluster.at, f"the cluster calls it `{name}`"))
        findings.append(
            codes.CONTRADICTION.at(
                written.at,
                f"`scheduler: {written.value}` contradicts the gang, whose scheduler is `{name}`",
                related=related,
                helps=["`scheduling.scheduler` of the cluster profile says what the gang's scheduler is called there"],
            )
        )
    return findings
