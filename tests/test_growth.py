"""Twice the input costs twice the CPU, or is refused where it grows: `pytest -m fuzz` measures each shape of input."""

from __future__ import annotations

import pytest

from tests.bench.growth import MOST, apart
from tests.bench.shapes import SHAPES


@pytest.mark.fuzz
@pytest.mark.parametrize("name", SHAPES)
def test_twice_the_input_costs_twice_the_time(name: str) -> None:
    """What grows faster than its input does so at every size; where the caches end there is one step."""
    assert apart(name, 32_000, 128_000) <= MOST or apart(name, 128_000, 512_000) <= MOST
