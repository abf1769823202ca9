"""Which MPIJobs get no objects: the API server does not store them, or the operator only writes an event.

Read from kubeflow/mpi-operator release-0.8 (b10758d), v0.6.0 and v0.4.0: pkg/apis/kubeflow/validation/validation.go;
held against recordings of the three by ``tests/operators``. There is no webhook: an object that the operator does not
take is stored and gets an event.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.names import is_label, known
from specgen.operators.kubernetes.objects import SERVER, name_refusal
from specgen.operators.mpi.facts import MPICH, OPERATOR, RESTARTS, implementations, slots, workers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.manifest.views import Workload
    from specgen.source import Path

_CLEAN = ("None", "Running", "All")
_RESTART = ("Never", "OnFailure")


def refusals(workload: Workload) -> Iterator[tuple[Path, str, str, str]]:
    """(path, why, who, assumed) of a value that the newest schema takes and that of an older version refuses."""
    # the name is a rule's business
    who, reason = server_refusal("name", mapping(workload.manifest.tree.get("spec")), workload.version)
    if reason:
        yield ("spec", "mpiImplementation"), reason, who, ""


def server_refusal(name: str, spec: dict[str, Any], version: str) -> tuple[str, str]:
    """(who, why) for an object that is not stored although the newest schema takes it; empty words: it is stored."""
    reason = name_refusal(name)
    given = spec.get("mpiImplementation", "OpenMPI")
    if not reason and OPERATOR.at(version) < MPICH and given not in implementations(version):
        reason = f"`spec.mpiImplementation`: `{given}` is neither `OpenMPI` nor `Intel`, all that {version} knows"
    return (SERVER, reason) if reason else ("", "")


def operator_refusal(name: str, spec: dict[str, Any], version: str) -> tuple[str, str]:
    """(who, why) for a stored object that only gets an event; empty words: it gets its objects."""
    for reason in _invalid(name, spec):
        return f"{OPERATOR.name} {version}", reason
    return "", ""


def _invalid(name: str, spec: dict[str, Any]) -> Iterator[str]:
    roles = mapping(spec.get("mpiReplicaSpecs"))
    longest = f"{known(name)}-worker-{max(1, workers(roles)) - 1}"
    if not is_label(longest, letter_first=True):
        form = "a DNS label of at most 63 characters that begins with a letter"
        yield f"`metadata.name`: the name of the last Worker, `{longest}`, is not {form}"
    if "Launcher" not in roles:
        yield "`spec.mpiReplicaSpecs` needs the role `Launcher`"
    for role in RESTARTS:
        if role in roles:
            yield from _role(role, mapping(roles[role]))
    if slots(spec) < 0:
        yield "`spec.slotsPerWorker` is negative"
    policy = mapping(spec.get("runPolicy"))
    clean = policy.get("cleanPodPolicy", "None")
    if clean not in _CLEAN:
        yield f"`spec.runPolicy.cleanPodPolicy`: `{clean}` is none of `None`, `Running`, and `All`"
    for field in ("ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit"):
        if isinstance(policy.get(field), int) and policy[field] < 0:
            yield f"`spec.runPolicy.{field}` is negative"


def _role(role: str, tree: dict[str, Any]) -> Iterator[str]:
    path = f"spec.mpiReplicaSpecs.{role}"
    restart = tree.get("restartPolicy") or RESTARTS[role]
    if restart not in _RESTART:
        yield f"`{path}.restartPolicy`: `{restart}` is neither `Never` nor `OnFailure`"
    if not sequence(mapping(mapping(tree.get("template")).get("spec")).get("containers")):
        yield f"`{path}.template.spec.containers` is empty"
    count = tree.get("replicas", 1 if role == "Launcher" else 0)
    if role == "Launcher" and count != 1:
        yield f"`{path}.replicas` must be 1"
    if role == "Worker" and (not isinstance(count, int) or count < 1):
        yield f"`{path}.replicas` must be written and at least 1"
