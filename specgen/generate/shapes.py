"""Shapes: the one notation in which pod part and job part describe their fields.

A field's type is a string: `string`, `boolean`, `int32`, `int64`, `quantity`, `intOrString`,
`integer` (of any width), `time`, `object` (anything inside), the name of another shape, `list[T]` or `map[T]`.
What a field says of texts and numbers holds for the innermost `T`.
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
    default: str | bool | int | None = None
    list_keys: tuple[str, ...] = ()
    """Items with equal values of these fields are duplicates, which the API server refuses."""
    unique: bool = False
    """The list is a set: equal items are refused."""
    known_keys: Mapping[str, str] = field(default_factory=dict)
    """For maps: keys worth offering in an editor, with a sentence each; others stay allowed."""
    words: tuple[str, ...] = ()
    """The texts that the API server takes; any where there are none."""
    grammar: str = ""
    """Name in `specgen.schema.formats.PATTERNS` of the form that the text must have."""
    length: tuple[int, int] | None = None
    """Fewest and most characters of the text."""
    minimum: int | None = None
    """Least number."""


@dataclass(frozen=True)
class Shape:
    """One object type. Fields that it does not list are unknown to the API server."""

    name: str
    fields: Mapping[str, Field]
    description: str = ""


@dataclass(frozen=True)
class Kind:
    """A kind as one version of one operator, or the API server itself, serves it."""

    group: str
    version: str
    kind: str
    operator: str
    """Name and version of the operator, also the key into `job_kinds.POD_TYPES`."""
    description: str
    fields: Mapping[str, Field]
    """Fields at the top besides `apiVersion`, `kind`, `metadata` and `status`."""
    shapes: tuple[Shape, ...] = ()
    has_status: bool = True
    keeps_status: bool = False
    """The API server stores a status that comes with a new object; else it drops it."""
    built_in: bool = False
    """The API server has the kind in its code: it reads bare decimal numbers as quantities, which CRDs refuse."""

    @property
    def api_version(self) -> str:
        """What the field `apiVersion` holds."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def path(self) -> str:
        """Where the schema lies, in the layout `{group}/{kind}_{version}.json` that kubeconform takes."""
        return f"schemas/k8s/{self.group or 'core'}/{self.kind.lower()}_{self.version}.json"

    @property
    def key(self) -> str:
        """`group/version Kind`, as the kind is named in data files."""
        return f"{self.api_version} {self.kind}"


def container_of(type_name: str) -> tuple[str, str]:
    """Split `list[T]` or `map[T]` into its container and `T`; the container is "" for a plain type."""
    for container in ("list", "map"):
        if type_name.startswith(container + "[") and type_name.endswith("]"):
            return container, type_name[len(container) + 1 : -1]
    return "", type_name
