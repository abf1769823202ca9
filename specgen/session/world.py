"""The world that jobs are asked against: made of files of real objects, or of a cluster profile."""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, BadQuestion
from specgen.diagnostics.place import place
from specgen.document.read import read
from specgen.manifest.origins import manifests
from specgen.pipeline import nowhere
from specgen.quantity import NANO, bytes_of, nano
from specgen.schedulers.objects import world_of
from specgen.schedulers.world import Missing, Named, Nodes, Numbered, Taint, World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Protocol

    from specgen.diagnostics.model import Finding
    from specgen.profile.cluster import ClusterProfile, Pool
    from specgen.source import Source

    class Files(Protocol):
        """Files and folders by name."""

        def below(self, name: str) -> list[str] | None: ...

        def all_below(self, name: str) -> list[str]: ...

        def named(self, name: str) -> tuple[Source | None, list[Finding]]: ...


_SUFFIXES = (".yaml", ".yml", ".json")
# What a node has of pods, cores and memory where nobody says it: enough, and not counted.
_UNSAID = ("cpu", "memory", "ephemeral-storage", "pods")
_GPU = "nvidia.com/gpu"


def objects(files: Files, names: Iterable[str], option: str) -> tuple[list[dict[str, Any]], list[Finding]]:
    """All objects of files and folders, YAML or JSON, and what keeps one of the files from being read.

    Raises BadQuestion for a name that cannot be opened, or that holds no object.
    """
    found: list[dict[str, Any]] = []
    wrong: list[Finding] = []
    for name in names:
        below = files.below(name)
        before = len(found), len(wrong)
        for file in [name] if below is None else [one for one in files.all_below(name) if one.endswith(_SUFFIXES)]:
            try:
                source, findings = files.named(file)
            except BadQuestion as error:
                raise BadQuestion(f"{option} {file}: {error}") from None
            wrong += findings
            if source is not None:
                trees, findings = _trees(source)
                for finding in findings:
                    if finding.severity == ERROR and finding.where is not None:
                        at = place(finding, finding.where)
                        line = at["primary"]["start"]["line"]
                        raise BadQuestion(f"{option} {file}:{line}: {finding.message}")
                found += trees
                wrong += findings
        if before == (len(found), len(wrong)):
            raise BadQuestion(f"{option} {name}: there is no object in it")
    return found, wrong


def _trees(source: Source) -> tuple[list[dict[str, Any]], list[Finding]]:
    text = source.text.lstrip("\ufeff \t\r\n")
    if text.startswith("{"):
        from json import loads

        try:
            tree = loads(text)
        except (ValueError, RecursionError):
            tree = None  # YAML says where it is broken
        if isinstance(tree, dict):
            return [tree], []
    documents, findings = read(source)
    for finding in findings:
        finding.where = finding.where or nowhere(source)
    made = [one.tree for document in documents if isinstance(document.data, dict) for one in manifests(document)]
    return made, findings


def of_objects(trees: Iterable[dict[str, Any]]) -> World:
    """A world of real objects; without a node there is nothing to ask. Raises BadQuestion."""
    world = world_of(trees)
    if not world.nodes:
        raise BadQuestion("--world: there is no Node among the objects")
    world.objects.open = True
    wrong = next(((nodes, name) for nodes in world.nodes for name in nodes.unreadable), None)
    if wrong is not None:
        raise BadQuestion(f"--world: `{wrong[1]}` of the node {wrong[0].names[0]} is no quantity")
    return world


def of_cluster(cluster: ClusterProfile, running: Iterable[dict[str, Any]] = ()) -> World:
    """A world as a cluster profile says it: a group of nodes for each pool; ``running``: objects that are there."""
    groups: list[Nodes] = []
    missing: list[Missing] = []
    for name, pool in cluster.pools.items():
        listed = list(pool.nodes.names)
        count = pool.nodes.count or len(listed)
        if not count:
            missing.append(Missing(f"how many nodes the pool {name} has: `pools.{name}.nodes.count`"))
            continue
        labels = {"kubernetes.io/os": "linux"}
        for key, value in pool.labels.items():
            if isinstance(value, str):
                labels[str(key)] = value
            else:
                missing.append(Missing(f"which nodes of the pool {name} have which `{key}`", label=str(key)))
        offers, unknown = _amounts(pool)
        groups.append(
            Nodes(
                str(name),
                Named(listed) if listed and len(listed) == count else Numbered(f"{name}-", count),
                offers,
                labels=labels,
                taints=[Taint(str(one.key), one.value or "", one.effect) for one in pool.taints],
                unknown=frozenset(unknown),
            )
        )
    if not cluster.pools:
        missing.append(Missing("which nodes the cluster has: `pools`"))
    there = world_of(running)
    world = World(groups, there.pods, there.objects)
    world.missing = missing
    # a resource that no pool names may be there all the same
    world.partial = world.objects.open = True
    return world


def _amounts(pool: Pool) -> tuple[dict[str, int], set[str]]:
    nodes = pool.nodes
    offers: dict[str, int] = {}
    if nodes.cpu:
        offers["cpu"] = nodes.cpu * NANO
    if nodes.memory:
        offers["memory"] = bytes_of(nodes.memory) * NANO
    if nodes.disk:
        offers["ephemeral-storage"] = bytes_of(nodes.disk) * NANO
    offers |= {str(name): nano(amount) or 0 for name, amount in nodes.allocatable.items()}
    unknown = {name for name in _UNSAID if name not in offers}
    if pool.gpu is not None and pool.gpu.claim is None:
        _device(pool.gpu.resource or _GPU, pool.gpu.per_node, offers, unknown)
    if pool.npu is not None:
        _device(pool.npu.resource, pool.npu.per_node, offers, unknown)
    if pool.hca is not None and pool.hca.resource is not None:
        # a shared device is for any number of pods
        shared = pool.fabric.rdma in ("shared-device", "host")
        _device(pool.hca.resource, None if shared else pool.hca.per_node, offers, unknown)
    return offers, unknown


def _device(resource: str, count: int | None, offers: dict[str, int], unknown: set[str]) -> None:
    if resource in offers:
        return
    if count:
        offers[resource] = count * NANO
    else:
        unknown.add(resource)
