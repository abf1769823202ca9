"""The pictures of a report, of rows as they stand in a file of metrics."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from trainer import svg


def test_a_value_that_is_no_number_is_left_out_of_its_line() -> None:
    """A loss that was not finite is written as null, and the attempt after it makes the report."""
    rows: list[dict[str, Any]] = [
        {"attempt": 1, "step": 1, "loss": 2.5},
        {"attempt": 1, "step": 2, "loss": None},
        {"attempt": 2, "step": 2, "loss": 2.0},
    ]
    lines = ElementTree.fromstring(svg.lines("Loss", rows, {"loss": "last batch"})).findall("{*}polyline")
    assert [len(line.attrib["points"].split()) for line in lines] == [1, 1]
    nothing = svg.lines("Loss", [{"attempt": 1, "step": 1, "loss": None}], {"loss": "last batch"})
    assert [line.attrib["points"] for line in ElementTree.fromstring(nothing).findall("{*}polyline")] == [""]
