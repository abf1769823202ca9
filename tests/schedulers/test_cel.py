"""Expressions that choose devices."""

from __future__ import annotations

from typing import Any

import pytest

from specgen.schedulers.kube.cel import Unknown, chooses

DEVICE: dict[str, Any] = {
    "driver": "gpu.example.com",
    "attributes": {"gpu.example.com": {"model": "h100", "index": 3, "healthy": True}},
    "capacity": {"gpu.example.com": {"memory": 80 * 2**30 * 10**9}},
}
OWN = 'device.attributes["gpu.example.com"]'


@pytest.mark.parametrize(
    ("expression", "held"),
    [
        ('device.driver == "gpu.example.com"', True),
        ("device.driver == 'other'", False),
        (f'{OWN}.model == "h100"', True),
        (f'{OWN}.model in ["h100", "h200"]', True),
        (f'{OWN}.model != "h100" || {OWN}.index >= 3', True),
        (f'{OWN}.model == "h100" && !({OWN}.index < 3)', True),
        (f"{OWN}.healthy", True),
        (f'{OWN}.model.startsWith("h")', True),
        # what a device lacks is no choice, unless another part decides
        (f'{OWN}.family == "hopper"', False),
        (f'{OWN}.family == "hopper" || {OWN}.index == 3', True),
        (f'{OWN}.family == "hopper" && {OWN}.index == 4', False),
        ('"model" in device.attributes["gpu.example.com"]', True),
        ('device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0', True),
        ('device.capacity["gpu.example.com"].memory.isGreaterThan(quantity("80Gi"))', False),
        # numbers and texts are never equal
        (f'{OWN}.index == "3"', False),
    ],
)
def test_what_an_expression_chooses(expression: str, held: bool) -> None:
    assert chooses(expression, DEVICE) is held


@pytest.mark.parametrize(
    "expression",
    ["", "device.", f"{OWN}.model.matches('h.*')", "device.driver == ", "[1,2].all(x, x > 0)", "(" * 5000, "'open"],
)
def test_what_is_not_read_is_said(expression: str) -> None:
    with pytest.raises(Unknown):
        chooses(expression, DEVICE)
