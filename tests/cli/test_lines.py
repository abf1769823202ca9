"""What lines of launchers and scripts of Slurm say is brought over into a profile that builds, or it is named."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.cli.main import main

CASES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "lines" / "lines.yaml").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=[f"{at}: {case['line']}" for at, case in enumerate(CASES)])
def test_a_line(
    case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    if "script" in case:
        Path("JOB").write_text(case["script"], "utf-8")
    if "storage" in case or "pools" in case:
        cluster = {"apiVersion": "specgen/v1", "kind": "Cluster", "metadata": {"name": "c"}}
        cluster |= {name: case[name] for name in ("storage", "pools") if name in case}
        Path("cluster.yaml").write_text(yaml.safe_dump(cluster), "utf-8")
    for name, text in case.get("files", {}).items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text, "utf-8")
    line = ["init", "job", *shlex.split(case.get("options", "")), "--out", "job.yaml", "--", *shlex.split(case["line"])]
    code = main(line)
    told = capsys.readouterr()
    if "refused" in case:
        assert code == 2 and [one for one in case["refused"] if one not in told.err] == [], told.err
        return
    assert code == 0, told.err
    said = Path("job.yaml").read_text("utf-8") + told.err
    assert [one for one in case["says"] if one not in said] == [], said
    assert [one for one in case.get("not", []) if one in said] == [], said
    assert main(["build", "job.yaml"]) == 0, said
