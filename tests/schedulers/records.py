"""What of a record is foretold, and where a prediction differs from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from tests.schedulers.replay import WAYS, by_chance, differing, played


def compared(record: dict[str, Any]) -> dict[str, Any]:
    """Verdicts, jobs, pods by role, node and domain, messages, claims; no conditions, events, moments on the way."""
    made: dict[str, Any] = {
        "verdicts": {
            name: {key: value for key, value in one.items() if key != "message"}
            for name, one in record["verdicts"].items()
        },
        "settled": [],
    }
    for whole in record["settled"]:
        state = json.loads(json.dumps({key: value for key, value in whole.items() if key != "result"}))
        for job in state["jobs"].values():
            job.pop("conditions", None)
        for one in state["pending"]:
            one.pop("nominated", None)
        for listed in (*state["nodes"].values(), *state.get("claims", {}).values(), state["pending"]):
            listed.sort(key=_fullest)
        made["settled"].append(state)
    return made


def differences(scenario: dict[str, Any], record: dict[str, Any]) -> list[str]:
    """The places where the nearest of the ways that a world may take differs from its record, but for those places at
    which the runs of the real programs differ from each other.
    """
    return nearest(scenario, record, compared)


def nearest(
    scenario: dict[str, Any], record: dict[str, Any], seen: Callable[[dict[str, Any]], dict[str, Any]]
) -> list[str]:
    """The same for what ``seen`` keeps of a record."""
    wanted = seen(record)
    found = (
        list(_outside(differing(seen(way), wanted), [*record["unstable"], *by_chance(way)])) for way in _ways(scenario)
    )
    best: list[str] | None = None
    for one in found:
        if best is None or len(one) < len(best):
            best = one
        if not best:
            break
    return best or []


def _ways(scenario: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for reverse, last in WAYS:
        yield played(scenario, reverse=reverse, last=last)


def _outside(pointers: list[str], unstable: list[str]) -> Iterator[str]:
    for one in pointers:
        if not any(one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/") for other in unstable):
            yield one


def _fullest(one: dict[str, Any]) -> tuple[int, str]:
    """The order of a record: nodes that hold most pods first."""
    return -sum(count for count in one.values() if isinstance(count, int)), json.dumps(one, sort_keys=True)
