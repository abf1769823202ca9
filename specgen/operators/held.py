"""Which pods may still run once a job has ended, and the devices that they hold."""

from __future__ import annotations

from specgen.diagnostics.model import plural
from specgen.operators.lifecycle import ANY, ANY_ROLE, FIRST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from specgen.operators.expansion import Instance
    from specgen.operators.lifecycle import Success


def undecided(success: Success, instances: Sequence[Instance]) -> list[Instance]:
    """The pods that may still run when the job has succeeded."""
    deciders = [one for one in instances if one.role in success.roles]
    rest = [one for one in instances if one.role not in success.roles]
    if success.how == ANY_ROLE:
        # the role that holds the least may be the first
        least = min(success.roles, key=lambda role: _amount([one for one in deciders if one.role == role]))
        return rest + [one for one in deciders if one.role != least]
    return rest + (deciders[1:] if success.how in (FIRST, ANY) else [])


def after_failure(instances: Sequence[Instance]) -> list[Instance]:
    """The pods that may still run when one has failed, which holds the least."""
    least = min(instances, key=lambda one: _amount([one]), default=None)
    return [one for one in instances if one is not least]


def _amount(instances: Sequence[Instance]) -> int:
    return sum([amount for one in instances for amount in one.devices.values()])


def held(instances: Sequence[Instance]) -> str:
    """The devices of pods, in words; empty: none."""
    total: dict[str, int] = {}
    for one in instances:
        for name, amount in one.devices.items():
            total[name] = total.get(name, 0) + amount
    return " and ".join([_counted(amount, name) for name, amount in total.items() if amount])


def _counted(amount: int, name: str) -> str:
    """``2 nvidia.com/gpu``, ``2 claims gpu-nic``."""
    claim = name.removeprefix("claim ")
    return f"{amount} {name}" if claim == name else f"{plural(amount, 'claim')} {claim}"
