"""What all readers of the training operator's kinds share: the job as it is written, role by role."""

from __future__ import annotations

from specgen.manifest.views import Role, Workload, mapping, sequence
from specgen.operators.template import append, pod, restart
from specgen.operators.training.facts import HOOKED, INIT, OPERATOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.model import Manifest
    from specgen.operators.lifecycle import Counted
    from specgen.operators.training.facts import Framework


def workload(framework: Framework, manifest: Manifest, version: str | None = None) -> Workload:
    """A job as the operator sees it, its roles in the operator's order, one process in each pod. Never raises."""
    found = Workload(
        manifest, container=framework.container, operator=OPERATOR.name, version=version or OPERATOR.newest
    )
    terms = found.terms = framework.terms
    found.hooked = terms.hooked and OPERATOR.at(found.version) >= HOOKED
    found.rules_env = framework.injected
    roles = roles_of(found, mapping(manifest.tree.get("spec"))) or {}
    known = [role for role in terms.roles if role in roles]
    for role in known if terms.strict else [*known, *(role for role in roles if role not in known)]:
        written, part = roles[role]
        if isinstance(part, dict):
            # absent Workers of an MPIJob are none (pkg/apis/kubeflow.org/v1/mpi_defaults.go)
            default_replicas = 0 if found.kind == "MPIJob" and role == "Worker" else 1
            found.roles.append(Role(found, role, (*terms.path, written), part, default_replicas=default_replicas))
    return found


def roles_of(workload: Workload, spec: dict[str, Any]) -> dict[str, tuple[str, Any]] | None:
    """Role as this version calls it → the key under which it stands, and its replica spec; None: no field holds any.

    The operator corrects the case of letters, if nobody refuses the job before (recorded): since 1.8 the webhooks do,
    but TFJob's; MPIJobs are always judged before they are defaulted.
    """
    terms = workload.terms
    given = spec.get(terms.field) if terms is not None else None
    if terms is None or not isinstance(given, dict):
        return None
    if workload.kind == "MPIJob" or (workload.hooked and terms.strict):
        return {name: (name, part) for name, part in given.items() if part is not None}
    right = {role.lower(): role for role in terms.roles}
    words = {name: part for name, part in given.items() if isinstance(name, str) and part is not None}
    return {right.get(name.lower(), name): (name, part) for name, part in words.items()}


def sent(role: Role) -> dict[str, Any]:
    """A pod of a role as the operator sends it: with its policy, its init container, and its port on the host."""
    workload, spec = role.workload, dict(role.pod)
    spec["restartPolicy"] = restart(role)
    led = workload.kind == "PyTorchJob" and any(other.name == "Master" for other in workload.roles)
    if led and role.name == "Worker":
        append(spec, "initContainers", [{"name": INIT, "image": OPERATOR.image(INIT, workload.version)}])
    if spec.get("hostNetwork") is True:
        with_port(workload, spec)
    return pod(role, spec)


def counted(roles: dict[str, tuple[int, str]], most: int | None = None) -> Counted | None:
    """What a limit on restarts counts of an incident (``lifecycle``)."""
    # loaded here: few jobs have a limit
    from specgen.operators.training.lifecycle import counted as count

    return count(roles, most)


def with_port(workload: Workload, spec: dict[str, Any]) -> None:
    """The framework's port, by its name; under ``hostNetwork`` it is a port of the host."""
    port = workload.terms.port if workload.terms is not None else None
    containers = [mapping(one) for one in sequence(spec.get("containers"))]
    at = next((at for at, one in enumerate(containers) if one.get("name") == workload.container), 0)
    if port is None or not containers:
        return
    if not any(mapping(one).get("name") == port[0] for one in sequence(containers[at].get("ports"))):
        container = dict(containers[at])
        append(container, "ports", [{"name": port[0], "containerPort": port[1]}])
        spec["containers"] = [*containers[:at], container, *containers[at + 1 :]]


def told(spec: dict[str, Any]) -> str:
    """What a PyTorchJob's torchrun is told of processes (``PET_NPROC_PER_NODE``), after the operator's defaults."""
    procs = spec.get("nprocPerNode")
    return procs if isinstance(procs, str) else str(mapping(spec.get("elasticPolicy")).get("nProcPerNode", "auto"))
