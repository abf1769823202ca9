"""Which PyTorchJobs never come to pods: what the API server's webhook, or the operator before it had one, refuses.

Read from pkg/webhooks/pytorch/pytorchjob_webhook.go (v1.9.4, v1.8.1) and pkg/apis/kubeflow.org/v1/
pytorch_validation.go (v1.7.0, where the object is stored and an event says so). The schema has been judged before.
"""

from __future__ import annotations

from specgen.backends._pod_admission import is_label, is_subdomain
from specgen.backends._training_operator import OPERATOR, SERVER, known, release, replicas
from specgen.manifest.views import mapping, sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MULTIKUEUE = "kueue.x-k8s.io/multikueue"
MANAGERS = (MULTIKUEUE, "kubeflow.org/training-operator")


def refusal(name: str, spec: dict[str, Any], roles: dict[str, Any] | None, version: str) -> tuple[str, str]:
    """(who, why) for a job that gets no objects at all; empty words for one that does.

    roles: replica specs by name, as the version reads them; None where ``pytorchReplicaSpecs`` is absent.
    """
    for reason in _server(name, roles or {}):
        return SERVER, reason
    at = release(version)
    judge = f"the validating webhook of {OPERATOR} {version}" if at >= (1, 8) else f"{OPERATOR} {version}"
    for reason in _operator(name, spec, roles, at):
        return judge, reason
    for reason in _crashes(spec, roles or {}, at):
        return f"{OPERATOR} {version}", reason
    return "", ""


def _server(name: str, roles: dict[str, Any]) -> Iterator[str]:
    if not name:
        yield "`metadata.name` is missing"
    elif not is_subdomain(known(name)):
        yield f"`metadata.name`: `{name}` is no name of an object"
    for role, tree in roles.items():
        if replicas(mapping(tree)) < 0:
            yield f"`spec.pytorchReplicaSpecs.{role}.replicas` is negative"


def _operator(name: str, spec: dict[str, Any], roles: dict[str, Any] | None, at: tuple[int, int]) -> Iterator[str]:
    if not is_label(known(name), letter_first=True):
        yield f"`metadata.name`: `{name}` is not a DNS label of at most 63 characters that begins with a letter"
    if roles is None:
        yield "`spec.pytorchReplicaSpecs` is missing"
    elastic = mapping(spec.get("elasticPolicy"))
    if "nProcPerNode" in elastic and "nprocPerNode" in spec:
        yield "`spec.elasticPolicy.nProcPerNode` contradicts `spec.nprocPerNode`: only one of them may be given"
    if at >= (1, 9):
        manager = mapping(spec.get("runPolicy")).get("managedBy")
        if manager is not None and manager not in MANAGERS:
            yield f"`spec.runPolicy.managedBy`: `{manager}` is none of `{MANAGERS[0]}` and `{MANAGERS[1]}`"
        if "elasticPolicy" in spec and roles is not None and "Worker" not in roles:
            yield "`spec.elasticPolicy` needs the role `Worker`"
    for role, tree in (roles or {}).items():
        yield from _role(role, mapping(tree), at)


def _role(role: str, tree: dict[str, Any], at: tuple[int, int]) -> Iterator[str]:
    path = f"spec.pytorchReplicaSpecs.{role}"
    if role not in ("Master", "Worker"):
        yield f"`{path}`: the roles are `Master` and `Worker`"
    containers = _containers(tree)
    if not containers and at >= (1, 8):
        yield f"`{path}.template.spec.containers` is empty"
    for index, container in enumerate(containers):
        if not container.get("image"):
            yield f"`{path}.template.spec.containers[{index}].image` is missing"
    if containers and not any(container.get("name") == "pytorch" for container in containers):
        yield f"`{path}.template.spec.containers`: none is called `pytorch`"
    if role == "Master" and (replicas(tree) != 1 or (at >= (1, 8) and "replicas" not in tree)):
        yield f"`{path}.replicas` must be written and 1" if at >= (1, 8) else f"`{path}.replicas` must be 1"
    if role == "Worker" and at >= (1, 9) and replicas(tree) < 1:
        yield f"`{path}.replicas` must be at least 1"


def _containers(tree: dict[str, Any]) -> list[dict[str, Any]]:
    spec = mapping(mapping(tree.get("template")).get("spec"))
    return [mapping(one) for one in sequence(spec.get("containers"))]


def _crashes(spec: dict[str, Any], roles: dict[str, Any], at: tuple[int, int]) -> Iterator[str]:
    """What makes an operator panic, restart and panic again, for all jobs of the cluster (recorded)."""
    elastic = spec.get("elasticPolicy")
    if isinstance(elastic, dict) and at < (1, 9) and "Worker" not in roles:
        yield "it panics over an `elasticPolicy` without the role `Worker`"
    if at < (1, 8):
        for role, tree in roles.items():
            if not _containers(mapping(tree)):
                yield f"it panics over the empty list of containers of `{role}`"
        if isinstance(elastic, dict) and "nProcPerNode" in elastic and "Master" in roles:
            yield "it panics over `elasticPolicy.nProcPerNode` beside the role `Master`"
