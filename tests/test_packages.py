"""A package's docstring is its map: every public module that lies in the package is named there."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# Folders that are registries: whatever lies there takes part, and a list of it would fall behind.
REGISTRIES = ("gangs", "lower", "rules", "tables")
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
    assert [name for name in names if not name.startswith("_") and f"``{name}``" not in text] == []
