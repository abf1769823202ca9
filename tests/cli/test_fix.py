"""What `specgen fix` leaves behind: files that are mended once, and nothing else that changes."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from specgen.cli import fix
from specgen.cli.files import DiskFiles
from specgen.cli.main import main
from specgen.diagnostics.model import SAFE, WARNING, Code, Diagnostic, Finding, Fix
from specgen.diagnostics.operations import Set
from specgen.diagnostics.place import place
from specgen.document.read import read
from specgen.document.second import agrees
from specgen.schema.judge import MOST_HELPED
from specgen.session.repair import repair
from tests.bad.program import specgen

if TYPE_CHECKING:
    from specgen.session.files import Files

SLIPS = (Path(__file__).parent / "files" / "slips.yaml").read_text()
JOB = (
    "apiVersion: specgen/v1\nkind: Job\nmetadata: {name: train}\ntarget: PyTorchJob\nimage: registry.example.com/t:1\n"
)
MANY = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: a}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: a/b:1
              env:
"""


@pytest.fixture
def slips(tmp_path: Path) -> Path:
    file = tmp_path / "slips.yaml"
    file.write_text(SLIPS)
    return file


def test_what_is_written_is_what_was_shown_and_a_second_run_finds_nothing(slips: Path) -> None:
    shown = specgen("fix", "--unsafe", "--diff", "slips.yaml", cwd=slips.parent)
    assert slips.read_text() == SLIPS
    first = specgen("fix", "--unsafe", "slips.yaml", cwd=slips.parent)
    mended = slips.read_text()
    assert (shown.code, first.code) == (1, 0)
    assert "slips.yaml:16: fixed SG003: put both under one `template`\n" in first.err
    added = [line[1:] for line in shown.out.split("\n") if line.startswith("+") and not line.startswith("+++")]
    assert added and not [line for line in added if line not in mended.split("\n")]
    again = specgen("fix", "--unsafe", "slips.yaml", cwd=slips.parent)
    assert (again.code, again.out, again.err) == (0, "", "1 file clean\n")
    assert slips.read_text() == mended
    assert specgen("lint", "slips.yaml", cwd=slips.parent).code == 0


def test_marks_line_ends_and_modes_stay(slips: Path) -> None:
    slips.write_bytes(b"\xef\xbb\xbf" + SLIPS.replace("\n", "\r\n").encode())
    slips.chmod(0o640)
    assert specgen("fix", "--unsafe", "slips.yaml", cwd=slips.parent).code == 0
    data = slips.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf#") and data.count(b"\n") == data.count(b"\r\n")
    assert stat.S_IMODE(slips.stat().st_mode) == 0o640


def test_a_link_stays_a_link_and_its_file_is_mended(slips: Path) -> None:
    link = slips.parent / "link.yaml"
    link.symlink_to("slips.yaml")
    assert specgen("fix", "--unsafe", "link.yaml", cwd=slips.parent).code == 0
    assert link.is_symlink() and "runPolicy" in slips.read_text()


def test_what_build_wrote_is_left_alone_and_its_profile_named(tmp_path: Path) -> None:
    (tmp_path / "train.yaml").write_text(JOB)
    assert specgen("build", "train.yaml", "--out", "out", cwd=tmp_path).code == 0
    written = next((tmp_path / "out/train").glob("*pytorchjob*"))
    broken = written.read_text().replace("name: pytorch\n", "name: trainer\n")
    assert broken != written.read_text()
    written.write_text(broken)
    name = str(written.relative_to(tmp_path))
    ended = specgen("fix", "out", cwd=tmp_path)
    assert ended.code == 1
    assert f"specgen: {name} is left alone: `specgen build` writes it from train.yaml\n" in ended.err
    assert written.read_text() == broken


def test_a_file_that_cannot_be_written_is_said(slips: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    slips.parent.chmod(0o555)
    ended = specgen("fix", "--unsafe", "slips.yaml", cwd=slips.parent)
    slips.parent.chmod(0o755)
    assert ended.code == 2 and "slips.yaml cannot be written: permission denied\n" in ended.err
    assert slips.read_text() == SLIPS


def test_a_file_that_changes_in_the_meantime_is_left_as_it_is(
    slips: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write = fix._write

    def late(*words: Any) -> None:
        slips.write_text("a: 1\n")
        write(*words)

    monkeypatch.setattr(fix, "_write", late)
    assert main(["fix", "--unsafe", str(slips)]) == 2
    assert slips.read_text() == "a: 1\n"
    assert "changed while it was being mended" in capsys.readouterr().err


def test_files_are_seen_together(tmp_path: Path) -> None:
    """A profile beside its base: what is mended in the one is known to the other."""
    (tmp_path / "base.yaml").write_text("apiVersion: specgen/v1\nkind: Base\nproscPerPod: 4\n")
    (tmp_path / "train.yaml").write_text(JOB + "extends: base.yaml\n")
    assert specgen("lint", "train.yaml", cwd=tmp_path).code == 1
    ended = specgen("fix", "--unsafe", ".", cwd=tmp_path)
    assert "base.yaml:3: fixed SG101: rename `proscPerPod` to `procsPerPod`" in ended.err


CODE = Code("SG999", "made-up", WARNING, since="0.1", page="A finding that is made up.\n")


class Made:
    """A session that finds what it is told to find."""

    def __init__(self, found: list[Diagnostic]) -> None:
        self._found = found

    def found(self) -> list[Diagnostic]:
        return self._found


def made(
    tmp_path: Path, text: str, findings: Callable[[dict[str, int]], list[Finding]]
) -> tuple[str, list[str], list[str]]:
    """(text, messages mended, messages that failed) after the fixes of findings that a function makes of a document."""
    file = tmp_path / "a.yaml"
    file.write_text(text)

    def lint(files: Files) -> Any:
        source, _ = files.named(str(file))
        assert source is not None
        document = read(source)[0][0]
        return Made([place(one, document) for one in findings(document.data)])

    outcome = repair(DiskFiles(), lint, unsafe=False, fixed=lambda name: True)
    after = outcome.changed[str(file)][1].text if outcome.changed else text
    return after, [one["message"] for one in outcome.mended], [one["message"] for one in outcome.failed]


def finding(message: str, path: str, value: object) -> Finding:
    return CODE.at((path,), message, fix=Fix("set it", SAFE, [Set((path,), value)]))


def test_a_fix_that_does_not_mend_is_taken_back(tmp_path: Path) -> None:
    def findings(data: dict[str, int]) -> list[Finding]:
        found = [finding("never content", "a", data["a"] + 1)]
        return [*found, finding("b is 1", "b", 2)] if data["b"] == 1 else found

    assert made(tmp_path, "a: 1\nb: 1\n", findings) == ("a: 1\nb: 2\n", ["b is 1"], ["never content"])


def test_two_fixes_that_undo_each_other_end(tmp_path: Path) -> None:
    def findings(data: dict[str, int]) -> list[Finding]:
        return [finding("not even", "a", 2)] if data["a"] % 2 else [finding("not odd", "a", 1)]

    assert made(tmp_path, "a: 1\n", findings) == ("a: 2\n", ["not even"], [])


def test_fixes_that_fail_together_are_tried_alone(tmp_path: Path) -> None:
    def findings(data: dict[str, int]) -> list[Finding]:
        both = data["a"] == data["b"] == 2
        found = [finding("a is 1", "a", 2)] if data["a"] == 1 or both else []
        return [*found, finding("b is 1", "b", 2)] if data["b"] == 1 or both else found

    after, mended, _ = made(tmp_path, "a: 1\nb: 1\n", findings)
    assert after == "a: 2\nb: 1\n" and mended == ["a is 1"]


def test_more_than_are_helped_at_once_are_all_mended(tmp_path: Path) -> None:
    """Of many findings the last are told in short, and so otherwise once the first are mended."""
    numbers = range(MOST_HELPED + 20)
    (tmp_path / "job.yaml").write_text(
        MANY + "".join(f"                - {{name: A{n}, value: {n}}}\n" for n in numbers)
    )
    done = specgen("fix", "job.yaml", cwd=tmp_path)
    assert f"{len(numbers)} problems fixed in 1 file" in done.err and "error" not in done.err
    mended = "".join(f'                - {{name: A{n}, value: "{n}"}}\n' for n in numbers)
    assert (tmp_path / "job.yaml").read_text() == MANY + mended


def test_another_reader_is_asked(shared: Path) -> None:
    assert agrees("a: 1\n", "a: 2\n")
    assert not agrees("a: 1\n", "a: [\n")
    assert agrees("a: [\n", "a: [\n"), "what it did not read before is not for it to judge"
    texts = [path.read_text() for path in sorted((shared / "corpus").rglob("*.yaml"))]
    read_alike = sum(not agrees(text, "a: [\n") for text in texts)
    assert read_alike > 0.95 * len(texts)


BEFORE = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: p1, namespace: x}
spec:
  # three attempts
  backoffLimit: 3
  cleanPodPolicy: None # of no pod
  nprocPerNode: "8"
  pytorchReplicaSpecs:
    Worker:
      replicas: 7
      restartPolicy: OnFailure
      template:
        spec:
          containers:
          - name: pytorch
            image: registry.example.com/t:1
            command: [torchrun, train.py]
            resources: {limits: {nvidia.com/gpu: 8}}
            volumeMounts: [{name: shm, mountPath: /dev/shm}]
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
"""
AFTER = BEFORE.replace(
    """\
  # three attempts
  backoffLimit: 3
  cleanPodPolicy: None # of no pod
""",
    """\
  runPolicy:
    # three attempts
    backoffLimit: 3
    cleanPodPolicy: None # of no pod
""",
)


@pytest.mark.parametrize("words", [(), ("--unsafe",)])
def test_a_number_is_moved_as_it_was_written(tmp_path: Path, words: tuple[str, ...]) -> None:
    """What is found of a field where it belongs was not said before: nothing is written anew with the move."""
    file = tmp_path / "job.yaml"
    file.write_text(BEFORE)
    assert "SG470" not in specgen("lint", "job.yaml", cwd=tmp_path).out
    ended = specgen("fix", *words, "job.yaml", cwd=tmp_path)
    assert file.read_text() == AFTER
    assert "warning[SG470] `backoffLimit: 3` is reached by the first incident" in ended.out
    assert ("2 more are of what was moved, and can be with the next run" in ended.err) is bool(words)
    specgen("fix", *words, "job.yaml", cwd=tmp_path)
    mended = AFTER.replace("backoffLimit: 3", "backoffLimit: 22").replace("Policy: None", "Policy: Running")
    assert file.read_text() == (mended if words else AFTER)


def test_fixes_of_sarif_are_one_text_when_all_are_applied(tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(BEFORE.replace("nprocPerNode", "ttlSecondsAfterFinished: 60\n  nprocPerNode"))
    (run,) = json.loads(specgen("lint", "job.yaml", "--format", "sarif", cwd=tmp_path).out)["runs"]
    assert [one["ruleId"] for one in run["results"]].count("SG112") == 3
    lines = file.read_text().splitlines(keepends=True)
    ends = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]
    edits = []
    for remedy in [remedy for one in run["results"] for remedy in one.get("fixes", ())]:
        for change in remedy["artifactChanges"][0]["replacements"]:
            where = change["deletedRegion"]
            start, end = (ends[where[f"{at}Line"] - 1] + where[f"{at}Column"] - 1 for at in ("start", "end"))
            edits.append((start, end, change["insertedContent"]["text"]))
    text = file.read_text()
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    assert text.count("runPolicy:") == 1
    file.write_text(text)
    left = json.loads(specgen("lint", "job.yaml", "--format", "json", cwd=tmp_path).out)["diagnostics"]
    assert not [one for one in left if one["code"].startswith("SG00")]
    assert [one["fix"]["title"] for one in left if one["code"] == "SG112"] == ["move it into `runPolicy`"] * 2


def test_options_of_lint_are_taken(slips: Path) -> None:
    ended = specgen("fix", "--format=json", "--diff", "slips.yaml", cwd=slips.parent)
    assert '"code": "SG112"' in ended.err


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("env", "{KEEP: kept}"),
        ("volumeMounts", "{kept: /dev/kept}"),
        ("volumeMounts", "kept"),
        ("ports", "{kept: 23456}"),
        ("resources", "[kept]"),
        ("resources", "{limits: [kept]}"),
        ("volumes", "{kept: {}}"),
        ("nodeSelector", "[kept]"),
        ("securityContext", "kept"),
    ],
)
def test_what_has_a_wrong_type_is_written_over_by_no_other_fix(tmp_path: Path, word: str, value: str) -> None:
    of_pod = word in ("volumes", "nodeSelector")
    other = "" if word == "resources" else "\n              resources: {limits: {nvidia.com/gpu: 8, rdma/hca: 1}}"
    text = f"""apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: train}}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template:
        spec:
          {f"{word}: {value}" if of_pod else "hostIPC: false"}
          containers:
            - name: pytorch
              image: registry.example.com/train:1{other}
              {"workingDir: /w" if of_pod else f"{word}: {value}"}
"""
    file = tmp_path / "job.yaml"
    file.write_text(text)
    specgen("fix", "--unsafe", "job.yaml", cwd=tmp_path)
    assert file.read_text().count("kept") == value.count("kept")
    assert "error[SG103]" in specgen("lint", "job.yaml", cwd=tmp_path).out or "- kept" in file.read_text()


def test_a_secret_among_variables_of_a_wrong_type_is_shown_nowhere(tmp_path: Path) -> None:
    container = "{name: pytorch, image: r/t:1, env: {HF_TOKEN: hf_hidden, A: b}}"
    roles = f"{{Master: {{replicas: 1, template: {{spec: {{containers: [{container}]}}}}}}}}"
    head = "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: train}\n"
    (tmp_path / "job.yaml").write_text(f"{head}spec:\n  pytorchReplicaSpecs: {roles}\n")
    for form in ("human", "concise", "json"):
        ended = specgen("lint", "--format", form, "job.yaml", cwd=tmp_path)
        assert "SG103" in ended.out
        assert "hf_hidden" not in ended.out + ended.err


OFFERED = {
    "a mount whose key is misspelt": (
        "            resources: {limits: {nvidia.com/gpu: 8}}\n"
        "            volumeMounts:\n            - {name: shm, mountPat: /dev/shm}\n"
        "          volumes:\n          - {name: shm, emptyDir: {medium: Memory}}\n",
        0,
        "mountPath: /dev/shm",
    ),
    "a path where a mapping belongs": (
        "          volumes:\n          - {name: shm, mountPath: /dev/shm}\n",
        1,
        "mountPath: /dev/shm",
    ),
    "a line of words where a mapping belongs": ("          - python\n            - train.py\n", 1, "- python\n"),
}


@pytest.mark.parametrize("case", OFFERED)
def test_no_fix_leads_into_another_error(case: str, tmp_path: Path) -> None:
    """``--unsafe`` mends what is clear, once, and leaves the rest as it is."""
    added, code, held = OFFERED[case]
    text = (
        "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: train}\nspec:\n  pytorchReplicaSpecs:\n"
        "    Worker:\n      replicas: 1\n      template:\n        spec:\n          containers:\n"
        "          - name: pytorch\n            image: a.example/b:1\n"
    )
    file = tmp_path / "a.yaml"
    file.write_text(text + added)
    specgen("fix", "a.yaml", cwd=tmp_path)
    ended = specgen("fix", "--unsafe", "a.yaml", cwd=tmp_path)
    after = file.read_text()
    assert (ended.code, held in after, after.count("/dev/shm")) == (code, True, added.count("/dev/shm")), ended.err


def test_a_list_whose_items_all_go_is_empty_and_not_null(tmp_path: Path) -> None:
    """Each fix leaves a list behind by itself; together they would leave its key alone."""
    file = tmp_path / "job.yaml"
    entries = ["{name: MASTER_ADDR, value: localhost}", '{name: WORLD_SIZE, value: "1"}']
    worker = "    Worker:\n      replicas: 1\n      template: {spec: {containers: [{name: pytorch, image: 'a/b:1'}]}}\n"
    for number in (1, 2):
        file.write_text(MANY + "".join(f"                - {one}\n" for one in entries[:number]) + worker)
        specgen("fix", "--unsafe", "job.yaml", cwd=tmp_path)
        assert "              env: []\n" in file.read_text()
