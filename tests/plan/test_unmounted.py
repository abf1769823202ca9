"""Paths of a profile that no mount covers: what is said, where, and which line is to be written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.pipeline import Text, compile_texts
from specgen.profile.library import Library
from tests.profile.test_layers import NEEDED, Texts

CASES: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("unmounted.yaml").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["about"])
def test_it_is_said(case: dict[str, Any]) -> None:
    cluster = {"kind": "Cluster", "metadata": {"name": "c"}, "storage": case.get("storage", {})}
    files = Texts({"job.yaml": {**NEEDED, "cluster": "c.yaml", **case["job"]}, "c.yaml": cluster})
    source, _ = files.read("job.yaml")
    assert source is not None
    [result] = compile_texts([Text(source)], Library(files))
    assert not result.failed
    found = []
    for one in result.diagnostics:
        if one["code"] == "SG414":
            start, end = (one["primary"][key]["offset"] for key in ("start", "end"))
            place = one["message"].rpartition("mounted at ")[2].strip("`")
            found.append([source.text[start:end].strip("'\""), place, *one["helps"]])
    assert found == case.get("says", [])
