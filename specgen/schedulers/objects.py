"""Real objects, as ``kubectl get -o json`` prints them, as a world: nodes that are alike become one group."""

from __future__ import annotations

import re

from specgen.diagnostics.model import shown
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.room import named
from specgen.quantity import fault, nano
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


def faults(tree: dict[str, Any]) -> Iterator[str]:
    """Sentences about the amounts of a Node, a Pod, a ResourceQuota or a LimitRange that are none."""
    kind, spec, status = tree.get("kind"), mapping(tree.get("spec")), mapping(tree.get("status"))
    listed: list[tuple[str, Any]] = []
    if kind == "Node":
        word = "allocatable" if status.get("allocatable") else "capacity"
        listed = [(f"status.{word}", status.get(word))]
    elif kind == "Pod":
        listed = [(f"spec.{where}", amounts) for where, amounts in named(spec)]
    elif kind == "ResourceQuota":
        listed = [("spec.hard", spec.get("hard"))]
    elif kind == "LimitRange":
        listed = [
            (f"spec.limits[{at}].{word}", mapping(item).get(word))
            for at, item in enumerate(sequence(spec.get("limits")))
            for word in ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")
        ]
    for where, amounts in listed:
        for name, amount in mapping(amounts).items():
            said = fault(amount, str(name))
            if said:
                called = mapping(tree.get("metadata")).get("name")
                yield f"{kind} {called}: {where}.{name}: `{shown(amount)}` {said}"


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


def _counting(name: str) -> tuple[list[tuple[int, str]], str]:
    """What names are put in order by: numbers in them as numbers."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"([0-9]+)", name)], name


def _group(tree: dict[str, Any], names: list[str]) -> Nodes:
    spec, metadata, status = mapping(tree.get("spec")), mapping(tree.get("metadata")), mapping(tree.get("status"))
    labels = {str(key): str(value) for key, value in mapping(metadata.get("labels")).items()}
    names = sorted(names, key=_counting)
    if labels.get(HOSTNAME) in names:
        del labels[HOSTNAME]
    given = mapping(status.get("allocatable") or status.get("capacity"))
    called = next((labels[key] for key in _POOLS if key in labels), "")
    return Nodes(
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
