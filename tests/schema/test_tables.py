"""The tables: records have the models' shape, and what a schema says that tables cannot hold stops the generator."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from specgen.generate.records import records
from specgen.generate.tables import module
from specgen.profile.cluster import ClusterProfile
from specgen.profile.job import BaseProfile, JobProfile
from specgen.profile.words import Words
from specgen.schema.accept import accepts
from specgen.schema.record import EMPTY, Record, record
from specgen.tables import cluster, job

TABLES: dict[str, tuple[dict[str, Any], tuple[type[Words], ...]]] = {
    "job": (job.RECORDS, (JobProfile, BaseProfile)),
    "cluster": (cluster.RECORDS, (ClusterProfile,)),
}


def models() -> dict[str, type[Words]]:
    found: dict[str, type[Words]] = {}
    pending: list[type[Words]] = [Words]
    while pending:
        cls = pending.pop()
        found[cls.__name__] = cls
        pending += cls.__subclasses__()
    return found


@pytest.mark.parametrize("name", TABLES)
def test_records_have_the_models_fields(name: str) -> None:
    table, roots = TABLES[name]
    known = models()
    assert table == records(roots)
    for model, entries in table.items():
        fields = known[model].model_fields
        assert list(entries) == list(fields)
        assert [entry[0] for entry in entries.values()] == [field.alias or key for key, field in fields.items()]
        for key, default, kind, below in entries.values():
            assert kind in ("plain", "record", "records", "map", "maps"), key
            assert (below in table) == (kind != "plain")
            assert default is not EMPTY or kind == "record"


def plain(value: Any) -> Any:
    """A record or a model as plain data, field by field; tuples and lists are equal."""
    if isinstance(value, BaseModel):
        return {name: plain(getattr(value, name)) for name in type(value).model_fields}
    if isinstance(value, Record):
        return {name: plain(getattr(value, name)) for name in value._records[value._model]}
    if isinstance(value, dict):
        return {key: plain(child) for key, child in value.items()}
    return [plain(child) for child in value] if isinstance(value, (list, tuple)) else value


JOB: dict[str, Any] = {
    "apiVersion": "specgen/v1",
    "kind": "Job",
    "metadata": {"name": "all-kinds"},
    "target": {"kind": "MPIJob", "version": "v1"},
    "start": "mpirun",
    "pods": 2,
    "resources": {"cpu": {"request": 1.5}, "memory": "1Gi", "claims": {"a": {"template": "t"}}},
    "env": {"A": "text", "B": {"secret": "s", "key": "k"}},
    "envFrom": [{"secret": "s"}],
    "mounts": {"/data": {"nfs": {"server": "s", "path": "/p"}}},
    "scheduling": {"spread": {"job": "host"}, "tolerations": {"*": {}}},
    "roles": {"launcher": {"image": "x"}},
    "objects": ["a.yaml", {"kind": "Service"}],
    "ignore": {"SG401": "because", "SG402": {"reason": "r"}},
    "variants": {"small": {"pods": 1}},
    "matrix": {"size": {"small": {"pods": 1}, "full": {}}, "team": {}},
    "variantsOnly": True,
}
CLUSTER: dict[str, Any] = {
    "apiVersion": "specgen/v1",
    "kind": "Cluster",
    "metadata": {"name": "c"},
    "operators": {
        "mpi-operator": {"version": "0.8.2"},
        "trainer": {"version": "2.3.0", "runtimes": {"a": {}, "b": "f"}},
    },
    "pools": {"gpu": {"taints": [{"key": "k", "effect": "NoSchedule"}], "gpu": {"perNode": 8}}},
    "mesh": "istio",
}


@pytest.mark.parametrize(("model", "data", "table"), [(JobProfile, JOB, job), (ClusterProfile, CLUSTER, cluster)])
def test_records_read_as_the_models_do(model: type[Words], data: dict[str, Any], table: Any) -> None:
    assert plain(record(data, model.__name__, table.RECORDS)) == plain(model.model_validate(data))


def test_real_profiles_read_alike(shared: Any) -> None:
    from specgen.document.read import read
    from specgen.source import Source

    compared = 0
    kinds: dict[str, tuple[type[Words], Any]] = {"Job": (JobProfile, job), "Cluster": (ClusterProfile, cluster)}
    for path in sorted(shared.glob("profiles/*/*.yaml")):
        data = read(Source(path.name, path.read_text("utf-8")))[0][0].data
        model, table = kinds[data["kind"]]
        if accepts(table.DEFINITIONS[model.__name__], data) and not _has_null(data):
            assert plain(record(data, model.__name__, table.RECORDS)) == plain(model.model_validate(data)), path.name
            compared += 1
    print(f"{compared} profiles read alike through records and models")
    assert compared > 50


def _has_null(node: Any) -> bool:
    """Layers take nulls away before records are made (`specgen.profile.layers`)."""
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return any(child is None or _has_null(child) for child in children)


def compiled(schema: dict[str, Any]) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(module(schema, "a schema"), names)
    return names


def test_a_definition_may_contain_itself() -> None:
    tree = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "left": {"$ref": "#/definitions/Tree"}},
        "additionalProperties": {"type": ["array", "null"], "items": {"$ref": "#/definitions/Tree"}},
    }
    node = compiled({"definitions": {"Tree": tree}})["DEFINITIONS"]["Tree"]
    assert accepts(node, {"name": "a", "left": {"left": {}}, "more": [{"name": "b"}, {"none": None}]})
    assert not accepts(node, {"left": {"left": {"name": 1}}})
    assert not accepts(node, {"more": [{"more": [{"name": 1}]}]})
    assert not accepts(node, {"left": None})


def test_depth_costs_no_stack() -> None:
    tree = {"type": "object", "properties": {"a": {"$ref": "#/definitions/T"}}, "additionalProperties": False}
    node = compiled({"definitions": {"T": tree}})["DEFINITIONS"]["T"]
    document: dict[str, Any] = {}
    for _ in range(100_000):
        document = {"a": document}
    assert accepts(node, document)
    while document:  # taken apart step by step: the interpreter frees nested dicts recursively
        document = document["a"]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "minLength": 1},
        {"type": "string", "pattern": "^unheard of$"},
        {"type": "integer", "exclusiveMinimum": 1},
        {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        {"oneOf": [{"type": "string"}, {"type": "null"}]},
        {"anyOf": [{"type": "string"}, {"type": "string", "pattern": "^a$"}]},
        {"type": ["string", "null"], "enum": ["a", None]},
        {"type": "integer", "maximum": 3},
        {"type": "object", "patternProperties": {"^a": {}}},
    ],
    ids=lambda schema: next(key for key in schema if key != "type"),
)
def test_what_tables_cannot_hold_stops_the_generator(schema: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"pattern|alternatives|tables|bounds|words"):
        module({"definitions": {"A": {"type": "object", "properties": {"a": schema}}}}, "a schema")


def test_anything_is_accepted_where_a_schema_asks_for_nothing() -> None:
    node = compiled({"definitions": {"A": {"type": "object", "properties": {"a": {}}}}})["DEFINITIONS"]["A"]
    assert accepts(node, {"a": {"b": [1, {"c": None}]}, "d": [0.5]})
    assert not accepts(node, [])
