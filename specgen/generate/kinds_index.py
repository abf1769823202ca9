"""Which module is whose kind: the folders ``operators``, ``lower`` and ``install`` as tables.

A start lists no directory, and the language of profiles names kinds and operators that stand on higher floors than it
does. Everywhere the order is that of apiVersion and kind.
"""

from __future__ import annotations

import ast
from functools import cache
from importlib import import_module
from pathlib import Path

from specgen.document.read import read
from specgen.manifest.model import Manifest
from specgen.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

PACKAGE = Path(__file__).parents[1]
_HEAD = '"""{about}; written by ``python -m specgen.generate``."""\n\nfrom __future__ import annotations\n\n'
_WORDS = '''\
from typing import Literal

from pydantic import Field

from specgen.profile.operator import Operator
from specgen.profile.words import Words

Kind = Literal[
{kinds}]
KindVersion = Literal[
{versions}]


class Operators(Words):
    """Installed operators."""

'''


@cache
def _names(path: Path) -> set[str]:
    """What a module gives a value or a body at its top level: twenty tables ask."""
    found = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        found |= {target.id for target in targets if isinstance(target, ast.Name)}
        found |= {node.name} if isinstance(node, ast.FunctionDef) else set()
    return found


def _part(module: ModuleType, name: str, needs: str) -> Any:
    """A part that a module must have; ValueError with its file where it has none."""
    if not hasattr(module, name):
        file = Path(module.__file__ or "").relative_to(PACKAGE.parent).as_posix()
        raise ValueError(f"{file} has no `{name}`: {needs}")
    return getattr(module, name)


def readers() -> dict[tuple[str, str], str]:
    """(apiVersion, kind) → module below ``specgen.operators``; ValueError where two modules read one kind."""
    found: dict[tuple[str, str], str] = {}
    for path in sorted(PACKAGE.glob("operators/*/*.py")):
        if "READER" in _names(path):
            name = f"{path.parent.name}.{path.stem}"
            reader = import_module(f"specgen.operators.{name}").READER
            key = (reader.api_version, reader.kind)
            if key in found:
                raise ValueError(f"{found[key]} and {name} both read {' '.join(key)}")
            found[key] = name
    return dict(sorted(found.items()))


def roled() -> list[str]:
    """Kinds whose roles stand in the job itself: their readers know what the operator asks of each."""
    (document,), _ = read(Source("", "{}"))
    found = set()
    for (api_version, kind), name in readers().items():
        manifest = Manifest({"apiVersion": api_version, "kind": kind}, document)
        workload = import_module(f"specgen.operators.{name}").READER.read(manifest)
        found |= {kind} if workload.terms is not None else set()
    return sorted(found)


def _lowerings() -> dict[str, list[ModuleType]]:
    """Kind → modules that compile to it, by version; ValueError where one has a part and lacks another."""
    found: dict[str, list[ModuleType]] = {}
    for path in sorted([*PACKAGE.glob("lower/*.py"), *PACKAGE.glob("lower/*/__init__.py")]):
        name = path.parent.name if path.name == "__init__.py" else path.stem
        if path != PACKAGE / "lower/__init__.py" and _names(path) & {"PLAN", "lower"}:
            module = import_module(f"specgen.lower.{name}")
            _part(module, "PLAN", "what the planner must know of the kind")
            _part(module, "lower", "the plan as a manifest")
            _part(module, "READER", "the kind as its operator reads it, imported from `operators`")
            found.setdefault(module.PLAN.name, []).append(module)
    return dict(sorted(found.items()))


def targets() -> dict[str, tuple[str, ...]]:
    """Kind → modules below ``specgen.lower`` that compile to it, by version."""
    return {kind: tuple(one.__name__.split(".")[-1] for one in modules) for kind, modules in _lowerings().items()}


def installers() -> dict[str, ModuleType]:
    """Operator → the module that says how it is installed; ValueError where it is nobody's or nobody reads its jobs."""
    served = [import_module(f"specgen.operators.{name}").READER.operator for name in readers().values()]
    lowered = [
        module.PLAN.operator
        for modules in _lowerings().values()
        for module in modules
        if module.READER.operator.manifests is not None  # else nobody installs it from here
    ]
    found: dict[str, tuple[int, ModuleType]] = {}
    for path in sorted(PACKAGE.glob("install/*.py")):
        if "flags" in _names(path):
            module = import_module(f"specgen.install.{path.stem}")
            operator = _part(module, "OPERATOR", "its table of releases, imported from `operators`")
            if operator not in served:
                raise ValueError(f"specgen/install/{path.name}: no module of specgen/operators reads its jobs")
            if operator.name not in lowered:
                raise ValueError(f"specgen/install/{path.name}: no module of specgen/lower compiles to its jobs")
            found[operator.name] = (served.index(operator), module)
    for name in lowered:
        if name not in found:
            raise ValueError(f"specgen/install has no module for the {name}, whose jobs specgen/lower compiles to")
    return {name: module for name, (_, module) in sorted(found.items(), key=lambda one: one[1][0])}


def _quoted(words: tuple[str, ...]) -> str:
    return "(" + ", ".join(f'"{word}"' for word in words) + ("," if len(words) == 1 else "") + ")"


def _language() -> str:
    """The words that kinds and operators add to profiles; an operator's sentence begins its module of ``install``."""
    newest = sorted((modules[-1].READER.api_version, kind) for kind, modules in _lowerings().items())
    served = sorted(one.READER.api_version for modules in _lowerings().values() for one in modules)
    versions = dict.fromkeys(version.partition("/")[2] for version in served)
    text = _WORDS.format(
        kinds="".join(f'    "{kind}",\n' for _, kind in newest), versions="".join(f'    "{one}",\n' for one in versions)
    )
    for name, module in installers().items():
        field = name.replace("-", "_")
        default = "None" if field == name else f'Field(default=None, alias="{name}")'
        about = str(_part(module, "__doc__", "")).partition("\n")[0]
        text += f'    {field}: Operator | None = {default}\n    """{about}"""\n'
    return text


def generate() -> dict[str, str]:
    """Path relative to the repository root → text."""
    kinds = "".join(f'    {_quoted(key)}: "{name}",\n' for key, name in readers().items())
    lowered = "".join(f'    "{kind}": {_quoted(names)},\n' for kind, names in targets().items())
    types = "".join(f"        {name},\n" for name in sorted(name for names in targets().values() for name in names))
    modules = [module.__name__.split(".")[-1] for module in installers().values()]
    return {
        "specgen/operators/index.py": _HEAD.format(about="(apiVersion, kind) → the module that reads it")
        + f"KINDS: dict[tuple[str, str], str] = {{\n{kinds}}}\n",
        "specgen/lower/index.py": _HEAD.format(about="Kind → the modules that compile to it, by version")
        + f"TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from specgen.lower import (\n{types}    )\n"
        + "    from specgen.lower.lowering import Lowering\n\n"
        + f"    MODULES: tuple[Lowering, ...] = (\n{types}    )\n\n"
        + f"TARGETS: dict[str, tuple[str, ...]] = {{\n{lowered}}}\n",
        "specgen/install/index.py": _HEAD.format(about="The operators that can be installed")
        + "from specgen.install import (\n"
        + "".join(f"    {name},\n" for name in sorted(modules))
        + ")\n\n"
        + "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from specgen.install.model import Module\n\n"
        + "MODULES: tuple[Module, ...] = (\n"
        + "".join(f"    {name},\n" for name in modules)
        + ")\n",
        "specgen/profile/index.py": _HEAD.format(about="The kinds and operators that profiles may name") + _language(),
    }
