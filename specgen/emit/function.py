"""What a KRM function answers: the ResourceList as text, and diagnostics as its results.

The fields of a result (``message``, ``severity``, ``resourceRef``, ``field``, ``file``, ``tags``) are those of the
functions specification (kustomize, cmd/config/docs/api-conventions/functions-spec.md).
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, NOTE
from specgen.diagnostics.operations import Refusal, Remove, Set
from specgen.document.patch import applied, patched
from specgen.document.tree import Mapping, Sequence
from specgen.document.write import write_yaml
from specgen.emit.krm import CONFIG
from specgen.manifest.model import reference
from specgen.manifest.views import mapping
from specgen.source import dotted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Sequence as Listed
    from typing import Any

    from specgen.diagnostics.model import Diagnostic
    from specgen.diagnostics.operations import Operation
    from specgen.document.tree import Document
    from specgen.source import Path

ITEM = "<items[{}]>"
"""What the text of an item is called."""
_PATHS = ("internal.config.kubernetes.io/path", "config.kubernetes.io/path")
_INDICES = ("internal.config.kubernetes.io/index", "config.kubernetes.io/index")


def written(document: Document, operations: Listed[Operation], results: list[dict[str, Any]]) -> str:
    """The ResourceList as text: as it was, comments included, but for what changes, where its text can be edited."""
    whole = list(operations)
    if results:
        whole.append(Set(("results",), results))
    elif "results" in document.data:
        whole.append(Remove(("results",)))
    text = document.source.text
    if not whole:
        return text
    edits = patched(document, whole)
    if not isinstance(edits, Refusal):
        return applied(text, [(edit.offset, edit.length, edit.text) for edit in edits])
    from specgen.document.patch import tree

    return write_yaml(tree.changed(document.data, tree.distinct(whole)))


def results(
    document: Document, diagnostics: Listed[Diagnostic], held: Callable[[str], Document | None]
) -> list[dict[str, Any]]:
    """Diagnostics as results. ``held``: items, and profiles that stand in the functionConfig, by names of texts."""
    return [_result(document, one, held) for one in diagnostics]


def _result(document: Document, one: Diagnostic, held: Callable[[str], Document | None]) -> dict[str, Any]:
    from specgen.diagnostics.summary import first_help

    help = first_help(one)
    result: dict[str, Any] = {
        "message": f"{one['message']} ({help})" if help else one["message"],
        "severity": "info" if one["severity"] == NOTE else one["severity"],
    }
    start = one["primary"]["start"]
    name = one["primary"]["file"]
    tags = {"code": one["code"], "name": one["name"]}
    if name == document.source.name:
        path = _path(document, start["offset"])
        if path[:1] == ("items",) and len(path) > 1:
            _place(result, document.data["items"][path[1]], dotted(path[2:]))
        elif path[:1] == (CONFIG,) and isinstance(document.data[CONFIG], dict):
            result["resourceRef"] = _ref(document.data[CONFIG])
            if path[1:]:
                result["field"] = {"path": dotted(path[1:])}
    elif name.startswith(ITEM.partition("{")[0]):
        said = held(name)
        path = _path(said, start["offset"]) if said is not None else ()
        number = int("".join(filter(str.isdigit, name)))
        _place(result, document.data["items"][number], one["path"] or dotted(path))
    elif (profile := held(name)) is not None:
        result["resourceRef"] = _ref(document.data[CONFIG])
        below = name.strip("<>").removeprefix(CONFIG).lstrip(".")
        inner = dotted(_path(profile, start["offset"]))
        field = f"{below}.{inner}".strip(".")
        if field:
            result["field"] = {"path": field}
    elif not name.startswith(("<", "--")):
        result["file"] = {"path": name}
        tags |= {"line": str(start["line"]), "column": str(start["column"])}
    return {**result, "tags": tags}


def _place(result: dict[str, Any], item: dict[str, Any], field: str) -> None:
    result["resourceRef"] = _ref(item)
    if field:
        result["field"] = {"path": field}
    file = _file(item)
    if file:
        result["file"] = file


def _path(document: Document, offset: int) -> Path:
    """The path of what stands at an offset of a document: the deepest entry that begins there or before it."""
    node = document.root
    path: Path = ()
    while True:
        below = _child(node, offset)
        if below is None:
            return path
        path = (*path, below[0])
        node = below[1]


def _child(node: Any, offset: int) -> tuple[str | int, Any] | None:
    found: tuple[str | int, Any] | None = None
    if isinstance(node, Mapping):
        for key, value in node.items.items():
            if node.keys[key].start <= offset:
                found = key, value
    elif isinstance(node, Sequence):
        for index, value in enumerate(node.items):
            if value.start <= offset:
                found = index, value
    return found


def _ref(tree: Any) -> dict[str, str]:
    """The ``resourceRef`` of an object; the specification has a namespace where there is one."""
    return reference(tree).as_dict() if isinstance(tree, dict) else {}


def _file(item: dict[str, Any]) -> dict[str, Any]:
    """Where an item lies, as whoever runs the function says it."""
    annotations = mapping(mapping(item.get("metadata")).get("annotations"))
    path = next((annotations[key] for key in _PATHS if isinstance(annotations.get(key), str)), None)
    if path is None:
        return {}
    index = next((str(annotations[key]) for key in _INDICES if key in annotations), "")
    return {"path": path, "index": int(index)} if index.isdecimal() else {"path": path}


def line(result: dict[str, Any]) -> str:
    """A result as people read it: ``error[SG301] jobs/a.yaml, PyTorchJob a, spec.x: message``."""
    ref, file, tags = result.get("resourceRef"), result.get("file"), result["tags"]
    parts = []
    if file is not None:
        at = f":{tags['line']}:{tags['column']}" if "line" in tags else ""
        parts.append(f"{file['path']}{at}")
    if ref:
        parts.append(f"{ref.get('kind', '')} {ref.get('name', '')}".strip())
    if "field" in result:
        parts.append(result["field"]["path"])
    where = f"{', '.join(parts)}: " if parts else ""
    return f"{result['severity']}[{tags['code']}] {where}{result['message']}"


def failed(results: Listed[dict[str, Any]]) -> bool:
    """Whether a function with these results has failed."""
    return any(result["severity"] == ERROR for result in results)
