"""Accepted data in the shape of the models, without pydantic.

A ``Record`` reads a plain mapping through the table that ``specgen.generate.tables`` made from the models: attributes
in snake_case, the models' defaults, nested records. Each model becomes a class when its first record is made, with its
defaults as class attributes, so that reading a field costs no more than an ordinary attribute. Type checkers see the
pydantic classes instead; ``tests/schema/test_record.py`` compares the two on every sample.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, TypeAlias

    from specgen.source import Path

    # attr → (key in YAML, default, kind, model of nested records)
    Fields: TypeAlias = dict[str, tuple[str, Any, str, str | None]]


class Record:
    """A read-only look at a mapping of one model. ``data`` is the mapping itself; null in it means the default."""

    _model = "Record"
    _records: ClassVar[dict[str, Fields]] = {}
    # key in YAML → (attr, kind, model of nested records)
    _keys: ClassVar[dict[str, tuple[str, str, str | None]]] = {}

    def __init__(self, data: dict[str, Any], like: Record | None = None) -> None:
        attributes = self.__dict__
        attributes["_data"] = data
        known = like.__dict__["_data"] if like is not None else {}
        keys = self._keys
        for key, value in data.items():
            if value is None or key not in keys:
                continue
            name, kind, below = keys[key]
            if below is None:
                attributes[name] = value
            elif like is not None and known.get(key) is value:
                attributes[name] = like.__dict__[name]
            else:
                attributes[name] = _nested(value, kind, below, self._records)

    def __getattr__(self, name: str) -> Any:
        # comes here once for each field whose default is an empty record: that record is kept with the class
        fields = self._records.get(self._model, {})
        if name not in fields:
            raise AttributeError(f"{self._model} has no field {name!r}")
        below = fields[name][3]
        assert below is not None
        empty = record({}, below, self._records)
        setattr(type(self), name, empty)
        return empty

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{self._model} is read-only")


EMPTY: Any = "<empty record>"

# (model, identity of its table) → its class; tables are modules' constants and live as long as this.
_classes: dict[tuple[str, int], type[Record]] = {}


def record(data: dict[str, Any], model: str, records: dict[str, Fields], like: Any = None) -> Any:
    """The mapping as a record of a model; ``records`` is the table of its module.

    ``like``: a record of the same model, whose nested records are taken over where the data is the same object.
    """
    return _class(model, records)(data, like)


def plain(value: Any) -> dict[str, Any]:
    """The mapping under a record."""
    data: dict[str, Any] = value.__dict__["_data"]
    return data


def lacking(
    data: dict[str, Any], model: str, records: dict[str, Fields], required: dict[str, tuple[str, ...]]
) -> list[tuple[Path, list[str]]]:
    """(path, keys) of the mappings of a model, at any depth, that lack what they must say; ``required``: model → keys.

    For data over which nothing is laid any more: one layer leaves out what another one says.
    """
    found: list[tuple[Path, list[str]]] = []
    pending: list[tuple[Path, dict[str, Any], str]] = [((), data, model)]
    for path, one, name in pending:  # grows while it is walked
        keys = _class(name, records)._keys
        for key, value in one.items():
            _, kind, below = keys.get(key, ("", "", None))
            if below is None or type(value) is not dict:
                continue
            inner: list[tuple[Path, Any]] = [((*path, key), value)]
            for _ in range(("record", "map", "maps").index(kind) if kind in ("record", "map", "maps") else 0):
                maps = [(at, known) for at, known in inner if type(known) is dict]
                inner = [((*at, step), child) for at, known in maps for step, child in known.items()]
            pending += [(at, child, below) for at, child in inner if type(child) is dict]
        unsaid = [key for key in required.get(name, ()) if one.get(key) is None]
        if unsaid:
            found.append((path, unsaid))
    return found


def _class(model: str, records: dict[str, Fields]) -> type[Record]:
    known = _classes.get((model, id(records)))
    if known is None:
        fields = records[model]
        members: dict[str, Any] = {name: entry[1] for name, entry in fields.items() if entry[1] is not EMPTY}
        members["_model"] = model
        members["_records"] = records
        members["_keys"] = {key: (name, kind, below) for name, (key, _, kind, below) in fields.items()}
        known = _classes[model, id(records)] = type(model, (Record,), members)
    return known


def _nested(value: Any, kind: str, model: str, records: dict[str, Fields]) -> Any:
    """Records in place of mappings; a field of several types may hold something else, which stays."""
    if kind == "record":
        return _class(model, records)(value) if type(value) is dict else value
    # a null in a map says nothing; what may be a map may be a list of its names as well
    if kind == "map" and type(value) is dict:
        return {
            key: _class(model, records)(child) if type(child) is dict else child
            for key, child in value.items()
            if child is not None
        }
    if kind == "maps":
        return {key: _nested(child, "map", model, records) for key, child in value.items() if child is not None}
    return [_class(model, records)(child) if type(child) is dict else child for child in value]
