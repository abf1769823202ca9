"""The shape of an object of a known kind: the vendored schema, and list keys that the API server holds unique."""

from __future__ import annotations

from specgen.manifest.merge import KEYS
from specgen.schema import codes as schema_codes
from specgen.schema.accept import accepts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.source import Path

_DEFAULTS = {"protocol": "TCP"}
# Schema → the root of its table.
_roots: dict[str, Any] = {}


def shape(
    schema: str,
    tree: Any,
    text: Callable[[Path], str | None] | None = None,
    *,
    unique: Sequence[str] | None = None,
) -> list[Finding]:
    """Findings of a tree against the schema of its kind. ``text``: the plain text of a scalar, for better remedies.

    ``unique``: the lists whose keys the kind's CRD holds unique; None: all of ``merge.KEYS``.
    """
    findings: list[Finding] = []
    lists: list[tuple[str, list[Any]]] = []
    free: list[Any] = []
    accepted = accepts(_root(schema), tree, lists, free)
    if not accepted:
        from specgen.manifest.misplaced import misplaced
        from specgen.schema.files import load
        from specgen.schema.judge import judge
        from specgen.schema.wording import MANIFEST

        whole = load(file_of(schema))
        findings = misplaced(whole, tree, judge(whole, None, tree, wording=MANIFEST, text=text))
    keyed = KEYS if unique is None else {name: KEYS[name] for name in unique if name in KEYS}
    repeats = _repeats(lists, free, keyed) if accepted else _repeats([], [tree], keyed)
    return findings + (_duplicates(tree, (), keyed) if repeats else [])


def fits(schema: str, tree: Any) -> bool:
    """Whether nothing at all would be found."""
    lists: list[tuple[str, list[Any]]] = []
    free: list[Any] = []
    accepted = accepts(_root(schema), tree, lists, free)
    return accepted and not (_repeats(lists, free, KEYS) and _duplicates(tree, (), KEYS))


def _root(schema: str) -> Any:
    if schema not in _roots:
        from specgen.modules import import_module

        _roots[schema] = import_module(f"specgen.tables.{schema}").ROOT
    return _roots[schema]


def file_of(schema: str) -> str:
    """The file under ``schemas/`` of a module of ``specgen.tables``: its name is found in one group only."""
    import os

    from specgen.schema.files import FOLDERS

    for folder in FOLDERS:
        groups = os.path.join(folder, "k8s")
        for group in sorted(os.listdir(groups)) if os.path.isdir(groups) else ():
            if os.path.isfile(os.path.join(groups, group, schema + ".json")):
                return f"k8s/{group}/{schema}.json"
    raise FileNotFoundError(f"the installation of specgen lacks the schema {schema}")


def _repeats(lists: list[tuple[str, list[Any]]], trees: list[Any], keyed: dict[str, tuple[str, ...]]) -> bool:
    """Whether ``_duplicates`` may find something in lists by name, or below trees: mostly the answer is no."""
    for node in trees:  # grows while it is walked
        if type(node) is list:
            trees += node
        elif type(node) is dict:
            lists += [(name, value) for name, value in node.items() if type(value) is list]
            trees += node.values()
    for name, items in lists:
        if len(items) > 1 and name in keyed:
            mappings = [item for item in items if type(item) is dict]
            if len(mappings) > 1 and _alike(mappings, keyed[name]):
                return True
    return False


def _alike(items: list[dict[str, Any]], keys: tuple[str, ...]) -> bool:
    """Whether two items are the same in all of these keys."""
    first, unsaid = keys[0], _DEFAULTS.get(keys[0])
    if len({str(item.get(first, unsaid)) for item in items}) == len(items):
        return False  # mostly the first key tells them apart
    return len({tuple([str(item.get(key, _DEFAULTS.get(key))) for key in keys]) for item in items}) < len(items)


def _duplicates(tree: Any, path: Path, keyed: dict[str, tuple[str, ...]], key: str = "") -> list[Finding]:
    """SG104: items of a list that the API server tells apart by a key, with the same key twice."""
    findings: list[Finding] = []
    if isinstance(tree, dict):
        for name, value in tree.items():
            if isinstance(value, (dict, list)):
                findings += _duplicates(value, (*path, name), keyed, name)
    elif isinstance(tree, list):
        seen: dict[tuple[str, ...], int] = {}
        for index, item in enumerate(tree):
            if isinstance(item, dict):
                keys = keyed.get(key)
                if keys is not None and all(
                    isinstance(item.get(name, _DEFAULTS.get(name)), (str, int)) for name in keys
                ):
                    identity = tuple(str(item.get(name, _DEFAULTS.get(name))) for name in keys)
                    if identity in seen:
                        findings.append(_twice(tree, path, keys, seen[identity], index))
                    seen.setdefault(identity, index)
                findings += _duplicates(item, (*path, index), keyed)
    return findings


def _twice(items: list[Any], path: Path, keys: tuple[str, ...], first: int, second: int) -> Finding:
    from specgen.diagnostics.model import SAFE, UNSAFE, Fix, Place
    from specgen.diagnostics.operations import Remove

    message = f"two items of `{path[-1]}` have the {keys[0]} `{items[second].get(keys[0], _DEFAULTS.get(keys[0]))}`"
    fix = None
    if items[first] == items[second]:
        fix = Fix("remove the second, which says the same", SAFE, [Remove((*path, second))])
    elif path[-1] == "env":
        # core/v1 EnvVar: of equal names the last takes effect, where a list is not told apart by them
        fix = Fix("remove the first: of two equal names the last counts", UNSAFE, [Remove((*path, first))])
    return schema_codes.WRONG_VALUE.at(
        Place((*path, second, keys[0])),
        message,
        label="second",
        related=[(Place((*path, first, keys[0])), "first")],
        notes=["the API server tells the items of this list apart by that key and refuses the job"],
        fix=fix,
    )
