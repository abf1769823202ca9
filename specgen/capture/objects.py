"""Objects of a cluster as ``kubectl get -o json`` prints them: one List, several texts behind each other, single ones.

Nothing here trusts an object: what has another shape than it should counts as absent.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.schema import formats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TypeAlias

    Object: TypeAlias = dict[str, Any]

# The kinds that are looked at, by (group, kind): all else that is handed in is dropped unread.
KINDS = frozenset(
    (
        ("", "LimitRange"),
        ("", "Namespace"),
        ("", "Node"),
        ("", "PersistentVolumeClaim"),
        ("", "ResourceQuota"),
        ("apiextensions.k8s.io", "CustomResourceDefinition"),
        ("apps", "Deployment"),
        ("k8s.cni.cncf.io", "NetworkAttachmentDefinition"),
        ("kueue.x-k8s.io", "ClusterQueue"),
        ("kueue.x-k8s.io", "Cohort"),
        ("kueue.x-k8s.io", "LocalQueue"),
        ("kueue.x-k8s.io", "ResourceFlavor"),
        ("kueue.x-k8s.io", "Topology"),
        ("kueue.x-k8s.io", "WorkloadPriorityClass"),
        ("resource.k8s.io", "ResourceClaimTemplate"),
        ("resource.k8s.io", "ResourceSlice"),
        ("scheduling.k8s.io", "PriorityClass"),
        ("scheduling.run.ai", "Queue"),
        ("scheduling.volcano.sh", "Queue"),
        ("storage.k8s.io", "StorageClass"),
        ("topology.volcano.sh", "HyperNode"),
        ("trainer.kubeflow.org", "ClusterTrainingRuntime"),
        ("trainer.kubeflow.org", "TrainingRuntime"),
    )
)

# The largest count that a profile takes.
MOST = 1_000_000
# and the most bytes: what all of its spellings of an amount hold, in any unit
MOST_BYTES = 1 << 59
# Of all of them, a name is a DNS name of so many characters at most.
_LONGEST = 253


class Objects:
    """The objects of a cluster by group and kind, sorted by namespace and name; each once."""

    __slots__ = ("_by_kind",)

    def __init__(self, objects: Iterable[Any] = ()) -> None:
        self._by_kind: dict[tuple[str, str], dict[tuple[str, str], Object]] = {}
        self.take(objects)

    def take(self, objects: Iterable[Any]) -> None:
        """Takes objects, and the items of lists of them; of two of one name the last."""
        waiting = list(objects)
        while waiting:
            tree = waiting.pop()
            if not isinstance(tree, dict):
                continue
            kind, version = text(tree.get("kind")), text(tree.get("apiVersion"))
            if kind.endswith("List"):
                # items of a typed list, as the API server answers, say neither
                said = {"apiVersion": version, "kind": kind.removesuffix("List")}
                items = [one for one in sequence(tree.get("items")) if isinstance(one, dict)]
                waiting += [one if "kind" in one else {**said, **one} for one in items]
                continue
            key = (version.rpartition("/")[0], kind)
            if key in KINDS and formats.subdomain(name(tree)) and len(name(tree)) <= _LONGEST:
                self._by_kind.setdefault(key, {})[namespace(tree), name(tree)] = tree

    def of(self, group: str, kind: str) -> list[Object]:
        """All objects of a kind, in order."""
        return [tree for _, tree in sorted(self._by_kind.get((group, kind), {}).items(), key=lambda one: one[0])]

    def definition(self, name: str) -> bool:
        """Whether there is a CustomResourceDefinition of that name."""
        return ("", name) in self._by_kind.get(("apiextensions.k8s.io", "CustomResourceDefinition"), {})


def text(value: Any) -> str:
    """The value if it is text, else an empty one."""
    return value if isinstance(value, str) else ""


def texts(value: Any) -> dict[str, str]:
    """The entries of a mapping whose values are texts, in the order of their keys."""
    found = mapping(value)
    return {
        key: found[key]
        for key in sorted(key for key in found if isinstance(key, str))
        if text(found[key]) or found[key] == ""
    }


def name(tree: Object) -> str:
    """The name of an object."""
    return text(mapping(tree.get("metadata")).get("name"))


def namespace(tree: Object) -> str:
    """Its namespace, empty where it has none."""
    return text(mapping(tree.get("metadata")).get("namespace"))


def labels(tree: Object) -> dict[str, str]:
    """Its labels."""
    return texts(mapping(tree.get("metadata")).get("labels"))


def annotation(tree: Object, key: str) -> str:
    """One annotation; the others are never looked at."""
    return text(mapping(mapping(tree.get("metadata")).get("annotations")).get(key))


def spec(tree: Object) -> dict[str, Any]:
    """Its spec."""
    return mapping(tree.get("spec"))
