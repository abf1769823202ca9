"""Quantities of Kubernetes as exact numbers."""

from __future__ import annotations

import pytest

from specgen.profile.quantity import thousandths


@pytest.mark.parametrize(
    ("amount", "expected"),
    [
        (1, 1000),
        (0.05, 50),
        ("1.5", 1500),
        ("500m", 500),
        ("1Ki", 1_024_000),
        ("1.5Gi", 1536 * 2**20 * 1000),
        ("100M", 10**11),
        ("1k", 10**6),
        ("2E", 2 * 10**21),
        ("1e3", 10**6),
        ("1E3", 10**6),
        ("1500u", 2),
        ("2n", 1),
        ("1.0001", 1001),
        ("0", 0),
    ],
)
def test_a_quantity_is_exact_and_rounded_up_at_the_thousandth(amount: int | float | str, expected: int) -> None:
    assert thousandths(amount) == expected


@pytest.mark.parametrize("text", ["", "x", "1x", "m", "1.2.3", "1mm", "$GPUS"])
def test_what_is_no_quantity_is_said(text: str) -> None:
    with pytest.raises(ValueError):
        thousandths(text)
