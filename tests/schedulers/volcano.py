"""Plays a world with Volcano, in the form of the recordings: also phases of PodGroups."""

from __future__ import annotations

from typing import Any

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

    def followed(self) -> bool:
        """Whether some jobs evict others, or anything may be, as their configuration is not followed."""
        manager = self.manager
        waiting = [one for one in manager.groups.values() if any(pod.node is None for pod in manager.pods(one))]
        evicting = {one: manager.victims(one) for one in waiting}
        if manager.configuration.other:
            self.chance |= set(self.simulation.jobs)
        elif self.chance or any(evicting.values()):
            self.chance |= {name for names in evicting.values() for name in names}
            self.chance |= {one.job.id if one.job is not None else one.name for one in waiting}
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
