"""What is refused of a job of the training operator: by the API server, its webhooks, or the operator itself.

Read from pkg/webhooks/{pytorch,tensorflow,xgboost,paddlepaddle,jax} (v1.9.4, v1.8.1) and pkg/apis/kubeflow.org/v1/
*_validation.go (v1.7.0, and MPIJob in all versions, where the object is stored and an event says so). The schema has
been judged before.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.names import is_label, known
from specgen.operators.kubernetes.objects import NAME, SERVER, name_of, name_refusal, tree_of
from specgen.operators.objection import Objection
from specgen.operators.training.common import replicas
from specgen.operators.training.facts import HOOKED, MANAGED, OPERATOR, WORKERS_ASKED
from specgen.operators.training.roles import roles_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    from specgen.manifest.views import Terms, Workload
    from specgen.source import Path

    # where, why, and the word of the rule that says it
    Fault: TypeAlias = tuple[Path, str, str]
    # role as the version calls it → the key under which it stands, and its replica spec
    Roles: TypeAlias = dict[str, tuple[str, Any]]

AUTOSCALER = "HorizontalPodAutoscaler"
_ELASTIC = ("spec", "elasticPolicy")


def refusals(workload: Workload) -> Iterator[Objection]:
    """Everything for which a job gets no objects at all, in the order in which it is looked at."""
    terms = workload.terms
    if terms is None:
        return
    tree = tree_of(workload)
    name, spec = name_of(tree), mapping(tree.get("spec"))
    roles = roles_of(workload, spec)
    at = OPERATOR.at(workload.version)
    own = f"{OPERATOR.name} {workload.version}"
    judge = f"the validating webhook of {own}" if workload.hooked else own
    for path, reason, cause in _server(terms, name, roles or {}):
        yield Objection(path, reason, SERVER, cause)
    for path, reason, cause in _judged(workload, terms, name, spec, roles, at):
        yield Objection(path, reason, judge, cause)
    for path, reason, cause in _crashes(workload, terms, spec, roles or {}, at) if at < WORKERS_ASKED else ():
        yield Objection(path, reason, own, cause)
    if "elasticPolicy" in spec and workload.kind == "PyTorchJob":
        for path, reason, cause in _autoscaler(spec, roles or {}):
            yield Objection(path, reason, SERVER, cause, of=AUTOSCALER)


def _server(terms: Terms, name: str, roles: Roles) -> Iterator[Fault]:
    reason = name_refusal(name)
    if reason:
        yield NAME, reason, "name"
    for role, (written, tree) in roles.items():
        if replicas(mapping(tree)) < 0:
            path = (*terms.path, written, "replicas")
            yield path, f"`spec.{terms.field}.{role}.replicas` is negative", "replicas"


def _judged(
    workload: Workload,
    terms: Terms,
    name: str,
    spec: dict[str, Any],
    roles: Roles | None,
    at: tuple[int, int, int],
) -> Iterator[Fault]:
    """What a webhook refuses, or before there were any the operator by an event."""
    if terms.letter_first and not is_label(known(name), letter_first=True):
        reason = f"`metadata.name`: `{name}` is not a DNS label of at most 63 characters that begins with a letter"
        yield NAME, reason, "name"
    if roles is None:
        yield terms.path, f"`spec.{terms.field}` is missing", "roles"
    manager = mapping(spec.get("runPolicy")).get("managedBy")
    if at >= MANAGED and terms.hooked and terms.managers and manager not in (None, *terms.managers):
        words = f"`{terms.managers[1]}` and `{terms.managers[0]}`"
        reason = f"`spec.runPolicy.managedBy`: `{manager}` is none of {words}"
        yield ("spec", "runPolicy", "managedBy"), reason, "manager"
    if "elasticPolicy" in spec and workload.kind == "PyTorchJob":
        yield from _elastic(spec, roles, at)
    for role, (written, tree) in (roles or {}).items():
        yield from _role(workload, terms, role, written, mapping(tree), at)
    if workload.kind == "TFJob" and roles is not None and "Chief" in roles and "Master" in roles:
        reason = f"`spec.{terms.field}.Chief` contradicts `Master`: only one of them may be given"
        yield (*terms.path, roles["Chief"][0]), reason, "chief"
    for needed in terms.needed:
        if needed not in (roles or {}):
            yield terms.path, f"`spec.{terms.field}` needs the role `{needed}`", "roles"


def _elastic(spec: dict[str, Any], roles: Roles | None, at: tuple[int, int, int]) -> Iterator[Fault]:
    if "nProcPerNode" in mapping(spec.get("elasticPolicy")) and "nprocPerNode" in spec:
        reason = "`spec.elasticPolicy.nProcPerNode` contradicts `spec.nprocPerNode`: only one of them may be given"
        yield (*_ELASTIC, "nProcPerNode"), reason, "processes"
    if at >= WORKERS_ASKED and "elasticPolicy" in spec and roles is not None and "Worker" not in roles:
        yield _ELASTIC, "`spec.elasticPolicy` needs the role `Worker`", "elastic"


def _role(
    workload: Workload, terms: Terms, role: str, written: str, tree: dict[str, Any], at: tuple[int, int, int]
) -> Iterator[Fault]:
    where, path = (*terms.path, written), f"spec.{terms.field}.{role}"
    # TFJob's types are not checked: an unknown one gets pods (recorded)
    if terms.strict and role not in terms.roles:
        names = " and ".join(f"`{name}`" for name in terms.roles)
        reason = f"`{path}`: the roles are {names}" if len(terms.roles) > 1 else f"`{path}`: the only role is {names}"
        yield where, reason, "role"
    listed, wanted = (*where, "template", "spec", "containers"), workload.container
    containers = _containers(tree)
    if not containers and (at >= HOOKED or not terms.hooked):
        yield listed, f"`{path}.template.spec.containers` is empty", "containers"
    for index, container in enumerate(containers):
        if not container.get("image"):
            reason = f"`{path}.template.spec.containers[{index}].image` is missing"
            yield (*listed, index, "image"), reason, "image"
    if containers and wanted is not None and not any(container.get("name") == wanted for container in containers):
        yield listed, f"`{path}.template.spec.containers`: none is called `{wanted}`", "container-name"
    yield from _replicas(terms, role, (*where, "replicas"), f"`{path}.replicas`", tree, at)


def _replicas(
    terms: Terms, role: str, where: Path, said: str, tree: dict[str, Any], at: tuple[int, int, int]
) -> Iterator[Fault]:
    count = replicas(tree)
    if role in terms.single:
        # the webhooks ask for the number in so many words
        written = at >= HOOKED and terms.hooked
        if count != 1 or (written and "replicas" not in tree):
            reason = f"{said} must be written and 1" if written else f"{said} must be 1"
            yield where, reason, "replicas"
    if role in terms.peopled and at >= WORKERS_ASKED and count < 1:
        yield where, f"{said} must be at least 1", "replicas"


def _containers(tree: dict[str, Any]) -> list[dict[str, Any]]:
    spec = mapping(mapping(tree.get("template")).get("spec"))
    return [mapping(one) for one in sequence(spec.get("containers"))]


def _crashes(
    workload: Workload, terms: Terms, spec: dict[str, Any], roles: Roles, at: tuple[int, int, int]
) -> Iterator[Fault]:
    """What makes an operator panic, restart and panic again, for all jobs of the cluster (recorded for PyTorchJob)."""
    elastic = spec.get("elasticPolicy") if workload.kind == "PyTorchJob" else None
    if isinstance(elastic, dict) and at < WORKERS_ASKED and "Worker" not in roles:
        yield _ELASTIC, "it panics over an `elasticPolicy` without the role `Worker`", "elastic-panic"
    if at < HOOKED:
        for role, (written, tree) in roles.items():
            # the port is defaulted before anything is validated
            if not _containers(mapping(tree)) and terms.port is not None:
                path = (*terms.path, written, "template", "spec", "containers")
                reason = f"it panics over the empty list of containers of `{role}`"
                yield path, reason, "containers"
        if isinstance(elastic, dict) and "nProcPerNode" in elastic and "Master" in roles:
            reason = "it panics over `elasticPolicy.nProcPerNode` beside the role `Master`"
            yield (*_ELASTIC, "nProcPerNode"), reason, ""


def elastic_bounds(policy: dict[str, Any], workers: int) -> tuple[Any, Any]:
    """(least, most) replicas of an elastic job: each bound stands in for the other, the Workers for both."""
    lower, upper = policy.get("minReplicas"), policy.get("maxReplicas")
    if lower is None and upper is None:
        return workers, workers
    return upper if lower is None else lower, lower if upper is None else upper


def _autoscaler(spec: dict[str, Any], roles: Roles) -> Iterator[Fault]:
    """The autoscaler of an elastic job with metrics: where it is refused, nothing else is created."""
    policy = spec.get("elasticPolicy")
    if not isinstance(policy, dict) or "metrics" not in policy:
        return
    lower, upper = elastic_bounds(policy, replicas(mapping(roles.get("Worker", ("", None))[1])))
    if isinstance(lower, int) and isinstance(upper, int) and (lower < 1 or upper < lower):
        written = "minReplicas" in policy or "maxReplicas" in policy
        reason = f"from {lower} to {upper} replicas is no range that begins at 1 or more"
        yield _ELASTIC, reason, "autoscaler" if written else ""
