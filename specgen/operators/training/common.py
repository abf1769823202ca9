"""What kubeflow/common, on which several operators stand, makes of any job: names, labels, ports, Services.

Read from kubeflow/trainer v1.9.4 (4445c12): pkg/controller.v1/common/{pod,service,job,util}.go, pkg/core/service.go;
held against recordings of 1.9.4, 1.8.1 and 1.7.0 by ``tests/operators``.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.objects import owned
from specgen.operators.training.facts import PREFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.model import ObjectRef
    from specgen.operators.training.facts import Framework


def general_name(job: str, role: str, index: int) -> str:
    """The name of a pod and of its Service."""
    return f"{job}-{role.lower()}-{index}".replace("/", "-")


def replicas(role: dict[str, Any]) -> int:
    """Replicas of a role in memory: 1 where none are given."""
    count = role.get("replicas")
    return count if isinstance(count, int) and not isinstance(count, bool) else 1


def labels(framework: Framework, job: str, role: str, index: int, *, master: bool) -> dict[str, str]:
    """The labels by which the operator finds its pods; they win over the template's."""
    own = {
        PREFIX + "job-name": job,
        PREFIX + "operator-name": framework.controller,
        PREFIX + "replica-index": str(index),
        PREFIX + "replica-type": role.lower(),
    }
    return {**own, PREFIX + "job-role": "master"} if master else own


def with_port(framework: Framework, spec: dict[str, Any]) -> dict[str, Any]:
    """A pod spec with the framework's port: appended, by name, to its container or else to the first one."""
    containers = [mapping(container) for container in sequence(spec.get("containers"))]
    if not containers or framework.port is None:
        return spec
    named = [at for at, container in enumerate(containers) if container.get("name") == framework.container]
    at = named[0] if named else 0
    ports = sequence(containers[at].get("ports"))
    name, number = framework.port
    if not any(mapping(port).get("name") == name for port in ports):
        containers[at] = {**containers[at], "ports": [*ports, {"containerPort": number, "name": name}]}
    return {**spec, "containers": containers}


def ports(framework: Framework, spec: dict[str, Any]) -> dict[str, Any]:
    """Port name → number of the framework's container, as the operator's map has them: of equal names the last."""
    found = {}
    for container in sequence(spec.get("containers")):
        if mapping(container).get("name") == framework.container:
            for port in sequence(mapping(container).get("ports")):
                name = mapping(port).get("name")
                found[name if isinstance(name, str) else ""] = mapping(port).get("containerPort")
    return found


def port_number(framework: Framework, role: dict[str, Any]) -> Any:
    """The number of the framework's port in a role that has been through ``with_port``."""
    name, number = framework.port or ("", 0)
    for container in sequence(mapping(mapping(role.get("template")).get("spec")).get("containers")):
        if mapping(container).get("name") == framework.container:
            for port in sequence(mapping(container).get("ports")):
                if mapping(port).get("name") == name:
                    return mapping(port).get("containerPort", number)
    return number


def pod(
    framework: Framework, job: ObjectRef, name: str, role: dict[str, Any], own: dict[str, str], spec: dict[str, Any]
) -> dict[str, Any]:
    """A pod of a role: of the template's metadata labels, annotations and finalizers go along, its name does not."""
    given = mapping(mapping(role.get("template")).get("metadata"))
    tree = owned(job, name, {**mapping(given.get("labels")), **own})
    for key in ("annotations", "finalizers"):
        if given.get(key):
            tree[key] = given[key]
    spec = {**spec, "restartPolicy": restart_policy(framework, role)}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": tree, "spec": spec}


def restart_policy(framework: Framework, role: dict[str, Any]) -> Any:
    """The pods' policy, whatever the template says. ExitCode is the operator's own business: nobody restarts there."""
    policy = role.get("restartPolicy") or framework.restart
    return "Never" if policy == "ExitCode" else policy


def service(job: ObjectRef, name: str, own: dict[str, str], numbers: dict[str, Any]) -> dict[str, Any]:
    """The headless Service of a pod. The operator's order of ports is random, here it is that of their names."""
    listed = [{"name": port, "port": numbers[port]} if port else {"port": numbers[port]} for port in sorted(numbers)]
    selector = {key: value for key, value in own.items() if key != PREFIX + "job-role"}
    spec = {"clusterIP": "None", "ports": listed, "selector": selector}
    return {"apiVersion": "v1", "kind": "Service", "metadata": owned(job, name, dict(selector)), "spec": spec}
