"""What a patch makes of plain data, and which operations get in each other's way."""

from __future__ import annotations

from specgen.diagnostics.operations import Append, Move, Remove, Rename, ReplaceText, Set, Wrap
from specgen.document.layout import Unclear, spelt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from specgen.diagnostics.operations import Operation
    from specgen.source import Path


def same(one: Any, other: Any) -> bool:
    """Whether two trees are equal, types included: 1, 1.0 and true are three values."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def distinct(patch: Sequence[Operation]) -> list[Operation]:
    """The operations of a patch, equal ones once. Raises Unclear where the outcome would depend on their order."""
    kept: list[Operation] = []
    for operation in patch:
        if isinstance(operation, Append) or not any(_equal(operation, other) for other in kept):
            kept.append(operation)
    whole: dict[Path, Operation] = {}
    for operation in kept:
        if isinstance(operation, (Set, Remove, Move)):
            _claim(whole, operation.path, operation)
    taken: dict[Path, Operation] = {}
    for operation in kept:
        path = operation.path
        if isinstance(operation, Move):
            if operation.to[: len(path)] == path and operation.to != path:
                raise Unclear(f"`{spelt(path)}` cannot move into itself")
            if operation.to == path:
                raise Unclear(f"`{spelt(path)}` stands there already")
            if any(operation.to[:cut] in whole for cut in range(len(operation.to) + 1)):
                raise Unclear(f"two operations meet at `{spelt(operation.to)}`")
            _claim(taken, operation.to, operation)
        elif isinstance(operation, (Rename, Wrap)):
            _claim(taken, (*path[:-1], operation.key), operation)
            if (*path[:-1], operation.key) in whole or isinstance(whole.get(path), (Remove, Move)):
                raise Unclear(f"two operations meet at `{spelt(path)}`")
        elif not isinstance(operation, (Set, Remove)) and path in whole:
            raise Unclear(f"two operations meet at `{spelt(path)}`")
        if any(path[:cut] in whole for cut in range(len(path))):
            raise Unclear(f"two operations meet at `{spelt(path)}`")
    names = [operation.path for operation in kept if isinstance(operation, (Rename, Wrap))]
    if len(set(names)) < len(names):
        raise Unclear("one key is renamed to two names")
    return kept


def _claim(claims: dict[Path, Operation], path: Path, operation: Operation) -> None:
    if path in claims:
        raise Unclear(f"two operations meet at `{spelt(path)}`")
    claims[path] = operation


def _equal(one: Operation, other: Operation) -> bool:
    return type(one) is type(other) and all(same(getattr(one, name), getattr(other, name)) for name in one.__slots__)


class _Node:
    """The operations at a path, and the nodes below it."""

    __slots__ = ("below", "here", "to")

    def __init__(self) -> None:
        self.below: dict[str | int, _Node] = {}
        self.here: list[Operation] = []
        # what moves to a place below: (its new step, the operation)
        self.to: list[tuple[str | int, Set | Append | Move]] = []

    def at(self, path: Path) -> _Node:
        node = self
        for step in path:
            node = node.below.setdefault(step, _Node())
        return node


def changed(data: Any, patch: Sequence[Operation]) -> Any:
    """The tree with the patch in it. Raises Unclear where an operation does not fit the tree."""
    root = _Node()
    for operation in patch:
        if not operation.path:
            raise Unclear("a document is not changed as a whole")
        if isinstance(operation, (Set, Append)) and not _plain(operation.value):
            raise Unclear("a value is no plain data")
        found, step = at(data, operation.path[:-1]), operation.path[-1]
        if isinstance(operation, Set) and isinstance(step, str) and isinstance(found, dict) and step not in found:
            root.at(operation.path[:-1]).to.append((step, operation))
            continue
        value = at(data, operation.path)
        if isinstance(operation, Move) and begins_list(data, operation):
            *above, key, _ = operation.to
            root.at(tuple(above)).to.append((key, Set((*above, key), [value])))
        elif isinstance(operation, Move):
            _fits(data, operation, patch)
            root.at(operation.to[:-1]).to.append((operation.to[-1], operation))
        elif isinstance(operation, Append):
            if not isinstance(value, list):
                raise Unclear(f"`{spelt(operation.path)}` is no list")
            root.at(operation.path).to.append((len(value), operation))
            continue
        elif isinstance(operation, (Rename, Wrap)):
            if not isinstance(found, dict):
                raise Unclear(f"`{spelt(operation.path)}` is no key")
            if operation.key in found:
                raise Unclear(f"there is `{spelt((*operation.path[:-1], operation.key))}` already")
        elif isinstance(operation, ReplaceText) and not _once(value, operation.old):
            raise Unclear(f"`{spelt(operation.path)}` does not hold this text exactly once")
        root.at(operation.path).here.append(operation)
    return _rebuilt(data, root, data)


def _plain(value: Any) -> bool:
    """Whether a value is one that a document can hold."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and _plain(item) for key, item in value.items())
    if isinstance(value, list):
        return all(map(_plain, value))
    if isinstance(value, float):
        return value - value == 0
    return value is None or isinstance(value, (str, int))


def _once(value: Any, part: str) -> bool:
    return isinstance(value, str) and bool(part) and value.find(part) == value.rfind(part) >= 0


def begins_list(data: Any, move: Move) -> bool:
    """Whether what moves becomes the first item of a list that is not there yet."""
    if len(move.to) < 2 or type(move.to[-1]) is not int or move.to[-1] or not isinstance(move.to[-2], str):
        return False
    holder = at(data, move.to[:-2])
    return isinstance(holder, dict) and move.to[-2] not in holder


def _fits(data: Any, move: Move, patch: Sequence[Operation]) -> None:
    if not move.to:
        raise Unclear(f"`{spelt(move.path)}` cannot become the document")
    holder, step = at(data, move.to[:-1]), move.to[-1]
    if isinstance(holder, dict) and isinstance(step, str):
        if step in holder:
            raise Unclear(f"there is `{spelt(move.to)}` already")
        return
    if not isinstance(holder, list) or isinstance(step, str):
        raise Unclear(f"`{spelt(move.to)}` is no place to move to")
    before = 0
    for other in patch:
        if other is move:
            break
        before += isinstance(other, Append) and other.path == move.to[:-1]
        before += isinstance(other, Move) and other.to[:-1] == move.to[:-1]
    if step != len(holder) + before:
        raise Unclear(f"`{spelt(move.to)}` is not behind the last item")


def at(data: Any, path: Path) -> Any:
    """The value at a path. Raises Unclear where there is none."""
    for number, step in enumerate(path):
        known = isinstance(step, str) and step in data if isinstance(data, dict) else False
        if isinstance(data, list):
            known = type(step) is int and 0 <= step < len(data)
        if not known:
            raise Unclear(f"there is no `{spelt(path[: number + 1])}`")
        data = data[step]
    return data


def replaced(text: str, pairs: Sequence[ReplaceText]) -> str:
    """A text with parts of it replaced; each part stands there once, and no two overlap."""
    spans = sorted((text.index(pair.old), pair.old, pair.new) for pair in pairs)
    out, end = "", 0
    for start, old, new in spans:
        if start < end:
            raise Unclear("two replacements overlap")
        out += text[end:start] + new
        end = start + len(old)
    return out + text[end:]


def _rebuilt(value: Any, node: _Node, data: Any) -> Any:
    for operation in node.here:
        if isinstance(operation, Set):
            return operation.value
    texts = [operation for operation in node.here if isinstance(operation, ReplaceText)]
    if texts:
        return replaced(value, texts)
    new = [(step, at(data, one.path) if isinstance(one, Move) else one.value) for step, one in node.to]
    if isinstance(value, dict):
        tree = {}
        for key, child in value.items():
            below = node.below.get(key)
            if below is None:
                tree[key] = child
            elif not _leaves(below):
                named = next((one for one in below.here if isinstance(one, (Rename, Wrap))), None)
                rebuilt = _rebuilt(child, below, data)
                tree[key if named is None else named.key] = {key: rebuilt} if isinstance(named, Wrap) else rebuilt
        tree.update(new)
        return tree
    if isinstance(value, list):
        nodes = [node.below.get(index) for index in range(len(value))]
        items = [
            item if below is None else _rebuilt(item, below, data)
            for item, below in zip(value, nodes, strict=True)
            if below is None or not _leaves(below)
        ]
        return items + [item for _, item in new]
    return value


def _leaves(node: _Node) -> bool:
    return any(isinstance(operation, (Remove, Move)) for operation in node.here)
