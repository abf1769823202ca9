"""The ms-operator (mindspore-ai/ms-operator): its only release, and what it calls things.

Read from v1.0.0 (e361e2b): pkg/apis/v1/{msjob_types,defaults}.go, config/crd; held against its recorded jobs. It stands
on kubeflow/common, as the training operator does, so that much of what it makes is the same. Manifests: config/default,
config/manager, deploy/v1/ms-operator.yaml; flags: cmd/manager/main.go. It puts no container into pods.
"""

from __future__ import annotations

from specgen.manifest.views import Terms
from specgen.operators.release import Manifests, Operator, Release
from specgen.operators.training.facts import Framework

_PROXY, _SWR = "gcr.io/kubebuilder/kube-rbac-proxy", "swr.cn-south-1.myhuaweicloud.com/mindspore/ms-operator"

OPERATOR = Operator(
    "ms-operator",
    (
        Release(
            "1.0.0",
            unique=("ports", "topologySpreadConstraints"),
            # the proxy for metrics stands in the same pod; the operator's image is called either way
            own_images=(_PROXY, "mindspore/ms-operator", _SWR),
            # config/manager/kustomization.yaml: no other tag is named anywhere
            tags={_PROXY: "v0.8.0", _SWR: "latest"},
            # what was read is not a tag's, and a tag can move
            ref="e361e2b943940d4f53a38eb23a4cc248d758bcbf",
        ),
    ),
    manifests=Manifests(
        "github.com/mindspore-ai/ms-operator",
        "config/default",
        namespace="ms-operator-system",
        deployment="ms-operator-controller-manager",
        container="manager",
        words="args",
        index=1,
    ),
)
# The pods of its CRD are those of this version of Kubernetes.
PODS_OF = (1, 23)

PORT = ("msjob-port", 2222)
# How many Workers there are: pods, whatever devices and processes each has (pkg/controllers/v1/utils.go; recorded).
COUNT = "MS_WORKER_NUM"
FRAMEWORK = Framework(
    "MSJob",
    Terms(
        "msReplicaSpecs",
        ("Scheduler", "PS", "Worker"),
        strict=False,
        port=PORT,
        hosts=("Scheduler",),
        letter_first=False,
    ),
    container="mindspore",
    controller="msjob-controller",
    # in the containers of its name, where there is a Scheduler
    injected=frozenset(("MS_SCHED_HOST", "MS_NODE_ID", "MS_SCHED_PORT", "MS_SERVER_NUM", "MS_WORKER_NUM", "MS_ROLE")),
)
