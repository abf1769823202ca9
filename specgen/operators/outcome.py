"""What the status of a job says to whoever waits for it: that it succeeded, failed, or is suspended; else it goes on.

A job that runs is not there yet, as a batch Job is not to Argo CD (gitops-engine/pkg/health/health_job.go) and Flux
(fluxcd/pkg, runtime/statusreaders/job.go): both wait for its end. Held against the conditions of all recordings by
``tests/emit/test_outcomes.py``.

Sources: kubeflow/trainer v1.9.4, pkg/apis/kubeflow.org/v1/common_types.go (JobConditionType; mpi-operator and
ms-operator have the same words); kubeflow/trainer v2.3.0, pkg/apis/trainer/v1alpha1/trainjob_types.go
(TrainJobSuspended and below); kubernetes-sigs/jobset v0.12.0, api/jobset/v1alpha2/jobset_types.go
(JobSetConditionType); volcano.sh/apis of Volcano 1.15, pkg/apis/batch/v1alpha1/job.go (JobPhase).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.operators.reader import Reader

SUCCEEDED, FAILED, SUSPENDED = "succeeded", "failed", "suspended"


class Outcome:
    """Where a status says what, and which word there means which state; of several that are true the first counts.

    ``phase``: the words are values of ``status.state.phase``; else they are types of ``status.conditions`` with status
    ``True``. All other words are of a job on its way: Created, Running, Restarting, Pending, ...
    """

    __slots__ = ("phase", "words")

    def __init__(self, words: dict[str, str], *, phase: bool = False) -> None:
        self.words = words
        self.phase = phase

    def of(self, state: str) -> list[str]:
        """The words that mean a state."""
        return [word for word, meant in self.words.items() if meant == state]


_KUBEFLOW = Outcome({"Failed": FAILED, "Succeeded": SUCCEEDED, "Suspended": SUSPENDED})
# Folder of the operator → what its status says. An aborted Job of Volcano (`vcctl job suspend`, or a policy AbortJob)
# has lost its pods and waits for `vcctl job resume`; a terminated one does not come back.
_OUTCOMES = {
    "training": _KUBEFLOW,
    "mpi": _KUBEFLOW,
    "mindspore": _KUBEFLOW,
    "trainer": Outcome({"Failed": FAILED, "Complete": SUCCEEDED, "Suspended": SUSPENDED}),
    "jobset": Outcome({"Failed": FAILED, "Completed": SUCCEEDED, "Suspended": SUSPENDED}),
    "volcano": Outcome(
        {"Failed": FAILED, "Terminated": FAILED, "Completed": SUCCEEDED, "Aborted": SUSPENDED}, phase=True
    ),
}


def outcome(reader: Reader) -> Outcome | None:
    """What the status of a kind says; None: that is not known here."""
    from specgen.operators.index import KINDS

    return _OUTCOMES.get(KINDS[reader.api_version, reader.kind].partition(".")[0])
