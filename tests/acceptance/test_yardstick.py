"""What an independent validator of the real CRDs refuses of real manifests, ``lint`` finds; and the reverse, by review.

The validator is jsonschema, as check-jsonschema and the like use it, over the CRDs' own schemas in strict mode: a field
that is not listed is refused. A null that the API server drops before it validates counts as absent there
(apiextensions-apiserver 0.36, pkg/apiserver/schema/defaulting/prunenulls.go); amounts without a value, which validators
that do not know it refuse, are looked for besides. Differences stand, each with its reason, in ``yardstick.yaml``.
Where the material is absent, the tests are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from specgen.diagnostics.model import ERROR, Diagnostic
from specgen.linting import lint_source
from specgen.source import Source
from tests.acceptance.trees import load
from tests.manifest.recordings import documents
from tests.manifest.test_schemas_against_verdicts import refused_places

REVIEW = load(Path(__file__).with_name("yardstick.yaml"))
FOLDERS = ("corpus", "sources/manifests", "findings/cases/lint", "conformance")
# Findings of the shape of an object.
SHAPE = ("SG101", "SG102", "SG103", "SG104", "SG111", "SG112", "SG113")
# Keywords that a validator of JSON knows, of those that CRDs are written in.
DROPPED = ("description", "nullable", "default", "format")
EMBEDDED = ("apiVersion", "kind", "metadata")
ROLES = re.compile(r"(ReplicaSpecs)\.\w+|\[\d+\]")
VARIABLE = re.compile(r"\$\{?\w|\{\{|%\(")

Node = dict[str, Any]


def strict(node: Node, *, whole: bool = True) -> Node:
    """A CRD's schema as one of draft 7 that refuses what is not listed; the metadata of the whole object is not its."""
    schema = {word: value for word, value in node.items() if not word.startswith("x-") and word not in DROPPED}
    if node.get("x-kubernetes-int-or-string"):
        schema = {word: value for word, value in schema.items() if word != "anyOf"} | {"type": ["integer", "string"]}
    if "properties" in node:
        schema["properties"] = {
            name: {} if whole and name == "metadata" else strict(child, whole=False)
            for name, child in node["properties"].items()
        }
    values = node.get("additionalProperties")
    if isinstance(values, dict):
        schema["additionalProperties"] = strict(values, whole=False)
    elif node.get("type") == "object" and not node.get("x-kubernetes-preserve-unknown-fields"):
        schema["additionalProperties"] = False
        embedded: Node = {key: {} for key in EMBEDDED} if node.get("x-kubernetes-embedded-resource") else {}
        schema["properties"] = {**embedded, **schema.get("properties", {})}
    if "items" in node:
        schema["items"] = strict(node["items"], whole=False)
    if node.get("format") == "int32":
        schema = {"minimum": -(2**31), "maximum": 2**31 - 1, **schema}
    if node.get("nullable") and "type" in schema:
        schema["type"] = [schema["type"], "null"]
    return schema


def pruned(value: Any, node: Node | None) -> Any:
    """A document without the nulls that the API server drops: of fields that may not be null and have no default."""
    if isinstance(value, list):
        return [pruned(one, node.get("items") if node else None) for one in value]
    if not isinstance(value, dict):
        return value
    kept = {}
    for name, child in value.items():
        values = node.get("additionalProperties") if node else None
        below = node.get("properties", {}).get(name, values if isinstance(values, dict) else None) if node else None
        if child is not None or below is None or below.get("nullable") or "default" in below:
            kept[name] = pruned(child, below)
    return kept


@cache
def crds(shared: Path) -> dict[str, tuple[Node, Draft7Validator]]:
    """``apiVersion kind`` → the schema of its CRD, and the validator."""
    found: dict[str, tuple[Node, Draft7Validator]] = {}
    for path in sorted((shared / "crds").glob("*.yaml")):
        spec = yaml.load(path.read_text("utf-8"), Loader=yaml.CSafeLoader)["spec"]
        for version in spec["versions"]:
            schema = version.get("schema", {}).get("openAPIV3Schema")
            if schema:
                key = f"{spec['group']}/{version['name']} {spec['names']['kind']}"
                found.setdefault(key, (schema, Draft7Validator(strict(schema))))
    return found


def judged(shared: Path) -> Iterator[tuple[str, list[str], list[tuple[str, str, str]]]]:
    """File, the places that the validator refuses, and (place, code, severity) of each finding of ``lint``."""
    for folder in FOLDERS:
        for path in sorted((shared / folder).rglob("*.yaml")):
            known = [one for one in documents(path) if f"{one.get('apiVersion')} {one.get('kind')}" in crds(shared)]
            if not known:
                continue
            refused = set()
            for document in known:
                schema, validator = crds(shared)[f"{document['apiVersion']} {document['kind']}"]
                errors = validator.iter_errors(pruned(document, schema))
                refused |= {place for error in errors for place in refused_places(error) if not _waits(document, place)}
            found = lint_source(Source(path.name, path.read_text("utf-8"))).diagnostics
            said = [(_place(one), one["code"], one["severity"]) for one in found]
            yield path.relative_to(shared).as_posix(), sorted(refused), said


def _place(diagnostic: Diagnostic) -> str:
    """Where a finding stands; an item of the wrong list is one finding, at its name."""
    path = diagnostic["path"]
    return path.removesuffix(".name") if diagnostic["code"] in ("SG111", "SG113") else path


def _waits(document: Any, place: str) -> bool:
    """Whether a tool is to fill in what stands at a place, which is one finding for the whole file."""
    for step in re.findall(r"\[(\d+)\]|([^.\[\]]+(?:\.[a-z]+/[^.\[\]]+)?)", place):
        try:
            document = document[int(step[0])] if step[0] else document[step[1]]
        except (KeyError, IndexError, TypeError):
            return "$" in str(document) or "{{" in str(document)
    return isinstance(document, str) and VARIABLE.search(document) is not None


def _alike(place: str) -> str:
    """A place in any role, and in any item of a list: equal findings in several are one."""
    return ROLES.sub(lambda match: f"{match[1]}.*" if match[1] else "[*]", place)


def _is_near(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


@pytest.fixture(scope="module")
def verdicts(shared: Path) -> list[tuple[str, list[str], list[tuple[str, str, str]]]]:
    return list(judged(shared))


@pytest.mark.soak
def test_nothing_is_missed_that_the_crds_refuse(verdicts: list[tuple[str, list[str], Any]]) -> None:
    missed, refused = {}, 0
    for name, places, said in verdicts:
        refused += bool(places)
        own = [_alike(path) for path, code, severity in said if path and (severity == ERROR or code in SHAPE)]
        left = [place for place in places if not any(_is_near(_alike(place), path) for path in own)]
        if left:
            missed[name] = left
    print(f"{len(verdicts)} files, {refused} refused by the CRDs, {len(missed)} reviewed differences")
    assert refused > 80
    assert missed == {name: one["places"] for name, one in REVIEW["not found"].items()}
    assert all(one["reason"] for one in REVIEW["not found"].values())


def test_no_shape_is_refused_that_the_crds_take(verdicts: list[tuple[str, list[str], Any]]) -> None:
    more = {}
    for name, places, said in verdicts:
        own = [path for path, code, severity in said if severity == ERROR and code in SHAPE]
        left = sorted({path for path in own if not any(_is_near(_alike(path), _alike(place)) for place in places)})
        if left:
            more[name] = left
    assert more == {name: one["places"] for name, one in REVIEW["found besides"].items()}
    assert all(one["reason"] for one in REVIEW["found besides"].values())
