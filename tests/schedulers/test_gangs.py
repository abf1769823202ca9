"""Gangs that stand there already, and those of which somebody wrote the PodGroup: what their queue says of others."""

from __future__ import annotations

import json
from typing import Any

import pytest

from specgen.quantity import NANO
from specgen.schedulers.coscheduling.configuration import KIND, SCHEDULER, schedulers
from specgen.schedulers.fit import fit
from specgen.schedulers.verdict import FITS, NEVER, WAITS, Answer
from specgen.schedulers.world import Objects, World
from tests.schedulers.test_fit import nodes

GPU = "nvidia.com/gpu"
GROUP = "scheduling.k8s.io/group-name"


def gang(name: str, pods: int, *, requests: bool = True) -> dict[str, Any]:
    """A Volcano Job of the queue ``team``, each pod of it with 8 GPUs."""
    resources: dict[str, Any] = {"limits": {GPU: 8}, **({"requests": {GPU: 8}} if requests else {})}
    pod = {"restartPolicy": "Never", "containers": [{"name": "a", "image": "a:1", "resources": resources}]}
    spec = {"queue": "team", "tasks": [{"name": "worker", "replicas": pods, "template": {"spec": pod}}]}
    return {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": name}, "spec": spec}


def standing(phase: str, *, bound: int, namespace: str = "default") -> list[dict[str, Any]]:
    """A PodGroup of two pods in the queue ``team``, of which so many have a node."""
    metadata = {"name": "x", "namespace": namespace}
    spec = {"minMember": 2, "queue": "team", "minResources": {GPU: 16}}
    group = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "metadata": metadata, "spec": spec}
    pods = []
    for at in range(2):
        called = {"name": f"x-{at}", "namespace": namespace, "annotations": {GROUP: "x"}}
        own: dict[str, Any] = {"schedulerName": "volcano"}
        own["containers"] = [{"name": "a", "image": "a:1", "resources": {"requests": {GPU: 8}, "limits": {GPU: 8}}}]
        own |= {"nodeName": f"gpu-{at}"} if at < bound else {}
        pods.append({"apiVersion": "v1", "kind": "Pod", "metadata": called, "spec": own})
    return [{**group, "status": {"phase": phase}}, *pods]


def one(tree: dict[str, Any], *there: dict[str, Any], capability: int = 16) -> Answer:
    """The answer for a job on 8 nodes of 8 GPUs, behind a queue that may have so many."""
    queue = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": "team"}}
    objects = [{**queue, "spec": {"capability": {GPU: capability}}}, *(one for one in there if one["kind"] != "Pod")]
    pods = [one for one in there if one["kind"] == "Pod"]
    return fit(World([nodes("gpu", 8)], pods, Objects(objects)), [tree])[0]


@pytest.mark.parametrize("namespace", ["default", "other"])
@pytest.mark.parametrize("phase", ["Running", "Inqueue"])
def test_what_stands_there_is_counted_against_its_queue(phase: str, namespace: str) -> None:
    answer = one(gang("mine", 1), *standing(phase, bound=2 if phase == "Running" else 0, namespace=namespace))
    assert (answer.verdict, answer.bound) == (WAITS, 0)
    assert answer.turn is not None
    assert [(row.asked, row.most, row.used, row.left, row.short) for row in answer.turn.sums] == [
        tuple(amount * NANO for amount in (8, 16, 16, 0, 8))
    ]
    assert one(gang("mine", 1), *standing("Completed", bound=0)[:1]).verdict == FITS
    assert one(gang("mine", 1), *standing(phase, bound=2), capability=24).verdict == FITS


@pytest.mark.parametrize("requests", [True, False])
def test_a_gang_larger_than_its_queue_never_begins_whatever_its_sum_says(requests: bool) -> None:
    answer = one(gang("mine", 3, requests=requests))
    assert answer.verdict == NEVER
    assert "team" in answer.reason
    assert answer.turn is not None
    assert answer.turn.sums[0].short == 8 * NANO


def test_a_gang_whose_podgroup_somebody_wrote_is_followed() -> None:
    group = standing("", bound=0)[0]
    container = {"name": "pytorch", "image": "a:1", "resources": {"limits": {GPU: 8}}}
    template = {
        "metadata": {"annotations": {GROUP: "x"}},
        "spec": {"schedulerName": "volcano", "containers": [container]},
    }
    role = {"replicas": 2, "restartPolicy": "Never", "template": template}
    tree = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "mine"}}
    tree["spec"] = {"pytorchReplicaSpecs": {"Worker": role}}
    assert one(tree, group).verdict == FITS
    assert one(tree, group, capability=8).verdict == NEVER


@pytest.mark.parametrize("odd", [None, [], "x", 0, -1, [None], {"a": None}, {"name": []}])
@pytest.mark.parametrize("kind", ["Queue", "PodGroup", "Command", "ConfigMap", "HyperNode"])
def test_objects_that_are_odd_are_no_accident(kind: str, odd: Any) -> None:
    for key in ("spec", "status", "target", "data", "metadata"):
        tree: dict[str, Any] = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": kind, "action": "CloseQueue"}
        tree |= {"metadata": {"name": "team"}, "spec": {"parent": "team", "capability": {GPU: odd}}, key: odd}
        assert one(gang("mine", 1), tree).verdict
    conf = {"volcano-scheduler.conf": f"actions: {odd}\ntiers:\n- plugins:\n  - name: {odd}\n"}
    assert one(gang("mine", 1), {"kind": "ConfigMap", "metadata": {"name": "v"}, "data": conf}).verdict
    wrong = gang("mine", 2)
    for word in ("dependsOn", "name", "replicas"):
        wrong["spec"]["tasks"][0][word] = odd
        assert one(wrong).verdict


PLUGIN = {"enabled": [{"name": "Coscheduling"}]}


@pytest.mark.parametrize(
    ("plugins", "has"),
    [
        ({"multiPoint": PLUGIN}, True),
        ({"permit": PLUGIN}, True),
        ({"multiPoint": PLUGIN, "permit": {"disabled": [{"name": "*"}]}}, False),
        ({"preFilter": PLUGIN}, False),
        ({}, False),
    ],
)
@pytest.mark.parametrize("written", [True, False])
def test_a_configuration_says_which_schedulers_have_the_plugin(
    plugins: dict[str, Any], has: bool, written: bool
) -> None:
    profiles = [{"schedulerName": "mine", "plugins": plugins}, {"plugins": plugins}]
    tree: dict[str, Any] = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": KIND, "profiles": profiles}
    if written:
        tree = {"kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"scheduler-config.yaml": json.dumps(tree)}}
    assert schedulers(Objects([tree])) == (("mine", "default-scheduler") if has else ())
    assert schedulers(Objects([])) == (SCHEDULER,)


@pytest.mark.parametrize("odd", [None, [], "x", 0, [None], {"a": None}, {"enabled": "x"}])
def test_a_configuration_that_is_odd_is_no_accident(odd: Any) -> None:
    for profile in (odd, {"plugins": odd}, {"plugins": {"multiPoint": odd}}, {"schedulerName": odd}):
        for profiles in (odd, [profile]):
            tree: dict[str, Any] = {"kind": KIND, "profiles": profiles}
            written = {"kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": f"kind: {KIND}\nprofiles: [{odd}"}}
            assert schedulers(Objects([tree])) == ()
            assert schedulers(Objects([written])) == (SCHEDULER,)


@pytest.mark.parametrize("named", ["mine", "default-scheduler", None])
def test_fit_asks_whoever_has_the_plugin(named: str | None) -> None:
    own = {"schedulerName": named} if named else {}
    container = {"name": "a", "image": "a:1", "resources": {"requests": {GPU: 8}, "limits": {GPU: 8}}}
    labels = {"scheduling.x-k8s.io/pod-group": "g"}
    template = {"metadata": {"labels": labels}, "spec": {"restartPolicy": "Never", "containers": [container], **own}}
    spec = {"parallelism": 3, "completions": 3, "template": template}
    tree = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": spec}
    group = {
        "apiVersion": "scheduling.x-k8s.io/v1alpha1",
        "kind": "PodGroup",
        "metadata": {"name": "g"},
        "spec": {"minMember": 3},
    }
    config: dict[str, Any] = {"kind": KIND, "profiles": [{"schedulerName": "mine"}, {}]}
    for profile in config["profiles"]:
        profile["plugins"] = {"multiPoint": PLUGIN}
    for count, verdict in ((3, FITS), (2, NEVER)):
        (answer,) = fit(World([nodes("gpu", count)], [], Objects([group, config])), [tree])
        assert (answer.verdict, answer.bound) == (verdict, count if verdict == FITS else 0)
    # without it the default scheduler binds them one by one, and of another one nothing is known
    (answer,) = fit(World([nodes("gpu", 2)], [], Objects([group])), [tree])
    assert answer.bound == (0 if named == "mine" else 2)
