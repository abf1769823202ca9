"""Labels and annotations by which queues and gang schedulers know jobs and pods.

Kueue 0.19 (pkg/controller/constants, apis/kueue/v1beta2/topology_types.go), Volcano 1.15 (vendor/volcano.sh/apis,
pkg/apis/scheduling/v1beta1/labels.go), scheduler-plugins 0.34 (apis/scheduling/v1alpha1/types.go), the documentation of
KAI and YuniKorn.
"""

from __future__ import annotations

from specgen.operators.release import numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Kinds of jobs that Kueue 0.19 knows (pkg/controller/jobs); MPIJobs of the mpi-operator, Jobs of Kubernetes itself.
KUEUE_KINDS = (
    "PyTorchJob",
    "TFJob",
    "PaddleJob",
    "XGBoostJob",
    "JAXJob",
    "MPIJob",
    "Job",
    "JobSet",
    "TrainJob",
)
# What it is called among the operators of a cluster.
RELEASE = "kueue"
# Those that it did not always look after → since which release (CHANGELOG-0.12, kueue#4613; CHANGELOG-0.14, #6597).
KUEUE_SINCE = {"JAXJob": "0.12.0", "TrainJob": "0.14.0"}
# Kueue: labels of the job, then annotations of its pod templates.
KUEUE = "kueue.x-k8s.io/"
KUEUE_QUEUE = KUEUE + "queue-name"
KUEUE_PRIORITY = KUEUE + "priority-class"
# a pod that says it belongs to a group of plain pods, without a job around them
KUEUE_PODS = KUEUE + "pod-group-name"
REQUIRED = KUEUE + "podset-required-topology"
PREFERRED = KUEUE + "podset-preferred-topology"
UNCONSTRAINED = KUEUE + "podset-unconstrained-topology"
GROUP = KUEUE + "podset-group-name"
SLICE = KUEUE + "podset-slice-required-topology"
SLICE_SIZE = KUEUE + "podset-slice-size"
TOPOLOGY = (REQUIRED, PREFERRED, UNCONSTRAINED, GROUP, SLICE, SLICE_SIZE)

# Volcano: annotations of pods, the queue of some jobs as well.
VOLCANO_GROUP = "scheduling.k8s.io/group-name"
VOLCANO_QUEUE = "scheduling.volcano.sh/queue-name"
# of pods that are in no PodGroup yet, and of what owns them
VOLCANO_TOPOLOGY = ("volcano.sh/network-topology-mode", "volcano.sh/network-topology-highest-tier")
VOLCANO_LEAST = "scheduling.volcano.sh/group-min-member"

# scheduler-plugins: a label of pods.
COSCHEDULING_GROUP = "scheduling.x-k8s.io/pod-group"

# KAI and YuniKorn: labels of pods or of what owns them.
KAI_QUEUE = "kai.scheduler/queue"
YUNIKORN_APPLICATION = ("applicationId", "yunikorn.apache.org/app-id")

# Names of schedulers that are what they are called: with any other name, nobody knows.
DEFAULT = "default-scheduler"
VOLCANO = "volcano"
KAI = "kai-scheduler"
YUNIKORN = "yunikorn"
SCHEDULERS = (DEFAULT, VOLCANO, KAI, YUNIKORN)

# Prefix → (names below it that people write, names that controllers write or that mean something to few). Kueue 0.19
# (pkg/controller/constants, pkg/controller/jobs/pod/constants, apis/kueue/v1beta2, and the objects of its recordings),
# Volcano 1.15 (labels.go), scheduler-plugins 0.34.
MARKS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    KUEUE: (
        (
            *("queue-name", "priority-class", "prebuilt-workload-name", "max-exec-time-seconds", "elastic-job"),
            *("job-min-parallelism", "job-completions-equal-parallelism", "admission-gated-by"),
            *("pod-group-name", "pod-group-total-count", "pod-group-fast-admission", "pod-group-serving"),
            *(one.removeprefix(KUEUE) for one in TOPOLOGY),
        ),
        (
            *("workload", "podset", "managed", "local-queue-name", "cluster-queue-name", "topology", "multikueue"),
            *("admission", "manager", "job-uid", "job-name", "role-hash", "retriable-in-group", "is-group-workload"),
            *("pod-group-pod-index", "pod-group-pod-index-label", "pod-index-offset", "pod-suspending-parent"),
            *("pod-group-max-not-ready-count", "was-podgroup", "workload-slice-name", "multikueue-origin"),
            *("podset-slice-required-topology-constraints", "parent-workload"),
            *("original-node-selectors", "original-pod-sets-info"),
        ),
    ),
    "scheduling.k8s.io/": (("group-name",), ()),
    "scheduling.x-k8s.io/": (("pod-group",), ()),
    "scheduling.volcano.sh/": (("queue-name", "group-min-member"), ("group-min-resources",)),
}


def kueue_lacks(kind: object, release: str | None) -> bool:
    """Whether a release of Kueue is too old for a kind; None: which one it is nobody says."""
    own, since = numbers(release or ""), numbers(KUEUE_SINCE.get(str(kind), ""))
    return own is not None and since is not None and own < since


def kueue_knows(tree: dict[str, Any], release: str | None = None) -> bool:
    """Whether Kueue looks after a job: MPIJobs of the mpi-operator alone, and Jobs of Kubernetes itself; ``release``:
    where it is known which one is installed.
    """
    kind, version = tree.get("kind"), tree.get("apiVersion")
    if kueue_lacks(kind, release):
        return False
    if kind == "MPIJob":
        return version != "kubeflow.org/v1"
    return kind in KUEUE_KINDS and (kind != "Job" or version != "batch.volcano.sh/v1alpha1")


def is_queued(tree: dict[str, Any]) -> bool:
    """Whether Kueue suspends a job when it is created, whatever the manifest says: its label names a queue."""
    metadata = tree.get("metadata")
    labels = metadata.get("labels") if isinstance(metadata, dict) else None
    return isinstance(labels, dict) and bool(labels.get(KUEUE_QUEUE)) and kueue_knows(tree)
