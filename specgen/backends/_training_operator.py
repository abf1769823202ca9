"""What all kinds of the training operator share: names, labels, owners, ports, restart policies, Services.

Read from kubeflow/trainer v1.9.4 (4445c12): pkg/controller.v1/common/{pod,service,job,util}.go, pkg/core/service.go;
held against recordings of 1.9.4, 1.8.1 and 1.7.0 by ``tests/backends``.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.model import ObjectRef

OPERATOR = "training-operator"
RANDOM = "<random>"
SERVER = "the API server"
PREFIX = "training.kubeflow.org/"

# Fields that the CRDs of older releases do not know, as (holder, field). 1.7: the CRD of the tag against 1.9.4's. The
# pods of 1.8 are those of Kubernetes 1.28, which has of these the restart policy of containers alone.
_TERMS = ("podAffinityTerm", "requiredDuringSchedulingIgnoredDuringExecution")
_CONTAINERS = ("containers", "initContainers", "ephemeralContainers")
_SINCE_1_8 = frozenset((holder, "restartPolicy") for holder in _CONTAINERS)
_SINCE_1_9 = frozenset(
    (
        *((holder, field) for holder in _TERMS for field in ("matchLabelKeys", "mismatchLabelKeys")),
        *((holder, "restartPolicyRules") for holder in _CONTAINERS),
        *((holder, "sleep") for holder in ("postStart", "preStop")),
        ("claims", "request"),
        ("lifecycle", "stopSignal"),
        ("resourceClaims", "resourceClaimName"),
        ("resourceClaims", "resourceClaimTemplateName"),
        ("runPolicy", "managedBy"),
        ("securityContext", "appArmorProfile"),
        ("securityContext", "seLinuxChangePolicy"),
        ("securityContext", "supplementalGroupsPolicy"),
        ("sources", "clusterTrustBundle"),
        ("sources", "podCertificate"),
        ("spec", "hostnameOverride"),
        ("spec", "schedulingGroup"),
        ("spec", "volumeAttributesClassName"),
        ("valueFrom", "fileKeyRef"),
        ("volumeMounts", "recursiveReadOnly"),
        ("volumes", "image"),
    )
)


class Framework:
    """How the operator treats one kind: its words and defaults.

    ``field``: of the spec, where the roles are; ``roles``: those it knows; ``container``: by whose name it finds the
    training container, and ``port`` (name, number), which it adds there: None where it takes the first and adds none.
    """

    __slots__ = ("container", "controller", "field", "kind", "port", "restart", "roles")

    def __init__(
        self,
        kind: str,
        *,
        field: str,
        roles: tuple[str, ...],
        container: str | None,
        controller: str,
        port: tuple[str, int] | None,
        restart: str,
    ) -> None:
        self.kind = kind
        self.field = field
        self.roles = roles
        self.container = container
        self.controller = controller
        self.port = port
        self.restart = restart


def release(version: str) -> tuple[int, int]:
    """``1.8.1`` → (1, 8); text that is no version counts as the newest."""
    numbers = version.removeprefix("v").split(".")
    if len(numbers) < 2 or not all(number.isascii() and number.isdigit() and len(number) < 6 for number in numbers[:2]):
        return 1, 9
    return int(numbers[0]), int(numbers[1])


def absent_fields(version: str) -> frozenset[tuple[str, str]]:
    """The fields of the 1.9.4 schema that the CRD of a version lacks, for ``manifest.prune``."""
    at = release(version)
    return frozenset() if at >= (1, 9) else _SINCE_1_9 if at >= (1, 8) else _SINCE_1_9 | _SINCE_1_8


def unique_lists(version: str) -> tuple[str, ...] | None:
    """Lists whose keys the CRDs of 1.8 and older hold unique; 1.9 added containers, env, mounts, volumes and others."""
    return None if release(version) >= (1, 9) else ("ports", "topologySpreadConstraints", "resourceClaims")


def job_name(tree: dict[str, Any]) -> str:
    """The name that the job gets: ``generateName`` gets five letters that nobody knows."""
    metadata = mapping(tree.get("metadata"))
    name, prefix = metadata.get("name"), metadata.get("generateName")
    if isinstance(name, str) and name:
        return name
    return prefix + RANDOM if isinstance(prefix, str) and prefix else ""


def known(name: str) -> str:
    """A name with letters for the unknown ones, to judge its form by."""
    return name.replace(RANDOM, "x" * 5)


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


def metadata(job: ObjectRef, name: str, own: dict[str, str]) -> dict[str, Any]:
    """Metadata of an object of a job: name, namespace if the job has one, labels, controlling owner without its uid."""
    tree: dict[str, Any] = {"name": name}
    if job.namespace:
        tree["namespace"] = job.namespace
    if own:
        tree["labels"] = own
    owner = {"apiVersion": job.api_version, "kind": job.kind, "name": job.name, "controller": True}
    tree["ownerReferences"] = [{**owner, "blockOwnerDeletion": True}]
    return tree


def pod(
    framework: Framework, job: ObjectRef, name: str, role: dict[str, Any], own: dict[str, str], spec: dict[str, Any]
) -> dict[str, Any]:
    """A pod of a role: of the template's metadata labels, annotations and finalizers go along, its name does not."""
    given = mapping(mapping(role.get("template")).get("metadata"))
    tree = metadata(job, name, {**mapping(given.get("labels")), **own})
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
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata(job, name, dict(selector)), "spec": spec}
