"""Every kind answers all that the planner and the pipeline ask of it. mypy holds each module against the protocol."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from specgen.lower import mpijob_v1, mpijob_v2beta1, msjob, pytorchjob, tfjob, trainjob
from specgen.lower.index import TARGETS
from specgen.operators.reader import Reader
from specgen.plan import target
from specgen.plan.kind import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.lower import Lowering

LOWERINGS: tuple[Lowering, ...] = (mpijob_v1, mpijob_v2beta1, msjob, pytorchjob, tfjob, trainjob)


def asked() -> list[str]:
    """The functions of the protocols ``Target`` and ``Lowering``."""
    names = ["lower"]
    for node in ast.walk(ast.parse(Path(target.__file__).read_text("utf-8"))):
        if isinstance(node, ast.ClassDef):
            names += [one.name for one in node.body if isinstance(one, ast.FunctionDef)]
    return names


def test_all_modules_are_held() -> None:
    known = {f"specgen.lower.{name}" for names in TARGETS.values() for name in names}
    assert {vars(module)["__name__"] for module in LOWERINGS} == known


@pytest.mark.parametrize("lowering", LOWERINGS, ids=lambda one: str(vars(one)["__name__"]))
def test_a_kind_answers_everything(lowering: Lowering) -> None:
    name = vars(lowering)["__name__"]
    assert isinstance(lowering.READER, Reader) and isinstance(lowering.PLAN, Kind)
    missing = [word for word in asked() if word not in vars(lowering)]
    assert not missing, f"{name} has no {missing}: write them, or take them from lower.job"
    assert lowering.PLAN.name == lowering.READER.kind
    assert lowering.PLAN.operator == lowering.READER.operator.name


def test_plain_facts_are_plain() -> None:
    """No fact of a kind is a function: what differs by job or by version is a function of the module."""
    for lowering in LOWERINGS:
        assert [name for name in Kind.__slots__ if callable(getattr(lowering.PLAN, name))] == []
