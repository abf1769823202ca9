"""What `specgen run` misses on this machine, as a table: a job and the files beside it in, names or words out."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.cli.main import main

CASES: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("absent.yaml").read_text("utf-8"))
JOB = {"apiVersion": "specgen/v1", "kind": "Job", "metadata": {"name": "a"}, "target": "PyTorchJob", "image": "a:1"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["about"])
def test_what_is_absent(
    case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in case.get("here", ()):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "job.yaml").write_text(json.dumps({**JOB, **case["job"]}))
    code = main(["run", "job.yaml", "--dry-run", *(f"--map={one}" for one in case.get("maps", ()))])
    out, err = capsys.readouterr()
    said = [line.partition("error[SG801] `")[2].partition("`")[0] for line in err.splitlines() if "SG801" in line]
    assert said == case.get("absent", [])
    assert code == (1 if said else 0), err
    assert (out == "") == bool(said)
    if not said:
        wanted = [word.format(here=tmp_path) for word in case["starts"]]
        words = shlex.split(out.splitlines()[0].partition(": ")[2])
        assert words[-len(wanted) :] == wanted
