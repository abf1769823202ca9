"""The ms-operator (mindspore-ai/ms-operator): its only release, and what it calls things.

Read from v1.0.0 (e361e2b): pkg/apis/v1/{msjob_types,defaults}.go, config/crd; held against its recorded jobs. It stands
on kubeflow/common, as the training operator does, so that much of what it makes is the same.
"""

from __future__ import annotations

from specgen.manifest.views import Terms
from specgen.operators.release import Operator, Release
from specgen.operators.training.facts import Framework

# The CRD is of the age of Kubernetes 1.23.
OPERATOR = Operator("ms-operator", (Release("1.0.0", unique=("ports", "topologySpreadConstraints")),))

PORT = ("msjob-port", 2222)
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
    restart="Never",
    # in the containers of its name, where there is a Scheduler
    injected=frozenset(("MS_SCHED_HOST", "MS_NODE_ID", "MS_SCHED_PORT", "MS_SERVER_NUM", "MS_WORKER_NUM", "MS_ROLE")),
)
