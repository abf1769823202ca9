"""Plays a world with the plugin Coscheduling, in the form of the recordings."""

from __future__ import annotations

from typing import Any

from specgen.schedulers.coscheduling.manager import SCHEDULER, Manager
from tests.schedulers.replay import Play

OPERATORS = ("training-operator", "mpi-operator")


class Coscheduled(Play):
    """A scenario whose two schedulers both have the plugin."""

    def __init__(self, scenario: dict[str, Any], *, reverse: bool, last: bool) -> None:
        super().__init__(scenario, reverse=reverse, last=last, operators=dict.fromkeys(OPERATORS, (None, SCHEDULER)))
        self.manager = Manager(self.simulation, (SCHEDULER, "default-scheduler"))

    def create(self, tree: dict[str, Any]) -> Any:
        return self.manager.submit(tree)

    def rest(self) -> None:
        self.manager.rest()

    def state(self) -> dict[str, Any]:
        made = super().state()
        made["podgroups"] = {
            name: {"phase": None, "minMember": one.least, "queue": "default"}
            for (_, name), one in self.manager.groups.items()
        }
        return made
