"""The training operator's kinds besides PyTorchJob, as people and rules see them; gangs and their resources."""

from __future__ import annotations

from typing import Any

import pytest

from specgen import operators
from specgen.cli.pods import table
from specgen.document.read import read
from specgen.manifest.model import Manifest
from specgen.operators.expand import expand_manifest
from specgen.operators.expansion import Expansion
from specgen.operators.gang import _resources
from specgen.operators.training.jaxjob import READER as jaxjob
from specgen.operators.training.mpijob import READER as mpijob_v1
from specgen.operators.training.tfjob import READER as tfjob
from specgen.operators.training.xgboostjob import READER as xgboostjob
from specgen.source import Source

MPI = """\
apiVersion: kubeflow.org/v1
kind: MPIJob
metadata: {name: bench, namespace: hpc, annotations: {volcano.sh/sla-waiting-time: 1h}}
spec:
  slotsPerWorker: 4
  mpiReplicaSpecs:
    Worker:
      replicas: 14
      template:
        spec:
          containers:
          - {name: any, image: train:1, resources: {limits: {nvidia.com/gpu: 4, memory: 512Mi}, requests: {cpu: 500m}}}
    Launcher:
      template:
        spec:
          containers:
          - {name: any, image: train:1, command: [mpirun, -np, "56", train], resources: {limits: {cpu: 1}}}
          - {name: side, image: log:1}
"""

TABLE = """\
training-operator 1.9.4: MPIJob hpc/bench becomes 15 pods, 1 PodGroup, 1 ServiceAccount, 1 ConfigMap, 1 Role and \
1 RoleBinding; bench-worker-0..13 are alike but for index and rank

POD                 ROLE      RANKS  DEVICES           RENDEZVOUS  COMMAND
bench-worker-0..13  Worker    0-55   4 nvidia.com/gpu  -           sleep 365d
bench-launcher      Launcher  -      -                 -           mpirun -np 56 train

hostfile of ConfigMap bench-config:
  bench-worker-0 slots=4
  bench-worker-1 slots=4
  bench-worker-2 slots=4
  bench-worker-3 slots=4
  bench-worker-4 slots=4
  bench-worker-5 slots=4
  bench-worker-6 slots=4
  bench-worker-7 slots=4
  bench-worker-8 slots=4
  bench-worker-9 slots=4
  bench-worker-10 slots=4
  bench-worker-11 slots=4
  … 2 more lines

PodGroup bench: at least 15 of 15 pods with 8 cpu

success: when bench-launcher ends with exit code 0
failure: Launcher, Worker (`Never`): a failed pod fails the job
lost node: after 300 s its pods are marked for deletion; none comes in their place until they are \
gone: with the Node object, or deleted by force
end: no pod is deleted (`cleanPodPolicy` is `None`, the default); those that still run keep up to 56 nvidia.com/gpu; \
pods of Worker never end by themselves; the PodGroup is deleted; the ConfigMap and the objects of RBAC stay
"""


def _manifest(text: str) -> Manifest:
    document = read(Source("job.yaml", text))[0][0]
    return Manifest(document.data, document)


def _expanded(text: str, module: Any, version: str = "1.9.4", gang: str = "") -> Expansion:
    expansion, findings = expand_manifest(_manifest(text), module, version, gang=gang)
    assert expansion is not None, [finding.message for finding in findings]
    return expansion


def test_table_of_an_mpi_job() -> None:
    assert table(_expanded(MPI, mpijob_v1, gang="volcano")) == TABLE


def test_mpi_job_is_read_by_its_first_containers() -> None:
    workload = mpijob_v1.read(_manifest(MPI))
    assert [(role.name, role.replicas) for role in workload.roles] == [("Launcher", 1), ("Worker", 14)]
    assert [role.main.name for role in workload.roles if role.main is not None] == ["any", "any"]
    assert (workload.procs_per_pod, workload.procs_path) == (4, ("spec", "slotsPerWorker"))
    without = mpijob_v1.read(_manifest(MPI.replace("      replicas: 14\n", "")))
    assert [role.replicas for role in without.roles] == [1, 0]


def test_mpi_launcher_waits_for_refused_workers() -> None:
    expansion = _expanded(MPI.replace("replicas: 14", "replicas: 2\n      restartPolicy: Sometimes"), mpijob_v1)
    assert expansion.pods == []
    assert [(one.kind, one.name) for one in expansion.refusals] == [("Pod", "bench-worker-0")]
    assert [tree["kind"] for tree in expansion.others] == ["ServiceAccount", "ConfigMap", "Role", "RoleBinding"]


def test_mpi_job_of_a_long_name_gets_nothing() -> None:
    expansion = _expanded(MPI.replace("name: bench", "name: " + "b" * 64), mpijob_v1)
    assert expansion.objects == []
    assert expansion.refusals[0].reason == "its label `app` has 64 characters, at most 63 are allowed"


def test_mpi_job_managed_by_anyone_is_left_alone() -> None:
    text = MPI.replace("  slotsPerWorker: 4", "  runPolicy: {managedBy: example.com/other}")
    assert _expanded(text, mpijob_v1).idle == "`spec.runPolicy.managedBy` leaves the job to `example.com/other`"


TF = """\
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: mnist, namespace: team}
spec:
  tfReplicaSpecs:
    worker: {replicas: 2, template: {spec: {containers: [{name: tensorflow, image: "train:1"}]}}}
    Helper: {template: {spec: {containers: [{name: tensorflow, image: "train:1"}]}}}
    PS: {template: {spec: {containers: [{name: tensorflow, image: "train:1"}]}}}
"""


def test_tf_roles_are_read_as_the_operator_reads_them() -> None:
    workload = tfjob.read(_manifest(TF))
    assert [(role.name, role.path[-1]) for role in workload.roles] == [
        ("Worker", "worker"),
        ("PS", "PS"),
        ("Helper", "Helper"),
    ]


def test_tf_config() -> None:
    expansion = _expanded(TF, tfjob)
    assert [pod["metadata"]["name"] for pod in expansion.pods] == [
        *("mnist-worker-0", "mnist-worker-1", "mnist-ps-0", "mnist-helper-0"),
    ]
    env = expansion.pods[1]["spec"]["containers"][0]["env"]
    assert env == [
        {
            "name": "TF_CONFIG",
            "value": '{"cluster":{"helper":["mnist-helper-0.team.svc:2222"],"ps":["mnist-ps-0.team.svc:2222"],'
            '"worker":["mnist-worker-0.team.svc:2222","mnist-worker-1.team.svc:2222"]},'
            '"task":{"type":"worker","index":1},"environment":"cloud"}',
        }
    ]


def test_tf_job_of_a_role_that_no_pod_can_be_named_by() -> None:
    expansion = _expanded(TF.replace("Helper", "my helper"), tfjob)
    assert [one.name for one in expansion.refusals] == ["mnist-my helper-0"]
    assert len(expansion.pods) == 3


def test_jax_is_new_in_1_9() -> None:
    assert not jaxjob.speaks_for("1.8.1")
    assert jaxjob.speaks_for("1.9.0")
    assert xgboostjob.speaks_for("1.7.0")


@pytest.mark.parametrize("kind", ["TFJob", "MPIJob", "XGBoostJob", "PaddleJob", "JAXJob"])
def test_modules_are_found_by_api_version_and_kind(kind: str) -> None:
    module = operators.by_object("kubeflow.org/v1", kind)
    assert module is not None
    assert kind == module.kind
    assert f"{kind.lower()}_v1" == module.schema


@pytest.mark.parametrize(
    ("amounts", "total"),
    [
        (["4Gi", "4Gi"], "8Gi"),
        (["512Mi", "1Gi"], "1536Mi"),
        (["4", "500m"], "4500m"),
        ([4, 4], "8"),
        (["1k", "500"], "1500"),
        ([2000], "2k"),
        (["1e3", "1E3"], "2e3"),
        (["1.5Gi"], "1536Mi"),
        (["100m", "900m"], "1"),
        (["0.1", "1u"], "100001u"),
        (["much", None, True], "0"),
        (["-1", "2"], "1"),
    ],
)
def test_sums_of_quantities(amounts: list[Any], total: str) -> None:
    containers = [{"resources": {"requests": {"x": amount}}} for amount in amounts]
    assert _resources([(1, {"containers": containers})], 1) == {"x": total}


def test_resources_of_a_gang_are_those_of_its_first_pods() -> None:
    one = {"containers": [{"resources": {"requests": {"cpu": 1}, "limits": {"nvidia.com/gpu": 8}}}]}
    two = {"containers": [{"resources": {"limits": {"nvidia.com/gpu": 8}}}]}
    assert _resources([(2, one), (3, two)], 4) == {"cpu": "2", "nvidia.com/gpu": "16"}
