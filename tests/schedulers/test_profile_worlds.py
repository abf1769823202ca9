"""What a cluster profile leaves unsaid, where its nodes are, and what its flavors mean: as ``fit`` takes it."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest

from specgen.document.write import write_yaml
from specgen.profile.cluster import ClusterProfile
from specgen.profile.library import check
from specgen.rules._domains import parts, ways
from specgen.rules._world import of_cluster
from specgen.schedulers.fit import fit
from specgen.schedulers.housed import house
from specgen.schedulers.objects import world_of
from specgen.schedulers.verdict import FITS, HANGS, NEVER, UNKNOWN, WAITS, Answer
from specgen.schema.record import record
from specgen.source import Source
from specgen.tables import cluster as table
from tests.schedulers.test_fit import job
from tests.schedulers.test_queues import LABEL

GPU, RACK = "nvidia.com/gpu", "example.com/rack"
REQUIRED = "kueue.x-k8s.io/podset-required-topology"
PLUGINS = "scheduler-plugins-scheduler"
QUEUE = {"gang": "kueue", "queues": {"team": {"quota": {GPU: 128}}}}


def profile(
    pools: dict[str, Any], scheduling: dict[str, Any] | None = None, topology: Any = None, **more: Any
) -> ClusterProfile:
    """A cluster of these pools, whose nodes have 8 GPUs."""
    tree = {
        "apiVersion": "specgen/v1",
        "kind": "Cluster",
        "metadata": {"name": "lab"},
        "pools": {name: {"gpu": {"perNode": 8}, **pool} for name, pool in pools.items()},
        "topology": topology or {"rack": RACK},
        "scheduling": scheduling or {},
        **more,
    }
    document, findings = check(Source("cluster.yaml", write_yaml(tree)))
    assert document is not None and not findings
    made: ClusterProfile = record(document.data, "ClusterProfile", table.RECORDS)
    return made


def one(cluster: ClusterProfile, tree: dict[str, Any]) -> Answer:
    """The answer for a job alone."""
    return fit(of_cluster(cluster, namespaces=["default"]), [tree])[0]


def template(tree: dict[str, Any]) -> dict[str, Any]:
    own: dict[str, Any] = tree["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]
    return own


def gang(pods: int) -> list[dict[str, Any]]:
    """A job of coscheduling, and its PodGroup as training-operator adds it up."""
    tree = job("a", pods, spec={"schedulerName": PLUGINS})
    template(tree)["metadata"] = {"labels": {"scheduling.x-k8s.io/pod-group": "a"}}
    container = template(tree)["spec"]["containers"][0]
    container["resources"] = {word: {GPU: 8, "cpu": 4, "rdma/hca": 1} for word in ("requests", "limits")}
    spec = {"minMember": pods, "minResources": {GPU: 8 * pods, "cpu": 4 * pods, "rdma/hca": pods}}
    group = {"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup", "metadata": {"name": "a"}, "spec": spec}
    return [group, tree]


def within(pods: int, label: str = RACK, queue: str = "team", **spec: Any) -> dict[str, Any]:
    """A job of Kueue all of whose pods are to be in one domain."""
    tree = job("a", pods, spec=spec)
    tree["metadata"]["labels"] = {LABEL: queue}
    template(tree)["metadata"] = {"annotations": {REQUIRED: label}} if label else {}
    return tree


def near(pods: int, label: str = RACK) -> dict[str, Any]:
    """The same by affinity."""
    chosen = {"matchLabels": {"training.kubeflow.org/job-name": "a"}}
    terms = [{"topologyKey": label, "labelSelector": chosen}]
    return job("a", pods, spec={"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}})


def test_the_claim_that_a_job_brings_says_nothing_of_the_one_that_is_there() -> None:
    """Both are mounted; a cluster profile lists no claims, and real objects list all."""
    volumes = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in ("there", "made")]
    made = {"kind": "PersistentVolumeClaim", "metadata": {"name": "made"}, "spec": {"resources": {}}}
    tree = job("a", 2, spec={"volumes": volumes})
    world = of_cluster(profile({"h100": {"nodes": {"count": 16}}}), namespaces=["default"])
    world.objects.bring(made)
    assert fit(world, [tree])[0].verdict == FITS
    world = of_cluster(profile({"h100": {"nodes": {"count": 16}}}), namespaces=["default"])
    world.objects.open = False
    world.objects.bring(made)
    answer = fit(world, [tree])[0]
    assert (answer.verdict, '"there" not found' in answer.reason) == (NEVER, True)


def test_pods_of_real_nodes_are_counted_where_only_one_pool_has_their_devices() -> None:
    """`kubectl get pods -A -o json` names nodes, and a cluster profile does not."""

    def running(node: str, gpus: int, **more: Any) -> dict[str, Any]:
        container = {"name": "c", "image": "r/e:1", "resources": {"limits": {GPU: gpus} if gpus else {"cpu": 1}}}
        spec = {"nodeName": node, "containers": [container], **more}
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"{node}-{gpus}"}, "spec": spec}

    def verdict(pools: dict[str, Any], pods: int, *there: dict[str, Any]) -> tuple[str, dict[str, int], int]:
        world = of_cluster(profile(pools), there, ["default"])
        world.housed = house(world)
        return fit(world, [job("a", pods)])[0].verdict, world.housed, world.strangers()

    h100 = {"nodes": {"count": 4}}
    busy = [running("ip-10-0-0-1", 4), running("ip-10-0-0-1", 3), running("h100-0", 8), running("ip-10-0-0-9", 0)]
    assert verdict({"h100": h100}, 2, *busy) == (FITS, {"h100": 1}, 1)
    assert verdict({"h100": h100}, 3, *busy) == (HANGS, {"h100": 1}, 1)
    # two pools have such devices, and a label says which; more nodes than the pool has stay strangers
    pools = {"h100": {**h100, "labels": {"pool": "new"}}, "a100": {**h100, "labels": {"pool": "old"}}}
    assert verdict(pools, 8, running("x", 8)) == (FITS, {}, 1)
    assert verdict(pools, 8, running("x", 8, nodeSelector={"pool": "old"})) == (HANGS, {"a100": 1}, 0)
    assert verdict({"h100": h100}, 1, *(running(f"x{at}", 8) for at in range(6))) == (WAITS, {"h100": 4}, 2)
    # a node beside those that a pool names is none of it
    named = {"nodes": {"names": ["n1", "n2"]}}
    assert verdict({"h100": named}, 2, running("n9", 8)) == (FITS, {}, 1)
    assert verdict({"h100": named}, 2, running("n2", 8)) == (HANGS, {}, 0)


def test_what_nobody_says_of_nodes_is_enough_for_a_gang() -> None:
    hca = {"resource": "rdma/hca", "perNode": 8}
    cluster = profile(
        {"h100": {"nodes": {"count": 16}, "hca": hca, "fabric": {"rdma": "shared-device"}}}, {"gang": "coscheduling"}
    )
    for pods, verdict in ((5, FITS), (16, FITS), (17, NEVER)):
        group, tree = gang(pods)
        world = of_cluster(cluster)
        world.objects.add(group)
        answer = fit(world, [tree])[0]
        assert (answer.verdict, answer.bound) == (verdict, pods if verdict == FITS else 0)
    assert "resource gap: 8 of nvidia.com/gpu" in answer.reason
    # of what is said it is not
    few = profile({"h100": {"nodes": {"count": 16, "cpu": 4, "allocatable": {"pods": 1}}, "hca": hca}})
    for word, count in (("cpu", 32), ("pods", 17)):
        group, tree = gang(17 if word == "pods" else 8)
        group["spec"]["minResources"] = {"cpu": count * 4} if word == "cpu" else {"cpu": 4}
        world = of_cluster(few)
        world.objects.add(group)
        assert f"of {word} on all nodes together" in fit(world, [tree])[0].reason


@pytest.mark.parametrize("domains", [{"rack": 8}, {"rack": {"b1": 8, "b2": 8}}])
@pytest.mark.parametrize("flavored", [False, True])
def test_the_domains_of_a_profile_are_the_topology_of_its_queues(domains: dict[str, Any], flavored: bool) -> None:
    own = {"flavors": {"h100": {"quota": {GPU: 128}}}} if flavored else {"quota": {GPU: 128}}
    cluster = profile(
        {"h100": {"nodes": {"count": 16, "domains": domains}}}, {"gang": "kueue", "queues": {"team": own}}
    )
    answer = one(cluster, within(8))
    assert (answer.verdict, answer.bound) == (FITS, 8)
    assert answer.turn is not None and [count for _, count in answer.turn.domains["worker"]] == [8]
    answer = one(cluster, within(9))
    assert (answer.verdict, answer.helps) == (NEVER, ["fewer pods: 8 of 9 are admitted"])
    # of slices of four whole ones
    sliced = within(20, "")
    slices = {"kueue.x-k8s.io/podset-slice-required-topology": RACK, "kueue.x-k8s.io/podset-slice-size": "4"}
    template(sliced)["metadata"] = {"annotations": slices}
    assert one(cluster, sliced).helps[-1] == "fewer pods: 16 of 20 are admitted"
    # who wishes for no domain is placed as before, and counts
    plain = {**within(16, ""), "metadata": {"name": "b", "labels": {LABEL: "team"}}}
    assert one(cluster, plain).verdict == FITS
    world = of_cluster(cluster, namespaces=["default"])
    half = {**within(4, ""), "metadata": {"name": "b", "labels": {LABEL: "team"}}}
    half["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["nodeSelector"] = {}
    first, second = fit(world, [plain, within(8)])
    assert (first.verdict, second.verdict) == (FITS, WAITS)


def test_a_level_that_nobody_says_is_named() -> None:
    cluster = profile({"h100": {"nodes": {"count": 16}}}, QUEUE)
    answer = one(cluster, within(8))
    line = "`pools.h100.nodes.domains.rack`"
    assert (answer.verdict, answer.reason) == (
        UNKNOWN,
        f"nobody says which nodes are in which domain of `{RACK}`: {line}",
    )
    assert "`topology: {WORD: example.com/block}`" in one(cluster, within(8, "example.com/block")).reason
    # a sum above its queue needs no domain
    assert one(cluster, within(17)).verdict == NEVER


def test_a_million_nodes_cost_little() -> None:
    nodes = {"count": 1_000_000, "domains": {"rack": 1000}, "cordoned": 3}
    cluster = profile({"h100": {"nodes": nodes}}, {"gang": "kueue", "queues": {"team": {"quota": {GPU: 100_000}}}})
    start = time.process_time()
    assert one(cluster, within(8, "")).verdict == FITS
    answer = one(cluster, within(8))
    assert (answer.verdict, "of so many nodes" in answer.reason) == (UNKNOWN, True)
    assert time.process_time() - start < 5


def test_jobs_may_wish_for_different_levels() -> None:
    topology = {"rack": RACK, "block": "example.com/block"}
    pools = {
        "a": {"nodes": {"count": 8, "domains": {"rack": 4}}, "labels": {"pool": "a"}},
        "b": {"nodes": {"count": 8, "domains": {"block": 8}}, "labels": {"pool": "b"}},
    }
    queues = {name: {"flavors": {name: {"quota": {GPU: 64}}}} for name in pools}
    cluster = profile(pools, {"gang": "kueue", "queues": queues}, topology)
    trees = [within(4, queue="a"), within(8, "example.com/block", queue="b"), within(5, queue="a")]
    for at, tree in enumerate(trees):
        tree["metadata"]["name"] = f"a{at}"
    answers = fit(of_cluster(cluster, namespaces=["default"]), trees)
    assert [one.verdict for one in answers] == [FITS, FITS, NEVER]


def test_levels_stand_in_the_order_of_their_size() -> None:
    topology = {"rack": RACK, "block": "example.com/block"}
    nodes = {"count": 16, "domains": {"rack": 4, "block": 8}}
    cluster = profile({"h100": {"nodes": nodes}}, QUEUE, topology)
    wanted = [(4, RACK, FITS), (5, RACK, NEVER), (8, "example.com/block", FITS), (9, "example.com/block", NEVER)]
    assert [one(cluster, within(pods, label)).verdict for pods, label, _ in wanted] == [said for *_, said in wanted]
    assert one(cluster, within(1, "kubernetes.io/hostname")).verdict == FITS


@pytest.mark.parametrize("tree", [within, near])
def test_nodes_that_are_away_are_looked_for_in_every_domain(tree: Any) -> None:
    scheduling = QUEUE if tree is within else {}

    def asked(pods: int, **nodes: Any) -> Answer:
        pool = {"nodes": {"count": 16, "domains": {"rack": 4}, **nodes}}
        return one(profile({"h100": pool}, scheduling), tree(pods))

    assert asked(5, cordoned=2).verdict == NEVER
    assert asked(2, cordoned=2).verdict == FITS
    # two nodes are away from two racks at most
    assert tree is near or asked(4, cordoned=2).verdict == FITS
    answer = asked(3, notReady=13)
    assert (answer.verdict, answer.bound, answer.nodes) == (UNKNOWN, 0, [])
    assert "in which rack the nodes of h100 are that are away: `pools.h100.nodes.notReady: {NAME: 13}`" in answer.reason
    racks = {"rack": {"r1": 4, "r2": 4, "r3": 4, "r4": 4}}
    away = {"r1": 4, "r2": 4, "r3": 4}
    assert asked(4, domains=racks, cordoned=away).verdict == FITS
    assert asked(5, domains=racks, cordoned=away).verdict == NEVER
    assert asked(4, domains=racks, cordoned={**away, "r4": 1}).verdict == (WAITS if tree is within else HANGS)


@pytest.mark.parametrize("away", [1, 2, 3, 5, 30])
@pytest.mark.parametrize("domains", [{"rack": 4}, {"rack": {"a": 3, "b": 5}}, {"rack": 2, "block": 8}])
def test_ways_share_the_same_nodes_among_domains(away: int, domains: dict[str, Any]) -> None:
    topology = {"rack": RACK, "block": "example.com/block"}
    nodes = {"count": 40, "cordoned": away, "notReady": 2, "domains": domains}
    cluster = profile({"h100": {"nodes": nodes}}, {}, topology)
    pool = cluster.pools["h100"]
    found, whole = ways("h100", pool, cluster)
    shared = [list(parts("h100", pool, cluster, way)) for way in found]
    counts = [[part.count for part in own if part.away] for own in shared]
    assert [sum(part.count for part in own) for own in shared] == [40] * len(found)
    assert all(sum(own) == away + 2 for own in counts) if whole else not counts[0] and sum(counts[1]) >= away + 2
    assert whole or len(found) == 2
    seen = [sorted((part.start, part.count) for part in own if part.away) for own in shared]
    assert len({tuple(own) for own in seen}) == len(found)


@pytest.mark.parametrize("seed", range(16))
def test_a_verdict_holds_in_every_domain_that_may_lack_nodes(seed: int) -> None:
    draw = random.Random(seed)
    racks = {f"r{at}": draw.randint(1, 4) for at in range(draw.randint(1, 3))}
    away = draw.randint(1, min(3, sum(racks.values())))
    tree, scheduling = draw.choice([(within, QUEUE), (near, {})])
    job = tree(draw.randint(1, 4))

    def verdict(cordoned: Any) -> str:
        nodes = {"count": sum(racks.values()), "domains": {"rack": racks}, "cordoned": cordoned}
        return one(profile({"h100": {"nodes": nodes}}, scheduling), job).verdict

    ways = [
        {name: count for name, count in zip(racks, counts, strict=True) if count}
        for counts in product(*(range(size + 1) for size in racks.values()))
        if sum(counts) == away
    ]
    found = {verdict(way) for way in ways}
    assert verdict(away) == (found.pop() if len(found) == 1 else UNKNOWN)


TWO = {
    "h100": {"nodes": {"count": 4}, "labels": {"capacity": "reserved"}},
    "spot": {
        "nodes": {"count": 8},
        "labels": {"tier": "spot"},
        "taints": [{"key": "spot", "value": "true", "effect": "NoSchedule"}],
    },
}
FLAVORS = {"h100": {"quota": {GPU: 32}}, "spot": {"quota": {GPU: 64}}}
SPOT = [{"key": "spot", "operator": "Exists"}]


def test_a_flavor_called_like_a_pool_has_its_labels_and_taints() -> None:
    cluster = profile(TWO, {"gang": "kueue", "queues": {"team": {"flavors": FLAVORS}}})
    pinned: dict[str, Any] = {"nodeSelector": {"capacity": "reserved"}}
    assert one(cluster, within(4, "", **pinned)).placed == {"worker": {"h100": [1, 1, 1, 1]}}
    assert one(cluster, within(8, "", tolerations=SPOT)).placed == {"worker": {"spot": [1] * 8}}
    # a toleration that the flavor might bring
    answer = one(cluster, within(8, ""))
    assert (answer.verdict, "`scheduling.flavors.spot.tolerations`" in answer.reason) == (UNKNOWN, True)
    told: dict[str, Any] = {"spot": {"tolerations": SPOT}}
    cluster = profile(TWO, {"gang": "kueue", "queues": {"team": {"flavors": FLAVORS}}, "flavors": told})
    assert one(cluster, within(8, "")).placed == {"worker": {"spot": [1] * 8}}
    told = {"spot": {"labels": {"tier": "none"}}}
    cluster = profile(TWO, {"gang": "kueue", "queues": {"team": {"flavors": FLAVORS}}, "flavors": told})
    said = "nobody says which nodes the flavor spot means (tier=none): `pools.NAME.labels`"
    assert one(cluster, within(8, "")).reason == said


def test_a_flavor_of_a_pool_without_labels_means_its_nodes() -> None:
    pools = {name: {"nodes": {"count": 4, "domains": {"rack": 2}}} for name in ("a", "b")}
    flavors = {"b": {"quota": {GPU: 64}}}
    cluster = profile(pools, {"gang": "kueue", "queues": {"team": {"flavors": flavors}}})
    assert one(cluster, within(2)).placed == {"worker": {"b": [1, 1]}}
    assert one(cluster, within(4, "")).placed == {"worker": {"b": [1, 1, 1, 1]}}
    # the nodes of the other pool are not those of its flavor
    answer = one(cluster, within(5, ""))
    assert (answer.verdict, answer.helps) == (
        NEVER,
        ["fewer pods: 4 of 5 find room in the flavors that the queue gives them"],
    )


def test_what_a_quota_does_not_name_is_told_once() -> None:
    cluster = profile({"h100": {"nodes": {"count": 16}}}, QUEUE)

    def asking(name: str) -> dict[str, Any]:
        tree = within(2, "")
        tree["metadata"]["name"] = name
        template(tree)["spec"]["containers"][0]["resources"]["requests"] = {"cpu": 1, "memory": "1Gi"}
        return tree

    answers = fit(of_cluster(cluster, namespaces=["default"]), [asking("a"), asking("b")])
    assert [one.verdict for one in answers] == [FITS, FITS]
    assert [len(one.notes) for one in answers] == [1, 0]
    assert answers[0].notes[0].startswith("`cpu` and `memory` are not in the quota of team, and not counted")
    block = {"gang": "kueue", "queues": {"team": {"quota": {GPU: 128}, "undeclared": "block"}}}
    answer = one(profile({"h100": {"nodes": {"count": 16}}}, block), asking("a"))
    assert (answer.verdict, answer.notes) == (NEVER, [])


def test_a_priority_of_kueue_that_is_not_worth_anything_is_named() -> None:
    scheduling: dict[str, Any] = {**QUEUE, "priorities": {"prod": "workload"}}
    tree = within(2, "")
    tree["metadata"]["labels"]["kueue.x-k8s.io/priority-class"] = "prod"
    line = "`scheduling.priorities: {prod: {of: workload, value: 1000}}`"
    answer = one(profile({"h100": {"nodes": {"count": 16}}}, scheduling), tree)
    assert (answer.verdict, answer.reason) == (UNKNOWN, f"nobody says what the priority `prod` is worth: {line}")
    scheduling["priorities"] = {"prod": {"of": "workload", "value": 1000}}
    assert one(profile({"h100": {"nodes": {"count": 16}}}, scheduling), tree).verdict == FITS


def gangs(cluster: ClusterProfile, sizes: Sequence[int]) -> list[Answer]:
    """The answers for gangs of so many pods, one after another."""
    world = of_cluster(cluster)
    trees = []
    for at, pods in enumerate(sizes):
        group, tree = gang(pods)
        group["metadata"], tree["metadata"] = {"name": f"a{at}"}, {"name": f"a{at}"}
        template(tree)["metadata"] = {"labels": {"scheduling.x-k8s.io/pod-group": f"a{at}"}}
        world.objects.add(group)
        trees.append(tree)
    return fit(world, trees)


def test_a_gang_says_for_whom_it_waits() -> None:
    hca = {"resource": "rdma/hca", "perNode": 8}
    nodes = {"count": 4}
    pool = {"nodes": nodes, "hca": hca, "fabric": {"rdma": "shared-device"}}
    first, second = gangs(profile({"h100": pool}), [3, 2])
    assert (first.verdict, second.verdict) == (FITS, WAITS)
    assert second.notes == ["it would fit if these were gone: a0"]
    # and that nodes are away
    cluster = profile({"h100": {**pool, "nodes": {"count": 4, "cordoned": 2}}})
    (answer,) = gangs(cluster, [3])
    assert (answer.verdict, answer.notes) == (WAITS, ["2 nodes of h100 are cordoned: it would fit with them"])
    assert {(row.nodes, row.away) for row in answer.rows} == {(2, 2)}
    assert {row.there for row in answer.rows if row.resource == GPU} == {16 * 10**9}
    assert gangs(cluster, [5])[0].verdict == NEVER


def test_a_domain_that_the_first_pod_chooses_is_told() -> None:
    racks = {"rack": {"r1": 4, "r2": 2}}
    cluster = profile({"h100": {"nodes": {"count": 6, "domains": racks}}})
    answer = one(cluster, near(3))
    assert answer.verdict == UNKNOWN
    assert answer.reason == f"the first pod chooses a domain of `{RACK}`, perhaps without room for the others"
    assert any("Kueue with a Topology" in note for note in answer.notes)
    assert one(profile({"h100": {"nodes": {"count": 6, "domains": racks}}}, QUEUE), within(3)).verdict == FITS


def test_names_of_nodes_are_counted_as_numbers() -> None:
    listed = [{"kind": "Node", "metadata": {"name": f"n{at}"}, "status": {}} for at in range(11)]
    (group,) = world_of(listed).nodes
    assert (group.group, group.names[2]) == ("n0…n10", "n2")


def test_a_larger_capability_is_offered_where_it_would_do() -> None:
    pool = {"nodes": {"count": 16}}
    cluster = profile({"h100": pool}, {"gang": "volcano", "queues": {"team": {"quota": {GPU: 64}}}})
    for pods, helps in ((9, ["a capability of the queue team of 72 of nvidia.com/gpu (now 64)"]), (17, [])):
        tree = job("a", pods, spec={"schedulerName": "volcano"})
        tree["spec"]["runPolicy"] = {"schedulingPolicy": {"queue": "team"}}
        world = of_cluster(cluster)
        world.operators = {"training-operator": ("1.9.4", "volcano")}
        answer = fit(world, [tree])[0]
        assert (answer.verdict, answer.helps) == (NEVER, helps)


def test_facts_of_pools_where_pods_may_not_go_do_not_matter() -> None:
    gpu = {"resource": "nvidia.com/gpu", "perNode": 8}

    def verdict(other: dict[str, Any]) -> str:
        one = {"nodes": {"count": 1}, "labels": {"pool": "a"}, "gpu": gpu}
        tree = {
            "apiVersion": "specgen/v1",
            "kind": "Cluster",
            "metadata": {"name": "lab"},
            "pools": {"a": one, "b": other},
        }
        document, findings = check(Source("cluster.yaml", write_yaml(tree)))
        assert document is not None and not findings
        wanting = job("train", 2)
        wanting["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["nodeSelector"] = {"pool": "a"}
        return fit(of_cluster(record(document.data, "ClusterProfile", table.RECORDS)), [wanting])[0].verdict

    # how many nodes another pool has matters where the pods may go there
    assert verdict({"gpu": gpu}) == UNKNOWN
    assert verdict({"gpu": gpu, "labels": {"pool": "b"}}) == NEVER
    assert verdict({"gpu": gpu, "nodes": {"labels": {"pool": "b"}}}) == NEVER
    assert verdict({"gpu": gpu, "taints": [{"key": "spot", "effect": "NoSchedule"}]}) == NEVER
    assert verdict({"npu": {"resource": "example.com/npu"}}) == NEVER
