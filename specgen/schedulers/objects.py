"""Real objects, as ``kubectl get -o json`` prints them, as a world: nodes that are alike become one group."""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.quantity import nano
from specgen.schedulers.world import HOSTNAME, Named, Nodes, Objects, World, taints_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

# What a node's group is called by, the first of these labels that it has.
_POOLS = (
    "node.kubernetes.io/instance-type",
    "cloud.google.com/gke-nodepool",
    "eks.amazonaws.com/nodegroup",
    "kubernetes.azure.com/agentpool",
)


def amounts(tree: Any) -> dict[str, int]:
    """Resource → billionths."""
    return {str(name): nano(amount) or 0 for name, amount in mapping(tree).items()}


def opened(trees: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Objects, those of a List one by one."""
    for tree in trees:
        if isinstance(tree, dict):
            if str(tree.get("kind")).endswith("List") and isinstance(tree.get("items"), list):
                kind = str(tree["kind"]).removesuffix("List")
                for item in opened(tree["items"]):
                    yield item if item.get("kind") or not kind else {**item, "kind": kind}
            else:
                yield tree


def world_of(trees: Iterable[Any]) -> World:
    """The world of objects of any kinds. Pods that have ended are left out."""
    nodes: dict[str, tuple[dict[str, Any], list[str]]] = {}
    pods: list[dict[str, Any]] = []
    others: list[dict[str, Any]] = []
    for tree in opened(trees):
        if tree.get("kind") == "Node":
            name = mapping(tree.get("metadata")).get("name")
            if not isinstance(name, str) or not name:
                continue  # of no server
            nodes.setdefault(_alike(tree), (tree, []))[1].append(name)
        elif tree.get("kind") == "Pod":
            if mapping(tree.get("status")).get("phase") not in ("Succeeded", "Failed"):
                pods.append(tree)
        else:
            others.append(tree)
    return World([_group(tree, names) for tree, names in nodes.values()], pods, Objects(others))


def _alike(tree: dict[str, Any]) -> str:
    from json import dumps

    spec, metadata, status = mapping(tree.get("spec")), mapping(tree.get("metadata")), mapping(tree.get("status"))
    labels = {key: value for key, value in mapping(metadata.get("labels")).items() if key != HOSTNAME}
    own = mapping(metadata.get("labels")).get(HOSTNAME, metadata.get("name")) == metadata.get("name")
    seen = [labels, spec.get("taints"), spec.get("unschedulable"), status.get("allocatable")]
    return dumps([*seen, None if own else metadata.get("name")], sort_keys=True, default=str)


def _group(tree: dict[str, Any], names: list[str]) -> Nodes:
    spec, metadata, status = mapping(tree.get("spec")), mapping(tree.get("metadata")), mapping(tree.get("status"))
    labels = {str(key): str(value) for key, value in mapping(metadata.get("labels")).items()}
    names = sorted(names)
    if labels.get(HOSTNAME) in names:
        del labels[HOSTNAME]
    given = mapping(status.get("allocatable") or status.get("capacity"))
    called = next((labels[key] for key in _POOLS if key in labels), "")
    made = Nodes(
        called or (names[0] if len(names) == 1 else f"{names[0]}…{names[-1]}"),
        Named(names),
        amounts(given),
        labels=labels,
        taints=taints_of(spec.get("taints")),
        unschedulable=spec.get("unschedulable") is True,
        conditions={
            str(mapping(one).get("type")): str(mapping(one).get("status")) for one in sequence(status.get("conditions"))
        },
    )
    made.unreadable = [str(name) for name, amount in given.items() if (nano(amount) or 0) < 0 or nano(amount) is None]
    return made
