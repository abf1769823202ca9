"""What the plugins of a Volcano Job do: variables, ports and mounts in its pods, and the objects beside them.

Read from volcano-sh/volcano, pkg/controllers/job/plugins/{env,svc,ssh} and .../distributed-framework/{pytorch,
tensorflow,mpi}. The controller walks a map of Go, so that the order of plugins among each other is by chance; here it
is that of their names. What they append stands behind the template's own, and of two variables the last one counts.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.objects import owned
from specgen.operators.volcano import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from specgen.manifest.model import ObjectRef


class Job:
    """A Job after its webhook: what plugins see of it. ``pod``: a copy that a plugin may change."""

    __slots__ = ("name", "ref", "spec", "tasks")

    def __init__(self, ref: ObjectRef, spec: dict[str, Any]) -> None:
        self.ref = ref
        self.name = ref.name
        self.spec = spec
        self.tasks: list[dict[str, Any]] = spec["tasks"]

    def flags(self, plugin: str) -> dict[str, facts.Flag]:
        """What a plugin takes from its arguments."""
        return facts.flags(plugin, self.spec["plugins"][plugin])

    def task(self, name: object) -> dict[str, Any] | None:
        """A task by its name."""
        return next((task for task in self.tasks if task["name"] == name), None)


def joined(job: Job, pod: dict[str, Any], task: str, index: int) -> None:
    """What every plugin of a Job adds to one of its pods, in place."""
    for plugin in job.spec["plugins"]:
        if plugin in _OF_PODS:
            _OF_PODS[plugin](job, pod["spec"], task, index)


def beside(job: Job) -> list[dict[str, Any]]:
    """The ConfigMap, Service and NetworkPolicy of svc, and the Secret of ssh; its keys are made by chance."""
    made: list[dict[str, Any]] = []
    if "ssh" in job.spec["plugins"]:
        keys = {name: f"<base64 of {name}>" for name in ("authorized_keys", "config", "id_rsa", "id_rsa.pub")}
        made.append({"apiVersion": "v1", "kind": "Secret", "metadata": _owned(job, f"{job.name}-ssh"), "data": keys})
    if "svc" in job.spec["plugins"]:
        made += _network(job)
    return made


def _owned(job: Job, name: str) -> dict[str, Any]:
    return owned(job.ref, name, {})


def _network(job: Job) -> list[dict[str, Any]]:
    flags, data = job.flags("svc"), {}
    for task in job.tasks:
        names, word = facts.hosts(job.name, task), task["name"].replace("-", "_")
        data[f"{word}.host"] = "\n".join(names)
        data[f"VC_{word.upper()}_HOSTS"] = ",".join(names)
        data[f"VC_{word.upper()}_NUM"] = str(len(names))
    selected = {
        "volcano.sh/job-name": job.name,
        "volcano.sh/job-namespace": job.ref.namespace or "<namespace>",
    }
    service: dict[str, Any] = {
        "clusterIP": "None",
        "selector": selected,
        "ports": [{"name": "placeholder-volcano", "port": 1, "protocol": "TCP", "targetPort": 1}],
    }
    if flags["publish-not-ready-addresses"]:
        service["publishNotReadyAddresses"] = True
    made = [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": _owned(job, f"{job.name}-svc"), "data": data},
        {"apiVersion": "v1", "kind": "Service", "metadata": _owned(job, job.name), "spec": service},
    ]
    if not flags["disable-network-policy"]:
        policy = {
            "podSelector": {"matchLabels": selected},
            "ingress": [{"from": [{"podSelector": {"matchLabels": selected}}]}],
            "policyTypes": ["Ingress"],
        }
        version = "networking.k8s.io/v1"
        made.append({"apiVersion": version, "kind": "NetworkPolicy", "metadata": _owned(job, job.name), "spec": policy})
    return made


def _containers(spec: dict[str, Any], *, init: bool = True) -> list[dict[str, Any]]:
    keys = ("containers", "initContainers") if init else ("containers",)
    return [one for key in keys for one in sequence(spec.get(key)) if isinstance(one, dict)]


def _append(tree: dict[str, Any], key: str, *items: dict[str, Any]) -> None:
    tree[key] = [*sequence(tree.get(key)), *items]


def _env(job: Job, spec: dict[str, Any], task: str, index: int) -> None:
    for container in _containers(spec):
        _append(container, "env", *({"name": name, "value": str(index)} for name in facts.ADDED["env"]))


def _svc(job: Job, spec: dict[str, Any], task: str, index: int) -> None:
    """A host name of its own, and of every task the hosts and their number."""
    spec["hostname"] = facts.text(spec.get("hostname")) or facts.pod_name(job.name, task, index)
    spec["subdomain"] = facts.text(spec.get("subdomain")) or job.name
    source = f"{job.name}-svc"
    words = [one["name"].replace("-", "_").upper() for one in job.tasks]
    names = [f"VC_{word}_{what}" for word in words for what in ("HOSTS", "NUM")]
    told = [{"name": one, "valueFrom": {"configMapKeyRef": {"name": source, "key": one}}} for one in names]
    for container in _containers(spec):
        _append(container, "env", *told)
        _append(container, "volumeMounts", {"name": source, "mountPath": facts.HOSTS})
    _append(spec, "volumes", {"name": source, "configMap": {"name": source}})


def _ssh(job: Job, spec: dict[str, Any], task: str, index: int) -> None:
    source = f"{job.name}-ssh"
    names = ("id_rsa", "id_rsa.pub", "authorized_keys", "config")
    items = [{"key": name, "path": f".ssh/{name}"} for name in names]
    secret = {"secretName": source, "items": items, "defaultMode": 0o600}
    path = job.flags("ssh")["ssh-key-file-path"]
    for container in _containers(spec):
        _append(container, "volumeMounts", {"name": source, "mountPath": path, "subPath": ".ssh"})
    _append(spec, "volumes", {"name": source, "secret": secret})


def _pytorch(job: Job, spec: dict[str, Any], task: str, index: int) -> None:
    flags = job.flags("pytorch")
    master = job.task(flags["master"])
    if master is None:
        return
    # of the tasks that it knows: a third one of another name is not counted
    size = sum(one["replicas"] for one in job.tasks if one["name"] in (flags["master"], flags["worker"]))
    told = [
        {"name": "MASTER_ADDR", "value": facts.host(job.name, master, 0)},
        {"name": "MASTER_PORT", "value": str(flags["port"])},
        {"name": "WORLD_SIZE", "value": str(size)},
    ]
    if task == flags["worker"]:
        told.append({"name": "RANK", "value": str(index + 1)})
    elif task == flags["master"]:
        told.append({"name": "RANK", "value": "0"})
    for container in _containers(spec, init=False):
        _port(container, facts.PORT[0], flags["port"])
        _append(container, "env", *told)
    if task == flags["worker"] and flags["wait-master-enabled"]:
        waits = {"name": "wait-for-master", "image": flags["wait-master-image"]}
        spec["initContainers"] = [*sequence(spec.get("initContainers")), waits]


def _port(container: dict[str, Any], name: str, number: object) -> None:
    """A port, where the container does not say it itself."""
    if all(mapping(one).get("containerPort") != number for one in sequence(container.get("ports"))):
        _append(container, "ports", {"name": name, "containerPort": number, "protocol": "TCP"})


def _tensorflow(job: Job, spec: dict[str, Any], task: str, index: int) -> None:
    """``TF_CONFIG``, which one pod alone does not get."""
    if len(job.tasks) == 1 and job.tasks[0]["replicas"] == 1:
        return
    from json import dumps

    flags, cluster = job.flags("tensorflow"), {}
    for kind in ("ps", "worker", "chief", "evaluator"):
        known = job.task(flags[kind])
        if known is not None and known["replicas"] > 0:
            names = [facts.host(job.name, known, at) for at in range(known["replicas"])]
            cluster[kind] = [f"{name}:{flags['port']}" for name in names]
    kinds = {str(flags[kind]): kind for kind in ("ps", "worker", "evaluator", "chief")}
    said = {"cluster": cluster, "task": {"type": kinds.get(task, task), "index": index}}
    for container in _containers(spec, init=False):
        _append(container, "env", {"name": "TF_CONFIG", "value": dumps(said, separators=(",", ":"))})


def _mpi(job: Job, spec: dict[str, Any], task: str, index: int) -> None:
    flags = job.flags("mpi")
    worker = job.task(flags["worker"])
    names = ",".join(facts.hosts(job.name, worker)) if worker is not None else ""
    for container in _containers(spec):
        _port(container, "mpijob-port", flags["port"])
        if task == flags["master"]:
            _append(container, "env", {"name": "MPI_HOST", "value": names})


_OF_PODS: dict[str, Callable[[Job, dict[str, Any], str, int], None]] = {
    "env": _env,
    "svc": _svc,
    "ssh": _ssh,
    "pytorch": _pytorch,
    "tensorflow": _tensorflow,
    "mpi": _mpi,
}
