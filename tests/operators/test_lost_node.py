"""What becomes of the places of pods whose node is lost, by the names that each operator gives its pods."""

from __future__ import annotations

from typing import Any

import pytest

from specgen.cli.lifecycle import lines
from specgen.operators.lifecycle import BESIDE, HELD
from specgen.reference.becoming import Compiler, targets

LOST = {
    "JobSet": {"worker": BESIDE},
    "MPIJob v1": {"Launcher": HELD, "Worker": HELD},
    "MPIJob v2beta1": {"Launcher": BESIDE, "Worker": HELD},
    "MSJob": {"Scheduler": HELD, "Worker": HELD},
    "PyTorchJob": {"Master": HELD, "Worker": HELD},
    "TFJob": {"Worker": HELD},
    "TrainJob": {"node": BESIDE},
    "VolcanoJob": {"master": HELD, "worker": HELD},
}
MARKED = "lost node: after 300 s its pods are marked for deletion; "


def expanded(kind: str, **words: Any) -> Any:
    expansion = Compiler().outcome(words, {}, targets()[kind]).expansion
    assert expansion is not None and expansion.lifecycle is not None
    return expansion


@pytest.mark.parametrize("kind", targets())
def test_of_every_kind_it_is_known(kind: str) -> None:
    expansion = expanded(kind, pods=2)
    assert expansion.lifecycle.lost == LOST[kind]
    # a name that ends at random is free at once, any other is taken as long as its pod is there
    for one in expansion.instances:
        assert one.pod.endswith("<random>") == (LOST[kind][one.role] == BESIDE), one.pod


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("PyTorchJob", "none comes in their place until they are gone: with the Node object, or deleted by force"),
        ("TrainJob", "another pod comes then, and the lost one counts as failed"),
        (
            "MPIJob v2beta1",
            "another pod of Launcher comes then, and the lost one counts as failed; none of Worker comes in their "
            "place until they are gone: with the Node object, or deleted by force",
        ),
    ],
)
def test_it_is_one_line(kind: str, said: str) -> None:
    assert [line for line in lines(expanded(kind, pods=2)) if line.startswith("lost node")] == [MARKED + said]


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ({"podReplacementPolicy": "Failed"}, HELD),
        ({"podReplacementPolicy": "TerminatingOrFailed"}, BESIDE),
        ({"podFailurePolicy": {"rules": []}}, HELD),
        ({}, BESIDE),
    ],
)
def test_a_job_may_replace_failed_pods_alone(words: dict[str, Any], what: str) -> None:
    from specgen.operators.jobset.lifecycle import lifecycle

    job = {"name": "worker", "template": {"spec": {**words, "template": {"spec": {"restartPolicy": "Never"}}}}}
    assert lifecycle({"replicatedJobs": [job]}).lost == {"worker": what}
