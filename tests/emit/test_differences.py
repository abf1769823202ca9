"""What Argo CD is told to ignore, executed with jq: nothing is left of what others are recorded to write into jobs.

A field that the manifest does not have is no difference to Argo CD unless it lies within a list, since lists are
compared as a whole; so recorded defaults matter there alone. Of Kueue everything does: it changes what Git may say.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.emit import argocd
from specgen.operators import by_object
from specgen.operators.index import KINDS
from specgen.operators.volcano.facts import with_defaults
from specgen.operators.written import WRITERS, of_volcano, stored, told
from specgen.pipeline import compile_job

jq = pytest.importorskip("jq", reason="jq is absent, which runs paths of jq")

VERSIONS = {kind: version for version, kind in KINDS}
# Recorded, and left as differences: (kind, path) → why.
LEFT = {
    ("PyTorchJob", "/spec/pytorchReplicaSpecs/Worker/replicas"): "the world itself changes it",
    ("PyTorchJob", "/metadata/labels"): "a LocalQueue `default` draws the job in: a label that Git does not have",
}

# Keys without quotes, which the API server reads as booleans: a mistake of the manifest, which the linter says.
MISREAD = ("yaml-key-y-selector",)


@functools.cache
def settings(kind: str, kueue: bool) -> dict[str, list[str]]:
    """jsonPointers and jqPathExpressions of a kind."""
    readers = [one for version, name in KINDS if name == kind and (one := by_object(version, name)) is not None]
    data = argocd.settings(readers, kueue=kueue)["data"]
    (text,) = [value for key, value in data.items() if ".ignoreDifferences." in key]
    found: dict[str, list[str]] = yaml.safe_load(text)
    return found


def without(kind: str, tree: Any, *, kueue: bool) -> Any:
    """A tree after all that is ignored is gone, and what is empty then, as Argo CD does it."""
    for program in programs(kind, kueue):
        tree = program.input_value(tree).first()
    return bare(tree)


@functools.cache
def programs(kind: str, kueue: bool) -> list[Any]:
    said = settings(kind, kueue)
    paths = [f"getpath({json.dumps(one.split('/')[1:])})" for one in said.get("jsonPointers", ())]
    return [jq.compile(f"del({path})") for path in (*paths, *said["jqPathExpressions"])]


def bare(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: value for key, below in tree.items() if (value := bare(below)) not in ({}, [])}
    if isinstance(tree, list):
        return [value for one in tree if (value := bare(one)) not in ({}, [])]
    return tree


def grown(pointer: str, value: Any) -> Any:
    """The least tree that has a value at a JSON pointer."""
    for step in reversed(pointer.split("/")[1:]):
        name = step.replace("~1", "/").replace("~0", "~")
        value = [value] if name.isdigit() else {name: value}
    return value


def test_made_up() -> None:
    pod = {"spec": {"containers": [{"name": "a", "ports": [{"containerPort": 1, "protocol": "TCP"}]}]}}
    job = {"spec": {"runPolicy": {"suspend": True}, "pytorchReplicaSpecs": {"Master": {"template": pod}}}}
    left = {"containers": [{"name": "a", "ports": [{"containerPort": 1}]}]}
    roles = {"pytorchReplicaSpecs": {"Master": {"template": {"spec": left}}}}
    assert without("PyTorchJob", job, kueue=False) == {"spec": {"runPolicy": {"suspend": True}, **roles}}
    assert without("PyTorchJob", job, kueue=True) == {"spec": roles}
    patches = [{"manager": "kueue.x-k8s.io/manager", "time": "t"}, {"manager": "me", "time": "t"}]
    train = {"spec": {"suspend": False, "runtimePatches": patches}}
    assert without("TrainJob", train, kueue=True) == {"spec": {"runtimePatches": [{"manager": "me"}]}}
    for kind in VERSIONS:
        assert without(kind, {"spec": {}}, kueue=True) == {}, "what is absent is no error"


@pytest.mark.parametrize("kind", ["MSJob", "Job"])
def test_kinds_that_kueue_does_not_know(kind: str) -> None:
    assert settings(kind, True) == settings(kind, False)


def recorded(folder: Path) -> Iterator[tuple[str, str, Any]]:
    """(kind, pointer, value) of what Kueue's recordings say was stored otherwise than it was sent."""
    for file in sorted(folder.glob("*.json")):
        data = json.loads(file.read_text("utf-8"))
        kinds = {name: job["kind"] for stage in data["settled"] for name, job in stage["jobs"].items()}
        for stage in (data, *data["settled"]):
            for name, changes in stage.get("stored_changes", {}).items():
                for one in changes:
                    if "stored" in one:  # else the world took it away
                        yield kinds[name], one["path"], one["stored"]


def test_what_kueue_writes(shared: Path) -> None:
    left, kinds = set(), set()
    for kind, path, value in recorded(shared / "conformance/schedulers/kueue"):
        if kind in VERSIONS and kind != "Job":  # a batch Job there
            kinds.add(kind)
            if without(kind, grown(path, value), kueue=True) != {}:
                left.add((kind, path))
    assert left == set(LEFT)
    assert {"PyTorchJob", "TFJob", "MPIJob", "PaddleJob", "JAXJob", "JobSet", "TrainJob"} <= kinds


def test_nobody_recorded_what_volcano_and_coscheduling_write(shared: Path) -> None:
    """Were they recorded, they would have to be held against the table, as Kueue's are."""
    for name in ("volcano", "coscheduling"):
        files = sorted((shared / "conformance/schedulers" / name).glob("*.json"))
        assert files
        for file in files:
            data = json.loads(file.read_text("utf-8"))
            assert [one for one in (data, *data["settled"]) if "stored_changes" in one] == [], file.name


def test_what_volcano_writes_into_its_own_jobs_is_seen_in_podgroups(shared: Path) -> None:
    """Its webhook's sums and names: what it is taken to fill in is what its PodGroups were recorded with."""
    seen = set()
    for file in sorted((shared / "conformance/schedulers/volcano").glob("vc-*.json")):
        groups = json.loads(file.read_text("utf-8"))["settled"][0].get("podgroups", {})
        (tree,) = yaml.safe_load(file.with_suffix(".yaml").read_text("utf-8"))["jobs"][:1]
        for group in groups.values():
            whole = with_defaults(tree["spec"])
            assert group["spec"]["queue"] == whole["queue"]
            assert group["spec"]["minMember"] == whole["minAvailable"]
            assert group["spec"]["minTaskMember"] == {one["name"]: one["minAvailable"] for one in whole["tasks"]}
            # of what is filled in nothing is a difference, neither to `diff` nor, within lists, to Argo CD
            reader = by_object(tree["apiVersion"], "Job")
            assert reader is not None
            tasks = [spelled({**one, "maxRetry": 3}) for one in whole["tasks"]]
            filled = {**tree, "spec": {**whole, "tasks": tasks}}
            assert stored(reader, filled, live=True) == stored(reader, tree, live=True), file.name
            left = [without("Job", {"spec": {"tasks": own}}, kueue=False) for own in (tasks, tree["spec"]["tasks"])]
            assert left[0] == left[1], file.name
            seen |= whole.keys() - tree["spec"].keys()
    assert seen == {"queue", "maxRetry", "minAvailable", "plugins"}


def spelled(task: dict[str, Any]) -> dict[str, Any]:
    """A task as a Go program writes it: with what is empty."""
    template = json.loads(json.dumps(task["template"]))
    template["metadata"] = {"creationTimestamp": None, **template.get("metadata", {})}
    for container in template["spec"]["containers"]:
        container.setdefault("resources", {})
    if template["spec"].get("hostNetwork"):
        template["spec"].setdefault("dnsPolicy", "ClusterFirstWithHostNet")
    return {**task, "template": template}


def test_a_task_on_the_network_of_its_node_is_no_difference() -> None:
    spec = {"hostNetwork": True, "containers": [{"name": "a", "image": "a:1"}]}
    task = {"name": "worker", "replicas": 4, "template": {"spec": spec}}
    version = "batch.volcano.sh/v1alpha1"
    job: dict[str, Any] = {"apiVersion": version, "kind": "Job", "metadata": {"name": "a"}, "spec": {"tasks": [task]}}
    filled = {**job, "spec": {"tasks": [spelled({**task, "minAvailable": 4, "maxRetry": 3})]}}
    reader = by_object(version, "Job")
    assert reader is not None
    assert stored(reader, filled, live=True) == stored(reader, job, live=True)
    assert without("Job", filled, kueue=False) == without("Job", job, kueue=False)
    other = json.loads(json.dumps(filled))
    other["spec"]["tasks"][0]["template"]["spec"]["dnsPolicy"] = "Default"
    assert stored(reader, other, live=True) != stored(reader, job, live=True)


def test_build_leaves_nothing_of_the_tasks_to_volcano() -> None:
    """Else it stores the list anew, and who applies the manifest again takes back what it added, which is refused."""
    text = "apiVersion: specgen/v1\nkind: Job\nmetadata: {name: a}\ntarget: VolcanoJob\nimage: a:1\npods: 3\n"
    for more in ("", "pod: {hostNetwork: true}\n"):
        (compiled,) = compile_job(f"{text}start: none\ncommand: [a]\nresources: {{gpu: 8}}\n{more}").compiled
        assert compiled.bundle is not None
        tree = compiled.bundle.manifests[-1].tree
        reader = by_object(tree["apiVersion"], tree["kind"])
        assert reader is not None
        assert [path for path in of_volcano(reader, tree) if "tasks" in path] == []
        bare = {**tree, "spec": {**tree["spec"], "tasks": [{**tree["spec"]["tasks"][0], "maxRetry": 0}]}}
        assert [path[-1] for path in of_volcano(reader, bare) if "tasks" in path] == ["maxRetry"]


@pytest.mark.parametrize(("version", "kind"), KINDS)
def test_what_will_be_set_is_told(version: str, kind: str) -> None:
    reader = by_object(version, kind)
    assert reader is not None
    labels = {"kueue.x-k8s.io/queue-name": "q"}
    tree: dict[str, Any] = {"apiVersion": version, "kind": kind, "metadata": {"labels": labels}, "spec": {}}
    said = told(reader, tree)
    unknown = kind == "MSJob" or (version, kind) == ("kubeflow.org/v1", "MPIJob")  # to Kueue
    where = "Volcano will set `spec.queue`" if kind == "Job" else "" if unknown else "Kueue will set `spec."
    assert [one[: len(where)] for one in said] == [where] * bool(where)
    if kind != "Job" and not unknown:
        assert "suspend" in said[0]
        assert "`spec.runtimePatches`" in said[0] if kind == "TrainJob" else "`tolerations`" in said[0]
    assert WRITERS["Coscheduling"](reader, tree) == []


def test_what_somebody_wrote_of_a_volcano_job_stays_a_difference() -> None:
    task = {"name": "worker", "replicas": 4, "template": {"spec": {"containers": []}}}
    version = "batch.volcano.sh/v1alpha1"
    spec: dict[str, Any] = {"tasks": [{**task, "minAvailable": 3}]}
    job: dict[str, Any] = {"apiVersion": version, "kind": "Job", "spec": spec}
    reader = by_object(version, "Job")
    assert reader is not None
    assert stored(reader, {**job, "spec": {**spec, "minAvailable": 3}}, live=True) == job
    assert stored(reader, {**job, "spec": {**spec, "minAvailable": 2}}, live=True) != job
    assert without("Job", job, kueue=False)["spec"]["tasks"][0]["minAvailable"] == 3


def test_defaults_within_lists(shared: Path) -> None:
    left, ignored = {}, set()
    for file in sorted((shared / "conformance").rglob("*.json")):
        if file.stem in MISREAD:
            continue
        data = json.loads(file.read_text("utf-8"))
        kind, job = data.get("kind"), data.get("job")
        if (data.get("apiVersion"), kind) not in KINDS or not isinstance(job, dict):
            continue
        for path, value in job.get("stored_changes", {}).items():
            if value is None or not any(step.isdigit() for step in path.split("/")):
                continue  # pruned, which the linter says, or no difference
            if without(kind, grown(path, value), kueue=False) == {}:
                ignored.add((kind, path.rpartition("/")[2]))
            else:
                left[kind, path] = file.name
    assert left == {}
    assert {("PyTorchJob", "protocol"), ("MPIJob", "protocol"), ("TrainJob", "time")} <= ignored
