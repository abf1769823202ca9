"""What an update does to a job that is there: what is taken, who refuses the rest, and which pods it reaches.

A folder of an operator says it in ``updates``: ``effect(change, update)``. What any job shares stands here: the labels
of Kueue. All of it is of a job that has not ended, since nothing runs one again that has; and of an update in one step,
as ``kubectl apply`` and GitOps controllers make it, which is refused as a whole where one change of it is.
"""

from __future__ import annotations

from specgen.manifest.views import mapping
from specgen.operators.changes import Change, changes
from specgen.operators.compared import ABSENT
from specgen.operators.kubernetes.objects import SERVER
from specgen.operators.queues import KUEUE, KUEUE_PRIORITY, KUEUE_QUEUE
from specgen.quantity import nano

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from specgen.manifest.views import Workload
    from specgen.operators.reader import Reader

# The object is not updated: it has to be deleted and created again.
REFUSED = "refused"
# Pods that run are deleted.
RESTARTS = "restarts"
# The job that runs has it, and no pod of it restarts.
IN_PLACE = "in place"
# Pods that exist stay as they are; what is created in their place has it.
LATER = "later"
# No pod of this job ever has it: it has to be deleted and created again.
NEVER = "never"
# No job that runs is changed: the changed one has another name.
ANEW = "anew"
# It says nothing to pods.
ASIDE = "aside"
# Nobody has read what becomes of it.
UNKNOWN = "unknown"

# What fewer replicas do.
FEWER = "the last pods are deleted, the others run on"

# How somebody has all of a change that is not taken.
REMEDY = (
    "delete the job and create it (`kubectl replace --force`), or give it a new name, as `metadata.suffix: hash` "
    "in its profile does by itself"
)

# The worst comes first: what an update as a whole is.
EFFECTS = (REFUSED, RESTARTS, NEVER, LATER, UNKNOWN, IN_PLACE, ANEW, ASIDE)

# What each is called where it is told of a change.
WORDS = {
    REFUSED: "refused",
    RESTARTS: "restarts the job",
    IN_PLACE: "in place",
    LATER: "reaches no pod that exists",
    NEVER: "reaches no pod of this job",
    ANEW: "in the new job",
    ASIDE: "says nothing to pods",
    UNKNOWN: "not known",
}

# Kinds whose operators put Kueue's hold on a job at ``spec.suspend``; elsewhere it stands in ``runPolicy``.
_IN_SPEC = ("JobSet", "TrainJob")
# Kinds that Kueue does not know, and those whose pods it compares with what it admitted: that other replicas stop a
# PyTorchJob was recorded (``suspend-replicas-changed-running``), and its reconciler is one for all kinds. Of JobSets
# and TrainJobs the number of pods is refused in any case.
_UNQUEUED = ("MSJob", "Job")
_COUNTED = ("PyTorchJob", "TFJob", "XGBoostJob", "PaddleJob", "JAXJob", "MPIJob")
# Where a pod lists its containers, which Kueue compares with those that it admitted.
_PODS = ("containers", "initContainers")
_WEBHOOK = "the webhook of Kueue"


class Effect:
    """What a change does, and why (a clause, lower case, no full stop); ``by``: who refuses it, empty elsewhere."""

    __slots__ = ("by", "how", "why")

    def __init__(self, how: str, why: str, by: str = "") -> None:
        self.how = how
        self.why = why
        self.by = by


class Update:
    """A job before and after, as the operator's release sees it that has it now.

    ``held``: it is suspended, before or after, so that no pod of it runs in one of the two.
    """

    __slots__ = ("held", "new", "old", "queued", "reader")

    def __init__(self, reader: Reader, old: Workload, new: Workload) -> None:
        self.reader = reader
        self.old = old
        self.new = new
        self.held = suspended(reader, old.manifest.tree) or suspended(reader, new.manifest.tree)
        labels = mapping(mapping(old.manifest.tree.get("metadata")).get("labels"))
        known = reader.kind not in _UNQUEUED and (reader.api_version, reader.kind) != ("kubeflow.org/v1", "MPIJob")
        self.queued = bool(labels.get(KUEUE_QUEUE)) and known

    @property
    def version(self) -> str:
        """Of the operator."""
        return self.new.version


if TYPE_CHECKING:

    class Facts(Protocol):
        """The module ``updates`` of an operator's folder."""

        def effect(self, change: Change, update: Update) -> Effect:
            """What a change of a job's spec does."""
            ...


def of_companion(change: Change, kind: str, old: dict[str, Any]) -> Effect:
    """What a change of an object beside jobs does to those that use it; the tree is the old one.

    Kubernetes 1.36: "Mounted ConfigMaps are updated automatically" (docs/concepts/configuration/configmap, and the same
    of Secrets), pkg/apis/core/validation: ValidateConfigMapUpdate, ValidateSecretUpdate and
    ValidatePersistentVolumeClaimUpdate.
    """
    if change.path[0] == "metadata":
        return Effect(ASIDE, "")
    if kind in ("ConfigMap", "Secret"):
        if old.get("immutable") is True:
            return Effect(REFUSED, "it says `immutable: true`", SERVER)
        return Effect(
            IN_PLACE, "pods that mount it see it within minutes; those that have it by `subPath` or in variables do not"
        )
    if kind == "PersistentVolumeClaim" and change.path[0] == "spec":
        if change.path[1:3] == ("resources", "requests"):
            old_size, new_size = nano(change.old), nano(change.new)
            if old_size is not None and new_size is not None and new_size < old_size:
                return Effect(REFUSED, "Kubernetes shrinks no claim", SERVER)
            return Effect(IN_PLACE, "a claim grows where its storage class lets it")
        return Effect(REFUSED, "the spec of a claim is immutable but for its size", SERVER)
    return Effect(UNKNOWN, "")


def suspended(reader: Reader, tree: dict[str, Any]) -> bool:
    """Whether a job says that it is suspended."""
    spec = mapping(tree.get("spec"))
    return (spec if reader.kind in _IN_SPEC else mapping(spec.get("runPolicy"))).get("suspend") is True


def effects(update: Update) -> list[tuple[Change, Effect]]:
    """Every change with what it does, in the order of the new tree."""
    facts = _facts(update.reader)
    found = []
    for change in changes(update.old.manifest.tree, update.new.manifest.tree):
        effect = _kueue(change, update)
        if effect is None and change.path[0] == "metadata":
            effect = Effect(ASIDE, "pods have the labels and annotations of their template")
        if effect is None:
            known = change.path[0] == "spec" and len(change.path) > 1
            effect = facts.effect(change, update) if known else Effect(UNKNOWN, "")
        found.append((change, effect))
    return found


def _facts(reader: Reader) -> Facts:
    from specgen.modules import import_module
    from specgen.operators.index import KINDS

    folder = KINDS[reader.api_version, reader.kind].partition(".")[0]
    found: Facts = import_module(f"specgen.operators.{folder}.updates")
    return found


def _kueue(change: Change, update: Update) -> Effect | None:
    """What Kueue does about it: its labels, and the size of a job that it has admitted. None: nothing.

    Recorded with Kueue 0.19.2: ``suspend-label-*``, ``suspend-true-without-label``, ``refuse-changes-while-running``,
    ``suspend-replicas-changed-running``.
    """
    if update.reader.kind in _UNQUEUED:
        return None
    if change.path == ("metadata", "labels", KUEUE_QUEUE):
        if update.held:
            return Effect(IN_PLACE, "Kueue takes another queue for a job that is suspended")
        return Effect(REFUSED, "`kueue.x-k8s.io/queue-name` cannot change while the job is not suspended", _WEBHOOK)
    if change.path == ("metadata", "labels", KUEUE_PRIORITY) and update.queued:
        if change.new is ABSENT:
            return Effect(REFUSED, f"`{KUEUE_PRIORITY}` cannot be taken away", _WEBHOOK)
        return Effect(IN_PLACE, "Kueue orders its queue by it")
    if change.path[:2] == ("metadata", "annotations") and str(change.path[-1]) == f"{KUEUE}elastic-job":
        return Effect(REFUSED, f"`{KUEUE}elastic-job` cannot change", _WEBHOOK)
    if change.path[-1] == "replicas" and update.queued and update.reader.kind in _COUNTED and not update.held:
        return Effect(RESTARTS, "Kueue stops the job, and queues it anew with its other number of pods")
    if update.queued and not update.held and update.reader.kind in _COUNTED:
        return _of_containers(change)
    return None


def _of_containers(change: Change) -> Effect | None:
    """What Kueue does about another container of a job that it has admitted; None: the change is none of a container.

    kubernetes-sigs/kueue, pkg/util/equality/podset.go, ComparePodSets: what containers ask for, and how many there are,
    is compared in all releases; image, command and variables in some of them, and left out in others.
    """
    at = next((at for at, step in enumerate(change.path) if step in _PODS), None)
    if at is None:
        return None
    below = change.path[at + 1 :]
    if "resources" in below[1:2] or (len(below) < 2 and ABSENT in (change.old, change.new)):
        return Effect(RESTARTS, "Kueue stops the job, and queues it anew with what its pods ask for now")
    return Effect(UNKNOWN, "some releases of Kueue stop a job whose containers change, and queue it anew")


def scaled(change: Change, unsaid: int = 1) -> Effect:
    """Other replicas, where pods of missing indices are created and those beyond the number deleted."""
    old, new = (unsaid if value is ABSENT else value for value in (change.old, change.new))
    less = isinstance(old, int) and isinstance(new, int) and new < old
    return Effect(IN_PLACE, FEWER if less else "pods are created")


def within(change: Change, update: Update, path: tuple[str, ...]) -> bool:
    """Whether a change lies in a value that both sides have, so that a CEL rule of it is asked."""
    if not change.below(*path):
        return False
    return all(_at(tree, path) is not None for tree in (update.old.manifest.tree, update.new.manifest.tree))


def _at(tree: Any, path: tuple[str, ...]) -> Any:
    for step in path:
        tree = mapping(tree).get(step)
    return tree
