"""Nodes that are alike: devices, taints, labels that name a kind of node, and about the same CPU, memory and disk.

Equal machines differ by a little memory, and one of them may have lost a device: what a group offers is what the least
of its nodes does of CPU, memory and disk, and what most have of devices.
"""

from __future__ import annotations

from specgen.capture.devices import amounts
from specgen.capture.objects import labels, name, spec, text
from specgen.manifest.views import mapping, sequence
from specgen.quantity import NANO, milli, nano

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias

    from specgen.capture.objects import Object, Objects

    # key, value, effect
    Taint: TypeAlias = tuple[str, str | None, str]

# Labels that name a kind of node, in the order in which pods should select by them (kubernetes.io, "Well-Known Labels";
# NVIDIA/gpu-feature-discovery; the documentation of the clouds).
KINDS_OF_NODES = (
    "nvidia.com/gpu.product",
    "amd.com/gpu.product-name",
    "node.kubernetes.io/instance-type",
    "cloud.google.com/gke-nodepool",
    "cloud.google.com/gke-accelerator",
    "eks.amazonaws.com/nodegroup",
    "karpenter.sh/nodepool",
    "kubernetes.azure.com/agentpool",
    "accelerator",
)
# Labels by which people select besides: how nodes are paid for, and where they are (the same; the documentation of EKS,
# GKE, AKS and Karpenter).
_SELECTED = (
    *KINDS_OF_NODES,
    "eks.amazonaws.com/capacityType",
    "karpenter.sh/capacity-type",
    "cloud.google.com/gke-spot",
    "cloud.google.com/gke-provisioning",
    "cloud.google.com/machine-family",
    "kubernetes.azure.com/scalesetpriority",
    "nvidia.com/gpu.family",
    "nvidia.com/mig.config",
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
)
# Values of one label that a profile lists.
_MOST_VALUES = 16
# Last parts of labels that people give kinds of nodes.
_KIND_ENDS = ("pool", "node-pool", "nodepool", "node-type", "nodegroup", "node-group", "gpu-type", "accelerator-type")
# Taints that say how a node is now, not what it is for (kubernetes.io, "Taints and Tolerations"; the cluster
# autoscaler; Karpenter).
_PASSING = (
    *("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/", "karpenter.sh/", "node.cilium.io/"),
    *("ToBeDeletedByClusterAutoscaler", "DeletionCandidateOfClusterAutoscaler"),
)
_CONTROL_PLANES = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
# Nodes of which the larger has up to so many hundredths of the smaller one's are alike.
_ALIKE = 110


class Node:
    """What matters of a node. CPU in thousandths, memory and disk in bytes; 0 where the node does not say."""

    __slots__ = (
        "away",
        "claimed",
        "counted",
        "cpu",
        "devices",
        "disk",
        "labels",
        "lost",
        "memory",
        "taints",
        "version",
    )

    def __init__(self, tree: Object, claimed: dict[str, int]) -> None:
        # driver → devices that pods get by claims (dynamic resource allocation), not as resources
        self.claimed = dict(sorted(claimed.items()))
        status = mapping(tree.get("status"))
        offered = mapping(status.get("allocatable"))
        self.labels = labels(tree)
        self.taints: tuple[Taint, ...] = tuple(sorted(_taints(tree), key=str))
        # what it was built with, though a device may be lost now
        whole, left = amounts(mapping(status.get("capacity"))), amounts(offered)
        self.devices = {key: max(whole.get(key, 0), left.get(key, 0)) for key in sorted({*whole, *left})}
        self.lost = {key: count - left.get(key, 0) for key, count in self.devices.items() if left.get(key, 0) < count}
        self.cpu = max(milli(offered.get("cpu")) or 0, 0)
        self.memory = _bytes(offered.get("memory"))
        self.disk = _bytes(offered.get("ephemeral-storage"))
        # pods, and bytes of huge pages by their resource, as far as it has any
        self.counted = {key: size for key in sorted(offered) if _is_counted(key) and (size := _bytes(offered[key]))}
        # why no new pod comes to it now
        self.away = "cordoned" if spec(tree).get("unschedulable") is True else "" if _ready(status) else "not ready"
        self.version = text(mapping(status.get("nodeInfo")).get("kubeletVersion"))

    @property
    def is_control_plane(self) -> bool:
        """Whether it is for the control plane alone."""
        return any(key in _CONTROL_PLANES for key, _, _ in self.taints)


class Group:
    """Nodes that are alike, the labels by which all of them are selected, and no others, and what they have besides."""

    __slots__ = ("further", "labels", "nodes")

    def __init__(self, nodes: list[Node]) -> None:
        self.nodes = nodes
        self.labels: dict[str, str] | None = {}
        self.further: dict[str, str | list[str]] = {}

    @property
    def devices(self) -> dict[str, int]:
        """Devices of one node that are resources."""
        return self.nodes[0].devices

    @property
    def claimed(self) -> dict[str, int]:
        """Driver → devices of one node that pods get by claims."""
        return self.nodes[0].claimed

    def common(self) -> dict[str, str]:
        """Labels that all of its nodes have with one value."""
        first, others = self.nodes[0].labels, self.nodes[1:]
        return {key: value for key, value in first.items() if all(one.labels.get(key) == value for one in others)}

    def least(self, amount: Callable[[Node], int]) -> int:
        """What every node of it has of something."""
        return min(amount(node) for node in self.nodes)


def _is_counted(key: object) -> bool:
    return isinstance(key, str) and (key == "pods" or key.startswith("hugepages-"))


def _bytes(amount: Any) -> int:
    value = nano(amount)
    return max(value // NANO, 0) if value is not None else 0


def _ready(status: dict[str, Any]) -> bool:
    """Whether a node is ready; one that says nothing of it counts as such."""
    said = [mapping(one) for one in sequence(status.get("conditions"))]
    return all(one.get("status") == "True" for one in said if one.get("type") == "Ready")


def _taints(tree: Object) -> Iterable[Taint]:
    for one in map(mapping, sequence(spec(tree).get("taints"))):
        key, value, effect = text(one.get("key")), text(one.get("value")), text(one.get("effect"))
        if key and effect in _EFFECTS and not key.startswith(_PASSING):
            yield key, value or None, effect


def own_nodes(objects: Objects) -> list[Node]:
    """The nodes that take pods of jobs, in the order of their names: all but those of the control plane."""
    slices = _slices(objects)
    nodes = [Node(tree, slices.get(name(tree), {})) for tree in objects.of("", "Node")]
    workers = [node for node in nodes if not node.is_control_plane]
    # a cluster of one machine runs everything there
    return workers or nodes


def _slices(objects: Objects) -> dict[str, dict[str, int]]:
    """Node → driver → how many devices its ResourceSlices list (Kubernetes 1.34, resource.k8s.io/v1)."""
    found: dict[str, dict[str, int]] = {}
    for one in map(spec, objects.of("resource.k8s.io", "ResourceSlice")):
        node, driver = text(one.get("nodeName")), text(one.get("driver"))
        count = len(sequence(one.get("devices")))
        if node and driver and count:
            drivers = found.setdefault(node, {})
            drivers[driver] = drivers.get(driver, 0) + count
    return found


def groups(nodes: list[Node], selecting: Iterable[str]) -> list[Group]:
    """Nodes that are alike; those with devices first, then the largest. ``selecting``: labels that tell them apart."""
    keys = sorted({*KINDS_OF_NODES, *selecting, *(key for node in nodes for key in node.labels if _is_kind(key))})
    alike: dict[tuple[object, ...], list[Node]] = {}
    for node in nodes:
        said = tuple((key, node.labels[key]) for key in keys if key in node.labels)
        offered = tuple(node.devices.items()), tuple(node.claimed.items()), tuple(node.counted)
        alike.setdefault((offered, node.taints, said), []).append(node)
    found: list[list[Node]] = list(alike.values())
    for amount in (_cpu, _memory, _disk):
        found = [part for one in found for part in _parted(one, amount)]
    found.sort(
        key=lambda one: (
            not (one[0].devices or one[0].claimed),
            -len(one),
            str(sorted(one[0].labels.items())),
            one[0].cpu,
        )
    )
    every = [Group(one) for one in found]
    if len(every) > 1:
        order = [*KINDS_OF_NODES, *[key for key in keys if key not in KINDS_OF_NODES]]
        for group in every:
            group.labels = _marks(group, every, order)
    for group in every:
        # what a flavor selects its nodes by is a label of theirs, also where it tells them from no others
        common = group.common() if group.labels is not None else {}
        own = {key: common[key] for key in sorted(set(selecting)) if key in common and _is_said(key, common[key])}
        if group.labels is not None:
            group.labels = {**group.labels, **own}
    # what is said of some nodes is said of all, or pods that select by it would find none of the others
    asked = {*_SELECTED, *keys, *(key for group in every for key in group.labels or ())}
    for group in every:
        for key in sorted(asked.difference(group.labels or ())):
            values = sorted({node.labels[key] for node in group.nodes if _is_selectable(key, node.labels.get(key, ""))})
            if values and len(values) <= _MOST_VALUES:
                group.further[key] = values[0] if group.common().get(key) == values[0] else values
    return every


def _cpu(node: Node) -> int:
    return node.cpu


def _memory(node: Node) -> int:
    return node.memory


def _disk(node: Node) -> int:
    return node.disk


def _is_kind(label: str) -> bool:
    return label.rpartition("/")[2].lower() in _KIND_ENDS


def _parted(nodes: list[Node], amount: Callable[[Node], int]) -> list[list[Node]]:
    """Nodes in groups of about the same amount."""
    found: list[list[Node]] = []
    for node in sorted(nodes, key=amount):
        if found and amount(node) * 100 <= amount(found[-1][0]) * _ALIKE:
            found[-1].append(node)
        else:
            found.append([node])
    return found


def _is_said(key: str, value: str) -> bool:
    """Whether a profile may say a label of a pool."""
    from specgen.schema.formats import label_key, label_value

    return label_key(key) and label_value(value) and len(value) <= 63 and not is_place(key)


def _is_selectable(key: str, value: str) -> bool:
    """Whether a profile may say a label of nodes, also one of their place."""
    from specgen.schema.formats import label_key, label_value

    return bool(value) and label_key(key) and label_value(value) and len(value) <= 63


def _marks(group: Group, every: list[Group], order: list[str]) -> dict[str, str] | None:
    """One label, or else two, that all nodes of a group have and no others; None: there are none."""
    others = [node.labels for one in every if one is not group for node in one.nodes]
    common = {key: value for key, value in group.common().items() if _is_said(key, value)}
    known = [key for key in order if key in common]
    known += [key for key in common if key not in known]
    for key in known:
        if all(one.get(key) != common[key] for one in others):
            return {key: common[key]}
    for index, first in enumerate(known):
        for second in known[index + 1 :]:
            if all(one.get(first) != common[first] or one.get(second) != common[second] for one in others):
                return {first: common[first], second: common[second]}
    return None


def is_place(label: str) -> bool:
    """Whether a label says where a node is, or which one, not what it is."""
    last = label.rpartition("/")[2].lower()
    if label.startswith(("topology.", "failure-domain.", "feature.node.kubernetes.io/", "nvidia.com/cuda")):
        return True
    return any(part in last for part in ("hostname", "rack", "zone", "region", "block", "switch", "clique", "uuid"))
