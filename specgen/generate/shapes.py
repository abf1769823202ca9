"""Shapes: the one notation in which pod part and job part describe their fields.

A field's type is a string: `string`, `boolean`, `int32`, `int64`, `quantity`, `intOrString`,
`time`, `object` (anything inside), the name of another shape, `list[T]` or `map[T]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Field:
    """One field: type, one sentence for editors, and what the API server does with it."""

    type: str
    description: str = ""
    required: bool = False
    default: str | bool | None = None
    list_keys: tuple[str, ...] = ()
    """Items with equal values of these fields are duplicates, which the API server refuses."""
    unique: bool = False
    """The list is a set: equal items are refused."""
    known_keys: Mapping[str, str] = field(default_factory=dict)
    """For maps: keys worth offering in an editor, with a sentence each; others stay allowed."""


@dataclass(frozen=True)
class Shape:
    """One object type. Fields that it does not list are unknown to the API server."""

    name: str
    fields: Mapping[str, Field]
    description: str = ""


@dataclass(frozen=True)
class Kind:
    """A job kind as one version of one operator serves it."""

    group: str
    version: str
    kind: str
    operator: str
    """Name and version of the operator, also the key into `pod_facts.NEWER_THAN_CRD`."""
    spec: str
    """Name of the shape of `spec`."""
    shapes: tuple[Shape, ...]
    description: str

    @property
    def path(self) -> str:
        """Where the schema lies, in the layout `{group}/{kind}_{version}.json` that kubeconform takes."""
        return f"schemas/k8s/{self.group}/{self.kind.lower()}_{self.version}.json"


def container_of(type_name: str) -> tuple[str, str]:
    """Split `list[T]` or `map[T]` into its container and `T`; the container is "" for a plain type."""
    for container in ("list", "map"):
        if type_name.startswith(container + "[") and type_name.endswith("]"):
            return container, type_name[len(container) + 1 : -1]
    return "", type_name
