"""Holds the facts of a JobSet's life against the stages of its recording (``README-trainer.md``)."""

from __future__ import annotations

import re
from typing import Any

from specgen.operators import lifecycle as facts
from tests.operators.life import FAILED, RUNNING, SUCCEEDED, Life

_PHASES = {"Running and Ready": RUNNING, "Succeeded": SUCCEEDED, "Failed": FAILED}
_SECONDS = {"five": 5, "six": 6}


class JobSetStages:
    """Goes through the stages; ``wrong`` says what differs, ``counts`` how much was compared."""

    def __init__(self, life: Life, counts: dict[str, int]) -> None:
        self.life = life
        self.counts = counts
        self.wrong: list[str] = []
        self.did = ""
        # a Job that waits for others is no object yet
        self.there: list[str] = []

    def is_(self, what: str, stated: Any, recorded: Any) -> None:
        self.counts[what] = self.counts.get(what, 0) + 1
        if stated != recorded:
            self.wrong.append(f"{self.did}: {what}: stated {stated}, recorded {recorded}")

    def go(self, stages: list[dict[str, Any]], job: str) -> None:
        """Up to the first stage that is neither time nor a pod's status. job: ``Kind/name`` whose conditions count."""
        for stage in stages:
            self.did = stage["did"]
            self.there += _names(stage, "created", "Pod")
            if stage is stages[0]:
                continue
            conditions = {one["type"] for one in stage["conditions"].get(job, ()) if one["status"] == "True"}
            end = FAILED if "Failed" in conditions else SUCCEEDED if conditions & {"Complete", "Completed"} else ""
            passed = re.fullmatch(r"(\w+) seconds pass", self.did)
            if passed:
                self._passed(_SECONDS[passed[1]], end, stage)
                continue
            chosen = self._chosen()
            if not chosen:
                return
            before = dict(self.life.pods)
            for name, phase in chosen.items():
                self.life.pods[name].phase = phase
            if FAILED in chosen.values():
                self._failed(next(iter(chosen)), end, stage)
            elif self.life.succeeded():
                self._ended(SUCCEEDED, end, stage, before)
            else:
                self.is_("goes on", "", end)
                self.is_("nothing deleted", [], _names(stage, "deleted", "Pod"))

    def _chosen(self) -> dict[str, str]:
        """Pod → phase that the stage gave it; empty: it did something else."""
        found: dict[str, str] = {}
        phase = next((_PHASES[word] for word in _PHASES if word in self.did), "")
        index = re.match(r"pod (\d+) of (\S+)", self.did)
        if index:
            pods = {pod.index: name for name, pod in self.life.pods.items() if pod.role == index[2]}
            return {pods[int(index[1])]: phase} if phase else {}
        if self.did.startswith("pods of ") and phase:
            words = re.findall(r"[a-z][a-z-]+", self.did.removeprefix("pods of "))
            found = {name: phase for name, pod in self.life.pods.items() if pod.role in words}
        return found

    def _failed(self, name: str, end: str, stage: dict[str, Any]) -> None:
        pod, code = self.life.pods[name], re.search(r"exit code (\d+)", self.did)
        assert code is not None
        failure = self.life.lifecycle.failure(pod.role, int(code[1]), crowded=True)
        assert failure is not None
        outcome = self.life.step(failure).outcome
        if outcome == facts.FAILED:
            self._ended(FAILED, end, stage, dict(self.life.pods))
            return
        self.is_("failure goes on", "", end)
        every = sorted(self.life.pods)
        restarted = outcome == facts.RESTARTED
        self.is_("deleted", every if restarted else [], _names(stage, "deleted", "Pod"))
        self.is_("created", len(every) if restarted else 1, len(_names(stage, "created", "Pod")))
        for one in self.life.pods.values() if restarted else [pod]:
            one.phase = "Pending"

    def _ended(self, stated: str, end: str, stage: dict[str, Any], before: dict[str, Any]) -> None:
        self.life.ended = stated
        self.is_("end", stated, end)
        broken = {pod.job for pod in before.values() if pod.phase == FAILED}
        found = [name.removeprefix("Pod/") for name in self.life.deleted() if name.startswith("Pod/")]
        gone = [name for name in found if name in self.there]
        self.is_("deleted at the end", gone, _names(stage, "deleted", "Pod"))
        jobs = sorted({before[name].job for name in gone} - broken)
        self.is_("Jobs deleted at the end", jobs, _names(stage, "deleted", "Job"))

    def _passed(self, seconds: int, end: str, stage: dict[str, Any]) -> None:
        limits = self.life.lifecycle.limits
        wanted = "ttlSecondsAfterFinished" if self.life.ended else "activeDeadlineSeconds"
        reached = [one for one in limits if one.field == wanted and one.value < seconds]
        gone = bool(reached) and reached[0].effect == facts.DELETES_JOBSET
        self.is_("JobSet deleted in time", gone, bool(_names(stage, "deleted", "JobSet")))
        self.is_("pods deleted with it", sorted(self.life.pods) if gone else [], _names(stage, "deleted", "Pod"))
        self.is_("end after time", self.life.ended or (FAILED if gone else ""), end)


def _names(stage: dict[str, Any], what: str, kind: str) -> list[str]:
    """Names of a kind that a stage created or deleted, sorted; a created one may be held with its content."""
    found = stage.get(what, {}).get(kind, ())
    return sorted(one if isinstance(one, str) else one["name"] for one in found)
