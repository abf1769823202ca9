"""Plays a world with the plugin Coscheduling, in the form of the recordings."""

from __future__ import annotations

from typing import Any

from specgen.schedulers.coscheduling.configuration import SCHEDULER
from specgen.schedulers.coscheduling.manager import Manager
from tests.schedulers.replay import Play

OPERATORS = ("training-operator", "mpi-operator")
# Seconds after which kube-scheduler tries all pods again: five minutes, looked at each 30 s (backend/queue).
FLUSHED = 330


class Coscheduled(Play):
    """A scenario whose schedulers have the plugin as their configuration says, which is one of its objects."""

    def __init__(self, scenario: dict[str, Any], *, reverse: bool, last: bool) -> None:
        super().__init__(scenario, reverse=reverse, last=last, operators=dict.fromkeys(OPERATORS, (None, SCHEDULER)))
        self.manager = Manager(self.simulation)
        # for how long nothing has happened, and jobs to which something may have that is left to chance
        self.quiet = 0
        self.chance: set[str] = set()

    def create(self, tree: dict[str, Any]) -> Any:
        return self.manager.submit(tree)

    def rest(self) -> None:
        self.manager.rest()

    def step(self, step: dict[str, Any]) -> None:
        self.quiet = self.quiet + int(step["wait"]) if isinstance(step.get("wait"), int) else 0
        super().step(step)
        if self.quiet >= FLUSHED:
            self.manager.flush()

    def followed(self) -> bool:
        """Whether pods may have been evicted, or a gang counts pods of one that is gone."""
        manager = self.manager
        for key, one in manager.groups.items():
            own = [pod for pod in manager.pods(one) if pod.node is None]
            victims = manager.victims(one) if own else []
            if victims or (own and (self.chance or key in manager.haunted)):
                self.chance |= {*victims, *(pod.job for pod in own)}
        return bool(self.chance)

    def state(self) -> dict[str, Any]:
        made = super().state()
        if self.followed():
            made["chance"] = sorted(self.chance)
        made["podgroups"] = {
            name: {"apiVersion": "scheduling.x-k8s.io/v1alpha1", "spec": one.spec}
            for (_, name), one in self.manager.groups.items()
        }
        return made
