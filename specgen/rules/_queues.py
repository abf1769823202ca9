"""Queues as the objects that schedulers look at: those of the cluster profile, and those among the files beside a job.

What nobody says is there in any amount, so that nothing is counted against a job but what somebody said.
"""

from __future__ import annotations

from specgen.manifest.beside import named
from specgen.manifest.views import mapping, sequence
from specgen.profile.library import installed
from specgen.profile.pools import labels_of
from specgen.profile.queues import local_queues
from specgen.rules._domains import label_of
from specgen.rules._gangs import KUEUES, VOLCANOS, of_group, says
from specgen.schedulers.world import HOSTNAME, Supposed, World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from specgen.manifest.model import Manifest
    from specgen.manifest.views import Workload
    from specgen.profile.cluster import ClusterProfile, ClusterQueue, Share
    from specgen.rules import Context
    from specgen.schedulers.admit import Over
    from specgen.schedulers.sums import Above, Lacking
    from specgen.schedulers.world import Nodes
    from specgen.source import Path

    # (amounts that are a flavor's own, the most of each that is borrowed, and that is lent)
    Said = tuple[dict[str, Any], dict[str, Any], dict[str, Any]]

_KUEUE, _VOLCANO = KUEUES + "/v1beta2", VOLCANOS + "/v1beta1"
# More of a resource than any job asks for.
_ENOUGH = 10**15
# Of what a queue has without saying where; the name that Kueue's own documents give the only flavor of a cluster.
_ANY = "default-flavor"
# Nodes of a flavor that are told apart.
_MOST_NODES = 50_000
# A label of the nodes of a pool that is a flavor and has none: the flavor means its nodes, however Kueue is told.
_POOL = "pool-of-the-profile"


def of_profile(cluster: ClusterProfile, namespaces: Iterable[str]) -> list[dict[str, Any]]:
    """The queues of a cluster profile; none where it says of none what it has. LocalQueues are in these namespaces."""
    queues, gang = cluster.scheduling.queues, cluster.scheduling.gang
    if not isinstance(queues, dict) or not any(map(_says, queues.values())):
        # of Volcano's it is enough to know that they are there
        return [_object(_VOLCANO, "Queue", name, {}) for name in queues if gang == "volcano"]
    made: list[dict[str, Any]] = []
    if gang in (None, "kueue"):
        made += _kueue(cluster, queues, sorted({"default", *map(str, cluster.namespaces), *namespaces}))
    if gang in (None, "volcano"):
        for name, own in queues.items():
            queue = _object(_VOLCANO, "Queue", name, _volcano(own))
            made.append({**queue, "status": {"state": "Closed"}} if own.stop else queue)
    return made


def _says(own: ClusterQueue) -> bool:
    """Whether anything is said of a queue by which it could refuse a job."""
    kueue = own.quota or own.flavors or own.stop or own.checks or own.local_queues or own.namespaces is not None
    return bool(kueue or own.weight or own.deserved or own.guarantee or own.parent)


def _volcano(own: ClusterQueue) -> dict[str, Any]:
    """The spec of a queue of Volcano."""
    spec: dict[str, Any] = {"weight": own.weight or 1}
    for word, amounts in (("capability", own.quota), ("deserved", own.deserved)):
        if amounts:
            spec[word] = _texts(amounts)
    if own.guarantee:
        spec["guarantee"] = {"resource": _texts(own.guarantee)}
    if own.parent is not None:
        spec["parent"] = own.parent
    if own.reclaimable is not None:
        spec["reclaimable"] = own.reclaimable
    return spec


def _kueue(cluster: ClusterProfile, queues: dict[str, ClusterQueue], namespaces: Sequence[str]) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    flavors: dict[str, None] = {}
    vague = {own.cohort: None for own in queues.values() if own.cohort and not (own.quota or own.flavors)}
    checks = {name: None for own in queues.values() for name in own.checks}
    for name, own in queues.items():
        split = _split(own.flavors)
        inside = {resource for said in split.values() for part in said for resource in part}
        rest = {resource: amount for resource, amount in own.quota.items() if resource not in inside}
        groups = [_group(split)] if split else []
        if rest:
            limits = [
                {resource: amount for resource, amount in part.items() if resource not in inside}
                for part in (own.borrow, own.lend)
            ]
            groups.append(_group({_ANY: (rest, limits[0], limits[1])}))
        spec: dict[str, Any] = {
            "namespaceSelector": {},
            "quotaCheckStrategy": "IgnoreUndeclared" if own.undeclared == "ignore" else "BlockUndeclared",
            "resourceGroups": groups,
            **_decided(own),
        }
        if own.cohort:
            spec["cohortName"] = own.cohort
        made.append(_object(_KUEUE, "ClusterQueue", name, spec))
        if own.cohort in vague:
            made.append(generous(own.cohort or "", name, groups))
        flavors |= {str(one["name"]): None for group in groups for one in group["flavors"]}
    for local in local_queues(queues):
        words = {"clusterQueue": local.queue} | ({"stopPolicy": local.stop} if local.stop is not None else {})
        for namespace in namespaces if local.namespaces is None else local.namespaces:
            made.append(_object(_KUEUE, "LocalQueue", local.name, words, namespace))
    for name, cohort in cluster.scheduling.cohorts.items():
        split = _split(cohort.flavors)
        spec = {"resourceGroups": [_group(split, 0)] if split else []}
        made.append(_object(_KUEUE, "Cohort", name, spec | ({"parentName": cohort.parent} if cohort.parent else {})))
    made += [_object(_KUEUE, "AdmissionCheck", str(name), {}) for name in checks]
    return [*made, *(_object(_KUEUE, "ResourceFlavor", one, _flavor(cluster, one)) for one in flavors)]


def _split(flavors: Mapping[Any, Share]) -> dict[str, Said]:
    return {str(flavor): (share.quota, share.borrow, share.lend) for flavor, share in flavors.items()}


def _decided(own: ClusterQueue) -> dict[str, Any]:
    """What a queue decides by besides its quota, in Kueue's own words."""
    made: dict[str, Any] = {}
    if own.queueing_strategy is not None:
        made["queueingStrategy"] = own.queueing_strategy
    if own.stop is not None:
        made["stopPolicy"] = own.stop
    if own.checks:
        made["admissionChecksStrategy"] = {"admissionChecks": [{"name": str(name)} for name in own.checks]}
    evicts, flexible = own.preemption, own.fungibility
    if evicts is not None:
        beside = evicts.borrow_within_cohort
        made["preemption"] = {
            **({"withinClusterQueue": evicts.within_cluster_queue} if evicts.within_cluster_queue else {}),
            **({"reclaimWithinCohort": evicts.reclaim_within_cohort} if evicts.reclaim_within_cohort else {}),
        }
        if beside is not None:
            most = beside.max_priority_threshold
            made["preemption"]["borrowWithinCohort"] = {"policy": beside.policy, "maxPriorityThreshold": most}
    if flexible is not None:
        words = {
            "whenCanBorrow": flexible.when_can_borrow,
            "whenCanPreempt": flexible.when_can_preempt,
            "preference": flexible.preference,
        }
        made["flavorFungibility"] = {word: value for word, value in words.items() if value is not None}
    return made


def _group(split: dict[str, Said], enough: int = _ENOUGH) -> dict[str, Any]:
    """``enough``: what there is of a resource that is no device, and of which nobody says how much."""
    covered = list(dict.fromkeys(resource for said in split.values() for part in said for resource in part))
    flavors = []
    for flavor, (quota, borrow, lend) in split.items():
        resources = []
        for name in covered:
            # a device that a flavor does not name is of other nodes
            unsaid = 0 if "/" in name or name in borrow or name in lend else enough
            one = {"name": name, "nominalQuota": str(quota.get(name, unsaid))}
            limits = (("borrowingLimit", borrow), ("lendingLimit", lend))
            resources.append(one | {word: str(said[name]) for word, said in limits if name in said})
        flavors.append({"name": flavor, "resources": resources})
    return {"coveredResources": covered, "flavors": flavors}


def generous(cohort: str, name: str, groups: Iterable[Any]) -> dict[str, Any]:
    """A queue that lends whatever is asked for of what another queue of its cohort has."""
    endless = [
        {**group, "flavors": [_endless(mapping(flavor)) for flavor in sequence(group.get("flavors"))]}
        for group in map(mapping, groups)
    ]
    spec = {"cohortName": cohort, "namespaceSelector": {}, "resourceGroups": endless}
    return _object(_KUEUE, "ClusterQueue", f"beside {name}", spec)


def _endless(flavor: dict[str, Any]) -> dict[str, Any]:
    names = [mapping(one).get("name") for one in sequence(flavor.get("resources"))]
    return {**flavor, "resources": [{"name": name, "nominalQuota": str(_ENOUGH)} for name in names]}


def own_label(cluster: ClusterProfile, name: str) -> dict[str, str]:
    """What marks the nodes of a pool beside its labels, where a flavor means them."""
    queues = cluster.scheduling.queues
    flavors = [flavor for own in queues.values() for flavor in own.flavors] if isinstance(queues, dict) else []
    marked = any(isinstance(value, str) for value in cluster.pools[name].labels.values())
    return {_POOL: name} if name in flavors and not marked and len(cluster.pools) > 1 else {}


def topologies(cluster: ClusterProfile, groups: Sequence[Nodes], queues: list[dict[str, Any]]) -> Supposed:
    """Gives each flavor the topology of the nodes that it means, with the levels that the profile knows of all of them.

    The highest come first: those with the fewest domains, else in the order of the profile.
    """
    found = Supposed()
    found.words = {str(label_of(word, cluster)): str(word) for word in cluster.topology}
    told = {str(name): own for name, own in cluster.scheduling.flavors.items()}
    found.called = frozenset(str(name) for name in cluster.pools if str(name) not in told)
    for flavor in [one for one in queues if one["kind"] == "ResourceFlavor"]:
        name = flavor["metadata"]["name"]
        wanted = told[name].labels.items() if name in told else {}.items()
        if wanted:
            pools = [str(called) for called, pool in cluster.pools.items() if wanted <= labels_of(pool).items()]
        elif name in cluster.pools:
            pools = [name]
        else:
            # of a flavor that is not said the only pool has the nodes
            pools = [str(called) for called in cluster.pools if name == _ANY or len(cluster.pools) == 1]
        found.pools[name] = pools
        own = [nodes for nodes in groups if nodes.group in pools]
        if not own:
            continue
        if sum(nodes.count for nodes in own) > _MOST_NODES:
            found.large.add(name)
            continue
        known = [label for label in found.words if label != HOSTNAME and all(label in nodes.labels for nodes in own)]
        known.sort(key=lambda label: len({nodes.labels[label] for nodes in own}))
        found.levels[name] = [*known, HOSTNAME]
        words = told[name].topology if name in told else None
        if words is not None:
            found.told[name] = [label for label in (label_of(word, cluster) for word in words) if label is not None]
        labels = found.told.get(name, found.levels[name])
        if not labels:
            continue
        flavor["spec"]["topologyName"] = name
        levels = [{"nodeLabel": label} for label in labels]
        queues.append(_object(_KUEUE, "Topology", name, {"levels": levels}))
    return found


def _flavor(cluster: ClusterProfile, name: str) -> dict[str, Any]:
    """What a flavor says of nodes: itself, or the pool that it is called like."""
    called = next((called for called in cluster.pools if called == name), None)
    said = next((own for flavor, own in cluster.scheduling.flavors.items() if flavor == name), None)
    if said is None:
        return _nodes(cluster, called)
    own = {
        "nodeLabels": {str(key): value for key, value in said.labels.items()},
        "nodeTaints": [{"key": str(one.key), "value": one.value or "", "effect": one.effect} for one in said.taints],
        "tolerations": [dict(one) for one in said.tolerations],
    }
    if said.labels or called is None:
        return own
    # one that means the nodes of its pool has the taints of these as well
    return {**own, **_nodes(cluster, called), **{word: value for word, value in own.items() if value}}


def _nodes(cluster: ClusterProfile, name: str | None) -> dict[str, Any]:
    """What a flavor of a pool says of nodes. Whether it brings tolerations nobody says."""
    if name is None:
        return {}
    pool = cluster.pools[name]
    labels = {str(key): value for key, value in pool.labels.items() if isinstance(value, str)}
    taints = [one for one in pool.taints if one.effect != "PreferNoSchedule"]
    return {
        "nodeLabels": {**labels, **own_label(cluster, str(name))},
        "nodeTaints": [{"key": str(one.key), "value": one.value or "", "effect": one.effect} for one in taints],
    }


def _texts(amounts: dict[str, Any]) -> dict[str, str]:
    return {str(name): str(amount) for name, amount in amounts.items()}


def _object(version: str, kind: str, name: str, spec: dict[str, Any], namespace: str = "") -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec}


def above_kueue(label: str, workload: Workload, context: Context) -> tuple[Above | None, Manifest | None]:
    """(what a queue of Kueue never holds of a job, the ClusterQueue among the files that says so)."""
    from specgen.schedulers.above import of_kueue

    tree, namespace = workload.manifest.tree, workload.manifest.ref.namespace
    queue = _cluster_queue(label, namespace, context)
    if queue is not None:
        # what it does not cover comes last, as Kueue's configuration may leave that out
        for uncovered in ("IgnoreUndeclared", "BlockUndeclared"):
            world = bare(context)
            known = _add(queue, label, namespace or "default", world, uncovered)
            above = of_kueue(world, tree, known=known)
            if above is not None:
                return above, queue
        return None, queue
    if context.cluster is None or not says(context, label):
        return None, None
    world = bare(context)
    for one in of_profile(context.cluster, [namespace or "default"]):
        world.objects.add(one)
    return of_kueue(world, tree, known=True), None


def levels_kueue(label: str, workload: Workload, context: Context) -> tuple[list[Lacking], Manifest | None]:
    """(pods for whose topology no flavor will do, their ClusterQueue), where all flavors are among the files."""
    from specgen.schedulers.above import levels_of_kueue

    world, queue = _of_files(label, workload, context)
    if queue is None:
        return [], None
    world.domains = True
    return levels_of_kueue(world, workload.manifest.tree), queue


def _of_files(label: str, workload: Workload, context: Context) -> tuple[World, Manifest | None]:
    """A world with the job's ClusterQueue; None for it unless it and all of its flavors are among the files."""
    world, namespace = bare(context), workload.manifest.ref.namespace
    queue = _cluster_queue(label, namespace, context)
    return world, queue if queue is not None and _add(queue, label, namespace or "default", world) else None


def brought(label: str, workload: Workload, context: Context) -> list[dict[str, Any]]:
    """The tolerations that Kueue puts into a job's pods, whichever flavor of its queue among the files they get."""
    world, queue = _of_files(label, workload, context)
    spec = mapping(queue.tree.get("spec")) if queue is not None else {}
    names = {
        str(mapping(one).get("name"))
        for group in sequence(spec.get("resourceGroups"))
        for one in sequence(mapping(group).get("flavors"))
    }
    found = [world.objects.named("ResourceFlavor", name) for name in names]
    first, *others = [sequence(mapping(mapping(one).get("spec")).get("tolerations")) for one in found] or [[]]
    return [one for one in first if all(one in other for other in others)]


def above_quotas(
    pods: list[dict[str, Any]], context: Context
) -> tuple[list[Over], list[tuple[dict[str, Any], str, bool]]]:
    """(what pods use beyond quotas among the files, those that are refused by themselves: why, for what they lack)."""
    from specgen.schedulers.above import of_namespace
    from specgen.schedulers.limits import Unnamed

    over, kept = of_namespace(bare(context).objects, pods)
    return over, [(pod, str(why), isinstance(why, Unnamed)) for pod, why in kept]


def refused_queue(tree: dict[str, Any]) -> Iterator[tuple[str, Path, str]]:
    """(who refuses an object of Kueue, where below its spec, why)."""
    from specgen.schedulers.kueue.refused import objections

    return objections(tree)


def above_volcano(workload: Workload, context: Context) -> tuple[Above | None, Manifest | None]:
    """(what a queue of Volcano never holds of a job, the Queue among the files that says so)."""
    from specgen.schedulers.above import of_volcano

    world = bare(context)
    cluster, reader = context.cluster, context.reader
    operator = installed(cluster, reader.operator.name) if cluster is not None and reader is not None else None
    if reader is not None and operator is not None:
        world.operators[reader.operator.name] = (operator.version, operator.gang)
    for one in of_profile(cluster, []) if cluster is not None else []:
        if one["kind"] == "Queue" and world.objects.named("Queue", one["metadata"]["name"]) is None:
            world.objects.add(one)
    if cluster is not None and "capacity" in cluster.scheduling.plugins:
        from specgen.schedulers.volcano.configuration import written

        # queues above a queue count with it
        world.objects.add(written(capacity=True, hierarchy=True, topology=False))
    above = of_volcano(world, workload.manifest.tree)
    if above is None:
        return None, None
    return above, next(iter(of_group(VOLCANOS, named(context.companions, "Queue", above.queue))), None)


def _cluster_queue(name: str, namespace: str | None, context: Context) -> Manifest | None:
    """The ClusterQueue among the files behind a LocalQueue; a job without a namespace goes to that of its queue."""
    for local in of_group(KUEUES, named(context.companions, "LocalQueue", name)):
        if namespace not in (None, local.ref.namespace):
            continue
        behind = str(mapping(local.tree.get("spec")).get("clusterQueue"))
        for queue in of_group(KUEUES, named(context.companions, "ClusterQueue", behind)):
            if mapping(queue.tree.get("spec")).get("resourceGroups"):
                return queue
    return None


def _add(queue: Manifest, name: str, namespace: str, world: World, uncovered: str = "IgnoreUndeclared") -> bool:
    """Adds a ClusterQueue among the files as a job's own; whether all its flavors stand there.

    Others of its cohort lend what they like, as nobody knows them all. ``uncovered``: what becomes of resources that it
    does not cover, as ``quotaCheckStrategy`` says it.
    """
    spec = dict(mapping(queue.tree.get("spec")))
    cohort = str(spec.pop("cohortName", None) or spec.pop("cohort", None) or "")
    for word in ("stopPolicy", "admissionChecks", "admissionChecksStrategy", "cohort"):
        spec.pop(word, None)
    groups = sequence(spec.get("resourceGroups"))
    flavors = {
        str(mapping(one).get("name")): None for group in groups for one in sequence(mapping(group).get("flavors"))
    }
    missing = [one for one in flavors if world.objects.named("ResourceFlavor", one) is None]
    own = queue.ref.name or ""
    spec |= {"namespaceSelector": {}, "quotaCheckStrategy": uncovered}
    if cohort:
        spec["cohortName"] = cohort
        world.objects.add(generous(cohort, own, groups))
    world.objects.add(_object(_KUEUE, "ClusterQueue", own, spec))
    world.objects.add(_object(_KUEUE, "LocalQueue", name, {"clusterQueue": own}, namespace))
    for one in missing:
        world.objects.add(_object(_KUEUE, "ResourceFlavor", one, {}))
    return not missing


def bare(context: Context) -> World:
    """A world without nodes, of the objects beside a job."""
    world = World([])
    for companion in context.companions:
        world.objects.add(companion.tree)
    world.partial = world.objects.open = True
    world.domains = False
    return world
