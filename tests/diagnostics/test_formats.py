"""Every format of the folder prints one report: `formats/<name>.txt` holds it word for word.

`pytest tests/diagnostics --snapshot-update` writes the texts anew; read the difference before keeping it.
"""

from __future__ import annotations

import argparse
import ast
from pathlib import Path

import pytest

from specgen.cli.options import common
from specgen.diagnostics import render
from specgen.diagnostics.model import DISPLAY, KEY, SAFE, WARNING, Code, Diagnostic, Fix, Place
from specgen.diagnostics.operations import Set
from specgen.diagnostics.place import order, place
from specgen.diagnostics.report import Report
from specgen.document.read import read
from specgen.manifest.edits import edits
from specgen.source import Source
from tests.golden import Golden

HERE = Path(__file__).parent / "formats"
TEXTS = {
    "job.yaml": "kind: PyTorchJob\nspec:\n\tname: 中 trainer\n  image: a\n  TOKEN_KEY: abc\n".replace("\t", "  "),
    "dir/a\x1b[31mb.yaml": "a: 1\n",
}
CODE = Code("SG301", "wrong-name", "error", since="0.1", page="A wrong name.\n\n## What it checks\nNames.\n")


def diagnostics() -> list[Diagnostic]:
    """Several places and files, wide and unsafe characters, notes, helps, and fixes."""
    sources = {name: Source(name, text) for name, text in TEXTS.items()}
    job, other = (read(source)[0][0] for source in sources.values())
    name, kind = Place(("spec", "name")), Place(("kind",), where=job)
    findings = [
        CODE.at(
            name,
            "no container is named `pytorch`",
            label="expected `pytorch`",
            related=[(kind, "the operator of this kind"), (Place(("a",), where=other), "elsewhere")],
            notes=["the webhook refuses the job"],
            fix=Fix("rename it", SAFE, [Set(name.path, "pytorch")]),
        ),
        CODE.at(("spec", "TOKEN_KEY"), "a secret\x07 in plain text", part=KEY, severity=WARNING, helps=["do not"]),
        CODE.at(Place(("a",), where=other), "another file", fix=Fix("look there", DISPLAY)),
    ]
    findings[0].subject = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": "a"}
    return order(place(finding, job) for finding in findings)


def report(found: list[Diagnostic], *, colour: bool = False) -> Report:
    return Report(
        found,
        files=3,
        suppressed=2,
        looked_at={
            "job.yaml": [{"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": "a"}],
            "good.yaml": [
                {"apiVersion": "v1", "kind": "Service", "name": 'x"<&>'},
                {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "n", "name": "m"},
            ],
            "empty.yaml": [],
        },
        page=lambda code: CODE,
        text=lambda name: TEXTS.get(name, "").split("\n"),
        colour=colour,
        editor=edits,
    )


@pytest.mark.golden("formats/*")
@pytest.mark.parametrize("name", render.names())
def test_a_format_prints_a_report(name: str, golden: Golden) -> None:
    text = render.renderer(name)(report(diagnostics()))
    assert text == golden(HERE / f"{name}.txt")
    assert "abc" not in text, "a secret"
    assert "\x1b" not in text and "\x07" not in text


def test_every_text_is_of_a_format_and_every_format_has_one() -> None:
    texts = {path.stem for path in HERE.iterdir()}
    assert render.names() == sorted(texts), "write the text with `pytest tests/diagnostics --snapshot-update`"


@pytest.mark.parametrize("name", render.names())
def test_a_format_is_one_function_of_the_report(name: str) -> None:
    file = Path(render.__file__).with_name(f"{name}.py")
    tree = ast.parse(file.read_text("utf-8"))
    assert ast.get_docstring(tree), f"{file.name} does not say what the format is for"
    public = [node for node in tree.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
    assert [node.name for node in public] == ["render"], f"{file.name} has no function `render` alone"
    shown = f"({ast.unparse(public[0].args)}) -> {ast.unparse(public[0].returns) if public[0].returns else None}"
    assert shown == "(report: Report) -> str", f"`render` of {file.name} takes something else than a report"


def test_the_option_takes_the_formats_of_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parser = argparse.ArgumentParser()
    common(parser)
    assert [action.choices for action in parser._actions if action.dest == "format"] == [render.names()]
    (tmp_path / "sarif.py").write_text('"""For code scanning."""\n')
    (tmp_path / "_helper.py").write_text("")
    monkeypatch.setattr(render, "__file__", str(tmp_path / "__init__.py"))
    assert render.names() == ["sarif"]


def test_lines_are_for_people_and_programs_get_a_document() -> None:
    """A clean run prints nothing in a format of lines: whoever asked for one reads that it is clean instead."""
    printed = {name: bool(render.renderer(name)(report([]))) for name in render.names()}
    assert printed | {"concise": False, "human": False, "json": True} == printed


def test_fifty_findings_of_a_file_are_shown() -> None:
    source = Source("job.yaml", "a\n" * 60)
    (document, *_) = read(source)[0]
    many = [place(CODE.at(Place((), offsets=(at, at + 1)), "wrong"), document) for at in range(0, 120, 2)]
    assert render.renderer("concise")(report(many)).endswith(
        "job.yaml:50:1: error[SG301] wrong\nand 10 more in job.yaml\n"
    )
    assert "and 10 more in job.yaml\n\n60 errors in 3 files, 2 ignored\n" in render.renderer("human")(report(many))
    assert render.renderer("json")(report(many)).count('"SG301"') == 60


def test_colour_is_paint_alone() -> None:
    human = render.renderer("human")
    painted = human(report(diagnostics(), colour=True))
    for sign in ("31", "33", "1", "34", "0"):
        painted = painted.replace(f"\x1b[{sign}m", "")
    assert painted == human(report(diagnostics()))
