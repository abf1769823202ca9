"""What the API server refuses of a role's pods, for the rules that present it; each role is judged once.

``operators.kubernetes.admission`` decides; here stands which pod is asked about: the template as the operator sends it.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.admission import refusals
from specgen.rules._operators import release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.views import Container, Role
    from specgen.operators.kubernetes.reason import Reason
    from specgen.rules import Context
    from specgen.source import Path

# Causes that the schema of a job finds by itself where its CRD holds the keys of a list unique (SG104).
_UNIQUE = ("claim-twice", "container-twice", "gate-twice", "mount-twice", "spread-twice", "volume-twice")


def refused(role: Role, context: Context) -> list[Reason]:
    """The refusals of a role's pods that are nobody else's finding; none where the operator makes no pod."""
    if role.refused is None:
        role.refused = list(refusals(sent(role))) if makes_pods(role) else []
    return [one for one in role.refused if not _is_known(one, role, context)] if role.refused else []


def of_container(container: Container, context: Context) -> list[Reason]:
    """Those of one container."""
    own: Path = ("spec", *container.path[-2:])
    return [one for one in refused(container.role, context) if one.path[:3] == own]


def is_own(role: Role, path: Path) -> bool:
    """Whether a path of the pod leads to something of the role's template, and not to what its operator adds."""
    tree: Any = {"spec": role.pod, "metadata": role.template.get("metadata")}
    for step in path:
        if isinstance(tree, list) and isinstance(step, int) and step >= len(tree):
            return False
        tree = below(tree, step)
    # a field that is missing is missing in the template
    return True


def below(tree: Any, step: str | int) -> Any:
    """The item or field of a tree; None where it has none."""
    if isinstance(step, int):
        return tree[step] if isinstance(tree, list) and step < len(tree) else None
    return mapping(tree).get(step)


def makes_pods(role: Role) -> bool:
    """Whether the operator makes a pod: of 0 replicas, those that create and delete number 0 without end (recorded)."""
    if role.workload.terms is not None and not role.pod:
        return False  # which is a finding of its own (SG305)
    if role.replicas >= 1:
        return True
    return role.workload.operator == "ms-operator" or (
        role.workload.operator == "training-operator" and role.workload.kind != "MPIJob"
    )


def sent(role: Role) -> dict[str, Any]:
    """A pod of the role as far as its operator decides what the API server judges; held to ``expand`` by tests."""
    workload = role.workload
    spec = dict(role.pod)
    if workload.terms is not None:
        spec["restartPolicy"] = _restart(role)
    if workload.operator == "mpi-operator":
        _as_mpi_operator(role, spec)
    elif workload.operator == "training-operator" and workload.kind == "MPIJob":
        _as_mpi_v1(role, spec)
    elif workload.added_volumes:
        known = [mapping(volume).get("name") for volume in sequence(spec.get("volumes"))]
        _add(spec, "volumes", [{"name": name} for name in workload.added_volumes if name not in known])
    led = workload.kind == "PyTorchJob" and any(other.name == "Master" for other in workload.roles)
    if led and role.name == "Worker":
        _add(spec, "initContainers", [{"name": "init-pytorch", "image": "alpine:3.10"}])
    if spec.get("hostNetwork") is True and workload.terms is not None and workload.terms.port is not None:
        _add_port(workload.container, workload.terms.port, spec)
    # the MSJobs' CRD drops the metadata of templates
    dropped = workload.operator == "ms-operator" or "metadata" not in role.template
    if dropped:
        return {"spec": spec}
    metadata = mapping(role.template["metadata"])
    if workload.kind == "MPIJob":
        metadata = {key: metadata[key] for key in ("labels", "annotations") if key in metadata}
    return {"metadata": metadata, "spec": spec}


def _restart(role: Role) -> str:
    """The policy of the pods, whatever the template says; an unknown word is a finding of its own (SG313)."""
    terms = role.workload.terms
    policy = role.tree.get("restartPolicy")
    if terms is None or policy in (None, "") or policy not in ("Always", "OnFailure", "Never", "ExitCode"):
        return "" if terms is None else terms.restart.get(role.name, terms.restart[""])
    return "Never" if policy == "ExitCode" else str(policy)


def _add(tree: dict[str, Any], key: str, items: list[dict[str, Any]]) -> None:
    if items:
        tree[key] = [*sequence(tree.get(key)), *items]


def _add_to_first(spec: dict[str, Any], mounts: list[dict[str, Any]]) -> None:
    first, *rest = sequence(spec.get("containers")) or [None]
    if isinstance(first, dict):
        first = dict(first)
        _add(first, "volumeMounts", mounts)
        spec["containers"] = [first, *rest]


def _as_mpi_operator(role: Role, spec: dict[str, Any]) -> None:
    job = mapping(role.workload.manifest.tree.get("spec"))
    for key in ("hostname", "subdomain"):
        spec.pop(key, None)
    if spec.get("hostNetwork") is True:
        spec["dnsPolicy"] = "ClusterFirstWithHostNet"
    mounts = [{"name": "ssh-auth", "mountPath": job.get("sshAuthMountPath") or "/root/.ssh"}]
    if role.name == "Launcher":
        mounts.append({"name": "mpi-job-config", "mountPath": "/etc/mpi"})
    _add(spec, "volumes", [{"name": mount["name"]} for mount in mounts])
    _add_to_first(spec, mounts)


def _as_mpi_v1(role: Role, spec: dict[str, Any]) -> None:
    from specgen.operators.training.facts import LAUNCHER_ACCOUNT  # jobs of other operators do not load it

    mounts = [{"name": "mpi-job-config", "mountPath": "/etc/mpi"}]
    if role.name == "Launcher":
        mounts.insert(0, {"name": "mpi-job-kubectl", "mountPath": "/opt/kube"})
        _add(
            spec, "initContainers", [{"name": "kubectl-delivery", "image": "kubectl-delivery", "volumeMounts": mounts}]
        )
        if release(role.workload) < LAUNCHER_ACCOUNT or not spec.get("serviceAccountName"):
            spec["serviceAccountName"] = "launcher"
    _add(spec, "volumes", [{"name": mount["name"]} for mount in mounts])
    _add_to_first(spec, mounts)


def _add_port(name: str | None, port: tuple[str, int], spec: dict[str, Any]) -> None:
    """The framework's port, by its name; under ``hostNetwork`` it is a port of the host."""
    containers = [mapping(one) for one in sequence(spec.get("containers"))]
    at = next((at for at, one in enumerate(containers) if one.get("name") == name), 0)
    if not containers or any(mapping(one).get("name") == port[0] for one in sequence(containers[at].get("ports"))):
        return
    container = dict(containers[at])
    _add(container, "ports", [{"name": port[0], "containerPort": port[1]}])
    spec["containers"] = [*containers[:at], container, *containers[at + 1 :]]


def _is_known(reason: Reason, role: Role, context: Context) -> bool:
    """Whether a refusal is another finding already, or about a text that a tool still fills in."""
    path: Path = (*role.template_path, *reason.path)
    for other in (*context.misplaced_env, *context.misshapen):
        common = min(len(path), len(other))
        if path[:common] == other[:common]:
            return True
    # a runtime's lists are judged where the runtime is
    if role.workload.operator == "trainer" and reason.cause in _UNIQUE:
        return True
    return reason.cause != "no-volume" and _is_unfinished(role, reason.path)


def _is_unfinished(role: Role, path: Path) -> bool:
    """Whether a value, or the key that names it, holds what a tool fills in: ``${NAME}``, ``{{name}}``."""
    value: Any = {"spec": role.pod, "metadata": role.template.get("metadata")}
    for step in path:
        value = below(value, step)
    return any("$" in text or "{{" in text for text in (value, path[-1]) if isinstance(text, str))
