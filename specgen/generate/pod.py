"""The pod part: shapes read from the types of the `kubernetes` client package, completed by `pod_facts`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from kubernetes.client import models

from specgen.generate import pod_facts
from specgen.generate.shapes import Field, Shape, container_of

ROOTS = ("V1ObjectMeta", "V1PodTemplateSpec", "V2MetricSpec")
"""Client classes that job parts refer to."""

_SCALARS = {"str": "string", "bool": "boolean", "int": "int32", "datetime": "time", "object": "object"}

EMBEDDED_META = Shape(
    "EmbeddedObjectMeta",
    {
        "annotations": Field("map[string]"),
        "finalizers": Field("list[string]"),
        "labels": Field("map[string]"),
        "name": Field("string"),
        "namespace": Field("string"),
    },
)
"""The metadata that a job may give to a pod or a claim; see `pod_facts.EMBEDDED_METADATA`."""


def shape_name(class_name: str) -> str:
    """`V1PodSpec` and `CoreV1ResourceClaim` without what names their API version."""
    return re.sub(r"^(Core)?V\d+", "", class_name)


def pod_shapes(newer: Mapping[str, str]) -> dict[str, Shape]:
    """All shapes reachable from `ROOTS`, by name.

    newer: `Shape.field` → reason, the fields to leave out.
    Raises ValueError where a line of `newer` or of a table in `pod_facts` matches no field.
    """
    shapes = {EMBEDDED_META.name: EMBEDDED_META}
    used: set[str] = set()
    pending = list(ROOTS)
    while pending:
        class_name = pending.pop()
        name = shape_name(class_name)
        if name in shapes:
            continue
        fields, referred = _fields_of(class_name, newer, used)
        shapes[name] = Shape(name, fields)
        pending.extend(referred)
    _refuse_stale(newer, used)
    return shapes


def _fields_of(class_name: str, newer: Mapping[str, str], used: set[str]) -> tuple[dict[str, Field], list[str]]:
    """Fields of one client class in the client's order, and the classes they refer to; `used` gathers `Shape.field`."""
    cls = getattr(models, class_name)
    required = {info.serialization_alias or name for name, info in cls.model_fields.items() if info.is_required()}
    fields: dict[str, Field] = {}
    referred: list[str] = []
    for attribute, client_type in cls.openapi_types.items():
        field_name = cls.attribute_map[attribute]
        key = f"{shape_name(class_name)}.{field_name}"
        used.add(key)
        if key in newer:
            continue
        type_name, reference = _type_of(key, client_type)
        if reference:
            referred.append(reference)
        fields[field_name] = Field(
            type_name,
            required=field_name in required,
            default=pod_facts.DEFAULTS.get(key),
            list_keys=pod_facts.LIST_KEYS.get(key, ()),
            unique=key in pod_facts.UNIQUE_LISTS,
        )
    return fields, referred


def _type_of(key: str, client_type: str) -> tuple[str, str]:
    """A client type such as `List[V1Container]` in our notation, and the client class in it ("" for scalars)."""
    if key in pod_facts.EMBEDDED_METADATA:
        return EMBEDDED_META.name, ""
    notation = client_type.replace("List[", "list[").replace("Dict[str, ", "map[")
    container, inner = container_of(notation)
    reference = "" if inner in _SCALARS else inner
    ours = _special_scalar(key) or _SCALARS.get(inner) or shape_name(inner)
    return (f"{container}[{ours}]" if container else ours), reference


def _special_scalar(key: str) -> str:
    if key in pod_facts.QUANTITIES:
        return "quantity"
    if key in pod_facts.INT_OR_STRING:
        return "intOrString"
    return "int64" if key in pod_facts.INT64 else ""


def _refuse_stale(newer: Mapping[str, str], used: set[str]) -> None:
    tables: tuple[Iterable[str], ...] = (
        newer,
        pod_facts.QUANTITIES,
        pod_facts.INT_OR_STRING,
        pod_facts.INT64,
        pod_facts.DEFAULTS,
        pod_facts.LIST_KEYS,
        pod_facts.UNIQUE_LISTS,
        pod_facts.EMBEDDED_METADATA,
    )
    stale = sorted({key for table in tables for key in table} - used)
    if stale:
        raise ValueError(f"the tables name fields that the kubernetes client does not have: {', '.join(stale)}")
