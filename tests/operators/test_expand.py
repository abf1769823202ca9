"""What ``expand`` says for people and programs: the table, the list of objects, ranks, commands, dropped fields."""

from __future__ import annotations

import json
from typing import Any

import pytest

from specgen.cli.pods import objects, table
from specgen.document.read import read
from specgen.document.write import write_json
from specgen.manifest.model import Manifest
from specgen.manifest.prune import prune, without_nulls
from specgen.operators.expand import expand_manifest
from specgen.operators.expansion import Expansion
from specgen.operators.kubernetes.admission import pod_refusal, service_refusal
from specgen.operators.kubernetes.command import environment, ranks, replaced
from specgen.operators.training.pytorchjob import READER as pytorchjob
from specgen.source import Source

JOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: resnet, namespace: vision}
spec:
  nprocPerNode: "8"
  pytorchReplicaSpecs:
    Master: &role
      replicas: 1
      template:
        spec:
          containers:
          - name: pytorch
            image: registry.example.com/train:1.0
            command: [torchrun, --rdzv-conf, $(CONF), train.py]
            args: [--data, "a b", --note, it takes a while until everything that matters has been said]
            env:
            - {name: CONF, value: "timeout=$(WAIT)"}
            - {name: WAIT, value: "900"}
            resources: {limits: {nvidia.com/gpu: 8, rdma/hca: 4, memory: 64Gi}}
    Worker: {<<: *role, replicas: 16}
"""

TABLE = """\
training-operator 1.9.4: PyTorchJob vision/resnet becomes 17 pods and 17 Services;
  resnet-worker-0..15 are alike but for index and rank

POD                  ROLE    RANKS  DEVICES                       RENDEZVOUS
resnet-master-0      Master  0-7    8 nvidia.com/gpu, 4 rdma/hca  resnet-master-0:23456
  torchrun --rdzv-conf 'timeout=$(WAIT)' train.py --data 'a b' --note 'it takes a while until every…
resnet-worker-0..15  Worker  8-135  8 nvidia.com/gpu, 4 rdma/hca  resnet-master-0:23456
  torchrun --rdzv-conf 'timeout=$(WAIT)' train.py --data 'a b' --note 'it takes a while until every…

success: when resnet-master-0 ends with exit code 0
failure: Master, Worker (`OnFailure`): the kubelet restarts a container that fails, in place and
  without end; a pod that fails as a whole, such as one evicted, is deleted and created again
lost node: after 300 s its pods are marked for deletion; none comes in their place until they are
  gone: with the Node object, or deleted by force
end: no pod is deleted (`cleanPodPolicy` is `None`, the default); those that still run keep up to
  128 nvidia.com/gpu and 64 rdma/hca; Services stay
"""


def _manifest(text: str) -> Manifest:
    document = read(Source("job.yaml", text))[0][0]
    return Manifest(document.data, document)


def _expanded(text: str, version: str = "1.9.4", *, lenient: bool = False) -> Expansion:
    expansion, findings = expand_manifest(_manifest(text), pytorchjob, version, lenient=lenient)
    assert expansion is not None, [finding.message for finding in findings]
    return expansion


def test_table() -> None:
    assert table(_expanded(JOB), columns=100) == TABLE


LONG = "train.py, " + ", ".join(f"--option-{number}=1" for number in range(60))


@pytest.mark.parametrize("columns", [100, 140, 160, 200])
def test_a_table_fits_the_terminal(columns: int) -> None:
    text = table(_expanded(JOB.replace("train.py", LONG)), columns=columns)
    assert max(map(len, text.split("\n"))) <= columns
    assert "…" in text


def test_a_table_with_long_names_fits_too() -> None:
    named = JOB.replace("name: resnet", f"name: {'resnet-' * 5}a").replace("rdma/hca", "rdma/hca_shared_devices_a")
    text = table(_expanded(named), columns=100)
    assert max(map(len, text.split("\n"))) <= 100
    meets = "resnet-resnet-resnet-resnet-resnet-a-master-0:23456"
    assert text.count(f"\n  rendezvous: {meets}\n") == 2
    assert text.count("8 nvidia.com/gpu, 4 rdma/hca_shared_devices_a\n") == 2


def test_a_pipe_gets_all() -> None:
    text = table(_expanded(JOB.replace("train.py", LONG)))
    assert text.count(LONG.replace(",", "")) == 2 and "…" not in text


def test_a_long_script_keeps_the_line_that_starts_the_processes() -> None:
    script = "set -e\n" + "echo preparing\n" * 20 + "python -m pip install x\nmpirun -np 8 /opt/train --all\n"
    text = table(_expanded(JOB.replace("[torchrun", f"[bash, -c, {json.dumps(script)}, torchrun")), columns=100)
    assert "  … mpirun -np 8 /opt/train --all" in text


def test_pods_that_differ_in_their_command_have_rows_of_their_own() -> None:
    text = table(_expanded(JOB.replace("$(CONF)", "$(RANK)")))
    assert "resnet-worker-3 " in text
    assert ".." not in text


def test_list_of_objects() -> None:
    tree = objects(_expanded(JOB))
    assert (tree["apiVersion"], tree["kind"], len(tree["items"])) == ("v1", "List", 34)
    first = tree["items"][0]
    assert list(first) == ["apiVersion", "kind", "metadata", "spec"]
    owner = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": "resnet", "controller": True}
    assert first["metadata"]["ownerReferences"] == [{**owner, "blockOwnerDeletion": True}]
    assert first["metadata"]["namespace"] == "vision"
    assert tree["items"][17]["kind"] == "Service"
    assert write_json(tree) == write_json(objects(_expanded(JOB)))


def test_environment_comes_after_the_template_s() -> None:
    env = _expanded(JOB).pods[2]["spec"]["containers"][0]["env"]
    assert [entry["name"] for entry in env] == [
        *("CONF", "WAIT", "PYTHONUNBUFFERED", "MASTER_PORT", "PET_MASTER_PORT", "MASTER_ADDR", "PET_MASTER_ADDR"),
        *("WORLD_SIZE", "RANK", "PET_NODE_RANK", "PET_NPROC_PER_NODE", "PET_NNODES"),
    ]
    assert {entry["name"]: entry["value"] for entry in env}["WORLD_SIZE"] == "136"


def test_unknown_fields_refuse_or_go() -> None:
    text = JOB.replace("  nprocPerNode", "  cleanPodPolicy: All\n  nprocPerNode")
    expansion, findings = expand_manifest(_manifest(text), pytorchjob)
    assert expansion is None
    assert [finding.place.path[-1] for finding in findings] == ["cleanPodPolicy"]
    lenient = _expanded(text, lenient=True)
    assert lenient.removed == [("spec", "cleanPodPolicy")]
    assert len(lenient.pods) == 17


def test_fields_that_an_older_version_lacks() -> None:
    text = JOB.replace("  nprocPerNode", "  runPolicy: {managedBy: kueue.x-k8s.io/multikueue}\n  nprocPerNode")
    assert _expanded(text).idle.endswith("leaves the job to `kueue.x-k8s.io/multikueue`")
    expansion, findings = expand_manifest(_manifest(text), pytorchjob, "1.8.1")
    assert expansion is None
    assert [finding.place.path for finding in findings] == [("spec", "runPolicy", "managedBy")]
    assert len(_expanded(text, "1.8.1", lenient=True).pods) == 17


def test_refusals_are_named() -> None:
    expansion = _expanded(JOB.replace("name: resnet,", "name: Resnet,"))
    assert [(one.kind, one.by) for one in expansion.refusals] == [("PyTorchJob", "the API server")]
    lines = table(expansion).split("\n")
    assert lines[0].endswith("becomes 0 pods and 0 Services")
    said = "PyTorchJob Resnet is refused by the API server"
    assert lines[2] == f"{said}: `metadata.name`: `Resnet` is no name of an object"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("$(A)$(B)", "1$(B)"),
        ("$$(A)", "$(A)"),
        ("$$$(A)", "$1"),
        ("$A $( $(A", "$A $( $(A"),
        ("100$", "100$"),
    ],
)
def test_replacement(text: str, expected: str) -> None:
    assert replaced(text, {"A": "1"}) == expected


def test_variables_see_those_before_them() -> None:
    entries: list[dict[str, Any]] = [
        {"name": "A", "value": "1"},
        {"name": "B", "value": "$(A)$(C)"},
        {"name": "C", "value": "3"},
        {"name": "N", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"name": "I", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
        {"name": "S", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
        {"name": "R", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}},
    ]
    env = environment({"env": entries}, {"metadata": {"name": "x-0"}})
    known = {"A": "1", "B": "1$(C)", "C": "3", "N": "x-0"}
    assert env == {**known, "I": "<status.podIP>", "S": "<secret s, key k>", "R": "<limits.cpu>"}


@pytest.mark.parametrize(
    ("command", "env", "gpus", "expected"),
    [
        ("python train.py", {"RANK": "3"}, 8, (3, 3)),
        ("python train.py", {}, 8, None),
        ("torchrun train.py", {"PET_NODE_RANK": "2", "PET_NPROC_PER_NODE": "8"}, 8, (16, 23)),
        ("torchrun train.py", {"PET_NODE_RANK": "2", "PET_NPROC_PER_NODE": "auto"}, 4, (8, 11)),
        ("torchrun train.py", {"PET_NODE_RANK": "2", "PET_NPROC_PER_NODE": "auto"}, 0, None),
        ("python -m torch.distributed.run --nproc_per_node=2 --node-rank 1 x.py", {}, 0, (2, 3)),
        ("sh -c 'exec /opt/bin/torchrun --rdzv_backend=c10d x.py'", {"PET_NODE_RANK": "0"}, 8, None),
        ("torchrun x.py", {"PET_NODE_RANK": "0", "PET_RDZV_BACKEND": "c10d"}, 8, None),
    ],
)
def test_ranks(command: str, env: dict[str, str], gpus: int, expected: tuple[int, int] | None) -> None:
    assert ranks([command.replace("'", "")], env, gpus) == expected


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"restartPolicy": "Sometimes"}, "`spec.restartPolicy`: `Sometimes` is none of"),
        ({"volumes": [{"name": "a"}, {"name": "a"}]}, "two volumes are called `a`"),
        ({"containers": []}, "`spec.containers` is empty"),
        ({"initContainers": [{"name": "pytorch", "image": "x"}]}, "two containers are called `pytorch`"),
    ],
)
def test_pod_refusals(change: dict[str, Any], reason: str) -> None:
    spec = {"restartPolicy": "Never", "containers": [{"name": "pytorch", "image": "x"}]}
    assert pod_refusal({"spec": spec}) == ""
    assert reason in pod_refusal({"spec": {**spec, **change}})


def test_service_refusals() -> None:
    assert service_refusal("a", [{"port": 1}]) == ""
    assert "63" in service_refusal("a" * 64, [{"port": 1}])
    assert "no name" in service_refusal("a", [{"port": 1}, {"name": "b", "port": 2}])
    assert "number 1" in service_refusal("a", [{"name": "b", "port": 1}, {"name": "c", "port": 1}])


def test_pruning() -> None:
    item = {"type": "object", "properties": {"b": {"type": "string"}}, "additionalProperties": False}
    items = {"type": ["array", "null"], "items": {"$ref": "#/definitions/Item"}}
    schema = {
        "type": "object",
        "properties": {"a": items, "free": {"type": "object"}},
        "additionalProperties": False,
        "definitions": {"Item": item},
    }
    tree = {"a": [{"b": "x", "c": 1}, {"b": None}], "free": {"z": {"y": None}}, "gone": {"b": 1}}
    stored, removed = prune(schema, tree)
    assert stored == {"a": [{"b": "x"}, {}], "free": {"z": {}}}
    assert removed == [("a", 0, "c"), ("gone",)]
    gone = [("a", 0, "b"), ("a", 0, "c"), ("a", 1, "b"), ("gone",)]
    assert prune(schema, tree, frozenset((("a", "b"),)))[1] == gone
    assert prune(schema, {"other": None})[1] == [("other",)]
    assert without_nulls([None, {"a": None}]) == [None, {}]
