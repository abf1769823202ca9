"""What holds of every world: more nodes never hurt, their order and grouping say nothing; and worlds that are odd."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest
import yaml

from specgen.profile.cluster import ClusterProfile
from specgen.rules._world import of_cluster
from specgen.schedulers import placing
from specgen.schedulers.fit import fit
from specgen.schedulers.kube import score
from specgen.schedulers.kube.state import FILTERS, State
from specgen.schedulers.objects import amounts, faults, world_of
from specgen.schedulers.pods import Pod, Sorts
from specgen.schedulers.verdict import FITS, HANGS, NEVER, UNKNOWN, WAITS, Answer
from specgen.schedulers.world import Missing, Nodes, Numbered, Objects, World, taints_of
from tests.shares import one_of

AMOUNTS = {"cpu": "96", "memory": "1000Gi", "pods": "110", "nvidia.com/gpu": "8"}


def job(name: str, pods: int, *, gpus: int = 8, spec: dict[str, Any] | None = None) -> dict[str, Any]:
    """A PyTorchJob of Workers."""
    container = {"name": "pytorch", "image": "r/e:1", "resources": {"limits": {"nvidia.com/gpu": gpus}}}
    role = {"replicas": pods, "template": {"spec": {"containers": [container], **(spec or {})}}}
    tree = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": name}}
    return {**tree, "spec": {"pytorchReplicaSpecs": {"Worker": role}}}


def nodes(group: str, count: int, *, labels: dict[str, str] | None = None, **changed: str) -> Nodes:
    """A group of nodes of 8 GPUs, where nothing else is said."""
    given = {name.replace("gpu", "nvidia.com/gpu"): amount for name, amount in changed.items()}
    return Nodes(group, Numbered(f"{group}-", count), amounts({**AMOUNTS, **given}), labels=labels)


def asked(world: World, *jobs: dict[str, Any]) -> list[tuple[str, int]]:
    """(verdict, pods with a node) of each job."""
    return [(one.verdict, one.bound) for one in fit(world, jobs)]


def one(world: World, tree: dict[str, Any]) -> Answer:
    """The answer for a job alone."""
    return fit(world, [tree])[0]


@pytest.mark.parametrize("seed", range(12))
def test_more_nodes_never_hurt(seed: int) -> None:
    draw = random.Random(seed)
    groups = [nodes(f"g{at}", draw.randint(1, 4), gpu=str(draw.choice((2, 4, 8)))) for at in range(3)]
    jobs = [job(f"j{at}", draw.randint(1, 5), gpus=draw.choice((1, 2, 4, 8))) for at in range(2)]
    first, *_ = asked(World(groups), *jobs)
    more, *_ = asked(World([*groups, nodes("more", draw.randint(1, 3))]), *jobs)
    assert first[0] != FITS or more[0] == FITS
    assert more[1] >= first[1]


@pytest.mark.parametrize("seed", range(8))
def test_the_order_of_nodes_says_nothing(seed: int) -> None:
    draw = random.Random(seed)
    listed = [
        {
            "kind": "Node",
            "metadata": {"name": f"n{at}", "labels": {"rack": draw.choice("ab"), "kubernetes.io/hostname": f"n{at}"}},
            "status": {"allocatable": {**AMOUNTS, "nvidia.com/gpu": draw.choice(("4", "8"))}},
        }
        for at in range(6)
    ]
    jobs = [job("a", draw.randint(1, 4), gpus=draw.choice((2, 4))), job("b", draw.randint(1, 4))]
    before = asked(world_of(listed), *jobs)
    draw.shuffle(listed)
    assert asked(world_of(listed), *jobs) == before


def outcomes(free: tuple[int, ...], pods: tuple[int, ...]) -> set[int]:
    """How many pods of some GPUs each, one after another on any node with room, may have a node in the end."""
    if not pods:
        return {0}
    found: set[int] = set()
    for at, room in enumerate(free):
        if room >= pods[0]:
            found |= {1 + more for more in outcomes((*free[:at], room - pods[0], *free[at + 1 :]), pods[1:])}
    return found or outcomes(free, pods[1:])


@pytest.mark.parametrize("seed", range(100))
def test_every_way_of_placing_is_within_what_is_said(seed: int) -> None:
    draw = random.Random(seed)
    free = tuple(draw.choice((2, 3, 4, 8)) for _ in range(draw.randint(1, 3)))
    master, worker, workers = draw.randint(1, 4), draw.randint(1, 4), draw.randint(1, 5)
    tree = job("j", workers, gpus=worker)
    tree["spec"]["pytorchReplicaSpecs"]["Master"] = job("", 1, gpus=master)["spec"]["pytorchReplicaSpecs"]["Worker"]
    answer = one(World([nodes(f"g{at}", 1, gpu=str(room)) for at, room in enumerate(free)]), tree)
    # the order of roles is that of a Go map
    ways = outcomes(free, (master, *[worker] * workers)) | outcomes(free, (*[worker] * workers, master))
    everyone = 1 + workers
    if ways == {everyone}:
        assert answer.verdict == FITS
    if everyone not in ways:
        assert answer.verdict not in (FITS, UNKNOWN)
    if answer.verdict == NEVER:
        assert everyone not in ways
    assert min(ways) <= answer.bound <= max(ways)


def mpi(name: str, pods: int, gpus: int, cpu: str) -> dict[str, Any]:
    """An MPIJob, whose pods a Service selects."""
    worker = job("", pods, gpus=gpus)["spec"]["pytorchReplicaSpecs"]["Worker"]
    if cpu:
        worker["template"]["spec"]["containers"][0]["resources"]["limits"]["cpu"] = cpu
    launcher = {"replicas": 1, "template": {"spec": {"containers": [{"name": "launcher", "image": "r/e:1"}]}}}
    tree = {"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": {"name": name}}
    return {**tree, "spec": {"mpiReplicaSpecs": {"Launcher": launcher, "Worker": worker}}}


@pytest.mark.parametrize("seed", range(40))
def test_pods_that_are_spread_are_placed_together_as_one_by_one(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(seed)
    zone = {"topology.kubernetes.io/zone": "a"} if draw.random() < 0.2 else None
    groups = [
        nodes(f"g{at}", draw.randint(2, 9), labels=zone, gpu=str(draw.choice((2, 4, 8))), cpu=str(draw.choice((8, 96))))
        for at in range(draw.randint(1, 3))
    ]
    cpu = ("", "1", "4")
    jobs = [mpi(f"j{at}", draw.randint(1, 9), draw.choice((1, 2, 4)), draw.choice(cpu)) for at in range(3)]

    def placed() -> list[Any]:
        return [(one.verdict, one.bound, one.placed, one.reason) for one in fit(World(groups), jobs)]

    together = placed()
    monkeypatch.setattr(score, "lasts", lambda *_: False)
    assert placed() == together


def dra(**words: Any) -> ClusterProfile:
    """A cluster of two nodes of 8 GPUs that are claimed."""
    gpu = {"perNode": 8, "deviceClass": "gpu.example.com", **words}
    pool = {"nodes": {"count": 2}, "gpu": gpu}
    tree = {"apiVersion": "specgen/v1", "kind": "Cluster", "metadata": {"name": "lab"}, "pools": {"h100": pool}}
    return ClusterProfile.model_validate(tree)


def claiming(pods: int, template: str) -> dict[str, Any]:
    """A job whose pods have a claim by a template."""
    return job("j", pods, gpus=0, spec={"resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": template}]})


def template(name: str, **request: Any) -> dict[str, Any]:
    """A template of a claim for one request of the class of ``dra``."""
    asked = {"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com", **request}}
    spec = {"spec": {"devices": {"requests": [asked]}}}
    return {"kind": "ResourceClaimTemplate", "metadata": {"name": name, "namespace": "default"}, "spec": spec}


def test_devices_of_a_class_are_counted_for_claims_of_any_template() -> None:
    four, chosen = template("four", count=4), template("big", selectors=[{"cel": {"expression": "true"}}])
    world = of_cluster(dra(), [four, chosen], ["default"])
    assert [
        (each.verdict, each.bound) for each in (one(world, claiming(4, "four")), one(world, claiming(5, "four")))
    ] == [
        (FITS, 4),
        (NEVER, 4),
    ]
    # of attributes the profile says nothing, and nothing of a template that nobody gave
    answer = one(world, claiming(1, "big"))
    assert (answer.verdict, answer.reason) == (
        UNKNOWN,
        "the devices of a claim cannot be chosen: nobody says what attributes a device of gpu.example.com has",
    )
    assert one(world, claiming(1, "other")).verdict == UNKNOWN


def test_a_template_for_all_of_a_node_takes_each_device_of_its_class() -> None:
    world = of_cluster(dra(claim="all"), [template("one", count=1)], ["default"])
    assert asked(world, claiming(2, "all"), claiming(1, "one")) == [(FITS, 2), (WAITS, 0)]
    assert asked(world, claiming(1, "one"), claiming(2, "all")) == [(FITS, 1), (HANGS, 1)]
    # without a class, what is in a claim by another template is nobody's knowledge
    bare = of_cluster(dra(claim="all", deviceClass=None), [template("one", count=1)], ["default"])
    assert asked(bare, claiming(2, "all"), claiming(1, "one"))[1][0] == UNKNOWN


def standing(template: str, *, claim: str = "", node: str = "h100-0") -> dict[str, Any]:
    """A pod on a node that has a claim by a template."""
    spec = {"nodeName": node, "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": template}]}
    own = [{"name": "gpu", "resourceClaimName": claim}] if claim else []
    metadata = {"name": "old", "namespace": "default"}
    return {"kind": "Pod", "metadata": metadata, "spec": spec, "status": {"resourceClaimStatuses": own}}


def test_what_pods_claim_that_stand_there_is_not_free() -> None:
    four = template("four", count=4)
    held = {**four, "kind": "ResourceClaim", "metadata": {"name": "old-gpu-x", "namespace": "default"}}
    devices = [{"driver": "gpu.example.com", "pool": "h100-0", "device": f"gpu-{at}"} for at in range(4)]
    held |= {"spec": four["spec"]["spec"], "status": {"allocation": {"devices": {"results": devices}}}}
    for running in (
        [four, standing("four")],  # by what its template asks
        [four, standing("gone", claim="old-gpu-x"), held],  # by what its claim has
    ):
        world = of_cluster(dra(), running, ["default"])
        assert asked(world, claiming(3, "four"), claiming(1, "four")) == [(FITS, 3), (WAITS, 0)]
    # of a claim that nobody gave it is not known what it has, nor of one whose pod is not among those that stand
    for unknown in ([four, standing("gone")], [four, held]):
        answer = one(of_cluster(dra(), unknown, ["default"]), claiming(1, "four"))
        assert answer.verdict == UNKNOWN
        assert "which is there already" in answer.reason


def pooled(**said: Any) -> ClusterProfile:
    """A cluster of one pool of 8 GPUs a node, with a word for racks."""
    pool = {"nodes": {"count": 8, "cpu": 96, "memory": "1000Gi", "allocatable": {"pods": 110}, **said}}
    pool["gpu"] = {"resource": "nvidia.com/gpu", "perNode": 8}
    tree = {"apiVersion": "specgen/v1", "kind": "Cluster", "metadata": {"name": "lab"}, "pools": {"h100": pool}}
    return ClusterProfile.model_validate(
        {**tree, "topology": {"rack": "example.com/rack", "block": "example.com/block"}}
    )


def test_nodes_that_are_away_come_back() -> None:
    for word, told in (("cordoned", "are cordoned"), ("notReady", "are not well, as taints say")):
        world = of_cluster(pooled(**{word: 2}))
        assert asked(world, job("a", 6)) == [(FITS, 6)]
        answer = one(world, job("a", 8))
        assert (answer.verdict, answer.bound) == (HANGS, 6)
        assert answer.notes[0] == f"2 nodes of h100 {told}: it would fit with them"
        assert one(world, job("a", 9)).verdict == NEVER
        assert asked(of_cluster(pooled(**{word: 8})), job("a", 1)) == [(WAITS, 0)]
    listed = [
        {
            "kind": "Node",
            "metadata": {"name": f"n{at}"},
            "spec": {"unschedulable": at == 0},
            "status": {"allocatable": AMOUNTS},
        }
        for at in range(2)
    ]
    assert one(world_of(listed), job("a", 2)).verdict == HANGS


def test_domains_of_a_pool_follow_each_other() -> None:
    def within(label: str, pods: int) -> dict[str, Any]:
        chosen = {"matchLabels": {"training.kubeflow.org/job-name": "a"}}
        near = {
            "podAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": label, "labelSelector": chosen}]
            }
        }
        return job("a", pods, spec={"affinity": near})

    for racks in (4, {"r1": 4, "r2": 4}):
        world = of_cluster(pooled(domains={"rack": racks, "block": 8}))
        assert [len(group.names) for group in world.nodes] == [4, 4]
        assert asked(world, within("example.com/rack", 4)) == [(FITS, 4)]
        assert one(world, within("example.com/rack", 5)).verdict == NEVER
        assert asked(world, within("example.com/block", 8)) == [(FITS, 8)]
    names = [group.names[0] for group in world.nodes]
    assert names == ["h100-0", "h100-4"]
    # a name that nobody gave is not known, one of those that were given is
    chosen = {"nodeSelector": {"example.com/rack": "r2"}}
    assert one(world, job("a", 4, spec=chosen)).placed == {"worker": {"h100": [1, 1, 1, 1]}}
    assert one(world, job("a", 5, spec=chosen)).verdict == NEVER
    assert one(of_cluster(pooled(domains={"rack": 4})), job("a", 4, spec=chosen)).verdict == UNKNOWN
    # nor in which rack the nodes are that are away
    away = of_cluster(pooled(domains={"rack": {"r1": 4, "r2": 4}}, cordoned=1))
    first = {"nodeSelector": {"example.com/rack": "r1"}}
    assert [one(away, job("a", 4, spec=spec)).verdict for spec in (chosen, first, {})] == [UNKNOWN, UNKNOWN, FITS]


def test_a_limit_is_told_in_its_own_spelling() -> None:
    most = {"kind": "LimitRange", "metadata": {"name": "l", "namespace": "default"}}
    most["spec"] = {"limits": [{"type": "Container", "max": {"memory": "512Gi"}}]}
    tree = job("j", 1)
    own = tree["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]["resources"]["limits"]
    own["memory"] = "768Gi"
    world = World([nodes("g", 1)], objects=Objects([most]))
    assert "maximum memory usage per Container is 512Gi, but limit is 768Gi" in one(world, tree).reason


def test_a_namespace_refuses_pods_by_its_level() -> None:
    level = "pod-security.kubernetes.io/enforce"
    space: dict[str, Any] = {"kind": "Namespace", "metadata": {"name": "default"}}
    loud = {"hostIPC": True, "volumes": [{"name": "v", "hostPath": {"path": "/v"}}]}
    cases: list[tuple[str | None, dict[str, Any], str]] = [
        (None, loud, ""),
        ("privileged", loud, ""),
        ("baseline", {}, ""),
        ("baseline", loud, '"baseline:latest": `hostIPC: true`; a `hostPath` volume'),
        ("restricted", {}, '"restricted:latest": container `pytorch`, which may gain privileges; container `py'),
    ]
    for said, spec, why in cases:
        labels = {level: said} if said is not None else {}
        named = {**space, "metadata": {**space["metadata"], "labels": labels}}
        answer = one(World([nodes("g", 2)], objects=Objects([named])), job("j", 2, spec=spec))
        assert answer.verdict == (NEVER if why else FITS)
        assert f"violates PodSecurity {why}" in answer.reason or not why
    # that of another namespace says nothing
    other = {**space, "metadata": {"name": "other", "labels": {level: "restricted"}}}
    assert one(World([nodes("g", 2)], objects=Objects([other])), job("j", 2)).verdict == FITS


def held(owner: str, *places: str, gpus: int = 8) -> list[dict[str, Any]]:
    """Pods of a job of nobody's, each on its node."""
    own = {"ownerReferences": [{"kind": "X", "name": owner, "controller": True}]} if owner else {}
    container = {"name": "c", "resources": {"limits": {"nvidia.com/gpu": gpus}}}
    return [
        {"metadata": {"name": f"{owner}{place}", **own}, "spec": {"nodeName": place, "containers": [container]}}
        for place in places
    ]


@pytest.mark.parametrize(
    ("stands", "pods", "gone"),
    [
        # jobs go whole, and of those who would do the one with fewest pods
        ([*held("old", "g-0", "g-1"), *held("cnn", "g-2")], 2, "default/cnng-2"),
        (
            [*held("old", "g-0", "g-1"), *held("cnn", "g-2")],
            4,
            "default/oldg-0, default/oldg-1, default/cnng-2",
        ),
        ([*held("old", "g-0", "g-1"), *held("cnn", "g-2")], 3, "default/oldg-0, default/oldg-1"),
        # who stands in nobody's way stays, though there are fewer pods of it
        ([*held("", "g-0", gpus=1), *held("", "g-1"), *held("", "g-2", "g-3", gpus=0)], 4, None),
        (
            [*held("small", "g-0", gpus=0), *held("large", "g-0", "g-1", gpus=4)],
            4,
            "default/largeg-0, default/largeg-1",
        ),
    ],
)
def test_of_those_who_stand_there_the_least_must_go(stands: list[dict[str, Any]], pods: int, gone: str | None) -> None:
    answer = one(World([nodes("g", 4)], stands), job("a", pods))
    said = [note for note in answer.notes if "gone" in note]
    assert said == [f"it would fit if these were gone: {gone or 'default/g-0, default/g-1'}"]


def test_jobs_of_one_call_are_among_those_who_must_go() -> None:
    *_, last = fit(World([nodes("g", 4)], held("old", "g-0", "g-1")), [job("a", 1), job("b", 1), job("c", 1)])
    assert [note for note in last.notes if "gone" in note] == ["it would fit if these were gone: a"]


def test_equal_nodes_are_one_group() -> None:
    listed = [
        {"kind": "Node", "metadata": {"name": f"n{at}", "labels": {"kubernetes.io/hostname": f"n{at}"}}, "status": {}}
        for at in range(5)
    ]
    assert [group.count for group in world_of([{"kind": "List", "items": listed}]).nodes] == [5]


@pytest.mark.parametrize("seed", one_of(3, range(12)))
def test_jobs_that_differ_in_name_alone_are_answered_as_others(seed: int) -> None:
    draw = random.Random(seed)
    selector = draw.choice(({}, {"nodeSelector": {"kubernetes.io/hostname": "a-1"}}, {"priorityClassName": "high"}))
    groups = [nodes("a", draw.randint(1, 5)), nodes("b", draw.randint(0, 40), gpu="4", cpu="2")]
    classes = {"kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000}
    sizes = [(draw.randint(1, 9), draw.choice((1, 2, 8))) for _ in range(2)]
    jobs = [job(f"j{at}", *[sizes[at % 2][0]], gpus=sizes[at % 2][1]) for at in range(8)]
    jobs += [job(f"k{at}", 2, gpus=2, spec=selector) for at in range(5)]
    apart = [
        {**tree, "metadata": {**tree["metadata"], "annotations": {"own": str(at)}}} for at, tree in enumerate(jobs)
    ]

    def answers(trees: list[dict[str, Any]]) -> list[Any]:
        found = fit(World(groups, objects=Objects([classes])), trees)
        return [(one.name, one.verdict, one.reason, one.placed, one.nodes, one.evicts, one.helps) for one in found]

    assert answers(jobs) == answers(apart)


def test_what_bears_the_name_of_its_job_is_asked_of_each() -> None:
    def spread(name: str) -> dict[str, Any]:
        asked = {"matchLabels": {"training.kubeflow.org/job-name": name}}
        term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": asked}
        anti = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
        return job(name, 2, gpus=1, spec={"affinity": anti})

    alike = [job(f"j{at}", 1, gpus=1) for at in range(4)]
    answers = fit(World([nodes("a", 2)]), [*alike, spread("s0"), spread("s1"), *[job("j9", 1, gpus=1)]])
    assert [one.verdict for one in answers] == [FITS] * 7
    assert [sorted(node for _, node, _, _ in one.nodes) for one in answers[4:6]] == [["a-0", "a-1"]] * 2


def test_a_million_nodes_cost_as_much_as_one() -> None:
    start = time.process_time()
    answer = one(World([nodes("gpu", 1_000_000)]), job("a", 64))
    assert (answer.verdict, answer.bound) == (FITS, 64)
    assert len(answer.placed["worker"]["gpu"]) == 64
    assert time.process_time() - start < 2


def test_a_service_of_one_pod_tells_it_from_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first Worker bears the index of the Master: pods that differ in their index alone stay one sort."""
    made: list[Sorts] = []

    class Counted(Sorts):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

    monkeypatch.setattr(placing, "Sorts", Counted)
    tree = job("a", 40)
    roles = tree["spec"]["pytorchReplicaSpecs"]
    roles["Master"] = {**roles["Worker"], "replicas": 1}
    assert one(World([nodes("gpu", 64)]), tree).bound == 41
    assert made and all(len(sorts.listed) < 4 for sorts in made)


def test_what_a_node_holds_is_known_without_its_pods() -> None:
    """A thousand pods come onto one node one after the other, and each leaves it as it was found."""
    sorts = Sorts()
    state = State(sorts)
    state.add(nodes("a", 1), {})
    pods = [Pod({"metadata": {"name": f"p{at}"}, "spec": {"priority": at % 3}}) for at in range(1000)]
    node = state.node("a-0")
    assert node is not None
    for pod in pods:
        pod.sort = sorts.of(pod)
        state.bind(pod, node)
    assert dict(node.shelf.load) == {0: 334, 1: 333, 2: 333}
    for pod in pods[::2]:
        state.free(pod)
    assert dict(node.shelf.load) == {0: 167, 1: 167, 2: 166}


def test_a_named_node_of_a_million_is_found() -> None:
    chosen = {"nodeSelector": {"kubernetes.io/hostname": "gpu-777777"}}
    assert asked(World([nodes("gpu", 1_000_000)]), job("a", 1, spec=chosen), job("b", 1, spec=chosen)) == [
        (FITS, 1),
        ("waits", 0),
    ]


def test_no_nodes() -> None:
    answer = one(World([]), job("a", 1))
    assert (answer.verdict, answer.reason, answer.helps) == (NEVER, "no nodes available to schedule pods", [])


def test_amounts_beyond_64_bits_are_not_counted() -> None:
    for more, said in (
        ({"memory": "99999999999999999999Ei"}, "`memory` of 99999999999999999999Ei is more than 64 bits hold"),
        # thousandths of it are more
        ({"cpu": "9300000000000000m"}, ""),
        ({"cpu": "9300000000000000"}, "`cpu` of 9300000000000000 is more than 64 bits hold"),
    ):
        tree = job("a", 2)
        container = tree["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]
        container["resources"]["limits"].update(more)
        answer = one(World([nodes("gpu", 2)]), tree)
        assert answer.verdict == (UNKNOWN if said else NEVER)
        assert answer.reason.startswith(said)


@pytest.mark.parametrize(
    ("tree", "said"),
    [
        ({"kind": "Node", "status": {"allocatable": {"memory": "9Ei"}}}, "status.allocatable.memory: `9Ei` is more"),
        ({"kind": "Node", "status": {"allocatable": {"cpu": "-1"}}}, "status.allocatable.cpu: `-1` is below 0"),
        ({"kind": "Node", "status": {"capacity": {"cpu": "8 cores"}}}, "status.capacity.cpu: `8 cores` is no quantity"),
        ({"kind": "ResourceQuota", "spec": {"hard": {"pods": "1e30"}}}, "spec.hard.pods: `1e30` is more"),
        ({"kind": "ResourceQuota", "spec": {"hard": {"limits.cpu": "1e16"}}}, "spec.hard.limits.cpu: `1e16` is more"),
        ({"kind": "LimitRange", "spec": {"limits": [{"max": {"memory": "x"}}]}}, "spec.limits[0].max.memory: `x` is"),
        (
            {"kind": "Pod", "spec": {"containers": [{"resources": {"requests": {"cpu": "1e16"}}}]}},
            "spec.containers[0].resources.requests.cpu: `1e16` is more",
        ),
    ],
)
def test_amounts_that_are_none_are_named_where_they_stand(tree: dict[str, Any], said: str) -> None:
    (sentence,) = faults({"metadata": {"name": "n"}, **tree})
    assert sentence.startswith(f"{tree['kind']} n: {said}")


def test_contradictory_quotas_let_nothing_in() -> None:
    world = World([nodes("gpu", 2)])
    for name, least in (("none", "0"), ("some", "2")):
        hard = {"hard": {"pods": least}}
        world.objects.add({"kind": "ResourceQuota", "metadata": {"name": name}, "spec": hard})
    answer = one(world, job("a", 2))
    assert answer.verdict == NEVER
    assert "exceeded quota: none, requested: pods=1, used: pods=0, limited: pods=0" in answer.reason


def quoted(hard: dict[str, str], *groups: Nodes) -> World:
    world = World([*groups])
    world.objects.add({"kind": "ResourceQuota", "metadata": {"name": "team"}, "spec": {"hard": hard}})
    if not groups:
        world.missing.append(Missing("which nodes the cluster has: `pools`"))
    return world


def test_a_quota_decides_whatever_nodes_there_are() -> None:
    hard = {"requests.nvidia.com/gpu": "8"}
    for world in (quoted(hard), quoted(hard, nodes("gpu", 4))):
        answer = one(world, job("a", 2))
        assert answer.verdict == NEVER and answer.unmade == 1
        assert "exceeded quota: team, requested: requests.nvidia.com/gpu=8" in answer.reason
    # what is within it hangs on nodes
    answer = one(quoted(hard), job("a", 1))
    assert (answer.verdict, answer.reason) == (UNKNOWN, "nobody says which nodes the cluster has: `pools`")
    # and what others use may be free later
    first, second = fit(quoted(hard), [job("a", 1), job("b", 1)])
    assert (first.verdict, second.verdict) == (UNKNOWN, UNKNOWN)


def test_fewer_pods_do_not_say_what_a_quota_counts() -> None:
    hard = {"requests.cpu": "100", "limits.memory": "1Ti"}
    for world in (quoted(hard), quoted(hard, nodes("gpu", 4))):
        answer = one(world, job("a", 2))
        assert answer.verdict == NEVER and answer.unmade == 2
        assert all("a LimitRange that gives them" in help for help in answer.helps)
        assert [help.partition(" in the")[0] for help in answer.helps[:2]] == [
            "limits of `memory`",
            "requests of `cpu`",
        ]


def test_a_job_of_which_nothing_is_made_does_not_fit() -> None:
    """What its pods would come of is refused: a patch adds a job that has no containers."""
    labels = {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
    template = {"spec": {"containers": [{"name": "node", "image": "i"}]}}
    inner = {"metadata": {"labels": labels}, "spec": {"template": template}}
    runtime = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": "mine"},
        "spec": {
            "mlPolicy": {"torch": {}},
            "template": {"spec": {"replicatedJobs": [{"name": "node", "template": inner}]}},
        },
    }
    patch = {"template": {"spec": {"replicatedJobs": [{"name": "nodes"}]}}}
    tree = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": "a"},
        "spec": {
            "runtimeRef": {"name": "mine"},
            "trainer": {"numNodes": 1},
            "runtimePatches": [{"manager": "a/b", "trainingRuntimeSpec": patch}],
        },
    }
    world = World([nodes("gpu", 2)])
    world.objects.add(runtime)
    answer = one(world, tree)
    assert answer.verdict == NEVER and "the runtime has `node`" in answer.reason
    # of a runtime that nobody has seen nothing is known
    bare = World([nodes("gpu", 2)])
    bare.objects.open = True
    assert one(bare, tree).verdict == UNKNOWN


def test_a_thousand_pods_without_room_take_bounded_time() -> None:
    start = time.process_time()
    assert asked(World([nodes("gpu", 3)]), job("a", 1000)) == [(NEVER, 3)]
    assert time.process_time() - start < 5


def test_each_help_is_tried() -> None:
    taint = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
    tainted = Nodes("gpu", Numbered("gpu-", 2), amounts(AMOUNTS), taints=taints_of([taint]))
    assert one(World([tainted]), job("a", 2)).helps == ["a toleration of nvidia.com/gpu=present:NoSchedule"]
    # a toleration alone would not do
    assert one(World([tainted]), job("a", 3)).helps == []
    assert one(World([nodes("gpu", 2)]), job("a", 5)).helps == [
        "3 more nodes like those of gpu",
        "fewer pods: 2 of 5 find room",
    ]
    chosen = {"nodeSelector": {"pool": "trian"}}
    assert one(World([nodes("gpu", 2, labels={"pool": "train"})]), job("a", 1, spec=chosen)).helps == [
        "no selector pool=trian"
    ]


def test_pods_that_no_node_has_room_for_are_made_smaller() -> None:
    groups = [nodes("gpu", 4, memory="256Gi"), nodes("cpu", 2, gpu="0")]

    def told(pods: int, gpus: int, **more: str) -> list[str]:
        tree = job("a", pods, gpus=gpus)
        container = tree["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]
        container["resources"]["limits"].update(more)
        return one(World(groups), tree).helps

    assert told(1, 9) == [
        "fewer nvidia.com/gpu a pod: 8 instead of 9",
        "each pod split in 3: 3 pods of 3 nvidia.com/gpu",
    ]
    assert told(2, 16)[1] == "each pod split in 2: 4 pods of 8 nvidia.com/gpu"
    # four nodes take no eight of eight
    assert told(4, 16) == ["fewer nvidia.com/gpu a pod: 8 instead of 16"]
    assert told(6, 16) == [
        "fewer nvidia.com/gpu a pod: 8 instead of 16, and fewer pods: 4 of 6 find room",
        "fewer nvidia.com/gpu a pod: 4 instead of 16",
    ]
    assert told(1, 8, memory="300Gi") == ["less memory a pod: 256Gi instead of 300Gi"]
    assert told(1, 9, memory="300Gi") == [
        "fewer nvidia.com/gpu a pod: 8 instead of 9 and less memory a pod: 256Gi instead of 300Gi",
        "each pod split in 3: 3 pods of 3 nvidia.com/gpu",
    ]
    # a whole node holds no part of a pod, and nobody has the device
    assert told(1, 11)[1:] == ["each pod split in 11: 11 pods of 1 nvidia.com/gpu"]
    assert told(1, 1, **{"amd.com/gpu": "1"}) == []


def test_each_filter_leaves_nodes_for_a_pod() -> None:
    taint = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
    groups = [
        Nodes("tainted", Numbered("tainted-", 2), amounts(AMOUNTS), taints=taints_of([taint])),
        nodes("other", 4, labels={"pool": "other"}),
        nodes("small", 3, gpu="4", labels={"pool": "train"}),
        nodes("large", 5, labels={"pool": "train"}),
    ]
    trees = [job("a", 2, spec={"nodeSelector": {"pool": "train"}}), job("b", 99), job("c", 1)]
    for answer, left in zip(
        fit(World(groups), trees, walked=True), ([12, 8, 5], [12, 12, 7], [12, 12, 0]), strict=True
    ):
        (walk,) = answer.walks
        assert (walk.nodes, walk.roles, [step.name for step in walk.steps]) == (14, ["worker"], list(FILTERS))
        counts = {step.name: step.left for step in walk.steps}
        assert [counts[name] for name in ("TaintToleration", "NodeAffinity", "NodeResourcesFit")] == left
        assert sum(count for step in walk.steps for count, _ in step.refused) == walk.nodes - walk.steps[-1].left
        assert (walk.steps[-1].left > 0) == (answer.bound > 0)


def test_what_nobody_says_is_not_refused() -> None:
    world = World([nodes("gpu", 1)])
    world.missing = [Missing("how many nodes the pool cpu has")]
    answer = one(world, job("a", 2))
    assert (answer.verdict, answer.reason) == (UNKNOWN, "nobody says how many nodes the pool cpu has")
    world = World([nodes("gpu", 1)])
    world.partial = True
    tree = yaml.safe_load(yaml.safe_dump(job("a", 1)).replace("nvidia.com/gpu", "rdma/hca"))
    line = "`pools.gpu.nodes.allocatable: {rdma/hca: 8}`"
    assert one(world, tree).reason == f"nobody says which nodes have `rdma/hca`, and how much: {line}"


def test_kinds_that_are_not_listed_are_not_missing() -> None:
    named: dict[str, Any] = {
        "priorityClassName": "high",
        "runtimeClassName": "nvidia",
        "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}],
    }
    node = {"kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": AMOUNTS}}
    world = world_of([node])
    assert one(world, job("a", 1, spec=named)).verdict == NEVER
    world.objects.open = True
    assert one(world, job("a", 1, spec=named)).verdict == FITS
    world.objects.add({"kind": "PriorityClass", "metadata": {"name": "low"}, "value": 1})
    answer = one(world, job("a", 1, spec=named))
    assert (answer.verdict, answer.reason.endswith("no PriorityClass with name high was found")) == (NEVER, True)


def test_a_scheduler_that_is_not_known() -> None:
    answer = one(World([nodes("gpu", 1)]), job("a", 1, spec={"schedulerName": "kai-scheduler"}))
    assert (answer.verdict, answer.reason) == (UNKNOWN, "what the scheduler `kai-scheduler` decides is not known here")


def test_two_jobs_of_one_name() -> None:
    other = {**job("a", 1), "metadata": {"name": "a", "namespace": "research"}}
    assert asked(World([nodes("gpu", 3)]), job("a", 2), other, job("a", 1)) == [(FITS, 2), (FITS, 1), ("waits", 0)]


def test_the_operators_flag_for_gangs_counts() -> None:
    world = World([nodes("gpu", 1)])
    world.operators = {"training-operator": ("1.9.4", "volcano")}
    answer = one(world, job("a", 2))
    said = "its PodGroup does not come into the queue default: resource in cluster is overused: overused nvidia.com/gpu"
    assert (answer.verdict, answer.bound, answer.reason) == (NEVER, 0, said)


def test_stages_that_wait_for_an_end_follow_each_other() -> None:
    container = {"name": "a", "image": "r/e:1", "resources": {"limits": {"nvidia.com/gpu": 8}}}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}

    def part(name: str, pods: int, **words: Any) -> dict[str, Any]:
        spec = {"parallelism": pods, "completions": pods, "template": template}
        return {"name": name, "template": {"spec": spec}, **words}

    after = [{"name": "init", "status": "Complete"}]
    tree = {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "staged"},
        "spec": {"replicatedJobs": [part("init", 1), part("node", 2, dependsOn=after)]},
    }
    answer = one(World([nodes("gpu", 2)]), tree)
    assert (answer.verdict, answer.pods, answer.bound) == (FITS, 3, 3)
    answer = one(World([nodes("gpu", 1)]), tree)
    assert (answer.verdict, answer.bound, answer.helps) == (
        NEVER,
        2,
        ["1 more node like those of gpu", "fewer pods: 2 of 3 find room"],
    )


@pytest.mark.parametrize("seed", range(8))
def test_what_is_certain_is_the_same_the_other_way_round(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(seed)
    groups = [nodes(f"g{at}", draw.randint(1, 3), gpu=str(draw.choice((3, 4, 8)))) for at in range(3)]
    jobs = [job(f"j{at}", draw.randint(1, 5), gpus=2) for at in range(4)]
    before = asked(World(groups), *jobs)
    monkeypatch.setattr("specgen.schedulers.fit._certain", lambda simulation: False)
    assert asked(World(groups), *jobs) == before


@pytest.mark.fuzz
def test_a_thousand_roles_take_bounded_time() -> None:
    container = {"name": "a", "image": "r/e:1", "resources": {"limits": {"nvidia.com/gpu": 1}}}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    parts = [{"name": f"r{at}", "template": {"spec": {"template": template}}} for at in range(1000)]
    tree = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "wide"}}
    start = time.process_time()
    answer = one(World([nodes("gpu", 10)]), {**tree, "spec": {"replicatedJobs": parts}})
    assert answer.verdict == NEVER
    assert time.process_time() - start < 30
