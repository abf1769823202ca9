"""Which MPIJobs get no objects: the API server does not store them, or the operator only writes an event.

Read from kubeflow/mpi-operator release-0.8 (b10758d), v0.6.0 and v0.4.0: pkg/apis/kubeflow/validation/validation.go;
held against recordings of the three by ``tests/operators``. There is no webhook: an object that the operator does not
take is stored and gets an event.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.names import is_label, known
from specgen.operators.kubernetes.objects import NAME, SERVER, name_of, name_refusal, tree_of
from specgen.operators.mpi.facts import MPICH, OPERATOR, RESTARTS, TERMS, implementations, slots, workers
from specgen.operators.objection import Objection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    from specgen.manifest.views import Workload
    from specgen.source import Path

    # where, why, and the word of the rule that says it
    Fault: TypeAlias = tuple[Path, str, str]

_POLICY = ("spec", "runPolicy")


def refusals(workload: Workload) -> Iterator[Objection]:
    """Everything for which an MPIJob gets no objects; what the operator says comes after what is not stored at all."""
    tree = tree_of(workload)
    name, spec = name_of(tree), mapping(tree.get("spec"))
    for path, reason, cause in _server(name, spec, workload.version):
        yield Objection(path, reason, SERVER, cause)
    own = f"{OPERATOR.name} {workload.version}"
    for path, reason, cause in _judged(name, spec):
        yield Objection(path, reason, own, cause)
    for role in mapping(spec.get(TERMS.field)):
        if role not in TERMS.roles:
            reason = f"there is no role `{role}`: the operator passes over it without a word, and no pods come of it"
            yield Objection((*TERMS.path, role), reason, own, "passed-over", of="Pod")


def _server(name: str, spec: dict[str, Any], version: str) -> Iterator[Fault]:
    reason = name_refusal(name)
    if reason:
        yield NAME, reason, "name"
    given = spec.get("mpiImplementation", "OpenMPI")
    if OPERATOR.at(version) < MPICH and given not in implementations(version):
        reason = f"`spec.mpiImplementation`: `{given}` is neither `OpenMPI` nor `Intel`, all that {version} knows"
        yield ("spec", "mpiImplementation"), reason, ""


def _judged(name: str, spec: dict[str, Any]) -> Iterator[Fault]:
    roles = mapping(spec.get(TERMS.field))
    longest = f"{known(name)}-worker-{max(1, workers(roles)) - 1}"
    if not is_label(longest, letter_first=True):
        form = "a DNS label of at most 63 characters that begins with a letter"
        yield NAME, f"`metadata.name`: the name of the last Worker, `{longest}`, is not {form}", "name"
    for needed in TERMS.needed:
        if needed not in roles:
            yield TERMS.path, f"`spec.{TERMS.field}` needs the role `{needed}`", "roles"
    for role in TERMS.roles:
        if role in roles:
            yield from _role(role, mapping(roles[role]))
    if slots(spec) < 0:
        yield ("spec", "slotsPerWorker"), "`spec.slotsPerWorker` is negative", "limit"
    policy = mapping(spec.get("runPolicy"))
    clean = policy.get("cleanPodPolicy", "None")
    if clean not in TERMS.cleans:
        reason = f"`spec.runPolicy.cleanPodPolicy`: `{clean}` is none of `None`, `Running`, and `All`"
        yield (*_POLICY, "cleanPodPolicy"), reason, "clean-policy"
    for field in ("ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit"):
        if isinstance(policy.get(field), int) and policy[field] < 0:
            yield (*_POLICY, field), f"`spec.runPolicy.{field}` is negative", "limit"


def _role(role: str, tree: dict[str, Any]) -> Iterator[Fault]:
    where, path = (*TERMS.path, role), f"spec.{TERMS.field}.{role}"
    restart = tree.get("restartPolicy") or RESTARTS[role]
    if restart not in TERMS.restarts:
        reason = f"`{path}.restartPolicy`: `{restart}` is neither `Never` nor `OnFailure`"
        yield (*where, "restartPolicy"), reason, "restart-policy"
    if not sequence(mapping(mapping(tree.get("template")).get("spec")).get("containers")):
        listed = (*where, "template", "spec", "containers")
        yield listed, f"`{path}.template.spec.containers` is empty", "containers"
    count = tree.get("replicas", 1 if role in TERMS.single else 0)
    if role in TERMS.single and count != 1:
        yield (*where, "replicas"), f"`{path}.replicas` must be 1", "replicas"
    if role in TERMS.peopled and (not isinstance(count, int) or count < 1):
        yield (*where, "replicas"), f"`{path}.replicas` must be written and at least 1", "replicas"
