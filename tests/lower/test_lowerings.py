"""Every kind answers all that the planner and the pipeline ask of it; the generated index has mypy hold each module."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from specgen.linting import lint_text
from specgen.lower.index import TARGETS
from specgen.operators.lifecycle import AT_CHANGE
from specgen.operators.reader import Reader
from specgen.plan import target
from specgen.plan.kind import Kind
from tests.lower.lowering import Came, built
from tests.lower.test_same_job import TRAINING

LOWERINGS: list[Any] = [import_module(f"specgen.lower.{name}") for names in TARGETS.values() for name in names]


def asked() -> list[str]:
    """The functions of the protocols ``Target`` and ``Lowering``."""
    names = ["lower"]
    for node in ast.walk(ast.parse(Path(target.__file__).read_text("utf-8"))):
        if isinstance(node, ast.ClassDef):
            names += [one.name for one in node.body if isinstance(one, ast.FunctionDef)]
    return names


@pytest.mark.parametrize("lowering", LOWERINGS, ids=lambda one: str(vars(one)["__name__"]))
def test_a_kind_answers_everything(lowering: Any) -> None:
    name = vars(lowering)["__name__"]
    assert isinstance(lowering.READER, Reader) and isinstance(lowering.PLAN, Kind)
    missing = [word for word in asked() if word not in vars(lowering)]
    assert not missing, f"{name} has no {missing}: write them, or take them from lower.job"
    # `Job` alone is Kubernetes' own: profiles say whose they mean
    words = {"Job": "VolcanoJob"}
    assert lowering.PLAN.name == words.get(lowering.READER.kind, lowering.READER.kind)
    assert lowering.PLAN.operator == lowering.READER.operator.name


@pytest.mark.parametrize("kind", [kind for kind in TRAINING if kind not in ("VolcanoJob", "TrainJob")])
def test_a_deadline_ends_pods_that_hang(kind: str) -> None:
    """An operator that nobody wakes up for the job's own deadline is woken by the end of a pod.

    A VolcanoJob has no deadline; of a TrainJob, the runtime beside it must be known.
    """
    target, _ = TRAINING[kind]
    came = Came(built({"target": target, "pods": 2, "lifecycle": {"deadline": "2h"}}).compiled[0])
    assert "SG509" not in [one["code"] for one in lint_text(came.text)] and came.expansion.lifecycle is not None
    limits = [one for one in came.expansion.lifecycle.limits if one.field == "activeDeadlineSeconds"]
    asleep = [one.words for one in limits if one.words.startswith(AT_CHANGE)]
    assert all("deadlines of their own" in one for one in asleep) and limits
    own = {pod["spec"].get("activeDeadlineSeconds") for pod in came.expansion.pods}
    assert own == ({7200} if asleep else {None})


def test_plain_facts_are_plain() -> None:
    """No fact of a kind is a function: what differs by job or by version is a function of the module."""
    for lowering in LOWERINGS:
        assert [name for name in Kind.__slots__ if callable(getattr(lowering.PLAN, name))] == []
