"""Accepted data in the shape of the models, without pydantic.

A ``Record`` reads the plain mapping under it through the table that ``specgen.generate.tables`` made from the models:
attributes in snake_case, the models' defaults, nested records. Type checkers see the pydantic classes instead;
``tests/schema/test_record.py`` compares the two on every sample.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    # attr → (key in YAML, default, kind, model of nested records)
    Fields: TypeAlias = dict[str, tuple[str, Any, str, str | None]]


class Record:
    """A read-only look at a mapping. Attributes are computed once and then are ordinary ones."""

    def __init__(self, data: dict[str, Any], model: str, records: dict[str, Fields]) -> None:
        self.__dict__["_data"] = data
        self.__dict__["_model"] = model
        self.__dict__["_records"] = records

    def __getattr__(self, name: str) -> Any:
        records = self.__dict__["_records"]
        fields: Fields = records[self.__dict__["_model"]]
        if name not in fields:
            raise AttributeError(f"{self.__dict__['_model']} has no field {name!r}")
        key, default, kind, ref = fields[name]
        value = self.__dict__["_data"].get(key)
        if value is None:
            value = Record({}, ref, records) if default is EMPTY and ref is not None else default
        elif kind == "record":
            if type(value) is dict:
                assert ref is not None
                value = Record(value, ref, records)
        elif kind == "map":
            assert ref is not None
            value = {k: Record(v, ref, records) if type(v) is dict else v for k, v in value.items()}
        elif kind == "records":
            assert ref is not None
            value = [Record(v, ref, records) if type(v) is dict else v for v in value]
        self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{self.__dict__['_model']} is read-only")

    def said(self, name: str) -> bool:
        """Whether the mapping itself holds this field, whatever its default."""
        key = self.__dict__["_records"][self.__dict__["_model"]][name][0]
        return key in self.__dict__["_data"]


EMPTY: Any = "<empty record>"
