"""Words of messages that depend on what they are about: plurals, articles, and values as YAML spells them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from specgen.diagnostics.model import article, many, shown
from specgen.diagnostics.suggest import hint
from specgen.linting import lint_source
from specgen.source import Source

ARTICLES = (
    "a PyTorchJob",
    "a TFJob",
    "a JAXJob",
    "a JobSet",
    "a GPU",
    "a URL",
    "a mount",
    "an MPIJob",
    "an MSJob",
    "an XGBoostJob",
    "an NFS volume",
    "an operator",
    "an env var",
    "an Experiment",
)


@pytest.mark.parametrize("words", ARTICLES)
def test_articles(words: str) -> None:
    assert article(words.partition(" ")[2]) == words


def test_plurals() -> None:
    nouns = {"pod": "pods", "priority": "priorities", "process": "processes", "class": "classes", "key": "keys"}
    assert {noun: many(noun) for noun in nouns} == nouns
    assert hint("x", ["low", "high"], "priority") == "the priorities here are `low` and `high`"
    assert hint("hihg", ["high", "higher"], "priority") == "there is a priority with a similar name: `high`"


@pytest.mark.parametrize(("value", "text"), [(True, "true"), (None, "null"), (1.5, "1.5"), ("True", "True"), (8, "8")])
def test_values_are_shown_as_yaml_spells_them(value: Any, text: str) -> None:
    assert shown(value) == text


def test_a_boolean_in_place_of_a_name_is_told_as_it_stands() -> None:
    text = (
        "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a}\nspec:\n  pytorchReplicaSpecs:\n"
        "    Worker:\n      replicas: 1\n      template:\n        spec:\n"
        "          containers: [{name: pytorch, image: a:1, ports: [{name: true, containerPort: 23456}]}]\n"
    )
    told = str(lint_source(Source("job.yaml", text)).diagnostics)
    assert "called `true` here" in told and "`True`" not in told


def test_no_message_has_an_article_before_a_kind_of_its_own(root: Path) -> None:
    found = [
        f"{file.name}: {words}"
        for file in sorted((root / "specgen").rglob("*.py"))
        for words in re.findall(r"\b[Aa]n? \{[a-z_.]*\.kind\b[^}]*\}", file.read_text("utf-8"))
    ]
    assert found == [], "`article` knows which kinds begin with a vowel"
