"""What the mpi-operator takes and refuses of an MPIJob v2beta1, and how its releases differ.

Read from kubeflow/mpi-operator release-0.8 (b10758d), v0.6.0 and v0.4.0: pkg/apis/kubeflow/v2beta1/default.go,
pkg/apis/kubeflow/validation/validation.go, pkg/controller/mpi_job_controller.go; held against recordings of all three
by ``tests/backends/test_conformance_mpi_operator.py``. There is no webhook: an object that the operator does not take
is stored and gets an event.
"""

from __future__ import annotations

from specgen.backends._training_operator import SERVER, known
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.names import is_label, is_subdomain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

OPERATOR = "mpi-operator"
NEWEST = "0.8.2"
ITSELF = "kubeflow.org/mpi-operator"
# With the restart policy that each role gets where it gives none.
ROLES = {"Launcher": "OnFailure", "Worker": "Never"}
SSH_PATH = "/root/.ssh"

_CLEAN = ("None", "Running", "All")
_RESTART = ("Never", "OnFailure")
_IMPLEMENTATIONS = ("OpenMPI", "Intel")
# Fields that came after the release: ``runLauncherAsWorker`` and ``launcherCreationPolicy`` in 0.5, ``managedBy`` in
# 0.6. Of pod fields the recordings tell none apart.
_SINCE_0_5 = frozenset((("spec", "launcherCreationPolicy"), ("spec", "runLauncherAsWorker")))
_SINCE_0_6 = frozenset((("runPolicy", "managedBy"),))


def release(version: str) -> tuple[int, int]:
    """``0.6.0`` → (0, 6); text that is no version counts as the newest."""
    numbers = version.removeprefix("v").split(".")
    if len(numbers) < 2 or not all(number.isascii() and number.isdigit() and len(number) < 6 for number in numbers[:2]):
        return 0, 8
    return int(numbers[0]), int(numbers[1])


def absent_fields(version: str) -> frozenset[tuple[str, str]]:
    """The fields of the newest schema that the CRD of a version lacks, for ``manifest.prune``."""
    at = release(version)
    return (frozenset() if at >= (0, 6) else _SINCE_0_6) | (frozenset() if at >= (0, 5) else _SINCE_0_5)


def unique_lists(version: str) -> tuple[str, ...] | None:
    """Lists whose keys the CRD of 0.4, of the age of Kubernetes 1.25, holds unique; None: those of the newest."""
    return None if release(version) >= (0, 5) else ("ports", "topologySpreadConstraints")


def workers(roles: dict[str, Any]) -> int:
    """Workers as the operator counts them: 0 where no number is given."""
    count = mapping(roles.get("Worker")).get("replicas")
    return count if isinstance(count, int) and not isinstance(count, bool) else 0


def slots(spec: dict[str, Any]) -> int:
    """``slotsPerWorker``, 1 where it is not given."""
    count = spec.get("slotsPerWorker")
    return count if isinstance(count, int) and not isinstance(count, bool) else 1


def idle(spec: dict[str, Any], version: str) -> str:
    """Why the operator does not look at a job; empty: it does. Any word that it does not know is enough (recorded)."""
    manager = mapping(spec.get("runPolicy")).get("managedBy")
    if release(version) >= (0, 6) and manager not in (None, ITSELF):
        return f"`spec.runPolicy.managedBy` leaves the job to `{manager}`"
    return ""


def server_refusal(name: str, spec: dict[str, Any], version: str) -> tuple[str, str]:
    """(who, why) for an object that is not stored although the newest schema takes it; empty words: it is stored."""
    reason = ""
    if not name:
        reason = "`metadata.name` is missing"
    elif not is_subdomain(known(name)):
        reason = f"`metadata.name`: `{name}` is no name of an object"
    elif release(version) < (0, 5) and spec.get("mpiImplementation", "OpenMPI") not in _IMPLEMENTATIONS:
        given = spec["mpiImplementation"]
        reason = f"`spec.mpiImplementation`: `{given}` is neither `OpenMPI` nor `Intel`, all that {version} knows"
    return (SERVER, reason) if reason else ("", "")


def operator_refusal(name: str, spec: dict[str, Any], version: str) -> tuple[str, str]:
    """(who, why) for a stored object that only gets an event; empty words: it gets its objects."""
    for reason in _invalid(name, spec):
        return f"{OPERATOR} {version}", reason
    return "", ""


def _invalid(name: str, spec: dict[str, Any]) -> Iterator[str]:
    roles = mapping(spec.get("mpiReplicaSpecs"))
    longest = f"{known(name)}-worker-{max(1, workers(roles)) - 1}"
    if not is_label(longest, letter_first=True):
        form = "a DNS label of at most 63 characters that begins with a letter"
        yield f"`metadata.name`: the name of the last Worker, `{longest}`, is not {form}"
    if "Launcher" not in roles:
        yield "`spec.mpiReplicaSpecs` needs the role `Launcher`"
    for role in ROLES:
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
    restart = tree.get("restartPolicy") or ROLES[role]
    if restart not in _RESTART:
        yield f"`{path}.restartPolicy`: `{restart}` is neither `Never` nor `OnFailure`"
    if not sequence(mapping(mapping(tree.get("template")).get("spec")).get("containers")):
        yield f"`{path}.template.spec.containers` is empty"
    count = tree.get("replicas", 1 if role == "Launcher" else 0)
    if role == "Launcher" and count != 1:
        yield f"`{path}.replicas` must be 1"
    if role == "Worker" and (not isinstance(count, int) or count < 1):
        yield f"`{path}.replicas` must be written and at least 1"
