"""Generated files equal what the code generates; `python -m specgen.generate` writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from specgen.generate.__main__ import GENERATORS, ROOT, generate_all, generated, main


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    return generate_all()


def test_generated_files_are_fresh(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, files: dict[str, str]
) -> None:
    monkeypatch.setattr("specgen.generate.__main__.generate_all", lambda: files)
    assert main(["--check"]) == 0
    assert capsys.readouterr().out == "all generated files are fresh\n"


def test_generating_twice_gives_the_same_texts(files: dict[str, str]) -> None:
    again = {path: text for name in reversed(GENERATORS) for path, text in generated(name).items()}
    assert files == again
    assert all(text.endswith("\n") and "\r" not in text and str(ROOT) not in text for text in files.values())


def test_no_generated_file_is_left_over(files: dict[str, str]) -> None:
    """A table or schema that no generator writes any more would be shipped for ever."""
    found = [*ROOT.glob("specgen/tables/*.py"), *ROOT.glob("schemas/**/*.json")]
    left = [path.relative_to(ROOT).as_posix() for path in found if path.name != "__init__.py"]
    assert sorted(set(left) - set(files)) == []


def test_stale_files_are_listed_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], files: dict[str, str]
) -> None:
    monkeypatch.setattr("specgen.generate.__main__.ROOT", tmp_path)
    # some of them stand for all: what each writes is seen above
    monkeypatch.setattr("specgen.generate.__main__.GENERATORS", ("kinds_index", "profile_schemas"))
    assert main(["--check"]) == 1
    assert "stale: schemas/job.schema.json\n" in capsys.readouterr().out
    assert main([]) == 0
    assert (tmp_path / "schemas/job.schema.json").read_text("utf-8") == files["schemas/job.schema.json"]
    assert main(["--check"]) == 0
    assert main(["--write"]) == 2
