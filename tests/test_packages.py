"""A package's docstring is its map: every public module that lies in the package is named there."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from specgen.cli.main import VERBS
from specgen.install import index
from specgen.operators.index import KINDS

ROOT = Path(__file__).parents[1]
# Folders that are registries: whatever lies there takes part, and a list of it would fall behind.
REGISTRIES = ("gangs", "lower", "render", "rules", "tables")
# The same of single modules: kinds with what is theirs alone, folders of operators, how they are installed, verbs.
MEMBERS = {
    "cli": VERBS,
    "install": tuple(name for name, value in vars(index).items() if value in index.MODULES),
    "operators": tuple(name.partition(".")[0] for name in KINDS.values()),
    **{
        folder: tuple(name.partition(".")[2] for name in KINDS.values() if name.startswith(f"{folder}."))
        for folder in {name.partition(".")[0] for name in KINDS.values()}
    },
}
PACKAGES = [
    path.parent
    for path in [ROOT / "trainer/__init__.py", *sorted((ROOT / "specgen").rglob("__init__.py"))]
    if path.parent.name not in REGISTRIES and path.parent.name not in ("specgen", "kinds")
]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: str(path.name))
def test_every_module_is_named(package: Path) -> None:
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text("utf-8"))) or ""
    folders = [path.parent.name for path in package.glob("*/__init__.py")]
    names = sorted([path.stem for path in package.glob("*.py")] + folders)
    members = MEMBERS.get(package.name, ())
    free = [*members, *(name for name in names if name.startswith(tuple(f"{one}_" for one in members)))]
    assert [name for name in names if not name.startswith("_") and f"``{name}``" not in text and name not in free] == []
