"""Texts for fuzzing: pieces that bend YAML, mutated files and documents, profiles with anything in them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import yaml
from hypothesis import strategies as st

from tests.conftest import ROOT, shared_folder

HEAD = "apiVersion: specgen/v1\nkind: Job\nmetadata: {name: train}\ntarget: PyTorchJob\n"
HEAD += "image: registry.example.com/train:1\n"

# Pieces that begin, end or bend something in YAML, in specgen's language, or in a terminal.
PIECES = [
    *"\n\t :,-?[]{}&*!|>'\"%@`#~<=.0123456789",
    *(
        "\r\n",
        "\n\n",
        "---\n",
        "...\n",
        "  ",
        "    ",
        "- ",
        ": ",
        "? ",
        "<<: ",
        "&a ",
        "*a",
        "!!int ",
        "!x ",
        "| \n",
        ">-\n",
        "%YAML 1.1\n",
    ),
    *(
        "null",
        "true",
        "yes",
        "no",
        "on",
        ".nan",
        "-.inf",
        "0x1F",
        "0o7",
        "017",
        "1_0",
        "1e3",
        "1e999",
        "12:30:00",
        "2024-01-02",
        "1:²",
    ),
    *(
        "18446744073709551616",
        "9" * 30,
        "1." + "0" * 20,
        "-0",
        "+1",
        "0.5",
        "-1",
        "1000001",
        "500m",
        "2Gi",
        "1.5Gi",
        "90s",
        "2h",
    ),
    *(
        "\x1b[31m",
        "\x07",
        "\x85",
        "\u2028",
        "\u202e",
        "\u200b",
        "\ufeff",
        "\x00",
        "\x7f",
        "中",
        "é",
        "😀",
        "\ufffe",
        "\udc80",
    ),
    *("$<pods>", "$<", "$$<x>", "$<nothing>", "$(A)", "${A}", '"\\e[31m"', '"\\ud800"', '"\\0"', '"\\x9b"'),
    *(
        "pods",
        "roles",
        "env",
        "mounts",
        "resources",
        "gpu",
        "hca",
        "shm",
        "vars",
        "variants",
        "variantsOnly",
        "matrix",
        "extends",
        "cluster",
        "ignore",
        "patch",
    ),
    *(
        "master",
        "worker",
        "command",
        "args",
        "start",
        "torchrun",
        "procsPerPod",
        "elastic",
        "lifecycle",
        "scheduling",
        "communication",
    ),
    *(
        "metadata",
        "name",
        "labels",
        "annotations",
        "spec",
        "template",
        "containers",
        "replicas",
        "volumeMounts",
        "value",
        "SG401",
    ),
    *(
        "pytorchReplicaSpecs",
        "Worker",
        "Master",
        "nprocPerNode",
        "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\n",
        "specgen/v1",
    ),
    *("# specgen: ignore[SG401]", "# specgen: ignore[", "# specgen: ignore[SG401, SG010] why\n", "]"),
]

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 70)
    | st.integers()
    | st.floats(allow_nan=False)
    | st.sampled_from(PIECES)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(PIECES) | st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


@cache
def corpus() -> list[str]:
    """Profiles and manifests of the checkout and, where it is there, of the reference material; small ones only."""
    files = sorted((ROOT / "profiles").rglob("*.yaml"))
    shared = shared_folder()
    if shared is not None:
        files += sorted((shared / "profiles").rglob("*.yaml"))
        files += sorted((shared / "corpus" / "PyTorchJob").rglob("*.y*ml"))
        files += sorted((shared / "sources").rglob("*.yaml"))
    texts = (file.read_bytes().decode("utf-8", "replace") for file in files)
    return [HEAD, *(text for text in texts if len(text) < 20_000)]


@cache
def trees() -> list[Any]:
    """The same as data; what PyYAML cannot read is left out."""
    found = []
    for text in corpus():
        try:
            found += [one for one in yaml.load_all(text, yaml.CSafeLoader) if isinstance(one, dict)]
        except (yaml.YAMLError, ValueError):
            continue
    return found


@st.composite
def mutated_texts(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(corpus()))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        kind = draw(st.sampled_from(["insert", "delete", "move", "repeat", "indent"]))
        end = min(len(text), at + draw(st.integers(1, 30)))
        if kind == "insert":
            text = text[:at] + "".join(draw(st.lists(st.sampled_from(PIECES), min_size=1, max_size=4))) + text[at:]
        elif kind == "delete":
            text = text[:at] + text[end:]
        elif kind == "repeat":
            text = text[:end] + text[at:end] + text[end:]
        elif kind == "indent":
            line = text.rfind("\n", 0, at) + 1
            text = text[:line] + draw(st.sampled_from(["  ", "\t", "- "])) + text[line:]
        else:
            to = draw(st.integers(0, len(text)))
            piece, rest = text[at:end], text[:at] + text[end:]
            text = rest[:to] + piece + rest[to:]
    return text


def _places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    children = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in children:
        yield from _places(value, (*path, key))


def _put(tree: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    copy = tree.copy()
    copy[path[0]] = _put(tree[path[0]], path[1:], value)
    return copy


@st.composite
def mutated_trees(draw: st.DrawFn) -> str:
    """A real document with some values replaced, some keys renamed: what passes the reader and reaches the rest."""
    tree = draw(st.sampled_from(trees()))
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(list(_places(tree))[1:] or [()]))
        if path and draw(st.integers(0, 3)) == 0:
            above = tree
            for step in path[:-1]:
                above = above[step]
            if isinstance(above, dict):
                name = draw(st.sampled_from(PIECES))
                tree = _put(tree, path[:-1], {name if key == path[-1] else key: value for key, value in above.items()})
                continue
        tree = _put(tree, path, draw(VALUES))
    return yaml.dump(
        tree,
        sort_keys=False,
        allow_unicode=draw(st.booleans()),
        default_flow_style=draw(st.sampled_from([None, False, True])),
    )


@st.composite
def made_profiles(draw: st.DrawFn) -> str:
    """A profile with words of the language in it and anything below them."""
    words = st.sampled_from([piece for piece in PIECES if piece.isalpha() and piece.islower()] + ["procsPerPod"])
    return HEAD + yaml.dump(draw(st.dictionaries(words, VALUES, min_size=1, max_size=4)), default_flow_style=False)


TEXTS = st.text(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
