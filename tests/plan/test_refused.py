"""Every refusal of elastic jobs and companions: its code, its words, and what it points at."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.plan.carrying import JOB, compiled

if TYPE_CHECKING:
    from specgen.diagnostics.model import Region

CASES: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("refused.yaml").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["about"])
def test_it_is_refused(case: dict[str, Any]) -> None:
    files = {
        f"jobs/{name}": bytes(one) if isinstance(one, int) else one.encode()
        for name, one in case.get("files", {}).items()
    }
    result = compiled(case["job"], files)
    (found,) = [one for one in result.diagnostics if one["severity"] == case.get("severity", "error")]
    assert (found["code"], found["message"]) == (case["code"], case["says"])
    texts = {name: data.decode() for name, data in files.items()}
    texts["jobs/a.yaml"] = yaml.safe_dump({**JOB, **case["job"]}, sort_keys=False)

    def marked(region: Region) -> str:
        return texts[region["file"]][region["start"]["offset"] : region["end"]["offset"]].strip("'\"")

    assert marked(found["primary"]) == case["at"]
    assert [marked(region) for region in found["related"]] == case.get("related", [])
