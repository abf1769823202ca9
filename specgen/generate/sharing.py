"""Which definitions of the schemas of foreign kinds are compiled once, into a module that several tables import.

Most kinds hold the same pods. A definition is taken from a shared module where it means the same there, down to the
last definition that it refers to; texts for editors do not count.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from specgen.generate.kinds import trainer, training_operator

Schema = dict[str, Any]


@dataclass(frozen=True)
class Shared:
    """A shared module: the definitions of one schema that `roots` reach and no earlier module has."""

    module: str
    schema: str
    """Path of the schema relative to the repository root."""
    roots: tuple[str, ...]


_PODS = training_operator.PYTORCH_JOB.path

SHARED = (
    Shared("metadata", _PODS, ("ObjectMeta",)),
    Shared("claims", _PODS, ("PersistentVolumeClaimSpec",)),
    Shared("pods", _PODS, ("PodTemplateSpec",)),
    Shared("replicas", _PODS, ("ReplicaSpec", "RunPolicy")),
    Shared("metrics", _PODS, ("MetricSpec",)),
    Shared("jobsets", trainer.TRAINING_RUNTIME.path, ("JobSetSpec",)),
)
"""In the order in which they are written: a module imports from those before it."""


class Meanings:
    """What definitions mean, as digests that are equal where two definitions take the same values."""

    def __init__(self, definitions: Mapping[str, Schema], annotations: set[str]) -> None:
        self._definitions = definitions
        self._annotations = annotations
        self._digests: dict[str, str] = {}

    def of(self, name: str) -> str:
        """The digest of a definition, the same with and without null. Definitions do not contain themselves."""
        if name not in self._digests:
            definition = self._definitions[name]
            kinds = definition["type"] if isinstance(definition["type"], list) else [definition["type"]]
            plain = self._plain({**definition, "type": [kind for kind in kinds if kind != "null"]})
            self._digests[name] = hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()
        return self._digests[name]

    def _plain(self, schema: Any) -> Any:
        """A schema without texts for editors, its references replaced by what they mean."""
        if not isinstance(schema, dict):
            return schema
        if "$ref" in schema:
            name = schema["$ref"].removeprefix("#/definitions/")
            return [self._definitions[name]["type"], self.of(name)]
        plain: Schema = {}
        for keyword, value in schema.items():
            if keyword == "properties":
                plain[keyword] = {key: self._plain(below) for key, below in value.items()}
            elif isinstance(value, list):
                plain[keyword] = [self._plain(one) for one in value]
            elif keyword not in self._annotations:
                plain[keyword] = self._plain(value)
        return plain


def reached(definitions: Mapping[str, Schema], roots: tuple[str, ...]) -> list[str]:
    """Names of the definitions that the roots lead to, the roots among them, sorted."""
    found: set[str] = set()
    pending = list(roots)
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += _references(definitions[name])
    return sorted(found)


def _references(schema: Any) -> list[str]:
    if isinstance(schema, dict):
        own = [schema["$ref"].removeprefix("#/definitions/")] if isinstance(schema.get("$ref"), str) else []
        return own + [name for below in schema.values() for name in _references(below)]
    return [name for below in schema for name in _references(below)] if isinstance(schema, list) else []


def compile_all(
    schemas: Mapping[str, Schema], annotations: set[str], write: Callable[[Schema, str, dict[str, str], bool], str]
) -> dict[str, str]:
    """Module of `specgen.tables` → text, of the shared modules and of each schema.

    schemas: path → schema. write: makes the text of (schema, path, definition → module that has it, whether the text is
    that of a shared module with the definitions of the schema).
    """
    meanings = {path: Meanings(schema["definitions"], annotations) for path, schema in schemas.items()}
    homes: dict[tuple[str, str], str] = {}

    def known(path: str) -> dict[str, str]:
        names = schemas[path]["definitions"]
        places = {name: homes.get((name.removeprefix("Nullable"), meanings[path].of(name))) for name in names}
        return {name: place for name, place in places.items() if place is not None}

    texts: dict[str, str] = {}
    for one in SHARED:
        schema = schemas[one.schema]
        roots = tuple(name for root in one.roots for name in (root, f"Nullable{root}") if name in schema["definitions"])
        elsewhere = known(one.schema)
        names = [name for name in reached(schema["definitions"], roots) if name not in elsewhere]
        part = {**schema, "definitions": {name: schema["definitions"][name] for name in names}}
        part["definitions"].update({name: schema["definitions"][name] for name in elsewhere})
        texts[one.module] = write(part, one.schema, elsewhere, True)
        for name in names:
            homes[name.removeprefix("Nullable"), meanings[one.schema].of(name)] = one.module
    for path, schema in schemas.items():
        texts[path.rpartition("/")[2].removesuffix(".json")] = write(schema, path, known(path), False)
    return texts
