"""Kubeflow Trainer: its releases, the fields that each brought, and what it calls things.

Read from the API types of v2.0.1, v2.1.0, v2.2.0 and v2.3.0 (pkg/apis/trainer/v1alpha1), of which the first two were
held against their CRDs. Behaviour was recorded with 2.3.0 alone; that ``resourcesPerNode`` replaced the runtime's
resources until 2.2, and that 2.3 brought the snapshot of the runtime, is from pkg/runtime and pkg/controller. Of what
installs it: manifests/overlays/manager, manifests/base/manager/manager.yaml, manifests/third-party/jobset.
"""

from __future__ import annotations

from specgen.operators.release import Manifests, Operator, Release

WEBHOOK = "the validating webhook of Trainer"
# The end of what is said of a runtime that nobody has seen.
UNSEEN = "is not among the files, and must exist before the TrainJob"
# The kinds of runtimes, that of the cluster first: it is meant where a reference names none.
RUNTIMES = ("ClusterTrainingRuntime", "TrainingRuntime")
# The groups of kinds by which fields came (``Release.fields``).
JOBS, OF_RUNTIMES = "TrainJob", "runtimes"

# Where all images of Trainer's own lie.
IMAGES = "ghcr.io/kubeflow/trainer"
_MANAGER, JOBSET_IMAGE = f"{IMAGES}/trainer-controller-manager", "registry.k8s.io/jobset/jobset"
# What the manifests of JobSet v0.10.1 and v0.11.0 name in its place (kubernetes-sigs/jobset, issues 1113 and 1216).
# Trainer 2.2.1 says the released one itself (kubeflow/trainer, pull request 3452).
_STAGED = "us-central1-docker.pkg.dev/k8s-staging-images/jobset/jobset"

OPERATOR = Operator(
    "trainer",
    (
        # JobSet comes along
        Release("2.0.0", own_images=(_MANAGER, JOBSET_IMAGE), tags={_MANAGER: "v2.0.0", JOBSET_IMAGE: ""}),
        Release("2.0.1", tags={_MANAGER: "v2.0.1", JOBSET_IMAGE: ""}),
        Release(
            "2.1.0",
            own_images=(_MANAGER, JOBSET_IMAGE, _STAGED),
            tags={_MANAGER: "v2.1.0", _STAGED: "v0.10.1"},
            fields={
                OF_RUNTIMES: (
                    ("podGroupPolicy", "volcano"),
                    ("replicatedJobs", "groupName"),
                    ("rules", "onJobFailureMessagePatterns"),
                )
            },
        ),
        Release(
            "2.2.0",
            tags={_MANAGER: "v2.2.0", _STAGED: "v0.11.0"},
            fields={
                JOBS: (("spec", "runtimePatches"), ("spec", "activeDeadlineSeconds")),
                OF_RUNTIMES: (
                    ("spec", "volumeClaimPolicies"),
                    ("mlPolicy", "jax"),
                    ("mlPolicy", "xgboost"),
                    ("mlPolicy", "flux"),
                ),
            },
        ),
        Release("2.2.1", tags={_MANAGER: "v2.2.1", JOBSET_IMAGE: ""}),
        Release(
            "2.3.0",
            own_images=(_MANAGER, JOBSET_IMAGE),
            tags={_MANAGER: "v2.3.0", JOBSET_IMAGE: "v0.12.0"},
            fields={
                JOBS: (("spec", "terminationGracePeriodSeconds"),),
                OF_RUNTIMES: (("torch", "envInjection"),),
            },
        ),
    ),
    manifests=Manifests(
        "github.com/kubeflow/trainer",
        "manifests/overlays/manager",
        namespace="kubeflow-system",
        deployment="kubeflow-trainer-controller-manager",
        container="manager",
        words="args",
    ),
)
# (apiVersion, kind) that it served before its first release → who did: pkg/apis/kubeflow.org/v2alpha1 and pkg/apis/
# trainer/v2alpha1 of its main branch.
FORMER = {
    (f"{group}/v2alpha1", kind): "Trainer before its first release, 2.0,"
    for group in ("kubeflow.org", "trainer.kubeflow.org")
    for kind in ("TrainJob", *RUNTIMES)
}
# The release whose behaviour was recorded, and whose runtimes are known (``shipped``).
RECORDED = "2.3.0"

# Group of kinds → field that later releases no longer have → the release to judge it by, and the field that says the
# same in the next one. The same of words, such as ``auto``, in place of the number ``numProcPerNode`` of a TrainJob.
BEFORE_PATCHES = "2.1.0"
GONE: dict[str, dict[tuple[str | int, ...], tuple[str, str]]] = {
    JOBS: {
        ("spec", "podSpecOverrides"): ("2.0.1", "podTemplateOverrides"),
        ("spec", "podTemplateOverrides"): (BEFORE_PATCHES, "runtimePatches"),
        ("spec", "labels"): (BEFORE_PATCHES, "runtimePatches"),
        ("spec", "annotations"): (BEFORE_PATCHES, "runtimePatches"),
        ("spec", "trainer", "numProcPerNode"): (BEFORE_PATCHES, ""),
    },
    OF_RUNTIMES: {
        ("spec", "mlPolicy", "torch", "numProcPerNode"): (BEFORE_PATCHES, ""),
        ("spec", "mlPolicy", "torch", "elasticPolicy"): (BEFORE_PATCHES, ""),
    },
}

# What a patch of the TrainJob may set of a pod, and of a container of the runtime → the release that brought it.
POD_FIELDS = {
    "serviceAccountName": (2, 0),
    "nodeSelector": (2, 0),
    "tolerations": (2, 0),
    "volumes": (2, 0),
    "affinity": (2, 1),
    "imagePullSecrets": (2, 1),
    "securityContext": (2, 2),
    "terminationGracePeriodSeconds": (2, 3),
}
CONTAINER_FIELDS = {"volumeMounts": (2, 0), "securityContext": (2, 2)}
# What a release does and those before did not, by the numbers of the first that does.
# Patches of pods (``podTemplateOverrides``) may change their metadata.
POD_METADATA = (2, 1)
# Patches are ``runtimePatches``, and what ``GONE`` names is gone.
PATCHES = OPERATOR.since(("spec", "runtimePatches"), JOBS)
# A TrainJob has ``activeDeadlineSeconds``.
DEADLINE = OPERATOR.since(("spec", "activeDeadlineSeconds"), JOBS)
# A runtime has claims of its own for each TrainJob (``volumeClaimPolicies``).
CLAIMS = OPERATOR.since(("spec", "volumeClaimPolicies"), OF_RUNTIMES)
# A runtime may name Volcano for its gangs.
VOLCANO = OPERATOR.since(("podGroupPolicy", "volcano"), OF_RUNTIMES)
# The last that makes the JobSet of a failed TrainJob anew once it is deleted (kubeflow/trainer#3779, mended after it).
FORGETS_FAILURE = (2, 3, 0)
# The snapshot of the runtime, and resources merged over the runtime's, came together.
SNAPSHOT = MERGED = (2, 3)

# Refused in `trainer.env` by the webhook: what torchrun is told, and what mpirun is (facts/operators.md, 8.3).
# Where pods of all policies but MPI meet (v2.3.0, pkg/constants/constants.go).
PORT = 29500
INJECTED = frozenset(
    (
        "PET_MASTER_ADDR",
        "PET_MASTER_PORT",
        "PET_NNODES",
        "PET_NODE_RANK",
        "PET_NPROC_PER_NODE",
        "OMPI_MCA_orte_default_hostfile",
        "OMPI_MCA_orte_keep_fqdn_hostnames",
        "OMPI_MCA_orte_set_default_slots",
        "OMPI_MCA_plm_rsh_args",
    )
)
