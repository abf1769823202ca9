"""What Kueue says of a job, for ``fit``: whether its queue lets it begin, with the sum, the domains, and who is before.

A job that would begin on queues of which nobody holds anything waits; one that would not, never begins.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.expand import as_resumed
from specgen.operators.kubernetes.objects import namespace_of
from specgen.operators.queues import KUEUE_PRIORITY, KUEUE_QUEUE
from specgen.quantity import canonical
from specgen.schedulers.kueue.above import by_itself, empty
from specgen.schedulers.kueue.flavors import NO_FIT, selects
from specgen.schedulers.kueue.loose import group_at, labelled, queue_at, uncomposed
from specgen.schedulers.kueue.manager import Manager
from specgen.schedulers.kueue.nominate import first_look, most
from specgen.schedulers.kueue.quota import shown
from specgen.schedulers.shapes import content
from specgen.schedulers.simulate import Simulation
from specgen.schedulers.turns import ADMITTED, NEVER, UNKNOWN, WAITS, Sum, Turn, few

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.schedulers.jobs import Job
    from specgen.schedulers.kueue.flavors import Assignment
    from specgen.schedulers.kueue.quota import Of, Queue
    from specgen.schedulers.kueue.topology import Domains, Topology
    from specgen.schedulers.kueue.workload import Workload
    from specgen.schedulers.world import World

_PRESENT = ("ClusterQueue", "LocalQueue")


def manager_of(simulation: Simulation) -> Manager | None:
    """Kueue before a simulation, where the world has queues of it."""
    if all(next(simulation.objects.of(kind), None) is None for kind in _PRESENT):
        return None
    manager = Manager(simulation)
    manager.stand()
    return manager


def configured(manager: Manager) -> str:
    """What Kueue's own configuration, where it is among the objects, says that is not followed here."""
    found = manager.configuration.other
    return f"Kueue is configured with `{found}`, which is not followed here" if found else ""


def _kin(one: Workload, other: Workload, manager: Manager) -> bool:
    """Whether two jobs share quota."""
    roots = []
    for workload in (one, other):
        local = manager.simulation.objects.named("LocalQueue", workload.queue_name, workload.job.namespace)
        queue = manager.queues.get(str(mapping(mapping(local).get("spec")).get("clusterQueue")))
        roots.append(_root(queue))
    return roots[0] is not None and roots[0] is roots[1]


def unfollowed(tree: dict[str, Any], manager: Manager) -> str:
    """Why what Kueue does with a job is not known here; empty: it is, or Kueue leaves it alone."""
    if manager.queue_of(tree) is not None:
        return ""
    for labels, where in labelled(tree.get("spec")):
        if KUEUE_QUEUE in labels and _of_child(where):
            return f"`{KUEUE_QUEUE}` stands at the Jobs that it makes ({where}): each comes under the queue by itself"
    return ""


def unlet(tree: dict[str, Any], manager: Manager) -> str:
    """Why nothing lets a suspended job begin; empty: it is not suspended, or a queue does."""
    if manager.queue_of(tree) is not None or as_resumed(tree) == tree:
        return ""
    return f"it is suspended, and no queue lets it begin: it has no label `{KUEUE_QUEUE}`"


def loose(job: Job, manager: Manager, world: World, tree: dict[str, Any]) -> Turn | None:
    """What the queue says of pods that come under it by themselves, once all has come to rest; None: there are none."""
    templates = [tree] if job.kind == "Pod" else [{"metadata": {"labels": one}} for one, _ in _pods(tree)]
    queues = [manager.queue_of_pod(one, job.namespace) for one in templates]
    name = next((one for one in queues if one is not None), None)
    if name is None:
        return None
    made = Turn(name)
    own = manager.workloads_of(job)
    waiting = [one for one in own if one.given is None]
    pods = manager.simulation.of(job.id)
    group = group_at(tree) if job.kind == "Pod" else ""
    made.pods = len(pods)
    if configured(manager):
        made.message = configured(manager)
        return made
    if not own:
        made.verdict = WAITS
        said = [one for one in manager.simulation.pods if group and group_at(one.tree) == group]
        made.message = uncomposed(said) if said else "no Workload is made of its pods"
        return made
    if not waiting:
        made.verdict, made.cluster_queue = ADMITTED, own[0].queue.name
        made.stated = bool(own[0].queue.groups)
        for one in own:
            made.evicts += [victim.job.name for victim, by in manager.evicted if by is one]
            _given(made, one, manager)
        return made
    first = waiting[0]
    if group or job.kind == "Pod":
        # asked for alone, a pod of a group would wait for the others
        _waiting(made, first, manager, world, tree, alone=bool(not group))
        return made
    _waiting(made, first, manager, world, tree)
    let = len(own) - len(waiting)
    if let and made.verdict in (WAITS, NEVER):
        made.message = f"{let} of its {len(own)} pods began, each by itself, the others wait: {made.message}"
    return made


def _pods(tree: dict[str, Any]) -> list[tuple[dict[str, Any], str]]:
    return [one for one in labelled(tree.get("spec")) if not _of_child(one[1])]


def _of_child(where: str) -> bool:
    """Whether labels are those of the Jobs that a JobSet makes."""
    return ".replicatedJobs[" in where and where.endswith("].template.metadata.labels")


def group_of(tree: dict[str, Any]) -> tuple[str, str] | None:
    """The group of a plain pod under a queue: its namespace and name."""
    group = group_at(tree) if tree.get("kind") == "Pod" and queue_at(tree) else ""
    return (namespace_of(tree), group) if group else None


def turn(job: Job, manager: Manager, world: World, tree: dict[str, Any]) -> Turn | None:
    """What its queue says of a job, once all has come to rest; None: it has no queue."""
    name = manager.queue_of(tree)
    if name is None:
        return loose(job, manager, world, tree)
    made = Turn(name)
    workload = manager.current(job.id)
    if workload is None:
        metadata = mapping(job.tree.get("metadata"))
        own = mapping(metadata.get("labels")).get(KUEUE_PRIORITY)
        kind = "WorkloadPriorityClass" if own else "PriorityClass"
        made.verdict = NEVER if world.objects.knows(kind) else UNKNOWN
        called = f" `{own}`" if own else " that it names"
        if own and world.supposed is not None:
            line = f"`scheduling.priorities: {{{own}: {{of: workload, value: 1000}}}}`"
            made.message = f"nobody says what the priority `{own}` is worth: {line}"
            return made
        made.message = f"the {kind}{called} is not among the objects, and without it Kueue never looks at the job"
        return made
    queue = workload.queue
    made.pods = sum(pods.count for pods in workload.sets)
    made.cluster_queue = queue.name
    made.evicts = [f"{victim.job.name}" for victim, by in manager.evicted if by is workload]
    if world.supposed is not None and queue.spec.get("quotaCheckStrategy") == "IgnoreUndeclared" and queue.groups:
        asked = {name for pods in workload.sets for name, amount in pods.asks.items() if amount}
        made.uncounted = sorted(name for name in asked if queue.group(name) is None)
    unknown = workload.unknown or configured(manager)
    before = next(
        (
            one
            for one in manager.workloads.values()
            if one.unknown and one is not workload and _kin(one, workload, manager)
        ),
        None,
    )
    if unknown or before is not None:
        made.message = (
            unknown or f"what becomes of {before.job.name if before else ''}, which shares its quota, is not known"
        )
        return made
    if workload.given is not None and (_undomained(workload, world) or _unmeant(workload, manager, world)):
        made.message = _undomained(workload, world) or _unmeant(workload, manager, world)
        return made
    if workload.given is not None:
        made.verdict = ADMITTED
        made.stated = bool(queue.groups)
        _given(made, workload, manager)
        return made
    _waiting(made, workload, manager, world, tree)
    return made


def _undomained(workload: Workload, world: World) -> str:
    """The fact that nobody says about a topology that pods wish for."""
    for pods in workload.sets:
        for level in pods.wish.levels:
            if not world.domains:
                return f"nobody says which nodes are in which domain of `{level}`"
            if world.supposed is not None:
                groups = [group for group in map(workload.queue.group, sorted(pods.asks)) if group is not None]
                flavors = dict.fromkeys(flavor for _, names in groups for flavor in names)
                if workload.given is not None and not world.supposed.supposes(flavors):
                    own = [share for share in workload.given.shares if share.pods is pods]
                    flavors = dict.fromkeys(given.flavor for share in own for given in share.flavors.values())
                lacks = world.supposed.lacks(list(flavors), level)
                if lacks:
                    return f"nobody says {lacks}"
    return ""


def _untolerated(workload: Workload, manager: Manager, world: World) -> str:
    """The fact that nobody says about flavors that are called like pools: whether they bring the tolerations of their
    taints, which pods have not themselves.
    """
    if world.supposed is None:
        return ""
    for pods in workload.sets:
        for _, names in filter(None, map(workload.queue.group, sorted(pods.asks))):
            for name in names:
                flavor = manager.flavors.get(name)
                if flavor is None or name not in world.supposed.called or not selects(pods.spec, flavor.labels):
                    continue
                taint = flavor.untolerated(pods.spec)
                if taint is not None:
                    words = f"`scheduling.flavors.{name}.tolerations`"
                    return f"nobody says whether the flavor {name} brings a toleration of {taint.get('key')}: {words}"
    return ""


def _unmeant(workload: Workload, manager: Manager, world: World) -> str:
    """The fact that nobody says about a flavor that a job has: which nodes have its labels."""
    if world.supposed is None or workload.given is None:
        return ""
    for share in workload.given.shares:
        for given in share.flavors.values():
            if not world.supposed.pools.get(given.flavor, True):
                labels = manager.flavors[given.flavor].labels
                pairs = ", ".join(f"{key}={value}" for key, value in labels.items())
                line = f"`scheduling.flavors.{given.flavor}.labels`" if not labels else "`pools.NAME.labels`"
                means = f"the flavor {given.flavor} means{f' ({pairs})' if pairs else ''}"
                return f"nobody says which nodes {means}: {line}"
    return ""


def _given(made: Turn, workload: Workload, manager: Manager) -> None:
    """What an admitted job has: its flavors, its domains, and the sums of its queue."""
    assert workload.given is not None
    for share in workload.given.shares:
        made.flavors[share.pods.name] = list(dict.fromkeys(given.flavor for given in share.flavors.values()))
        topology = manager.topology_of(share)
        if share.domains is not None and topology is not None:
            made.domains[share.pods.name] = _places(share.domains, share.pods.wish.level, topology)
    if made.stated:
        _sums(made, workload.given, workload.queue, held=workload.given.usage())


def _waiting(
    made: Turn, workload: Workload, manager: Manager, world: World, tree: dict[str, Any], *, alone: bool = True
) -> None:
    """``alone``: whether the job is tried with queues and nodes for itself."""
    status = workload.conditions.get("QuotaReserved")
    ahead = [one for one in manager.ahead(workload) if one is not workload]
    made.before = [one.job.name for one in ahead]
    made.message = status[2] if status is not None else f"nobody has looked at it: {made.before[0]} is before it"
    queue = manager.queues.get(made.cluster_queue)
    if status is not None and status[1] == "Inadmissible":
        _inactive(made, workload, manager, world)
        return
    looked = workload.looked
    if queue is not None and looked is not None:
        _sums(made, looked, queue, held={})
    itself = _alone(workload, manager, world, tree) if alone else above_all(workload)
    if itself is not None and itself.given is None:
        made.verdict = UNKNOWN if itself.unknown else NEVER
        made.message = itself.unknown or (itself.conditions.get("QuotaReserved") or ("", "", made.message))[2]
        if alone and manager.alone is not None and itself.looked is not None and not itself.unknown:
            first = first_look(manager.alone, itself)
            if first.message:
                made.message, made.sums = first.message, []
                _sums(made, first, queue or itself.queue, held={})
            made.helps, made.raised = _helps(itself, world, tree)
            made.fewer = most(manager.alone, itself)
            if 'topology "' in made.message and _later(world, tree):
                made.verdict, made.later = WAITS, True
                _unhelped(made)
    else:
        made.verdict = WAITS
        if queue is not None and manager.blind(queue):
            made.verdict = UNKNOWN
            made.message += "; who holds its quota, and could be evicted, is not among the objects"
        kin = {name for name, one in manager.queues.items() if queue is not None and _root(one) is _root(queue)}
        held = [one for one in manager.workloads.values() if one.given is not None]
        made.holders = [one.job.name for one in held if one.queue.name in kin]
    unsaid = _untolerated(workload, manager, world)
    if made.verdict == WAITS:
        unsaid = unsaid or _undomained(workload, world)
    if unsaid:
        made.verdict, made.message = UNKNOWN, unsaid
        _unhelped(made)
    _rooms(made, workload, manager)


def _alone(workload: Workload, manager: Manager, world: World, tree: dict[str, Any]) -> Workload | None:
    """The Workload of a job that has queues and nodes for itself."""
    manager.alone = manager.alone or empty(world)
    key = content(tree)
    found = manager.by_themselves.get(key) if key else None
    if found is None:
        found = manager.by_themselves[key] = by_itself(manager.alone, tree)
    return found


def _later(world: World, tree: dict[str, Any]) -> bool:
    """Whether a job that has queues and nodes for itself begins once nodes that are away are back."""
    whole = world.returned()
    found = by_itself(empty(whole), tree) if whole is not None else None
    return found is not None and found.given is not None


def above_all(workload: Workload) -> Workload | None:
    """A Workload that asks for more than its queue ever has; None: that is not known."""
    looked = workload.looked
    return workload if looked is not None and "maximum capacity" in looked.message else None


def _sums(made: Turn, assignment: Assignment, queue: Queue, *, held: dict[Of, int]) -> None:
    """The sums of each pod set, in the flavors that it has or is looked for in; ``held``: what the job has already."""
    before: dict[Of, int] = {}
    for share in assignment.shares:
        for name, asked in share.pods.sum(share.count).items():
            group = queue.group(name)
            given = share.flavors.get(name)
            for flavor in [given.flavor] if given is not None else group[1] if group is not None else []:
                of = (flavor, name)
                mine, left = held.get(of, 0), max(0, queue.left(of) + held.get(of, 0))
                made.sums.append(
                    Sum(
                        share.pods.name,
                        flavor,
                        name,
                        asked=asked,
                        nominal=queue.nominal.get(of, 0),
                        borrowed=max(0, queue.used.get(of, 0) - queue.nominal.get(of, 0)),
                        most=queue.most(of),
                        used=queue.used.get(of, 0) - mine,
                        left=left,
                        short=0 if mine else max(0, before.get(of, 0) + asked - left),
                    )
                )
                before[of] = before.get(of, 0) + asked


def _inactive(made: Turn, workload: Workload, manager: Manager, world: World) -> None:
    """A queue that takes nobody: it is stopped, or something of it is not there."""
    objects = manager.simulation.objects
    local = objects.named("LocalQueue", workload.queue_name, workload.job.namespace)
    name = str(mapping(mapping(local).get("spec")).get("clusterQueue"))
    queue = manager.queues.get(name)
    if local is None or queue is None:
        kind = "LocalQueue" if local is None else "ClusterQueue"
        if not workload.queue_name:
            made.verdict = NEVER
            made.message = f"it names no queue, and Kueue holds back all jobs: {made.message}"
            return
        made.verdict = NEVER if world.objects.knows(kind) else UNKNOWN
        made.message += "" if world.objects.knows(kind) else f", and no {kind} is among the objects"
        if local is None:
            own = [mapping(one.get("metadata")) for one in objects.of("LocalQueue")]
            spaces = [str(one.get("namespace")) for one in own if one.get("name") == workload.queue_name]
            made.message += f" in {workload.job.namespace}, but in {few(spaces)}" if spaces else ""
        return
    made.cluster_queue = name
    why = manager.inactive(queue)
    made.message += f": {why}" if why else ": it is stopped"
    kinds = ("ResourceFlavor", "Topology", "AdmissionCheck")
    missing = next((kind for kind in kinds if why.startswith(f"there is no {kind} ")), "")
    made.verdict = WAITS if not missing else NEVER if world.objects.knows(missing) else UNKNOWN


def _root(node: Any) -> Any:
    while node is not None and node.parent is not None:
        node = node.parent
    return node


def _places(domains: Domains, level: str, topology: Topology) -> list[tuple[str, int]]:
    """The domains of the level that is wished for, else of the lowest, with the pods that are there."""
    depth = topology.levels.index(level) + 1 if level in topology.levels else len(topology.levels)
    found: dict[str, int] = {}
    for values, count in domains:
        name = "/".join(topology.leaf(values)[:depth])
        found[name] = found.get(name, 0) + count
    return list(found.items())


def _rooms(made: Turn, workload: Workload, manager: Manager) -> None:
    """The domains of the level that is wished for, with how many pods of the last set find room there now."""
    for pods in reversed(workload.sets):
        if not pods.wish.level:
            continue
        flavors = [name for _, names in workload.queue.groups for name in names]
        for topology in [manager.topologies.get(name) for name in flavors]:
            if topology is None or pods.wish.level not in topology.levels:
                continue
            made.level = pods.wish.level
            depth = topology.levels.index(made.level) + 1
            made.tree = topology.rooms(made.level, pods)
            # most jobs that wait find the rooms as the one before did
            if manager.ranked[0] is not made.tree:
                own = [("/".join(one.values), one.pods) for one in made.tree if len(one.values) == depth]
                manager.ranked = (made.tree, sorted(own, key=lambda one: (-one[1], one[0])))
            made.rooms = manager.ranked[1]
            return


def _unhelped(made: Turn) -> None:
    made.helps, made.raised, made.fewer = [], None, 0


def _helps(alone: Workload, world: World, tree: dict[str, Any]) -> tuple[list[str], World | None]:
    """A larger quota of the first flavor that would do, or one of what the queue does not cover, once tried: the
    sentences, and the world that has it.
    """
    queue, looked = alone.queue, alone.looked
    if looked is None or looked.mode != NO_FIT:
        return [], None
    uncovered = "unavailable in ClusterQueue" in looked.message
    if "maximum capacity" not in looked.message and not uncovered:
        return [], None
    first = mapping(next(iter(sequence(queue.spec.get("resourceGroups"))), None))
    flavors = [str(mapping(one).get("name")) for one in sequence(first.get("flavors"))]
    bare: list[str] = []
    total: dict[str, int] = {}
    for pods in alone.sets:
        for name, asked in pods.sum().items():
            total[name] = total.get(name, 0) + asked
    wanted: dict[Of, int] = {}
    for name, asked in total.items():
        group = queue.group(name)
        if group is None and not uncovered:
            continue  # of which a cluster profile says nothing
        if group is None and flavors:
            bare.append(name)
            wanted[flavors[0], name] = asked
            continue
        if group is None or not group[1]:
            return [], None
        of = (group[1][0], name)
        if asked > queue.most(of):
            wanted[of] = queue.nominal.get(of, 0) + asked - queue.most(of)
    objects = world.objects.copy()
    objects.add({**queue.tree, "spec": _raised(_covering(queue.spec, bare), wanted)})
    raised = world.emptied(objects)
    raised.missing, raised.partial = world.missing, world.partial
    tried = by_itself(empty(raised), tree)
    if not wanted or tried is None or tried.given is None:
        return [], None
    listed = ", ".join(
        f"{shown(name, amount)} of {name} in flavor {flavor} "
        f"(now {'none' if name in bare else shown(name, queue.nominal.get((flavor, name), 0))})"
        for (flavor, name), amount in wanted.items()
    )
    ways = [f"a nominal quota of ClusterQueue {queue.name} of {listed}"]
    if bare and len(bare) == len(wanted):
        # apis/config/v1beta2/configuration_types.go, Resources.ExcludeResourcePrefixes
        ways.append(f"a Kueue that does not count it: `resources: {{excludeResourcePrefixes: [{', '.join(bare)}]}}`")
    return ways, raised


def _covering(spec: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """A queue whose first group covers further resources, none of which its flavors have."""
    if not names:
        return spec
    first, *others = (mapping(one) for one in sequence(spec.get("resourceGroups")))
    more = [{"name": name, "nominalQuota": 0} for name in names]
    flavors = [
        {**mapping(one), "resources": [*sequence(mapping(one).get("resources")), *more]}
        for one in sequence(first.get("flavors"))
    ]
    covered = [*sequence(first.get("coveredResources")), *names]
    return {**spec, "resourceGroups": [{**first, "coveredResources": covered, "flavors": flavors}, *others]}


def _raised(spec: dict[str, Any], wanted: dict[Of, int]) -> dict[str, Any]:
    groups = []
    for group in (mapping(one) for one in sequence(spec.get("resourceGroups"))):
        flavors = []
        for flavor in (mapping(one) for one in sequence(group.get("flavors"))):
            resources = []
            for one in (mapping(entry) for entry in sequence(flavor.get("resources"))):
                amount = wanted.get((str(flavor.get("name")), str(one.get("name"))))
                resources.append(one if amount is None else {**one, "nominalQuota": canonical(amount)})
            flavors.append({**flavor, "resources": resources})
        groups.append({**group, "flavors": flavors})
    return {**spec, "resourceGroups": groups}
