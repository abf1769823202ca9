"""``expand`` takes whatever a tree holds: the corpus, broken files, and trees with parts torn out or replaced."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from specgen.cli.pods import objects, table
from specgen.document.decode import decode
from specgen.document.read import read
from specgen.document.tree import Document, Mapping
from specgen.document.write import write_yaml
from specgen.manifest.model import Manifest
from specgen.manifest.prune import prune
from specgen.operators import expansion as expansion_module
from specgen.operators.expand import expand_manifest
from specgen.operators.expansion import Expansion
from specgen.operators.training.jaxjob import READER as jaxjob
from specgen.operators.training.mpijob import READER as mpijob_v1
from specgen.operators.training.paddlejob import READER as paddlejob
from specgen.operators.training.pytorchjob import READER as pytorchjob
from specgen.operators.training.tfjob import READER as tfjob
from specgen.operators.training.xgboostjob import READER as xgboostjob
from specgen.schema.files import load
from specgen.source import Source

VERSIONS = ("1.9.4", "1.8.1", "1.7.0", "0.7", "latest", "")
GANGS = ("", "", "volcano", "scheduler-plugins")
WHERE = Document(Source("<test>", ""), Mapping(0), 0)


def _role(container: str, count: int) -> dict[str, Any]:
    return {
        "replicas": count,
        "restartPolicy": "ExitCode",
        "template": {
            "metadata": {"labels": {"app": "x"}, "annotations": {"k": "v"}},
            "spec": {
                "hostNetwork": True,
                "volumes": [{"name": "shm", "emptyDir": {"medium": "Memory"}}],
                "initContainers": [{"name": "fetch", "image": "busybox"}],
                "containers": [
                    {
                        "name": container,
                        "image": "train:1",
                        "command": ["torchrun", "--node_rank=$(RANK)", "$(HOME)/train.py"],
                        "args": ["--lr", "$$(X)"],
                        "env": [
                            {"name": "HOME", "value": "/h"},
                            {"name": "P", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['app']"}}},
                            {"name": "S", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
                        ],
                        "ports": [{"containerPort": 29500, "name": "other", "hostPort": 29500}],
                        "resources": {"limits": {"nvidia.com/gpu": 8, "cpu": "1500m"}, "requests": {"cpu": 1}},
                        "volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}],
                    }
                ],
            },
        },
    }


CONTAINERS = {
    "PyTorchJob": "pytorch",
    "TFJob": "tensorflow",
    "MPIJob": "mpi",
    "XGBoostJob": "xgboost",
    "PaddleJob": "paddle",
    "JAXJob": "jax",
}


def _job(module: Any, field: str, roles: dict[str, int], **more: Any) -> tuple[Any, dict[str, Any]]:
    policy = {"minAvailable": 2, "queue": "q", "minResources": {"cpu": 4}, "scheduleTimeoutSeconds": 9}
    tree = {
        "apiVersion": "kubeflow.org/v1",
        "kind": module.kind,
        "metadata": {"name": "demo", "namespace": "team", "labels": {"a": "b"}, "annotations": {"c": "d"}},
        "spec": {
            **more,
            "runPolicy": {"cleanPodPolicy": "None", "suspend": False, "backoffLimit": 3, "schedulingPolicy": policy},
            field: {role: _role(CONTAINERS[module.kind], count) for role, count in roles.items()},
        },
    }
    return module, tree


_ELASTIC = {
    "minReplicas": 1,
    "maxReplicas": 4,
    "rdzvConf": [{"key": "timeout", "value": "900"}],
    "metrics": [{"type": "Resource"}],
}
_TWO = {"Master": 1, "Worker": 3}
JOBS = [
    _job(pytorchjob, "pytorchReplicaSpecs", _TWO, nprocPerNode="8", elasticPolicy=_ELASTIC),
    _job(tfjob, "tfReplicaSpecs", {"Chief": 1, "PS": 2, "Worker": 2, "Evaluator": 1}, enableDynamicWorker=False),
    _job(mpijob_v1, "mpiReplicaSpecs", {"Launcher": 1, "Worker": 2}, slotsPerWorker=8, mainContainer="mpi"),
    _job(xgboostjob, "xgbReplicaSpecs", _TWO),
    _job(paddlejob, "paddleReplicaSpecs", _TWO, elasticPolicy={"minReplicas": 1}),
    _job(jaxjob, "jaxReplicaSpecs", {"Worker": 3}),
]
NAMES = [module.kind for module, _ in JOBS]


def _paths(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        yield from _paths(value, (*path, key))


SMALL = st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False) | st.text(max_size=70)
JUNK = SMALL | st.lists(SMALL, max_size=3) | st.dictionaries(st.text(max_size=8), SMALL, max_size=3)


def _mutations(tree: Any) -> st.SearchStrategy[Any]:
    paths = [path for path in _paths(tree) if path]
    return st.lists(st.tuples(st.sampled_from(paths), st.sampled_from(("remove", "set")), JUNK), min_size=1, max_size=6)


def _mutated(job: Any, mutations: list[tuple[tuple[Any, ...], str, Any]]) -> Any:
    tree = _copy(job)
    for path, how, value in mutations:
        at: Any = tree
        for step in path[:-1]:
            at = at[step] if _has(at, step) else None
        if _has(at, path[-1]):
            if how == "remove":
                del at[path[-1]]
            else:
                at[path[-1]] = value
    return tree


def _has(at: Any, step: Any) -> bool:
    if isinstance(at, dict):
        return step in at
    return isinstance(at, list) and isinstance(step, int) and step < len(at)


def _copy(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: _copy(value) for key, value in tree.items()}
    return [_copy(value) for value in tree] if isinstance(tree, list) else tree


def _expanded(module: Any, tree: Any, version: str, gang: str = "") -> Expansion:
    workload = module.read(Manifest(tree, WHERE), version)
    workload.gang = gang
    expansion: Expansion = module.expand(workload)
    assert len(expansion.instances) == len(expansion.pods) <= 10_000
    assert table(expansion).endswith("\n")
    assert objects(expansion)["items"] == expansion.objects
    return expansion


def _names(expansion: Expansion) -> list[str]:
    return [tree["metadata"]["name"] for tree in expansion.objects]


@pytest.mark.parametrize(("module", "job"), JOBS, ids=NAMES)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), version=st.sampled_from(VERSIONS), gang=st.sampled_from(GANGS))
def test_mutated_trees(module: Any, job: Any, data: st.DataObject, version: str, gang: str) -> None:
    tree = _mutated(job, data.draw(_mutations(job)))
    before = repr(tree)
    expansion = _expanded(module, tree, version, gang)
    schema = load(f"k8s/kubeflow.org/{module.schema}.json")
    stored, removed = prune(schema, tree)
    assert prune(schema, stored)[1] == []
    if not removed:
        assert _names(_expanded(module, stored, version, gang)) == _names(expansion)
    assert repr(tree) == before, "expand changed its input"


@pytest.mark.parametrize(("module", "job"), JOBS, ids=NAMES)
def test_corpus_and_broken_files(shared: Path, module: Any, job: Any) -> None:
    corpus = shared / "corpus"
    files = sorted((corpus / module.kind).rglob("*.yaml")) + sorted((corpus / "broken").rglob("*.*"))
    pods = 0
    for file in files:
        source, _ = decode(file.name, file.read_bytes())
        for document in read(source)[0] if source is not None else ():
            manifest = Manifest(document.data, document)
            if isinstance(document.data, dict):
                pods += len(_expanded(module, document.data, "1.9.4").pods)
                for lenient in (False, True):
                    expansion, findings = expand_manifest(manifest, module, "1.9.4", lenient=lenient, gang="volcano")
                    assert expansion is not None or findings
                    if expansion is not None:
                        assert write_yaml(objects(expansion)).startswith("apiVersion: v1\nkind: List\n")
    assert pods > 0
    assert len(_expanded(module, job, "1.9.4").pods) > 2


@pytest.mark.parametrize(("module", "job"), JOBS, ids=NAMES)
@pytest.mark.soak
def test_a_job_of_too_many_pods_is_cut(module: Any, job: Any) -> None:
    tree = _copy(job)
    tree["spec"].pop("elasticPolicy", None)
    roles = next(value for key, value in tree["spec"].items() if key.endswith("ReplicaSpecs"))
    roles["Worker"]["replicas"] = 2**31 - 1
    expansion = _expanded(module, tree, "1.9.4", "volcano")
    wanted = sum(role["replicas"] for role in roles.values())
    assert len(expansion.pods) + expansion.left_out == wanted
    assert 100 < len(expansion.pods) <= 10_000


@pytest.mark.parametrize(("module", "job"), JOBS, ids=NAMES)
def test_of_pods_with_long_templates_fewer_are_built(module: Any, job: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expansion_module, "MOST_PARTS", 100_000)
    tree = _copy(job)
    tree["spec"].pop("elasticPolicy", None)
    roles = next(value for key, value in tree["spec"].items() if key.endswith("ReplicaSpecs"))
    roles["Worker"]["replicas"] = 10_000
    for container in roles["Worker"]["template"]["spec"]["containers"]:
        container["env"] = [{"name": f"A{number}", "value": "b"} for number in range(500)]
    expansion = _expanded(module, tree, "1.9.4")
    wanted = sum(role["replicas"] for role in roles.values())
    assert len(expansion.pods) + expansion.left_out == wanted
    assert 30 < len(expansion.pods) < 300


def test_the_last_pod_of_too_many_knows_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expansion_module, "MOST_PODS", 500)
    tree = _copy(JOBS[0][1])
    del tree["spec"]["elasticPolicy"]
    tree["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"] = 2**31 - 1
    expansion = _expanded(pytorchjob, tree, "1.9.4")
    assert len(expansion.pods) == 500
    assert expansion.left_out == 2**31 - 500
    assert "becomes 2147483648 pods, of which 500 are shown with 500 Services" in table(expansion).splitlines()[0]
    assert expansion.pods[-1]["spec"]["containers"][0]["env"][-1] == {"name": "PET_NNODES", "value": str(2**31)}
