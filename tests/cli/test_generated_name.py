"""A job whose name the API server makes is printed for `kubectl create`, and never written among files to apply."""

from __future__ import annotations

from pathlib import Path

import pytest

from specgen.cli.main import main

JOB = """\
apiVersion: specgen/v1
kind: Job
metadata: {generateName: sweep-}
target: PyTorchJob
image: registry.example.com/train:1
command: [train]
"""


def test_a_tree_of_files_takes_no_job_without_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("job.yaml").write_text(JOB, "utf-8")
    assert main(["build", "job.yaml"]) == 0
    assert "\n  generateName: sweep-\n" in capsys.readouterr().out
    for words in (["--out", "out"], ["--out", "out", "--check"]):
        assert main(["build", "job.yaml", *words]) == 1
        assert (
            "job.yaml:3:12: error[SG250] a job called `sweep-…` cannot be applied from files" in capsys.readouterr().err
        )
    assert not Path("out").exists()


def test_the_pods_of_a_job_without_a_name_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("job.yaml").write_text(JOB.replace("}\n", "}\nvariants: {small: {}, large: {pods: 2}}\n", 1), "utf-8")
    assert main(["build", "job.yaml"]) == 0
    assert [line for line in capsys.readouterr().out.splitlines() if "generateName" in line] == [
        "  generateName: sweep-",
        "  generateName: sweep-small-",
        "  generateName: sweep-large-",
    ]
    assert main(["expand", "job.yaml"]) == 0
    assert "sweep-large-<random>-worker-0" in capsys.readouterr().out
