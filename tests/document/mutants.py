"""Real files made odd: comments everywhere, other line ends, quotes, brackets, anchors, merge keys, several documents.

Each mutator takes a text and a source of chance, and gives a text that means the same, or the same and a little more;
whoever uses one reads the result and drops what is no YAML any more.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import yaml

COMMENTS = (
    "# note",
    "#",
    "#: {a: 1}, [x",
    "# with\ta tab",
    "# 中文 😀 - x: y",
    "#\t",
    "# 'quoted' \"twice\"",
    "# &a *a << |",
)

# Shapes that real manifests seldom have, each a document that is read without a finding.
ODD = (
    "a:\n- - 1\n  - 2\n-\n  - x: 1\n    y: [a, b]\n  # last\n- k: v\n  l: w\n",
    "? a\n: 1\n? b\n:\n  c: 2\n  d: {e: f, g: [h, i]}\n? long\n: - x\n  - y\n",
    "a: |\n  one\n  two\n\nb: >-\n  three\n  four\nc: |+\n  five\n\nd: |2\n   six\n  seven\ne: |-\n  eight",
    "a: # here\n  b:\n\n    c: x # there\n\n  # between\n  d:\n    # deep\n    - e # item\n\n    - f\n# end\n",
    "a: &one {x: 1, y: [2, 3]}\nb: *one\nc:\n  <<: *one\n  z: 4\nd: &two\n  k: v\ne: [*two, *one]\n",
    "base: &base\n  labels: {app: x}\n  n: 1\nm:\n  <<: *base\n  own: 2\nl:\n"
    "  - <<: [*base]\n    o: 3\n  - &s text\n  - *s\n",
    '{\n  "a": 1,\n  "b": [\n    1,\n    2\n  ],\n  "c": {"d": "e", "f": {}},\n  "g": []\n}\n',
    '{"a":1,"b":[1,2],"c":{"d":"e"}}',
    "a: {b: 1, # one\n  c: 2, # two\n  d: [x,\n      y], # three\n}\ne: [\n  1,\n  # above two\n  2,\n]\n",
    "a:\nb: ~\nc: ''\nd: \"\"\ne:\n-\n- ~\n- x\nf: {g: , h: 'i'}\n",
    "a: plain text\n  goes on\nb: 'single it''s\n  on'\nc: \"double \\u00e9\n  on\"\n\"d e\": 'f'\n'g': h\n",
    "emoji: 😀 x\n中: 文 # 😀\nlist: [😀, \"😀\", '中']\n😀:\n  - é\n",
    "-   a: 1\n    b: 2\n-   c\n-   - d\n    - e\n",
    "a:\n    b:\n        - c\n        - d: e\n          f: g\n    h: [ 1, 2 ]\n    i: { j: k }\n",
    "# head\n\n# about a\na: 1\n\n\n# about b\n# more\nb: 2   # tail\n\n# foot\n",
)

Mutator = Callable[[str, Random], str]


def _at_lines(text: str, chance: Random, change: Callable[[str], str], *, rate: float = 0.2) -> str:
    lines = text.split("\n")
    ends = ["\r" if line.endswith("\r") else "" for line in lines]
    pairs = zip(lines, ends, strict=True)
    return "\n".join(change(line.rstrip("\r")) + end if chance.random() < rate else line for line, end in pairs)


def trailing_comments(text: str, chance: Random) -> str:
    return _at_lines(text, chance, lambda line: f"{line}{chance.choice((' ', '  ', chr(9)))}{chance.choice(COMMENTS)}")


def comment_lines(text: str, chance: Random) -> str:
    def above(line: str) -> str:
        indent = line[: len(line) - len(line.lstrip(" "))]
        return f"{chance.choice((indent, indent, '', indent + '  '))}{chance.choice(COMMENTS)}\n{line}"

    return _at_lines(text, chance, above)


def blank_lines(text: str, chance: Random) -> str:
    return _at_lines(text, chance, lambda line: f"{chance.choice(('', '  '))}\n{line}", rate=0.1)


def windows(text: str, chance: Random) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def mixed_line_ends(text: str, chance: Random) -> str:
    lines = text.split("\n")
    return "\n".join([*(line + "\r" if chance.random() < 0.5 else line for line in lines[:-1]), lines[-1]])


def no_last_line_end(text: str, chance: Random) -> str:
    return text.rstrip("\r\n")


def quoted(text: str, chance: Random) -> str:
    def quote(line: str) -> str:
        head, colon, value = line.partition(": ")
        if not colon or not value.replace("-", "").replace("/", "").isalnum():
            return line
        sign = chance.choice("'\"")
        return f"{head}: {sign}{value}{sign}"

    return _at_lines(text, chance, quote, rate=0.5)


def explicit(text: str, chance: Random) -> str:
    def ask(line: str) -> str:
        body = line.lstrip(" ")
        key, colon, value = body.partition(": ")
        if not colon or not value.isalnum() or not key.isalnum():
            return line
        pad = " " * (len(line) - len(body))
        return f"{pad}? {key}\n{pad}: {value}"

    return _at_lines(text, chance, ask, rate=0.3)


def wide(text: str, chance: Random) -> str:
    def put(line: str) -> str:
        head, colon, value = line.partition(": ")
        return f"{head}: {value}{chance.choice('中é😀')}" if colon and value.isalpha() else line

    return _at_lines(text, chance, put)


def brackets(text: str, chance: Random) -> str:
    data = yaml.load(text, yaml.CSafeLoader)
    return yaml.dump(
        data, Dumper=yaml.CSafeDumper, default_flow_style=True, sort_keys=False, width=60, allow_unicode=True
    )


def some_brackets(text: str, chance: Random) -> str:
    data = yaml.load(text, yaml.CSafeLoader)
    return yaml.dump(data, Dumper=yaml.CSafeDumper, default_flow_style=None, sort_keys=False, indent=4)


def as_json(text: str, chance: Random) -> str:
    data = yaml.load(text, yaml.CSafeLoader)
    return json.dumps(data, indent=chance.choice((None, 2, 4)), ensure_ascii=chance.random() < 0.5, default=str)


def anchored(text: str, chance: Random) -> str:
    """An anchor at a key of the top, and at its end an alias or a merge of it."""
    lines = text.rstrip("\n").split("\n")
    tops = [number for number, line in enumerate(lines) if line[:1].isalpha() and ": |" not in line and ":" in line]
    if not tops:
        return text
    at = chance.choice(tops)
    key, colon, value = lines[at].partition(":")
    lines[at] = f"{key}{colon} &shared{value}"
    lines.append(chance.choice(("zzAlias: *shared", "zzMerge:\n  <<: *shared\n  own: 1", "zzList: [*shared, x]")))
    return "\n".join(lines) + "\n"


def inner_anchor(text: str, chance: Random) -> str:
    """An anchor somewhere within, and an alias of it."""
    lines = text.rstrip("\n").split("\n")
    inner = [number for number, line in enumerate(lines) if line[:1] == " " and ": " in line and " |" not in line]
    if not inner:
        return text
    at = chance.choice(inner)
    head, colon, value = lines[at].partition(": ")
    lines[at] = f"{head}{colon}&inner {value}"
    return "\n".join([*lines, "zzInner: *inner"]) + "\n"


def several(text: str, chance: Random) -> str:
    before, after = (
        chance.choice(("", "---\n", "# first\n---\n", "a: 1\n---\n")),
        chance.choice(("", "---\nb: 2\n", "--- # next\nc: |\n  x\n", "...\n", "...\n---\n# none\n")),
    )
    return before + text.rstrip("\n") + "\n" + after


COMMON: tuple[Mutator, ...] = (trailing_comments, comment_lines, blank_lines, windows, no_last_line_end, quoted, wide)
RARE: tuple[Mutator, ...] = (
    *(mixed_line_ends, explicit, brackets, some_brackets, as_json, anchored, inner_anchor, several),
)


def mutant(text: str, chance: Random) -> tuple[str, bool]:
    """A text made odd, and whether it is of a common shape."""
    common = chance.random() < 0.5
    for change in chance.sample(RARE, chance.choice((1, 1, 2))) if not common else ():
        text = change(text, chance)
    for change in chance.sample(COMMON, chance.choice((0, 1, 2, 3))):
        text = change(text, chance)
    return text, common


def files(shared: Path) -> list[str]:
    """Texts of the corpus and of the profiles, small ones."""
    found = sorted([*shared.glob("corpus/**/*.yaml"), *shared.glob("profiles/**/*.yaml")])
    texts = [path.read_text("utf-8") for path in found]
    return [text for text in texts if len(text) < 6000 and "\n---" not in text]
