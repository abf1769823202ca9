"""A sign that nobody sees is a warning, and hides no error of the word that it stands in."""

from __future__ import annotations

from specgen import compile_job

JOB = """\
apiVersion: specgen/v1
kind: Job
metadata: {name: a}
target: PyTorchJob
image: example/train:1
command: [train]
"""


def test_a_word_with_a_sign_that_nobody_sees_is_still_unknown() -> None:
    result = compile_job(f"{JOB}\u200bpods: 4\n")
    assert [one["code"] for one in result.diagnostics] == ["SG101", "SG328"]
    assert not result.compiled


def test_a_text_of_such_a_sign_is_no_profile() -> None:
    result = compile_job("\u202a:")
    assert [one["code"] for one in result.diagnostics] == ["SG110", "SG328"]
