"""``expand`` of TrainJobs and JobSets: the command line with several files, and whatever a tree may hold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from specgen.cli.main import main
from specgen.cli.pods import objects, table
from specgen.document.write import write_json
from specgen.operators.expand import expand_manifest
from specgen.operators.expansion import Expansion
from specgen.operators.jobset.jobset import READER as jobset
from specgen.operators.trainer.trainjob import READER as trainjob
from tests.operators.trainer_recordings import documents, manifest

KINDS = ("TrainJob", "TrainingRuntime", "ClusterTrainingRuntime")


def _pod(name: str) -> dict[str, Any]:
    resources = {"limits": {"nvidia.com/gpu": 8, "cpu": "1500m"}, "requests": {"cpu": 1}}
    main: dict[str, Any] = {
        "name": name,
        "image": "train:1",
        "command": ["torchrun", "x.py"],
        "env": [{"name": "A", "value": "1"}],
    }
    main |= {"ports": [{"containerPort": 80}], "resources": resources}
    main |= {"volumeMounts": [{"name": "initializer", "mountPath": "/w"}]}
    volumes = [{"name": "initializer", "emptyDir": {}}]
    init = [{"name": "fetch", "image": "busybox"}]
    return {
        "metadata": {"labels": {"a": "b"}},
        "spec": {"containers": [main], "initContainers": init, "volumes": volumes},
    }


def _replicated(name: str, step: str, container: str) -> dict[str, Any]:
    labels = {"trainer.kubeflow.org/trainjob-ancestor-step": step}
    spec = {"parallelism": 2, "completions": 2, "template": _pod(container)}
    return {"name": name, "replicas": 1, "template": {"metadata": {"labels": labels}, "spec": spec}}


JOBS = [
    _replicated("dataset-initializer", "dataset-initializer", "dataset-initializer"),
    _replicated("node", "trainer", "node"),
]
JOBS[1]["dependsOn"] = [{"name": "dataset-initializer", "status": "Complete"}]
SPEC: dict[str, Any] = {
    "network": {"subdomain": "ring", "enableDNSHostnames": True},
    "successPolicy": {"operator": "All", "targetReplicatedJobs": ["node"]},
    "failurePolicy": {"maxRestarts": 1, "rules": [{"name": "a", "action": "FailJobSet"}]},
    "coordinator": {"replicatedJob": "node", "jobIndex": 0, "podIndex": 0},
    "replicatedJobs": JOBS,
}
JOBSET: dict[str, Any] = {
    "apiVersion": "jobset.x-k8s.io/v1alpha2",
    "kind": "JobSet",
    "metadata": {"name": "demo", "annotations": {"alpha.jobset.sigs.k8s.io/exclusive-topology": "rack"}},
    "spec": SPEC,
}


def _runtime(policy: str) -> dict[str, Any]:
    body = {"numNodes": 2, policy: {"numProcPerNode": 2} if policy in ("mpi", "flux") else {}}
    groups = {"coscheduling": {"scheduleTimeoutSeconds": 9}, "volcano": {"networkTopology": {"mode": "hard"}}}
    template = {"metadata": {"labels": {"l": "1"}}, "spec": SPEC}
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": "r", "labels": {"x": "y"}},
        "spec": {"mlPolicy": body, "podGroupPolicy": groups, "template": template},
    }


PATCHED = {"name": "node", "template": {"spec": {"template": {"spec": {"nodeSelector": {"a": "b"}}}}}}
JOB: dict[str, Any] = {
    "apiVersion": "trainer.kubeflow.org/v1alpha1",
    "kind": "TrainJob",
    "metadata": {"name": "demo", "namespace": "team"},
    "spec": {
        "runtimeRef": {"name": "r"},
        "trainer": {
            "image": "train:2",
            "numNodes": 3,
            "numProcPerNode": 4,
            "command": ["tune", "run"],
            "args": ["model.lora_attn_modules=[q]"],
            "env": [{"name": "A", "value": "2"}],
            "resourcesPerNode": {"limits": {"nvidia.com/gpu": 4}},
        },
        "initializer": {"dataset": {"storageUri": "hf://a/b", "secretRef": {"name": "s"}}},
        "runtimePatches": [
            {"manager": "a.io/b", "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": [PATCHED]}}}}
        ],
    },
}
POLICIES = ("torch", "mpi", "jax", "xgboost", "flux")
SMALL = st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False) | st.text(max_size=70)
JUNK = SMALL | st.lists(SMALL, max_size=3) | st.dictionaries(st.text(max_size=8), SMALL, max_size=3)


def _paths(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        yield from _paths(value, (*path, key))


def _copy(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: _copy(value) for key, value in tree.items()}
    return [_copy(value) for value in tree] if isinstance(tree, list) else tree


def _mutated(tree: Any, mutations: list[tuple[int, bool, Any]]) -> Any:
    tree = _copy(tree)
    for number, remove, value in mutations:
        paths = [path for path in _paths(tree) if path]
        if not paths:
            return tree
        path = paths[number % len(paths)]
        at = tree
        for step in path[:-1]:
            at = at[step]
        if remove:
            del at[path[-1]]
        else:
            at[path[-1]] = value
    return tree


def _looked_at(expansion: Expansion) -> int:
    assert len(expansion.instances) == len(expansion.pods) <= 10_000
    assert table(expansion).endswith("\n")
    assert objects(expansion)["items"] == expansion.objects
    for pod in expansion.pods[:1]:
        assert write_json(pod).startswith("{")
    return len(expansion.pods)


MUTATIONS = st.lists(st.tuples(st.integers(0, 2**31), st.booleans(), JUNK), min_size=1, max_size=4)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(MUTATIONS, MUTATIONS, st.sampled_from(POLICIES))
def test_mutated_trees(of_job: Any, of_runtime: Any, policy: str) -> None:
    runtime = manifest(_mutated(_runtime(policy), of_runtime))
    for job, beside, backend in (
        (JOB, runtime, trainjob),
        (_mutated(JOB, of_job), manifest(_runtime(policy)), trainjob),
        (_mutated(JOBSET, of_job), runtime, jobset),
    ):
        tree = _copy(job)
        workload = backend.read(manifest(tree))
        workload.companions = [beside]
        _looked_at(backend.expand(workload))
        for lenient in (False, True):
            expansion, findings = expand_manifest(manifest(tree), backend, lenient=lenient, companions=[beside])
            assert expansion is not None or findings
            if expansion is not None:
                _looked_at(expansion)
        assert tree == job, "expand changed its input"


@pytest.mark.parametrize("policy", POLICIES)
def test_the_whole_trees_are_expanded(policy: str) -> None:
    job = _copy(JOB)
    job["spec"]["trainer"]["command"] = ["torchrun", "x.py"]
    expansion, _ = expand_manifest(manifest(job), trainjob, companions=[manifest(_runtime(policy))])
    assert expansion is not None
    assert not expansion.refusals
    assert len(expansion.pods) == 5 if policy != "mpi" else len(expansion.pods) > 3


def test_the_corpus_is_expanded(shared: Path) -> None:
    """Every TrainJob beside every runtime of its own file and the shipped ones, and every runtime under a TrainJob."""
    shipped = sorted((shared / "conformance" / "trainer-2.3.0" / "runtimes").glob("*.yaml"))
    runtimes = [manifest(tree) for file in shipped for tree in documents(file)]
    counts = {"files": 0, "jobs": 0, "pods": 0}
    for file in sorted(file for kind in KINDS for file in (shared / "corpus" / kind).rglob("*.yaml")):
        counts["files"] += 1
        trees = documents(file)
        beside = [*runtimes, *(manifest(tree) for tree in trees)]
        jobs = [tree for tree in trees if tree.get("kind") == "TrainJob"]
        for tree in trees:
            if tree.get("kind") in KINDS[1:]:
                reference = {"kind": tree["kind"], "name": (tree.get("metadata") or {}).get("name")}
                namespace = (tree.get("metadata") or {}).get("namespace")
                metadata = {"name": "probe", **({"namespace": namespace} if namespace else {})}
                jobs.append(
                    {**JOB, "metadata": metadata, "spec": {"runtimeRef": reference, "trainer": {"numNodes": 2}}}
                )
        for tree in jobs:
            counts["jobs"] += 1
            workload = trainjob.read(manifest(tree))
            workload.companions = beside
            _looked_at(trainjob.expand(workload))
            for lenient in (False, True):
                expansion, findings = expand_manifest(manifest(tree), trainjob, lenient=lenient, companions=beside)
                assert expansion is not None or findings
                counts["pods"] += 0 if expansion is None else _looked_at(expansion)
    assert counts["files"] > 80
    assert counts["pods"] > 100


@pytest.mark.soak
def test_too_many_pods_are_cut() -> None:
    tree = _copy(JOBSET)
    del tree["metadata"]["annotations"]
    tree["spec"]["replicatedJobs"][1]["replicas"] = 20_000
    expansion, _ = expand_manifest(manifest(tree), jobset)
    assert expansion is not None
    assert _looked_at(expansion) == 10_000
    assert expansion.left_out == 40_002 - 10_000


def test_the_runtime_stands_in_another_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job, runtime = tmp_path / "job.yaml", tmp_path / "runtime.yaml"
    spec = {"runtimeRef": {"name": "r"}, "trainer": {"numNodes": 2}}
    job.write_text(write_json({**JOB, "spec": spec}), encoding="utf-8")
    runtime.write_text(write_json(_runtime("torch")), encoding="utf-8")
    assert main(["expand", str(job), str(runtime)]) == 0
    said = capsys.readouterr().out
    assert "TrainJob team/demo becomes 4 pods" in said
    assert "demo-node-0-0..1-<random>" in said
    assert main(["expand", str(job)]) == 1
    assert "the ClusterTrainingRuntime `r` is not among the files" in capsys.readouterr().out


def _of_pods(name: str, *companions: dict[str, Any], **spec: Any) -> Expansion:
    tree = {**JOBSET, "metadata": {**JOBSET["metadata"], "name": name}, "spec": spec}
    made, _ = expand_manifest(manifest(tree), jobset, companions=[manifest(one) for one in companions])
    assert made is not None
    return made


def test_followers_of_exclusive_placement_come_to_their_leader() -> None:
    made = _of_pods("j", replicatedJobs=[{**_replicated("node", "trainer", "node"), "replicas": 2}])
    assert not made.refusals
    chosen = [pod["spec"].get("nodeSelector") for pod in made.pods]
    assert chosen == [None, {"rack": "<rack of j-node-0-0>"}, None, {"rack": "<rack of j-node-1-0>"}]
    assert ["come once that of index 0 has a node" in note for note in made.notes] == [True]


def test_a_jobset_takes_a_service_that_is_there() -> None:
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "ring"}, "spec": {"clusterIP": "None"}}
    jobs = [_replicated("node", "trainer", "node")]
    made = _of_pods("j", service, network={"subdomain": "ring"}, replicatedJobs=jobs)
    assert not made.refusals and not made.services
    assert made.notes[0] == "the controller makes no Service: it takes `ring`, which is there, as it is"
