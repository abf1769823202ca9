"""Holds the facts of a job's life against the stages of its recording: one stage, one set of statements.

A stage says what was done to which pods; from the facts follows which pods are deleted, created, or created again, and
which condition the job has. ``Life`` keeps the pods' phases from stage to stage.
"""

from __future__ import annotations

import re
from typing import Any

from specgen.operators import lifecycle as facts
from specgen.operators.expansion import Expansion

RUNNING, SUCCEEDED, FAILED = "Running", "Succeeded", "Failed"
# What a stage may delete that the facts speak of.
_KINDS = ("Pod", "Service", "PodGroup")


class Pod:
    """A pod of the job: its role, its index in it (of its Job, for a JobSet), its phase, its restarts."""

    def __init__(self, role: str, index: int, job: str) -> None:
        self.role = role
        self.index = index
        self.job = job
        self.phase = "Pending"
        self.restarts = 0


class Life:
    """The pods of a job on their way through the stages. ``ended``: the condition in which it ended, empty before."""

    def __init__(self, expansion: Expansion) -> None:
        assert expansion.lifecycle is not None
        self.lifecycle = expansion.lifecycle
        self.pods: dict[str, Pod] = {}
        indices: dict[str, int] = {}
        for one in expansion.instances:
            index = indices.get(one.role, 0)
            indices[one.role] = index + 1
            self.pods[one.pod] = Pod(one.role, index, one.pod.removesuffix("-<random>").rpartition("-")[0])
        self.services = [tree["metadata"]["name"] for tree in expansion.services]
        self.groups = [tree["metadata"]["name"] for tree in expansion.others if tree["kind"] == "PodGroup"]
        self.used: dict[int, int] = {}
        self.ended = ""

    def of(self, roles: tuple[str, ...]) -> list[Pod]:
        return [pod for pod in self.pods.values() if pod.role in roles]

    def succeeded(self) -> bool:
        """Whether those who decide have all succeeded."""
        success = self.lifecycle.success
        pods = self.of(success.roles)
        good = [pod.phase == SUCCEEDED for pod in pods]
        if success.how == facts.ANY_JOB:
            jobs = {pod.job for pod in pods}
            return any(all(pod.phase == SUCCEEDED for pod in pods if pod.job == job) for job in jobs)
        if success.how == facts.ANY_ROLE:
            return any(all(pod.phase == SUCCEEDED for pod in pods if pod.role == role) for role in success.roles)
        first = [pod.phase == SUCCEEDED for pod in pods if pod.index == 0]
        chosen = {facts.EVERY: all(good), facts.FIRST: all(first) or all(good), facts.ANY: any(good)}
        return bool(pods) and chosen.get(success.how, False)

    def deleted(self, *, at_limit: bool = False) -> list[str]:
        """What goes at the end, as ``Kind/name``, sorted; it is gone then."""
        end = self.lifecycle.end
        policy = end.at_limit if at_limit else end.deletes
        found = []
        finished = {job for job in self._jobs() if all(pod.phase == SUCCEEDED for pod in self._of_job(job))}
        for name, pod in list(self.pods.items()):
            goes = {
                facts.EVERYTHING: True,
                facts.UNFINISHED: pod.phase not in (SUCCEEDED, FAILED),
                facts.ACTIVE_JOBS: pod.phase not in (SUCCEEDED, FAILED) and pod.job not in finished,
            }.get(policy, False)
            if goes and (not end.roles or pod.role in end.roles):
                found.append(f"Pod/{name}")
                if end.services and name in self.services:
                    found.append(f"Service/{name}")
                del self.pods[name]
        if end.group:
            found += [f"PodGroup/{name}" for name in self.groups]
            self.groups = []
        return sorted(found)

    def _jobs(self) -> list[str]:
        return sorted({pod.job for pod in self.pods.values()})

    def _of_job(self, job: str) -> list[Pod]:
        return [pod for pod in self.pods.values() if pod.job == job]

    def step(self, failure: facts.Failure) -> facts.Step:
        """The answer to the next failure of this sort."""
        key = id(failure)
        used = self.used[key] = self.used.get(key, 0) + 1
        for step in failure.steps:
            if step.times is None or used <= step.times:
                return step
            used -= step.times
        raise AssertionError("the last step is for ever")


class Seen:
    """What a stage shows: ``gone``, ``new``, and ``again`` are ``Kind/name``; conditions that are true; dated."""

    def __init__(self, stage: dict[str, Any], kinds: tuple[str, ...] = _KINDS) -> None:
        def kept(names: Any) -> list[str]:
            return sorted(name for name in names if name.partition("/")[0] in kinds)

        self.gone = kept(stage.get("deleted", ()))
        self.new = kept(stage.get("created", ()))
        self.again = kept(stage.get("recreated", ()))
        job = stage.get("job", {})
        self.conditions = [one["type"] for one in job.get("conditions", ()) if one["status"] == "True"]
        self.dated = bool(job.get("completionTime"))
        self.deleted = bool(job.get("deleted"))

    @property
    def ended(self) -> str:
        for one in (SUCCEEDED, FAILED):
            if one in self.conditions:
                return one
        return ""


class Stages:
    """Goes through the stages of a recording; ``wrong`` says what differs, ``counts`` how much was compared."""

    def __init__(self, life: Life, counts: dict[str, int]) -> None:
        self.life = life
        self.counts = counts
        self.wrong: list[str] = []
        self.stage = ""

    def is_(self, what: str, stated: Any, recorded: Any) -> None:
        self.counts[what] = self.counts.get(what, 0) + 1
        if stated != recorded:
            self.wrong.append(f"{self.stage}: {what}: stated {stated}, recorded {recorded}")

    def go(self, stages: list[dict[str, Any]]) -> None:
        for stage in stages:
            self.stage = stage["stage"]
            if "patch" in stage or "job_deleted" in stage:
                return
            seen = Seen(stage)
            if "waited_seconds" in stage:
                self._waited(stage["waited_seconds"], seen)
            elif not self._set(stage["pods_set"], seen):
                return

    def _waited(self, seconds: int, seen: Seen) -> None:
        for limit in self.life.lifecycle.limits:
            if limit.field == "ttlSecondsAfterFinished" and self.life.ended:
                timed = self._dated and limit.effect == facts.DELETES_JOB
                self.is_("time to live", timed and limit.value < seconds, seen.deleted)

    _dated = True

    def _set(self, action: dict[str, Any], seen: Seen) -> bool:
        """What was done to pods. False: nothing more is known of what follows."""
        names, to = [name for name in action["names"] if name in self.life.pods], action["to"]
        if self.life.ended or not names:
            # an end is for good, whatever pods that were left do
            self.is_("after the end" if self.life.ended else "nothing done", self.life.ended, seen.ended)
            self.is_("nothing more deleted", [], seen.gone)
            return True
        phase = next(word for word in (RUNNING, SUCCEEDED, FAILED) if f"phase {word}" in to)
        for name in names:
            self.life.pods[name].phase = phase
        restarts = re.search(r"restartCount (\d+)", to)
        if restarts:
            for name in names:
                self.life.pods[name].restarts = int(restarts[1])
        if phase == FAILED:
            code = re.search(r"exit code (\d+)", to)
            assert code is not None
            return self._failed(names, int(code[1]), seen)
        if self._past_limit():
            self._end(FAILED, seen, at_limit=True)
        elif phase == SUCCEEDED and self.life.succeeded():
            self._end(SUCCEEDED, seen)
        elif phase == SUCCEEDED or restarts:
            self.is_("goes on", "", seen.ended)
            self.is_("nothing deleted", [], seen.gone)
        return True

    def _past_limit(self) -> bool:
        for limit in self.life.lifecycle.limits:
            if limit.field == "backoffLimit" and limit.effect == facts.FAILS:
                running = [pod for pod in self.life.of(limit.counts) if pod.phase == RUNNING]
                if running and sum(pod.restarts for pod in running) >= max(limit.value, 1):
                    return True
            # a stage takes about a second, and these were as short as that
            if limit.field == "activeDeadlineSeconds" and limit.effect == facts.FAILS and limit.value <= 3:
                return True
        return False

    def _end(self, condition: str, seen: Seen, *, at_limit: bool = False, dated: bool = True) -> None:
        self.life.ended, self._dated = condition, dated
        self.is_("end", condition, seen.ended)
        self.is_("end dated", dated, seen.dated)
        self.is_("deleted at the end", self.life.deleted(at_limit=at_limit), seen.gone)
        self.is_("created at the end", ([], []), (seen.new, seen.again))

    def _failed(self, names: list[str], code: int, seen: Seen) -> bool:
        [name] = names
        role = self.life.pods[name].role
        crowded = any(
            pod.phase == RUNNING for other, pod in self.life.pods.items() if pod.role == role and other != name
        )
        failure = self.life.lifecycle.failure(role, code, crowded=crowded)
        if failure is None:
            self.wrong.append(f"{self.stage}: nothing is stated of {role} and code {code}")
            return False
        outcome = self.life.step(failure).outcome
        if outcome == facts.FAILED:
            if failure.deletes:
                del self.life.pods[name]
                expected = sorted([f"Pod/{name}", *self.life.deleted()])
                self.life.ended = FAILED
                end = self.life.lifecycle.end
                if end.deletes == facts.EVERYTHING and end.services:
                    expected.append(f"Service/{name}")
                self.is_("end", (FAILED, True), (seen.ended, seen.dated))
                self.is_("deleted at the end", sorted(expected), seen.gone)
            else:
                self._end(FAILED, seen, dated=not failure.undated)
            return True
        self.is_("failure goes on", "", seen.ended)
        self.is_("nothing deleted", [], seen.gone)
        self.is_("created again", [f"Pod/{name}"] if outcome == facts.RECREATED else [], seen.again)
        fresh = [one for one in seen.new if one.startswith("Pod/")]
        self.is_("created beside", 1 if outcome == facts.REPLACED else 0, len(fresh))
        if outcome == facts.STUCK:
            self.is_("in Restarting", True, "Restarting" in seen.conditions)
        if outcome == facts.REPLACED:
            self.life.pods[fresh[0].removeprefix("Pod/")] = Pod(
                role, self.life.pods[name].index, self.life.pods[name].job
            )
        if outcome == facts.RECREATED:
            self.life.pods[name].phase = "Pending"
        return True
