"""Manifests of a run are linted together: documents in files of their own come to what they come to in one file."""

from __future__ import annotations

import gc
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from specgen import linting, pipeline
from specgen.checking import check
from specgen.cli.files import DiskFiles, opened
from specgen.cli.main import main
from specgen.diagnostics.model import Finding
from specgen.document.read import read
from specgen.document.tree import Document
from specgen.manifest.model import Manifest
from specgen.profile.cluster import ClusterProfile
from specgen.session import Session
from specgen.source import Source

ROOT = Path(__file__).resolve().parents[2]
RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: lab}
spec:
  mlPolicy: {numNodes: 16, torch: {}}
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
            spec:
              template:
                spec:
                  containers:
                    - name: node
                      image: registry.example.com/train:1
                      command: [python, train.py, --world-size=3]
"""
JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: train}
spec:
  runtimeRef: {name: lab}
"""


def lint(*names: str) -> Session:
    session = opened()
    session.lint(names)
    session.found()
    return session


def test_a_runtime_of_another_file_is_meant_by_a_name_that_is_near(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("runtime.yaml").write_text(RUNTIME.replace("lab", "lab-torch"), "utf-8")
    for name, said in (("lab-troch", ["lab-torch"]), ("vision", []), ("lab-torch", [])):
        Path("job.yaml").write_text(JOB.replace("{name: lab}", f"{{name: {name}}}"), "utf-8")
        fixes = [one["fix"] for one in lint("job.yaml", "runtime.yaml").diagnostics if one["code"] == "SG624"]
        assert [fix["title"] for fix in fixes if fix is not None] == [f"write `{one}`" for one in said], name


def said(session: Session) -> list[tuple[str, str, str]]:
    """(code, message, line) of each finding, whatever its file is called."""
    texts = {
        name: Path(name).read_text("utf-8").split("\n") for name in {one["primary"]["file"] for one in session.found()}
    }
    return sorted(
        (one["code"], one["message"], texts[one["primary"]["file"]][one["primary"]["start"]["line"] - 1])
        for one in session.found()
    )


def parts(text: str) -> list[str]:
    """The documents of a text, each a text of its own."""
    return [part for part in f"\n{text}".split("\n---\n") if part.strip()]


def _mixed(folder: Path) -> list[Path]:
    """Files with a job and what decides about it in one text, which say nothing of their own lines."""
    found = []
    for path in sorted(folder.rglob("*.yaml")):
        text = path.read_text("utf-8", "replace")
        run = "kind: TrainJob" in text and "TrainingRuntime\n" in text
        beside = any([f"\nkind: {kind}\n" in text for kind in ("ClusterQueue", "LocalQueue", "PodGroup")])
        if (run or beside) and "\n---\n" in text:
            found.append(path)
    return found


FIXTURES = _mixed(ROOT / "tests" / "rules")


def test_there_are_such_texts() -> None:
    assert len(FIXTURES) >= 4


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_text_and_its_documents_come_to_the_same(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = path.read_text("utf-8")
    documents = parts(text)
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "all.yaml").write_text(text)
    for number, document in enumerate(documents):
        (tmp_path / f"{number}.yaml").write_text(document)
    monkeypatch.chdir(tmp_path)
    names = [f"{number}.yaml" for number in range(len(documents))]
    whole = said(lint("one/all.yaml"))
    assert said(lint(*names)) == whole
    assert said(lint(*reversed(names))) == whole


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_same_holds_for_what_operators_were_given(shared: Path, home: Path) -> None:
    texts = [path for part in ("conformance", "findings/cases") for path in _mixed(shared / part)]
    assert len(texts) > 20
    for number, path in enumerate(texts[::4]):
        text = path.read_text("utf-8")
        names = [f"{number}/{at}.yaml" for at in range(len(parts(text)))]
        write(home, {f"{number}/all/all.yaml": text, **dict(zip(names, parts(text), strict=True))})
        assert said(lint(*names)) == said(lint(f"{number}/all")), path


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def test_a_runtime_of_another_file_is_judged_with_the_job(home: Path) -> None:
    write(home, {"rt.yaml": RUNTIME, "tj.yaml": JOB})
    assert lint("tj.yaml").found() == []
    (found,) = lint("rt.yaml", "tj.yaml").found()
    assert (found["code"], found["primary"]["file"], found["primary"]["start"]["line"]) == ("SG210", "rt.yaml", 18)
    assert lint("tj.yaml", "rt.yaml").found() == [found]


def test_a_finding_in_a_file_is_ignored_by_a_comment_there(home: Path) -> None:
    variable = "\n                      env: [{name: NCCL_DEBGU, value: INFO}]"
    silent = RUNTIME.replace("size=3]", "size=16]" + variable + "  # specgen: ignore[SG520, SG411] not yet")
    write(home, {"rt.yaml": silent, "tj.yaml": JOB})
    both = lint("tj.yaml", "rt.yaml")
    assert (both.found(), both.suppressed) == ([], 2)
    assert [one["code"] for one in lint("rt.yaml").found()] == ["SG031", "SG031"]


def test_no_comment_ignores_what_a_job_of_another_file_cannot_do(home: Path) -> None:
    silent = RUNTIME.replace("size=3]", "size=3]  # specgen: ignore[SG210] read by nobody")
    write(home, {"rt.yaml": silent, "tj.yaml": JOB})
    assert [one["code"] for one in lint("tj.yaml", "rt.yaml").found()] == ["SG210", "SG031"]


def test_the_nearest_runtime_of_a_name_counts(home: Path) -> None:
    good = RUNTIME.replace("size=3", "size=16")
    write(home, {"a/rt.yaml": good, "a/tj.yaml": JOB, "b/rt.yaml": RUNTIME, "b/tj.yaml": JOB, "c/tj.yaml": JOB})
    assert [one["primary"]["file"] for one in lint(".").found()] == ["b/rt.yaml"]
    assert lint("a", "c").found() == []
    write(home, {"b/tj.yaml": f"{good}---\n{JOB}"})
    assert lint("b").found() == []
    # of those that are equally near the last one, as kubectl applies it last
    write(home, {"d/1.yaml": RUNTIME, "d/2.yaml": good, "d/tj.yaml": JOB})
    assert lint("d").found() == []


def test_expanding_takes_the_runtime_that_linting_does(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = RUNTIME.replace("numNodes: 16", "numNodes: 3")
    write(home, {"a/tj.yaml": JOB, "a/rt.yaml": few, "b/rt.yaml": RUNTIME})
    assert main(["expand", "a/tj.yaml", "a/rt.yaml", "b/rt.yaml"]) == 0
    assert "becomes 3 pods" in capsys.readouterr().out


def test_a_runtime_of_a_namespace_is_its_jobs_alone(home: Path) -> None:
    named = RUNTIME.replace("ClusterTrainingRuntime", "TrainingRuntime").replace(
        "name: lab", "name: lab, namespace: lab-a"
    )
    job = JOB.replace("{name: lab}", "{name: lab, kind: TrainingRuntime}")
    write(
        home, {"rt.yaml": named, "tj.yaml": job, "n.yaml": job.replace("name: train", "name: train, namespace: lab-a")}
    )
    assert lint("rt.yaml", "tj.yaml").found() == []
    assert [one["code"] for one in lint("rt.yaml", "n.yaml").found()] == ["SG210"]


def test_many_files_cost_as_many_times_as_much(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted, not timed: every text is read once or, beyond what is held at once, twice; no job sees all runtimes."""
    count = 200
    for number in range(count):
        job = f"# {'x' * 1000}\n{JOB}".replace("name: train", f"name: t{number}").replace(
            "name: lab", f"name: r{number}"
        )
        write(home, {f"a/{number}.yaml": job, f"b/{number}.yaml": RUNTIME.replace("name: lab", f"name: r{number}")})
    reads: list[str] = []
    companions: list[int] = []

    def counted(source: Source) -> tuple[list[Document], list[Finding]]:
        reads.append(source.name)
        return read(source)

    def judged(
        manifest: Manifest,
        cluster: ClusterProfile | None,
        beside: Sequence[Manifest],
        chosen: frozenset[str],
        kinds: Mapping[tuple[str, str], dict[str, Any]] | None,
    ) -> list[Finding] | None:
        companions.append(len(beside))
        return check(manifest, cluster, beside, chosen, kinds)

    monkeypatch.setattr(pipeline, "read", counted)
    monkeypatch.setattr(linting, "check_object", judged)
    assert len(lint(".").found()) == count
    assert count < len(reads) <= 3 * count
    assert sum(companions) == count


def test_objects_are_not_held(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is linted is gone when the next ones are read, but for runtimes and for jobs that wait for one."""
    for number in range(120, 300, 3):
        write(
            home,
            {
                f"{number}.yaml": f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{number}}}\n"
                f"data: {{a: {'x' * 8000}}}\n"
            },
        )
    most = 0
    real = DiskFiles.named

    def named(self: DiskFiles, name: str) -> tuple[Source | None, list[Finding]]:
        nonlocal most
        if name in ("210.yaml", "240.yaml", "270.yaml", "297.yaml"):  # to look at all that lives takes long
            most = max(most, sum(type(thing) is Document for thing in gc.get_objects()))
        return real(self, name)

    monkeypatch.setattr(DiskFiles, "named", named)
    gc.collect()
    before = sum(type(thing) is Document for thing in gc.get_objects())
    session = lint(".")
    assert (session.files, session.found()) == (60, [])
    assert 8 <= most - before < 20
