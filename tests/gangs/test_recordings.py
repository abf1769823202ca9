"""What specgen adds up for a gang is what the training operator adds up, by its recordings with a gang flag."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen import operators
from specgen.gangs._members import resources
from tests.lower.lowering import built, tree
from tests.operators.recordings import Record, quantity

PODSET = "kueue.x-k8s.io/podset"
FOLDER = "conformance/training-operator-1.9.4"


def _records(shared: Path, flag: str) -> list[Record]:
    """The recordings of jobs that were stored and that name neither members nor resources themselves."""
    found = []
    for file in sorted((shared / FOLDER / f"gang-{flag}").rglob("*.json")):
        data = json.loads(file.read_text("utf-8"))
        if len(data.get("podgroups") or []) == 1:
            found.append(Record("1.9.4", file.relative_to(shared).as_posix(), data, shared))
    return found


def _requests_alone(tree: Any) -> int:
    """Takes the limits from containers that have requests, as the operator does not look at them; how many it took.

    Kubernetes fills a request that is absent from its limit, so the operator's groups ask for less than their pods
    (a GPU is most often a limit alone). specgen's own groups ask for what the pods do.
    """
    if isinstance(tree, list):
        return sum(_requests_alone(item) for item in tree)
    if not isinstance(tree, dict):
        return 0
    taken = sum(_requests_alone(value) for value in tree.values())
    resources = tree.get("resources")
    if isinstance(resources, dict) and resources.get("requests"):
        limits = resources.pop("limits", None) or {}
        taken += any(name not in resources["requests"] for name in limits)
    return taken


def _policy(record: Record) -> dict[str, Any]:
    return ((record.manifest().tree["spec"].get("runPolicy") or {}).get("schedulingPolicy")) or {}


@pytest.mark.parametrize("flag", ["volcano", "scheduler-plugins"])
def test_members_and_resources_are_those_that_the_operator_counts(flag: str, shared: Path) -> None:
    wrong: list[str] = []
    kinds: dict[str, int] = {}
    compared, less = 0, 0
    for record in _records(shared, flag):
        manifest = record.manifest()
        backend = operators.by_object(manifest.ref.api_version, manifest.ref.kind)
        if backend is None:
            continue
        less += _requests_alone(manifest.tree) > 0
        workload = backend.read(manifest, "1.9.4")
        spec, policy = record.data["podgroups"][0]["spec"], _policy(record)
        least = policy.get("minAvailable", workload.pods)
        sums = policy.get("minResources", resources(workload.roles, least))
        ours = {"minMember": least, "minResources": {name: quantity(amount) for name, amount in sums.items()}}
        theirs = {name: quantity(amount) for name, amount in (spec.get("minResources") or {}).items()}
        compared += len(theirs)
        kinds[record.data["kind"]] = kinds.get(record.data["kind"], 0) + 1
        if ours != {"minMember": spec["minMember"], "minResources": theirs}:
            wrong.append(f"{record.name}: recorded {spec}, counted {ours}")
    print(f"{flag}: {compared} amounts of {kinds}, {less} jobs of which the operator counts less than they ask for")
    assert not wrong, "\n".join(wrong)
    assert less == 4
    assert kinds["PyTorchJob"] >= 20
    assert compared >= 15


def test_slices_of_a_gang_are_those_that_kueue_places(shared: Path) -> None:
    """Recorded jobs that Kueue places in slices say what the words come to; what it never places is refused."""
    labels = {"example.com/rack": "rack", "example.com/block": "block", "kubernetes.io/hostname": "host"}
    topology = {"rack": "example.com/rack", "block": "example.com/block"}
    names = ("rack", "in-block", "hostname", "not-dividing")
    refused = []
    for name in names:
        file = shared / f"conformance/schedulers/kueue/tas-slices-{name}.yaml"
        (job,) = yaml.safe_load(file.read_text("utf-8"))["jobs"]
        pods, recorded = job["spec"]["parallelism"], job["spec"]["template"]["metadata"]["annotations"]
        word = labels[recorded[f"{PODSET}-slice-required-topology"]]
        words: dict[str, Any] = {"slices": {word: int(recorded[f"{PODSET}-slice-size"])}}
        if f"{PODSET}-required-topology" in recorded:
            words["within"] = labels[recorded[f"{PODSET}-required-topology"]]
        result = built(
            {"target": "TFJob", "pods": pods, "scheduling": {"gang": "kueue", "queue": "train", **words}},
            {"topology": topology},
        )
        if result.failed:
            refused.append(name)
            continue
        template = tree(result)["spec"]["tfReplicaSpecs"]["Worker"]["template"]
        assert template["metadata"]["annotations"] == recorded
    assert refused == ["not-dividing"]
