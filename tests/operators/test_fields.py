"""What becomes of each field: on small jobs by what is known of them, and against the pods that were recorded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.document.tree import Document, Mapping
from specgen.manifest.model import Manifest
from specgen.operators import by_object
from specgen.operators.fields import DROPPED, KEPT, OVERRIDDEN, Field, Fields, fields
from specgen.operators.trainer.roles import runtime_of
from specgen.source import Source, dotted
from tests.operators.recordings import flattened, normal, recorded, records
from tests.operators.trainer_recordings import records as trainer_records

LARGE = [pytest.param(kind, marks=pytest.mark.soak) for kind in ("TrainJob", "PyTorchJob")]
CASES = sorted((Path(__file__).parent / "fields").glob("*.yaml"))


def _of(job: Manifest, companions: list[Manifest], version: str | None = None) -> Fields:
    reader = by_object(job.ref.api_version, job.ref.kind)
    assert reader is not None
    workload = reader.read(job, version)
    workload.companions = companions
    runtime = runtime_of(workload) if job.ref.kind == "TrainJob" else None
    found = fields(job, reader, version, companions=companions, held=[] if runtime is None else [runtime])
    assert found is not None
    return found


def _by(field: Field, found: Fields) -> str:
    """What a case writes of a field: its fate, and what overrides it."""
    by = [dotted(path) for _, path in field.by]
    there = sorted({str(found.values[spot]) for spot in field.spots}) if field.fate == OVERRIDDEN else []
    return " ".join([field.fate, *([f"is {', '.join(there)}"] if there else []), *([f"by {by[0]}"] if by else [])])


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_fates_are_as_known(case: Path) -> None:
    """The first document of a case says what is known: path → fate; the last one is the job."""
    known, *trees = yaml.safe_load_all(case.read_text(encoding="utf-8"))
    where = Document(Source(case.name, ""), Mapping(0), 0)
    *beside, job = [Manifest(tree, where) for tree in trees]
    found = _of(job, beside, known.get("version"))
    got: dict[str, dict[str, str]] = {}
    for field in found.fields:
        got.setdefault(field.manifest.ref.kind, {})[dotted(field.path)] = _by(field, found)
    for kind, fates in known["fates"].items():
        assert {path: got[kind].get(path, "absent") for path in fates} == fates
    made = {"".join(f".{step}" for step in one.spot[1]): one for one in found.made}
    for path, by in (known.get("made") or {}).items():
        assert [dotted(field.path) for field in made[path].by] == by, path


def test_two_runs_say_the_same() -> None:
    _, *trees = yaml.safe_load_all(CASES[0].read_text(encoding="utf-8"))
    where = Document(Source("case", ""), Mapping(0), 0)

    def said() -> list[Any]:
        *beside, job = [Manifest(json.loads(json.dumps(tree)), where) for tree in trees]
        found = _of(job, beside)
        return [(one.path, one.fate, one.spots, [path for _, path in one.by]) for one in found.fields]

    assert said() == said()


def _trainer(shared: Path) -> Iterator[tuple[str, Manifest, list[Manifest], dict[str, Any]]]:
    every = [one for one in trainer_records(shared) if one.data.get("pods") and not one.refused_strictly]
    some = [*every[::24], *(one for one in trainer_records(shared, "specgen/probes") if one.data.get("pods"))]
    for one in some:
        if "stages" not in one.data and one.job().ref.kind == "TrainJob":
            yield one.name, one.job(), one.companions(), recorded(one.data["pods"])


def _training(shared: Path, kind: str) -> Iterator[tuple[str, Manifest, list[Manifest], dict[str, Any]]]:
    every = [*records(shared, kind, "1.9.4"), *records(shared, kind, "1.9.4", part="specgen/built")]
    some = [one for one in every if one.data.get("pods") and not one.refused_strictly]
    odd = [one for one in some if "restart" in one.name or "template" in one.name]
    for one in [*some[::24], *odd[:6]]:
        yield one.name, one.manifest(), [], recorded(one.data["pods"])


def _walk(tree: Any, path: tuple[Any, ...]) -> Any:
    """What stands at a path of a spot; items are known by their mount paths or names."""
    for step in path:
        if isinstance(tree, list):
            wanted = step if isinstance(step, int) else step[1:-1]
            found = (
                tree[wanted : wanted + 1]
                if isinstance(wanted, int)
                else [one for one in tree if wanted in (one.get("mountPath"), one.get("name"))]
            )
            tree = found[-1] if found else None
        else:
            tree = tree.get(step) if isinstance(tree, dict) else None
    return tree


def _scalars(tree: Any) -> Iterator[Any]:
    for value in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from _scalars(value) if isinstance(value, (dict, list)) else (value,)


def _against(found: Fields, pods: dict[str, Any], counts: dict[str, int]) -> Iterator[str]:
    """What of the fates the recorded pods contradict."""
    made = {name: normal({**tree, "metadata": {"name": name}, "spec": tree["spec"]}) for name, tree in pods.items()}
    values = list(_scalars(pods))
    elsewhere = [one.value for one in found.fields]
    expanded = {tree["metadata"]["name"]: normal(flattened(tree)) for tree in found.expansion.pods}
    for field in found.fields:
        for thing, path in field.spots if field.fate in (KEPT, OVERRIDDEN) else ():
            name = found.names[thing]
            if thing[0] != "Pod" or path[0] != "spec" or name not in made:
                continue
            counts[field.fate] += 1
            # amounts and what the API server leaves out are compared as the recordings spell them
            if _walk(made[name], path) != _walk(expanded[name], path):
                yield f"{dotted(field.path)} is {field.fate}, and {name} has {_walk(made[name], path)}"
        if field.fate == DROPPED and isinstance(field.value, str) and elsewhere.count(field.value) == 1:
            counts[DROPPED] += 1
            if field.value in values:
                yield f"{dotted(field.path)} is dropped, and a pod has `{field.value}`"


@pytest.mark.parametrize("kind", [*LARGE, "TFJob", "MPIJob", "XGBoostJob", "PaddleJob", "JAXJob"])
def test_recorded_pods_hold_what_is_kept_and_not_what_is_gone(
    shared: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    counts = {"records": 0, "fields": 0, KEPT: 0, OVERRIDDEN: 0, DROPPED: 0}
    wrong = []
    for name, job, companions, pods in _trainer(shared) if kind == "TrainJob" else _training(shared, kind):
        found = _of(job, companions, None if kind == "TrainJob" else "1.9.4")
        counts["records"] += 1
        counts["fields"] += len(found.fields)
        wrong += [f"{name}: {one}" for one in _against(found, pods, counts)]
    with capsys.disabled():
        print(f"\n{kind}: " + ", ".join(f"{count} {what}" for what, count in counts.items()), end=" ")
    assert not wrong, "\n".join(wrong)
    assert counts["records"] and counts[KEPT] > 10
    assert kind not in ("TrainJob", "PyTorchJob") or counts[OVERRIDDEN] + counts[DROPPED] > 1
