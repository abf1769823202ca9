"""Manifests in a form that compares by meaning: named lists by name, command lines as one, both roles at once.

`normalised` turns a PyTorchJob into mappings only; `differences` are (path, left, right) of two of them; `reviewed`
holds them against a list that a person wrote, in which every line has its reason.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import yaml

from specgen.diagnostics.model import Finding
from specgen.document.decode import decode
from specgen.document.read import read
from specgen.emit.compare import ABSENT
from specgen.emit.compare import differences as plain_differences
from specgen.pipeline import Result, compile_source
from specgen.profile.codes import BROKEN_REFERENCE
from specgen.profile.library import Library
from specgen.profile.quantity import bytes_of, millis
from specgen.source import Source, dotted

Difference = tuple[str, Any, Any]
_BOTH = "Master and Worker"
_LONGEST = 160
_LINE = "\n"


class Folder:
    """Profile files anywhere on disk, without the command line's limits; ``more`` are files that stand in for absent ones."""

    def __init__(self, more: dict[str, bytes] | None = None) -> None:
        self.more = more or {}

    def join(self, name: str, beside: str) -> str:
        return os.path.normpath(os.path.join(os.path.dirname(beside), name))

    def read(self, name: str) -> tuple[Source | None, list[Finding]]:
        data, findings = self.content(name)
        return (None, findings) if data is None else decode(name, data)

    def content(self, name: str) -> tuple[bytes | None, list[Finding]]:
        if name in self.more:
            return self.more[name], []
        if not Path(name).is_file():
            return None, [BROKEN_REFERENCE.at((), "there is no such file")]
        return Path(name).read_bytes(), []


def compiled(path: Path, library: Library | None = None) -> Result:
    """A job profile, compiled; what it names is found beside it."""
    source, findings = Folder().read(str(path))
    assert source is not None, findings
    return compile_source(source, library or Library(Folder()))


def manifest(path: Path) -> tuple[dict[str, Any], list[str]]:
    """The job of a hand-written file by specgen's reader, else its first object, and the codes of what the reader finds."""
    source, _ = decode(path.name, path.read_bytes())
    assert source is not None
    documents, findings = read(source)
    jobs = [one.data for one in documents if "pytorchReplicaSpecs" in (one.data.get("spec") or {})]
    return (jobs or [documents[0].data])[0], sorted(finding.code.id for finding in findings)


def normalised(tree: dict[str, Any], *, names: bool) -> dict[str, Any]:
    """The job with its pod templates as mappings.

    With ``names`` volumes keep theirs, and amounts stay as written. Without, a mount holds the source of its volume,
    requests that are absent are the limits, and amounts are numbers (of bytes, and of thousandths for CPU).
    """
    job = {key: value for key, value in tree.items() if key != "spec"}
    spec = dict(tree["spec"])
    roles = spec.pop("pytorchReplicaSpecs")
    spec.setdefault("runPolicy", {})
    spec["roles"] = {name: {**role, "template": _template(role["template"], names)} for name, role in roles.items()}
    return {**job, "spec": spec}


def _template(template: dict[str, Any], names: bool) -> dict[str, Any]:
    pod = dict(template.get("spec") or {})
    volumes = {volume["name"]: _without(volume, "name") for volume in pod.pop("volumes", [])}
    for key in ("initContainers", "containers"):
        if key in pod:
            pod[key] = {str(number): _container(one, volumes, names) for number, one in enumerate(pod[key])}
    if names and volumes:
        pod["volumes"] = volumes
    for key, by in (("imagePullSecrets", "name"), ("tolerations", "key")):
        if key in pod:
            pod[key] = {str(one.get(by)): _without(one, by) for one in pod[key]}
    return {**template, "spec": pod}


def _container(container: dict[str, Any], volumes: dict[str, Any], names: bool) -> dict[str, Any]:
    one = dict(container)
    one["argv"] = [*one.pop("command", []), *one.pop("args", [])]
    one["env"] = {entry["name"]: entry.get("value", entry.get("valueFrom")) for entry in one.pop("env", [])}
    mounts = {}
    for mount in one.pop("volumeMounts", []):
        source = mount if names else {**_without(mount, "name"), "volume": volumes.get(mount["name"])}
        mounts[mount.get("mountPath", mount["name"])] = _without(source, "mountPath")
    one["volumeMounts"] = mounts
    if not names:
        one["resources"] = _amounts(one.get("resources") or {})
        one["ports"] = {str(port["containerPort"]): _without(port, "containerPort") for port in one.get("ports", [])}
    return {key: value for key, value in one.items() if value not in ({}, [])}


def _amounts(resources: dict[str, Any]) -> dict[str, Any]:
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    sides = {"limits": limits, "requests": {**limits, **requests}}
    return {side: {name: _amount(name, value) for name, value in of.items()} for side, of in sides.items() if of}


def _amount(name: str, value: Any) -> Any:
    if isinstance(value, str) and value.startswith("$"):  # a placeholder of some template
        return value
    return millis(value) if name == "cpu" else bytes_of(value)


def _without(mapping: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in mapping.items() if name != key}


def differences(left: dict[str, Any], right: dict[str, Any]) -> list[Difference]:
    """What two normalised jobs differ in. What both roles differ in alike is said once; of lists, the words apart."""
    found: dict[tuple[str, str], Difference] = {}
    order: list[Difference] = []
    for path, one, two in plain_differences(_folded(left), _folded(right)):
        one, two = _words(one, two)
        if path[:2] == ("spec", "roles") and len(path) > 3:
            rest = dotted(path[3:])
            twin = found.get((rest, "Master" if path[2] == "Worker" else "Worker"))
            if twin is not None and twin[1:] == (one, two):
                order[order.index(twin)] = (f"spec.roles.{_BOTH}.{rest}", one, two)
                continue
            found[rest, str(path[2])] = (dotted(path), one, two)
        order.append((dotted(path), one, two))
    return order


def _folded(tree: Any) -> Any:
    """Lists as tuples, so that a list is compared as a whole."""
    if isinstance(tree, dict):
        return {key: _folded(value) for key, value in tree.items()}
    return tuple(_folded(value) for value in tree) if isinstance(tree, list) else tree


def _words(left: Any, right: Any) -> tuple[Any, Any]:
    """Two lists without what they begin and end with alike, long texts with their first line alone."""
    if not isinstance(left, tuple) or not isinstance(right, tuple):
        return _plain(left), _plain(right)
    one, two = list(left), list(right)
    while one and two and one[0] == two[0]:
        del one[0], two[0]
    while one and two and one[-1] == two[-1]:
        del one[-1], two[-1]
    return _plain(one), _plain(two)


def _plain(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: _plain(value) for key, value in tree.items()}
    if isinstance(tree, str) and len(tree) > _LONGEST:
        return f"{tree[:40].partition(_LINE)[0]}… ({len(tree)} characters)"
    return [_plain(value) for value in tree] if isinstance(tree, (list, tuple)) else tree


def leaves(tree: Any) -> int:
    """How many values a normalised job holds."""
    if isinstance(tree, dict):
        return sum(leaves(value) for value in tree.values())
    return len(tree) if isinstance(tree, list) else 1


def lines(found: list[Difference]) -> list[str]:
    """``path: left -> right``, one for each difference."""
    return [f"{path}: {left} -> {right}" for path, left, right in found]


def reviewed(found: list[Difference], entries: list[dict[str, Any]]) -> list[str]:
    """What is wrong between differences and a reviewed list: unknown ones, stale ones, lines without a reason."""
    wanted = {_line(entry): entry for entry in entries}
    assert len(wanted) == len(entries), "a line of the list stands there twice"
    present = {f"{path}: {left} -> {right}" for path, left, right in found}
    wrong = [f"unknown  {line}" for line in lines(found) if line not in wanted]
    wrong += [f"stale    {line}" for line in wanted if line not in present]
    return wrong + [f"no reason for {line}" for line, entry in wanted.items() if len(str(entry.get("reason", ""))) < 15]


def _line(entry: dict[str, Any]) -> str:
    return f"{entry['path']}: {entry.get('source', ABSENT)} -> {entry.get('built', ABSENT)}"


def load(path: Path) -> Any:
    """A data file of these tests."""
    with path.open(encoding="utf-8") as file:
        return yaml.safe_load(file)
