"""``expand`` of TrainJobs and JobSets against recordings of Trainer 2.3.0 and JobSet 0.12.0, object by object."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.operators import by_object
from specgen.operators.expand import expand_manifest
from specgen.operators.expansion import Expansion
from tests.operators.recordings import _change, _container, _empty, differences, leaves, quantity, recorded
from tests.operators.trainer_recordings import Record, manifest, records

DATA = yaml.safe_load((Path(__file__).parent / "trainer_exceptions.yaml").read_text(encoding="utf-8"))
EXCEPTIONS: dict[str, str] = DATA["exceptions"] or {}
GAPS: dict[str, str] = DATA["gaps"] or {}
GROUPS = {
    "jobsets": "JobSet",
    "jobs": "Job",
    "pods": "Pod",
    "services": "Service",
    "configmaps": "ConfigMap",
    "secrets": "Secret",
    "podgroups": "PodGroup",
    "persistentvolumeclaims": "PersistentVolumeClaim",
}


def _expand(record: Record) -> list[Expansion]:
    """The job's expansion, and those of JobSets that stand beside a TrainJob; none: not stored or not served."""
    job = record.job()
    found = []
    companions = record.companions()
    others = [one for one in companions if one.ref.kind == "JobSet" and record.data["kind"] != "JobSet"]
    for one in [job, *others]:
        backend = by_object(one.ref.api_version, one.ref.kind)
        if backend is not None:
            beside = [other for other in companions if other.tree is not one.tree]
            expansion, _ = expand_manifest(one, backend, lenient=record.refused_strictly, companions=beside)
            found += [] if expansion is None else [expansion]
    return found


def _resumed(record: Record) -> list[Expansion] | None:
    """The expansion of a job that was suspended, as a later stage resumed it; None: none did."""
    job = record.job()
    tree = json.loads(json.dumps(job.tree))
    if (tree.get("spec") or {}).get("suspend") is not True:
        return None
    for stage in record.data.get("stages", ()):
        for pointer, value in stage.get("changed", {}).get(f"{job.ref.kind}/{job.ref.name}", {}).items():
            if pointer.startswith("/spec/"):
                _change(tree, pointer, value)
    if tree["spec"]["suspend"] is True:
        return None
    companions = record.companions()
    backend = by_object(job.ref.api_version, job.ref.kind)
    assert backend is not None
    expansion, _ = expand_manifest(manifest(tree), backend, companions=companions)
    assert expansion is not None
    return [expansion]


def _got(expansions: list[Expansion], kind: str) -> dict[str, dict[str, Any]]:
    """The objects of a kind in the words of the recordings."""
    found = {}
    for expansion in expansions:
        for tree in expansion.objects:
            if tree["kind"] == kind:
                name = tree["metadata"]["name"]
                key = f"{tree['apiVersion']} {name}" if kind == "PodGroup" else name
                found[key] = _normal(_flat(tree))
    return found


def _flat(tree: dict[str, Any]) -> dict[str, Any]:
    metadata = tree["metadata"]
    flat = {
        "name": metadata["name"],
        **{key: metadata[key] for key in ("labels", "annotations", "finalizers") if key in metadata},
    }
    if metadata.get("ownerReferences"):
        owner = metadata["ownerReferences"][0]
        flat["owner"] = f"{owner['kind']}/{owner['name']}"
    if tree["kind"] == "PodGroup":
        flat["apiVersion"] = tree["apiVersion"]
    if tree["kind"] == "Secret":
        flat |= {"keys": sorted(tree["data"]), "type": tree["type"]}
        flat |= {"immutable": tree["immutable"]} if "immutable" in tree else {}
    elif tree["kind"] == "ConfigMap":
        flat["data"] = {key: _text(text) for key, text in tree["data"].items()}
    else:
        flat["spec"] = tree["spec"]
    return flat


def _text(text: str) -> Any:
    """A snapshot as the tree in it, a script as the lines that are the job's own, other text as it is."""
    if text.startswith("apiVersion:"):
        return yaml.safe_load(text)
    return text.split("\n")[1:-1] if text.startswith("<") else text


def _expected(record: Record, group: str) -> dict[str, dict[str, Any]]:
    data = record.data
    if group == "jobsets":
        jobset = data.get("jobset")
        if data["kind"] == "JobSet" or jobset is None:
            return {}
        return {jobset["name"]: _normal({key: value for key, value in jobset.items() if key != "status"})}
    found = {}
    if group == "podgroups":  # two of different groups may have one name
        return {f"{tree['apiVersion']} {tree['name']}": _normal(tree) for tree in data.get(group, [])}
    for name, tree in recorded(data.get(group, [])).items():
        key = name
        if group == "configmaps":
            tree = {**tree, "data": {part: _recorded_text(text) for part, text in tree["data"].items()}}
        found[key] = _normal(tree)
    return found


def _recorded_text(text: Any) -> Any:
    if isinstance(text, dict) and "yaml_of" in text:
        return {**text["yaml_of"], "spec": text["spec"]}
    return text["lines_of_this_job"] if isinstance(text, dict) and "lines_of_this_job" in text else text


def _normal(tree: dict[str, Any]) -> Any:
    """An object for comparison: quantities as exact numbers, without what the API server fills in or leaves out."""
    tree = json.loads(json.dumps(tree))
    _walk(tree)
    return _empty(tree)


def _walk(value: Any) -> None:
    if isinstance(value, list):
        for item in value:
            _walk(item)
    if not isinstance(value, dict):
        return
    for key in ("containers", "initContainers"):
        for container in value.get(key) or ():
            _container(container)
    if value.get("backoffLimit") == 6 and "parallelism" in value:
        del value["backoffLimit"]
    if value.get("podReplacementPolicy") == "TerminatingOrFailed":
        del value["podReplacementPolicy"]
    for key in ("sizeLimit", "storage"):
        if key in value:
            value[key] = quantity(value[key])
    if "minResources" in value:
        value["minResources"] = {name: quantity(amount) for name, amount in value["minResources"].items()}
    for item in value.values():
        _walk(item)


def _follows(tree: dict[str, Any]) -> bool:
    chosen = (tree.get("spec") or {}).get("nodeSelector") or {}
    return tree.get("kind", "Pod") == "Pod" and any(str(one).startswith("<") for one in chosen.values())


def _compared(record: Record, counts: dict[str, int]) -> list[str]:
    expansions, resumed = _expand(record), _resumed(record)
    found = []
    for group, kind in GROUPS.items():
        expected, got = _expected(record, group), _got(expansions, kind)
        if group == "pods" and resumed is not None:
            got = _got(resumed, kind)
        # no scheduler was there: followers of exclusive placement wait until their leader has a node
        got = {name: one for name, one in got.items() if not _follows(one)}
        if sorted(expected) != sorted(got):
            found.append(f"{group}: recorded {list(expected)}, expanded {list(got)}")
        for name in expected:
            if name in got:
                if group == "configmaps":
                    _as_stored(expected[name], got[name])
                counts[group] = counts.get(group, 0) + 1
                counts["fields"] += leaves(expected[name])
                found += [f"{group} {name}{one}" for one in differences(expected[name], got[name])]
    return found


@pytest.mark.soak
def test_refusals(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A job that nobody stored is refused here too, by name; one that was stored is not; one without pods says why."""
    counts = {"refused by both": 0, "stored by both": 0, "stored, without pods": 0}
    failures = []
    for record in records(shared):
        job = record.job()
        if by_object(job.ref.api_version, job.ref.kind) is None:
            counts["refused by both"] += 1  # a version of the kind that nobody serves
            assert record.refused
            continue
        expansions = _expand(record)
        refusals = [(one.kind, one.by, one.reason) for expansion in expansions for one in expansion.refusals]
        own = not expansions or any(kind == job.ref.kind for kind, _, _ in refusals)
        if own == record.refused:
            counts["refused by both" if own else "stored by both"] += 1
        elif record.name not in EXCEPTIONS:
            failures.append(f"{record.name}: refused {record.refused}, here {refusals}")
        if not own and not record.data.get("pods"):
            counts["stored, without pods"] += 1
            words = [one for expansion in expansions for one in (expansion.idle, *expansion.notes) if one]
            none = (job.tree["spec"].get("trainer") or {}).get("numNodes") == 0
            if not refusals and not words and not none and record.name not in EXCEPTIONS:
                failures.append(f"{record.name}: no pods, and nobody says why")
    with capsys.disabled():
        print(
            f"\nTrainJob and JobSet, refusals: {', '.join(f'{count} {what}' for what, count in counts.items())}",
            end=" ",
        )
    assert not failures, "\n".join(failures)


def test_every_exception_has_a_reason() -> None:
    assert all(isinstance(reason, str) and len(reason) > 20 for reason in [*EXCEPTIONS.values(), *GAPS.values()])


def _as_stored(expected: dict[str, Any], got: dict[str, Any]) -> None:
    """A snapshot whose spec the recording does not hold is only asked for its head."""
    runtime = (expected.get("data") or {}).get("runtime")
    if isinstance(runtime, dict) and runtime.get("spec") == "as stored":
        got["data"]["runtime"]["spec"] = "as stored"


def test_objects(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counts = {"records": 0, "fields": 0}
    failures, used = [], set()
    for record in records(shared):
        counts["records"] += 1
        found = _compared(record, counts)
        if record.name in EXCEPTIONS:
            used.add(record.name)
            if not found:
                failures.append(f"{record.name}: its exception is not used")
        elif found:
            failures.append("\n  ".join([record.name, *found[:8]]))
    with capsys.disabled():
        said = ", ".join(f"{counts[key]} {key}" for key in counts)
        print(f"\nTrainJob and JobSet, Trainer 2.3.0 and JobSet 0.12.0: {said}", end=" ")
        for gap, reason in GAPS.items():
            print(f"\n  gap: {gap}: {reason}", end=" ")
    failures += [f"{name}: its exception is not used" for name in EXCEPTIONS if name not in used]
    assert not failures, f"{len(failures)} records\n" + "\n".join(failures)
    assert counts["pods"] > 300
