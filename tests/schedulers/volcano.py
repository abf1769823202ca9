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
        for tree in self.simulation.objects.of("Queue"):
            name = tree["metadata"]["name"]
            if refusal(name, self.simulation.objects):
                self.verdicts[f"Queue {name}"] = {"accepted": False}

    def create(self, tree: dict[str, Any]) -> Any:
        return self.manager.submit(tree)

    def rest(self) -> None:
        self.manager.rest()

    def state(self) -> dict[str, Any]:
        made = super().state()
        for entry in made["jobs"].values():
            entry["state"] = "waiting" if entry["state"] == "suspended" else entry["state"]
        made["podgroups"] = {
            name: {
                "phase": one.phase,
                "minMember": one.least,
                "queue": one.queue,
                "minResources": one.spec.get("minResources") or {},
            }
            for name, one in self.manager.groups.items()
            if not self.manager.refused(one)
        }
        return made
