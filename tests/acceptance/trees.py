"""Manifests in a form that compares by meaning: named lists by name, command lines as one, both roles at once.

`normalised` turns a job or a runtime into mappings only; `differences` are (path, left, right) of two of them;
`reviewed` holds them against a list that a person wrote, in which every line has its reason.
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
from specgen.quantity import bytes_of, millis
from specgen.source import Source, dotted
from tests.acceptance.mpi_facts import facts

Difference = tuple[str, Any, Any]
# The kinds that hold pods; what stands beside them in a file is compared by other tests.
KINDS = ("PyTorchJob", "TFJob", "MPIJob", "MSJob", "TrainJob", "TrainingRuntime", "ClusterTrainingRuntime")
_LONGEST = 160
_LINE = "\n"


class Folder:
    """Profile files anywhere on disk, without the command line's limits; ``more`` stands in for absent ones."""

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


def compiled(path: Path, library: Library | None = None, files: Folder | None = None) -> Result:
    """A job profile, compiled; what it names is found beside it."""
    source, findings = (files or Folder()).read(str(path))
    assert source is not None, findings
    return compile_source(source, library or Library(Folder()))


def manifest(path: Path) -> tuple[dict[str, Any], list[str]]:
    """The job of a hand-written file by specgen's reader, and the codes of what the reader finds."""
    found, codes = manifests(path)
    return found[0], codes


def manifests(path: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """The objects with pods of a hand-written file by specgen's reader, and the codes of what the reader finds."""
    source, _ = decode(path.name, path.read_bytes())
    assert source is not None
    documents, findings = read(source)
    jobs = [one.data for one in documents if isinstance(one.data, dict) and one.data.get("kind") in KINDS]
    return jobs, sorted(finding.code.id for finding in findings)


def together(trees: list[dict[str, Any]], *, names: bool) -> dict[str, Any]:
    """The objects of one job, normalised: the job itself, or it and its `Runtime` where one stands beside it."""
    if len(trees) == 1:
        return normalised(trees[0], names=names)
    assert len({tree["kind"] for tree in trees}) == len(trees), "two objects of one kind"
    named = {"Runtime" if "Runtime" in str(tree["kind"]) else str(tree["kind"]): tree for tree in trees}
    return {kind: normalised(named[kind], names=names) for kind in sorted(named)}


def normalised(tree: dict[str, Any], *, names: bool) -> dict[str, Any]:
    """The job with its pod templates as mappings.

    With ``names`` volumes keep theirs, and amounts stay as written. Without, a mount holds the source of its volume,
    requests that are absent are the limits, and amounts are numbers (of bytes, and of thousandths for CPU).
    """
    job = {key: value for key, value in tree.items() if key != "spec"}
    spec = dict(tree["spec"])
    if "Runtime" in str(tree["kind"]):
        inner = dict(spec["template"]["spec"])
        roles = {}
        for one in inner.pop("replicatedJobs"):
            batch = dict(one["template"].get("spec") or {})
            template = _template(batch.pop("template"), names)
            labels = one["template"].get("metadata") or {}
            roles[one["name"]] = {
                **_without(_without(one, "name"), "template"),
                "job": {**labels, **batch},
                "template": template,
            }
        spec["template"] = {**spec["template"], "spec": inner}
    elif tree["kind"] == "TrainJob":
        trainer = spec.get("trainer")
        if trainer:
            spec["trainer"] = _container(trainer, {}, names)
        return {**job, "spec": spec}
    else:
        (key,) = (key for key in spec if key.endswith("ReplicaSpecs"))
        roles = {
            # operators that take a role in any case of letters correct it
            "PS" if name == "Ps" else name: {**role, "template": _template(role["template"], names)}
            for name, role in spec.pop(key).items()
        }
        if "Launcher" in roles:
            # the first container of a role is the program's, whatever its name is
            mains = {name: role["template"]["spec"]["containers"] for name, role in roles.items()}
            mains["Launcher"]["0"] = facts(mains["Launcher"]["0"])
            for containers in mains.values():
                containers["0"] = _without(containers["0"], "name")
        spec.setdefault("runPolicy", {})
    spec["roles"] = roles
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
    one = {key: value for key, value in container.items() if value is not None}
    one["argv"] = [*one.pop("command", []), *one.pop("args", [])]
    one["env"] = {entry["name"]: entry.get("value", entry.get("valueFrom")) for entry in one.pop("env", [])}
    mounts = {}
    for mount in one.pop("volumeMounts", []):
        source = mount if names else {**_without(mount, "name"), "volume": volumes.get(mount["name"])}
        mounts[mount.get("mountPath", mount["name"])] = _without(source, "mountPath")
    one["volumeMounts"] = mounts
    if not names:
        for key in ("resources", "resourcesPerNode"):
            one[key] = _amounts(one.get(key) or {})
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
    """What two normalised jobs differ in. What several roles differ in alike is said once; of lists, the words."""
    found: dict[str, list[str]] = {}
    order: list[tuple[Any, str, str, Any, Any]] = []
    for path, one, two in plain_differences(_folded(left), _folded(right)):
        one, two = _words(one, two)
        at = path.index("roles") if "roles" in path else len(path)
        if len(path) <= at + 2:
            order.append((path, "", "", one, two))
            continue
        before, role, rest = dotted(path[: at + 1]), str(path[at + 1]), dotted(path[at + 2 :])
        same = f"{before} {rest} {one!r} {two!r}"
        if same not in found:
            order.append((same, before, rest, one, two))
        found.setdefault(same, []).append(role)
    return [
        (f"{before}.{' and '.join(found[same])}.{rest}" if before else dotted(same), one, two)
        for same, before, rest, one, two in order
    ]


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
