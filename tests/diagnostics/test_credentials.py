"""Secrets are known by their names and looks, and no format shows one."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from specgen.diagnostics.credentials import is_secret, looks, spans
from specgen.diagnostics.secrets import masked
from tests.bad.program import ROOT, specgen

TABLE = yaml.safe_load((Path(__file__).parent / "credentials.yaml").read_text())
FORMATS = ("human", "concise", "json", "sarif", "github", "gitlab", "junit")
# Of tests/rules/plain_secret/bad.yaml.
VALUES = (
    "gl1tch-0f-d3sk",
    "s3same-0pen",
    "hf_Zq8KpWv3TnRb6YcXa1LmJd9GhE2sUfQoVt",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "q7Wz+Lr0aUe3/KfMdTpYb8sNcGvXh2JiR5oV1k9E",
    "hunter2",
    "ghp_Zq8KpWv3TnRb6YcXa1LmJd9GhE2sUfQoVt4w",
    "minio-p4ss",
)


@pytest.mark.parametrize(("name", "value"), TABLE["under"]["secrets"])
def test_a_secret_is_known(name: str, value: str) -> None:
    assert is_secret(name, value)


@pytest.mark.parametrize(("name", "value"), TABLE["under"]["others"])
def test_what_is_no_secret_is_none(name: str, value: str) -> None:
    assert not is_secret(name, value) and spans(value) == []


@pytest.mark.parametrize(("line", "secrets"), TABLE["lines"])
def test_secrets_in_a_line_are_found_where_they_stand(line: str, secrets: list[str]) -> None:
    assert [line[start:end] for start, end in spans(line)] == secrets


def test_what_services_give_out_is_masked_wherever_it_stands() -> None:
    lines = [(line, found) for line, found in TABLE["lines"] if any(list(looks(one)) for one in found)]
    assert lines
    for line, found in lines:
        shown = masked(line)
        assert not [one for one in found if list(looks(one)) and one in shown], shown


@pytest.mark.parametrize("form", FORMATS)
def test_no_format_shows_one(form: str) -> None:
    file = ROOT / "tests" / "rules" / "plain_secret" / "bad.yaml"
    text = file.read_text()
    assert all(value in text for value in VALUES)
    ended = specgen("lint", "--format", form, str(file))
    said = ended.out + ended.err
    assert "SG880" in said
    assert [value for value in VALUES if value in said] == []


def test_a_profile_is_told_too_and_shows_none(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(
        "apiVersion: specgen/v1\nkind: Job\nmetadata: {name: a}\ntarget: PyTorchJob\nimage: a:1\n"
        f"env: {{HF_TOKEN: {VALUES[2]}, DB: {{secret: db, key: a}}}}\ncommand: [./a, --db-password, hunter2]\n"
    )
    ended = specgen("build", "--format", "human", "job.yaml", cwd=tmp_path)
    assert ended.code == 0 and ended.err.count("warning[SG880]") == 2
    assert "`HF_TOKEN: {secret: <name>, key: <key>}`" in ended.err
    assert VALUES[2] not in ended.err and "hunter2" not in ended.err
