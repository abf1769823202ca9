"""A build in several processes prints, finds, and writes what a build in one does, to the byte."""

from __future__ import annotations

import random
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from specgen.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
JOB = "apiVersion: specgen/v1\nkind: Job\nmetadata: {name: NAME}\ntarget: PyTorchJob\nimage: r.example.com/x:1\n"
BASE = "apiVersion: specgen/v1\nkind: Base\nmetadata: {name: b}\npods: 2\n"


def jobs(count: int, more: str = "") -> dict[str, str]:
    return {f"{at:02}.yaml": JOB.replace("NAME", f"j{at}") + more for at in range(count)}


# Case → files: each is built in one process and in several.
CASES: dict[str, dict[str, str]] = {
    "good": jobs(9),
    "one": jobs(1),
    "none": {"a.yaml": BASE},
    "error": jobs(9) | {"03.yaml": JOB.replace("NAME", "j3") + "pods: x\n", "no.yaml": "a: [\n"},
    "warnings": jobs(9, "resources: {gpu: 8}\ncommand: [python, train.py]\n"),
    "a name twice": jobs(9) | {"z.yaml": JOB.replace("NAME", "j1")},
    "a name twice in one part": jobs(9) | {"01x.yaml": JOB.replace("NAME", "j1")},
    "a folder twice": jobs(9) | {"z.yaml": JOB.replace("NAME", "j1").replace("PyTorch", "TF")},
    "a base": jobs(9, "extends: base.yaml\n") | {"base.yaml": BASE},
    "a wrong base": jobs(9, "extends: base.yaml\n") | {"base.yaml": BASE.replace("2", "x")},
    "a base that ignores": jobs(9, "extends: base.yaml\n") | {"base.yaml": BASE + "# specgen: ignore[SG520]\n"},
    "no base": jobs(9, "extends: gone.yaml\n"),
    "a wrong cluster": jobs(9, "cluster: c.yaml\n") | {"c.yaml": "apiVersion: specgen/v1\nkind: Cluster\npools: 3\n"},
    "variants": jobs(5, "variants: {a: {pods: 2}, b: {pods: 3}}\n"),
    "no name": jobs(5) | {"g.yaml": JOB.replace("name: NAME", "generateName: g-")},
    "ignored": jobs(5, "pods: 2 # specgen: ignore[SG520]\n"),
    "files": jobs(5, "files: {/etc/a.sh: {from: a.sh}}\n") | {"a.sh": "echo\n"},
}
FORMS = (["--format=human"], ["--format=json"], ["-o", "json"], ["--out", "out"], ["--out", "out", "--check"])


def runs(words: list[str], capsys: pytest.CaptureFixture[str], *, processes: str = "1") -> tuple[object, ...]:
    """Exit code, both streams, and what lies in the tree then."""
    shutil.rmtree("out", ignore_errors=True)
    code = main(["build", *words, "--jobs", processes])
    out, err = capsys.readouterr()
    tree = {str(path): path.read_bytes() for path in sorted(Path("out").rglob("*")) if path.is_file()}
    return code, out, err, tree


@pytest.mark.parametrize("first", [2, pytest.param(len(FORMS), marks=pytest.mark.fuzz)])
@pytest.mark.parametrize("case", CASES)
def test_a_case(
    case: str, first: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    for name, text in CASES[case].items():
        Path(name).write_text(text, "utf-8")
    for form, processes in [*zip(FORMS, ("2", "3", "2", "3", "12"), strict=True)][:first]:
        assert runs([".", *form], capsys, processes=processes) == runs([".", *form], capsys), (form, processes)


def test_what_the_command_line_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files that are not there, that are named twice, settings, and more bytes than a run may read."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    for name, text in jobs(6).items():
        script = name.replace(".yaml", ".sh")
        Path(name).write_text(f"{text}files: {{/etc/a.sh: {{from: {script}}}}}\n", "utf-8")
        Path(script).write_text("x" * 300_000 + "\n", "utf-8")
    for words in (
        ["gone.yaml", "00.yaml", "01.yaml"],
        ["00.yaml", "00.yaml", "./01.yaml", "00.sh"],
        ["00.yaml", "01.yaml", "--set", "pods=4"],
        ["00.yaml", "01.yaml", "--set", "pods=x"],
        ["00.yaml", "01.yaml", "--variant", "a"],
        [".", "--max-input", "1"],
    ):
        alone = runs(words, capsys)
        assert runs(words, capsys, processes="3") == alone, words
    assert alone[0] == 1 and "1,048,576 bytes together" in str(alone[2])


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=pytest.mark.fuzz) for seed in (1, 2, 3)])
def test_samples_with_lines_that_are_gone(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The project's own profiles, a few lines torn out of some: jobs, bases, and clusters."""
    shutil.copytree(ROOT / "profiles", tmp_path / "profiles")
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    dice = random.Random(seed)
    for path in dice.sample(sorted(Path("profiles").rglob("*.yaml")), seed):
        lines = path.read_text("utf-8").splitlines(keepends=True)
        del lines[dice.randrange(len(lines))]
        path.write_text("".join(lines), "utf-8")
    for form in FORMS:
        assert runs(["profiles", *form], capsys, processes="2") == runs(["profiles", *form], capsys), form


def test_parts_are_taken(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Or else the comparisons above would compare one process with itself."""
    from specgen.session import parts

    kept: list[list[str] | None] = []

    def kept_too(*words: Any, **more: Any) -> list[str] | None:
        kept.append(built(*words, **more))
        return kept[-1]

    built = parts.built_in_parts
    monkeypatch.setattr(parts, "built_in_parts", kept_too)
    monkeypatch.chdir(ROOT)
    assert main(["build", "profiles", "--jobs", "2"]) == 0
    capsys.readouterr()
    assert len(kept) == 1 and len(kept[0] or ()) > 20


def test_progress_is_told_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """By one process of several, up to the number of files."""
    from specgen.cli import progress

    told: list[tuple[int, int]] = []
    monkeypatch.setattr(progress, "Progress", lambda stream: lambda done, of: told.append((done, of)))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.chdir(ROOT)
    for processes in ("1", "2"):
        told.clear()
        assert main(["build", "profiles", "--jobs", processes]) == 0
        capsys.readouterr()
        count = len(list(Path("profiles").rglob("*.yaml")))
        assert told[-1] == (0, 0) and len(told) > 2
        assert all(before < after <= (count, count) for before, after in pairwise(told[:-1]))
