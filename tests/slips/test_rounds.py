"""All errors come in one round: what is wrong in a value hides nothing that does not depend on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from specgen.cli.main import main

_HEAD = "apiVersion: specgen/v1\nkind: Job\nmetadata: {name: train}\n"


@pytest.mark.parametrize(
    ("job", "words", "said"),
    [
        ("cluster: lab.yaml\nextends: gone.yaml\npods: x\n", [], ["lab.yaml:4:", "`gone.yaml`", "`pods` takes"]),
        ("pods: x\n", [], ["no `target` and no `image`", "`pods` takes"]),
        ("target: TFJob\npods: x\n", ["--cluster", "lab.yaml"], ["lab.yaml:4:", "`pods` takes"]),
        ("", [], ["no `target` and no `image`"]),
    ],
)
def test_one_round_says_all(
    job: str,
    words: list[str],
    said: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "job.yaml").write_text(_HEAD + job)
    lab = "apiVersion: specgen/v1\nkind: Cluster\nmetadata: {name: lab}\nkubernetes: 1.31\n"
    (tmp_path / "lab.yaml").write_text(lab)
    monkeypatch.chdir(tmp_path)
    assert main(["build", "job.yaml", *words]) == 1
    shown = capsys.readouterr().err
    assert [one for one in said if one not in shown] == [], shown


def test_a_word_that_was_meant_is_not_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "job.yaml").write_text(_HEAD + "traget: PyTorchJob\nimage: a:1\n")
    monkeypatch.chdir(tmp_path)
    assert main(["build", "job.yaml"]) == 1
    shown = capsys.readouterr().err
    assert "`target`" in shown and "has no" not in shown
