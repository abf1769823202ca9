"""How rules split a shell's text into commands and words, held against shlex where it knows better."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specgen.rules._shell import parse

# text → commands as (words, sign that ends them); None: not told here
TEXTS = {
    "python a.py": [(["python", "a.py"], "")],
    "cd /job && exec python a.py\n": [(["cd", "/job"], "&&"), (["exec", "python", "a.py"], "\n")],
    "a 'b c' \"d e\" f\\ g": [(["a", "b c", "d e", "f g"], "")],
    "a \\\n  b # c\nd": [(["a", "b"], "\n"), (["d"], "")],
    "a > out 2>&1 <in b &>all": [(["a", "b"], "")],
    "a2>out": [(["a2"], "")],
    "a | b & c; d || e": [(["a"], "|"), (["b"], "&"), (["c"], ";"), (["d"], "||"), (["e"], "")],
    "a $(b $(c)) `d e` ${f:-g h} $i": [(["a", "$(b $(c))", "`d e`", "${f:-g h}", "$i"], "")],
    'a "x\\"y" "$b"': [(["a", 'x"y', "$b"], "")],
    "": [],
    "a 'b": None,
    'a "b': None,
    "a $(b": None,
    "a <<EOF\nb\nEOF": None,
}


@pytest.mark.parametrize("text", TEXTS, ids=repr)
def test_commands(text: str) -> None:
    script = parse(text)
    expected = TEXTS[text]
    if script is None or expected is None:
        assert (script, expected) == (None, None)
    else:
        assert [([word.text for word in words], end) for words, end in script.commands] == expected


@pytest.mark.parametrize("text", ["a; b", "A=1 exec b | c"])
def test_a_simple_script(text: str) -> None:
    script = parse(text)
    assert script is not None and script.simple


@pytest.mark.parametrize(
    "text", ["if a; then b; fi", "(a; b)", "{ a; }", "a & wait", "trap x TERM; a", "for i in a; do b; done"]
)
def test_a_script_of_which_nothing_is_said(text: str) -> None:
    script = parse(text)
    assert script is not None and not script.simple


def test_words_that_a_shell_would_expand_are_open() -> None:
    script = parse("a '$b' \"$c\" $d \\$e `f`")
    assert script is not None
    assert [word.open for word in script.commands[0][0]] == [False, False, True, True, False, True]


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.text(alphabet="ab '\"\\$()`;&|<>#\n{}=-", max_size=25))
def test_no_text_fails_and_words_stand_where_they_say(text: str) -> None:
    script = parse(text)
    for words, _ in script.commands if script is not None else []:
        for word in words:
            assert 0 <= word.start < word.end <= len(text)
            if text[word.start : word.end].isalpha():
                assert word.text == text[word.start : word.end]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.text(alphabet="ab c'\"\\$;|#", max_size=6), min_size=1, max_size=5))
def test_quoted_words_come_back(words: list[str]) -> None:
    script = parse(shlex.join(words))
    assert script is not None
    assert [[word.text for word in own] for own, _ in script.commands] == [words]
