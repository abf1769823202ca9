"""Which module is whose kind: the folders ``operators`` and ``lower`` as tables, so that a start lists no directory."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
_HEAD = '"""{about}; written by ``python -m specgen.generate``."""\n\nfrom __future__ import annotations\n\n'


def _assigned(path: Path, name: str) -> bool:
    """Whether a module gives a name a value at its top level."""
    for node in ast.parse(path.read_text("utf-8")).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return True
    return False


def readers() -> dict[tuple[str, str], str]:
    """(apiVersion, kind) → module below ``specgen.operators``; ValueError where two modules read one kind."""
    found: dict[tuple[str, str], str] = {}
    for path in sorted(PACKAGE.glob("operators/*/*.py")):
        if _assigned(path, "READER"):
            name = f"{path.parent.name}.{path.stem}"
            reader = import_module(f"specgen.operators.{name}").READER
            key = (reader.api_version, reader.kind)
            if key in found:
                raise ValueError(f"{found[key]} and {name} both read {' '.join(key)}")
            found[key] = name
    return dict(sorted(found.items()))


def targets() -> dict[str, tuple[str, ...]]:
    """Kind → modules below ``specgen.lower`` that compile to it, by version."""
    found: dict[str, tuple[str, ...]] = {}
    for path in sorted([*PACKAGE.glob("lower/*.py"), *PACKAGE.glob("lower/*/__init__.py")]):
        name = path.parent.name if path.name == "__init__.py" else path.stem
        if path != PACKAGE / "lower/__init__.py" and _assigned(path, "PLAN"):
            kind = import_module(f"specgen.lower.{name}").READER.kind
            found[kind] = (*found.get(kind, ()), name)
    return dict(sorted(found.items()))


def _quoted(words: tuple[str, ...]) -> str:
    return "(" + ", ".join(f'"{word}"' for word in words) + ("," if len(words) == 1 else "") + ")"


def generate() -> dict[str, str]:
    """Path relative to the repository root → text."""
    kinds = "".join(f'    {_quoted(key)}: "{name}",\n' for key, name in readers().items())
    lowered = "".join(f'    "{kind}": {_quoted(names)},\n' for kind, names in targets().items())
    return {
        "specgen/operators/index.py": _HEAD.format(about="(apiVersion, kind) → the module that reads it")
        + f"KINDS: dict[tuple[str, str], str] = {{\n{kinds}}}\n",
        "specgen/lower/index.py": _HEAD.format(about="Kind → the modules that compile to it, by version")
        + f"TARGETS: dict[str, tuple[str, ...]] = {{\n{lowered}}}\n",
    }
