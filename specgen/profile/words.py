"""What the models of both profiles share: the base class, and texts with a grammar.

Development-time and Python-API code: the command line reads tables made from these models instead
(``specgen.generate.tables``), so pydantic is not on its path.

Every optional field and every entry of a map also takes ``null``: it removes what a weaker layer said
(``resolve.py``). The base class drops nulls before validation, so that the models' types speak of values only, and
the generated schema says so. What is in Kubernetes' spelling keeps its nulls, and so do lists. Over the words of a
cluster nothing is laid (``Unlayered``): there an entry without a value is one that somebody forgot, and is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo

from specgen.schema import formats


class Words(BaseModel):
    """Fields in camelCase as they stand in YAML, snake_case in Python; strict types, no unknown fields."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="forbid",
        strict=True,
        frozen=True,
        use_attribute_docstrings=True,
        allow_inf_nan=False,
    )

    @model_validator(mode="before")
    @classmethod
    def _null_removes(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        # Nulls of required and of unknown fields stay, so that they are refused.
        optional = {field.alias or name for name, field in cls.model_fields.items() if not field.is_required()}
        kept = {key: value for key, value in data.items() if value is not None or key not in optional}
        for name, is_key in _maps(cls).items():
            entries = kept.get(name)
            # A null under a malformed key stays, so that the key is refused.
            if isinstance(entries, dict) and None in entries.values():
                kept[name] = {key: value for key, value in entries.items() if value is not None or not is_key(key)}
        return kept


class Unlayered(Words):
    """Words over which nothing is laid: a null has nothing to remove there, and no entry of a map is one."""


def layered(cls: type[Words], name: str) -> bool:
    """Whether a field is laid over that of a weaker layer, so that a null in its map removes something."""
    more = cls.model_fields[name].json_schema_extra
    return not issubclass(cls, Unlayered) and not (isinstance(more, dict) and "x-specgen-unlayered" in more)


@cache
def _maps(cls: type[Words]) -> dict[str, Callable[[str], bool]]:
    """The fields of a model that hold maps whose nulls remove something, by alias and name: the check of its keys."""
    found = {}
    for name, annotation in get_type_hints(cls, include_extras=True).items():
        if name in cls.model_fields and layered(cls, name) and (is_key := _key_check(annotation)) is not None:
            found[name] = found[cls.model_fields[name].alias or name] = is_key
    return found


def _key_check(annotation: Any) -> Callable[[str], bool] | None:
    origin, options = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _key_check(options[0])
    if origin in (Union, UnionType):
        return next((check for check in map(_key_check, options) if check is not None), None)
    if origin is not dict or annotation == Raw:
        return None
    key = options[0]
    if get_origin(key) is Literal:
        return get_args(key).__contains__
    for info in get_args(key):
        if isinstance(info, FieldInfo) and isinstance(info.json_schema_extra, dict):
            return formats.CHECKS[str(info.json_schema_extra["x-specgen-format"])]
    return lambda key: isinstance(key, str)


def text(name: str, title: str) -> Any:
    """A string of a grammar of ``formats``."""
    return Field(pattern=formats.PATTERNS[name], title=title, json_schema_extra={"x-specgen-format": name})


def each(*meanings: str) -> Any:
    """What each of the words before it means, in their order; editors show it as they are chosen."""
    return Field(json_schema_extra={"enumDescriptions": list(meanings)})


Name = Annotated[str, text("name", "a name of lower-case letters, digits, and dashes, at most 63 characters")]
NamePrefix = Annotated[str, text("name-prefix", "lower-case letters, digits, and dashes that a name begins with")]
DnsName = Annotated[str, text("dns-name", "a DNS name")]
EnvName = Annotated[str, text("env-name", "a name of an environment variable")]
AbsolutePath = Annotated[str, text("absolute-path", "an absolute path")]
Duration = Annotated[str, text("duration", "a time such as 90s, 10m, 2h, or 7d")]
Memory = Annotated[str, text("memory", "an amount with a unit, such as 512Mi, 900Gi, or 700G")]
Milli = Annotated[str, text("milli", "thousandths of a core, such as 500m")]
Version = Annotated[str, text("version", "a version such as 1.9.4")]
LabelKey = Annotated[str, text("label-key", "a label name, with or without a prefix")]
LabelValue = Annotated[str, text("label-value", "a label value: letters, digits, `-`, `_`, and `.`")]
FindingCode = Annotated[str, text("code", "a code such as SG401")]
Date = Annotated[str, text("date", "a day such as 2027-01-31")]
Kubernetes = Annotated[str, text("kubernetes", "a minor version of Kubernetes such as 1.31")]
ResourceName = Annotated[str, text("label-key", "a resource name such as nvidia.com/gpu")]
# queues are objects of several schedulers, or paths of such: no grammar is common to all
QueueName = Annotated[str, Field(title="a name of a queue", min_length=1, max_length=253)]
Port = Annotated[int, Field(ge=1, le=65535)]
Count = Annotated[int, Field(ge=0, le=1_000_000)]
Positive = Annotated[int, Field(ge=1, le=1_000_000)]
Priority = Annotated[int, Field(ge=-2_147_483_648, le=1_000_000_000)]
Weight = Annotated[int, Field(ge=1, le=100)]
Raw = dict[str, JsonValue]
