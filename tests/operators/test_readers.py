"""Every kind answers all that anybody asks of a kind, and nobody asks whether it does."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import Any

import pytest

from specgen.document.read import read
from specgen.lower import by_target
from specgen.lower.index import TARGETS
from specgen.manifest.model import Manifest
from specgen.manifest.views import Workload
from specgen.operators import by_object
from specgen.operators.expansion import Expansion
from specgen.operators.index import KINDS
from specgen.operators.reader import Reader
from specgen.operators.release import Operator
from specgen.schema.files import load
from specgen.source import Source

READERS = {key: one for key in KINDS if (one := by_object(*key)) is not None}
NAMED = pytest.mark.parametrize(("key", "one"), READERS.items(), ids=[" ".join(key) for key in KINDS])
# What may not be asked of a reader in a roundabout way: the parts of the contract, by name.
PARTS = tuple(name for name in dir(Reader) if not name.startswith("_"))


def _manifest(api_version: str, kind: str, spec: Any) -> Manifest:
    tree = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "demo"}, "spec": spec}
    (document,), _ = read(Source("job.yaml", f"kind: {kind}\n"))
    return Manifest(tree, document)


@NAMED
def test_a_reader_is_complete(key: tuple[str, str], one: Reader) -> None:
    assert isinstance(one, Reader) and len(READERS) == len(KINDS) and (one.api_version, one.kind) == key
    assert isinstance(one.operator, Operator) and one.minors and one.speaks_for(one.newest)
    assert load(f"k8s/{one.api_version.partition('/')[0]}/{one.schema}.json")["properties"]
    assert [name for name in PARTS if getattr(one, name, None) is None] == []


@NAMED
@pytest.mark.parametrize("spec", [{}, None, [], "text", {"suspend": True}, {"runPolicy": None}], ids=repr)
def test_every_answer_has_its_form_whatever_the_tree_holds(key: tuple[str, str], one: Reader, spec: Any) -> None:
    manifest = _manifest(*key, spec)
    for version in (None, *one.minors):
        workload = one.read(manifest, version)
        assert isinstance(workload, Workload) and workload.operator == one.operator.name
        one.with_runtime(workload, [])
        assert isinstance(one.expand(workload), Expansion)
        assert one.locate(workload, ("spec",)) == (manifest, ("spec",))
    assert isinstance(one.as_newest(manifest.tree, one.newest), dict)
    assert one.as_written(("spec", "a"), one.newest) == ("spec", "a")
    assert one.older(manifest.tree) is None or isinstance(one.older(manifest.tree), tuple)
    assert one.absent_fields(one.newest) == frozenset()
    assert one.unique_lists(one.newest) is None or isinstance(one.unique_lists(one.newest), tuple)


@pytest.mark.parametrize("kind", TARGETS)
def test_a_lowering_is_complete(kind: str) -> None:
    for name in TARGETS[kind]:
        module: Any = __import__(f"specgen.lower.{name}", fromlist=["lower"])
        assert READERS[module.READER.api_version, module.READER.kind] is module.READER
        assert module.PLAN.name == kind and module.PLAN.operator == module.READER.operator.name
        assert list(inspect.signature(module.lower).parameters) == ["plan"]
        assert by_target(kind, module.READER.api_version.partition("/")[2]) is module
    assert by_target(kind, "v0") is None


def test_nobody_asks_whether_a_kind_can_answer(root: Path) -> None:
    """``hasattr`` and ``getattr`` with the name of a part of the contract would let a kind lack it in silence."""
    found = []
    for path in sorted((root / "specgen").rglob("*.py")):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if "attr(" in text else ():
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("hasattr", "getattr")
            ):
                asked = node.args[1]
                if isinstance(asked, ast.Constant) and asked.value in (*PARTS, "lower", "READER", "PLAN"):
                    found.append(f"{path.relative_to(root)}:{node.lineno} asks for {asked.value!r}")
    assert found == []
