"""Comments that ignore findings: how they are written, what they cover, and what is said of those that do not work."""

from __future__ import annotations

import pytest

from specgen.diagnostics.model import ERROR, WARNING, Code, Diagnostic, Place
from specgen.diagnostics.place import order, place
from specgen.diagnostics.suppress import commented, spans_of, suppress
from specgen.document.read import read
from specgen.pipeline import nowhere
from specgen.source import Source

DAY = "2026-06-30"


def ignored(
    text: str, *, severity: str = WARNING, code: str = "SG401", today: str = DAY
) -> tuple[list[Diagnostic], int]:
    """What stays of a finding at each line with the word ``bad``, and of the comments; how many went."""
    source = Source("t", text)
    made = Code(code, "a-code", severity, since="0.1", page=None)
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if "bad" in line:
            at = source.offset(number, line.index("bad") + 1)
            found.append(place(made.at(Place((), offsets=(at, at + 3)), "a message"), nowhere(source)))
    if not commented(source):
        return found, 0
    return suppress(source, order(found), spans_of(read(source)[0]), today=today)


def short(found: tuple[list[Diagnostic], int]) -> tuple[list[tuple[str, int]], int]:
    return [(one["code"], one["primary"]["start"]["line"]) for one in found[0]], found[1]


TWO = "apiVersion: v1\nkind: A\nb: bad\n---\napiVersion: v1\nkind: B\nb: bad\n"


@pytest.mark.parametrize(
    ("text", "kept", "count"),
    [
        # a line
        ("a: 1\nb: bad # specgen: ignore[SG401]\nc: 3\n", [], 1),
        ("a: 1\nb: bad # specgen: ignore[SG401] because\nc: 3\n", [], 1),
        ("a: 1\nb: bad # why it is so # specgen: ignore[SG401]\n", [], 1),
        ("a: 1\nb: bad # specgen: ignore[SG401, SG420]\nc: 3\n", [("SG031", 2)], 1),
        ("a: 1\nb: bad\nc: 3 # specgen: ignore[SG401]\n", [("SG401", 2), ("SG031", 3)], 0),
        ("a: 1 # specgen: ignore[SG401]\nb: bad\n", [("SG031", 1), ("SG401", 2)], 0),
        ("a: 1\nb: bad # specgen: ignore[SG420]\n", [("SG401", 2), ("SG031", 2)], 0),
        # the line below, over comments, but over no blank line
        ("a: 1\n  # specgen: ignore[SG401]\nb: bad\n", [], 1),
        ("a: 1\n# specgen: ignore[SG401]\n# and why\nb: bad\n", [], 1),
        ("a: 1\n# specgen: ignore[SG401]\n\nb: bad\n", [("SG031", 2), ("SG401", 4)], 0),
        ("a: 1\n# specgen: ignore[SG401]\nb: bad\nc: bad\n", [("SG401", 4)], 1),
        ("a: bad\n# specgen: ignore[SG401]\n", [("SG401", 1), ("SG031", 2)], 0),
        # the file
        ("# specgen: ignore[SG401]\nb: bad\nc: bad\nd: 4\n", [], 2),
        ("---\n# specgen: ignore[SG401]\na: 1\nb: bad\n", [], 1),
        ("# Copyright\n#\n\n# specgen: ignore[SG401]\n# yaml-language-server: $schema=a\n---\na: 1\nb: bad\n", [], 1),
        ("%YAML 1.1\n---\n# specgen: ignore[SG401]\n" + TWO, [], 2),
        # an object
        (TWO.replace("---\n", "# specgen: ignore[SG401]\n---\n"), [("SG401", 3)], 1),
        (TWO.replace("---\n", "---\n# specgen: ignore[SG401]\n\n"), [("SG401", 3)], 1),
        (TWO.replace("kind: A", "kind: A  # specgen: ignore[SG401]"), [("SG401", 7)], 1),
        (TWO.replace("kind: A", "# specgen: ignore[SG401]\nkind: A"), [("SG401", 8)], 1),
        (TWO.replace("b: bad\n---", "# specgen: ignore[SG401]\nb: bad\nc: bad\n---"), [("SG401", 5), ("SG401", 9)], 1),
        (
            "kind: List\nitems:\n# specgen: ignore[SG401]\n- kind: A\n  b: bad\n  c: bad\n- kind: B\n  b: bad\n",
            [("SG401", 8)],
            2,
        ),
        ("kind: List\nitems:\n- kind: A # specgen: ignore[SG401]\n  b: bad\n- kind: B\n  b: bad\n", [("SG401", 6)], 1),
        # the narrowest comment is the one that counts
        ("# specgen: ignore[SG401]\na: bad\nb: bad # specgen: ignore[SG401]\n", [], 2),
        ("# specgen: ignore[SG401]\n# specgen: ignore[SG401]\na: bad\n", [("SG031", 2)], 1),
        ("# specgen: ignore[SG401]\na: bad # specgen: ignore[SG401]\n", [("SG031", 1)], 1),
        # blanks, case, names
        ("a: bad #specgen: ignore[SG401]\n", [], 1),
        ("a: bad # specgen:ignore[SG401]\n", [], 1),
        ("a: bad #  specgen : ignore [ SG401 ]\n", [], 1),
        ("a: bad ## SpecGen: Ignore[sg401]\n", [], 1),
        ("a: bad # specgen: ignore[missing-shm]\n", [], 1),
        ("a: bad # specgen: ignore[missing-shm, SG401]\n", [], 1),
        ("a: bad\r\nb: bad # specgen: ignore[SG401]\r\n", [("SG401", 1)], 1),
        # what is no comment, or none of these
        ("a: 'bad # specgen: ignore[SG401]'\n", [("SG401", 1)], 0),
        ("b: |\n  # specgen: ignore[SG401]\n  bad\n", [("SG401", 3)], 0),
        ("b: | # specgen: ignore[SG401]\n  c\nc: bad", [("SG031", 1), ("SG401", 3)], 0),
        ("a: bad#specgen: ignore[SG401]\n", [("SG401", 1)], 0),
        ("a: bad # specgen: ignored by all\n", [("SG401", 1)], 0),
        ("a: bad # specgen ignores this\n", [("SG401", 1)], 0),
        # malformed
        ("a: bad # specgen: ignore\n", [("SG401", 1), ("SG032", 1)], 0),
        ("a: bad # specgen: ignore SG401 because\n", [("SG401", 1), ("SG032", 1)], 0),
        ("a: bad # specgen: ignore[SG401\n]\n", [("SG401", 1), ("SG032", 1)], 0),
        ("a: bad # specgen: ignore[]\n", [("SG401", 1), ("SG032", 1)], 0),
        ("a: bad # specgen: ignore[SG401,]\n", [("SG032", 1)], 1),
        ("a: bad # specgen: ignore[SG4]\n", [("SG401", 1), ("SG032", 1)], 0),
        # days
        ("a: bad # specgen: ignore[SG401] until 2026-06-30 the platform lifts it\n", [], 1),
        ("a: bad # specgen: ignore[SG401] the platform lifts it (until 2026-07-01)\n", [], 1),
        ("a: bad # specgen: ignore[SG401] until the platform lifts it\n", [], 1),
        ("a: bad # specgen: ignore[SG401] until 2026-06-29\n", [("SG401", 1), ("SG031", 1)], 0),
        ("a: 1 # specgen: ignore[SG401] until 2026-06-29\n", [("SG031", 1)], 0),
        ("a: bad # specgen: ignore[SG401] until 2026-02-30\n", [("SG401", 1), ("SG032", 1)], 0),
        ("a: bad # specgen: ignore[SG401] until 30.6.2026\n", [("SG401", 1), ("SG032", 1)], 0),
    ],
)
def test_what_a_comment_ignores(text: str, kept: list[tuple[str, int]], count: int) -> None:
    assert short(ignored(text)) == (kept, count)


@pytest.mark.parametrize("code", ["SG301", "SG315", "SG003", "SG101", "SG111"])
def test_no_comment_ignores_an_error(code: str) -> None:
    text = f"a: 1\nb: bad # specgen: ignore[{code}]\n"
    found, count = ignored(text, severity=ERROR, code=code)
    assert count == 0 and found[0]["code"] == code
    if code != "SG003":  # a text that cannot be read says nothing of what else is in it
        assert [one["message"] for one in found[1:]] == [f"{code} is an error that no comment ignores"]
    assert short(ignored(text, code=code)) == ([], 1)


def test_a_comment_about_a_rule_that_nobody_asked_is_not_called_unused(monkeypatch: pytest.MonkeyPatch) -> None:
    from specgen.diagnostics import _index

    monkeypatch.setitem(_index.CODES, "SG869", ("spec-at-all", "note", "policy", False))
    source = Source("t", "a: 1 # specgen: ignore[SG869]\n")
    spans = spans_of(read(source)[0])
    assert suppress(source, [], spans) == ([], 0)
    (found,) = suppress(source, [], spans, chosen=frozenset(["SG869"]))[0]
    assert found["message"] == "this comment ignores no SG869"


@pytest.mark.parametrize(
    ("comment", "message", "helps"),
    [
        ("ignore", "this comment has no codes in brackets, and ignores nothing", "the form is"),
        ("ignore[SG401", "this comment has no `]` behind its codes, and ignores nothing", "the form is"),
        ("ignore[mising-shm]", "no code is called `mising-shm`", "there is a code with a similar name: `missing-shm`"),
        (
            "ignore[SG401] until 2026-13-01",
            "`2026-13-01` is no day such as 2027-01-31: this comment ignores nothing",
            "",
        ),
    ],
)
def test_a_malformed_comment_is_answered(comment: str, message: str, helps: str) -> None:
    (found,) = [one for one in ignored(f"a: 1 # specgen: {comment}\n")[0] if one["code"] == "SG032"]
    assert found["message"] == message
    assert "".join(found["helps"]).startswith(helps)


def test_a_comment_whose_day_is_none_hides_nothing() -> None:
    """Nobody knows how long it was to hold: without an end it would hide all that comes."""
    found, count = ignored("a: bad # specgen: ignore[SG401] until 2030-02-31: later\n")
    assert count == 0 and [one["code"] for one in found] == ["SG401", "SG032"]


def test_thousands_of_comments_cost_as_many_times_as_much() -> None:
    text = "# specgen: ignore[nothing, SG401]\n" * 2_000 + "a: bad\n" + "b: 1 # specgen: ignore[SG401]\n" * 2_000
    found, count = short(ignored(text))
    assert count == 1 and len(found) == 2_000 + 1_999 + 2_000


def test_letters_that_are_longer_in_lower_case_move_nothing() -> None:
    assert short(ignored("a: İİ\nb: bad # specgen: ignore[SG401]\n")) == ([], 1)
