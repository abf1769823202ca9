"""Queues that a cluster profile says: what ``fit`` makes of them, and that lint forbids what never begins there."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.document.write import write_yaml
from specgen.linting import lint_source
from specgen.profile.cluster import ClusterProfile
from specgen.profile.library import check
from specgen.rules._world import of_cluster
from specgen.schedulers.above import levels_of_kueue, of_kueue, of_volcano
from specgen.schedulers.fit import fit
from specgen.schedulers.jobs import is_job
from specgen.schedulers.objects import world_of
from specgen.schedulers.verdict import FITS, NEVER, UNKNOWN, WAITS
from specgen.schema.record import record
from specgen.source import Source
from specgen.tables import cluster as table
from tests.schedulers.test_queues import LABEL, queued
from tests.schedulers.volcano import OPERATORS

GPU = "nvidia.com/gpu"
TOPOLOGY = "kueue.x-k8s.io/podset-required-topology"


def profile(
    queues: dict[str, Any], gang: str = "kueue", topology: dict[str, str] | None = None, **more: Any
) -> ClusterProfile:
    """A cluster of 16 nodes with 8 GPUs in each of two pools, and these queues."""
    gpu = {"resource": GPU, "perNode": 8}
    tree = {
        "apiVersion": "specgen/v1",
        "kind": "Cluster",
        "metadata": {"name": "lab"},
        "operators": {"training-operator": {"version": "1.9.4", "gang": "volcano"}} if gang == "volcano" else {},
        "pools": {name: {"nodes": {"count": 16}, "gpu": gpu, "labels": {"gpu": name}} for name in ("h100", "a100")},
        "topology": topology or {},
        "scheduling": {
            "gang": gang,
            "queues": queues,
            **{word: said for word, said in more.items() if said is not None},
        },
    }
    document, findings = check(Source("cluster.yaml", write_yaml(tree)))
    assert document is not None and not findings
    made: ClusterProfile = record(document.data, "ClusterProfile", table.RECORDS)
    return made


def codes(cluster: ClusterProfile, tree: dict[str, Any]) -> list[str]:
    """What is found of a job."""
    return [one["code"] for one in lint_source(Source("job.yaml", write_yaml(tree)), cluster).diagnostics]


def drawn(draw: random.Random) -> dict[str, Any]:
    """Queues with quotas in any of their forms."""
    made: dict[str, Any] = {}
    for name in ("train", "eval"):
        own: dict[str, Any] = {"cohort": "all"} if draw.random() < 0.6 else {}
        if draw.random() < 0.5:
            own["quota"] = {GPU: draw.randint(0, 6) * 8}
        else:
            flavors = draw.sample(["h100", "a100"], draw.randint(1, 2))
            own["flavors"] = {one: {"quota": {GPU: draw.randint(0, 4) * 8}} for one in flavors}
        if "cohort" in own and draw.random() < 0.5:
            for one in own.get("flavors", {"": own}).values():
                one["borrow"] = {GPU: draw.randint(0, 3) * 8}
        if "cohort" in own and draw.random() < 0.3:
            for one in own.get("flavors", {"": own}).values():
                one["lend"] = {GPU: draw.randint(0, 3) * 8}
        if draw.random() < 0.3:
            own["queueingStrategy"] = "StrictFIFO"
        if draw.random() < 0.3:
            own["preemption"] = {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any"}
        made[name] = own
    return made


@pytest.mark.parametrize("seed", range(40))
def test_lint_forbids_what_fit_never_lets_begin(seed: int) -> None:
    draw = random.Random(seed)
    cluster, tree = profile(drawn(draw)), queued("big", draw.randint(1, 7))
    answer = fit(of_cluster(cluster), [tree])[0]
    assert answer.verdict in (FITS, NEVER)
    assert ("SG711" in codes(cluster, tree)) == (answer.verdict == NEVER)


def test_flavors_that_are_called_like_pools_lead_there() -> None:
    cluster = profile({"train": {"flavors": {"a100": {"quota": {GPU: 16}}, "h100": {"quota": {GPU: 64}}}}})
    answers = fit(of_cluster(cluster), [queued("first", 2), queued("second", 2), queued("third", 8)])
    assert [(one.verdict, one.reason) for one in answers[:2]] == [(FITS, "2 on a100"), (FITS, "2 on h100")]
    assert answers[2].verdict == WAITS and answers[2].turn is not None
    assert [one.holders for one in [answers[2].turn]] == [["first", "second"]]


def test_a_cohort_lends_what_the_others_do_not_use() -> None:
    said = {"cohort": "all", "quota": {GPU: 16}}
    whole = of_cluster(profile({"train": said, "eval": said}))
    verdicts = [one.verdict for one in fit(whole, [queued("a", 2, at="eval"), queued("b", 4), queued("c", 5)])]
    assert verdicts == [FITS, WAITS, NEVER]
    assert fit(whole, [queued("b", 4)])[0].verdict == FITS


def test_what_a_queue_decides_by_is_what_the_profile_says() -> None:
    own = {"quota": {GPU: 16}}
    high = queued("high", 2)
    high["metadata"]["labels"]["kueue.x-k8s.io/priority-class"] = "high"
    cluster = profile({"train": {**own, "preemption": {"withinClusterQueue": "LowerPriority"}}})
    jobs = [queued("low", 2), high]
    world = of_cluster(cluster)
    world.objects.add({"kind": "WorkloadPriorityClass", "metadata": {"name": "high"}, "value": 100})
    assert [(one.verdict, one.evicts) for one in fit(world, jobs)] == [(FITS, []), (FITS, ["low"])]
    strict = of_cluster(profile({"train": {**own, "queueingStrategy": "StrictFIFO"}}))
    three = [queued("a", 1), queued("b", 2), queued("c", 1)]
    assert [one.verdict for one in fit(strict, three)] == [FITS, WAITS, WAITS]
    loose = of_cluster(profile({"train": own}))
    assert [one.verdict for one in fit(loose, three)] == [FITS, WAITS, FITS]
    assert fit(of_cluster(profile({"train": {**own, "stop": "Hold"}})), three)[0].verdict == WAITS
    assert fit(of_cluster(profile({"train": {**own, "checks": ["budget"]}})), three)[0].verdict == UNKNOWN
    elsewhere = of_cluster(profile({"train": {**own, "namespaces": ["research"]}}))
    assert fit(elsewhere, three)[0].verdict == NEVER
    block = of_cluster(profile({"train": {**own, "undeclared": "block"}}))
    three[0]["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]["resources"]["limits"][
        "rdma/hca"
    ] = 1
    assert fit(block, three)[0].verdict == NEVER


def test_a_lending_limit_and_the_cohorts_above() -> None:
    lender = {"cohort": "all", "flavors": {"h100": {"quota": {GPU: 32}, "lend": {GPU: 8}}}}
    borrower = {"cohort": "all", "flavors": {"h100": {"quota": {GPU: 8}}}}
    cluster = profile({"train": borrower, "eval": lender})
    assert [one.verdict for one in fit(of_cluster(cluster), [queued("a", 2)])] == [FITS]
    assert [one.verdict for one in fit(of_cluster(cluster), [queued("a", 3)])] == [NEVER]
    cohorts = {"all": {"parent": "company"}, "company": {"flavors": {"h100": {"quota": {GPU: 8}}}}}
    cluster = profile({"train": borrower, "eval": lender}, cohorts=cohorts)
    assert [one.verdict for one in fit(of_cluster(cluster), [queued("a", 3)])] == [FITS]


def test_what_nobody_says_is_not_counted() -> None:
    cluster = profile({"train": {"cohort": "all", "quota": {GPU: 8}}, "eval": {"cohort": "all"}})
    assert fit(of_cluster(cluster), [queued("a", 2)])[0].verdict == FITS
    answer = fit(of_cluster(cluster), [queued("a", 2, at="eval")])[0]
    assert answer.notes == ["nobody says what the queue eval has: nothing is counted against it"]
    # of no queue it is said what it has: none of them is asked
    answer = fit(of_cluster(profile({"train": {}})), [queued("a", 99)])[0]
    assert answer.turn is None
    assert "the cluster profile does not say what it has (`scheduling.queues`)" in answer.notes[0]
    assert answer.notes[1].startswith("if the queue admits it, ") and answer.notes[1].endswith("and hold it")
    fits = fit(of_cluster(profile({"train": {}})), [queued("a", 2)])[0]
    assert (fits.verdict, fits.notes) == (FITS, answer.notes[:1])


def test_domains_are_not_known_and_quotas_are_all_the_same() -> None:
    cluster = profile({"train": {"quota": {GPU: 16}}})
    for pods, verdict in ((2, UNKNOWN), (3, NEVER)):
        tree = queued("a", pods)
        template = tree["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]
        template["metadata"] = {"annotations": {TOPOLOGY: "example.com/rack"}}
        assert fit(of_cluster(cluster), [tree])[0].verdict == verdict


def test_the_levels_that_the_profile_says_of_flavors_decide() -> None:
    queues = {"train": {"flavors": {"racks": {"quota": {GPU: 64}}, "loose": {"quota": {GPU: 64}}}}}
    racks, loose = {"labels": {"gpu": "h100"}, "topology": ["rack", "host"]}, {"labels": {"gpu": "a100"}}

    def verdict(level: str, flavors: dict[str, Any], **chosen: str) -> tuple[str, str]:
        cluster = profile(queues, flavors=flavors, topology={"rack": "example.com/rack", "block": "example.com/block"})
        tree = queued("a", 2)
        template = tree["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]
        template["metadata"] = {"annotations": {TOPOLOGY: level}} if level else {}
        template["spec"]["nodeSelector"] = chosen
        answer = fit(of_cluster(cluster), [tree])[0]
        assert ("Flavor " in answer.reason) == ("SG712" in codes(cluster, tree))
        return answer.verdict, answer.reason

    both = {"racks": racks, "loose": {**loose, "topology": []}}
    assert verdict("kubernetes.io/hostname", both)[0] == NEVER  # two pods of eight GPUs
    missing = "which nodes are in which domain of `example.com/rack`"
    assert verdict("example.com/rack", both)[0] == UNKNOWN and missing in verdict("example.com/rack", both)[1]
    assert 'Flavor "racks" does not contain the requested level' in verdict("example.com/block", both)[1]
    # a flavor with a topology is for those that wish for one, unless all of the queue have one
    assert 'Flavor "racks" supports only TopologyAwareScheduling' in verdict("", both, gpu="h100")[1]
    assert verdict("", both)[0] == FITS
    assert verdict("", {"racks": racks, "loose": {**loose, "topology": ["host"]}}, gpu="h100")[0] == FITS
    # of one of them nobody says it
    assert verdict("", {"racks": racks, "loose": loose}, gpu="h100")[0] == FITS
    assert verdict("example.com/block", {"racks": racks, "loose": loose})[0] == UNKNOWN


def test_what_is_never_let_begin_was_not_admitted_by_a_real_kueue(shared: Path) -> None:
    sums: list[str] = []
    levels: list[str] = []
    admitted = 0
    for file in sorted((shared / "conformance/schedulers/kueue").glob("*.yaml")):
        scenario = yaml.load(file.read_text("utf-8"), yaml.CSafeLoader)
        if scenario.get("config") or scenario.get("then"):
            continue
        last = json.loads(file.with_suffix(".json").read_text("utf-8"))["settled"][-1]
        for tree in filter(is_job, scenario["jobs"]):
            where = world_of(scenario["objects"])
            above, lacking = of_kueue(where, tree, known=True), levels_of_kueue(where, tree)
            reserved = any(
                one["type"] == "QuotaReserved" and one["status"] == "True"
                for one in last.get("workloads", {}).get(tree["metadata"].get("name"), {}).get("conditions", [])
            )
            assert not (reserved and (above or lacking)), file.name
            admitted += reserved
            sums += [file.stem] if above else []
            levels += [file.stem] if lacking else []
    assert admitted > 90
    assert {"tas-required-unknown-level", "tas-flavor-without-topology"} <= set(levels)
    assert {"cohort-flavors-differ", "flavor-one-podset-not-split"} <= set(sums)


def test_what_never_comes_into_a_queue_did_not_run_behind_a_real_volcano(shared: Path) -> None:
    above: list[str] = []
    ran = 0
    for file in sorted((shared / "conformance/schedulers/volcano").glob("*.yaml")):
        scenario = yaml.load(file.read_text("utf-8"), yaml.CSafeLoader)
        if scenario.get("then"):
            continue
        last = json.loads(file.with_suffix(".json").read_text("utf-8"))["settled"][-1]
        for tree in filter(is_job, scenario["jobs"]):
            where = world_of(scenario.get("objects") or [])
            where.operators = dict.fromkeys(OPERATORS, (None, "volcano"))
            found = of_volcano(where, tree)
            runs = last["jobs"].get(tree["metadata"].get("name"), {}).get("state") == "running"
            assert not (runs and found), file.name
            ran += runs
            above += [file.stem] if found else []
    assert ran > 40
    assert {"ms-queue", "vc-queue-capability"} <= set(above)


@pytest.mark.parametrize("odd", [None, [], {}, "x", 0, -1, [None], {"a": None}])
@pytest.mark.parametrize(
    "name", ["job_above_queue/bad-order", "level_nowhere/bad", "job_above_queue/bad-volcano-queue"]
)
def test_queues_beside_a_job_that_are_odd_are_no_accident(name: str, odd: Any) -> None:
    text = (Path(__file__).parents[1] / "rules" / f"{name}.yaml").read_text("utf-8")
    trees = list(yaml.safe_load_all(text))
    for at, tree in enumerate(trees):
        words = tree.get("spec") or {}
        for key in words:
            changed = [*trees[:at], {**tree, "spec": {**words, key: odd}}, *trees[at + 1 :]]
            source = Source("job.yaml", "---\n".join(json.dumps(one) + "\n" for one in changed))
            first, again = (lint_source(source).diagnostics for _ in range(2))
            assert [one["message"] for one in first] == [one["message"] for one in again]


@pytest.mark.parametrize("pods", [2, 3])
def test_a_queue_of_volcano_holds_its_quota(pods: int) -> None:
    cluster = profile({"train": {"quota": {GPU: 16}}}, gang="volcano")
    tree = queued("a", pods)
    del tree["metadata"]["labels"][LABEL]
    tree["spec"]["runPolicy"] = {"schedulingPolicy": {"queue": "train"}}
    world = of_cluster(cluster)
    world.operators["training-operator"] = ("1.9.4", "volcano")
    answer = fit(world, [tree])[0]
    assert (answer.verdict == NEVER) == ("SG711" in codes(cluster, tree)) == (pods == 3)


def _gang(queue: str, pods: int) -> dict[str, Any]:
    tree = queued("big", pods)
    del tree["metadata"]["labels"]
    tree["spec"]["runPolicy"] = {"schedulingPolicy": {"queue": queue}}
    return tree


def _fitted(cluster: ClusterProfile, *trees: dict[str, Any]) -> list[str]:
    world = of_cluster(cluster)
    world.operators["training-operator"] = ("1.9.4", "volcano")
    return [one.verdict for one in fit(world, trees)]


def test_what_volcanos_queues_decide_by_is_asked() -> None:
    queues = {"low": {"parent": "dept"}, "dept": {"quota": {GPU: 16}}, "shut": {"stop": "Hold"}}
    cluster = profile(queues, "volcano", plugins=["capacity"])
    assert _fitted(cluster, _gang("low", 2)) == [FITS]
    assert _fitted(cluster, _gang("low", 3)) == [NEVER]
    assert "SG711" in codes(cluster, _gang("low", 3))
    assert "SG711" not in codes(cluster, _gang("low", 2))
    assert _fitted(cluster, _gang("shut", 1)) == [NEVER]
    # without the plugin the queue above does not count
    assert _fitted(profile(queues, "volcano"), _gang("low", 3)) == [FITS]
    kept = {"kept": {"guarantee": {GPU: 240}, "deserved": {GPU: 240}}, "others": {}}
    assert _fitted(profile(kept, "volcano"), _gang("others", 2)) == [FITS]
    assert _fitted(profile(kept, "volcano"), _gang("others", 3)) == [NEVER]


def test_volcano_divides_by_the_weights_of_a_profile() -> None:
    cluster = profile({"one": {}, "three": {"weight": 3}}, "volcano")
    waiting: dict[str, Any] = {
        "apiVersion": "kubeflow.org/v2beta1",
        "kind": "MPIJob",
        "metadata": {"name": "waits", "annotations": {"scheduling.volcano.sh/queue-name": "three"}},
        "spec": {"mpiReplicaSpecs": queued("x", 33)["spec"]["pytorchReplicaSpecs"]},
    }
    launcher = {"replicas": 1, "template": {"spec": {"containers": [{"name": "a", "image": "a:1"}]}}}
    waiting["spec"]["mpiReplicaSpecs"]["Launcher"] = launcher
    world = of_cluster(cluster)
    world.operators |= {"training-operator": ("1.9.4", "volcano"), "mpi-operator": ("0.8.2", "volcano")}
    # its pods exist and ask for all 256 GPUs, of which the queue beside it deserves a quarter
    answers = fit(world, [waiting, _gang("one", 8), _gang("one", 1)])
    assert [one.verdict for one in answers] == [NEVER, FITS, WAITS]
    assert "64 by its weight" in answers[2].reason


def test_a_release_of_kueue_that_does_not_know_a_kind_holds_none_of_it_back() -> None:
    queues = {"train": {"quota": {GPU: 8}}}
    tree = queued("a", 2)
    tree["kind"], tree["spec"]["jaxReplicaSpecs"] = "JAXJob", tree["spec"].pop("pytorchReplicaSpecs")
    tree["spec"]["jaxReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]["name"] = "jax"
    for version, verdict in (("0.11.9", FITS), ("0.12.0", NEVER), (None, NEVER)):
        answer = fit(of_cluster(profile(queues, version=version)), [tree])[0]
        assert answer.verdict == verdict, answer.reason
        assert any("0.11.9 is older than 0.12.0" in note for note in answer.notes) == (verdict == FITS)
