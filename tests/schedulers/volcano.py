"""Plays a world with Volcano, in the form of the recordings: also phases of PodGroups."""

from __future__ import annotations

from typing import Any

from specgen.schedulers.jobs import is_job
from specgen.schedulers.volcano.manager import Manager
from specgen.schedulers.volcano.webhook import refusal
from tests.schedulers.replay import Play

OPERATORS = ("training-operator", "mpi-operator", "ms-operator", "trainer", "volcano")


class Ganged(Play):
    """A scenario whose gangs go through Volcano."""

    def __init__(self, scenario: dict[str, Any], *, reverse: bool, last: bool) -> None:
        super().__init__(scenario, reverse=reverse, last=last, operators=dict.fromkeys(OPERATORS, (None, "volcano")))
        self.manager = Manager(self.simulation)
        # jobs to which something may have happened that is left to chance
        self.chance: set[str] = set()
        for tree in self.simulation.objects.of("Queue"):
            name = tree["metadata"]["name"]
            if refusal(name, self.simulation.objects):
                self.verdicts[f"Queue {name}"] = {"accepted": False}

    def create(self, tree: dict[str, Any]) -> Any:
        return self.manager.submit(tree)

    def rest(self) -> None:
        self.manager.rest()

    def submit(self, tree: dict[str, Any]) -> None:
        if is_job(tree):
            super().submit(tree)
        else:
            # what comes of it, such as of a CronJob, is not played
            self.verdicts[tree["metadata"]["name"]] = {"accepted": True}

    def jobs(self, groups: list[Any]) -> set[str]:
        """The jobs of PodGroups, those by hand as well."""
        named = {one.job.id for one in groups if one.job is not None}
        return named | {pod.job for one in groups for pod in self.manager.pods(one) if pod.job}

    def step(self, step: dict[str, Any]) -> None:
        told = step.get("create") or {}
        if told.get("kind") == "Command" and (told.get("target") or {}).get("kind") == "Job":
            # what is done with the job by name, and so what room there is, is not played
            self.chance |= {str(told["target"].get("name"))}
        super().step(step)

    def followed(self) -> bool:
        """Whether some jobs evict others, or anything may be, as something of them is not followed."""
        manager = self.manager
        groups = list(manager.groups.values())
        waiting = [one for one in groups if any(pod.node is None for pod in manager.pods(one))]
        evicted = [name for one in waiting for name in manager.victims(one)]
        if any(manager.unfollowed(one, one.least) for one in groups):
            self.chance |= self.jobs(groups)
        elif self.chance or evicted:
            self.chance |= {*evicted, *self.jobs(waiting)}
        return bool(self.chance)

    def state(self) -> dict[str, Any]:
        made = super().state()
        if self.followed():
            made["chance"] = sorted(self.chance)
        for entry in made["jobs"].values():
            entry["state"] = "waiting" if entry["state"] == "suspended" else entry["state"]
        made["podgroups"] = {
            called(one): {
                "apiVersion": "scheduling.volcano.sh/v1beta1",
                "phase": one.phase,
                "spec": {"queue": "default", **{key: value for key, value in one.spec.items() if value}},
            }
            | ({"running": running} if (running := sum(pod.node is not None for pod in self.manager.pods(one))) else {})
            for one in self.manager.groups.values()
            if not self.manager.refused(one)
        }
        return made


def called(group: Any) -> str:
    """The name of a PodGroup in a record: that of a Volcano Job has the Job's UID at its end."""
    return (
        f"{group.name}-<uid>"
        if group.name == getattr(group.job, "name", None) and group.job.kind == "Job"
        else group.name
    )
