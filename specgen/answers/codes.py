"""SG845 to SG848: what a cluster says of an object in a dry run."""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, WARNING, Code
from specgen.diagnostics.pages import page

_DRY_RUN = '`specgen apply --help`; Kubernetes, API concepts, "Dry-run" and "Field validation".'

REFUSED = Code(
    "SG845",
    "refused-by-cluster",
    ERROR,
    since="0.1",
    page=page(
        "What the API server of a cluster, or a webhook there, refuses.",
        "`specgen apply --dry-run=server` sends each object as `kubectl apply --server-side` would, with the wish that "
        "nothing is stored. The answer stands at the line that the refused field came from.",
        "The same object is refused when it is applied.",
        "- error: the cluster that was asked refused it.",
        "# a webhook of the cluster wants every job to say who pays\nmetadata: {name: train}",
        "metadata: {name: train, labels: {example.com/cost-centre: research}}",
        "What the message says. A webhook that was not reached says nothing of the object: ask again once it runs.",
        "Never; the cluster does not, either.",
        _DRY_RUN,
    ),
)

WARNED = Code(
    "SG846",
    "warned-by-cluster",
    WARNING,
    since="0.1",
    page=page(
        "What the API server of a cluster warns of.",
        "The server's answer to a dry run has `Warning` headers: fields that are deprecated, Pod Security levels that "
        "only warn, policies in their trial.",
        "The object is taken today. What is warned of may be refused after an upgrade, or by another namespace.",
        "- warning: it depends on the version of the cluster, and on its policies.",
        "scheduling: {nodeLabels: {beta.kubernetes.io/os: linux}}",
        "scheduling: {nodeLabels: {kubernetes.io/os: linux}}",
        "What the message says.",
        "Where the cluster will stay as it is.",
        'Kubernetes, API concepts, "Warnings"; `specgen apply --help`.',
    ),
)

UNSERVED = Code(
    "SG847",
    "kind-not-in-cluster",
    ERROR,
    since="0.1",
    page=page(
        "A kind that the cluster does not serve.",
        "The API server knows the kind of each object, in the version that the manifest has.",
        "Nothing can be applied: the operator of the kind is not installed, or its release serves another version.",
        "- error: the cluster that was asked has no such kind.",
        "target: MSJob   # in a cluster without MindSpore's operator",
        "target: PyTorchJob",
        "Install the operator (`specgen operators cluster.yaml`), or write a job of a kind that the cluster serves.",
        "Never; the cluster does not, either.",
        _DRY_RUN,
    ),
)

UNDECIDED = Code(
    "SG848",
    "undecided-in-dry-run",
    WARNING,
    since="0.1",
    page=page(
        "An object that a dry run cannot judge, as it needs another one that is not stored yet.",
        "A webhook looks for an object that is applied together with the one that it judges, such as the runtime of a "
        "TrainJob, or the namespace of a job. In a dry run nothing is stored, so that it is not there.",
        "Whether the cluster takes the object is open. Where both are applied at once, the first attempt may be "
        "refused in the same words.",
        "- warning: it depends on what is in the cluster by the time that both are applied.",
        "# a TrainJob whose TrainingRuntime is built with it, and is not in the cluster",
        "# the same after `kubectl apply` of the runtime",
        "Apply the object that is missing first, and ask again.",
        "Where what is missing is known to be there in time.",
        "kubeflow/trainer 2.3.0, pkg/webhooks/trainjob_webhook.go; `specgen apply --help`.",
    ),
)

ALL = (REFUSED, WARNED, UNSERVED, UNDECIDED)
