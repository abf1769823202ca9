"""Patterns of paths, and where the parts of a TOML text stand."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from specgen.session.globs import matches
from specgen.session.toml import places


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("*.yaml", ["a.yaml", "b/a.yaml", "b/c/a.yaml"], ["a.yml", "a.yaml.tmpl"]),
        ("charts/", ["charts/a", "charts/b/a", "x/charts/a"], ["chart/a", "a/charts.yaml"]),
        ("charts", ["charts/a", "x/charts/a", "charts"], ["charts2/a"]),
        ("/charts", ["charts/a"], ["x/charts/a"]),
        ("./charts/*.yaml", ["charts/a.yaml"], ["x/charts/a.yaml", "charts/b/a.yaml"]),
        ("a/*/c", ["a/b/c", "a/b/c/d"], ["a/c", "a/b/b/c"]),
        ("a/**", ["a/b", "a/b/c"], ["b/a"]),
        ("a/**/c", ["a/c", "a/b/c", "a/b/b/c"], ["c", "a/b"]),
        ("**/c", ["c", "a/c", "a/b/c"], ["a/cc"]),
        ("**", ["a", "a/b"], []),
        ("[ab].yaml", ["a.yaml", "x/b.yaml"], ["c.yaml"]),
        ("../a/*", ["../a/b"], ["a/b"]),
    ],
)
def test_a_pattern_matches_paths_and_all_below_a_folder(pattern: str, yes: list[str], no: list[str]) -> None:
    assert [path for path in yes if not matches(pattern, path)] == []
    assert [path for path in no if matches(pattern, path)] == []


def test_no_pattern_takes_long() -> None:
    assert not matches("**/" * 50 + "*a*a*a*a*a*a*a*a*b/x", "/".join(["a" * 60] * 60))


TEXT = """\
# a comment with [brackets] and a = sign
top = 1
"quoted \\u0061" = 'a # b'
a.b . "c.d" = { x = 1, y = [1, "two, ]", 3] } # {
list = [
  "one", # two
  '''three
four''',
]
LONG

[table."x.y"]
z = 1979-05-27 07:32:00
[[many]]
n = [[1], [2, 3]]
""".replace("LONG", 'long = """a \\"""b"""""')


def _paths(tree: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [path] if path else []
    children = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    return found + [below for key, child in children for below in _paths(child, (*path, key))]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_every_key_and_item_has_its_place(end: str) -> None:
    text = TEXT.replace("\n", end)
    whole = tomllib.loads(text)
    many = whole.pop("many")
    assert many == [{"n": [[1], [2, 3]]}]
    found = places(text)
    for path in _paths(whole):
        start, stop = found[path]
        shown = text[start:stop]
        if isinstance(path[-1], int):
            tree: Any = whole
            for step in path:
                tree = tree[step]
            assert tomllib.loads(f"a = {shown}")["a"] == tree
        else:
            assert next(iter(tomllib.loads(f"{shown} = 1"))) == path[-1]
    assert text[slice(*found["many", "n", 1, 0])] == "2"
