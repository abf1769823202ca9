"""What becomes of the places of pods whose node is lost, by the names that each operator gives its pods."""

from __future__ import annotations

from typing import Any

import pytest

from specgen.cli.lifecycle import lines
from specgen.operators.kubernetes.bearing import lost_after
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


USUALLY = "node.kubernetes.io/unreachable"
BEARS = {"key": USUALLY, "operator": "Exists", "effect": "NoExecute"}


@pytest.mark.parametrize(
    ("tolerations", "seconds"),
    [
        ([], 300),
        ([{**BEARS, "tolerationSeconds": 30}], 30),
        # the least of what is said counts, and one without an end leaves it to the others
        ([BEARS, {**BEARS, "tolerationSeconds": 60}, {**BEARS, "tolerationSeconds": 90}], 60),
        ([BEARS], None),
        ([{"operator": "Exists"}], None),
        ([{**BEARS, "tolerationSeconds": -1}], 0),
        # another taint, and another effect: the usual one is added
        ([{**BEARS, "key": "nvidia.com/gpu"}], 300),
        ([{**BEARS, "effect": "NoSchedule"}], 300),
        # the taint has no value: this keeps the usual one away, and bears nothing
        ([{"key": USUALLY, "value": "x", "effect": "NoExecute"}], 0),
    ],
)
def test_a_pod_stays_as_long_as_its_tolerations_say(tolerations: list[Any], seconds: int | None) -> None:
    assert lost_after({"tolerations": tolerations}) == seconds


REMAINS = "its pods are never marked for deletion, as they tolerate it without an end; "


@pytest.mark.parametrize(
    ("target", "tolerations", "lifecycle", "said"),
    [
        (
            "TrainJob",
            [{**BEARS, "tolerationSeconds": 30}],
            {"restarts": 0},
            "after 30 s its pods are marked for deletion; the lost one counts as failed then, which fails the job",
        ),
        (
            "JobSet",
            [{**BEARS, "tolerationSeconds": 0}],
            {"restartAll": 2},
            "its pods are marked for deletion at once; the lost one counts as failed then, which has all pods of the "
            "JobSet deleted and created again",
        ),
        (
            "JobSet",
            [BEARS],
            {},
            REMAINS
            + "another pod comes once somebody deletes it, or the Node object, and the lost one counts as failed",
        ),
        (
            "PyTorchJob",
            [BEARS],
            {},
            REMAINS + "none comes in their place until they are gone: with the Node object, or deleted by force",
        ),
    ],
)
def test_it_is_said_as_the_pods_tolerate_it(
    target: str, tolerations: list[Any], lifecycle: dict[str, Any], said: str
) -> None:
    patch = {"pod": {"spec": {"tolerations": tolerations}}}
    expansion = expanded(target, pods=2, lifecycle=lifecycle, patch=patch)
    assert [line for line in lines(expansion) if line.startswith("lost node")] == ["lost node: " + said]


def test_roles_may_tolerate_it_for_other_times() -> None:
    patch = {"pod": {"spec": {"tolerations": [{**BEARS, "tolerationSeconds": 30}]}}}
    expansion = expanded("MPIJob v2beta1", pods=2, roles={"launcher": {"patch": patch}}, lifecycle={"restarts": 0})
    (line,) = [line for line in lines(expansion) if line.startswith("lost node")]
    assert line == (
        "lost node: after 30 s pods of Launcher are marked for deletion; after 300 s pods of Worker are marked for "
        "deletion; the lost one of Launcher counts as failed then, which fails the job; none of Worker comes in their "
        "place until they are gone: with the Node object, or deleted by force"
    )
