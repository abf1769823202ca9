"""Each thing that the API server refuses of a pod, and each that it takes although it looks as if it would not."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.operators.kubernetes.admission import pod_refusal, refusals
from tests.admission.pods import at, paths, rich

HERE = Path(__file__).parent
REFUSED = yaml.safe_load((HERE / "refused.yaml").read_text(encoding="utf-8"))
TAKEN = yaml.safe_load((HERE / "taken.yaml").read_text(encoding="utf-8"))


def _pod(changes: dict[str, Any]) -> dict[str, Any]:
    """A plain pod with changes."""
    container = {"name": "main", "image": "x:1"}
    pod: dict[str, Any] = {
        "metadata": {},
        "spec": {"containers": [container], "volumes": [{"name": "v", "emptyDir": {}}]},
    }
    for name, value in changes.items():
        home = container if name.startswith("c.") else pod["metadata"] if name.startswith("metadata.") else pod["spec"]
        home[name.rpartition(".")[2]] = copy.deepcopy(value)
    return pod


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: str(case["set"])[:80])
def test_what_is_refused(case: dict[str, Any]) -> None:
    pod = _pod(case["set"])
    found = list(refusals(pod))
    assert any(case["says"] in one.reason for one in found), [one.reason for one in found]
    assert pod_refusal(pod) == found[0].reason
    for one in found:
        assert not one.message[0].isupper()
        assert not one.message.endswith(".")
        # all but the last step are there to be pointed at
        at(pod, one.path[:-1])
        if one.other is not None:
            at(pod, one.other)


@pytest.mark.parametrize("changes", TAKEN, ids=lambda changes: str(changes)[:80])
def test_what_is_taken(changes: dict[str, Any]) -> None:
    assert [one.reason for one in refusals(_pod(changes))] == []


@pytest.mark.parametrize(
    "value", [None, True, 0, -1, 3.5, "", "text", [], [None], ["a", 1], {}, {"name": None}, {"": {}}, [[]]]
)
def test_no_value_makes_it_fail(value: Any) -> None:
    """Values of wrong types are the schema's business; here nothing is said of them, and nothing fails."""
    whole = rich("main")
    for path in list(paths(whole)):
        pod = copy.deepcopy(whole)
        at(pod, path[:-1])[path[-1]] = value
        for one in refusals(pod):
            assert isinstance(one.reason, str)
    for tree in ({"spec": value}, {"metadata": value}, {"metadata": value, "spec": value}):
        assert all(isinstance(one.reason, str) for one in refusals(tree))
