"""Which jobs of the training operator never come to objects: what its webhooks, or the operator itself, refuse.

Read from pkg/webhooks/{pytorch,tensorflow,xgboost,paddlepaddle,jax} (v1.9.4, v1.8.1) and pkg/apis/kubeflow.org/v1/
*_validation.go (v1.7.0, and MPIJob in all versions, where the object is stored and an event says so). The schema has
been judged before.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.names import is_label, is_subdomain, known
from specgen.operators.kubernetes.objects import SERVER
from specgen.operators.training.common import replicas
from specgen.operators.training.facts import HOOKED, MANAGED, MANAGERS, OPERATOR, WORKERS_ASKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.operators.training.facts import Framework


def refusal(
    framework: Framework, name: str, spec: dict[str, Any], roles: dict[str, Any] | None, version: str
) -> tuple[str, str]:
    """(who, why) for a job that gets no objects at all; empty words for one that does.

    roles: replica specs by name, as the version reads them; None where the job's spec has no field for them.
    """
    for reason in _server(framework, name, roles or {}):
        return SERVER, reason
    at = OPERATOR.at(version)
    # MPIJob has no webhook in any version
    hooked = at >= HOOKED and framework.kind != "MPIJob"
    judge = f"the validating webhook of {OPERATOR.name} {version}" if hooked else f"{OPERATOR.name} {version}"
    for reason in _operator(framework, name, spec, roles, at):
        return judge, reason
    for reason in _crashes(framework, spec, roles or {}, at):
        return f"{OPERATOR.name} {version}", reason
    return "", ""


def _server(framework: Framework, name: str, roles: dict[str, Any]) -> Iterator[str]:
    if not name:
        yield "`metadata.name` is missing"
    elif not is_subdomain(known(name)):
        yield f"`metadata.name`: `{name}` is no name of an object"
    for role, tree in roles.items():
        if replicas(mapping(tree)) < 0:
            yield f"`spec.{framework.field}.{role}.replicas` is negative"


def _operator(
    framework: Framework, name: str, spec: dict[str, Any], roles: dict[str, Any] | None, at: tuple[int, int, int]
) -> Iterator[str]:
    kind = framework.kind
    if kind != "MPIJob" and not is_label(known(name), letter_first=True):
        yield f"`metadata.name`: `{name}` is not a DNS label of at most 63 characters that begins with a letter"
    if roles is None:
        yield f"`spec.{framework.field}` is missing"
    manager = mapping(spec.get("runPolicy")).get("managedBy")
    if at >= MANAGED and kind not in ("MPIJob", "JAXJob") and manager is not None and manager not in MANAGERS:
        yield f"`spec.runPolicy.managedBy`: `{manager}` is none of `{MANAGERS[1]}` and `{MANAGERS[0]}`"
    if kind == "PyTorchJob":
        yield from _elastic(spec, roles, at)
    for role, tree in (roles or {}).items():
        yield from _role(framework, role, mapping(tree), at)
    if kind == "TFJob" and roles is not None and "Chief" in roles and "Master" in roles:
        yield f"`spec.{framework.field}.Chief` contradicts `Master`: only one of them may be given"
    needed = {"XGBoostJob": "Master", "MPIJob": "Launcher"}.get(kind)
    if needed is not None and needed not in (roles or {}):
        yield f"`spec.{framework.field}` needs the role `{needed}`"


def _elastic(spec: dict[str, Any], roles: dict[str, Any] | None, at: tuple[int, int, int]) -> Iterator[str]:
    if "nProcPerNode" in mapping(spec.get("elasticPolicy")) and "nprocPerNode" in spec:
        yield "`spec.elasticPolicy.nProcPerNode` contradicts `spec.nprocPerNode`: only one of them may be given"
    if at >= WORKERS_ASKED and "elasticPolicy" in spec and roles is not None and "Worker" not in roles:
        yield "`spec.elasticPolicy` needs the role `Worker`"


def _role(framework: Framework, role: str, tree: dict[str, Any], at: tuple[int, int, int]) -> Iterator[str]:
    path, kind = f"spec.{framework.field}.{role}", framework.kind
    # TFJob's types are not checked: an unknown one gets pods (recorded)
    if kind != "TFJob" and role not in framework.roles:
        names = " and ".join(f"`{name}`" for name in framework.roles)
        yield f"`{path}`: the roles are {names}" if len(framework.roles) > 1 else f"`{path}`: the only role is {names}"
    containers = _containers(tree)
    if not containers and (at >= HOOKED or kind == "MPIJob"):
        yield f"`{path}.template.spec.containers` is empty"
    for index, container in enumerate(containers):
        if not container.get("image"):
            yield f"`{path}.template.spec.containers[{index}].image` is missing"
    wanted = framework.container
    if containers and wanted is not None and not any(container.get("name") == wanted for container in containers):
        yield f"`{path}.template.spec.containers`: none is called `{wanted}`"
    one = replicas(tree) == 1 and ("replicas" in tree or at < HOOKED)
    if role == "Master" and kind in ("PyTorchJob", "XGBoostJob") and not one:
        yield f"`{path}.replicas` must be written and 1" if at >= HOOKED else f"`{path}.replicas` must be 1"
    if role == "Launcher" and kind == "MPIJob" and replicas(tree) != 1:
        yield f"`{path}.replicas` must be 1"
    if role == "Worker" and kind == "PyTorchJob" and at >= WORKERS_ASKED and replicas(tree) < 1:
        yield f"`{path}.replicas` must be at least 1"


def _containers(tree: dict[str, Any]) -> list[dict[str, Any]]:
    spec = mapping(mapping(tree.get("template")).get("spec"))
    return [mapping(one) for one in sequence(spec.get("containers"))]


def _crashes(
    framework: Framework, spec: dict[str, Any], roles: dict[str, Any], at: tuple[int, int, int]
) -> Iterator[str]:
    """What makes an operator panic, restart and panic again, for all jobs of the cluster (recorded for PyTorchJob)."""
    elastic = spec.get("elasticPolicy") if framework.kind == "PyTorchJob" else None
    if isinstance(elastic, dict) and at < WORKERS_ASKED and "Worker" not in roles:
        yield "it panics over an `elasticPolicy` without the role `Worker`"
    if at < HOOKED:
        for role, tree in roles.items():
            # the port is defaulted before anything is validated
            if not _containers(mapping(tree)) and framework.port is not None:
                yield f"it panics over the empty list of containers of `{role}`"
        if isinstance(elastic, dict) and "nProcPerNode" in elastic and "Master" in roles:
            yield "it panics over `elasticPolicy.nProcPerNode` beside the role `Master`"
