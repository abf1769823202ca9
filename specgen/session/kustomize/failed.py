"""From what kustomize says of a tree that it refuses to the file and line that it speaks of."""

from __future__ import annotations

import re

from specgen.diagnostics.model import KEY, Place, listed, shown
from specgen.diagnostics.place import place
from specgen.recognise.codes import UNJUDGED, UNRENDERABLE
from specgen.session.kustomize.patches import identity, patches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from specgen.diagnostics.model import Diagnostic, Placer
    from specgen.session.kustomize.forest import Tree
    from specgen.session.kustomize.patches import Statement
    from specgen.source import Path

_FIELD = re.compile(r'unknown field "([^"]{1,100})"')
# An object as kustomize names it (kyaml, resid.ResId.String).
_OBJECT = re.compile(
    r"([A-Za-z]+)\.(?:[a-z0-9]+)\.(?:([a-z0-9.-]+)|\[noGrp\])/([^\s\[\]]+?)\.(?:\[noNs\]|[a-z0-9-]+)[\"; ]"
)
_UNNAMED = re.compile(r"missing metadata.name in object \{\{(\S+) (\S+?)\}")
_POINTER = re.compile(r"(/[^\s\"':]+)")
# The configuration of a part of kustomize, or a patch, in full: whoever reads this has it in a file.
_QUOTED = re.compile(r" with config: `[^`]*`|\[patch: \"(?:[^\"\\]|\\.)*\"\]")
# What asks for more than rendering.
_PLUGINS = ("external plugins disabled", "enable-helm", "enable-alpha-plugins", "enable-exec")
# How kustomize comes to what is the matter, and what else it tried (api/internal/target, kusttarget.go of 5.8).
_ON_THE_WAY = re.compile(r"^.*(?:accumulating|merging) resources from '[^']*': |'[^']*' must resolve to a file': ")
_ELSE = re.compile(r"'?: must build at directory: .*$")
_LONGEST = 160


def missing(tree: Tree) -> list[Diagnostic]:
    """The findings on a tree that names what is nowhere."""
    notes = [f"kustomize renders nothing of `{tree.root.folder}`"]
    return [
        place(
            UNRENDERABLE.at(path, f"there is no file and no kustomization `{shown(word)}`", notes=notes), part.document
        )
        for part in tree.parts
        for path, word in part.missing
    ]


def needs_more(error: str) -> bool:
    """Whether kustomize asks for more than rendering."""
    return any(one in error for one in _PLUGINS)


def refused(tree: Tree, error: str) -> Diagnostic:
    """The finding on a tree of which kustomize says so; ``error`` names files as the tree does."""
    root = tree.root
    said = " ".join(_QUOTED.sub("", error).split())
    where, at = _where(tree, said) or (root.document, Place(()))
    return place(UNRENDERABLE.at(at, f"kustomize refuses `{root.folder}`: {_short(said)}"), where)


def unjudged(folders: list[str], where: Placer, at: Place, reason: str) -> Diagnostic:
    """The note on trees that are not rendered, by their folders."""
    are = "is" if len(folders) == 1 else "are"
    helps = [f"check what comes out: `kubectl kustomize {folders[0]} | specgen lint -`"]
    return place(UNJUDGED.at(at, f"{listed(folders)} {are} not rendered, and not judged: {reason}", helps=helps), where)


def _short(said: str) -> str:
    """What is the matter, without the way to it."""
    short = _ON_THE_WAY.sub("", _ELSE.sub("", said)).replace("`", "'")
    return short if len(short) <= _LONGEST else short[:_LONGEST].rpartition(" ")[0] + " …"


def _where(tree: Tree, said: str) -> tuple[Placer, Place] | None:
    """What kustomize speaks of: a field, a patch by its object or by its path, a file, an entry."""
    field = _FIELD.search(said)
    if field is not None:
        found = [part for part in tree.parts if field[1] in part.tree]
        if len(found) == 1:
            return found[0].document, Place((field[1],), KEY)
    unnamed = _UNNAMED.search(said)
    if unnamed is not None:
        lacking = [
            (one.where, Place(("metadata",), KEY))
            for text in tree.texts.values()
            for objects in text.objects
            for one in objects
            if (one.ref.api_version, one.ref.kind) == unnamed.groups() and not identity(one.tree)[2]
        ]
        if len(lacking) == 1:
            return lacking[0]
    statements = [one for part in tree.parts for patch in patches(part, tree.texts.get) for one in patch.statements]
    objects = {(one[2] or "", one[1], one[3]) for one in _OBJECT.finditer(f"{said} ")}
    pointers = {one.rstrip(";,.") for one in _POINTER.findall(said)}
    patched = [one for one in (_named(statement, objects, pointers) for statement in statements) if one is not None]
    if len(patched) == 1:
        return patched[0]
    for part in tree.parts:
        for at, item in enumerate(part.items("replicas")):
            if isinstance(item, dict) and f"resource with name {item.get('name')} does not match" in said:
                return part.document, Place(("replicas", at, "name"))
    entries = [
        (said.rfind(f"'{word}'"), part.document, path)
        for part in tree.parts
        for path, word in _entries(part.tree)
        if f"'{word}'" in said or f'path: "{word}"' in said
    ]
    if entries:
        _, where, path = max(entries, key=lambda one: one[0])
        return where, Place(path)
    return None


def _named(statement: Statement, objects: set[tuple[str, str, str]], pointers: set[str]) -> tuple[Placer, Place] | None:
    if statement.at:
        if "/" + "/".join(str(step) for step in statement.at) in pointers:
            return statement.where, Place((*statement.base[:-1], "path"))
    elif isinstance(statement.tree, dict) and identity(statement.tree) in objects:
        return statement.where, Place((*statement.base, "metadata", "name"))
    return None


def _entries(tree: dict[str, object]) -> Iterable[tuple[Path, str]]:
    """Texts in lists of a kustomization, and of paths in them."""
    for field, value in tree.items():
        for at, item in enumerate(value if isinstance(value, list) else ()):
            if isinstance(item, str):
                yield (field, at), item
            elif isinstance(item, dict) and isinstance(item.get("path"), str):
                yield (field, at, "path"), item["path"]
