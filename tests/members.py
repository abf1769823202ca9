"""Which parts of what joins by lying in a folder are absent, each in a sentence that names the file that is to come.

Everything is read from the files of a checkout, nothing is imported: what is half there can be told too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

# The words of an operator's folder besides its kinds; what becomes of a job is asked of those that create pods.
OPERATOR = {
    "facts": "its releases, and what it calls things",
    "pods": "what it creates",
    "refusals": "what its webhook and its events refuse",
    "lifecycle": "what becomes of a job",
    "updates": "what an update does to a job that is there",
}
# (folder, word) → why it is not there.
WITHOUT = {
    ("trainer", "lifecycle"): "it is that of the JobSet that it makes",
}
# Where a module of specgen is imported from; to parse all modules takes a hundred times as long.
_IMPORT = re.compile(r"^ *from (specgen\.[\w.]+) import ", re.MULTILINE)
# Models of profile/pod.py whose words are handed on as they stand.
AS_THEY_STAND = ("PodFields", "HostAlias", "Toleration")


def missing(root: Path) -> list[str]:
    """All that is missing in a checkout."""
    return [*rules(root), *kinds(root), *words(root), *verbs(root), *formats(root), *modules(root)]


@cache
def _parsed(text: str) -> ast.Module:
    return ast.parse(text)


def _tree(path: Path) -> ast.Module:
    return _parsed(path.read_text("utf-8"))


def _members(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.py") if not path.stem.startswith("_"))


def _assigned(path: Path) -> set[str]:
    """Names that a module gives a value or a body at its top level."""
    found: set[str] = set()
    for node in _tree(path).body:
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign):
            targets = [node.target]
        found |= {one.id for one in targets if isinstance(one, ast.Name)}
        found |= {node.name} if isinstance(node, ast.FunctionDef) else set()
    return found


def rules(root: Path) -> Iterator[str]:
    """A rule has its module, a file that it finds, and one that it does not."""
    names, fixtures = _members(root / "specgen/rules"), root / "tests/rules"
    for name in names:
        for file in ("bad.yaml", "good.yaml"):
            if not (fixtures / name / file).is_file():
                yield f"specgen/rules/{name}.py has no tests/rules/{name}/{file}"
    for folder in sorted(path.parent.name for path in fixtures.glob("[!_]*/*.yaml")):
        if folder not in names:
            yield f"tests/rules/{folder} holds the files of a rule, and there is no specgen/rules/{folder}.py"


def kinds(root: Path) -> Iterator[str]:
    """A kind has its reader, its schema, and an operator with the six words."""
    described = _said(*(root / "specgen/generate/kinds").glob("*.py"))
    for folder in sorted({path.parent for path in (root / "specgen/operators").glob("*/*.py")}):
        readers = {name: kind for name in _members(folder) for kind in _kind_of(folder / f"{name}.py")}
        for name, kind in readers.items():
            if kind not in described:
                reader = f"specgen/operators/{folder.name}/{name}.py"
                yield f"{reader} reads {kind}, and no module of specgen/generate/kinds describes it"
        if not (folder / "__init__.py").is_file():
            yield f"specgen/operators/{folder.name} has no __init__.py: which operator it is, and what lies there"
        if not readers and folder.name != "kubernetes":
            yield f"specgen/operators/{folder.name} has no module with a READER: a kind that it takes"
        for word, about in OPERATOR.items() if readers else ():
            if not (folder / f"{word}.py").is_file() and (folder.name, word) not in WITHOUT:
                yield f"specgen/operators/{folder.name} has no {word}.py: {about}"
    for path in sorted((root / "specgen/generate/kinds").glob("[!_]*.py")):
        for part in {"KINDS", "PODS"} - _assigned(path):
            yield f"specgen/generate/kinds/{path.name} has no `{part}`"


def _kind_of(path: Path) -> Iterator[str]:
    """The kind that a module reads: the second argument of its Reader."""
    for node in _tree(path).body:
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Call)
            and "READER" in ast.unparse(node.targets[0])
        ):
            kind = node.value.args[1]
            if isinstance(kind, ast.Constant):
                yield str(kind.value)


def _said(*paths: Path) -> set[str]:
    """Every text and every attribute that modules name."""
    return {word for path in paths for word in _named(path.read_text("utf-8"))}


@cache
def _named(text: str) -> set[str]:
    nodes = list(ast.walk(_parsed(text)))
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return texts | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def words(root: Path) -> Iterator[str]:
    """A word for pods is read by what plans or writes them."""
    read = _said(*(path for name in ("plan", "lower", "gangs") for path in (root / "specgen" / name).rglob("*.py")))
    for model in _tree(root / "specgen/profile/pod.py").body:
        if not isinstance(model, ast.ClassDef) or model.name in AS_THEY_STAND:
            continue
        for field in model.body:
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and field.target.id not in read:
                word = f"specgen/profile/pod.py has the word `{field.target.id}` in {model.name}"
                yield f"{word}, and no module of specgen/plan and specgen/lower reads it"


def verbs(root: Path) -> Iterator[str]:
    """A verb has its module, its word in ``main.VERBS``, and a script that calls it."""
    cli = root / "specgen/cli"
    listed = next(
        ast.literal_eval(node.value)
        for node in _tree(cli / "main.py").body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "VERBS"
    )
    there = [name for name in _members(cli) if {"add", "run"} <= _assigned(cli / f"{name}.py")]
    scripts = "".join(path.read_text("utf-8") for path in sorted((root / "tests/cli/scripts").glob("*.txt")))
    for verb in there:
        if verb not in listed:
            yield f"specgen/cli/{verb}.py is a verb, and `VERBS` of specgen/cli/main.py does not name it"
    for verb in listed:
        if verb not in there:
            needed = f"specgen/cli/{verb}.py with `add` and `run`"
            yield f"`VERBS` of specgen/cli/main.py names `{verb}`, and there is no {needed}"
        if f"$ specgen {verb} " not in scripts and f"$ specgen {verb}\n" not in scripts:
            yield f"no script calls `specgen {verb}`: write tests/cli/scripts/{verb}.txt"


def formats(root: Path) -> Iterator[str]:
    """A format has its module and what it prints of the report that all print."""
    names = _members(root / "specgen/diagnostics/render")
    texts = sorted(path.stem for path in (root / "tests/diagnostics/formats").glob("*.txt"))
    for name in names:
        if name not in texts:
            yield f"specgen/diagnostics/render/{name}.py has no tests/diagnostics/formats/{name}.txt: what it prints"
    for name in texts:
        if name not in names:
            yield f"tests/diagnostics/formats/{name}.txt is of no specgen/diagnostics/render/{name}.py"


def modules(root: Path) -> Iterator[str]:
    """What is imported from specgen is there, in functions and for types too."""
    for path in sorted((root / "specgen").rglob("*.py")):
        for name in _imported(path.read_text("utf-8")):
            file = name.replace(".", "/")
            if not (root / f"{file}.py").is_file() and not (root / file / "__init__.py").is_file():
                yield f"{path.relative_to(root).as_posix()} needs {file}.py, which is not there"


def _imported(text: str) -> list[str]:
    return list(dict.fromkeys(_IMPORT.findall(text)))
