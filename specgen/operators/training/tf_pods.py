"""What the training operator creates for a TFJob: pods with ``TF_CONFIG``, Services.

Read from kubeflow/trainer v1.9.4 (4445c12): pkg/controller.v1/tensorflow/{tensorflow,tfjob_controller}.go. The
operator's process variable CUSTOM_CLUSTER_DOMAIN, which would lengthen the addresses, is taken as not set.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.training import common
from specgen.operators.training.pods import begin, create, listed_hosts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.views import Workload
    from specgen.operators.expansion import Expansion, Instance
    from specgen.operators.training.facts import Framework
    from specgen.operators.training.job import Job
    from specgen.operators.training.pods import Started


class _Cluster:
    """The addresses of a job's tasks, by type in lower case; ``lead``: where chief or Worker 0 listens."""

    __slots__ = ("hosts", "lead", "sparse", "text")

    def __init__(self, job: Job) -> None:
        self.hosts = {role.lower(): _hosts(job, role) for role in sorted(job.roles, key=str.lower)}
        self.sparse = job.spec.get("enableDynamicWorker") is True
        self.text = _json(self.hosts)
        firsts = [hosts[0] for type_ in ("chief", "master", "worker") if (hosts := self.hosts.get(type_))]
        self.lead = firsts[0] if firsts else ""

    def config(self, role: str, index: int) -> str:
        """``TF_CONFIG`` of one task, in the form of Go's JSON."""
        name = role.lower()
        task = f'"task":{{"type":{_json(name)},"index":{index}}}'
        if not self.sparse:
            return f'{{"cluster":{self.text},{task},"environment":"cloud"}}'
        # a Worker knows itself and all PS, a PS itself alone, the others nobody (recorded)
        own = self.hosts[name][index : index + 1]
        workers = {str(index): own[0]} if name == "worker" and own else {}
        servers: Any = self.hosts.get("ps") if name == "worker" else own if name == "ps" else []
        return f'{{"cluster":{{"worker":{_json(workers)},"ps":{_json(servers)}}},{task}}}'


def _hosts(job: Job, role: str) -> list[str]:
    port = common.port_number(job.framework, job.roles[role])

    def host(index: int) -> str:
        return f"{common.general_name(job.name, role, index)}.{job.namespace}.svc:{port}"

    return listed_hosts(job.replicas(role), host)


def _json(value: Any) -> str:
    from json import dumps

    return dumps(value, ensure_ascii=False, separators=(",", ":"))


def expand(workload: Workload, framework: Framework) -> Expansion:
    """The objects of a TFJob as ``workload.version`` of the operator creates them. Never raises."""
    expansion, job = begin(workload, framework)
    if job is None:
        return expansion
    # only the types that the operator knows make a job distributed
    distributed = sum(job.replicas(role) for role in job.roles if role in framework.roles) != 1
    cluster = _Cluster(job) if distributed else None
    for role in job.roles:
        _create(job, role, cluster)
    return expansion


def _create(job: Job, role: str, cluster: _Cluster | None) -> None:
    base = job.pod_spec(role)
    containers = [mapping(one) for one in sequence(base.get("containers"))]
    named = [at for at, one in enumerate(containers) if one.get("name") == job.framework.container]

    def spec_of(index: int) -> dict[str, Any]:
        if cluster is None or not named:
            return base
        own = list(containers)
        config = {"name": "TF_CONFIG", "value": cluster.config(role, index)}
        own[named[0]] = {**own[named[0]], "env": [*sequence(own[named[0]].get("env")), config]}
        return {**base, "containers": own}

    def is_master(index: int) -> bool:
        if "Chief" in job.roles or "Master" in job.roles:
            return role in ("Chief", "Master")
        return role == "Worker" and index == 0

    def describe(started: Started) -> Instance:
        # a task has a type and an index, and no rank
        return started.instance(None, cluster.lead if cluster is not None else "")

    text = len(cluster.text) if cluster is not None else 0
    create(job, role, spec_of, is_master, describe, text=text)
