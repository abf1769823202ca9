"""What kustomize has to be told of training jobs: a component that a team's own overlay names, beside the jobs.

kustomize 5 knows Kubernetes' own kinds alone: of a PyTorchJob, a strategic merge patch with one container replaces all
containers, and a Secret that an overlay generates keeps its plain name in the pods. A component, and not ``openapi`` in
a kustomization of the tree or in the overlay: kustomize takes the first schema of a run and no other, and one that is
set before it has read a job stands in for its own, so that Deployments beside the jobs would merge no more. Components
come after resources, and add to what it knows by then; so the kinds here lead to kustomize's own pods (all of this
tried with kubectl 1.27 to 1.33 and 1.37, which have kustomize 5.0.1 to 5.8.1).

It says all kinds that specgen knows, whatever jobs a tree holds: building one profile of many changes none of it.
"""

from __future__ import annotations

from specgen.document.write import write_yaml
from specgen.emit import layout, references
from specgen.emit.kustomize import RUNTIMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Schema = dict[str, Any]

# Definition in our schemas → the one of kustomize that says the merge keys of all below.
_KNOWN = {
    "NullablePodTemplateSpec": "io.k8s.api.core.v1.PodTemplateSpec",
    "JobTemplateSpec": "io.k8s.api.batch.v1.JobTemplateSpec",
}
# Lists whose items Volcano's webhook tells apart by name, though its CRD does not say so (1.15, admit_job.go).
_NAMED = {"tasks": "name"}
# Images of these kustomize finds by itself, in any kind; the last is a block device, and no image of a container.
_SEEN = ("containers", "initContainers", "volumes")


def component() -> dict[str, str]:
    """Path in the tree → text."""
    kinds = dict(_kinds())
    definitions = {
        f"{version}/{kind}": {
            "x-kubernetes-group-version-kind": schema["x-kubernetes-group-version-kind"],
            "type": "object",
            "properties": {"spec": _merging(schema["properties"]["spec"], schema["definitions"])},
        }
        for (version, kind), schema in kinds.items()
    }
    paths = layout.component()
    openapi, configuration = (path.rpartition("/")[2] for path in paths[1:])
    head = {
        "apiVersion": "kustomize.config.k8s.io/v1alpha1",
        "kind": "Component",
        "openapi": {"path": openapi},
        "configurations": [configuration],
    }
    trees = (head, {"definitions": definitions}, _fields(kinds))
    return {path: write_yaml(tree) for path, tree in zip(paths, trees, strict=True)}


def _kinds() -> Iterator[tuple[tuple[str, str], Schema]]:
    """(apiVersion, kind) → schema of all objects that hold the pods of a job."""
    from specgen.operators.index import KINDS
    from specgen.schema.files import kinds, load

    for name in kinds():
        schema = load(name)
        one = schema["x-kubernetes-group-version-kind"][0]
        version = f"{one['group']}/{one['version']}"
        if (version, one["kind"]) in KINDS or one["kind"] in RUNTIMES:
            yield (version, one["kind"]), schema


def _merging(schema: Schema, definitions: Schema, field: str = "") -> Schema:
    """The part of a schema that leads to lists with a merge key, as kustomize reads it; empty: there is none."""
    name = schema.get("$ref", "").rpartition("/")[2]
    if name:
        known = _KNOWN.get(name)
        return {"$ref": f"#/definitions/{known}"} if known else _merging(definitions[name], definitions, field)
    each = schema.get("additionalProperties")
    if isinstance(each, dict):
        below = _merging(each, definitions)
        return {"type": "object", "additionalProperties": below} if below else {}
    if "items" in schema:
        keys = schema.get("x-kubernetes-list-map-keys") or ([_NAMED[field]] if field in _NAMED else [])
        below = _merging(schema["items"], definitions)
        merging = {"x-kubernetes-patch-merge-key": keys[0], "x-kubernetes-patch-strategy": "merge"} if keys else {}
        return {"type": "array", "items": below or {"type": "object"}, **merging} if below or keys else {}
    found = {key: _merging(one, definitions, key) for key, one in schema.get("properties", {}).items()}
    found = {key: below for key, below in found.items() if below}
    return {"type": "object", "properties": found} if found else {}


def _fields(kinds: dict[tuple[str, str], Schema]) -> dict[str, Any]:
    """Transformer configuration: the fields that hold an image, or name an object that an overlay may bring.

    Of two versions of a kind a field stands once. Nothing is said of ``replicas`` and of labels in pods: how many pods
    there are stands in arguments and gangs as well, and a label in pods would create the roles that a job lacks.
    """
    images: dict[tuple[str, str], None] = {}
    names: dict[str, dict[tuple[str, str], None]] = {}
    for (_, kind), schema in kinds.items():
        for path in _texts(schema["properties"]["spec"], schema["definitions"], ("spec",)):
            if path[-1] == "image" and not any(step in _SEEN for step in path):
                images[kind, "/".join(path)] = None
            for named in references.named(path):
                names.setdefault(named, {})[kind, "/".join(path)] = None
    entries = [{"kind": named, "fieldSpecs": references.specs(found)} for named, found in sorted(names.items())]
    return {"images": references.specs(images), "nameReference": entries}


def _texts(schema: Schema, definitions: Schema, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The path of every text that a schema knows by its key; items of lists bear the list's path."""
    while "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    if "items" in schema:
        yield from _texts(schema["items"], definitions, path)
    for key, below in schema.get("properties", {}).items():
        if key != "ephemeralContainers":  # no template has them
            yield from _texts(below, definitions, (*path, key))
    if "string" in schema.get("type", ()):
        yield path
