"""Odd values of every word: what is built is refused by nobody, and what is refused is refused at the word's line.

The words come from the schema, so a new one is tried as it is; one that builds for no kind with a plain value fails
until `words` says what goes with it, or `NOWHERE` why it never builds alone. `pytest -m fuzz` tries many with every
kind, and values that nobody thought of.
"""

from __future__ import annotations

import os
import random
import zlib
from typing import Any

import pytest
from hypothesis import given, seed
from hypothesis import strategies as st

from specgen.diagnostics.model import ERROR
from tests.test_fuzz import MANY, SEED
from tests.values.verdict import built, complaints
from tests.values.words import KEY, TARGETS, Leaf, around, job, leaves, odd

# Words that build with no kind around a plain value: why.
NOWHERE = {
    "files./a.from": "there is no file beside the profile",
    "init.a.env.A.prepend": "only the program has a shell in front",
    "sidecars.a.env.A.prepend": "only the program has a shell in front",
    **{
        f"{group}.a.resources.{word}": "it is of the pod's program, not of a container beside it"
        for group in ("init", "sidecars")
        for word in ("hca", "shm")
    },
}
LEAVES = leaves()
# Values that are tried of each word by default, with one kind.
FEW = 2
# And under the mark, with each kind.
MANY_OF_EACH = 2


def _failed(leaf: Leaf, value: Any, target: str) -> list[str]:
    """What is wrong with the answer to a value."""
    text, result = built(job(leaf, value, target))
    return [f"{leaf.name} of a {target}, {value!r:.80}: {one}" for one in complaints(text, result, leaf, value)]


def _builds(leaf: Leaf, target: str) -> bool:
    """Whether a kind builds the word with a plain value."""
    _, result = built(job(leaf, around(leaf), target))
    return not any(one["severity"] == ERROR for one in result.diagnostics)


def _kind(leaf: Leaf, chance: random.Random) -> str | None:
    """A kind that builds the word, any of them; None: none does."""
    return next((target for target in chance.sample(list(TARGETS), len(TARGETS)) if _builds(leaf, target)), None)


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.fuzz) for part in (1, 2, 3))])
def test_every_word_builds_and_few_odd_values_of_it_are_answered_rightly(part: int) -> None:
    wrong: list[str] = []
    nowhere = set()
    for leaf in LEAVES[part::4]:
        chance = random.Random(zlib.crc32(leaf.name.encode()))
        target = _kind(leaf, chance)
        if target is None:
            nowhere.add(leaf.name)
            wrong += _failed(leaf, around(leaf), "PyTorchJob")
            continue
        values = list(odd(leaf))
        for value in chance.sample(values, min(FEW, len(values))):
            wrong += _failed(leaf, value, target)
    assert wrong == []
    assert nowhere == {leaf.name for leaf in LEAVES[part::4] if leaf.name in NOWHERE}


def test_words_are_many_and_exceptions_have_reasons() -> None:
    assert len({leaf.name for leaf in LEAVES}) > 300
    assert all(len(reason) > 15 for reason in NOWHERE.values())


@pytest.mark.fuzz
@pytest.mark.parametrize("target", TARGETS)
def test_many_odd_values(target: str) -> None:
    """Of each word some values with each kind, other ones with every kind; with SPECGEN_FUZZ all of them."""
    wrong: list[str] = []
    for leaf in LEAVES:
        if _builds(leaf, target):
            values = list(odd(leaf))
            if "SPECGEN_FUZZ" not in os.environ:
                chance = random.Random(zlib.crc32(f"{leaf.name} {target}".encode()))
                values = chance.sample(values, min(MANY_OF_EACH, len(values)))
            for value in values:
                wrong += _failed(leaf, value, target)
    assert wrong == [], "\n".join(wrong)


@pytest.mark.fuzz
def test_any_text() -> None:
    """Texts that nobody thought of, as values and as keys."""
    texts = [leaf for leaf in LEAVES if leaf.path[-1] == KEY or isinstance(around(leaf), str)]

    @seed(SEED)
    @given(st.sampled_from(texts), st.text(max_size=70), st.data())
    @MANY
    def run(leaf: Leaf, text: str, data: st.DataObject) -> None:
        target = data.draw(st.sampled_from(list(TARGETS)))
        if _builds(leaf, target):
            assert _failed(leaf, text, target) == []

    run()
