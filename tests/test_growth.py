"""Twice the input costs twice the CPU, or is refused where it grows: `pytest -m fuzz` measures each shape of input."""

from __future__ import annotations

import pytest

from tests.bench.growth import MOST, apart
from tests.bench.shapes import SHAPES


@pytest.mark.fuzz
@pytest.mark.parametrize("name", SHAPES)
def test_twice_the_input_costs_twice_the_time(name: str) -> None:
    assert apart(name, 32_000, 128_000) <= MOST
