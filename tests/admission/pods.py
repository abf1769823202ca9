"""Pods with one thing odd in them, and the jobs of every kind that hold such a pod."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

from specgen import operators
from specgen.diagnostics.model import ERROR
from specgen.document.read import read
from specgen.document.write import write_yaml
from specgen.linting import lint_source
from specgen.manifest.origins import manifests
from specgen.operators.expand import expand_manifest
from specgen.source import Source

Path = tuple[str | int, ...]


def rich(container: str) -> dict[str, Any]:
    """A pod template with something of everything that the API server judges, and nothing that it refuses."""
    probe: dict[str, Any] = {
        "httpGet": {"path": "/", "port": 8080, "scheme": "HTTP", "httpHeaders": [{"name": "X-A", "value": "b"}]}
    }
    probe |= {"periodSeconds": 5, "failureThreshold": 3, "successThreshold": 1, "timeoutSeconds": 1}
    term = {"topologyKey": "rack", "labelSelector": {"matchLabels": {"app": "x"}}, "namespaces": ["team"]}
    expression = {"key": "pool", "operator": "In", "values": ["gpu"]}
    return {
        "metadata": {"labels": {"app": "x", "example.com/team": "v-1"}, "annotations": {"example.com/note": "a b"}},
        "spec": {
            "activeDeadlineSeconds": 60,
            "affinity": {
                "nodeAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": {
                        "nodeSelectorTerms": [{"matchExpressions": [expression]}]
                    },
                    "preferredDuringSchedulingIgnoredDuringExecution": [
                        {"weight": 1, "preference": {"matchExpressions": [{"key": "zone", "operator": "Exists"}]}}
                    ],
                },
                "podAntiAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": [term],
                    "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 5, "podAffinityTerm": term}],
                },
            },
            "containers": [
                {
                    "name": container,
                    "image": "registry.example.com/train:1",
                    "imagePullPolicy": "IfNotPresent",
                    "command": ["python", "train.py"],
                    "env": [
                        {"name": "A", "value": "b"},
                        {"name": "F", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['app']"}}},
                        {"name": "S", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
                        {"name": "R", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "1m"}}},
                    ],
                    "envFrom": [{"prefix": "P_", "configMapRef": {"name": "cm"}}],
                    "lifecycle": {
                        "preStop": {"exec": {"command": ["sleep", "5"]}},
                        "postStart": {"sleep": {"seconds": 3}},
                    },
                    "livenessProbe": probe,
                    "readinessProbe": {"tcpSocket": {"port": "metrics"}, "initialDelaySeconds": 1},
                    "ports": [{"name": "metrics", "containerPort": 8080, "hostPort": 8080, "protocol": "TCP"}],
                    "resources": {
                        "limits": {"cpu": 4, "memory": "8Gi", "nvidia.com/gpu": 1, "hugepages-2Mi": "4Mi"},
                        "requests": {"cpu": "500m", "memory": "1Gi", "nvidia.com/gpu": 1},
                        "claims": [{"name": "claim"}],
                    },
                    "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}],
                    "securityContext": {
                        "allowPrivilegeEscalation": True,
                        "capabilities": {"add": ["IPC_LOCK"]},
                        "runAsUser": 1000,
                        "runAsGroup": 1000,
                        "seccompProfile": {"type": "Localhost", "localhostProfile": "p/a.json"},
                    },
                    "terminationMessagePolicy": "File",
                    "volumeMounts": [
                        {"name": "shm", "mountPath": "/dev/shm"},
                        {"name": "host", "mountPath": "/data", "subPath": "a/b", "mountPropagation": "None"},
                        {"name": "claim", "mountPath": "/claim", "subPathExpr": "$(A)/x", "readOnly": True},
                    ],
                },
                {"name": "side", "image": "side:1", "ports": [{"name": "web", "containerPort": 9000}]},
            ],
            "dnsConfig": {"nameservers": ["10.0.0.1"], "searches": ["a.example.com"], "options": [{"name": "ndots"}]},
            "dnsPolicy": "ClusterFirst",
            "hostAliases": [{"ip": "10.0.0.2", "hostnames": ["a.example.com"]}],
            "imagePullSecrets": [{"name": "pull"}],
            "initContainers": [
                {"name": "fetch", "image": "fetch:1", "volumeMounts": [{"name": "shm", "mountPath": "/x"}]},
                {
                    "name": "log",
                    "image": "log:1",
                    "restartPolicy": "Always",
                    "startupProbe": {"exec": {"command": ["x"]}},
                },
            ],
            "nodeSelector": {"pool": "gpu"},
            "preemptionPolicy": "Never",
            "priorityClassName": "high",
            "readinessGates": [{"conditionType": "example.com/ready"}],
            "resourceClaims": [{"name": "claim", "resourceClaimTemplateName": "gpus"}],
            "runtimeClassName": "nvidia",
            "schedulerName": "volcano",
            "schedulingGates": [{"name": "example.com/gate"}],
            "securityContext": {
                "fsGroup": 1000,
                "fsGroupChangePolicy": "Always",
                "supplementalGroups": [1, 2],
                "sysctls": [{"name": "net.core.somaxconn", "value": "1024"}],
                "runAsNonRoot": True,
            },
            "serviceAccountName": "train",
            "subdomain": "sub",
            "hostname": "host",
            "terminationGracePeriodSeconds": 30,
            "tolerations": [
                {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
                {"key": "a", "operator": "Equal", "value": "b", "effect": "NoExecute", "tolerationSeconds": 5},
            ],
            "topologySpreadConstraints": [
                {
                    "maxSkew": 1,
                    "topologyKey": "zone",
                    "whenUnsatisfiable": "DoNotSchedule",
                    "minDomains": 2,
                    "labelSelector": {"matchExpressions": [{"key": "app", "operator": "Exists"}]},
                }
            ],
            "volumes": [
                {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}},
                {"name": "host", "hostPath": {"path": "/data", "type": "Directory"}},
                {"name": "claim", "persistentVolumeClaim": {"claimName": "data"}},
                {"name": "cm", "configMap": {"name": "cm", "items": [{"key": "a", "path": "b/c", "mode": 420}]}},
                {"name": "secret", "secret": {"secretName": "s", "defaultMode": 256}},
                {"name": "nfs", "nfs": {"server": "nfs", "path": "/x"}},
                {"name": "csi", "csi": {"driver": "csi.example.com"}},
                {"name": "own", "ephemeral": {"volumeClaimTemplate": {"spec": _CLAIM}}},
                {"name": "down", "downwardAPI": {"items": [{"path": "n", "fieldRef": {"fieldPath": "metadata.name"}}]}},
                {
                    "name": "all",
                    "projected": {
                        "sources": [
                            {"secret": {"name": "s", "items": [{"key": "a", "path": "p"}]}},
                            {"configMap": {"name": "c", "items": [{"key": "a", "path": "q"}]}},
                            {"serviceAccountToken": {"path": "token", "expirationSeconds": 3600}},
                        ]
                    },
                },
            ],
        },
    }


_CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": "fast"}
# fmt: off
_TEXTS = (
    "", "a b", "A_B", "-x", "x-", "a" * 64, "a" * 254, "a/b", "/abs", "../up", "x/../y", "..x", "a.b", "a..b", "None",
    "Always", "Sometimes", "OnFailure", "1", "8080", "1Gi", "-1", "0.5", "500m", "1e3", "é", "a=b", "ns/name", " a",
    "example.com/x", "requests.example.com/x", "Exists", "Equal", "In", "NotIn", "Gt", "NoSchedule", "Localhost",
    "RuntimeDefault", "Unconfined", "metadata.name", "spec.nodeName", "status.nodeName", "requests.memory", "cpu",
    "10.0.0.300", "::1", "Bidirectional", "RestartContainer", "ScheduleAnyway", "DoNotSchedule", "HTTPS", "Never",
    "init-pytorch", "ssh-auth", "mpi-job-config", "shm", "host", "/etc/mpi", "/root/.ssh", "/dev/shm", "Default",
)
_NUMBERS = (-1, 0, 1, 2, 29, 31, 100, 101, 511, 512, 9000, 23456, 65535, 65536, 2**31 - 1, 2**31)
_ADDED: tuple[tuple[Path, Any], ...] = (
    (("spec", "hostNetwork"), True), (("spec", "hostPID"), True), (("spec", "shareProcessNamespace"), True),
    (("spec", "hostUsers"), False), (("spec", "hostIPC"), True), (("spec", "nodeName"), "n1"),
    (("spec", "nodeName"), "A_B"), (("spec", "overhead"), {"cpu": "1"}), (("spec", "os"), {"name": "linux"}),
    (("spec", "os"), {"name": "windows"}), (("spec", "os"), {"name": "plan9"}), (("spec", "serviceAccount"), "My_SA"),
    (("spec", "dnsPolicy"), "None"), (("spec", "dnsPolicy"), "clusterFirst"), (("spec", "restartPolicy"), "Sometimes"),
    (("spec", "containers", 0, "securityContext", "privileged"), True),
    (("spec", "containers", 0, "securityContext", "allowPrivilegeEscalation"), False),
    (("spec", "containers", 0, "securityContext", "procMount"), "Unmasked"),
    (("spec", "containers", 0, "readinessProbe", "exec"), {"command": ["x"]}),
    (("spec", "containers", 0, "readinessProbe", "terminationGracePeriodSeconds"), 5),
    (("spec", "containers", 0, "restartPolicy"), "Sometimes"),
    (("spec", "containers", 0, "resources", "limits", "foo"), 1),
    (("spec", "containers", 0, "resources", "limits", "nvidia.com/gpu"), None),
    (("spec", "containers", 0, "resources", "requests", "kubernetes.io/x"), 1),
    (("spec", "containers", 0, "env", 1, "value"), "x"),
    (("spec", "containers", 0, "volumeDevices"), [{"name": "own", "devicePath": "/dev/x"}]),
    (("spec", "containers", 0, "volumeDevices"), [{"name": "shm", "devicePath": "/dev/x"}]),
    (("spec", "containers", 1, "ports", 0, "hostPort"), 8080),
    (("spec", "containers", 1, "ports", 0, "containerPort"), 8080),
    (("spec", "initContainers", 0, "livenessProbe"), {"exec": {"command": ["x"]}}),
    (("spec", "volumes", 0, "hostPath"), {"path": "/x"}), (("spec", "volumes", 2), {"name": "claim"}),
    (("spec", "resources"), {"limits": {"cpu": 1}}), (("spec", "ephemeralContainers"), [{"name": "e", "image": "i"}]),
    (("spec", "tolerations", 0, "value"), "x"), (("spec", "terminationGracePeriodSeconds"), -1),
    (("spec", "containers", 0, "livenessProbe", "periodSeconds"), 0), (("spec", "containers"), []),
    (("spec", "setHostnameAsFQDN"), True), (("spec", "hostnameOverride"), "a.b"), (("metadata", "finalizers"), ["x"]),
    (("metadata", "annotations", "a b"), "x"), (("metadata", "annotations", "big"), "x" * 300_000),
    (("metadata", "labels", "a b"), "x"), (("spec", "topologySpreadConstraints", 0, "whenUnsatisfiable"), "Never"),
)
# fmt: on


def paths(tree: Any, path: Path = ()) -> Iterator[Path]:
    """Paths of all values of a tree."""
    if path:
        yield path
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from paths(value, (*path, key))
    elif isinstance(tree, list):
        for at, value in enumerate(tree):
            yield from paths(value, (*path, at))


def at(tree: Any, path: Path) -> Any:
    """The value at a path."""
    for step in path:
        tree = tree[step]
    return tree


def of_old(pod: dict[str, Any]) -> dict[str, Any]:
    """The pod without what the MSJobs' CRD, of the age of Kubernetes 1.23, does not know."""
    del pod["metadata"], pod["spec"]["resourceClaims"], pod["spec"]["schedulingGates"], pod["spec"]["initContainers"][1]
    del pod["spec"]["topologySpreadConstraints"][0]["minDomains"]
    main = pod["spec"]["containers"][0]
    del main["resources"]["claims"], main["resizePolicy"], main["lifecycle"]["postStart"]
    return pod


def odd(chance: random.Random, container: str) -> dict[str, Any]:
    """The rich pod, with one to three changes; most of them are refused by somebody."""
    pod: dict[str, Any] = copy.deepcopy(rich(container))
    if container == "mindspore":
        pod = of_old(pod)
    # a rich pod hides what the absence of a field means
    for key in list(pod["spec"]):
        if key not in ("containers", "volumes", "resourceClaims") and chance.random() < 0.3:
            del pod["spec"][key]
    for _ in range(chance.choice((0, 1, 1, 2, 3))):
        _change(chance, pod)
    return pod


def _change(chance: random.Random, pod: dict[str, Any]) -> None:
    if chance.random() < 0.25:
        path, value = chance.choice(_ADDED)
        try:
            at(pod, path[:-1])[path[-1]] = copy.deepcopy(value)
        except (KeyError, IndexError):
            return
        return
    path = chance.choice(list(paths(pod)))
    above, value = at(pod, path[:-1]), at(pod, path)
    what = chance.random()
    if what < 0.15 and isinstance(above, dict):
        del above[path[-1]]
    elif what < 0.3 and isinstance(above, list):
        above.append(copy.deepcopy(value))
    elif isinstance(value, bool):
        above[path[-1]] = not value
    elif isinstance(value, int):
        above[path[-1]] = chance.choice(_NUMBERS)
    elif isinstance(value, str):
        above[path[-1]] = chance.choice(_TEXTS)
    elif (
        isinstance(value, dict)
        and isinstance(path[-1], str)
        and path[-1] in ("limits", "requests", "labels", "nodeSelector")
    ):
        value[chance.choice(_TEXTS)] = chance.choice((1, "1Gi", "x", "-1", "500m"))


def _roles(kind: str, field: str, version: str, roles: dict[str, int], of: str = "Worker") -> Any:
    def job(pod: dict[str, Any], container: str) -> list[dict[str, Any]]:
        plain = {"spec": {"containers": [{"name": container, "image": "i:1"}]}}
        specs = {role: {"replicas": count, "template": pod if role == of else plain} for role, count in roles.items()}
        return [_object(version, kind, {field: specs})]

    return job


def _object(version: str, kind: str, spec: dict[str, Any], name: str = "demo") -> dict[str, Any]:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec}


def _jobset(pod: dict[str, Any], container: str) -> list[dict[str, Any]]:
    job: dict[str, Any] = {
        "name": "node",
        "replicas": 1,
        "template": {"spec": {"parallelism": 2, "completions": 2, "template": pod}},
    }
    return [_object("jobset.x-k8s.io/v1alpha2", "JobSet", {"replicatedJobs": [job]})]


def _trainjob(pod: dict[str, Any], container: str) -> list[dict[str, Any]]:
    job: dict[str, Any] = {"name": "node", "replicas": 1, "template": {"spec": {"template": pod}}}
    spec = {
        "mlPolicy": {"numNodes": 2, "torch": {"numProcPerNode": 1}},
        "template": {"spec": {"replicatedJobs": [job]}},
    }
    runtime = _object("trainer.kubeflow.org/v1alpha1", "TrainingRuntime", spec, "own")
    runtime["metadata"]["labels"] = {"trainer.kubeflow.org/framework": "torch"}
    job["template"]["metadata"] = {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}}
    reference = {"name": "own", "kind": "TrainingRuntime"}
    return [runtime, _object("trainer.kubeflow.org/v1alpha1", "TrainJob", {"runtimeRef": reference})]


def _volcano(pod: dict[str, Any], container: str) -> list[dict[str, Any]]:
    task = {"name": "work", "replicas": 2, "template": pod}
    return [_object("batch.volcano.sh/v1alpha1", "Job", {"minAvailable": 2, "tasks": [task]})]


_V1, _V2, _MS = "kubeflow.org/v1", "kubeflow.org/v2beta1", "mindspore.gitee.com/v1"
_LED, _RUN = {"Master": 1, "Worker": 2}, {"Launcher": 1, "Worker": 2}
# Name → the container that the operator looks for, and what makes the documents of a job; the job is the last of them.
KINDS: dict[str, tuple[str, Any]] = {
    "PyTorchJob": ("pytorch", _roles("PyTorchJob", "pytorchReplicaSpecs", _V1, {"Worker": 2})),
    "PyTorchJob led": ("pytorch", _roles("PyTorchJob", "pytorchReplicaSpecs", _V1, _LED)),
    "PyTorchJob Master": ("pytorch", _roles("PyTorchJob", "pytorchReplicaSpecs", _V1, _LED, "Master")),
    "TFJob": ("tensorflow", _roles("TFJob", "tfReplicaSpecs", _V1, {"Worker": 2})),
    "PaddleJob": ("paddle", _roles("PaddleJob", "paddleReplicaSpecs", _V1, {"Worker": 2})),
    "JAXJob": ("jax", _roles("JAXJob", "jaxReplicaSpecs", _V1, {"Worker": 2})),
    "XGBoostJob": ("xgboost", _roles("XGBoostJob", "xgbReplicaSpecs", _V1, _LED)),
    "MPIJob v1": ("mpi", _roles("MPIJob", "mpiReplicaSpecs", _V1, _RUN)),
    "MPIJob v1 Launcher": ("mpi", _roles("MPIJob", "mpiReplicaSpecs", _V1, _RUN, "Launcher")),
    "MPIJob v2beta1": ("mpi", _roles("MPIJob", "mpiReplicaSpecs", _V2, _RUN)),
    "MPIJob v2beta1 Launcher": ("mpi", _roles("MPIJob", "mpiReplicaSpecs", _V2, _RUN, "Launcher")),
    "MSJob": ("mindspore", _roles("MSJob", "msReplicaSpecs", _MS, {"Scheduler": 1, "Worker": 2})),
    "MSJob Scheduler": (
        "mindspore",
        _roles("MSJob", "msReplicaSpecs", _MS, {"Scheduler": 1, "Worker": 2}, "Scheduler"),
    ),
    "JobSet": ("node", _jobset),
    "TrainJob": ("node", _trainjob),
    "Volcano Job": ("work", _volcano),
}


# Errors on which the API server has no say: what the kubelet, the container's runtime, or a taken port stops.
LATER = ("SG331", "SG421", "SG444", "SG618")


class Verdicts:
    """What ``lint`` and ``expand`` say of one text: errors, and refusals."""

    def __init__(self, text: str) -> None:
        source = Source("job.yaml", text)
        found = lint_source(source).diagnostics
        errors = [one for one in found if one["severity"] == ERROR and one["code"] not in LATER]
        self.errors = [f"{one['code']} {one['path']}: {one['message']}" for one in errors]
        objects = [one for document in read(source)[0] for one in manifests(document)]
        job = objects[-1]
        backend = operators.by_object(job.ref.api_version, job.ref.kind)
        assert backend is not None
        expansion, findings = expand_manifest(job, backend, companions=objects[:-1])
        if expansion is None:
            self.refusals = [finding.message for finding in findings if finding.severity == ERROR]
        else:
            self.refusals = [one.reason for one in expansion.refusals]

    @property
    def agree(self) -> bool:
        return bool(self.errors) == bool(self.refusals)


def text_of(documents: list[dict[str, Any]]) -> str:
    """Objects as a text."""
    return "---\n".join(write_yaml(one) for one in documents)
