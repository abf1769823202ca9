"""A cluster profile as the world that jobs are asked against, and what becomes of a manifest there.

Loaded where a scheduler is to be asked; most jobs are told by the bounds of ``operators.kubernetes.room``.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from math import prod

from specgen.manifest.views import mapping
from specgen.operators.kubernetes.objects import namespace_of
from specgen.operators.kubernetes.selectors import meets, requirements
from specgen.operators.queues import KUEUE_QUEUE, RELEASE, kueue_knows
from specgen.profile.library import installed
from specgen.profile.pools import labels_of
from specgen.profile.queues import named
from specgen.rules._domains import MOST_DOMAINS, MOST_WAYS, label_of, parts, unplaced, ways
from specgen.rules._gangs import marks, release
from specgen.rules._pools import accelerators, adapters, amount, claimed, counted_at, marked_at, offered_at, offers
from specgen.rules._queues import of_profile, own_label, topologies
from specgen.schedulers.jobs import Job
from specgen.schedulers.kube.devices import Device
from specgen.schedulers.objects import world_of
from specgen.schedulers.world import HOSTNAME, Missing, Named, Nodes, Numbered, Taint, World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from specgen.manifest.views import Role, Workload
    from specgen.profile.cluster import ClusterProfile, Pool
    from specgen.profile.queues import Local
    from specgen.rules import Context
    from specgen.rules._domains import Away
    from specgen.schedulers.sums import Lacking
    from specgen.schedulers.verdict import Answer
    from specgen.source import Path

# What a node has of pods, cores and memory where nobody says it: enough, and not counted.
_UNSAID = ("cpu", "memory", "ephemeral-storage", "pods")
# How the node controller marks nodes (kubernetes.io, "Taints and Tolerations").
_NOT_READY = "node.kubernetes.io/not-ready"
_AWAY = {
    "cordoned": [("node.kubernetes.io/unschedulable", "NoSchedule")],
    "notReady": [(_NOT_READY, "NoSchedule"), (_NOT_READY, "NoExecute")],
}
# What the priorities of a profile are.
_CLASSES = {"pod": "PriorityClass", "workload": "WorkloadPriorityClass"}


def of_cluster(
    cluster: ClusterProfile, running: Iterable[dict[str, Any]] = (), namespaces: Iterable[str] = ()
) -> World:
    """A world as a cluster profile says it: a group of nodes for each pool; ``running``: objects that are there.

    ``namespaces``: of the jobs that are asked for; each has the queues of the profile.
    """
    running, namespaces = list(running), list(namespaces)
    claims = _Claimed(cluster)
    # pods that run claim by the templates of the profile as well
    claiming = [namespace_of(tree) for tree in running if mapping(tree.get("spec")).get("resourceClaims")]
    groups = _groups(cluster, claims, {})
    queues = of_profile(cluster, namespaces)
    supposed = topologies(cluster, groups, queues) if any(one["kind"] == "ClusterQueue" for one in queues) else None
    templates = claims.objects(dict.fromkeys([*namespaces, *claiming]))
    volcano = _volcano(cluster, groups) if cluster.scheduling.gang == "volcano" else _coscheduling(cluster)
    there = world_of([*_namespaced(cluster), *_priorities(cluster), *templates, *queues, *volcano, *running])
    world = World(groups, there.pods, there.objects)
    world.supposed = supposed
    world.missing = list(_missing(cluster))
    if any(one.placed for one in world.missing):
        world.ways = partial(_ways, cluster, claims)
    world.said = _said(cluster)
    if cluster.scheduling.gang == "kueue":
        world.operators[RELEASE] = (cluster.scheduling.version, "")
    # a resource that no pool names may be there all the same
    world.partial = world.objects.open = True
    world.objects.held = frozenset(claims.classes)
    # a class may be made together with the job
    world.objects.more = (*_CLASSES.values(), *(["DeviceClass"] if claims.classes else []))
    return world


def _volcano(cluster: ClusterProfile, groups: list[Nodes]) -> list[dict[str, Any]]:
    """Volcano's configuration where the profile says it, and HyperNodes, the domains of levels that have a tier."""
    from specgen.schedulers.volcano.configuration import written

    scheduling = cluster.scheduling
    levels = {str(word): level for word, level in cluster.topology.items() if not isinstance(level, str)}
    queues = scheduling.queues.values() if isinstance(scheduling.queues, dict) else ()
    if not levels and not scheduling.plugins:
        return []
    capacity = "capacity" in scheduling.plugins
    made = [
        written(
            capacity=capacity,
            hierarchy=capacity and any(one.parent for one in queues),
            topology=bool(levels) or "network-topology-aware" in scheduling.plugins,
        )
    ]
    if levels:
        # of what lies above the highest level nobody says which nodes share it
        top = max(level.tier for level in levels.values())
        made.append({"kind": "HyperNode", "metadata": {"name": f"tier {top + 1}"}, "spec": {"tier": top + 1}})
    for word, level in levels.items():
        key = str(level.label)
        values = dict.fromkeys(nodes.labels[key] for nodes in groups if key in nodes.labels)
        if not values or any(key not in nodes.labels for nodes in groups):
            made.append({"kind": "HyperNode", "metadata": {"name": word}, "spec": {"tier": level.tier}})
        for value in values:
            selector = {"labelMatch": {"matchLabels": {key: value}}}
            spec = {"tier": level.tier, "tierName": word, "members": [{"type": "Node", "selector": selector}]}
            made.append({"kind": "HyperNode", "metadata": {"name": f"{word}-{value}"}, "spec": spec})
    return made


def _coscheduling(cluster: ClusterProfile) -> list[dict[str, Any]]:
    """Which schedulers have the plugin, where one is called otherwise than by its chart: so as pods name it.

    An operator that groups jobs for scheduler-plugins names the scheduler by its flag (training-operator 1.9.4,
    pkg/controller.v1/common/scheduling.go).
    """
    from specgen.schedulers.coscheduling.configuration import KIND, SCHEDULER

    operators = [installed(cluster, name) for name in ("training-operator", "mpi-operator")]
    names: list[str] = [one.gang for one in operators if one is not None and one.gang == "scheduler-plugins"]
    if cluster.scheduling.gang == "coscheduling" and cluster.scheduling.scheduler is not None:
        names.append(cluster.scheduling.scheduler)
    if not names:
        return []
    profiles = [
        {"schedulerName": name, "plugins": {"multiPoint": {"enabled": [{"name": "Coscheduling"}]}}}
        for name in dict.fromkeys([SCHEDULER, *names])
    ]
    return [{"kind": KIND, "metadata": {"name": "of the cluster profile"}, "profiles": profiles}]


def _groups(cluster: ClusterProfile, claims: _Claimed, away: Mapping[str, Away]) -> list[Nodes]:
    """The nodes of all pools; ``away``: of some, which of them are, where it is not as the profile has it."""
    groups: list[Nodes] = []
    for name, pool in cluster.pools.items():
        listed, count = list(pool.nodes.names), amount(pool)
        if not count:
            continue
        alike = _alike(cluster, str(name), pool)
        for part in parts(str(name), pool, cluster, away.get(str(name))):
            groups.append(
                Nodes(
                    str(name),
                    Named(listed[part.start : part.start + part.count])
                    if listed and len(listed) == count
                    else Numbered(f"{name}-", part.count, part.start),
                    alike.allocatable,
                    labels={**alike.labels, **part.labels},
                    taints=[*alike.taints, *(Taint(key, "", effect) for key, effect in _AWAY.get(part.away, []))],
                    unschedulable=part.away == "cordoned",
                    unknown=alike.unknown,
                    devices=claims.devices(pool),
                )
            )
    return groups


def _alike(cluster: ClusterProfile, name: str, pool: Pool) -> Nodes:
    """A node of a pool, by what all of them have: without its domains."""
    labels = {key: value for key, value in labels_of(pool).items() if isinstance(value, str)}
    offered = offers(pool)
    return Nodes(
        name,
        Numbered(f"{name}-", 1),
        offered,
        labels={"kubernetes.io/os": "linux", **labels, **own_label(cluster, name)},
        taints=[Taint(str(one.key), one.value or "", one.effect) for one in pool.taints],
        unknown=frozenset(_unknown(pool, offered)),
    )


def _missing(cluster: ClusterProfile) -> Iterator[Missing]:
    """What nobody says of the nodes of pools."""
    for name, pool in cluster.pools.items():
        nodes = _alike(cluster, str(name), pool)
        if not amount(pool):
            yield Missing(f"how many nodes the pool {name} has: `pools.{name}.nodes.count`", nodes=nodes)
            continue
        if not pool.nodes.names:
            what = f"what the nodes of the pool {name} are called: `pools.{name}.nodes.names`"
            yield Missing(what, label=HOSTNAME, nodes=nodes)
        for key, value in labels_of(pool).items():
            if not isinstance(value, str):
                yield Missing(f"which nodes of the pool {name} have which `{key}`", label=str(key), nodes=nodes)
        for one in _undomained(str(name), pool, cluster):
            one.nodes = nodes
            yield one
    if not cluster.pools:
        yield Missing("which nodes the cluster has: `pools`")


def _undomained(name: str, pool: Pool, cluster: ClusterProfile) -> Iterator[Missing]:
    """What nobody says of domains: where the nodes are that are away, and how domains are called."""
    below = f"pools.{name}.nodes"
    for word in unplaced(name, pool, cluster):
        state = "cordoned" if isinstance(pool.nodes.cordoned, int) else "notReady"
        said = pool.nodes.domains[word]
        domain = next(iter(said), "NAME") if isinstance(said, dict) else "NAME"
        away = getattr(pool.nodes, "cordoned" if state == "cordoned" else "not_ready")
        line = f"`{below}.{state}: {{{domain}: {away if isinstance(away, int) else 1}}}`"
        if not isinstance(said, dict):
            line += f", with names in `{below}.domains.{word}`"
        what = f"in which {word} the nodes of {name} are that are away: {line}"
        yield Missing(what, label=label_of(word, cluster) or "", placed=True)
    for word, said in pool.nodes.domains.items():
        label = label_of(word, cluster)
        if label is None or isinstance(said, dict):
            continue
        yield Missing(f"what each {word} of {name} is called: `{below}.domains`", label=label, named=True)
        if -(-amount(pool) // said) > MOST_DOMAINS:
            yield Missing(f"which nodes of {name} share a {word}, of more than {MOST_DOMAINS}", label=label)


def _ways(cluster: ClusterProfile, claims: _Claimed) -> tuple[list[list[Nodes]], bool]:
    """As the world has it (``World.ways``)."""
    pools = {name: pool for name, pool in cluster.pools.items() if amount(pool)}
    found = {
        str(name): ways(str(name), pool, cluster)
        for name, pool in pools.items()
        if any(unplaced(str(name), pool, cluster))
    }
    if all(whole for _, whole in found.values()) and prod([len(own) for own, _ in found.values()]) <= MOST_WAYS:
        mixed = product(*(own for own, _ in found.values()))
        return [_groups(cluster, claims, dict(zip(found, one, strict=True))) for one in mixed], True
    # none is away, and wherever one may be
    bounds = [{name: ways(name, cluster.pools[name], cluster, bounds=True)[0][at] for name in found} for at in (0, 1)]
    return [_groups(cluster, claims, one) for one in bounds], False


def _said(cluster: ClusterProfile) -> dict[tuple[str, ...], tuple[Path, str]]:
    """Where the profile says what decides."""
    found: dict[tuple[str, ...], tuple[Path, str]] = {}
    for name, pool in cluster.pools.items():
        if not amount(pool):
            continue
        found["nodes", name] = counted_at(name, pool)
        for kind, said in (("taint", pool.taints), ("label", pool.labels)):
            if said:
                found[kind, name] = marked_at(name, kind)
        for what in offers(pool):
            found["amount", name, what] = offered_at(name, pool, what)
    for name, own in cluster.namespaces.items():
        if own.quota:
            found["quota", name] = ("namespaces", name, "quota"), f"the quota of `{name}`"
        if own.limit_range:
            found["limits", name] = ("namespaces", name, "limitRange"), f"the limits of `{name}`"
    return found


def _namespaced(cluster: ClusterProfile) -> list[dict[str, Any]]:
    """The quotas and limits of namespaces as the objects that they are."""
    made: list[dict[str, Any]] = []
    for name, own in cluster.namespaces.items():
        metadata = {"name": "quota", "namespace": str(name)}
        if own.quota:
            hard = {str(key): str(most) for key, most in own.quota.items()}
            made.append({"kind": "ResourceQuota", "metadata": metadata, "spec": {"hard": hard}})
        if own.limit_range:
            spec = {"limits": [*own.limit_range]}
            made.append({"kind": "LimitRange", "metadata": {**metadata, "name": "limits"}, "spec": spec})
    return made


class _Claimed:
    """What pods may claim of the nodes of a cluster profile.

    ``classes``: device classes; ``templates``: template → the classes of which it claims all that a node has.
    """

    __slots__ = ("classes", "templates")

    def __init__(self, cluster: ClusterProfile) -> None:
        self.classes: list[str] = []
        self.templates: dict[str, list[str]] = {}
        pools = cluster.pools.values()
        for owners in ([pool.gpu for pool in pools], [pool.hca for pool in pools]):
            there = [one for one in owners if one is not None]
            self.classes += [str(one.device_class) for one in there if one.device_class is not None and one.per_node]
            whole = [one for one in there if one.claim is not None]
            # of several templates nobody says whether nodes of other pools would do as well, nor of several classes
            if len({one.claim for one in whole}) == 1 and len({one.device_class for one in whole}) == 1:
                of = self.templates.setdefault(str(whole[0].claim), [])
                of += [str(whole[0].device_class)] if str(whole[0].device_class) in self.classes else []
        self.templates = {name: of or [name] for name, of in self.templates.items()}
        self.classes = list(dict.fromkeys([*self.classes, *(one for of in self.templates.values() for one in of)]))

    def devices(self, pool: Pool) -> list[Device]:
        """The devices of a node: each of a class that is said; else one for all that a template claims."""
        made: list[Device] = []
        for one in (pool.gpu, pool.hca):
            if one is not None and one.device_class is not None:
                made += [_device(str(one.device_class), f"{at}") for at in range(one.per_node or 0)]
        held = {device.driver for device in made}
        whole = [of for name in claimed(pool) for of in self.templates.get(name, ())]
        return made + [_device(of, of) for of in dict.fromkeys(whole) if of not in held]

    def objects(self, namespaces: Iterable[str]) -> Iterator[dict[str, Any]]:
        """The classes, and the templates in each namespace."""
        for one in self.classes:
            chosen = {"selectors": [{"cel": {"expression": f'device.driver == "{one}"'}}]}
            yield {"kind": "DeviceClass", "metadata": {"name": one}, "spec": chosen}
        for name, of in self.templates.items():
            asked = [{"name": one, "exactly": {"deviceClassName": one, "allocationMode": "All"}} for one in of]
            spec = {"spec": {"devices": {"requests": asked}}}
            for namespace in namespaces:
                metadata = {"name": name, "namespace": namespace}
                yield {"kind": "ResourceClaimTemplate", "metadata": metadata, "spec": spec}


def _device(of: str, name: str) -> Device:
    """A device of a class, of which the profile says no more than that it is there."""
    return Device(of, of, {"name": name}, usable=True, bare=True)


def _unknown(pool: Pool, offered: dict[str, int]) -> list[str]:
    """Resources of which nobody says how much a node has; of a shared device there is enough for any number of pods."""
    return [name for name in (*_UNSAID, *accelerators(pool), *adapters(pool)) if name not in offered]


def _priorities(cluster: ClusterProfile) -> list[dict[str, Any]]:
    """The priorities of which the profile says what they are worth, as the classes that they are."""
    made: list[dict[str, Any]] = []
    for name, said in cluster.scheduling.priorities.items():
        if isinstance(said, str):
            continue
        tree: dict[str, Any] = {"kind": _CLASSES[said.of], "metadata": {"name": str(name)}, "value": said.value}
        if said.of == "pod":
            tree["globalDefault"] = said.default
            tree["preemptionPolicy"] = said.preemption
        made.append(tree)
    return made


def meets_itself(role: Role, terms: list[dict[str, Any]], context: Context) -> bool:
    """Whether one of some terms of affinity means pods of the role itself, with the labels that its operator adds."""
    job = Job(role.workload.manifest.tree, context.companions)
    made = [tree for unit in job.units if unit.role == role.name.lower() for _, tree in unit.due(())[:1]]
    if not made:
        return False
    labels = {str(key): str(value) for key, value in marks(made[0], "labels").items()}
    selectors = [requirements(one.get("labelSelector")) for one in terms]
    return any(bool(one) and meets(labels, one) for one in selectors if one is not None)


def _leads(world: World, meant: list[Local]) -> bool:
    """Whether the profile says of all flavors of a queue which nodes they mean."""
    pools = world.supposed.pools if world.supposed is not None else {}
    return all(bool(one.own.flavors) and all(pools.get(str(flavor)) for flavor in one.own.flavors) for one in meant)


def _beside(workload: Workload, context: Context, cluster: ClusterProfile) -> World:
    """The cluster of the profile, with the objects beside a job."""
    world = of_cluster(cluster, namespaces=[workload.manifest.ref.namespace or "default"])
    for companion in context.companions:
        world.objects.add(companion.tree)
    return world


def unfit(workload: Workload, context: Context) -> list[Lacking]:
    """Pods to which no flavor of their queue is given, as the cluster profile has them."""
    from specgen.schedulers.above import levels_of_kueue

    if context.cluster is None:
        return []
    world = _beside(workload, context, context.cluster)
    # what a flavor is that is called like a pool nobody says
    called = world.supposed.called if world.supposed is not None else frozenset()
    found = levels_of_kueue(world, workload.manifest.tree)
    return [one for one in found if not any(lack.flavor in called for lack in one.flavors)]


def asked(workload: Workload, context: Context, copies: int = 1, *, about: str = "") -> list[Answer]:
    """What kube-scheduler would make of so many jobs like this one on the empty cluster; none where it is not asked.

    ``about``: as ``fit`` takes it.
    """
    from specgen.schedulers.fit import fit

    cluster, reader, tree = context.cluster, context.reader, workload.manifest.tree
    if cluster is None or reader is None:
        return []
    name = marks(tree, "labels").get(KUEUE_QUEUE) if kueue_knows(tree, release(context)) else None
    meant = named(cluster.scheduling.queues, str(name), workload.manifest.ref.namespace) if name is not None else []
    if name is not None and not any(one.own.flavors for one in meant):
        return []
    world = _beside(workload, context, cluster)
    if not _leads(world, meant):
        return []  # flavors of Kueue lead pods to nodes, and nobody says which
    operator = installed(cluster, reader.operator.name)
    if operator is not None:
        world.operators[reader.operator.name] = (operator.version, operator.gang or "")
    metadata: dict[str, Any] = tree.get("metadata") or {}
    others = [{**tree, "metadata": {**metadata, "name": f"{metadata.get('name')}-{at}"}} for at in range(1, copies)]
    return fit(world, [tree, *others], about=about)
