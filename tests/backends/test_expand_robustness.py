"""``expand`` takes whatever a tree holds: the corpus, broken files, and trees with parts torn out or replaced."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from specgen.backends import pytorchjob
from specgen.backends._expansion import Expansion
from specgen.cli.pods import objects, table
from specgen.document.read import decode, read
from specgen.document.tree import Document, Mapping
from specgen.document.write import write_yaml
from specgen.expansion import expand_manifest
from specgen.manifest.model import Manifest
from specgen.manifest.prune import prune
from specgen.schema.files import load
from specgen.source import Source

SCHEMA = load("k8s/kubeflow.org/pytorchjob_v1.json")
VERSIONS = ("1.9.4", "1.8.1", "1.7.0", "0.7", "latest", "")
WHERE = Document(Source("<test>", ""), Mapping(0), 0)

JOB: dict[str, Any] = {
    "apiVersion": "kubeflow.org/v1",
    "kind": "PyTorchJob",
    "metadata": {"name": "demo", "namespace": "team", "labels": {"a": "b"}},
    "spec": {
        "nprocPerNode": "8",
        "runPolicy": {"cleanPodPolicy": "None", "suspend": False, "backoffLimit": 3},
        "elasticPolicy": {
            "minReplicas": 1,
            "maxReplicas": 4,
            "rdzvConf": [{"key": "timeout", "value": "900"}],
            "metrics": [{"type": "Resource"}],
        },
        "pytorchReplicaSpecs": {
            role: {
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
                                "name": "pytorch",
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
            for role, count in (("Master", 1), ("Worker", 3))
        },
    },
}


def _paths(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        yield from _paths(value, (*path, key))


PATHS = [path for path in _paths(JOB) if path]
SMALL = st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False) | st.text(max_size=70)
JUNK = SMALL | st.lists(SMALL, max_size=3) | st.dictionaries(st.text(max_size=8), SMALL, max_size=3)
MUTATION = st.tuples(st.sampled_from(PATHS), st.sampled_from(("remove", "set")), JUNK)
MUTATIONS = st.lists(MUTATION, min_size=1, max_size=6)


def _mutated(mutations: list[tuple[tuple[Any, ...], str, Any]]) -> Any:
    tree = _copy(JOB)
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


def _expanded(tree: Any, version: str) -> Expansion:
    expansion = pytorchjob.expand(pytorchjob.read(Manifest(tree, WHERE), version))
    assert len(expansion.instances) == len(expansion.pods) <= 10_000
    assert table(expansion).endswith("\n")
    assert objects(expansion)["items"] == expansion.objects
    return expansion


@settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(MUTATIONS, st.sampled_from(VERSIONS))
def test_mutated_trees(mutations: list[tuple[tuple[Any, ...], str, Any]], version: str) -> None:
    tree = _mutated(mutations)
    before = repr(tree)
    expansion = _expanded(tree, version)
    stored, removed = prune(SCHEMA, tree)
    assert prune(SCHEMA, stored)[1] == []
    if not removed:
        assert [pod["metadata"]["name"] for pod in _expanded(stored, version).pods] == [
            pod["metadata"]["name"] for pod in expansion.pods
        ]
    assert repr(tree) == before, "expand changed its input"


def test_corpus_and_broken_files(shared: Path) -> None:
    corpus = shared / "corpus"
    files = sorted((corpus / "PyTorchJob").rglob("*.yaml")) + sorted((corpus / "broken").rglob("*.*"))
    assert len(files) > 60
    pods = 0
    for file in files:
        source, _ = decode(file.name, file.read_bytes())
        for document in read(source)[0] if source is not None else ():
            manifest = Manifest(document.data, document)
            if isinstance(document.data, dict):
                pods += len(_expanded(document.data, "1.9.4").pods)
                for lenient in (False, True):
                    expansion, findings = expand_manifest(manifest, pytorchjob, "1.9.4", lenient=lenient)
                    assert expansion is not None or findings
                    if expansion is not None:
                        assert write_yaml(objects(expansion)).startswith("apiVersion: v1\nkind: List\n")
    assert pods > 100


def test_a_job_of_too_many_pods_is_cut() -> None:
    tree = _copy(JOB)
    del tree["spec"]["elasticPolicy"]
    tree["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"] = 2**31 - 1
    expansion = _expanded(tree, "1.9.4")
    assert len(expansion.pods) == 10_000
    assert expansion.left_out == 2**31 - 10_000
    assert expansion.pods[-1]["spec"]["containers"][0]["env"][-1] == {"name": "PET_NNODES", "value": str(2**31)}
