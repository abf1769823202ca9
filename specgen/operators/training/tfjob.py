"""TFJob, ``kubeflow.org/v1``: what the training operator (kubeflow/trainer, branch release-1.9) takes.

Read from v1.9.4 (4445c12): pkg/apis/kubeflow.org/v1/tensorflow_types.go, pkg/webhooks/tensorflow/
tfjob_webhook.go, pkg/controller.v1/tensorflow/{tensorflow,tfjob_controller}.go; held against its recorded jobs.
What the operator creates is in ``tf_pods``.
"""

from __future__ import annotations

from specgen.manifest.views import Terms
from specgen.operators.reader import Reader
from specgen.operators.training.facts import MANAGERS, OPERATOR, Framework
from specgen.operators.training.life import life
from specgen.operators.training.refusals import refusals
from specgen.operators.training.roles import counted, sent
from specgen.operators.training.roles import workload as workload_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.manifest.model import Manifest
    from specgen.manifest.views import Workload
    from specgen.operators.expansion import Expansion

FRAMEWORK = Framework(
    "TFJob",
    Terms(
        "tfReplicaSpecs",
        ("Chief", "Master", "Worker", "PS", "Evaluator"),
        strict=False,
        # TensorFlow 2.16, tensorflow/python/distribute/multi_worker_util.py (validate_cluster_spec); a Master is the
        # chief of its estimators (RunConfig)
        lone=("Chief", "Master", "Evaluator"),
        managers=MANAGERS,
        port=("tfjob-port", 2222),
        hooked=True,
    ),
    container="tensorflow",
    controller="tfjob-controller",
    # in the first container of its name
    injected=frozenset(("TF_CONFIG",)),
)


def read(manifest: Manifest, version: str | None = None) -> Workload:
    """The job as the operator sees it, with roles that it does not know. Never raises."""
    return workload_of(FRAMEWORK, manifest, version)


def expand(workload: Workload) -> Expansion:
    """What the operator creates (``tf_pods``)."""
    # loaded here: neither building nor linting asks for it
    from specgen.operators.training.tf_pods import expand as objects

    return objects(workload, FRAMEWORK)


READER = Reader(
    "kubeflow.org/v1",
    "TFJob",
    schema="tfjob_v1",
    operator=OPERATOR,
    read=read,
    expand=expand,
    life=life(FRAMEWORK),
    refusals=refusals,
    sent=sent,
    counted=counted,
    insists=True,
)
