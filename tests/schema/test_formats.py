"""The hand-written checks of texts agree with the patterns that editors and pydantic use."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specgen.schema.checks import QUANTITY_PATTERN, OrWord, quantity
from specgen.schema.formats import CHECKS, PATTERNS
from specgen.schema.library import compiled
from tests.schema.documents import TEXTS

ALL = {name: (CHECKS[name], PATTERNS[name]) for name in PATTERNS} | {"quantity": (quantity, QUANTITY_PATTERN)}

# What the grammars are made of, and neighbours that must not slip in: other digits, other letters, line ends.
TOKENS = (
    *"abzAZ0179-_./:= \n\t$<>smhdkKMGiEe+nu",
    *("\u00e9", "\u017f", "\u0663", "\u00b2"),
    *("$<", "$<a>", "$<a1>", "$(", "Ki", "Mi", "Gi", "SG", "SG401", "2027", "-01", "1.", "x" * 60, "9" * 9, "specgen"),
)
PROPERTY = settings(max_examples=150, derandomize=True, deadline=None, database=None)


def test_every_pattern_has_a_check() -> None:
    assert list(CHECKS) == list(PATTERNS)


@pytest.mark.parametrize("name", ALL)
def test_check_equals_pattern(name: str) -> None:
    check, pattern = ALL[name]
    form = compiled(pattern)

    @PROPERTY
    @given(
        st.lists(st.sampled_from(TOKENS), max_size=7).map("".join) | st.from_regex(form, fullmatch=False).map(_short)
    )
    def run(text: str) -> None:
        assert check(text) == (form.search(text) is not None), repr(text)

    run()
    for text in TEXTS:
        assert check(text) == (form.search(text) is not None), repr(text)


def _short(text: str) -> str:
    return text[:80]


@pytest.mark.parametrize("name", ALL)
def test_check_equals_pattern_near_valid_texts(name: str) -> None:
    """One character added, dropped or replaced in texts of the grammar, the smallest step out of it."""
    check, pattern = ALL[name]
    form = compiled(pattern)
    valid = [text for text in (*TEXTS, *TOKENS) if form.search(text)]
    rng = Random(name)
    verdicts = set()
    for _ in range(3000):
        text = rng.choice(valid)
        at, token = rng.randint(0, len(text)), rng.choice(TOKENS)
        text = text[:at] + rng.choice(("", token)) + text[at + rng.choice((0, 1)) :]
        verdicts.add(check(text))
        assert check(text) == (form.search(text) is not None), repr(text)
    assert verdicts == {True, False}


def test_grammar_or_words() -> None:
    check = OrWord(CHECKS["memory"], "auto", "none")
    assert [text for text in ("auto", "none", "5Gi", "host", "5", "") if check(text)] == ["auto", "none", "5Gi"]
