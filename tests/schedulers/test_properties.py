"""What holds of every world, searched for in worlds that are drawn: a node more never hurts, their order says nothing.

A node that comes does hurt where the real scheduler is hurt: ``test_where_a_node_hurts`` names the cases.
"""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest

from specgen.schedulers.fit import fit
from specgen.schedulers.kube.decide import Cluster
from specgen.schedulers.kube.state import Shelf
from specgen.schedulers.objects import world_of
from specgen.schedulers.pods import Sort
from specgen.schedulers.shapes import Shapes
from specgen.schedulers.verdict import FITS, HANGS, NEVER, Answer
from specgen.schedulers.world import Nodes, World
from tests.schedulers.test_fit import job, mpi, nodes, one
from tests.shares import one_of

HOST, RACK = "kubernetes.io/hostname", "example.com/rack"
TAINT = {"key": "example.com/kept", "value": "yes", "effect": "NoSchedule"}
BORNE = {"key": "example.com/kept", "operator": "Exists"}


def drawn_node(draw: random.Random, name: str) -> dict[str, Any]:
    """A node of one of a few sizes, in one of three racks, perhaps tainted or cordoned."""
    allocatable = {
        "cpu": draw.choice(("8", "96")),
        "memory": "100Gi",
        "pods": draw.choice(("2", "110")),
        "nvidia.com/gpu": draw.choice(("0", "4", "8")),
    }
    spec: dict[str, Any] = {"taints": [TAINT]} if draw.random() < 0.2 else {}
    if draw.random() < 0.1:
        spec["unschedulable"] = True
    labels = {HOST: name, RACK: draw.choice("abc"), "size": draw.choice(("small", "large"))}
    return {
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": spec,
        "status": {"allocatable": allocatable},
    }


def drawn_running(draw: random.Random, names: list[str]) -> list[dict[str, Any]]:
    """Pods that stand on some of the nodes."""
    made = []
    for at in range(draw.randint(0, 4)):
        requests = {"cpu": str(draw.randint(0, 4)), "nvidia.com/gpu": str(draw.randint(0, 4))}
        container = {"name": "main", "image": "r/e:1", "resources": {"requests": requests, "limits": requests}}
        spec = {"nodeName": draw.choice(names), "priority": draw.choice((0, 1000)), "containers": [container]}
        made.append({"kind": "Pod", "metadata": {"name": f"p{at}", "labels": {"app": draw.choice("xy")}}, "spec": spec})
    return made


def drawn_spec(draw: random.Random) -> dict[str, Any]:
    """What alike pods may ask besides amounts, and that no further node makes worse."""
    spec: dict[str, Any] = {}
    if draw.random() < 0.3:
        spec["nodeSelector"] = {"size": draw.choice(("small", "large"))}
    if draw.random() < 0.4:
        spec["tolerations"] = [BORNE]
    if draw.random() < 0.2:
        spec["hostNetwork"] = True
    if draw.random() < 0.3:
        spec["priorityClassName"] = "high"
    if draw.random() < 0.3:
        chosen = {"matchLabels": draw.choice(({"app": "x"}, {"training.kubeflow.org/job-name": "j"}))}
        term = {"topologyKey": draw.choice((HOST, RACK)), "labelSelector": chosen}
        spec["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    if draw.random() < 0.2:
        preferred = {
            "weight": 50,
            "preference": {"matchExpressions": [{"key": RACK, "operator": "In", "values": ["a"]}]},
        }
        terms = {"preferredDuringSchedulingIgnoredDuringExecution": [preferred]}
        spec["affinity"] = {**spec.get("affinity", {}), "nodeAffinity": terms}
    return spec


def drawn(seed: int) -> tuple[random.Random, list[dict[str, Any]], dict[str, Any]]:
    """(what draws, the objects, a job of alike pods) of a seed."""
    draw = random.Random(seed)
    listed = [drawn_node(draw, f"n{at}") for at in range(draw.randint(1, 7))]
    objects = [*listed, *drawn_running(draw, [str(tree["metadata"]["name"]) for tree in listed])]
    objects.append({"kind": "PriorityClass", "metadata": {"name": "high"}, "value": 500})
    return draw, objects, job("j", draw.randint(1, 6), gpus=draw.choice((0, 1, 2, 4, 8)), spec=drawn_spec(draw))


def asked(objects: list[dict[str, Any]], tree: dict[str, Any]) -> Answer:
    return fit(world_of(objects), [tree])[0]


@pytest.mark.parametrize("block", one_of(4, range(12)))
def test_a_node_that_comes_never_hurts_alike_pods(block: int) -> None:
    fitting = 0
    for seed in range(block * 25, block * 25 + 25):
        draw, objects, tree = drawn(seed)
        before = asked(objects, tree)
        after = asked([*objects, drawn_node(draw, "n9")], tree)
        fitting += before.verdict == FITS
        assert before.verdict != FITS or after.verdict == FITS, seed
        assert after.bound >= before.bound, seed
    assert 0 < fitting < 25  # both kinds are among those that are drawn


@pytest.mark.parametrize("block", one_of(4, range(12)))
def test_the_order_in_which_objects_are_listed_says_nothing(block: int) -> None:
    for seed in range(1000 + block * 25, 1000 + block * 25 + 25):
        draw, objects, tree = drawn(seed)
        wanted = {"maxSkew": 1, "topologyKey": RACK, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}}
        template = tree["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]
        if draw.random() < 0.4:
            template["topologySpreadConstraints"] = [wanted]
        before = asked(objects, tree)
        nodes_first = [one for one in objects if one["kind"] == "Node"]
        others = [one for one in objects if one["kind"] != "Node"]  # of pods, who was first matters
        draw.shuffle(nodes_first)
        after = asked([*nodes_first, *others], tree)
        for word in ("verdict", "bound", "reason", "placed", "helps", "evicts"):
            assert getattr(before, word) == getattr(after, word), (seed, word)


def jobset(name: str, pods: int, gpus: int, cpu: str) -> dict[str, Any]:
    """A JobSet of two replicated jobs, whose pods a Service selects."""
    resources = {"limits": {"nvidia.com/gpu": gpus, **({"cpu": cpu} if cpu else {})}}
    template = {
        "spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "r/e:1", "resources": resources}]}
    }
    batch = {"spec": {"parallelism": pods, "completions": pods, "template": template}}
    jobs = [{"name": word, "replicas": 1, "template": batch} for word in ("first", "second")]
    tree = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": name}}
    return {**tree, "spec": {"replicatedJobs": jobs}}


def several(seed: int) -> tuple[list[Nodes], list[dict[str, Any]]]:
    """Groups of nodes, some in zones, and jobs of three kinds of which many differ in their names alone."""
    draw = random.Random(seed)
    groups = [
        nodes(
            f"g{at}",
            draw.randint(1, 9),
            labels={"topology.kubernetes.io/zone": draw.choice("ab")} if draw.random() < 0.3 else None,
            gpu=str(draw.choice((2, 4, 8))),
            cpu=str(draw.choice((8, 96))),
        )
        for at in range(draw.randint(1, 4))
    ]
    sizes = [(draw.randint(1, 5), draw.choice((1, 2, 4)), draw.choice(("", "1", "4"))) for _ in range(2)]
    kinds = (lambda name, pods, gpus, cpu: job(name, pods, gpus=gpus)), mpi, jobset
    jobs = [draw.choice(kinds)(f"j{at}", *draw.choice(sizes)) for at in range(9)]
    return groups, jobs


def told(groups: list[Nodes], jobs: list[dict[str, Any]]) -> list[Any]:
    """All that is said of jobs."""
    answers = fit(World(groups), jobs)
    return [(one.name, one.verdict, one.bound, one.placed, one.nodes, one.reason, one.helps) for one in answers]


@cache
def shortly(seed: int) -> list[Any]:
    """What is said of the jobs of a seed on the short way; it is held against more than one longer way."""
    return told(*several(seed))


@pytest.mark.parametrize("seed", one_of(6, range(60)))
def test_nodes_that_hold_as_much_are_asked_once(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    groups, jobs = several(seed)
    short = shortly(seed)

    def every(self: Cluster, sort: Sort) -> tuple[list[Shelf], int]:
        found, _ = self.look(sort, ())
        return [shelf for shelf, _ in found], sum(shelf.count for shelf, _ in found)

    monkeypatch.setattr(Cluster, "_candidates", every)
    assert told(groups, jobs) == short


@pytest.mark.parametrize("seed", one_of(6, range(60)))
def test_jobs_of_one_content_are_told_as_if_each_were_read(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    groups, jobs = several(seed)
    short = shortly(seed)
    monkeypatch.setattr(Shapes, "proven", lambda *_: None)
    assert told(groups, jobs) == short


def spread(skew: int = 1) -> dict[str, Any]:
    """Pods of the job, by rack."""
    chosen = {"matchLabels": {"training.kubeflow.org/job-name": "j"}}
    return {"maxSkew": skew, "topologyKey": RACK, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": chosen}


def test_where_a_node_hurts() -> None:
    """A domain that nobody can use counts for a spread, and pods that want to be together are led away."""
    two = [nodes("a", 2, labels={RACK: "a"}), nodes("b", 2, labels={RACK: "b"})]
    tree = job("j", 4, spec={"topologySpreadConstraints": [spread()]})
    assert one(World(two), tree).verdict == FITS
    full = nodes("c", 1, labels={RACK: "c"}, gpu="0")
    assert one(World([*two, full]), tree).verdict == NEVER

    near = {"topologyKey": RACK, "labelSelector": {"matchLabels": {"training.kubeflow.org/job-name": "j"}}}
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [near]}}
    together = job("j", 2, spec={"affinity": affinity})
    assert one(World(two[:1]), together).verdict == FITS
    # the first pod goes where more is free, and the second finds no room there
    single = nodes("d", 1, labels={RACK: "d"}, cpu="960")
    tree = job("j", 2, spec={"affinity": affinity})
    resources = tree["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]["resources"]
    resources["requests"] = {"cpu": "8"}
    assert one(World(two[:1]), tree).verdict == FITS
    assert one(World([two[0], single]), tree).verdict in (HANGS, NEVER)
