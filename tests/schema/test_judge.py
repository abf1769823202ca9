"""What the judge says about documents, word for word: `cases/<name>.yaml` and its findings in `<name>.txt` beside it.

`pytest tests/schema --snapshot-update` writes the texts anew; read the difference before keeping it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from specgen.diagnostics.place import edits_of, order, place, published
from specgen.document.read import read
from specgen.document.tree import Document, Scalar
from specgen.manifest.edits import edits
from specgen.schema import codes
from specgen.schema.accept import accepts
from specgen.schema.files import load
from specgen.schema.judge import MOST_HELPED, judge
from specgen.schema.library import validator_for
from specgen.schema.walk import Walk
from specgen.schema.wording import MANIFEST, PROFILE
from specgen.source import Source
from specgen.tables import cluster, job, pytorchjob_v1

if TYPE_CHECKING:
    from specgen.diagnostics.model import Diagnostic, Remedy
from tests.golden import Golden

CASES = sorted((Path(__file__).parent / "cases").glob("*.yaml"))
KINDS: dict[str, tuple[str, str | None, Any]] = {
    "Job": ("job.schema.json", "JobProfile", job.DEFINITIONS["JobProfile"]),
    "Base": ("job.schema.json", "BaseProfile", job.DEFINITIONS["BaseProfile"]),
    "Cluster": ("cluster.schema.json", "ClusterProfile", cluster.DEFINITIONS["ClusterProfile"]),
    "PyTorchJob": ("k8s/kubeflow.org/pytorchjob_v1.json", None, pytorchjob_v1.ROOT),
}


def parse(text: str) -> Document:
    (document,) = read(Source("case.yaml", text))[0]
    return document


def diagnostics(document: Document) -> list[Diagnostic]:
    name, definition, _ = KINDS[document.data["kind"]]

    def plain(path: tuple[str | int, ...]) -> str | None:
        node = document.node(path)
        return node.plain if isinstance(node, Scalar) else None

    wording = PROFILE if definition else MANIFEST
    findings = judge(load(name), definition, document.data, wording=wording, text=plain)
    return published(order(place(finding, document) for finding in findings), edits)


def rendered(found: list[Diagnostic]) -> str:
    lines = []
    for one in found:
        start, end = one["primary"]["start"], one["primary"]["end"]
        lines.append(f"{start['line']}:{start['column']}-{end['column']} {one['code']} {one['message']}")
        lines += [f"    note: {text}" for text in one["notes"]]
        lines += [f"    help: {text}" for text in one["helps"]]
        if one["fix"]:
            texts = ", ".join(edit["text"] for edit in edits_of(one["fix"]))
            lines.append(f"    fix ({one['fix']['applicability']}): {one['fix']['title']} -> {texts}")
    return "\n".join(lines) + "\n" if lines else "nothing\n"


@pytest.mark.golden("cases/*.txt")
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_wording(path: Path, golden: Golden) -> None:
    document = parse(path.read_text("utf-8"))
    found = diagnostics(document)
    assert rendered(found) == golden(path.with_suffix(".txt"))
    assert accepts(KINDS[document.data["kind"]][2], document.data) == (not found)


def test_every_code_is_in_a_case() -> None:
    texts = "".join(path.with_suffix(".txt").read_text("utf-8") for path in CASES)
    assert [code.id for code in codes.ALL if f" {code.id} " not in texts] == []


@pytest.mark.parametrize("code", codes.ALL, ids=lambda code: code.id)
def test_pages_have_their_headings(code: Any) -> None:
    headings = [line for line in code.page.splitlines() if line.startswith("## ")]
    names = ("What it checks", "Why it hurts", "Severity", "Example", "Fix", "When to ignore it", "References")
    assert headings == [f"## {name}" for name in names]
    assert 15 <= len(code.page.splitlines()) <= 44


def applied(text: str, fix: Remedy) -> str:
    for edit in sorted(edits_of(fix), key=lambda edit: -int(edit["start"])):
        text = text[: edit["start"]] + edit["text"] + text[edit["end"] :]
    return text


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_fix_removes_its_finding_and_adds_none(path: Path) -> None:
    text = path.read_text("utf-8")
    before = diagnostics(parse(text))
    for one in before:
        if one["fix"]:
            after = diagnostics(parse(applied(text, one["fix"])))
            messages = [other["message"] for other in after]
            assert one["message"] not in messages
            assert set(messages) <= {other["message"] for other in before}


@pytest.mark.parametrize("name", ["TOKEN", "API_TOKEN", "DB_PASSWORD", "AWS_SECRET_ACCESS_KEY"])
def test_secret_values_are_not_shown(name: str) -> None:
    profile = f"apiVersion: specgen/v1\nkind: Job\nmetadata: {{name: a}}\nenv: {{{name}: 4711}}\n"
    assert "4711" not in rendered(diagnostics(parse(profile)))


def test_a_dollar_is_the_end_of_the_text() -> None:
    schema = {"type": "string", "pattern": r"^(a\$|[$b])$"}
    valid = [text for text in ("a$", "$", "b", "a$\n", "b\n", "a") if validator_for(schema).is_valid(text)]
    assert valid == ["a$", "$", "b"]


def test_whole_numbers_are_integers_only() -> None:
    validator = validator_for({"type": "integer"})
    assert [value for value in (8, 8.0, True) if validator.is_valid(value)] == [8]
    assert type(next(value for value in (8.0, 8) if validator.is_valid(value))) is int


def test_names_of_definitions() -> None:
    names = ("PodSpec", "NullableHTTPGetAction", "PyTorchJobSpec")
    walk = Walk({"type": "object", "definitions": {name: {"type": "object"} for name in names}}, None)
    titles = [walk.alternatives({"$ref": f"#/definitions/{name}"})[0]["title"] for name in names]
    assert titles == ["pod spec", "HTTP get action", "PyTorchJob spec"]


@pytest.mark.parametrize("data", [[], "text", None, 3])
def test_a_document_that_is_no_mapping(data: Any) -> None:
    (finding,) = judge(load("job.schema.json"), "JobProfile", data, wording=PROFILE)
    assert finding.code is codes.WRONG_TYPE
    assert finding.place.path == ()
    assert finding.message.startswith("the document takes a mapping, not ")


def test_many_findings_are_all_reported_and_only_the_first_are_helped() -> None:
    envelope = {"apiVersion": "specgen/v1", "kind": "Job", "metadata": {"name": "a"}}
    unknown = {"image" + "_" * count: "x" for count in range(1, 1001)}
    findings = judge(load("job.schema.json"), "JobProfile", {**envelope, **unknown}, wording=PROFILE)
    assert [bool(finding.helps or finding.fix) for finding in findings] == [
        index < MOST_HELPED for index in range(1000)
    ]
    assert [bool(finding.fix) for finding in findings] == [index == 0 for index in range(1000)]
