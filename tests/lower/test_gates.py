"""Nothing that is built waits for what nobody makes: every kind × start × network × placement × image.

Each fifth of them by default, in which any two of these meet; all of them under ``fuzz``.
"""

from __future__ import annotations

import json
from itertools import islice, product
from typing import Any

import pytest

from specgen.checking import operator_gang
from specgen.manifest.model import Manifest
from specgen.operators.expand import expand_manifest
from tests.lower.any_job import TARGETS
from tests.lower.gates import unmade
from tests.lower.lowering import built

NODES = 3
STARTS: list[Any] = [
    None,
    "none",
    "self",
    "torchrun",
    "mpirun",
    "horovodrun",
    {"by": "mpirun", "launcherTrains": True},
    {"by": "mpirun", "wait": False},
    {"by": "mpirun", "wait": True},
    {"by": "mpirun", "ssh": {"port": 2022}},
    {"by": "mpirun", "ssh": {"config": "/etc/own"}},
    {"by": "self", "entrypoint": True},
]
# With a GPU each, as pods without devices may go to nodes that the cluster profile does not name.
NETWORKS: dict[str, dict[str, Any]] = {
    "pods": {},
    "nodes by a word": {"pod": {"hostNetwork": True}, "resources": {"gpu": 1}},
    "nodes by the fabric": {"resources": {"gpu": 8, "hca": "auto"}},
    "a port of its own": {"pod": {"hostNetwork": True}, "ports": {"metrics": 9090}, "resources": {"gpu": 1}},
}
IMAGES = ("registry.example.com/a:1", "mpioperator/base:v0.8.0")
GANGS = (None, "volcano", "coscheduling")
OTHER_GANGS = ("kai", "yunikorn", "kueue")
# The numbers of starts, networks and the like have no divisor in common with it.
SOME = 5
PODS = (1, 4)
CLUSTER: dict[str, Any] = {
    "pools": {
        "gpu": {
            "nodes": {"count": NODES, "cpu": 64, "memory": "256Gi"},
            "gpu": {"resource": "nvidia.com/gpu", "perNode": 8},
            "hca": {"perNode": 8},
            "fabric": {"rdma": "host", "memlock": "runtime"},
        }
    }
}


def _waited(words: dict[str, Any], gang: str | None) -> list[str] | None:
    """What is waited for in vain; None where the job is refused."""
    result = built(words, CLUSTER | ({"scheduling": {"gang": gang}} if gang is not None else {}))
    if result.failed:
        return None
    (one,) = result.compiled
    assert one.bundle is not None and one.plan is not None and one.reader is not None
    bare = [Manifest(json.loads(json.dumps(each.tree)), each.where) for each in one.bundle.manifests]
    job = bare[one.bundle.manifests.index(one.bundle.job)]
    beside = [each for each in bare if each is not job]
    flag = operator_gang(one.job.cluster, one.reader)
    expansion, findings = expand_manifest(job, one.reader, one.plan.version, gang=flag, companions=beside)
    assert findings == [] and expansion is not None and expansion.refusals == []
    return unmade([each.tree for each in bare], [*expansion.objects, *expansion.others], expansion.pods, NODES)


def _all(kind: str, gangs: tuple[str | None, ...], each: int = 1) -> int:
    """How many jobs of a kind are built, each so many-th of all; none of them waits in vain."""
    seen = 0
    cases = islice(product(STARTS, NETWORKS.items(), PODS, gangs, IMAGES), 0, None, each)
    for start, (network, said), pods, gang, image in cases:
        words: dict[str, Any] = {"target": TARGETS[kind][0], "pods": pods, "image": image, "command": ["train.py"]}
        words |= {"scheduling": {"pool": "gpu"}} | said | ({"start": start} if start is not None else {})
        found = _waited(words, gang)
        assert not found, f"{start} {network} {pods} {gang} {image}: {found}"
        seen += found is not None
    return seen


@pytest.mark.parametrize("kind", TARGETS)
def test_nothing_is_waited_for_that_nobody_makes(kind: str) -> None:
    assert _all(kind, GANGS, SOME) > 10


@pytest.mark.fuzz
@pytest.mark.parametrize("kind", TARGETS)
def test_nor_anywhere(kind: str) -> None:
    assert _all(kind, GANGS) > 50


@pytest.mark.fuzz
@pytest.mark.parametrize("kind", TARGETS)
def test_nor_with_other_gangs(kind: str) -> None:
    # a Volcano Job is a gang of Volcano's, and takes no other
    assert _all(kind, OTHER_GANGS) > 50 or kind == "VolcanoJob"


def test_what_cannot_come_is_seen() -> None:
    """The judge itself: a guessed port, a gang of too many, a port of too few nodes, a job that comes after nothing."""
    worker = {"image": "a", "command": ["/usr/sbin/sshd", "-De", "-p", "2222"]}
    probed = {**worker, "image": "b", "command": ["sshd"], "readinessProbe": {"tcpSocket": {"port": 22}}}
    pods = [
        {"metadata": {"name": f"j-{at}"}, "spec": {"hostNetwork": True, "containers": [one]}}
        for at, one in enumerate([worker, probed, {"image": "c", "ports": [{"containerPort": 1}]}] * 2)
    ]
    jobs = [{"name": "launcher", "dependsOn": [{"name": "node", "status": "Ready"}]}, {"name": "node"}]
    objects: list[dict[str, Any]] = [
        {"kind": "PodGroup", "spec": {"minMember": 9}},
        {"kind": "TrainingRuntime", "spec": {"template": {"spec": {"replicatedJobs": jobs}}}},
    ]

    found = unmade(objects, [], pods, 1)
    assert [one.partition(":")[0] for one in found] == ["probe", "probe", "group", "depends", "port", "port", "port"]
