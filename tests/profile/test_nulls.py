"""Nulls and wrong types in profiles: refused where they stand and mean nothing, by the file alone; never a bug."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.bad.every_node import specgen

CASES: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("nulls.yaml").read_text("utf-8"))
HEAD = {"apiVersion": "specgen/v1", "metadata": {"name": "a"}}
JOB = {**HEAD, "kind": "Job", "target": "PyTorchJob", "image": "a:1", "command": ["train"]}


def _found(report: str) -> list[str]:
    diagnostics = json.loads(report)["diagnostics"]
    return [f"{one['code']} {one['path']}" for one in diagnostics if one["severity"] == "error"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["about"])
def test_nulls(case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cluster = {**HEAD, "kind": "Cluster", **case.get("cluster", {})}
    job = {**JOB, **case.get("job", {}), **({"cluster": "cluster.yaml"} if "cluster" in case else {})}
    Path("cluster.yaml").write_text(yaml.safe_dump(cluster, sort_keys=False))
    Path("job.yaml").write_text(yaml.safe_dump(job, sort_keys=False))
    settings = [word for one in case.get("set", ()) for word in ("--set", one)]
    if not settings:
        code, out, _ = specgen("lint", "cluster.yaml" if "cluster" in case else "job.yaml", "--format", "json")
        assert (_found(out), code) == (case["found"], 1 if case["found"] else 0)
    # a job that names the cluster says the same, at the cluster's place
    code, out, err = specgen("build", "job.yaml", "--format", "json", *settings)
    assert (_found(err), code, bool(out)) == (case["found"], 1 if case["found"] else 0, not case["found"])
