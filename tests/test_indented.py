"""Lines in a column where no YAML comes of them: the column is named in which the schema of the kind accepts them.

The text of a case has the slip; `after` is how the line that was moved begins afterwards, None where two columns fit.
"""

from __future__ import annotations

import pytest

from specgen.diagnostics.model import Finding
from specgen.document.patch import applied, patched
from specgen.document.tree import Document
from specgen.pipeline import Text
from specgen.source import Source

_JOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: train
spec:
  pytorchReplicaSpecs:
    Master:
      template:
        spec:
          containers:
          - name: pytorch
            image: registry.example.com/train:1
"""
_PROFILE = """\
apiVersion: specgen/v1
kind: Job
metadata: {name: train}
target: PyTorchJob
image: registry.example.com/train:1
command: [python, train.py]
"""
_MOUNTS = "            volumeMounts:\n            - name: data\n              mountPath: /data\n"

# (lines before, lines with the slip, message, title of the fix, the moved line afterwards)
CASES = [
    (
        _JOB,
        "            volumeMounts:\n"
        "              - name: data\n                mountPath: /data\n"
        "              env:\n              - name: A\n                value: b\n              resources: {}\n",
        "`env` stands inside the list `volumeMounts`",
        "move `env` and the 3 lines below it two columns to the left: there it is a field of a container",
        "            env:",
    ),
    (
        _JOB,
        "            args:\n              - a\n              command: [python]\n",
        "`command` stands inside the list `args`",
        "move `command` two columns to the left: there it is a field of a container",
        "            command:",
    ),
    (
        _JOB,
        _MOUNTS + "             - name: logs\n               mountPath: /logs\n",
        "this line is indented by 13 blanks, as no line above that it could belong to",
        "move `name` and the 1 line below it one column to the left: there it is an item of `volumeMounts`",
        "            - name: logs",
    ),
    (
        _JOB,
        _MOUNTS + "           - name: logs\n             mountPath: /logs\n",
        "this line is indented by 11 blanks, as no line above that it could belong to",
        "move `name` and the 1 line below it one column to the right: there it is an item of `volumeMounts`",
        "            - name: logs",
    ),
    (
        _JOB,
        "           command: [python]\n",
        "this line is indented by 11 blanks, as no line above that it could belong to",
        "move `command` one column to the right: there it is a field of a container",
        "            command:",
    ),
    (
        _JOB,
        "            resources:\n               limits: {cpu: 1}\n              requests: {cpu: 1}\n",
        "this line is indented by 14 blanks, as no line above that it could belong to",
        "move `requests` one column to the right: there it is a field of `resources`",
        "               requests:",
    ),
    (
        _JOB,
        "\tenv: []\n",
        "a tab indents this line, YAML indents with spaces only",
        "write 12 blanks for each tab",
        "            env:",
    ),
    (_JOB, "          volumes: []\n         restartPolicy: Never\n", "this line is indented by 9 blanks", None, None),
    (
        _PROFILE,
        "resources:\n  gpu: 8\n cpu: 4\n",
        "this line is indented by 1 blank, as no line above that it could belong to",
        "move `cpu` one column to the right: there it stands under `resources`",
        "  cpu: 4",
    ),
    (
        _PROFILE,
        "resources:\n\tgpu: 1\n\tcpu: 4\n",
        "a tab indents this line, YAML indents with spaces only",
        "write 2 blanks for each tab",
        "  gpu: 1",
    ),
    (
        " " + _PROFILE,
        "pods: 4\n",
        "`apiVersion` is indented by 1 blank, and what goes on below it by 0",
        "move `apiVersion` one column to the left: there it is a word of the profile",
        "apiVersion: specgen/v1",
    ),
    (
        _PROFILE,
        "mounts:\n  /data: {pvc: data}\n pods: 2\n",
        "this line is indented by 1 blank, as no line above that it could belong to",
        "move `pods` one column to the left: there it is a word of the profile",
        "pods: 2",
    ),
]


def _refused(text: str) -> list[Finding]:
    return [one for one in Text(Source("job.yaml", text)).parsed[1] if one.code.id == "SG002"]


@pytest.mark.parametrize(("before", "slip", "message", "title", "after"), CASES)
def test_the_column_is_named_in_which_the_schema_takes_a_line(
    before: str, slip: str, message: str, title: str | None, after: str | None
) -> None:
    text = before + slip
    findings = _refused(text)
    assert len(findings) == 1
    fix, where = findings[0].fix, findings[0].where
    assert findings[0].message.startswith(message)
    if title is None:
        assert fix is None
        return
    assert fix is not None and fix.title == title and isinstance(where, Document)
    edits = patched(where, fix.patch)
    assert isinstance(edits, list)
    mended = applied(text, [(one.offset, one.length, one.text) for one in edits])
    assert after is not None and f"\n{after}" in f"\n{mended}"
    assert not _refused(mended)


def test_what_has_another_slip_gets_no_guess() -> None:
    (finding,) = _refused(_JOB + "            imagePullPolicy: 3\n           command: [python]\n")
    assert finding.fix is None and finding.helps


def test_a_kind_that_is_not_known_gets_no_guess() -> None:
    text = (_JOB + "           command: [python]\n").replace("kubeflow.org/v1", "example.com/v1")
    (finding,) = _refused(text)
    assert finding.fix is None and finding.helps == ["indent it by 12, as line 12 (`image`), to stand in the same item"]


def test_only_the_document_that_is_broken_is_moved() -> None:
    other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\n"
    text = other + _JOB + "           command: [python]\n---\n" + other
    (finding,) = _refused(text)
    assert finding.fix is not None and isinstance(finding.where, Document)
    edits = patched(finding.where, finding.fix.patch)
    assert isinstance(edits, list) and len(edits) == 1
    assert not _refused(applied(text, [(one.offset, one.length, one.text) for one in edits]))
