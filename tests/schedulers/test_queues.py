"""What holds of queues: more quota never admits less, what stands there holds its share, and what nobody knows."""

from __future__ import annotations

import random
import time
from copy import deepcopy
from typing import Any

import pytest

from specgen.manifest.views import mapping
from specgen.schedulers.fit import fit
from specgen.schedulers.kueue.manager import Manager
from specgen.schedulers.kueue.refused import SERVER, WEBHOOK, refused
from specgen.schedulers.simulate import Simulation
from specgen.schedulers.verdict import FITS, NEVER, UNKNOWN, WAITS, Answer
from specgen.schedulers.world import Objects, World
from tests.schedulers.test_fit import job, nodes

LABEL = "kueue.x-k8s.io/queue-name"


def made(kind: str, name: str, spec: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An object of Kueue."""
    metadata = {"name": name, **more.pop("metadata", {})}
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": kind, "metadata": metadata, "spec": spec, **more}


def queue(name: str, gpus: int, **spec: Any) -> list[dict[str, Any]]:
    """A ClusterQueue of GPUs and its LocalQueue, both called so."""
    resource = {"name": "nvidia.com/gpu", "nominalQuota": gpus}
    group = {"coveredResources": ["nvidia.com/gpu"], "flavors": [{"name": "any", "resources": [resource]}]}
    whole = {"namespaceSelector": {}, "resourceGroups": [group], **spec}
    return [made("ClusterQueue", name, whole), made("LocalQueue", name, {"clusterQueue": name})]


def queued(name: str, pods: int, *, gpus: int = 8, at: str = "train") -> dict[str, Any]:
    """A job of a queue."""
    tree = job(name, pods, gpus=gpus)
    return {**tree, "metadata": {"name": name, "labels": {LABEL: at}}}


def world(*objects: dict[str, Any], count: int = 8) -> World:
    """Nodes of 8 GPUs, and a flavor of them all."""
    return World([nodes("gpu", count)], [], Objects([made("ResourceFlavor", "any", {}), *objects]))


def one(where: World, tree: dict[str, Any]) -> Answer:
    """The answer for a job alone."""
    return fit(where, [tree])[0]


def amount(draw: random.Random, most: int) -> dict[str, Any]:
    """What a queue or a cohort has, with limits that it may have or not."""
    made: dict[str, Any] = {"nominalQuota": draw.randint(0, most)}
    for word in ("borrowingLimit", "lendingLimit"):
        if draw.random() < 0.4:
            made[word] = draw.randint(0, most)
    return made


def drawn(draw: random.Random) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """(cohorts in a tree and queues below them, jobs of theirs), of one flavor, in which nobody is evicted."""
    names = ["cpu", "nvidia.com/gpu"][: draw.randint(1, 2)]
    objects = [made("ResourceFlavor", "any", {})]

    def group(most: int) -> dict[str, Any]:
        resources = [{"name": name, **amount(draw, most)} for name in names]
        return {"coveredResources": names, "flavors": [{"name": "any", "resources": resources}]}

    cohorts = [f"c{at}" for at in range(draw.randint(0, 3))]
    for at, name in enumerate(cohorts):
        above = {"parentName": draw.choice(cohorts[:at])} if at and draw.random() < 0.8 else {}
        own = {"resourceGroups": [group(16)]} if draw.random() < 0.4 else {}
        objects.append(made("Cohort", name, above | own))
    for at in range(draw.randint(1, 4)):
        spec: dict[str, Any] = {"namespaceSelector": {}, "resourceGroups": [group(32)]}
        if cohorts and draw.random() < 0.8:
            spec["cohortName"] = draw.choice(cohorts)
        else:
            for one in spec["resourceGroups"][0]["flavors"][0]["resources"]:
                one.pop("borrowingLimit", None)
                one.pop("lendingLimit", None)
        if draw.random() < 0.4:
            spec["queueingStrategy"] = "StrictFIFO"
        objects += [made("ClusterQueue", f"q{at}", spec), made("LocalQueue", f"q{at}", {"clusterQueue": f"q{at}"})]
    objects += [{"kind": "WorkloadPriorityClass", "metadata": {"name": f"p{at}"}, "value": at * 10} for at in range(2)]
    jobs = []
    for at in range(8):
        tree = queued(f"j{at}", draw.randint(1, 4), gpus=draw.randint(1, 8), at=f"q{draw.randint(0, 3)}")
        if "cpu" in names:
            role = tree["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]
            role["containers"][0]["resources"]["requests"] = {"cpu": draw.randint(0, 8)}
            if len(names) < 2:
                del role["containers"][0]["resources"]["limits"]
        if draw.random() < 0.5:
            tree["metadata"]["labels"]["kueue.x-k8s.io/priority-class"] = f"p{draw.randint(0, 1)}"
        jobs.append(tree)
    return objects, jobs


def begun(objects: list[dict[str, Any]], jobs: list[dict[str, Any]]) -> list[set[str]]:
    """Who has begun after each of the jobs was sent."""
    manager = Manager(Simulation(World([nodes("gpu", 1)], [], Objects(objects))))
    found = []
    for tree in jobs:
        manager.submit(tree)
        manager.turns()
        found.append({name for name, one in manager.workloads.items() if one.given is not None})
    return found


@pytest.mark.soak
def test_more_quota_never_admits_less() -> None:
    better = 0
    for seed in range(300):
        draw = random.Random(seed)
        objects, jobs = drawn(draw)
        more = deepcopy(objects)
        having = [tree for tree in more if mapping(tree.get("spec")).get("resourceGroups")]
        resources = draw.choice(having)["spec"]["resourceGroups"][0]["flavors"][0]["resources"]
        draw.choice(resources)["nominalQuota"] += draw.randint(1, 16)
        # until a job begins that did not: of what comes later, it may have the room
        for old, new in zip(begun(objects, jobs), begun(more, jobs), strict=True):
            assert old <= new, seed
            if old != new:
                better += 1
                break
    assert better > 40


def test_a_job_larger_than_its_queue_never_begins_and_the_help_is_tried() -> None:
    answer = one(world(*queue("train", 16)), queued("big", 3))
    assert (answer.verdict, answer.bound) == (NEVER, 0)
    assert "maximum capacity (16)" in answer.reason
    quota = "a nominal quota of ClusterQueue train of 24 of nvidia.com/gpu in flavor any (now 16)"
    assert answer.helps == [quota, "fewer pods: 2 of 3 are admitted"]
    assert one(world(*queue("train", 16)), queued("big", 2)).verdict == FITS
    assert answer.turn is not None
    assert [(row.asked, row.left, row.short) for row in answer.turn.sums] == [(24 * 10**9, 16 * 10**9, 8 * 10**9)]


def test_a_quota_that_alone_does_not_help_is_offered_with_the_nodes_that_do() -> None:
    quota = "a nominal quota of ClusterQueue train of 48 of nvidia.com/gpu in flavor any (now 32)"
    for count, more, fewer in ((6, "", 4), (4, ", and 2 more nodes like those of gpu", 4), (3, ", and 3 more", 3)):
        answer = one(world(*queue("train", 32), count=count), queued("big", 6))
        assert answer.verdict == NEVER
        assert answer.helps[0].startswith(f"{quota}{more}")
        assert answer.helps[1:] == [f"fewer pods: {fewer} of 6 are admitted"]
        # the whole change is enough
        missing = 6 - count
        assert one(world(*queue("train", 48), count=count + missing), queued("big", 6)).verdict == FITS
        assert (one(world(*queue("train", 48), count=count), queued("big", 6)).verdict == FITS) == (missing == 0)


def test_a_resource_that_a_queue_does_not_cover_is_named_with_what_would_help() -> None:
    tree = queued("big", 2)
    (role,) = tree["spec"]["pytorchReplicaSpecs"].values()
    role["template"]["spec"]["containers"][0]["resources"]["limits"]["rdma/hca"] = 4
    answer = one(world(*queue("train", 16)), tree)
    assert (answer.verdict, answer.reason.rpartition(": ")[2]) == (
        NEVER,
        "resource rdma/hca unavailable in ClusterQueue",
    )
    none = ", with which 0 of 2 pods find a node: 0/8 nodes are available: 8 Insufficient rdma/hca"
    ways = [
        "a nominal quota of ClusterQueue train of 8 of rdma/hca in flavor any (now none)",
        "a Kueue that does not count it: `resources: {excludeResourcePrefixes: [rdma/hca]}`",
    ]
    assert answer.helps == [f"{way}{none}" for way in ways]
    having = world(*queue("train", 16))
    having.nodes[0].allocatable["rdma/hca"] = 4 * 10**9
    assert one(having, tree).helps == ways


def test_workloads_that_stand_there_hold_quota_and_wait_before_others() -> None:
    admission = {"clusterQueue": "train", "podSetAssignments": [
        {"name": "worker", "count": 2, "flavors": {"nvidia.com/gpu": "any"}, "resourceUsage": {"nvidia.com/gpu": 16}}
    ]}  # fmt: skip
    pods = job("x", 2)["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]
    spec = {"queueName": "train", "podSets": [{"name": "worker", "count": 2, "template": pods}]}
    holds = made("Workload", "holds", spec, status={"admission": admission})
    waits = made("Workload", "waits", spec, metadata={"creationTimestamp": "2026-01-01T00:00:00Z"})
    strict = {"queueingStrategy": "StrictFIFO"}
    answer = one(world(*queue("train", 24, **strict), holds, waits), queued("mine", 1))
    assert answer.verdict == WAITS
    assert answer.turn is not None
    assert (answer.turn.before, answer.turn.holders) == (["waits"], ["holds"])
    assert one(world(*queue("train", 24), holds, waits), queued("mine", 1)).verdict == FITS


# (of the Workload: kind and name of its owners; of a pod: its owner, labels and annotations; whether it goes with it)
_OWNED: list[tuple[list[tuple[str, str]], tuple[str, str], dict[str, str], dict[str, str], bool]] = [
    ([("PyTorchJob", "cnn")], ("PyTorchJob", "cnn"), {}, {}, True),
    ([("PyTorchJob", "cnn")], ("PyTorchJob", "old"), {}, {}, False),
    ([("JobSet", "cnn")], ("Job", "cnn-workers-0"), {"jobset.sigs.k8s.io/jobset-name": "cnn"}, {}, True),
    ([("TrainJob", "cnn")], ("Job", "cnn-node-0"), {"jobset.sigs.k8s.io/jobset-name": "cnn"}, {}, True),
    ([("MPIJob", "cnn")], ("Job", "cnn-launcher"), {"training.kubeflow.org/job-name": "cnn"}, {}, True),
    ([("Job", "cnn")], ("Job", "cnn"), {}, {}, True),
    ([("Pod", "other"), ("Pod", "stands-0")], ("Deployment", "d"), {}, {}, True),
    ([("RayJob", "cnn")], ("RayCluster", "cnn-x"), {}, {"kueue.x-k8s.io/workload": "holds"}, True),
    ([("RayJob", "cnn")], ("RayCluster", "cnn-x"), {}, {"kueue.x-k8s.io/workload": "another"}, False),
]


@pytest.mark.parametrize(("owners", "owner", "labels", "annotations", "goes"), _OWNED)
def test_pods_of_a_workload_that_is_evicted_leave_nodes_and_quotas(
    owners: list[tuple[str, str]],
    owner: tuple[str, str],
    labels: dict[str, str],
    annotations: dict[str, str],
    goes: bool,
) -> None:
    def references(names: list[tuple[str, str]]) -> dict[str, Any]:
        return {"ownerReferences": [{"kind": kind, "name": name, "uid": f"u-{name}"} for kind, name in names]}

    template = job("x", 1)["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]
    admission = {"clusterQueue": "train", "podSetAssignments": [
        {"name": "worker", "count": 1, "flavors": {"nvidia.com/gpu": "any"}, "resourceUsage": {"nvidia.com/gpu": 8}}
    ]}  # fmt: skip
    spec = {"queueName": "train", "priority": 1, "podSets": [{"name": "worker", "count": 1, "template": template}]}
    holds = made("Workload", "holds", spec, status={"admission": admission}, metadata=references(owners))
    metadata = {"name": "stands-0", "labels": labels, "annotations": annotations, **references([owner])}
    stands = {"metadata": metadata, "spec": {**template["spec"], "nodeName": "gpu-0", "priority": 1}}
    objects = [
        *queue("train", 8, preemption={"withinClusterQueue": "LowerPriority"}),
        made("WorkloadPriorityClass", "high", {}, value=100),
        {"kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": {"requests.nvidia.com/gpu": 8}}},
        holds,
    ]
    where = world(*objects, count=2)
    where.pods = [stands]
    tree = queued("mine", 1)
    tree["metadata"]["labels"]["kueue.x-k8s.io/priority-class"] = "high"
    answer = one(where, tree)
    assert answer.evicts == [owners[0][1]]
    assert (answer.verdict, "exceeded quota: q" in answer.reason) == ((FITS, False) if goes else (WAITS, True))


def test_usage_that_only_the_queue_tells_is_counted() -> None:
    first, second = queue("train", 16, preemption={"withinClusterQueue": "LowerPriority"})
    used = [{"name": "any", "resources": [{"name": "nvidia.com/gpu", "total": "16"}]}]
    answer = one(world({**first, "status": {"flavorsReservation": used}}, second), queued("mine", 1))
    assert answer.verdict == UNKNOWN
    assert "who holds its quota" in answer.reason


def test_quota_without_nodes_is_told_by_what_stands_behind_the_queue() -> None:
    answer = one(world(*queue("train", 64), count=1), queued("wide", 2))
    assert (answer.verdict, answer.bound) == (NEVER, 1)
    assert answer.turn is not None
    assert answer.turn.flavors == {"worker": ["any"]}


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ({"stopPolicy": "Hold"}, "ClusterQueue train is inactive: it is stopped"),
        ({"namespaceSelector": {"matchLabels": {"team": "other"}}}, "workload namespace doesn't match"),
        ({"admissionChecks": ["budget"]}, "there is no AdmissionCheck `budget`"),
    ],
)
def test_a_queue_that_takes_nobody(spec: dict[str, Any], reason: str) -> None:
    answer = one(world(*queue("train", 64, **spec)), queued("mine", 1))
    assert answer.verdict != FITS
    assert reason in answer.reason


@pytest.mark.parametrize("odd", [None, [], "x", 0, [None], {"a": None}])
@pytest.mark.parametrize("kind", ["ClusterQueue", "LocalQueue", "Topology", "Cohort", "Workload"])
def test_objects_that_are_odd_are_no_accident(kind: str, odd: Any) -> None:
    flavor = made("ResourceFlavor", "any", {"topologyName": "fabric", "nodeLabels": {}})
    where = world(*queue("train", 64, cohortName="all"), flavor, made("Topology", "fabric", {"levels": []}))
    where.objects.add(made(kind, "train" if "Queue" in kind else "any", odd))
    assert one(where, queued("mine", 1)).verdict != FITS


def test_what_outside_decides_is_unknown() -> None:
    check = made("AdmissionCheck", "budget", {"controllerName": "example.com/budget"})
    answer = one(world(*queue("train", 64, admissionChecks=["budget"]), check), queued("mine", 1))
    assert (answer.verdict, answer.turn is not None) == (UNKNOWN, True)


def test_pods_whose_template_names_the_queue_come_one_by_one() -> None:
    bare = job("pods", 2)
    bare["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["metadata"] = {"labels": {LABEL: "train"}}
    assert one(world(*queue("train", 64)), bare).verdict == FITS
    short = one(world(*queue("train", 8)), bare)
    assert short.verdict == NEVER
    assert short.reason.startswith("1 of its 2 pods began, each by itself, the others wait: couldn't assign flavors")


def plain(name: str, total: int, **labels: str) -> dict[str, Any]:
    """A pod of a group under a queue."""
    container = {"name": "main", "image": "train:1", "resources": {"limits": {"nvidia.com/gpu": "8"}}}
    metadata = {
        "name": name,
        "labels": {LABEL: "train", "kueue.x-k8s.io/pod-group-name": "g", **labels},
        "annotations": {"kueue.x-k8s.io/pod-group-total-count": str(total)},
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}}


@pytest.mark.parametrize(
    ("quota", "total", "verdict", "reason"),
    [
        (32, 3, FITS, "1 on gpu"),
        (24, 3, WAITS, "8 more needed"),
        (16, 3, NEVER, "maximum capacity (16)"),
        (40, 4, WAITS, "'g' group has fewer runnable pods than expected"),
    ],
)
def test_pods_of_a_group_begin_together(quota: int, total: int, verdict: str, reason: str) -> None:
    pods = [plain(f"p-{at}", total) for at in range(3)]
    answers = fit(world(*queue("train", quota)), [pods[0], queued("small", 1), *pods[1:]])
    small = answers.pop(1)
    assert [(one.kind, one.verdict) for one in answers] == [("Pod", verdict)] * 3
    assert all(reason in one.reason for one in answers)
    assert small.verdict == FITS


@pytest.mark.parametrize("seed", range(12))
def test_where_each_pod_has_its_own_node_another_way_says_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(seed)
    racks = []
    for at in range(draw.randint(2, 5)):
        group = nodes(f"r{at}", draw.randint(1, 3))
        group.labels["rack"] = f"r{at}"
        racks.append(group)
    levels = [{"nodeLabel": "rack"}, {"nodeLabel": "kubernetes.io/hostname"}]
    flavor = made("ResourceFlavor", "any", {"topologyName": "fabric"})
    policy = {"preemption": {"withinClusterQueue": "LowerPriority"}} if draw.random() < 0.3 else {}
    objects = [
        flavor,
        made("Topology", "fabric", {"levels": levels}),
        *queue("train", draw.randint(4, 12) * 8, **policy),
    ]
    jobs = [queued(f"j{at}", draw.randint(1, 4), gpus=draw.choice([2, 4, 8])) for at in range(6)]
    for tree in jobs:
        template = tree["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]
        word = draw.choice(["required", "preferred"])
        template["metadata"] = {"annotations": {f"kueue.x-k8s.io/podset-{word}-topology": "rack"}}
    found = [(one.verdict, one.reason, one.nodes) for one in fit(World(racks, [], Objects(objects)), jobs)]
    assert FITS in {verdict for verdict, _, _ in found}
    monkeypatch.setattr("specgen.schedulers.fit._led", lambda _: False)
    assert [(one.verdict, one.reason, one.nodes) for one in fit(World(racks, [], Objects(objects)), jobs)] == found


@pytest.mark.soak
def test_a_thousand_jobs_in_two_hundred_queues_on_ten_thousand_nodes() -> None:
    objects = [
        tree
        for at in range(200)
        for tree in queue(f"q{at}", 32, cohortName=f"c{at % 20}")
    ]  # fmt: skip
    where = World([nodes("gpu", 10_000)], [], Objects([made("ResourceFlavor", "any", {}), *objects]))
    jobs = [queued(f"j{at}", 1 + at % 4, at=f"q{at % 200}") for at in range(1000)]
    start = time.process_time()
    found = fit(where, jobs)
    spent = time.process_time() - start
    assert {answer.verdict for answer in found} == {FITS, WAITS}
    assert spent < 15


def test_a_job_may_have_a_generated_name_and_must_have_one() -> None:
    container = {"name": "main", "image": "train:1", "resources": {"limits": {"nvidia.com/gpu": 8}}}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    metadata = {"generateName": "train-", "labels": {LABEL: "train"}}
    tree = {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {"template": template}}
    assert one(world(*queue("train", 8)), tree).verdict == FITS
    answer = one(world(*queue("train", 8)), {**tree, "metadata": {}})
    assert (answer.verdict, answer.reason) == (NEVER, "it is refused: it has neither a name nor `generateName`")


RACKS = [{"nodeLabel": label} for label in ("block", "rack", "kubernetes.io/hostname")]


@pytest.mark.parametrize(
    ("pods", "verdict", "found"),
    [
        (4, FITS, {"b0/r0": 2, "b0/r1": 2}),
        (8, FITS, {"b0/r0": 2, "b0/r1": 2, "b1/r0": 2, "b1/r1": 2}),
        (12, NEVER, "doesn't allow to fit; 1/3 slice(s) fit on level block; 2/6 slice(s) fit on level rack"),
    ],
)
def test_slices_within_slices(pods: int, verdict: str, found: Any) -> None:
    # three nodes of a rack hold one slice of two, so that a block of two racks holds one of four
    groups = []
    for block in range(2):
        for rack in range(2):
            group = nodes(f"b{block}r{rack}", 3)
            group.labels |= {"block": f"b{block}", "rack": f"r{rack}"}
            groups.append(group)
    objects = [
        made("ResourceFlavor", "any", {"topologyName": "fabric"}),
        made("Topology", "fabric", {"levels": RACKS}),
        *queue("train", 1000),
    ]
    layers = '[{"topology": "block", "size": 4}, {"topology": "rack", "size": 2}]'
    tree = queued("train", pods)
    wish = {
        "kueue.x-k8s.io/podset-slice-required-topology-constraints": layers,
        "kueue.x-k8s.io/podset-preferred-topology": "block",
    }
    tree["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["metadata"] = {"annotations": wish}
    answer = fit(World(groups, [], Objects(objects)), [tree])[0]
    assert answer.verdict == verdict
    if verdict == NEVER:
        assert found in answer.reason
        return
    racks: dict[str, int] = {}
    for where, _, _, count in answer.nodes:
        name = f"{where[:2]}/{where[2:4]}"
        racks[name] = racks.get(name, 0) + count
    assert racks == found


def test_a_queue_called_default_takes_plain_pods() -> None:
    spec = {"containers": [{"name": "m", "image": "x", "resources": {"limits": {"nvidia.com/gpu": 8}}}]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bare"}, "spec": spec}
    local = made("LocalQueue", "default", {"clusterQueue": "train"})
    assert [one(world(*queue("train", gpus), local), pod).verdict for gpus in (8, 4)] == [FITS, NEVER]
    assert one(world(*queue("train", 4)), pod).verdict == FITS


def elastic(pods: int) -> dict[str, Any]:
    """A batch Job that may have more pods, or fewer, while it runs."""
    container = {"name": "main", "image": "train:1", "resources": {"limits": {"nvidia.com/gpu": 8}}}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    marks = {"kueue.x-k8s.io/elastic-job": "true"}
    metadata = {"name": "train", "labels": {LABEL: "train"}, "annotations": marks}
    spec = {"parallelism": pods, "completions": 100, "template": template}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}


def counted(manager: Manager) -> tuple[int, int, list[int]]:
    """(pods that stand, pods that wait behind a gate, what each Workload holds)."""
    manager.rest()
    pods = manager.simulation.of("train")
    held = [sum(one.usage().values()) // 10**9 for one in manager.workloads.values()]
    return sum(pod.node is not None for pod in pods), sum(bool(pod.sort.gates) for pod in pods), held


def test_an_elastic_job_grows_by_a_second_workload() -> None:
    manager = Manager(Simulation(world(*queue("train", 32))))
    manager.submit(elastic(2))
    assert counted(manager) == (2, 0, [16])
    assert manager.change("train", elastic(5)) == ""
    # the further pods wait, those that run stay
    assert counted(manager) == (2, 3, [16, 0])
    assert "8 more needed" in manager.workloads["train #2"].conditions["QuotaReserved"][2]
    assert manager.change("train", elastic(4)) == ""
    assert counted(manager) == (4, 0, [0, 32])
    assert manager.change("train", elastic(1)) == ""
    assert counted(manager) == (1, 0, [0, 8])


def test_pods_that_have_ended_give_their_quota_back() -> None:
    manager = Manager(Simulation(world(*queue("train", 24))))
    for at in range(3):
        manager.submit(plain(f"p-{at}", 3))
        manager.rest()
    manager.submit(queued("next", 1))
    manager.rest()
    assert manager.workloads["next"].given is None
    manager.simulation.finish("p-0")
    manager.rest()
    assert manager.workloads["next"].given is not None
    assert [one.finished for one in manager.workloads.values()] == [False, False]


def test_a_pod_too_many_is_deleted_and_one_that_is_missing_is_replaced() -> None:
    manager = Manager(Simulation(world(*queue("train", 64))))
    for at in range(3):
        manager.submit(plain(f"p-{at}", 2))
        manager.rest()
    jobs = manager.simulation.jobs
    assert [jobs[f"p-{at}"].gone for at in range(3)] == [False, False, True]
    manager.simulation.delete("p-1")
    manager.submit(plain("p-3", 2))
    manager.rest()
    assert [pod.node is not None for pod in manager.simulation.of("p-3")] == [True]


@pytest.mark.parametrize(
    ("spec", "who", "why"),
    [
        ({}, "", ""),
        # dropped in silence since v1beta2
        ({"cohort": "all"}, "", ""),
        ({"queueingStrategy": "FIFO"}, SERVER, "spec.queueingStrategy: `FIFO` is none of"),
        ({"flavorFungibility": {"whenCanBorrow": "Borrow"}}, SERVER, "spec.flavorFungibility.whenCanBorrow: `Borrow`"),
        ({"preemption": {"borrowWithinCohort": {"policy": "LowerPriority"}}}, SERVER, "reclaimWithinCohort=Never"),
        ({"limit": {"borrowingLimit": 8}}, SERVER, "borrowingLimit must be nil when cohort is empty"),
        ({"limit": {"lendingLimit": 8}}, WEBHOOK, "must be nil when cohort is empty"),
        ({"limit": {"lendingLimit": 80}, "cohortName": "all"}, WEBHOOK, "less than or equal to the nominalQuota"),
        ({"limit": {"nominalQuota": -1}}, WEBHOOK, "must be greater than or equal to 0"),
        ({"twice": True}, WEBHOOK, "`nvidia.com/gpu` is covered twice"),
    ],
)
def test_queues_that_nobody_can_make(spec: dict[str, Any], who: str, why: str) -> None:
    tree, _ = queue("train", 16)
    group = tree["spec"]["resourceGroups"][0]
    group["flavors"][0]["resources"][0] |= spec.pop("limit", {})
    if spec.pop("twice", False):
        tree["spec"]["resourceGroups"] = [group, {**group, "flavors": [{**group["flavors"][0], "name": "other"}]}]
    tree["spec"] |= spec
    found = refused(tree)
    assert found[0] == who
    assert why in found[1] and bool(why) == bool(found[1])
