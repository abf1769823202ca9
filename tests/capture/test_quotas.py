"""Quotas of queues as words of a profile: what they say, and that they forbid nothing that a real Kueue admitted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.capture import capture
from specgen.capture.objects import Objects
from specgen.linting import lint_source
from specgen.profile.cluster import ClusterProfile
from specgen.profile.library import check
from specgen.rules._world import of_cluster
from specgen.schedulers.fit import fit
from specgen.schedulers.jobs import is_job
from specgen.schedulers.objects import world_of
from specgen.schema.record import record
from specgen.source import Source
from specgen.tables import cluster as table
from tests.capture.objects import deployment, node, thing
from tests.capture.test_capture import GPUS, world
from tests.schedulers.replay import configured
from tests.schedulers.test_fit import job
from tests.schedulers.volcano import OPERATORS

KUEUE = "kueue.x-k8s.io/v1beta2"
GPU = "nvidia.com/gpu"
HOST = "kubernetes.io/hostname"


def group(**flavors: int) -> dict[str, Any]:
    """A resource group of GPUs."""
    listed = [{"name": name, "resources": [{"name": GPU, "nominalQuota": str(n)}]} for name, n in flavors.items()]
    return {"coveredResources": [GPU], "flavors": listed}


def queue(name: str, local: str = "", **spec: Any) -> list[dict[str, Any]]:
    """A ClusterQueue, with a LocalQueue before it."""
    made = [thing(KUEUE, "ClusterQueue", name, spec={"namespaceSelector": {}, **spec})]
    return [*made, thing(KUEUE, "LocalQueue", local, "team", spec={"clusterQueue": name})] if local else made


def flavor(name: str, **spec: Any) -> dict[str, Any]:
    """A ResourceFlavor."""
    return thing(KUEUE, "ResourceFlavor", name, spec=spec)


def scheduling(*objects: dict[str, Any]) -> Any:
    """What the profile says of queues."""
    text, _ = capture(Objects([node("a", GPUS), *objects]), "lab")
    document, findings = check(Source("cluster.yaml", text))
    assert document is not None and not findings
    return yaml.safe_load(text)["scheduling"]


def said(*objects: dict[str, Any]) -> Any:
    """The queues of the profile by the names of their only LocalQueues, but for what they all have."""
    made = {}
    for own in scheduling(*objects)["queues"].values():
        ((name, local),) = own.pop("localQueues").items()
        assert (local, own.pop("undeclared", "block")) == ({"namespaces": ["team"]}, "block")
        made[name] = own
    return made


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
    # a queue that nobody is sent to lends all that it has for good
    alone = [*pair, *queue("b", cohortName="all", resourceGroups=[group(any=4)])]
    assert said(*alone) == {"train": {"cohort": "all", "flavors": {"any": whole["train"]}}}
    assert scheduling(*alone)["cohorts"] == {"all": {"flavors": {"any": {"quota": {GPU: 4}}}}}
    above = thing(KUEUE, "Cohort", "all", spec={"resourceGroups": [group(any=100)], "parentName": "company"})
    assert said(*pair, *other, above) == said(*pair, *other)
    assert scheduling(*pair, *other, above)["cohorts"] == {
        "all": {"parent": "company", "flavors": {"any": {"quota": {GPU: 100}}}}
    }


def test_what_a_queue_decides_by_is_said() -> None:
    evicts = {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any"}
    beside = {"policy": "LowerPriority", "maxPriorityThreshold": 100}
    flexible = {"whenCanBorrow": "TryNextFlavor", "whenCanPreempt": "TryNextFlavor"}
    words = {
        "queueingStrategy": "StrictFIFO",
        "preemption": {**evicts, "borrowWithinCohort": beside},
        "flavorFungibility": flexible,
        "stopPolicy": "Hold",
        "admissionChecksStrategy": {"admissionChecks": [{"name": "budget"}]},
        "resourceGroups": [group(any=8)],
    }
    assert said(*queue("team", "train", **words)) == {
        "train": {
            "quota": {GPU: 8},
            "queueingStrategy": "StrictFIFO",
            "preemption": {**evicts, "borrowWithinCohort": beside},
            "fungibility": {"whenCanBorrow": "TryNextFlavor"},
            "stop": "Hold",
            "checks": ["budget"],
        }
    }


def test_namespaces_are_those_that_a_queue_serves() -> None:
    spaces = [thing("v1", "Namespace", name, labels={"gpu": use}) for name, use in (("team", "yes"), ("web", "no"))]
    locals_ = [thing(KUEUE, "LocalQueue", "train", name, spec={"clusterQueue": "team"}) for name in ("team", "web")]
    selector = {"matchLabels": {"gpu": "yes"}}
    own = thing(KUEUE, "ClusterQueue", "team", spec={"namespaceSelector": selector, "resourceGroups": [group(any=8)]})
    assert scheduling(*spaces, *locals_, own)["queues"]["team"]["localQueues"]["train"]["namespaces"] == ["team"]
    own["spec"]["namespaceSelector"] = {}
    assert scheduling(*spaces, *locals_, own)["queues"]["team"]["localQueues"]["train"]["namespaces"] == ["team", "web"]


def test_a_flavor_of_some_nodes_says_which() -> None:
    taint = {"key": "example.com/spot", "value": "yes", "effect": "NoSchedule"}
    words = {"nodeLabels": {"example.com/capacity": "spot"}, "nodeTaints": [taint]}
    spot = thing(KUEUE, "ResourceFlavor", "spot", spec=words)
    made = scheduling(*queue("team", "train", resourceGroups=[group(spot=8)]), spot)
    assert made["flavors"] == {"spot": {"labels": words["nodeLabels"], "taints": [taint]}}
    assert made["queues"]["team"]["flavors"] == {"spot": {"quota": {GPU: 8}}}


def test_of_cohorts_that_nobody_may_read_nothing_is_said() -> None:
    pair = [*queue("a", "train", cohortName="all", resourceGroups=[group(any=8)])]
    single = queue("b", "eval", resourceGroups=[group(any=8)])
    text, _ = capture(Objects([node("a", GPUS), *pair, *single]), "lab", {"cohorts": "forbidden"})
    queues = yaml.safe_load(text)["scheduling"]["queues"]
    led = {"namespaces": ["team"]}
    assert queues == {
        "a": {"localQueues": {"train": led}},
        "b": {"quota": {GPU: 8}, "undeclared": "block", "localQueues": {"eval": led}},
    }


def test_a_queue_that_jobs_name_as_kueue_does_is_said_once() -> None:
    made = scheduling(*queue("train", "train", resourceGroups=[group(any=8)]))
    assert made["queues"] == {"train": {"quota": {GPU: 8}, "undeclared": "block", "namespaces": ["team"]}}


def test_two_names_of_one_queue_share_what_it_has() -> None:
    again = thing(KUEUE, "LocalQueue", "again", "other", spec={"clusterQueue": "a", "stopPolicy": "Hold"})
    own = {"undeclared": "block", "quota": {GPU: 8}}
    made = scheduling(*queue("a", "train", resourceGroups=[group(any=8)]), again)
    locals_ = {"train": {"namespaces": ["team"]}, "again": {"stop": "Hold", "namespaces": ["other"]}}
    assert made["queues"] == {"a": {**own, "localQueues": locals_}}


def test_queues_of_one_name_lead_elsewhere_by_namespace() -> None:
    again = thing(KUEUE, "LocalQueue", "train", "other", spec={"clusterQueue": "b"})
    one, two = (queue(name, local, resourceGroups=[group(any=8)]) for name, local in (("a", "train"), ("b", "eval")))
    own = {"undeclared": "block", "quota": {GPU: 8}}
    team, other = {"namespaces": ["team"]}, {"namespaces": ["other"]}
    assert scheduling(*one, *two, again)["queues"] == {
        "a": {**own, "localQueues": {"train": team}},
        "b": {**own, "localQueues": {"eval": team, "train": other}},
    }
    # a queue that nobody shows has a name and no more
    nowhere = thing(KUEUE, "LocalQueue", "train", "third", spec={"clusterQueue": "c"})
    assert scheduling(*one, *two, nowhere)["queues"]["c"] == {"localQueues": {"train": {"namespaces": ["third"]}}}


def test_a_namespace_that_nobody_shows_is_asked_for() -> None:
    selector = {"matchLabels": {"gpu": "yes"}}
    own = queue("team", "train", namespaceSelector=selector, stopPolicy="Hold", resourceGroups=[group(any=8)])
    text, _ = capture(Objects([node("a", GPUS), *own]), "lab")
    words = yaml.safe_load(text)["scheduling"]["queues"]["team"]
    assert (words["localQueues"], words["stop"]) == ({"train": {"namespaces": ["team"]}}, "Hold")
    question = "# Does the ClusterQueue team select the namespace team (gpu)?\n"
    assert question in text
    for labels, spaces in (({"gpu": "yes"}, ["team"]), ({"gpu": "no"}, [])):
        known, _ = capture(Objects([node("a", GPUS), *own, thing("v1", "Namespace", "team", labels=labels)]), "lab")
        assert yaml.safe_load(known)["scheduling"]["queues"]["team"]["localQueues"]["train"]["namespaces"] == spaces
        assert question not in known
    # by its name it is known
    by_name = {"matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["team"]}]}
    own[0]["spec"]["namespaceSelector"] = by_name
    assert scheduling(*own)["queues"]["team"]["localQueues"]["train"]["namespaces"] == []


@pytest.mark.parametrize("second", ["again", "train"])
def test_what_queues_share_is_shared_in_the_captured_profile(second: str) -> None:
    """Two LocalQueues of one ClusterQueue of 8 GPUs, and two of one name of 8 each."""
    above = "a" if second == "again" else "b"
    objects = [
        node("n", GPUS),
        *queue("a", "train", resourceGroups=[group(any=8)]),
        *queue("b", resourceGroups=[group(any=8)]),
        thing(KUEUE, "LocalQueue", second, "other", spec={"clusterQueue": above}),
        thing(KUEUE, "ResourceFlavor", "any", spec={}),
    ]
    document, findings = check(Source("cluster.yaml", capture(Objects(objects), "lab")[0]))
    assert document is not None and not findings
    profile: ClusterProfile = record(document.data, "ClusterProfile", table.RECORDS)
    jobs = []
    for name, local, space in (("one", "train", "team"), ("two", second, "other")):
        one = job(name, 1)
        one["metadata"] = {"name": name, "namespace": space, "labels": {"kueue.x-k8s.io/queue-name": local}}
        jobs.append(one)
    found = [one.turn for one in fit(of_cluster(profile, [], {"team", "other"}), jobs)]
    queues = [(one.queue, one.cluster_queue, one.verdict) for one in found if one is not None]
    waits = "waits" if second == "again" else "admitted"
    assert queues == [("train", "a", "admitted"), (second, above, waits)]


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


# Worlds of which a profile says less than their objects: so fit does not know, or does not miss what is not there.
UNSAID = {
    "flavor-labels-of-no-node": "which nodes have a label that no pool says",
    "flavor-named-host": "what the nodes are called",
    "quota-clusterqueue-absent": "that a queue is named behind which there is nothing",
    "quota-flavor-absent": "that a flavor is named which is not there",
    "quota-namespace-selector-absent": "a queue that serves no namespace",
    "quota-namespace-selector-mismatch": "the labels of a namespace, which nobody prints: it asks",
    "tas-flavor-without-topology": "that a flavor has no topology",
}
# What pods are made of, and held to, besides.
BESIDE = ("ClusterTrainingRuntime", "RuntimeClass", "LimitRange", "ResourceQuota")


@pytest.mark.soak
def test_the_captured_profile_answers_as_the_objects_do(shared: Path) -> None:
    other: dict[str, list[tuple[str, str]]] = {}
    asked = 0
    for file in sorted((shared / "conformance/schedulers/kueue").glob("*.yaml")):
        scenario = yaml.load(file.read_text("utf-8"), yaml.CSafeLoader)
        if "nodes" not in scenario or scenario.get("config") or scenario.get("running"):
            continue
        objects = world(file)
        if any(one["kind"] == "Topology" for one in objects):
            continue  # of which a profile says nothing
        jobs = [tree for tree in scenario.get("jobs") or [] if is_job(tree)]
        document, findings = check(Source("cluster.yaml", capture(Objects(objects), "lab")[0]))
        assert document is not None and not findings
        profile: ClusterProfile = record(document.data, "ClusterProfile", table.RECORDS)
        said = of_cluster(profile, [], {tree["metadata"].get("namespace", "default") for tree in jobs})
        for one in objects:
            if one["kind"] in BESIDE:
                said.objects.add(one)
        there = world_of(objects)
        there.objects.open = True
        pairs = [(a.verdict, b.verdict) for a, b in zip(fit(there, jobs), fit(said, jobs), strict=True)]
        asked += len(pairs)
        if any(one != another for one, another in pairs):
            other[file.stem] = pairs
    assert sorted(other) == sorted(UNSAID)
    # but for what is not there at all, it does not know, and is not wrong
    asks = "quota-namespace-selector-mismatch"
    known = [pairs for name, pairs in other.items() if "-absent" not in name and name != asks]
    assert all(b == "unknown" for pairs in known for _, b in pairs)
    assert asked > 150


# Worlds of gangs of which a profile says less than their objects, or that are configured as no profile says it.
UNSAID_OF_GANGS = {
    "affinity-required": "which nodes have a label that no pool says",
    "mpi-fragmented": "whether pods without devices have other nodes",
    "mpi-launcher-no-requests-fragmented": "whether pods without devices have other nodes",
    "no-nodes-with-gpu": "that no node has GPUs",
    "pt-no-requests": "whether pods without devices have other nodes",
    "tf-fragmented": "whether pods without devices have other nodes",
    "topology-hard-default-config": "HyperNodes without the plugin that looks at them",
    "topology-hard-tier-2": "a domain that no label tells",
    "vc-queue-closed": "a queue that a Command closes, before it says so itself",
}
GANGED = [
    deployment("vc-scheduler", "volcano-system", "docker.io/volcanosh/vc-scheduler:v1.15.1"),
    deployment("training-operator", "kubeflow", "kubeflow/training-operator:v1.9.4", "--gang-scheduler-name=volcano"),
]


@pytest.mark.soak
def test_the_captured_profile_answers_as_the_objects_of_volcano_do(shared: Path) -> None:
    other: dict[str, list[tuple[str, str]]] = {}
    asked = 0
    for file in sorted((shared / "conformance/schedulers/volcano").glob("*.yaml")):
        scenario = yaml.load(file.read_text("utf-8"), yaml.CSafeLoader)
        config = scenario.get("config", "")
        if config not in ("", "capacity", "capacity-hierarchy", "topology") or scenario.get("running"):
            continue
        objects = world(file)
        document, findings = check(Source("cluster.yaml", capture(Objects([*objects, *GANGED]), "lab")[0]))
        assert document is not None and not findings, file.name
        if config.startswith("capacity"):
            document.data["scheduling"]["plugins"] = ["capacity"]  # what the profile asks
        profile: ClusterProfile = record(document.data, "ClusterProfile", table.RECORDS)
        said, there = of_cluster(profile, [], {"default"}), world_of([*objects, *configured(scenario, file.parent)])
        for one in objects:
            if one["kind"] in (*BESIDE, "PodGroup"):
                said.objects.add(one)
        there.objects.open = True
        jobs = [tree for tree in scenario.get("jobs") or [] if is_job(tree)]
        said.operators = there.operators = dict.fromkeys(OPERATORS, (None, "volcano"))
        pairs = [(a.verdict, b.verdict) for a, b in zip(fit(there, jobs), fit(said, jobs), strict=True)]
        asked += len(pairs)
        if any(one != another for one, another in pairs):
            other[file.stem] = pairs
    assert sorted(other) == sorted(UNSAID_OF_GANGS)
    wrong = {name for name, pairs in other.items() if any(one != b != "unknown" for one, b in pairs)}
    assert wrong == {"topology-hard-default-config", "vc-queue-closed"}
    assert asked > 120


def test_what_a_queue_of_volcano_decides_by_is_said() -> None:
    spec = {
        "capability": {GPU: "64"},
        "deserved": {GPU: "32"},
        "guarantee": {"resource": {GPU: "8"}},
        "weight": 3,
        "parent": "dept",
        "reclaimable": False,
    }
    one = thing("scheduling.volcano.sh/v1beta1", "Queue", "team", spec=spec, status={"state": "Closed"})
    assert scheduling(one, *GANGED)["queues"]["team"] == {
        "quota": {GPU: 64},
        "deserved": {GPU: 32},
        "guarantee": {GPU: 8},
        "weight": 3,
        "parent": "dept",
        "reclaimable": False,
        "stop": "Hold",
    }
    plain = thing("scheduling.volcano.sh/v1beta1", "Queue", "team", spec={"weight": 1, "reclaimable": True})
    assert scheduling(plain, *GANGED)["queues"] == ["team"]


def test_the_levels_of_a_flavor_are_those_of_its_topology() -> None:
    topology = thing(
        KUEUE, "Topology", "fabric", spec={"levels": [{"nodeLabel": "example.com/rack"}, {"nodeLabel": HOST}]}
    )
    placed = flavor("h100", topologyName="fabric", nodeLabels={"gpu": "h100"})
    own = [*queue("team", "train", resourceGroups=[group(h100=8, any=8)]), flavor("any")]
    words = {"h100": {"labels": {"gpu": "h100"}, "topology": ["rack", "host"]}, "any": {"topology": []}}
    assert scheduling(*own, placed, topology)["flavors"] == words
    # which levels one has that is not among the objects is a question
    text, _ = capture(Objects([node("a", GPUS), *own, placed]), "lab")
    assert "# Which levels has the Topology fabric of h100? flavors: {h100: {topology: …}}" in text
    assert yaml.safe_load(text)["scheduling"]["flavors"]["h100"] == {"labels": {"gpu": "h100"}}
    # where no flavor has one, Kueue looks at them since 0.14
    plain = [*own, flavor("h100", nodeLabels={"gpu": "h100"})]
    for version, said in (
        ("0.13.4", {"labels": {"gpu": "h100"}}),
        ("0.14.0", {"labels": {"gpu": "h100"}, "topology": []}),
    ):
        kueue = deployment("kueue", "kueue-system", f"registry.k8s.io/kueue/kueue:v{version}")
        assert scheduling(*plain, kueue)["flavors"]["h100"] == said
