"""Expressions that choose devices."""

from __future__ import annotations

from typing import Any

import pytest

from specgen.schedulers.kube.cel import Domains, Failed, Quantity, Unknown, chooses, version

DEVICE: dict[str, Any] = {
    "driver": "gpu.example.com",
    "attributes": Domains(
        {"gpu.example.com": {"model": "h100", "index": 3, "healthy": True, "release": version("550.1.0")}}
    ),
    "capacity": Domains({"gpu.example.com": {"memory": Quantity(80 * 2**30 * 10**9)}}),
    "allowMultipleAllocations": False,
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
        # what a device lacks fails, unless another part decides
        (f'{OWN}.family == "hopper" || {OWN}.index == 3', True),
        (f'{OWN}.family == "hopper" && {OWN}.index == 4', False),
        ('"model" in device.attributes["gpu.example.com"]', True),
        ('device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0', True),
        ('device.capacity["gpu.example.com"].memory.isGreaterThan(quantity("80Gi"))', False),
        # numbers and texts are never equal
        (f'{OWN}.index == "3"', False),
        # what is there is asked for, with a way out
        (f"has({OWN}.model)", True),
        (f"has({OWN}.family)", False),
        (f'has({OWN}.family) && {OWN}.family == "hopper"', False),
        ('"family" in device.attributes["other.example.com"]', False),
        (f'{OWN}.?family.orValue("hopper") == "hopper"', True),
        (f'{OWN}[?"model"].orValue("") == "h100"', True),
        (f'{OWN}.healthy ? {OWN}.model == "h100" : false', True),
        (f'cel.bind(own, {OWN}, own.index + 1 == 4 && own.model.matches("^h[0-9]+$"))', True),
        (f'["h200", "h100"].exists(x, x == {OWN}.model)', True),
        ("[1, 2].all(x, x > 0)", True),
        (f'{OWN}.release.isGreaterThan(semver("550.0.9"))', True),
        (f'{OWN}.release.compareTo(semver("550.1.0-rc.1")) > 0', True),
        (f"{OWN}.release.major() == 550", True),
        ("device.allowMultipleAllocations == false", True),
        ('device.capacity["gpu.example.com"].memory == quantity("80Gi")', True),
    ],
)
def test_what_an_expression_chooses(expression: str, held: bool) -> None:
    assert chooses(expression, DEVICE) is held


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "device.",
        f"{OWN}.model.matches('(h+)+$')",
        "device.driver == ",
        "unheard.of == 1",
        "(" * 5000,
        "'open",
        f"has({OWN}[0])",
        f"{OWN}.model.unheard()",
        f"{OWN}.model",
    ],
)
def test_what_is_not_read_is_said(expression: str) -> None:
    with pytest.raises(Unknown):
        chooses(expression, DEVICE)


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        (f'{OWN}.family == "hopper"', "no such key: family"),
        ('device.attributes["other.example.com"].model == "h100"', "no such key: model"),
        (f"{OWN}.model > 3", "no such overload"),
        (f'{OWN}.family == "hopper" || {OWN}.index == 4', "no such key: family"),
        (f"{OWN}.index / 0 == 1", "division by zero"),
        ("999999999999999999 * 999 > 0", "integer overflow"),
    ],
)
def test_what_fails_is_told_as_the_scheduler_does(expression: str, why: str) -> None:
    with pytest.raises(Failed, match=why):
        chooses(expression, DEVICE)
