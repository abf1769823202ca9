"""Where specgen itself fails at a file, that is a finding of this file, and the others are judged."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from specgen.diagnostics.render import names
from tests.bad.every_node import specgen

JOB = (
    "apiVersion: specgen/v1\nkind: Job\nmetadata: {name: NAME}\ntarget: PyTorchJob\nimage: a:1\ncommand: [python, -V]\n"
)
MANIFEST = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: NAME}
spec:
  pytorchReplicaSpecs: {Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: a:1}]}}}}
"""


def _failing(function: Any, name: str) -> Any:
    """The function, failing where one of its arguments has this name."""

    def failing(*arguments: Any, **more: Any) -> Any:
        for one in arguments:
            ref = getattr(one, "ref", None) or getattr(getattr(one, "job", None), "job", None)
            tree = getattr(one, "metadata", None) or getattr(ref, "metadata", None)
            if getattr(ref, "name", None) == name or getattr(tree, "name", None) == name:
                raise LookupError("a bug")
        return function(*arguments, **more)

    return failing


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Three profiles and three manifests, one of each a bug in specgen, and one of each with a mistake."""
    from specgen import checking, linting, pipeline
    from specgen.operators import expand

    for name, text in (("job", JOB), ("manifest", MANIFEST)):
        for which in ("good", "failing", "wrong"):
            own = text.replace("NAME", f"{which}-{name}") + ("nonsense: 1\n" if which == "wrong" else "")
            (tmp_path / f"{name}-{which}.yaml").write_text(own)
    monkeypatch.setattr(linting, "check_object", _failing(checking.check, "failing-manifest"))
    monkeypatch.setattr(expand, "expand_manifest", _failing(expand.expand_manifest, "failing-manifest"))
    monkeypatch.setattr(pipeline, "_plan", _failing(pipeline._plan, "failing-job"))
    monkeypatch.chdir(tmp_path)
    yield tmp_path


def _found(report: str) -> list[tuple[str, str]]:
    return [(one["primary"]["file"], one["code"]) for one in json.loads(report)["diagnostics"]]


ALL = [("job-failing.yaml", "SG900"), ("job-wrong.yaml", "SG101"), ("manifest-failing.yaml", "SG900")]
ALL += [("manifest-wrong.yaml", "SG101")]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_lint_names_the_file_and_judges_the_others(files: Path, jobs: str) -> None:
    code, out, err = specgen("lint", ".", "--jobs", jobs, "--format", "json")
    assert (code, _found(out)) == (3, ALL)
    assert json.loads(out)["summary"]["errors"] == 4
    assert "Traceback" not in out + err


@pytest.mark.parametrize("form", names())
def test_every_format_names_the_file(files: Path, form: str) -> None:
    code, out, _ = specgen("lint", ".", "--format", form)
    assert code == 3
    assert "manifest-failing.yaml" in out and "job-failing.yaml" in out
    assert "specgen failed in " in out and "LookupError" in out


@pytest.mark.parametrize("option", [["--exit-zero"], ["--fail-on", "never"], ["--ignore", "SG9"]])
def test_nothing_makes_it_a_good_answer(files: Path, option: list[str]) -> None:
    code, out, _ = specgen("lint", "manifest-failing.yaml", *option)
    assert code == 3
    assert out.startswith("manifest-failing.yaml:1:1: error[SG900] specgen failed in ")


def test_no_baseline_accepts_it(files: Path) -> None:
    assert specgen("lint", ".", "--write-baseline", "baseline.json")[0] == 3
    code, out, _ = specgen("lint", ".", "--baseline", "baseline.json", "--format", "json")
    assert (code, _found(out)) == (3, [one for one in ALL if one[1] == "SG900"])


@pytest.mark.parametrize("verb", ["build", "expand", "images", "explain", "run"])
def test_a_verb_of_profiles_answers_nothing(files: Path, verb: str) -> None:
    code, out, err = specgen(verb, *(["--dry-run"] if verb == "run" else []), "job-failing.yaml")
    assert (code, out) == (3, "")
    assert err.startswith("job-failing.yaml:1:1: error[SG900] specgen failed in ")


def test_a_build_says_what_is_wrong_with_the_others_and_writes_nothing(files: Path) -> None:
    code, out, err = specgen("build", ".", "--out", "out", "--format", "json")
    assert (code, out, (files / "out").exists()) == (3, "", False)
    assert _found(err) == ALL[:2]


def test_expand_goes_on_with_the_other_files(files: Path) -> None:
    code, out, err = specgen("expand", "manifest-failing.yaml", "manifest-wrong.yaml", "--format", "json")
    assert (code, out) == (3, "")
    assert _found(err) == ALL[2:]


def test_fix_mends_the_others(files: Path) -> None:
    wrong = files / "manifest-wrong.yaml"
    wrong.write_text(MANIFEST.replace("NAME", "wrong-manifest").replace("name: pytorch", "name: trainer"))
    code, out, _ = specgen("fix", "manifest-failing.yaml", "manifest-wrong.yaml")
    assert code == 3
    assert "manifest-failing.yaml:1:1: error[SG900]" in out
    assert "name: pytorch" in wrong.read_text()


def test_an_installation_that_lacks_a_file(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """It is no folder that is gone."""
    from specgen.cli import main
    from specgen.schema import files

    def text(name: str) -> str:
        raise FileNotFoundError(f"the installation of specgen lacks the schema {name}")

    monkeypatch.setattr(files, "text", text)
    monkeypatch.setattr(main, "_dispatch", lambda words: files.load("absent.json"))
    assert main.main(["lint", "a.yaml"]) == 2
    assert capsys.readouterr().err == "specgen: the installation of specgen lacks the schema absent.json\n"
