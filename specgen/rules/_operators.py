"""What several rules say of operators: their release, the roles as written, and who refuses a job.

Facts: training-operator, pkg/webhooks/*/*_webhook.go (since 1.8) and, before them and for MPIJobs in all versions, the
validation in pkg/apis/kubeflow.org/v1/*_validation.go; mpi-operator, pkg/apis/kubeflow/validation/validation.go;
ms-operator 1.0.0, which validates nothing. All recorded.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, Place
from specgen.manifest.views import mapping
from specgen.operators import by_object
from specgen.operators.release import minor, spelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from specgen.manifest.views import Workload
    from specgen.operators.objection import Objection
    from specgen.operators.release import Numbers, Operator
    from specgen.source import Path

SERVER = "the API server rejects the object"


def spec(workload: Workload) -> dict[str, Any]:
    """The job's spec."""
    return mapping(workload.manifest.tree.get("spec"))


def limits(workload: Workload, field: str) -> list[tuple[Path, Any]]:
    """Where the operators read a limit of a job or of its Jobs, with its value there, None where none is said."""
    own = spec(workload)
    found: list[tuple[Path, Any]] = [
        (("spec", field), own.get(field)),
        (("spec", "runPolicy", field), mapping(own.get("runPolicy")).get(field)),
    ]
    for role in workload.roles:
        # the pods' own deadline is the kubelet's, and has other bounds; above it stands that of their Job
        above = role.template_path[len(role.path) : -1]
        tree: Any = role.tree
        for step in above:
            tree = mapping(tree).get(str(step))
        found.append(((*role.path, *above, field), mapping(tree).get(field) if above else None))
    return found


def home_of_limit(workload: Workload) -> Place:
    """Where a limit of a job would stand: the key of the policy that would hold it."""
    return Place(("spec", "runPolicy") if "runPolicy" in spec(workload) else ("spec",), KEY)


def roles(workload: Workload) -> dict[str, Any]:
    """The roles as written, also those that the operator does not know; none where they are another object's."""
    return {} if workload.terms is None else mapping(spec(workload).get(workload.terms.field))


def operator(workload: Workload) -> Operator:
    """The operator that takes the job, with its releases."""
    ref = workload.manifest.ref
    reader = by_object(ref.api_version, ref.kind)
    assert reader is not None  # a workload is what a reader read
    return reader.operator


def release(workload: Workload) -> Numbers:
    """The numbers by which the version of a job's operator is compared."""
    return operator(workload).at(workload.version)


def predates_hooks(workload: Workload) -> bool:
    """Whether the kind has a webhook, but not in this release."""
    if workload.terms is None or not workload.terms.hooked:
        return False
    from specgen.operators.training.facts import HOOKED  # jobs of other operators do not load it

    return release(workload) < HOOKED


def refuses(workload: Workload) -> str:
    """The note that says who refuses a job: the webhook, or without one the operator by an event."""
    if workload.hooked:
        return "the admission webhook of the training operator refuses the job"
    return f"{workload.operator} {workload.version} accepts the job, says so in an event, and creates no pods"


def by_server(one: Objection) -> bool:
    """Whether the API server itself refuses, before a webhook or an operator sees the job."""
    return one.by == "the API server"


def corrects(workload: Workload) -> str:
    """The note on a role in other letters, before there were webhooks: corrected in memory, recorded in an event."""
    from specgen.operators.training.facts import HOOKED  # jobs of other operators do not load it

    known = f"{workload.operator} {minor(workload.version)}"
    return f"{known} corrects the letter case, {spelled(HOOKED)} refuses it"


def creates_one() -> str:
    """The note on Workers that are none, where the training operator does not ask for them."""
    from specgen.operators.training.facts import WORKERS_ASKED  # jobs of other operators do not load it

    return f"before {spelled(WORKERS_ASKED)} the training operator creates one pod all the same"


def forgets_failure(workload: Workload) -> bool:
    """Whether Trainer makes the JobSet of a failed TrainJob anew once it is gone."""
    from specgen.operators.trainer.facts import FORGETS_FAILURE  # other jobs do not load it

    return release(workload) <= FORGETS_FAILURE


def served_as(kind: str, operators: Iterable[str]) -> list[str]:
    """The versions of a kind that these operators serve, such as ``kubeflow.org/v2beta1``."""
    from specgen.operators.index import KINDS  # few jobs are nobody's

    readers = [by_object(*key) for key in KINDS if key[1] == kind]
    return [one.api_version for one in readers if one is not None and one.operator.name in operators]
