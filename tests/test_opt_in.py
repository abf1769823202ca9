"""Opt-in rules: nobody loads one before its code is selected."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from specgen import rules
from specgen.diagnostics import _index as codes
from specgen.diagnostics.model import NOTE, BadQuestion, Code, Finding
from specgen.diagnostics.selection import codes_of, opt_in
from specgen.linting import lint_source
from specgen.rules import Context, _index
from specgen.source import Source

JOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 1
      template: {spec: {containers: [{name: pytorch, image: registry.example.com/train:1.4}]}}
"""


@pytest.fixture
def rule(monkeypatch: pytest.MonkeyPatch) -> str:
    """The code of an opt-in rule that has something to say of every job."""

    def check(workload: Any, context: Context) -> Iterator[Finding]:
        yield module.CODE.at(("spec",), "the job has a spec")

    module: Any = ModuleType("specgen.rules.policy_of_the_test")
    module.CODE = Code("SG869", "spec-at-all", NOTE, since="0.1", page="")
    module.SCOPE, module.KINDS, module.check = rules.WORKLOAD, rules.ALL, check
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(_index.RULES, "policy_of_the_test", ((), (), ()))
    monkeypatch.setitem(_index.OPT_IN, "policy_of_the_test", "SG869")
    monkeypatch.setitem(codes.CODES, "SG869", ("spec-at-all", NOTE, "policy", False))
    monkeypatch.setattr(rules, "_plans", {})
    monkeypatch.setattr(rules, "_loaded", dict(rules._loaded))
    return "SG869"


def test_it_is_asked_only_where_its_code_is_chosen(rule: str) -> None:
    assert opt_in(rule)
    assert [one["code"] for one in lint_source(Source("job.yaml", JOB)).diagnostics] == []
    assert "policy_of_the_test" not in rules._loaded
    chosen = frozenset([rule])
    assert [one["code"] for one in lint_source(Source("job.yaml", JOB), chosen=chosen).diagnostics] == [rule]


@pytest.mark.parametrize("word", ["policy", "SG869", "SG86", "sg86", "spec-at-all"])
def test_groups_codes_beginnings_and_names_name_it(rule: str, word: str) -> None:
    assert rule in codes_of(word)
    assert rule not in codes_of("default")


def test_a_word_that_names_no_code_is_answered_with_similar_ones() -> None:
    with pytest.raises(BadQuestion, match="no code is called `mising-shm`") as caught:
        codes_of("mising-shm")
    assert caught.value.help == "there is a code with a similar name: `missing-shm`"


def test_a_word_like_no_code_is_answered_with_the_groups() -> None:
    with pytest.raises(BadQuestion, match="no code is called `all`") as caught:
        codes_of("all")
    assert caught.value.help is not None and "`default` or `policy`" in caught.value.help
    assert codes_of("default") and codes_of("policy") and codes_of("SG4")


def test_the_table_marks_the_codes_of_these_modules_alone() -> None:
    ours = {name: rules.load(name).CODE.id for name in rules.names() if name.startswith(rules.POLICY)}
    assert ours == _index.OPT_IN
    assert sorted(ours.values()) == codes_of("policy")
