"""The record tables: for each pydantic model, how its attributes read a mapping. See `specgen.schema.record`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from pydantic.fields import FieldInfo

from specgen.profile.job import BaseProfile, JobProfile, JobWords, Layer
from specgen.profile.pod import Role
from specgen.profile.words import Words
from specgen.schema.record import EMPTY

Entry = tuple[str, Any, str, str | None]


def quoted(*texts: str) -> str:
    """Texts as Python writes them, in double quotes, with commas between."""
    return ", ".join(json.dumps(text) for text in texts)


def records(roots: Iterable[type[Words]]) -> dict[str, dict[str, Entry]]:
    """Model → attribute → (key, default, kind, model below), for the roots and all models below them."""
    found: dict[str, dict[str, Entry]] = {}
    pending = list(roots)
    while pending:
        cls = pending.pop(0)
        if cls.__name__ in found:
            continue
        hints = get_type_hints(cls, include_extras=True)
        entries = found[cls.__name__] = {}
        for name, field in cls.model_fields.items():
            kind, below = _kind(hints[name])
            entries[name] = (field.alias or name, _default(field), kind, below.__name__ if below else None)
            if below:
                pending.append(below)
    return found


def records_text(roots: Iterable[type[Words]]) -> str:
    """The same as Python text."""
    lines = ["RECORDS: dict[str, dict[str, Any]] = {\n"]
    for model, entries in records(roots).items():
        lines.append(f"    {quoted(model)}: {{\n")
        for name, (key, default, kind, below) in entries.items():
            shown = "EMPTY" if default is EMPTY else quoted(default) if isinstance(default, str) else repr(default)
            ref = quoted(below) if below else None
            lines.append(f"        {quoted(name)}: ({quoted(key)}, {shown}, {quoted(kind)}, {ref}),\n")
        lines.append("    },\n")
    return "".join([*lines, "}\n"])


def words_text() -> str:
    """What the language says of its own words, as Python text: which go on to roles, and which stay with a profile."""
    of_role = _keys(Role, without=("pods",))
    return (
        "# Words of pods: what a role inherits from the top level.\n"
        f"INHERITED = {_tuple(of_role)}\n"
        "# What a profile keeps to itself when another one extends it, by its kind.\n"
        f'ENVELOPE = {{\n    "Job": {_tuple(_keys(JobProfile, without=_keys(JobWords)))},\n'
        f'    "Base": {_tuple(_keys(BaseProfile, without=_keys(Layer)))},\n}}\n'
    )


def _keys(model: type[Words], without: Iterable[str] = ()) -> list[str]:
    """The fields of a model as they stand in YAML."""
    return [key for name, field in model.model_fields.items() if (key := field.alias or name) not in without]


def _tuple(words: Iterable[str]) -> str:
    return "(" + ", ".join(quoted(word) for word in words) + ")"


def _default(field: FieldInfo) -> Any:
    if field.is_required():
        return None
    if field.default_factory is None:
        return field.default
    default = field.default_factory()  # type: ignore[call-arg]
    if isinstance(default, Words):
        return EMPTY
    if default not in ([], {}):
        raise TypeError(f"a default that has no record: {default!r}")
    return () if default == [] else {}


def _kind(annotation: Any) -> tuple[str, type[Words] | None]:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _kind(arguments[0])
    if origin in (Union, UnionType):
        below = [found for found in map(_kind, arguments) if found[1] is not None]
        if len(below) > 1:
            raise TypeError(f"two models in one field: {annotation}")
        return below[0] if below else ("plain", None)
    if isinstance(annotation, type) and issubclass(annotation, Words):
        return "record", annotation
    container = {list: "records", dict: "map"}.get(origin) if origin else None
    if container is not None:
        kind, model = _kind(arguments[-1])
        if model is not None:
            if (container, kind) == ("map", "map"):
                return "maps", model
            if kind != "record":
                raise TypeError(f"models too deep in one field: {annotation}")
            return container, model
    return "plain", None
