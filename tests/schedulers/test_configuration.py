"""Kueue's own configuration: what it says in a ConfigMap, or as an object, changes what ``fit`` answers."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from specgen.schedulers.fit import fit
from specgen.schedulers.kueue.configuration import Configuration, configuration_of
from specgen.schedulers.verdict import FITS, NEVER, UNKNOWN, WAITS
from specgen.schedulers.world import Objects
from tests.schedulers.test_fit import job
from tests.schedulers.test_queues import one, queue, queued, world


def configured(**words: Any) -> dict[str, Any]:
    """The ConfigMap of Kueue's manager."""
    text = yaml.safe_dump({"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration", **words})
    metadata = {"name": "kueue-manager-config", "namespace": "kueue-system"}
    return {"kind": "ConfigMap", "metadata": metadata, "data": {"controller_manager_config.yaml": text}}


@pytest.mark.parametrize(
    ("resources", "verdict"),
    [
        ({}, NEVER),
        ({"excludeResourcePrefixes": ["cpu"]}, FITS),
        ({"quotaCheckStrategy": "IgnoreUndeclared"}, FITS),
        ({"transformations": [{"input": "cpu", "strategy": "Replace"}]}, FITS),
        ({"transformations": [{"input": "cpu"}]}, NEVER),
        # eight cores count as sixteen GPUs, of which there are eight
        ({"transformations": [{"input": "cpu", "strategy": "Replace", "outputs": {"nvidia.com/gpu": 2}}]}, NEVER),
    ],
)
def test_what_counts(resources: dict[str, Any], verdict: str) -> None:
    tree = queued("train", 1, gpus=4)
    container = tree["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]
    container["resources"]["requests"] = {"cpu": 8, "nvidia.com/gpu": 4}
    assert one(world(*queue("train", 8), configured(resources=resources)), tree).verdict == verdict


def test_jobs_without_a_queue() -> None:
    unnamed = job("train", 1)
    managed = configured(manageJobsWithoutQueueName=True)
    answer = one(world(*queue("train", 8), managed), unnamed)
    assert (answer.verdict, answer.reason) == (
        NEVER,
        "it names no queue, and Kueue holds back all jobs: LocalQueue  doesn't exist",
    )
    assert one(world(*queue("train", 8), configured()), unnamed).verdict == FITS
    other = {"matchLabels": {"kubernetes.io/metadata.name": "research"}}
    elsewhere = configured(manageJobsWithoutQueueName=True, managedJobsNamespaceSelector=other)
    assert one(world(*queue("train", 8), elsewhere), unnamed).verdict == FITS


def test_kinds_that_kueue_leaves_alone() -> None:
    jobs = configured(integrations={"frameworks": ["batch/job"]})
    answer = one(world(*queue("train", 0), jobs), queued("train", 1))
    assert answer.verdict == FITS
    assert answer.notes == [
        "Kueue does not look after a PyTorchJob: `integrations.frameworks` of its configuration leaves that kind out, "
        "and no queue holds it back"
    ]
    both = configured(integrations={"frameworks": ["batch/job", "kubeflow.org/pytorchjob"]})
    assert one(world(*queue("train", 0), both), queued("train", 1)).verdict == NEVER


def test_nobody_begins_before_all_pods_are_ready() -> None:
    large = queued("large", 1, gpus=16)
    words = {"waitForPodsReady": {"timeout": "10m", "blockAdmission": True}}
    for more, verdict in (([configured(**words)], WAITS), ([], FITS)):
        answers = fit(world(*queue("train", 64), *more), [large, queued("small", 1)])
        assert [answer.verdict for answer in answers] == [NEVER, verdict]


@pytest.mark.parametrize("words", [{"fairSharing": {}}, {"featureGates": {"PartialAdmission": False}}])
def test_what_is_not_followed_is_unknown(words: dict[str, Any]) -> None:
    answer = one(world(*queue("train", 64), configured(**words)), queued("train", 1))
    assert answer.verdict == UNKNOWN
    assert "which is not followed here" in answer.reason


def test_a_configuration_may_be_an_object_and_odd() -> None:
    spec = {"waitForPodsReady": {"timeout": "1h2m3s", "requeuingStrategy": {"backoffLimitCount": 2}}}
    tree = {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration", "metadata": {"name": "c"}, **spec}
    found = configuration_of(Objects([tree]))
    assert (found.timeout, found.retries, found.blocks) == (3723.0, 2, False)
    assert Configuration({"waitForPodsReady": {"enable": False}}).timeout is None
    for text in ("", "[", "a: [", "- 1", "apiVersion: batch.volcano.sh/v1\nkind: Configuration"):
        map_ = {"kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"controller_manager_config.yaml": text}}
        assert configuration_of(Objects([map_])).timeout == 1800.0
