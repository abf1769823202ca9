"""What the API server refuses of a pod: ``lint`` has an error exactly where ``expand`` refuses, whatever is odd."""

from __future__ import annotations

import random

import pytest

from tests.admission.pods import KINDS, Verdicts, odd, of_old, rich, text_of


@pytest.mark.parametrize("kind", KINDS)
def test_a_pod_with_everything_is_taken(kind: str) -> None:
    container, make = KINDS[kind]
    pod = of_old(rich(container)) if container == "mindspore" else rich(container)
    verdicts = Verdicts(text_of(make(pod, container)))
    assert verdicts.errors == []
    assert verdicts.refusals == []


def _compared(kind: str, first: int, count: int) -> tuple[int, int]:
    """How many odd pods both refuse, and both take; fails where they differ."""
    container, make = KINDS[kind]
    refused = 0
    for number in range(first, first + count):
        text = text_of(make(odd(random.Random(f"{kind} {number}"), container), container))
        verdicts = Verdicts(text)
        assert verdicts.agree, f"{kind} {number}: lint {verdicts.errors}, expand {verdicts.refusals}\n{text}"
        refused += bool(verdicts.errors)
    return refused, count - refused


@pytest.mark.parametrize("kind", KINDS)
def test_few_odd_pods(kind: str) -> None:
    refused, taken = _compared(kind, 0, 12)
    assert refused and taken


@pytest.mark.fuzz
@pytest.mark.parametrize("kind", KINDS)
def test_many_odd_pods(kind: str) -> None:
    refused, taken = _compared(kind, 100, 150)
    assert refused > 30 and taken > 30
