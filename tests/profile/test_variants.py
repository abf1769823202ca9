"""The jobs that a profile comes to, as a table: profiles in, names and sizes out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.pipeline import Text, compile_texts
from specgen.profile.library import Library
from tests.profile.test_layers import NEEDED, Texts

CASES: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("variants.yaml").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["about"])
def test_variants(case: dict[str, Any]) -> None:
    job = {
        key: value for key, value in {**NEEDED, **case["files"]["job.yaml"]}.items() if (key, value) != ("image", None)
    }
    files = Texts({**case["files"], "job.yaml": job})
    source, _ = files.read("job.yaml")
    assert source is not None
    [result] = compile_texts([Text(source)], Library(files), variant=case.get("variant"))
    found = [f"{one['code']} {one['path']} {one['message']}" for one in result.diagnostics]
    assert found == case.get("findings", [])
    if not result.failed:
        assert {one.job.name: _size(one.job.job) for one in result.compiled} == case["jobs"]
        assert [one.job.name for one in result.compiled] == list(case["jobs"])


def _size(job: Any) -> Any:
    return [job.pods, job.env["A"]] if "A" in job.env else job.pods


@pytest.mark.parametrize(("variant", "found"), [(None, ["SG031"]), ("", []), ("small", [])])
def test_what_another_job_may_need_to_ignore_is_not_idle(variant: str | None, found: list[str]) -> None:
    files = Texts({"job.yaml": {**NEEDED, "variants": {"small": {"pods": 2}}, "ignore": {"SG220": "a reason"}}})
    source, _ = files.read("job.yaml")
    assert source is not None
    [result] = compile_texts([Text(source)], Library(files), variant=variant)
    assert [one["code"] for one in result.diagnostics] == found


@pytest.mark.parametrize(("variant", "found"), [(None, ["SG031"]), ("", [])])
def test_nor_is_a_comment(variant: str | None, found: list[str]) -> None:
    files = Texts({"job.yaml": {**NEEDED, "variants": {"small": {"pods": 2}}}})
    files.files["job.yaml"] += "# specgen: ignore[SG420] in the image\n"
    source, _ = files.read("job.yaml")
    assert source is not None
    [result] = compile_texts([Text(source)], Library(files), variant=variant)
    assert [one["code"] for one in result.diagnostics] == found
