"""Quotas of queues as words of a profile: what they say, and that they forbid nothing that a real Kueue admitted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from specgen.capture import capture
from specgen.capture.objects import Objects
from specgen.linting import lint_source
from specgen.profile.cluster import ClusterProfile
from specgen.profile.library import check
from specgen.schema.record import record
from specgen.source import Source
from specgen.tables import cluster as table
from tests.capture.objects import node, thing
from tests.capture.test_capture import GPUS, world

KUEUE = "kueue.x-k8s.io/v1beta2"
GPU = "nvidia.com/gpu"


def group(**flavors: int) -> dict[str, Any]:
    """A resource group of GPUs."""
    listed = [{"name": name, "resources": [{"name": GPU, "nominalQuota": str(n)}]} for name, n in flavors.items()]
    return {"coveredResources": [GPU], "flavors": listed}


def queue(name: str, local: str = "", **spec: Any) -> list[dict[str, Any]]:
    """A ClusterQueue, with a LocalQueue before it."""
    made = [thing(KUEUE, "ClusterQueue", name, spec={"namespaceSelector": {}, **spec})]
    return [*made, thing(KUEUE, "LocalQueue", local, "team", spec={"clusterQueue": name})] if local else made


def said(*objects: dict[str, Any]) -> Any:
    """The queues of the profile."""
    text, _ = capture(Objects([node("a", GPUS), *objects]), "lab")
    document, findings = check(Source("cluster.yaml", text))
    assert document is not None and not findings
    return yaml.safe_load(text)["scheduling"]["queues"]


def test_a_queue_by_itself_has_its_quota() -> None:
    amounts = {GPU: "64", "cpu": "1500m", "memory": "1000000", "pods": "40"}
    resources = [{"name": name, "nominalQuota": amount} for name, amount in amounts.items()]
    one = {"coveredResources": list(amounts), "flavors": [{"name": "any", "resources": resources}]}
    quota = {GPU: 64, "cpu": 2, "memory": "1Mi", "pods": 40}
    assert said(*queue("team", "train", resourceGroups=[one])) == {"train": {"quota": quota}}
    two = {"coveredResources": ["cpu"], "flavors": [{"name": "b", "resources": [{"name": "cpu", "nominalQuota": 9}]}]}
    assert said(*queue("team", "train", resourceGroups=[group(a=8), two])) == {"train": {"quota": {GPU: 8, "cpu": 9}}}
    assert said(*queue("team", "train", resourceGroups=[group(h100=8, a100=4)])) == {
        "train": {"flavors": {"h100": {"quota": {GPU: 8}}, "a100": {"quota": {GPU: 4}}}}
    }


def test_a_cohort_is_said_where_all_of_it_is() -> None:
    lent = group(any=16)
    lent["flavors"][0]["resources"][0]["borrowingLimit"] = "8"
    pair = [*queue("a", "train", cohortName="all", resourceGroups=[lent])]
    other = queue("b", "eval", cohortName="all", resourceGroups=[group(any=32)])
    whole = {"train": {"quota": {GPU: 16}, "borrow": {GPU: 8}}, "eval": {"quota": {GPU: 32}}}
    assert said(*pair, *other) == {name: {"cohort": "all", "flavors": {"any": words}} for name, words in whole.items()}
    # what a queue nobody is sent to would lend, a queue has as its own
    assert said(*pair, *queue("b", cohortName="all", resourceGroups=[group(any=4)])) == {"train": {"quota": {GPU: 20}}}
    above = thing(KUEUE, "Cohort", "all", spec={"resourceGroups": [group(any=100)]})
    assert said(*pair, *other, above) == {"train": {"quota": {GPU: 24}}, "eval": {"quota": {GPU: 148}}}


def test_of_cohorts_that_nobody_may_read_nothing_is_said() -> None:
    pair = [*queue("a", "train", cohortName="all", resourceGroups=[group(any=8)])]
    single = queue("b", "eval", resourceGroups=[group(any=8)])
    text, _ = capture(Objects([node("a", GPUS), *pair, *single]), "lab", {"cohorts": "forbidden"})
    assert yaml.safe_load(text)["scheduling"]["queues"] == {"train": {}, "eval": {"quota": {GPU: 8}}}


def test_what_several_queues_of_one_name_have_is_not_said() -> None:
    again = thing(KUEUE, "LocalQueue", "train", "other", spec={"clusterQueue": "b"})
    one, two = (queue(name, local, resourceGroups=[group(any=8)]) for name, local in (("a", "train"), ("b", "eval")))
    assert said(*one, *two, again) == {"train": {}, "eval": {"quota": {GPU: 8}}}


def test_a_flavor_that_is_called_like_a_pool_of_other_nodes_gets_another_name() -> None:
    flavor = thing(KUEUE, "ResourceFlavor", "gpu", spec={"nodeLabels": {"gpu": "x"}})
    words = queue("team", "train", resourceGroups=[group(gpu=8, more=4)])
    text, _ = capture(Objects([node("a", GPUS)]), "lab")
    pool = next(iter(yaml.safe_load(text)["pools"]))
    flavor["metadata"]["name"] = words[0]["spec"]["resourceGroups"][0]["flavors"][0]["name"] = pool
    assert list(said(*words, flavor)["train"]["flavors"]) == [f"flavor-{pool}", "more"]


def test_no_job_that_was_admitted_is_forbidden(shared: Path) -> None:
    admitted = forbidden = 0
    for file in sorted((shared / "conformance/schedulers/kueue").glob("*.yaml")):
        scenario = yaml.load(file.read_text("utf-8"), yaml.CSafeLoader)
        if "nodes" not in scenario or scenario.get("config") or scenario.get("then"):
            continue
        text, _ = capture(Objects(world(file)), "lab")
        document, _ = check(Source("cluster.yaml", text))
        assert document is not None
        profile: ClusterProfile = record(document.data, "ClusterProfile", table.RECORDS)
        last = json.loads(file.with_suffix(".json").read_text("utf-8"))["settled"][-1]
        for tree in scenario.get("jobs") or []:
            found = lint_source(Source("job.yaml", json.dumps(tree)), profile).diagnostics
            told = any(one["code"] == "SG711" for one in found)
            name = tree["metadata"].get("name")
            reserved = any(
                one["type"] == "QuotaReserved" and one["status"] == "True"
                for one in last.get("workloads", {}).get(name, {}).get("conditions", [])
            )
            assert not (told and reserved), (file.name, name)
            admitted, forbidden = admitted + reserved, forbidden + told
    assert admitted > 100
    assert forbidden > 5
