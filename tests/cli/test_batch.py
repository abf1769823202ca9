"""Scripts of Slurm, and lines of other starters → the profile that `init` begins with them, which builds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.cli.main import main

CASES = yaml.safe_load((Path(__file__).parent / "batch_scripts.yaml").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["about"])
def test_a_profile_is_begun(
    case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {"job.sh": case.get("script", ""), **case.get("files", {})}.items():
        Path(name).write_text(text, "utf-8")
    code = main(["init", "job", "--", *case.get("line", "sbatch job.sh").split()])
    out, err = capsys.readouterr()
    if "refused" in case:
        assert (code, out) == (2, "") and case["refused"] in err
        return
    assert code == 0
    assert [line for line in case["lines"] if line not in out.splitlines()] == []
    assert [text for text in case.get("without", []) if text in out] == []
    Path("job.yaml").write_text(out, "utf-8")
    assert main(["build", "-q", "job.yaml"]) == 0
