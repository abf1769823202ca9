"""Plays a world with the plugin Coscheduling, in the form of the recordings."""

from __future__ import annotations

from typing import Any

from specgen.schedulers.coscheduling.configuration import SCHEDULER
from specgen.schedulers.coscheduling.manager import Manager
from tests.schedulers.replay import Play

OPERATORS = ("training-operator", "mpi-operator")


class Coscheduled(Play):
    """A scenario whose schedulers have the plugin as their configuration says, which is one of its objects."""

    def __init__(self, scenario: dict[str, Any], *, reverse: bool, last: bool) -> None:
        super().__init__(scenario, reverse=reverse, last=last, operators=dict.fromkeys(OPERATORS, (None, SCHEDULER)))
        self.manager = Manager(self.simulation)

    def create(self, tree: dict[str, Any]) -> Any:
        return self.manager.submit(tree)

    def rest(self) -> None:
        self.manager.rest()

    def state(self) -> dict[str, Any]:
        made = super().state()
        made["podgroups"] = {
            name: {"apiVersion": "scheduling.x-k8s.io/v1alpha1", "spec": one.spec}
            for (_, name), one in self.manager.groups.items()
        }
        return made
