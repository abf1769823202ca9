"""What is said of updates, against the API server and operators that were asked to make them.

Refused is what was refused, a restart is where all pods were deleted, in place where some came or went; where nothing
happened to any pod, nothing of that is said.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.document.tree import Document, Mapping
from specgen.manifest.model import Manifest
from specgen.operators import by_object
from specgen.operators.difference import Side, difference
from specgen.operators.updates import (
    ASIDE,
    EFFECTS,
    IN_PLACE,
    LATER,
    NEVER,
    REFUSED,
    RESTARTS,
    UNKNOWN,
    Update,
    effects,
)
from specgen.operators.worded import spelled
from specgen.source import Source
from tests.operators import trainer_recordings
from tests.operators.recordings import Record

NOTHING = {LATER, NEVER, ASIDE}
Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def manifest(tree: dict[str, Any]) -> Manifest:
    return Manifest(tree, Document(Source("<recording>", ""), Mapping(0), 0))


def patched(tree: Any, patch: Any) -> Any:
    """A merge patch, as RFC 7396 has it; containers by name, as the recorded patches mean them."""
    if isinstance(patch, list) and isinstance(tree, list) and all(isinstance(one, dict) for one in (*patch, *tree)):
        return [patched(one, next((new for new in patch if new.get("name") == one.get("name")), {})) for one in tree]
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    found = dict(tree) if isinstance(tree, dict) else {}
    for key, value in patch.items():
        if value is None:
            found.pop(key, None)
        else:
            found[key] = patched(found.get(key), value)
    return found


def worst(old: dict[str, Any], new: dict[str, Any], version: str | None = None) -> str:
    """What is said of an update as a whole; empty: nothing changed."""
    reader = by_object(old["apiVersion"], old["kind"])
    assert reader is not None
    version = version or reader.newest
    found = effects(Update(reader, reader.read(manifest(old), version), reader.read(manifest(new), version)))
    return min((effect.how for _, effect in found), key=EFFECTS.index, default="")


def stages(shared: Path) -> Iterator[tuple[str, str, dict[str, Any], dict[str, Any], str, set[str]]]:
    """(recording, version, before, after, what happened, what may be said of it) of each patch of a job."""
    for folder in ("training-operator-1.7.0", "training-operator-1.8.1", "training-operator-1.9.4"):
        yield from of_folder(shared, folder)
    for folder in ("mpi-operator-0.4.0", "mpi-operator-0.6.0", "mpi-operator-0.8.2"):
        yield from of_folder(shared, folder)


def of_folder(shared: Path, folder: str) -> Iterator[tuple[str, str, dict[str, Any], dict[str, Any], str, set[str]]]:
    for file in sorted((shared / "conformance" / folder / "probes").glob("*.json")):
        text = file.read_text("utf-8")
        if '"patch"' not in text:
            continue
        record = Record(folder.rpartition("-")[2], file.name, json.loads(text), shared)
        tree = record.manifest().tree
        for stage in record.data["stages"]:
            if "patch" in stage:
                after = patched(tree, stage["patch"])
                made = [name for name in stage.get("created", ()) if name.startswith("Pod/")]
                gone = [name for name in stage.get("deleted", ()) if name.startswith("Pod/")]
                suspended = after["spec"].get("runPolicy", {}).get("suspend") is True
                happened = "restart" if gone and suspended else "in place" if made or gone else "nothing"
                said = {"restart": {RESTARTS}, "in place": {IN_PLACE}, "nothing": NOTHING}[happened]
                yield f"{folder}/{file.name}", record.version, tree, after, happened, said
                tree = after


def test_recorded_patches(shared: Path) -> None:
    wrong, kinds = [], set()
    for name, version, old, new, happened, said in stages(shared):
        found = worst(old, new, version)
        kinds.add((old["kind"], happened))
        if found not in said:
            wrong.append((name, happened, found))
    assert wrong == []
    assert {("PyTorchJob", one) for one in ("restart", "in place", "nothing")} <= kinds
    assert {("MPIJob", one) for one in ("restart", "in place")} <= kinds and ("TFJob", "in place") in kinds


# What was done to a recorded TrainJob, in the words of the record → the patch.
NODE = {"name": "node", "template": {"spec": {"template": {"spec": {"nodeSelector": {"flavor": "h100"}}}}}}
PATCH = [{"manager": "example.com/a", "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": [NODE]}}}}]
ACCOUNT = copy.deepcopy(PATCH)
ACCOUNT[0]["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"] = {  # type: ignore[index]
    "serviceAccountName": "sa"
}
DONE: dict[str, tuple[dict[str, Any], set[str]]] = {
    "trainer.numNodes 3": ({"trainer": {"numNodes": 3}}, {REFUSED}),
    "trainer.image": ({"trainer": {"image": "another:1"}}, {REFUSED}),
    "trainer.env added": ({"trainer": {"env": [{"name": "A", "value": "a"}]}}, {REFUSED}),
    "runtimeRef.name": ({"runtimeRef": {"name": "another"}}, {REFUSED}),
    "activeDeadlineSeconds 60": ({"activeDeadlineSeconds": 60}, NOTHING),
    "spec.trainer removed": ({"trainer": None}, NOTHING),
    "a runtime patch added": ({"runtimePatches": PATCH}, {REFUSED}),
    "spec.suspend false": ({"suspend": False}, {IN_PLACE}),
    "spec.suspend true": ({"suspend": True}, {RESTARTS}),
    "a runtime patch with serviceAccountName, while suspended": ({"runtimePatches": ACCOUNT}, {NEVER}),
    "a runtime patch added and spec.suspend false in one update": (
        {"runtimePatches": PATCH, "suspend": False},
        {IN_PLACE},
    ),
}


def test_recorded_trainjobs(shared: Path) -> None:
    met = set()
    for name in ("immutable", "patch-running", "suspend-resume", "suspend-patch", "suspend-patch-forbidden"):
        file = shared / "conformance/trainer-2.3.0/probes" / f"life-{name}.json"
        record = trainer_recordings.Record(file.name, json.loads(file.read_text("utf-8")), shared)
        tree = record.job().tree
        for stage in record.data["stages"]:
            if stage["did"] in DONE:
                patch, said = DONE[stage["did"]]
                after = patched(tree, {"spec": patch})
                found = worst(tree, after)
                assert found in said, (name, stage["did"], found)
                assert (found == REFUSED) is not stage["answer"]["accepted"], (name, stage["did"])
                met.add(stage["did"])
                tree = after if stage["answer"]["accepted"] else tree
    assert met == set(DONE)


def test_recorded_kueue(shared: Path) -> None:
    """Patches of jobs of Kueue's queues; of some nothing is known, such as what the world itself undoes."""
    met = set()
    for name in (
        "label-added-to-running",
        "label-changed-running",
        "label-removed-from-running",
        "replicas-changed-running",
        "true-without-label",
    ):
        file = shared / "conformance/schedulers/kueue" / f"suspend-{name}.yaml"
        world = yaml.load(file.read_text("utf-8"), Loader=Loader)
        data = json.loads(file.with_suffix(".json").read_text("utf-8"))
        (tree,) = world["jobs"]
        (stage,) = [one for one in data["settled"] if one.get("did", {}).get("patch", {}).get("name") == "bert"]
        found = worst(tree, patched(tree, stage["did"]["patch"]["body"]))
        assert (found == REFUSED) == ("result" in stage), name
        met.add(found)
    assert met == {REFUSED, RESTARTS, IN_PLACE}


def job(kind: str, **spec: Any) -> dict[str, Any]:
    groups = {"JobSet": "jobset.x-k8s.io/v1alpha2", "Job": "batch.volcano.sh/v1alpha1"}
    groups |= {"TrainJob": "trainer.kubeflow.org/v1alpha1", "MSJob": "mindspore.gitee.com/v1"}
    version = groups.get(kind, "kubeflow.org/v2beta1" if kind == "MPIJob" else "kubeflow.org/v1")
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "a"}, "spec": spec}


def role(replicas: int = 1, image: str = "a:1", **pod: Any) -> dict[str, Any]:
    return {"replicas": replicas, "template": {"spec": {"containers": [{"name": "a", "image": image}], **pod}}}


def asking(amount: str) -> dict[str, Any]:
    found = role()
    found["template"]["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": amount}}
    return found


def queued(tree: dict[str, Any]) -> dict[str, Any]:
    return {**tree, "metadata": {"name": "a", "labels": {"kueue.x-k8s.io/queue-name": "q"}}}


def replicated(parallelism: int = 1, **pod: Any) -> list[dict[str, Any]]:
    template = {"spec": {"containers": [{"name": "a", "image": "a:1"}], **pod}}
    return [{"name": "node", "template": {"spec": {"parallelism": parallelism, "template": template}}}]


def task(replicas: int = 1, image: str = "a:1", name: str = "worker") -> dict[str, Any]:
    return {"name": name, **role(replicas, image)}


QUEUE = {"runPolicy": {"schedulingPolicy": {"queue": "a"}}}
OTHER = {"runPolicy": {"schedulingPolicy": {"queue": "b"}}}
# Before, after, release (empty: the newest), what is said.
CASES: dict[str, tuple[dict[str, Any], dict[str, Any], str, str]] = {
    "volcano replicas": (job("Job", tasks=[task()]), job("Job", tasks=[task(2)]), "", IN_PLACE),
    "volcano image": (job("Job", tasks=[task()]), job("Job", tasks=[task(image="a:2")]), "", REFUSED),
    "volcano task added": (job("Job", tasks=[task()]), job("Job", tasks=[task(), task(name="ps")]), "", REFUSED),
    "volcano least": (job("Job", minAvailable=1), job("Job", minAvailable=2), "", IN_PLACE),
    "volcano queue": (job("Job", queue="a"), job("Job", queue="b"), "", REFUSED),
    "volcano ttl": (job("Job"), job("Job", ttlSecondsAfterFinished=60), "", REFUSED),
    "jobset pods": (
        job("JobSet", replicatedJobs=replicated()),
        job("JobSet", replicatedJobs=replicated(2)),
        "",
        REFUSED,
    ),
    "jobset selector": (
        job("JobSet", replicatedJobs=replicated()),
        job("JobSet", replicatedJobs=replicated(nodeSelector={"a": "b"})),
        "",
        REFUSED,
    ),
    "jobset selector, suspended": (
        job("JobSet", replicatedJobs=replicated(), suspend=True),
        job("JobSet", replicatedJobs=replicated(nodeSelector={"a": "b"}), suspend=True),
        "",
        IN_PLACE,
    ),
    "jobset failures": (
        job("JobSet", failurePolicy={"maxRestarts": 1}),
        job("JobSet", failurePolicy={"maxRestarts": 2}),
        "",
        REFUSED,
    ),
    "jobset failures added": (job("JobSet"), job("JobSet", failurePolicy={"maxRestarts": 2}), "", IN_PLACE),
    "jobset network added": (job("JobSet"), job("JobSet", network={"enableDNSHostnames": False}), "", REFUSED),
    "jobset ttl": (job("JobSet"), job("JobSet", ttlSecondsAfterFinished=60), "", IN_PLACE),
    "msjob replicas": (
        job("MSJob", msReplicaSpecs={"Worker": role()}),
        job("MSJob", msReplicaSpecs={"Worker": role(2)}),
        "",
        IN_PLACE,
    ),
    "msjob image": (
        job("MSJob", msReplicaSpecs={"Worker": role()}),
        job("MSJob", msReplicaSpecs={"Worker": role(image="a:2")}),
        "",
        LATER,
    ),
    "launcher": (
        job("MPIJob", mpiReplicaSpecs={"Launcher": role()}),
        job("MPIJob", mpiReplicaSpecs={"Launcher": role(image="a:2")}),
        "",
        NEVER,
    ),
    "launcher's deadline": (
        job("MPIJob", runPolicy={"activeDeadlineSeconds": 1}),
        job("MPIJob", runPolicy={"activeDeadlineSeconds": 2}),
        "",
        NEVER,
    ),
    "worker's image": (
        job("MPIJob", mpiReplicaSpecs={"Worker": role()}),
        job("MPIJob", mpiReplicaSpecs={"Worker": role(image="a:2")}),
        "",
        LATER,
    ),
    "queue": (job("PyTorchJob", **QUEUE), job("PyTorchJob", **OTHER), "", REFUSED),
    "queue added": (job("PyTorchJob"), job("PyTorchJob", **OTHER), "", IN_PLACE),
    "queue of 1.7": (job("PyTorchJob", **QUEUE), job("PyTorchJob", **OTHER), "1.7.0", IN_PLACE),
    "manager": (
        job("TFJob"),
        job("TFJob", runPolicy={"managedBy": "kueue.x-k8s.io/multikueue"}),
        "",
        REFUSED,
    ),
    "backoff": (
        job("PyTorchJob", runPolicy={"backoffLimit": 1}),
        job("PyTorchJob", runPolicy={"backoffLimit": 2}),
        "",
        IN_PLACE,
    ),
    "trainer's image in 2.1": (
        job("TrainJob", trainer={"image": "a:1"}),
        job("TrainJob", trainer={"image": "a:2"}),
        "2.1.0",
        NEVER,
    ),
    "runtime in 2.1": (
        job("TrainJob", runtimeRef={"name": "a"}),
        job("TrainJob", runtimeRef={"name": "b"}),
        "2.1.0",
        REFUSED,
    ),
    "labels": (job("PyTorchJob"), {**job("PyTorchJob"), "metadata": {"name": "a", "labels": {"a": "b"}}}, "", ASIDE),
    "queued amounts": (
        queued(job("PyTorchJob", pytorchReplicaSpecs={"Worker": asking("1")})),
        queued(job("PyTorchJob", pytorchReplicaSpecs={"Worker": asking("2")})),
        "",
        RESTARTS,
    ),
    "queued workers of mpirun": (
        queued(job("MPIJob", mpiReplicaSpecs={"Worker": role()})),
        queued(job("MPIJob", mpiReplicaSpecs={"Worker": role(2)})),
        "",
        RESTARTS,
    ),
    "queued image": (
        queued(job("PyTorchJob", pytorchReplicaSpecs={"Worker": role()})),
        queued(job("PyTorchJob", pytorchReplicaSpecs={"Worker": role(image="a:2")})),
        "",
        UNKNOWN,
    ),
    "spec of another type": (job("PyTorchJob"), {**job("PyTorchJob"), "spec": "a"}, "", UNKNOWN),
}


@pytest.mark.parametrize("name", CASES)
def test_made_up(name: str) -> None:
    old, new, version, said = CASES[name]
    assert worst(old, new, version) == said


def changed(tree: Any, pointer: str, value: Any) -> None:
    """Sets what stands at a JSON pointer, or takes it away: None."""
    *way, last = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    for step in way:
        if isinstance(tree, list):
            tree = tree[int(step)]
        else:
            tree[step] = tree.get(step) or {}
            tree = tree[step]
    if isinstance(tree, list):
        tree[int(last) :] = [] if value is None else [value]
    elif value is None:
        tree.pop(last, None)
    else:
        tree[last] = value


OWNED = {"uid": "1", "resourceVersion": "2", "creationTimestamp": "2026-01-01T00:00:00Z", "generation": 3}


def rows(live: dict[str, Any], tree: dict[str, Any]) -> list[str]:
    """What is said to differ between a live job and its manifest."""
    live = {**live, "metadata": {**live["metadata"], **OWNED}, "status": {"startTime": "2026-01-01T00:00:00Z"}}
    reader = by_object(tree["apiVersion"], tree["kind"])
    assert reader is not None
    sides = [Side(manifest(one), reader, reader.newest, live=one is live) for one in (live, tree)]
    return [spelled(row.path) for row in difference(*sides).rows]


STORED = sorted((Path(__file__).parent / "stored").glob("*.yaml"))


@pytest.mark.parametrize("file", STORED, ids=lambda file: file.stem)
def test_live_and_file(file: Path) -> None:
    """A live job and its file, in files of ``stored``: the fields that differ, with the live side old, and new."""
    case = yaml.safe_load(file.read_text("utf-8"))
    reader = by_object(case["file"]["apiVersion"], case["file"]["kind"])
    assert reader is not None
    live, own = (
        Side(
            manifest(case[side]),
            reader,
            reader.newest,
            gang=case.get("gang"),
            companions=[manifest(case[f"{side}_beside"])] if f"{side}_beside" in case else (),
            live=side == "live",
        )
        for side in ("live", "file")
    )
    for sides in ((live, own), (own, live)):
        found = difference(*sides)
        assert sorted(spelled(row.path) for row in found.rows) == sorted(case["changed"])
        assert found.is_none is (case["changed"] == [])


def test_what_is_stored_is_no_difference(shared: Path) -> None:
    """Of each sort of defaults that was recorded one job: live, it is what its manifest says."""
    met: set[tuple[str, ...]] = set()
    for folder in ("training-operator-1.9.4", "mpi-operator-0.8.2", "ms-operator-1.0.0", "trainer-2.3.0"):
        for file in sorted((shared / "conformance" / folder / "probes").glob("*.json")):
            data = json.loads(file.read_text("utf-8"))
            stored = (data.get("job") or {}).get("stored_changes")
            sort = (data["kind"], *sorted(stored or ()))
            if not stored or sort in met or file.stem.startswith("yaml-key-y"):
                continue
            met.add(sort)
            if data["kind"] == "TrainJob":
                tree = trainer_recordings.Record(file.name, data, shared).job().tree
            else:
                tree = Record("", file.name, data, shared).manifest().tree
            live = copy.deepcopy(tree)
            for pointer, value in stored.items():
                changed(live, pointer, value)
            assert rows(live, tree) == [], file.name
    assert len(met) > 20


def test_what_kueue_writes_is_no_difference(shared: Path) -> None:
    met = set()
    for file in sorted((shared / "conformance/schedulers/kueue").glob("[kst]*.json")):
        data = json.loads(file.read_text("utf-8"))
        jobs = {
            one["metadata"]["name"]: one
            for one in yaml.load(file.with_suffix(".yaml").read_text("utf-8"), Loader=Loader).get("jobs", ())
            if by_object(one["apiVersion"], one["kind"]) is not None and "name" in one["metadata"]
        }
        if any(stage.get("did", {}).get("patch", {}).get("name") in jobs for stage in data["settled"]):
            continue  # the world itself changes its jobs
        for stage in (data, *data["settled"]):
            for name, changes in stage.get("stored_changes", {}).items():
                if name in jobs:
                    live = copy.deepcopy(jobs[name])
                    for one in changes:
                        changed(live, one["path"], one.get("stored"))
                    assert rows(live, jobs[name]) == [], (file.name, name)
                    met.add(jobs[name]["kind"])
    assert {"PyTorchJob", "MPIJob", "JobSet", "TrainJob", "TFJob"} <= met, met
