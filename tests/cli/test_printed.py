"""What reaches a log: no secret, no raw control character, no command of a runner, and lines that end."""

from __future__ import annotations

from pathlib import Path

import pytest

from specgen.cli.main import main
from specgen.diagnostics.render import names
from specgen.diagnostics.safe import json_text, log_line, printable
from tests.bad.program import specgen
from tests.test_fuzz import check_printable

SECRETS = (
    "hunter2secret",
    "sk-12345678",
    "pw123456",
    "topsecret1",
    "topsecret2",
    "jsonsecret99",
    "0644",
    "othersecret",
)
POD = """\
          - name: trainer
            image: "a:1"
            args: [--password=hunter2secret, --api-key, sk-12345678, "https://me:pw123456@host/x", "--x=\\e[31m"]
            env:
            - {name: DB_PASSWORD, value: 0644}
            - name: AWS_SECRET_ACCESS_KEY
              # far away

              value: |
                topsecret1
                topsecret2
            - {name: OTHER_TOKEN, value: othersecret}
            - {name: OTHER_TOKEN, value: othersecret}
            volumeMounts: [{name: MORE_TOKEN, value: othersecret}, {name: x, mountPath: othersecret}]
"""
HEAD = (
    "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: j}\nspec:\n  pytorchReplicaSpecs:\n    Master:\n"
)
MANIFEST = f"{HEAD}      template:\n        spec:\n          containers:\n{POD}"
MANIFEST += '---\n{"apiVersion": "v1", "kind": "Secret", "metadata": {}, "stringData": {"a": "jsonsecret99", "b": 5}}\n'
PROFILE = """\
apiVersion: specgen/v1
kind: Job
metadata: {name: j}
target: PyTorchJob
image: a:1
command: [python, -c, pass, --password=hunter2secret, --say=$(HF_TOKEN)]
pods: 1
env: {HF_TOKEN: othersecret, A: "\\e]0;pwned\\a"}
objects:
- {apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {a: jsonsecret99}}
"""
FILE = "::set-output name=x::##[error]y.yaml"


def ran(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    main(words)
    out, err = capsys.readouterr()
    return out + err


def safe(said: str) -> None:
    assert said
    check_printable(said)
    assert [secret for secret in SECRETS if secret in said] == []
    assert "##[" not in said
    lines = [line.lstrip() for line in said.splitlines()]
    # the format of annotations is made of commands, and an arrow of colons is none
    assert [
        one for one in lines if one.startswith("::") and not one.startswith((":::", "::error ", "::warning "))
    ] == []


@pytest.mark.parametrize("form", names())
def test_no_format_shows_a_secret(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / FILE).write_text(MANIFEST, encoding="utf-8")
    safe(ran(capsys, "lint", "--format", form, FILE))
    (tmp_path / "job.md").write_text(f"# a\n\n```yaml\n{MANIFEST}```\n", encoding="utf-8")
    safe(ran(capsys, "lint", "--format", form, "job.md"))


def test_a_diff_shows_changes_and_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / FILE).write_text(MANIFEST.replace("x, mountPath", "'\x07x', mountPath"), encoding="utf-8")
    said = ran(capsys, "fix", "--unsafe", "--diff", FILE)
    (tmp_path / "job.yaml").write_text(MANIFEST, encoding="utf-8")
    said += ran(capsys, "fix", "--unsafe", "--diff", "job.yaml")
    safe(said)
    assert "+          - name: pytorch" in said
    assert "\n+            - {name: MORE_TOKEN, value: •••••••••••}\n" in said


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("explain", "job.yaml"), "stringData.a = •••"),
        (("expand", "job.yaml"), "--password=••• --say=•••"),
    ],
)
def test_no_verb_shows_a_secret(
    words: tuple[str, ...],
    shown: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.yaml").write_text(PROFILE, encoding="utf-8")
    said = ran(capsys, *words)
    safe(said)
    assert shown in said


def test_a_dry_run_shows_no_secret(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(PROFILE, encoding="utf-8")
    ended = specgen("run", "--dry-run", "job.yaml", cwd=tmp_path)
    safe(ended.out + ended.err)
    assert "-c pass --password=••• --say=•••\n  HF_TOKEN=•••\n  A=\\u{1b}]0;pwned\\u{7}\n" in ended.out


def test_a_manifest_is_written_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.yaml").write_text(PROFILE, encoding="utf-8")
    said = ran(capsys, "build", "job.yaml")
    assert "value: othersecret\n" in said and "a: jsonsecret99\n" in said and "--password=hunter2secret\n" in said


def test_the_message_of_a_doubtful_scalar_does_not_say_a_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.yaml").write_text(PROFILE.replace("jsonsecret99", "0644"), encoding="utf-8")
    said = ran(capsys, "build", "job.yaml")
    assert "error[SG010] the value `•••` without quotes is" in said
    safe(said)


def test_long_lines_are_cut_around_what_is_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = '{"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "j", "annotations": {"a": "'
    text += "x" * 100_000 + '"}}, "spec": {"' + "y" * 900 + '": 1, "pytorchReplicaSpecs": {}, "wrong": 2}}'
    (tmp_path / "job.json").write_text(text, encoding="utf-8")
    lines = ran(capsys, "lint", "--format", "human", "job.json").splitlines()
    assert max(map(len, lines)) < 1100  # the name of a field is in its message
    quoted = [at for at, line in enumerate(lines) if line.startswith("1 | ") and '"wrong"' in line]
    (last,) = [at for at in quoted if lines[at + 1].index("^") == lines[at].index('"wrong"')]
    assert lines[last].partition("| ")[2].startswith("…y")
    carets = [line for line in lines if "^" in line]
    assert all(line.count("^") <= 401 for line in carets)


def test_a_script_of_several_lines_is_printed_as_what_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    pod = MANIFEST.partition("          - name: trainer")[0].replace("Master:\n", "Master:\n      replicas: 1\n")
    script = "# from the operator\\ncd /w\\n\\nexec torchrun --standalone \\\\\\n  train.py\\n"
    pod += f'          - {{name: pytorch, image: "a:1", command: [sh, -c, "{script}"]}}\n'
    (tmp_path / "job.yaml").write_text(pod, encoding="utf-8")
    said = ran(capsys, "expand", "job.yaml")
    assert "  localhost   sh -c 'cd /w ⏎ exec torchrun --standalone train.py'\n" in said


def test_lines_that_are_no_commands() -> None:
    assert log_line("  ::warning::x") == "  \\u{3a}:warning::x"
    assert log_line("a ::b") == "a ::b"
    assert printable("a ##[error]b ##vso[c]d ## e") == "a #\\u{23}[error]b #\\u{23}vso[c]d ## e"
    assert json_text('["##[error]", "## x"]') == '["#\\u0023[error]", "## x"]'
