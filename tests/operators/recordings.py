"""Reads recordings of what operators did (``shared/conformance/README.md``) and brings objects into their form."""

from __future__ import annotations

import csv
import json
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import yaml

from specgen.document.tree import Document, Mapping
from specgen.manifest.model import Manifest
from specgen.source import Source

NEWEST = "1.9.4"
# Group of a recording → kind of its objects.
GROUPS = {
    "pods": "Pod",
    "services": "Service",
    "horizontalpodautoscalers": "HorizontalPodAutoscaler",
    "configmaps": "ConfigMap",
    "secrets": "Secret",
    "serviceaccounts": "ServiceAccount",
    "roles": "Role",
    "rolebindings": "RoleBinding",
    "jobs": "Job",
    "podgroups": "PodGroup",
}


# Where recordings lie: below `conformance`, and one folder for each sort of those that specgen built or was asked of.
PARTS = ("", "specgen/built", "specgen/edge", "specgen/lint-cases", "specgen/probes")


class Record:
    """One recording: the operator's version, the name to report it by, and its JSON."""

    def __init__(self, version: str, name: str, data: dict[str, Any], shared: Path) -> None:
        self.version = version
        self.name = f"{version}/{name}"
        self.data = data
        self.shared = shared
        self.doubtful: list[str] = []

    def manifest(self) -> Manifest:
        """The object that was sent: the record's own ``input``, or the one of its kind in its source."""
        documents = yaml.load_all(self.text(), Loader=_Sent)
        tree = next(one for one in documents if isinstance(one, dict) and one.get("kind") == self.data["kind"])
        return Manifest(tree, Document(Source(self.name, self.text()), Mapping(0), 0))

    def text(self) -> str:
        """The whole text that was sent."""
        if "input" in self.data:
            given = self.data["input"]
            return given if isinstance(given, str) else yaml.safe_dump(given, sort_keys=False)
        return (self.shared / str(self.data["source"]).removeprefix("shared/")).read_text(encoding="utf-8")

    @property
    def refused_strictly(self) -> bool:
        return not self.data["verdict"]["strict"]["accepted"]

    @property
    def stored(self) -> bool:
        """Whether the object was stored in the end, if need be without field validation."""
        verdict = self.data["verdict"]
        return bool(verdict["strict"]["accepted"] or verdict.get("lenient", {}).get("accepted"))


class _Sent(yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader):  # type: ignore[misc]
    """YAML 1.1 without time stamps and base 60, as the recordings were sent."""


_Sent.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in resolvers if not tag.endswith(":timestamp")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def records(
    shared: Path, kind: str, version: str, *, own: bool = False, gang: str = "", part: str = ""
) -> list[Record]:
    """The recordings of a kind, version and gang flag (empty: without one), in the order of the index.

    Where an older version did the same as the newest, the newest's recording stands for it (``own``: leave it out).
    Older versions were recorded once: ``Record.doubtful`` are the groups that the newest did not make alike twice.
    """
    folder = shared / "conformance" / part / f"training-operator-{version}"
    newest = shared / "conformance" / part / f"training-operator-{NEWEST}"
    found: list[Record] = []
    if part and not (folder / "INDEX.csv").is_file():
        return found
    with open(folder / "INDEX.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            top = row["file"].partition("/")[0]
            if row["kind"] != kind or (top != f"gang-{gang}" if gang else top.startswith("gang-")):
                continue
            same = row.get(f"same_as_training-operator-{NEWEST}") == "yes"
            if same and own:
                continue
            data = json.loads(((newest if same else folder) / row["file"]).read_text(encoding="utf-8"))
            record = Record(version, "/".join(filter(None, (part, row["file"]))), data, shared)
            if not same and version != NEWEST and (newest / row["file"]).is_file():
                record.doubtful = json.loads((newest / row["file"]).read_text(encoding="utf-8")).get("unstable", [])
            found.append(record)
    return found


def recorded(objects: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Name → object, with ``same_as`` and ``changes`` applied."""
    found: dict[str, dict[str, Any]] = {}
    for entry in objects:
        if "same_as" in entry:
            tree = json.loads(json.dumps(found[entry["same_as"]]))
            tree["name"] = entry["name"]
            for pointer, value in entry["changes"].items():
                _change(tree, pointer, value)
        else:
            tree = entry
        found[tree["name"]] = tree
    return found


def _change(tree: Any, pointer: str, value: Any) -> None:
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    for step in steps[:-1]:
        tree = tree[int(step)] if isinstance(tree, list) else tree.setdefault(step, {})
    last = steps[-1]
    if isinstance(tree, list):
        index = int(last)
        if value is None:
            del tree[index]
        elif index == len(tree):
            tree.append(value)
        else:
            tree[index] = value
    elif value is None:
        tree.pop(last, None)
    else:
        tree[last] = value


def flattened(tree: dict[str, Any]) -> dict[str, Any]:
    """An expanded object in the recordings' words: name, owner, labels, annotations, and its content."""
    metadata = tree["metadata"]
    flat = {"name": metadata["name"]}
    if metadata.get("ownerReferences"):
        owner = metadata["ownerReferences"][0]
        flat["owner"] = f"{owner['kind']}/{owner['name']}"
    for key in ("labels", "annotations", "finalizers"):
        # what kubectl notes down for itself is left out of the recordings
        kept = [name for name in metadata.get(key, ()) if name != "kubectl.kubernetes.io/last-applied-configuration"]
        if kept:
            flat[key] = {name: metadata[key][name] for name in kept} if isinstance(metadata[key], dict) else kept
    flat |= {key: tree[key] for key in ("data", "roleRef", "rules", "spec", "subjects") if key in tree}
    if tree["kind"] == "PodGroup":
        flat["apiVersion"] = tree["apiVersion"]
    return flat


def normal(tree: dict[str, Any]) -> dict[str, Any]:
    """An object for comparison: quantities as exact numbers, without what the API server fills in where a template is
    silent. What a template says itself stays in the recordings, and so here."""
    tree = json.loads(json.dumps(tree))
    spec = tree.get("spec", {})
    for name, amount in spec.get("minResources", {}).items():
        spec["minResources"][name] = quantity(amount)
    for key in ("containers", "initContainers"):
        for container in spec.get(key, []):
            _container(container)
    for volume in spec.get("volumes", []):
        if "sizeLimit" in volume.get("emptyDir", {}):
            volume["emptyDir"]["sizeLimit"] = quantity(volume["emptyDir"]["sizeLimit"])
    return _empty(tree)  # type: ignore[no-any-return]


def _container(container: dict[str, Any]) -> None:
    for port in container.get("ports", []):
        if port.get("protocol") == "TCP":  # the CRD's default, which the operator copies or not by version
            del port["protocol"]
    for entry in container.get("env", []):
        if entry.get("value") == "":
            del entry["value"]
        if entry.get("valueFrom", {}).get("resourceFieldRef", {}).get("divisor") == "0":
            del entry["valueFrom"]["resourceFieldRef"]["divisor"]  # left out of the recordings
    resources = container.get("resources", {})
    for side in ("limits", "requests"):
        for name, amount in list(resources.get(side, {}).items()):
            resources[side][name] = quantity(amount)
    limits, requests = resources.get("limits", {}), resources.get("requests", {})
    for name, amount in limits.items():
        if requests.get(name) == amount:
            del requests[name]


def _empty(value: Any) -> Any:
    """Without empty lists and mappings, which Go's JSON leaves out; ``emptyDir: {}`` keeps its own."""
    if isinstance(value, dict):
        kept = {name: _empty(item) for name, item in value.items()}
        return {name: item for name, item in kept.items() if item not in ({}, []) or name == "emptyDir"}
    if isinstance(value, list):
        return [_empty(item) for item in value]
    return value


_UNITS: dict[str, Decimal | int] = {"m": Decimal("0.001"), "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_UNITS |= {"P": 10**15, "E": 10**18}
_UNITS |= {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60}


def quantity(amount: Any) -> Any:
    """A quantity as text of an exact number, other things as they are."""
    text = str(amount)
    for unit in sorted(_UNITS, key=len, reverse=True):
        if text.endswith(unit):
            try:
                return str((Decimal(text[: -len(unit)]) * _UNITS[unit]).normalize())
            except InvalidOperation:
                return amount
    try:
        return str(Decimal(text).normalize())
    except InvalidOperation:
        return amount


def differences(expected: Any, got: Any, path: str = "") -> list[str]:
    """What differs, as ``pointer: recorded … expanded …``."""
    if isinstance(expected, dict) and isinstance(got, dict):
        found = []
        for key in [*expected, *(key for key in got if key not in expected)]:
            found += differences(expected.get(key, "(absent)"), got.get(key, "(absent)"), f"{path}/{key}")
        return found
    if isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        pairs = enumerate(zip(expected, got, strict=True))
        return [one for at, (a, b) in pairs for one in differences(a, b, f"{path}/{at}")]
    if expected == got:
        return []
    return [f"{path}: recorded {json.dumps(expected)[:200]}, expanded {json.dumps(got)[:200]}"]


def leaves(value: Any) -> int:
    """How many scalars an object holds."""
    if isinstance(value, dict):
        return sum(leaves(item) for item in value.values())
    if isinstance(value, list):
        return sum(leaves(item) for item in value)
    return 1
