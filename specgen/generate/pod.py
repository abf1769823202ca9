"""The pod part: shapes read from the types of the `kubernetes` client package, completed by `pod_facts`.

Besides pods these are the types of Jobs, claims, volumes and Services, which job parts refer to as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from kubernetes.client import models

from specgen.generate import pod_facts
from specgen.generate.pod_versions import PodTypes
from specgen.generate.shapes import Field, Shape, container_of

ROOTS = (
    "V1ObjectMeta",
    "V1PodTemplateSpec",
    "V2MetricSpec",
    "V1JobTemplateSpec",
    "V1PersistentVolumeClaimSpec",
    "V1PersistentVolumeSpec",
    "V1ResourceClaimTemplateSpec",
    "V1ResourceQuotaSpec",
    "V1ServiceSpec",
)
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
"""The metadata that a job may give to a pod, a Job or a claim; see `pod_facts.EMBEDDED_METADATA`."""


def shape_name(class_name: str) -> str:
    """`V1PodSpec` and `CoreV1ResourceClaim` without what names their API version."""
    return re.sub(r"^(Core)?V\d+((alpha|beta)\d+)?", "", class_name)


def pod_shapes(types: PodTypes) -> dict[str, Shape]:
    """All shapes reachable from `ROOTS`, by name, as the CRDs of one operator have them.

    Raises ValueError where a line of `types` or of a table in `pod_facts` matches no field of the client.
    """
    _refuse_stale(types)
    meta = {name: EMBEDDED_META.fields[name] for name in types.template_metadata}
    shapes = {EMBEDDED_META.name: Shape(EMBEDDED_META.name, meta)}
    shapes |= {shape.name: shape for shape in types.shapes}
    pending = list(ROOTS)
    while pending:
        class_name = pending.pop()
        name = shape_name(class_name)
        if name in shapes:
            continue
        fields, referred = _fields_of(class_name, types)
        shapes[name] = Shape(name, fields)
        pending.extend(referred)
    return shapes


def _fields_of(class_name: str, types: PodTypes) -> tuple[dict[str, Field], list[str]]:
    """Fields of one client class in the client's order, and the classes they refer to."""
    cls = getattr(models, class_name)
    name = shape_name(class_name)
    required = {info.serialization_alias or name for name, info in cls.model_fields.items() if info.is_required()}
    fields: dict[str, Field] = {}
    referred: list[str] = []
    for attribute, client_type in cls.openapi_types.items():
        field_name = cls.attribute_map[attribute]
        key = f"{name}.{field_name}"
        if key in types.left_out:
            continue
        type_name, reference = _type_of(key, client_type)
        if reference:
            referred.append(reference)
        fields[field_name] = Field(
            type_name,
            required=types.required.get(key, field_name in required),
            default=types.defaults.get(key),
            list_keys=types.list_keys.get(key, ()),
            unique=key in pod_facts.UNIQUE_LISTS,
        )
    added = {key.partition(".")[2]: field for key, field in types.added.items() if key.startswith(f"{name}.")}
    return fields | added, referred


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


@cache
def _client_fields() -> frozenset[str]:
    """Every `Shape.field` that the client's classes reach from `ROOTS`."""
    found: set[str] = set()
    seen: set[str] = set()
    pending = list(ROOTS)
    while pending:
        class_name = pending.pop()
        if class_name in seen:
            continue
        seen.add(class_name)
        fields, referred = _fields_of(class_name, PodTypes({}))
        found.update(f"{shape_name(class_name)}.{name}" for name in fields)
        pending.extend(referred)
    return frozenset(found)


def _refuse_stale(types: PodTypes) -> None:
    tables: tuple[Iterable[str], ...] = (
        types.left_out,
        types.required,
        types.defaults,
        types.list_keys,
        pod_facts.QUANTITIES,
        pod_facts.INT_OR_STRING,
        pod_facts.INT64,
        pod_facts.UNIQUE_LISTS,
        pod_facts.EMBEDDED_METADATA,
    )
    stale = sorted({key for table in tables for key in table} - _client_fields())
    if stale:
        raise ValueError(f"the tables name fields that the kubernetes client does not have: {', '.join(stale)}")
    doubled = sorted(types.added.keys() & _client_fields())
    if doubled:
        raise ValueError(f"fields that are added although the kubernetes client has them: {', '.join(doubled)}")
