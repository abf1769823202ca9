"""Imports respect the floors of the package: a module imports from lower floors and from its own package only.

Within a package they make no circles either, so that each file can be read after those that it stands on.

Imports inside functions count, since a circle that starts late is still a circle, and so do imports for type checkers:
a circle that is hidden from the interpreter is still one for the reader.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import specgen

# Floor → what stands on it: packages, and modules of the package itself.
FLOORS = (
    ("devices", "modules", "source", "nccl", "_nccl_names", "_nccl_table", "quantity", "version"),
    ("diagnostics",),
    ("document",),
    ("schema", "tables"),
    ("profile", "manifest"),
    ("operators",),
    ("schedulers",),
    ("plan", "rules", "emit"),
    ("lower", "gangs"),
    (
        "session",
        "pipeline",
        "linting",
        "recognise",
        "checking",
        "install",
        "local",
        "reference",
        "capture",
        "answers",
        "indented",
    ),
    ("cli",),
    ("generate",),
)
FLOOR_OF = {name: floor for floor, names in enumerate(FLOORS) for name in names}
# One floor, one package in two parts: the generator writes tables of what stands in schema.
ALLOWED = {
    ("tables", "schema"),
    ("nccl", "_nccl_names"),
    ("nccl", "_nccl_table"),
    ("pipeline", "checking"),
    ("linting", "recognise"),
    ("session", "recognise"),
    ("session", "pipeline"),
    ("session", "linting"),
    ("linting", "pipeline"),
    ("linting", "checking"),
    ("session", "checking"),
    ("capture", "install"),
    ("pipeline", "answers"),
    ("pipeline", "indented"),
    ("reference", "pipeline"),
}
# Below, and not to be known all the same: an operator sees manifests, never what people wrote instead of them.
APART = {("operators", "profile"), ("schedulers", "profile")}
# Third parties, by the module or package that may import them.
THIRD_PARTIES = {
    "jsonschema": {"specgen.schema.library"},
    "kubernetes": {"specgen.generate", "specgen.cli.api"},
    "pydantic": {
        "specgen.profile.words",
        "specgen.profile.job",
        "specgen.profile.pod",
        "specgen.profile.env",
        "specgen.profile.mount",
        "specgen.profile.resources",
        "specgen.profile.start",
        "specgen.profile.index",
        "specgen.profile.operator",
        "specgen.profile.cluster",
        "specgen.generate",
    },
    "yaml": {"specgen.document.libyaml"},
}


def modules(root: Path, package: str = "specgen") -> dict[str, Path]:
    """Dotted name → file, for every module of the package."""
    found = {}
    for path in sorted((root / package).rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def importing(text: str) -> list[ast.Import | ast.ImportFrom | ast.Call]:
    """What may import in a module: several tests ask all of them, and whole trees would fill the memory."""
    nodes = ast.walk(ast.parse(text))
    return [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom, ast.Call)) and not _is_other(node)]


def _is_other(node: ast.AST) -> bool:
    """Whether a call is of anything but ``import_module``."""
    return isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and node.func.id == "import_module")


def imports(text: str) -> Iterator[tuple[int, str]]:
    """(line, module) of each import; ``from a import b`` counts as ``a`` and as ``a.b``."""
    for node in importing(text):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"line {node.lineno}: a relative import"
            assert node.module is not None
            yield node.lineno, node.module
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
        else:
            name = node.args[0]
            if isinstance(name, ast.JoinedStr) and isinstance(name.values[0], ast.Constant):
                yield node.lineno, str(name.values[0].value).rstrip(".")


def home(name: str) -> str:
    """The package below ``specgen``, or the module of its own, that a dotted name belongs to."""
    return name.split(".")[1]


def violations(name: str, text: str) -> list[str]:
    """Sentences about the imports of one module that no floor allows."""
    here = home(name)
    floor = FLOOR_OF[here]
    found = []
    for line, imported in imports(text):
        top = imported.partition(".")[0]
        if top == "specgen" and imported.count(".") and home(imported) in FLOOR_OF:
            there = home(imported)
            if there != here and FLOOR_OF[there] >= floor and (here, there) not in ALLOWED:
                found.append(f"{name}:{line} (floor {floor}) imports {there} (floor {FLOOR_OF[there]})")
            elif (here, there) in APART:
                found.append(f"{name}:{line} imports {there}, of which {here} must not know")
        elif top in THIRD_PARTIES and not any(f"{name}.".startswith(f"{allowed}.") for allowed in THIRD_PARTIES[top]):
            found.append(f"{name}:{line} imports {top}")
    return list(dict.fromkeys(found))


def below(texts: dict[str, str]) -> dict[str, list[str]]:
    """Module → the modules of these that it imports or takes names from, wherever in its text.

    ``from a import b`` is about ``a.b`` where that is a module: the file of the package runs first, but gives nothing.
    What a package loads by a name in a table is not counted: no text says which file that is.
    """
    found = {}
    for name, text in texts.items():
        imported: set[str] = set()
        for node in importing(text):
            if isinstance(node, ast.Import):
                imported.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                parts = {f"{node.module}.{alias.name}" for alias in node.names}
                imported.update(part if part in texts else str(node.module) for part in parts)
        found[name] = sorted(imported & texts.keys())
    return found


def way_back(start: str, graph: dict[str, list[str]]) -> list[str]:
    """The shortest way from a module down to itself, without its end; empty where there is none."""
    ways = [[start]]
    seen = set()
    for way in ways:
        for name in graph[way[-1]]:
            if name == start:
                return way
            if name not in seen:
                seen.add(name)
                ways.append([*way, name])
    return []


def circles(texts: dict[str, str]) -> list[str]:
    """The shortest circle through each module that stands above itself; one for all whose shortest it is."""
    graph = below(texts)
    found = set()
    for way in filter(None, (way_back(name, graph) for name in graph)):
        first = way.index(min(way))
        found.add(" -> ".join([*way[first:], *way[: first + 1]]))
    return sorted(found)


def test_every_package_stands_on_a_floor(root: Path) -> None:
    here = {home(name) for name in modules(root) if name not in ("specgen", "specgen.__main__")}
    assert sorted(here - FLOOR_OF.keys()) == []


def test_modules_import_from_below(root: Path) -> None:
    found = []
    for name, path in modules(root).items():
        if name not in ("specgen", "specgen.__main__"):
            found += violations(name, path.read_text("utf-8"))
    assert found == []


@pytest.mark.parametrize("package", ["specgen", "trainer"])
def test_no_module_stands_above_itself(root: Path, package: str) -> None:
    found = circles({name: path.read_text("utf-8") for name, path in modules(root, package).items()})
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ({"p.a": "from p import b", "p.b": "def f():\n    from p.a import x"}, ["p.a -> p.b -> p.a"]),
        ({"p.a": "import p.b", "p.b": "if TYPE_CHECKING:\n    from p.a import X"}, ["p.a -> p.b -> p.a"]),
        ({"p.b": "import p.c", "p.c": "import p.a", "p.a": "import p.b"}, ["p.a -> p.b -> p.c -> p.a"]),
        (
            {"p.a": "from p import b, c", "p.b": "import p.a", "p.c": "import p.a"},
            ["p.a -> p.b -> p.a", "p.a -> p.c -> p.a"],
        ),
        ({"p": "from p.a import x", "p.a": "from p import y"}, ["p -> p.a -> p"]),
        ({"p.a": "from p.a import x"}, ["p.a -> p.a"]),
        ({"p": "from p.a import x", "p.a": "from p import b", "p.b": "import os"}, []),
        ({"p.a": "import p.b, p.c", "p.b": "from p.c import x", "p.c": "from q import p"}, []),
    ],
)
def test_a_circle_is_said_by_its_modules(texts: dict[str, str], said: list[str]) -> None:
    assert circles(texts) == said


def test_the_packages_docstring_lists_the_floors() -> None:
    text = " ".join((specgen.__doc__ or "").split())
    for floor, names in enumerate(FLOORS):
        shown = ", ".join(f"``{name}``" for name in names if not name.startswith("_"))
        assert f"{floor} {shown}" in text


def test_trainer_and_compiler_share_nothing(root: Path) -> None:
    for folder, other in (("specgen", "trainer"), ("trainer", "specgen")):
        for path in sorted((root / folder).rglob("*.py")):
            for line, imported in imports(path.read_text("utf-8")):
                assert imported.partition(".")[0] != other, f"{path.name}:{line}"


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("specgen.document.read", "from specgen.profile import codes", "(floor 2) imports profile (floor 4)"),
        ("specgen.document.read", "def f():\n    import specgen.pipeline", "(floor 2) imports pipeline (floor 9)"),
        ("specgen.manifest.shape", "from specgen import profile", "(floor 4) imports profile (floor 4)"),
        ("specgen.operators.expand", "if TYPE_CHECKING:\n    from specgen.plan import Plan", "imports plan (floor 7)"),
        (
            "specgen.rules.a",
            "from importlib import import_module\nimport_module(f'specgen.lower.{a}')",
            "imports lower",
        ),
        (
            "specgen.operators.expand",
            "from specgen.profile import codes",
            "imports profile, of which operators",
        ),
        ("specgen.cli.build", "import pydantic", "specgen.cli.build:1 imports pydantic"),
        ("specgen.schema.judge", "def f():\n    from jsonschema import validators", "imports jsonschema"),
    ],
)
def test_a_violation_is_said(name: str, text: str, sentence: str) -> None:
    assert sentence in "\n".join(violations(name, text))


@pytest.mark.parametrize(
    "text",
    [
        "from specgen.tables import job",
        "from specgen import __version__",
        "import os, json",
    ],
)
def test_what_is_allowed_is_not_said(text: str) -> None:
    assert violations("specgen.profile.shape", text) == []
