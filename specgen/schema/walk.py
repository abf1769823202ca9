"""The way from a path in a document to the part of the schema that speaks of it."""

from __future__ import annotations

from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.source import Path

    Schema = dict[str, Any]


class Walk:
    """A schema in the notation of our generators: alternatives differ by JSON type, references are local."""

    __slots__ = ("definitions", "root", "schema")

    def __init__(self, schema: Schema, definition: str | None) -> None:
        self.schema = schema
        self.definitions: dict[str, Schema] = schema.get("definitions", {})
        self.root: Schema = schema if definition is None else self.definitions[definition]

    def alternatives(self, schema: Schema) -> list[Schema]:
        """A schema as schemas of one JSON type each; definitions get a title to be named by."""
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            titled = {"title": _title(name.removeprefix("Nullable")), **self.definitions[name]}
            return self.alternatives(titled)
        if "anyOf" in schema:
            return [one for option in schema["anyOf"] for one in self.alternatives(option)]
        kinds = schema.get("type")
        return [{**schema, "type": kind} for kind in kinds] if isinstance(kinds, list) else [schema]

    def field(self, data: Any, path: Path) -> Schema:
        """The schema of the value at a path, with all its alternatives."""
        if not path:
            return self.root
        holder, _ = self.chain(data, path[:-1])[-1]
        return _below(holder, path[-1])

    def chain(self, data: Any, path: Path) -> list[tuple[Schema, Any]]:
        """For each step down a path the schema of the value there, of the value's own type, and the value."""
        chain = [(self._of_type(self.root, data), data)]
        for step in path:
            schema, value = chain[-1]
            value = value[step]
            chain.append((self._of_type(_below(schema, step), value), value))
        return chain

    def _of_type(self, schema: Schema, value: Any) -> Schema:
        kind = "object" if isinstance(value, dict) else "array" if isinstance(value, list) else None
        return next((one for one in self.alternatives(schema) if kind and one.get("type") == kind), {})

    def mappings(self, schema: Schema) -> Iterator[tuple[str, Schema]]:
        """The fields of a mapping that hold mappings with fields of their own."""
        for name, below in schema.get("properties", {}).items():
            for one in self.alternatives(below):
                if one.get("type") == "object" and "properties" in one and "x-specgen-variables" not in one:
                    yield name, one

    def resolve(self, schema: Schema, dotted: str) -> str | None:
        """A dotted path of fields where it leads somewhere from here, else its last name where that does."""
        for names in (dotted.split("."), dotted.split(".")[-1:]):
            at: Schema | None = schema
            for name in names:
                below = at.get("properties", {}).get(name) if at else None
                if below is None:
                    break
                at = next((one for one in self.alternatives(below) if one.get("type") == "object"), None)
            else:
                return ".".join(names)
        return None

    def fits(self, value: Any, alternatives: list[Schema]) -> bool:
        """Whether a scalar would be valid."""
        from specgen.schema.library import is_valid

        return any(is_valid(self.schema, schema, value) for schema in alternatives)


def _below(schema: Schema, step: str | int) -> Schema:
    """A part of the schema itself, which is known by its identity."""
    if isinstance(step, int):
        items: Schema = schema.get("items", _ANY)
        return items
    below = schema.get("properties", {}).get(step, schema.get("additionalProperties"))
    return below if isinstance(below, dict) else _ANY


_ANY: Schema = {}


@cache
def _title(name: str) -> str:
    """``PodSpec`` → ``pod spec``, ``HTTPGetAction`` → ``HTTP get action``, ``PyTorchJobSpec`` → ``PyTorchJob spec``."""
    out = ""
    for at, letter in enumerate(name):
        after, before = name[at + 1 : at + 2], name[at - 1 : at]
        if letter.isupper() and (before.islower() or after.islower()) and at:
            out += " "
        in_acronym = after.isupper() or (before.isupper() and not after)
        out += letter if in_acronym else letter.lower()
    return out.replace("py torch job", "PyTorchJob")
