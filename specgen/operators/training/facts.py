"""The training operator (kubeflow/trainer up to its branch release-1.9): its releases, and what it calls things.

Read from v1.9.4 (4445c12), v1.8.1 and v1.7.0; held against recordings of the three by ``tests/operators``. Manifests:
manifests/base/deployment.yaml and manifests/overlays/standalone of v1.7.0, v1.8.1 and release-1.9; flags: cmd/
training-operator.v1/main.go. The container has ``command: [/manager]`` and no arguments.
"""

from __future__ import annotations

from specgen.operators import MULTIKUEUE
from specgen.operators.release import ALL_LISTS, Manifests, Operator, Release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.manifest.views import Terms

PREFIX = "training.kubeflow.org/"
ITSELF = "kubeflow.org/training-operator"
# What ``managedBy`` may hold (pkg/apis/kubeflow.org/v1/common_types.go), which not all kinds look at.
MANAGERS = (ITSELF, MULTIKUEUE)

# What the CRDs of a release know and those before do not. 1.7: the CRD of the tag against 1.9.4's. The pods of 1.8 are
# those of Kubernetes 1.28, which has of 1.9's fields the restart policy of containers alone.
_TERMS = ("podAffinityTerm", "requiredDuringSchedulingIgnoredDuringExecution")
_CONTAINERS = ("containers", "initContainers", "ephemeralContainers")
_IN_1_8 = tuple((holder, "restartPolicy") for holder in _CONTAINERS)
_IN_1_9 = (
    *((holder, field) for holder in _TERMS for field in ("matchLabelKeys", "mismatchLabelKeys")),
    *((holder, "restartPolicyRules") for holder in _CONTAINERS),
    *((holder, "sleep") for holder in ("postStart", "preStop")),
    ("claims", "request"),
    ("lifecycle", "stopSignal"),
    ("resourceClaims", "resourceClaimName"),
    ("resourceClaims", "resourceClaimTemplateName"),
    ("runPolicy", "managedBy"),
    ("securityContext", "appArmorProfile"),
    ("securityContext", "seLinuxChangePolicy"),
    ("securityContext", "supplementalGroupsPolicy"),
    ("sources", "clusterTrustBundle"),
    ("sources", "podCertificate"),
    ("spec", "hostnameOverride"),
    ("spec", "schedulingGroup"),
    ("spec", "volumeAttributesClassName"),
    ("valueFrom", "fileKeyRef"),
    ("volumeMounts", "recursiveReadOnly"),
    ("volumes", "image"),
)
# The lists whose keys the CRDs of 1.8 and older hold unique; 1.9 added containers, env, mounts, volumes and others.
_UNIQUE = ("ports", "topologySpreadConstraints", "resourceClaims")

# The init containers that it puts into pods: of Workers of a PyTorchJob, and of the Launcher of an MPIJob. Their images
# are flags of the operator, whose defaults stand below (the second changed with each release, recorded).
INIT = "init-pytorch"
DELIVERY = "kubectl-delivery"
# Kind → the role whose pods get one, and which; as they are built in, they say nothing of privileges (pkg/config/
# config.go and pkg/controller.v1/mpi/mpijob_controller.go).
ADDED = {"PyTorchJob": ("Worker", INIT), "MPIJob": ("Launcher", DELIVERY)}
# Its own image moved from Docker Hub to ghcr.io within 1.9.
_HUB, _GHCR = "kubeflow/training-operator", "ghcr.io/kubeflow/training-v1/training-operator"

OPERATOR = Operator(
    "training-operator",
    (
        Release(
            "1.7.0",
            unique=_UNIQUE,
            kinds=("TFJob", "PyTorchJob", "MXJob", "XGBoostJob", "MPIJob", "PaddleJob"),
            images={INIT: "alpine:3.10", DELIVERY: "mpioperator/kubectl-delivery:latest"},
            own_images=(_HUB,),
            tags={_HUB: "v1-855e096"},
        ),
        Release("1.8.0", fields={"": _IN_1_8}, images={DELIVERY: "kubeflow/kubectl-delivery:latest"}),
        Release("1.8.1", tags={_HUB: "v1-5170a36"}),
        Release(
            "1.9.0",
            fields={"": _IN_1_9},
            unique=ALL_LISTS,
            kinds=("TFJob", "PyTorchJob", "XGBoostJob", "MPIJob", "PaddleJob", "JAXJob"),
            images={DELIVERY: "ghcr.io/kubeflow/training-v1/kubectl-delivery:latest"},
            own_images=(_GHCR, _HUB),
        ),
        Release("1.9.1"),
        Release("1.9.2"),
        Release("1.9.3"),
        Release("1.9.4"),
    ),
    manifests=Manifests(
        "github.com/kubeflow/training-operator",
        "manifests/overlays/standalone",
        namespace="kubeflow",
        deployment="training-operator",
        container="training-operator",
        words="command",
    ),
    image_flags={INIT: "--pytorch-init-container-image", DELIVERY: "--mpi-kubectl-delivery-image"},
)

# The pytorch-operator of the time before: it stands under this operator's name in cluster profiles, and is installed by
# a chart. What it did with jobs was never read, and no reader takes a job for it.
_CHART = "ccr.ccs.tencentyun.com/tke-market/pytorch-operator"
FORERUNNER = Operator(
    "pytorch-operator",
    (Release("0.7.0", read=False, own_images=(_CHART,), tags={_CHART: "latest"}),),
)

# (apiVersion, kind) that the operators before it served, each of one kind → who did. pytorch-operator v0.7.0 and
# tf-operator v1.1.0, manifests/base/crd.yaml, have v1 alone (older ones went with kubeflow/pytorch-operator#222 and
# kubeflow/trainer#1075); xgboost-operator, config/crd/bases and api/v1alpha1; mxnet-operator, pkg/apis/mxnet.
FORMER = {
    **{
        (f"kubeflow.org/{version}", kind): who
        for kind, who in (("PyTorchJob", "the pytorch-operator before 0.7"), ("TFJob", "the tf-operator before 1.1"))
        for version in ("v1alpha1", "v1alpha2", "v1beta1", "v1beta2")
    },
    **{
        (f"kubeflow.org/{version}", "MXJob"): "the mxnet-operator, which the training operator replaced,"
        for version in ("v1alpha1", "v1alpha2", "v1beta1")
    },
    **{
        (
            f"xgboostjob.kubeflow.org/{version}",
            "XGBoostJob",
        ): "the xgboost-operator, which the training operator replaced,"
        for version in ("v1alpha1", "v1")
    },
}

# What it sets to one value in every container of a PyTorchJob.
UNBUFFERED = {"PYTHONUNBUFFERED": "1"}

# What a release does and those before did not, by the numbers of the first that does. Read, and recorded with 1.7.0,
# 1.8.1 and 1.9.4.
# Admission webhooks judge all kinds but MPIJob; before, the operator judges the stored object, and says so in an event.
# They want the replicas of a Master written, and refuse an empty list of containers, which made 1.7 panic.
HOOKED = (1, 8)
# Without a Master, Worker 0 of a PyTorchJob stands in for it.
STAND_IN = (1, 8)
# torchrun is told the number of processes of every pod; before, only beside a Master.
PROCESSES_TOLD = (1, 8)
# The Launcher of an MPIJob runs under the service account of its template.
LAUNCHER_ACCOUNT = (1, 8)
# A permanent exit code fails the job; before, most kinds stayed in Restarting.
PERMANENT_FAILS = (1, 8)
# ``runPolicy.managedBy`` leaves the job to another controller.
MANAGED = OPERATOR.since(("runPolicy", "managedBy"))
# An elastic policy needs the role Worker, and that role a pod: the webhook asks for both, which made older ones panic.
WORKERS_ASKED = (1, 9)
# ``cleanPodPolicy`` counts as well where a limit ended the job; before, all pods go.
POLICY_AT_LIMIT = (1, 9, 4)


class Framework:
    """How the operator treats one kind: its words and defaults."""

    __slots__ = ("container", "controller", "field", "injected", "kind", "port", "restart", "roles", "terms")

    def __init__(
        self,
        kind: str,
        terms: Terms,
        *,
        container: str | None,
        controller: str,
        injected: frozenset[str],
    ) -> None:
        self.kind = kind
        # what is asked of the roles of every job
        self.terms = terms
        # of the spec, where the roles are, and those that it knows
        self.field = terms.field
        self.roles = terms.roles
        # (name, number) that it adds to the training container; None: it adds none
        self.port = terms.port
        # by whose name it finds the training container; None: it takes the first
        self.container = container
        # by which its pods are labelled
        self.controller = controller
        # the restart policy of roles that give none
        self.restart = terms.restart[""]
        # variables that it appends to containers
        self.injected = injected
