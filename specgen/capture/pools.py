"""What is said of a group of nodes: a pool, with questions for what no node says."""

from __future__ import annotations

from specgen.capture import devices
from specgen.capture.objects import MOST, MOST_BYTES
from specgen.capture.text import Tree
from specgen.devices import is_ascend, is_part
from specgen.diagnostics.model import listed, plural
from specgen.quantity import readable
from specgen.schema import formats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from specgen.capture.nodes import Group, Node

_PRODUCTS = ("nvidia.com/gpu.product", "amd.com/gpu.product-name")
_GPU_MEMORY = "nvidia.com/gpu.memory"
_REPLICAS, _STRATEGY = "nvidia.com/gpu.replicas", "nvidia.com/gpu.sharing-strategy"
_GIB, _MIB = 1 << 30, 1 << 20
# Domains of a level that are listed.
_MOST_DOMAINS = 64
# Words of a pool for nodes that are away, and why they are.
_AWAY = (("cordoned", "cordoned"), ("notReady", "not ready"))
# What a pool is called by the labels of its nodes, after its GPU.
_NAMES = (
    *("cloud.google.com/gke-nodepool", "eks.amazonaws.com/nodegroup", "karpenter.sh/nodepool", "pool"),
    *("kubernetes.azure.com/agentpool", "node.kubernetes.io/instance-type"),
)


def say(
    tree: Tree, groups: list[Group], networks: Mapping[str, list[str]], level: str, topology: Mapping[str, str]
) -> list[str]:
    """Adds ``pools``; ``networks``: resource → secondary networks; ``level``: Pod Security level of the namespaces;
    ``topology``: word → label.
    """
    pools, warnings = Tree(), []
    names: list[str] = []
    for group in groups:
        wished = _name(group)
        number = sum(name == wished or name.rpartition("-")[0] == wished for name in names)
        names.append(f"{wished}-{number + 1}" if wished in names else wished)
        pools.add(names[-1], _pool(group, networks, level, topology))
        if group.labels is None:
            warnings.append(f"no label tells the nodes of the pool {names[-1]} from all others")
    tree.add("pools", pools)
    return warnings


def _name(group: Group) -> str:
    common = group.common()
    product = next((common[key] for key in _PRODUCTS if key in common), "")
    for token in product.replace("_", "-").lower().split("-"):
        if any(sign.isdigit() for sign in token) and formats.name(token):
            return token
    for key in _NAMES:
        name = common.get(key, "").lower().replace(".", "-").replace("_", "-").strip("-")[:40].strip("-")
        if name and formats.name(name):
            return name
    found = group.devices
    if devices.gpu(found) or any("gpu" in driver for driver in group.claimed):
        return "gpu"
    return "npu" if devices.npu(found) else "cpu"


def _pool(group: Group, networks: Mapping[str, list[str]], level: str, topology: Mapping[str, str]) -> Tree:
    pool = Tree()
    for line in _state(group):
        pool.note(line)
    nodes = {**_nodes(group), **_places(group, topology)}
    nodes |= _away(group, nodes, topology)
    found = dict(group.devices)
    gpu, npu = devices.gpu(found), devices.npu(found)
    gpus, npus = found.pop(gpu, 0), found.pop(npu, 0)
    adapters = devices.adapters(found, networks)
    units = found.pop(adapters[0]) if adapters else 0
    others = {name: count for name, count in found.items() if formats.label_key(name)}
    if others:
        nodes["allocatable"] = {**nodes.get("allocatable", {}), **others}
    # levels say where the nodes are
    levels = {topology[word] for word in nodes.get("domains", ())}
    further = {key: value for key, value in group.further.items() if key not in levels}
    pool.add("nodes", {**nodes, **({"labels": further} if further else {})})
    if group.labels is None:
        pool.note("Which label do these nodes have, and no others? labels: {example.com/pool: gpu}")
    elif group.labels:
        pool.add("labels", group.labels)
    taints, odd = _taints(group)
    if odd:
        pool.note(f"Taints whose names are none: {listed(odd)}.")
    if taints:
        pool.add("taints", taints)
    if gpu:
        _say_gpu(pool, group, gpu, gpus)
    if npu:
        library: dict[str, Any] = {"library": "hccl"} if is_ascend(npu) else {}
        pool.add("npu", {"resource": npu, "perNode": npus, **library})
    if adapters:
        _say_fabric(pool, adapters[0], units, gpus or npus, networks, level)
    elif (gpus or npus) and not group.claimed:
        pool.note("No adapter for RDMA is among the resources of these nodes. Is there one that pods reach otherwise?")
        pool.note("Which IP interface do pods meet by? fabric: {interface: eth0}")
    for driver, count in group.claimed.items():
        pool.note(
            f"{plural(count, 'device')} of {driver} on a node are given by claims. By which ResourceClaimTemplate"
        )
        pool.note(f"does a pod get all of them? gpu: {{perNode: {count}, claim: …}}, or hca with rdma: claim")
    for name in others:
        what = "a part of a GPU" if is_part(name) else "another device"
        pool.note(f"{name} is {what}: a job asks for it by `resources: {{other: …}}`.")
    return pool


def _state(group: Group) -> Iterable[str]:
    """What is so now, and may be otherwise tomorrow."""
    for device in group.devices:
        count = sum(device in node.lost for node in group.nodes)
        if count:
            yield f"On {plural(count, 'node')}, not all of the {device} can be allocated now."


def _nodes(group: Group) -> dict[str, Any]:
    found: dict[str, Any] = {"count": len(group.nodes)}
    cpu = min(group.least(lambda node: node.cpu), MOST * 1000)
    if cpu:
        found["cpu"] = cpu // 1000 if cpu % 1000 == 0 else f"{cpu}m"
    least: tuple[tuple[str, Callable[[Node], int]], ...]
    least = (("memory", lambda node: node.memory), ("disk", lambda node: node.disk))
    for word, amount in least:
        size = min(group.least(amount), MOST_BYTES)
        unit = _GIB if size >= 8 * _GIB else _MIB
        if size >= unit:
            # rounded down: no pod may count on what is not there
            found[word] = f"{size // unit}{'Gi' if unit == _GIB else 'Mi'}"
    counted = {key: min(node.counted[key] for node in group.nodes) for key in group.nodes[0].counted}
    said = {
        key: min(size, MOST) if key == "pods" else readable(min(size, MOST_BYTES) // _MIB * _MIB)
        for key, size in counted.items()
        if formats.label_key(key) and (key == "pods" or size >= _MIB)
    }
    if said:
        found["allocatable"] = said
    for word, why in _AWAY:
        away = sum(node.away == why for node in group.nodes)
        if away:
            found[word] = away
    return found


def _away(group: Group, nodes: dict[str, Any], topology: Mapping[str, str]) -> dict[str, Any]:
    """Of which domains nodes are away, where their smallest domains are said, by names that no others have."""
    domains: dict[str, dict[str, int]] = nodes.get("domains", {})
    if not domains:
        return {}
    word = max(domains, key=lambda one: len(domains[one]))
    if any(not domains[word].keys().isdisjoint(domains[other]) for other in domains if other != word):
        return {}
    found: dict[str, dict[str, int]] = {}
    for state, why in _AWAY:
        for node in group.nodes if state in nodes else ():
            if node.away == why:
                counts = found.setdefault(state, {})
                value = node.labels[topology[word]]
                counts[value] = counts.get(value, 0) + 1
    return {state: dict(sorted(counts.items())) for state, counts in found.items()}


def _places(group: Group, topology: Mapping[str, str]) -> dict[str, Any]:
    """How many nodes each domain has, of levels whose domains are parts of those above them."""
    whole = {
        word: label
        for word, label in topology.items()
        if all(formats.label_value(node.labels.get(label, "")) and node.labels.get(label) for node in group.nodes)
    }
    words = sorted(whole, key=lambda word: len({node.labels[whole[word]] for node in group.nodes}))
    listed = sorted([node.labels[whole[word]] for word in words] for node in group.nodes)
    found: dict[str, dict[str, int]] = {}
    for at, word in enumerate(words):
        runs: dict[str, int] = {}
        last = ""
        for values in listed:
            value = values[at]
            if value in runs and value != last:
                break  # its nodes do not follow each other
            runs[value] = runs.get(value, 0) + 1
            last = value
        else:
            if len(runs) <= _MOST_DOMAINS:
                found[word] = runs
    return {"domains": found} if found else {}


def _taints(group: Group) -> tuple[list[dict[str, str]], list[str]]:
    """The taints of the nodes, and the keys of those that a profile cannot name."""
    found, odd = [], []
    for key, value, effect in group.nodes[0].taints:
        if formats.label_key(key):
            found.append({"key": key, **({"value": value} if value else {}), "effect": effect})
        else:
            odd.append(key)
    return found, odd


def _say_gpu(pool: Tree, group: Group, gpu: str, count: int) -> None:
    common = group.common()
    said: dict[str, Any] = {"resource": gpu, "perNode": count}
    size = common.get(_GPU_MEMORY, "")
    if size.isascii() and size.isdigit() and len(size) < 9 and int(size):
        # of one GPU, in MiB (NVIDIA/gpu-feature-discovery, README)
        said["memory"] = readable(int(size) * _MIB)
    product = next((common[key] for key in _PRODUCTS if key in common), "")
    if product:
        said["product"] = product
    replicas = common.get(_REPLICAS, "1")
    if replicas not in ("", "0", "1"):
        how = common.get(_STRATEGY, "")
        pool.note(f"Each GPU counts {replicas} times{f', shared by {how}' if how not in ('', 'none') else ''}.")
    pool.add("gpu", said)


def _say_fabric(
    pool: Tree, resource: str, units: int, gpus: int, networks: Mapping[str, list[str]], level: str
) -> None:
    link = devices.link(resource)
    said: dict[str, Any] = {"resource": resource}
    fabric: dict[str, Any] = {"rdma": "device"}
    named = networks.get(resource, [])
    shared = not named and devices.is_shared(resource, units, gpus)
    if shared:
        fabric["rdma"] = "shared-device"
        pool.note(f"{plural(units, 'unit')} of {resource}, as a shared device has them. How many adapters has a node?")
    else:
        said["perNode"] = units
    if link:
        said["link"] = link
    if link != "efa":
        pool.note("What are the adapters called (`ls /sys/class/infiniband` on a node)? devices: [mlx5_0, mlx5_1]")
        if not link:
            pool.note("What do they speak? link: infiniband, or roce")
    pool.add("hca", said)
    if named:
        fabric.update(_networks(pool, named, units))
    elif not shared and resource.startswith("rdma/"):
        pool.note("Is each unit one adapter, or all of them shared (rdma: shared-device)?")
    if link != "efa":
        pool.note("Should NCCL stop where it finds no adapter, rather than talk TCP? net: IB")
        if level in ("baseline", "restricted"):
            pool.note(f"Pods may not have IPC_LOCK: the namespaces are {level}. Does the runtime lift the limit?")
        else:
            pool.note("Does the container runtime lift the limit on locked memory? Then memlock: runtime.")
            fabric["memlock"] = "capability"
    pool.note("Which IP interface do pods meet by? interface: eth0")
    pool.add("fabric", fabric)


def _networks(pool: Tree, named: list[str], units: int) -> dict[str, Any]:
    """Secondary networks by which adapters reach a pod."""
    if len(named) == 1:
        return {"rdma": "sriov", "networks": named[0]}
    if len(named) == units:
        return {"rdma": "sriov", "networks": named}
    pool.note(f"Which of the networks {listed(named, most=32)} does a pod have, in which order?")
    pool.note("Then rdma: sriov, networks: […]")
    return {}
