"""MPIJob v2beta1 and MSJob for people and programs: tables, ranks, what differs from the recorded cases, torn trees."""

from __future__ import annotations

import copy
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
from specgen.manifest.model import Manifest, ObjectRef
from specgen.manifest.prune import prune
from specgen.operators import by_object
from specgen.operators.expand import expand_manifest
from specgen.operators.expansion import Expansion
from specgen.operators.mindspore.msjob import READER as msjob
from specgen.operators.mpi.hosts import Hosts
from specgen.operators.mpi.mpijob import READER as mpijob_v2beta1
from specgen.operators.mpi.mpirun import ranks
from specgen.schema.files import load
from specgen.source import Source

WHERE = Document(Source("<test>", ""), Mapping(0), 0)
GANGS = (None, "", "volcano", "scheduler-plugins-scheduler")
CONTAINER: dict[str, Any] = {
    "name": "mindspore",
    "image": "train:1",
    "command": ["mpirun", "-np", "6", "$(HOME)/train"],
    "env": [{"name": "HOME", "value": "/h"}, {"name": "P", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
    "ports": [{"containerPort": 3333, "name": "other", "hostPort": 3333}],
    "resources": {"limits": {"nvidia.com/gpu": 2, "cpu": "1500m"}, "requests": {"cpu": 1, "memory": "1Gi"}},
    "volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}],
}
TEMPLATE: dict[str, Any] = {
    "metadata": {"labels": {"app": "x"}, "annotations": {"k": "v"}},
    "spec": {
        "hostNetwork": True,
        "priorityClassName": "high",
        "schedulerName": "mine",
        "dnsConfig": {"searches": ["example.com"]},
        "volumes": [{"name": "shm", "emptyDir": {"medium": "Memory"}}],
        "containers": [CONTAINER],
    },
}
POLICY: dict[str, Any] = {
    "cleanPodPolicy": "Running",
    "backoffLimit": 3,
    "ttlSecondsAfterFinished": 60,
    "schedulingPolicy": {"minAvailable": 2, "queue": "q", "minResources": {"cpu": "4"}, "priorityClass": "high"},
}


def _roles(*counts: tuple[str, int]) -> dict[str, Any]:
    return {
        role: {"replicas": count, "restartPolicy": "OnFailure", "template": copy.deepcopy(TEMPLATE)}
        for role, count in counts
    }


MPI: dict[str, Any] = {
    "apiVersion": "kubeflow.org/v2beta1",
    "kind": "MPIJob",
    "metadata": {"name": "demo", "namespace": "team", "annotations": {"scheduling.volcano.sh/queue-name": "q2"}},
    "spec": {
        "slotsPerWorker": 2,
        "sshAuthMountPath": "/home/mpi/.ssh",
        "runLauncherAsWorker": False,
        "launcherCreationPolicy": "WaitForWorkersReady",
        "mpiImplementation": "OpenMPI",
        "runPolicy": {**copy.deepcopy(POLICY), "suspend": False, "managedBy": "kubeflow.org/mpi-operator"},
        "mpiReplicaSpecs": _roles(("Launcher", 1), ("Worker", 3)),
    },
}
MS: dict[str, Any] = {
    "apiVersion": "mindspore.gitee.com/v1",
    "kind": "MSJob",
    "metadata": {"name": "demo", "namespace": "team"},
    "spec": {
        "successPolicy": "AllWorkers",
        "runPolicy": copy.deepcopy(POLICY),
        "msReplicaSpecs": _roles(("scheduler", 1), ("PS", 2), ("Worker", 3), ("Helper", 1)),
    },
}
SCHEMAS = {
    "MPIJob": load("k8s/kubeflow.org/mpijob_v2beta1.json"),
    "MSJob": load("k8s/mindspore.gitee.com/msjob_v1.json"),
}

SMALL = st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False) | st.text(max_size=70)
JUNK = SMALL | st.lists(SMALL, max_size=3) | st.dictionaries(st.text(max_size=8), SMALL, max_size=3)


def _paths(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
        yield from _paths(value, (*path, key))


def _mutations(tree: dict[str, Any]) -> st.SearchStrategy[list[tuple[tuple[Any, ...], bool, Any]]]:
    return st.lists(st.tuples(st.sampled_from(list(_paths(tree))), st.booleans(), JUNK), min_size=1, max_size=6)


def _mutated(tree: dict[str, Any], mutations: list[tuple[tuple[Any, ...], bool, Any]]) -> dict[str, Any]:
    tree = copy.deepcopy(tree)
    for path, remove, value in mutations:
        at: Any = tree
        try:
            for step in path[:-1]:
                at = at[step]
            if remove:
                del at[path[-1]]
            else:
                at[path[-1]] = value
        except (KeyError, IndexError, TypeError):
            continue  # an earlier mutation took the place away
    return tree


def _expanded(tree: dict[str, Any], version: str, gang: str | None) -> Expansion:
    backend = msjob if tree.get("kind") == "MSJob" else mpijob_v2beta1
    workload = backend.read(Manifest(tree, WHERE), version)
    workload.gang = gang
    assert workload.world_size is not None
    expansion: Expansion = backend.expand(workload)
    assert len(expansion.instances) == len(expansion.pods) <= 10_001
    assert table(expansion).endswith("\n")
    assert objects(expansion)["items"] == expansion.objects
    return expansion


def _check(tree: dict[str, Any], version: str, gang: str | None) -> None:
    before = repr(tree)
    expansion = _expanded(tree, version, gang)
    schema = SCHEMAS["MSJob" if tree.get("kind") == "MSJob" else "MPIJob"]
    stored, removed = prune(schema, tree)
    if not removed:
        again = _expanded(stored, version, gang)
        assert [one["metadata"]["name"] for one in again.objects] == [
            one["metadata"]["name"] for one in expansion.objects
        ]
    assert repr(tree) == before, "expand changed its input"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_mutations(MPI), st.sampled_from(("0.8.2", "0.6.0", "0.4.0", "0.2", "latest", "")), st.sampled_from(GANGS))
def test_mutated_mpijobs(mutations: list[Any], version: str, gang: str | None) -> None:
    _check(_mutated(MPI, mutations), version, gang)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_mutations(MS), st.sampled_from(("1.0.0", "latest", "")), st.sampled_from(GANGS))
def test_mutated_msjobs(mutations: list[Any], version: str, gang: str | None) -> None:
    _check(_mutated(MS, mutations), version, gang)


def test_corpus_and_broken_files(shared: Path) -> None:
    corpus = shared / "corpus"
    files = [file for kind in ("MPIJob", "MSJob") for file in sorted((corpus / kind).rglob("*.yaml"))]
    files += sorted((corpus / "broken").rglob("*.*"))
    jobs = {"MPIJob": 0, "MSJob": 0}
    for file in files:
        source, _ = decode(file.name, file.read_bytes())
        for document in read(source)[0] if source is not None else ():
            if not isinstance(document.data, dict):
                continue
            manifest = Manifest(document.data, document)
            backend: Any = by_object(manifest.ref.api_version, manifest.ref.kind)
            if backend not in (mpijob_v2beta1, msjob):
                continue
            jobs[backend.kind] += 1
            _expanded(document.data, backend.newest, None)
            for lenient in (False, True):
                for gang in GANGS:
                    expansion, findings = expand_manifest(manifest, backend, backend.newest, lenient=lenient, gang=gang)
                    assert expansion is not None or findings
                    if expansion is not None:
                        assert write_yaml(objects(expansion)).startswith("apiVersion: v1\nkind: List\n")
    assert jobs["MPIJob"] >= 78
    assert jobs["MSJob"] >= 4


TABLE = """\
mpi-operator 0.8.2: MPIJob team/demo becomes 4 pods, 1 Service, 1 ConfigMap, 1 Secret and 1 Job; \
demo-worker-0..2 are alike but for index and rank

POD                     ROLE      RANKS  DEVICES           RENDEZVOUS  COMMAND
demo-launcher-<random>  Launcher  -      2 nvidia.com/gpu  -           mpirun -np 6 /h/train
demo-worker-0..2        Worker    0-5    2 nvidia.com/gpu  -           sleep 1

hostfile of ConfigMap demo-config:
  demo-worker-0.demo.team.svc slots=2
  demo-worker-1.demo.team.svc slots=2
  demo-worker-2.demo.team.svc slots=2

success: when demo-launcher-<random> ends with exit code 0
failure: Launcher (`OnFailure`): the kubelet restarts a container that fails, in place; a pod that fails as a whole, \
such as one evicted, is replaced by another one, at most 3 times (`backoffLimit`, restarts in place counted); then the \
job fails
failure: Worker (`OnFailure`): the kubelet restarts a container that fails, in place and without end; a pod that \
fails as a whole, such as one evicted, is never replaced, and the job goes on without it
lost node: after 300 s its pods are marked for deletion; another pod of Launcher comes then, and the \
lost one counts as failed; none of Worker comes in their place until they are gone: with the Node object, or \
deleted by force
end: pods of Worker that have not ended are deleted (`cleanPodPolicy` is `Running`); finished ones stay; the \
launcher's Job with its pods, the Service, the ConfigMap, and the Secret stay
limit: `ttlSecondsAfterFinished` 60: the launcher's Job and pods are deleted 60 s after its end; the MPIJob and its \
Workers are not

Job demo-launcher and its pod come when all Workers are ready
"""


def test_table_of_an_mpijob() -> None:
    tree = copy.deepcopy(MPI)
    tree["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]["command"] = ["sleep", "1"]
    assert table(_expanded(tree, "0.8.2", None)) == TABLE


def test_table_of_an_msjob() -> None:
    lines = table(_expanded(MS, "1.0.0", None)).splitlines()
    assert lines[0].startswith(
        "ms-operator 1.0.0: MSJob team/demo becomes 7 pods and 1 Service; demo-ps-0..1, demo-worker-0..2"
    )
    assert [line.split()[0] for line in lines[3:7]] == [
        "demo-scheduler-0",
        "demo-ps-0..1",
        "demo-worker-0..2",
        "demo-helper-0",
    ]
    assert "<status.podIP>:2222" in lines[3]
    assert "<clusterIP of demo-scheduler-0>:2222" in lines[4]
    assert lines[-1].startswith("Pod demo-scheduler-0 may lack its MS_ variables")


def test_a_refused_worker_keeps_the_launcher_away() -> None:
    tree = copy.deepcopy(MPI)
    del tree["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]["image"]
    expansion = _expanded(tree, "0.8.2", None)
    assert [one["kind"] for one in expansion.objects] == ["Service", "ConfigMap", "Secret"]
    assert [(one.kind, one.name, one.by) for one in expansion.refusals] == [("Pod", "demo-worker-0", "the API server")]


def test_jobs_of_too_many_pods_are_cut() -> None:
    tree = copy.deepcopy(MPI)
    tree["spec"]["mpiReplicaSpecs"]["Worker"]["replicas"] = 2**31 - 1
    expansion = _expanded(tree, "0.8.2", None)
    assert len(expansion.pods) == 10_001
    assert expansion.left_out == 2**31 - 1 - 10_000
    assert expansion.others[0]["data"]["hostfile"].endswith(f"<and {2**31 - 1 - 10_000} more>\n")
    tree = copy.deepcopy(MS)
    tree["spec"]["msReplicaSpecs"]["Worker"]["replicas"] = 2**31 - 1
    expansion = _expanded(tree, "1.0.0", None)
    assert len(expansion.pods) == 10_000
    assert expansion.left_out == 2**31 - 1 + 4 - 10_000


def test_msjob_pods_are_no_gang_s_own_where_a_role_names_a_scheduler() -> None:
    tree = copy.deepcopy(MS)
    del tree["spec"]["msReplicaSpecs"]["PS"]["template"]["spec"]["schedulerName"]
    pods = {one["metadata"]["name"]: one["spec"] for one in _expanded(tree, "1.0.0", "volcano").pods}
    assert "schedulerName" not in pods["demo-ps-0"]
    assert pods["demo-worker-0"]["schedulerName"] == "mine"


@pytest.mark.parametrize(
    ("command", "implementation", "expected"),
    [
        (["mpirun", "train"], "OpenMPI", [(0, 1), (2, 3), (4, 5)]),
        (["/usr/bin/mpirun", "-n", "3", "train"], "OpenMPI", [(0, 1), (2, 2), None]),
        (["sh", "-c", "mpirun --np=6 -hostfile /etc/mpi/hostfile train"], "OpenMPI", [(0, 1), (2, 3), (4, 5)]),
        (["mpiexec.hydra", "-n", "6", "train"], "Intel", [(0, 1), (2, 3), (4, 5)]),
        (["mpirun", "train"], "Intel", [None, None, None]),
        (["mpirun", "-np", "7", "train"], "OpenMPI", [None, None, None]),
        (["mpirun", "-np", "$NP", "train"], "OpenMPI", [None, None, None]),
        (["mpirun", "-np", "6", "--map-by", "node", "train"], "OpenMPI", [None, None, None]),
        (["mpirun", "-np", "6", "--hostfile", "/mine", "train"], "OpenMPI", [None, None, None]),
        (["mpirun", "-np", "3", "-N", "1", "train"], "OpenMPI", [(0, 0), (1, 1), (2, 2)]),
        (["mpirun", "-npernode", "1", "train"], "OpenMPI", [(0, 0), (1, 1), (2, 2)]),
        (["mpirun", "-np", "6", "-N", "3", "train"], "OpenMPI", [None, None, None]),
        (["mpirun", "-n", "6", "-ppn", "2", "train"], "Intel", [(0, 1), (2, 3), (4, 5)]),
        (["sh", "-c", "mpirun \\\n -np 3 \\\n train"], "OpenMPI", [(0, 1), (2, 2), None]),
        (["horovodrun", "-np", "6", "train"], "OpenMPI", [None, None, None]),
        (["horovodrun", "-np", "6", "--hostfile", "/etc/mpi/hostfile", "t"], "OpenMPI", [(0, 1), (2, 3), (4, 5)]),
        (["mpirun", "-np", "2", "a", ":", "-np", "4", "b"], "OpenMPI", [None, None, None]),
        (["mpirun", "a", ";", "mpirun", "b"], "OpenMPI", [None, None, None]),
        (["python", "train.py"], "OpenMPI", [None, None, None]),
    ],
)
def test_ranks(command: list[str], implementation: str, expected: list[tuple[int, int] | None]) -> None:
    spec = {"slotsPerWorker": 2, "mpiImplementation": implementation, "mpiReplicaSpecs": {"Worker": {"replicas": 3}}}
    ref = ObjectRef("kubeflow.org/v2beta1", "MPIJob", "demo", None)
    hosts = Hosts(ref, spec, as_worker=False, release=(0, 8, 2))
    assert [ranks(command, hosts, host) for host in range(3)] == expected


def _ranks(tree: dict[str, Any]) -> dict[str, list[tuple[int, int] | None]]:
    """Role → the ranks of its pods."""
    job = Manifest(tree, WHERE)
    reader = by_object(job.ref.api_version, job.ref.kind)
    assert reader is not None
    expansion, _ = expand_manifest(job, reader)
    assert expansion is not None
    found: dict[str, list[tuple[int, int] | None]] = {}
    for one in expansion.instances:
        found.setdefault(one.role, []).append(one.ranks)
    return found


@pytest.mark.parametrize(
    ("command", "slots", "gpus", "expected"),
    [
        (["mpirun", "-np", "3", "train"], 2, 0, {"Worker": [(0, 1), (2, 2)], "Launcher": [None]}),
        (["mpirun", "train"], 1, 0, {"Worker": [(0, 0), (1, 1)], "Launcher": [None]}),
        # a launcher with GPUs is the first host
        (["mpirun", "train"], 1, 1, {"Worker": [(1, 1), (2, 2)], "Launcher": [(0, 0)]}),
        (["mpirun", "--map-by", "node", "train"], 1, 0, {"Worker": [None, None], "Launcher": [None]}),
    ],
)
def test_ranks_of_an_mpijob_v1(command: list[str], slots: int, gpus: int, expected: dict[str, Any]) -> None:
    launcher: dict[str, Any] = {"name": "mpi", "image": "a:1", "command": command}
    if gpus:
        launcher["resources"] = {"limits": {"nvidia.com/gpu": gpus}}
    worker = {"name": "mpi", "image": "a:1"}
    roles = {
        "Launcher": {"replicas": 1, "template": {"spec": {"containers": [launcher]}}},
        "Worker": {"replicas": 2, "template": {"spec": {"containers": [worker]}}},
    }
    spec = {"slotsPerWorker": slots, "mpiReplicaSpecs": roles}
    assert (
        _ranks({"apiVersion": "kubeflow.org/v1", "kind": "MPIJob", "metadata": {"name": "m"}, "spec": spec}) == expected
    )


def test_ranks_of_a_trainjob_over_a_runtime_of_mpi() -> None:
    """The hosts stand in the file in the order of the runtime's jobs: there the launcher is the last."""
    trainer = {"numNodes": 3, "numProcPerNode": 2, "command": ["mpirun", "-np", "6", "train"]}
    spec = {"runtimeRef": {"name": "mlx-distributed"}, "trainer": trainer}
    job = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": {"name": "m"}, "spec": spec}
    assert _ranks(job) == {"node": [(0, 1), (2, 3)], "launcher": [(4, 5)]}
