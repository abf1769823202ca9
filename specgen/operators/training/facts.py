"""The training operator (kubeflow/trainer up to its branch release-1.9): its releases, and what it calls things.

Read from v1.9.4 (4445c12), v1.8.1 and v1.7.0; held against recordings of the three by ``tests/operators``.
"""

from __future__ import annotations

from specgen.operators import MULTIKUEUE
from specgen.operators.release import Operator, Release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.manifest.views import Terms

PREFIX = "training.kubeflow.org/"
ITSELF = "kubeflow.org/training-operator"
# What ``managedBy`` may hold (pkg/apis/kubeflow.org/v1/common_types.go), which not all kinds look at.
MANAGERS = (ITSELF, MULTIKUEUE)

# The release that brought the webhooks; before, the operator itself judged a job, and said in an event what is wrong.
HOOKED = (1, 8)

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

OPERATOR = Operator(
    "training-operator",
    (
        Release("1.7.0", unique=_UNIQUE, images={INIT: "alpine:3.10", DELIVERY: "mpioperator/kubectl-delivery:latest"}),
        Release("1.8.0", unique=_UNIQUE, fields={"": _IN_1_8}, images={DELIVERY: "kubeflow/kubectl-delivery:latest"}),
        Release("1.8.1", unique=_UNIQUE),
        Release(
            "1.9.0",
            fields={"": _IN_1_9},
            images={DELIVERY: "ghcr.io/kubeflow/training-v1/kubectl-delivery:latest"},
        ),
        Release("1.9.1"),
        Release("1.9.2"),
        Release("1.9.3"),
        Release("1.9.4"),
    ),
)


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
        restart: str,
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
        self.restart = restart
        # variables that it appends to containers
        self.injected = injected
