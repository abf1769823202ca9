"""Will it be placed: a verdict a job, the sums behind it, and the smallest change that would help.

Jobs are asked in order, like submissions. What the real programs leave to chance is played out in two ways; a verdict
that depends on it says so. Each help is tried before it is offered.
"""

from __future__ import annotations

from specgen.diagnostics.model import article, listed, plural
from specgen.manifest.views import mapping, sequence
from specgen.operators.expand import as_resumed, is_queued
from specgen.operators.kubernetes.objects import namespace_of
from specgen.operators.kubernetes.room import ELSEWHERE
from specgen.operators.kubernetes.selectors import expressions
from specgen.operators.queues import COSCHEDULING_GROUP
from specgen.operators.trainer.facts import RUNTIMES, UNSEEN
from specgen.schedulers.helps import MOST, helps, more_nodes, naming
from specgen.schedulers.kube.nodeaffinity import host
from specgen.schedulers.pods import SCHEDULER
from specgen.schedulers.simulate import Simulation
from specgen.schedulers.spared import Spare
from specgen.schedulers.stages import through
from specgen.schedulers.sums import Sums, deciding
from specgen.schedulers.turns import ADMITTED
from specgen.schedulers.world import HOSTNAME, World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from specgen.diagnostics.model import Region
    from specgen.schedulers.gang_answer import Gangs
    from specgen.schedulers.jobs import Job
    from specgen.schedulers.kube.state import Node
    from specgen.schedulers.kueue.manager import Manager
    from specgen.schedulers.pods import Pod, Sort
    from specgen.schedulers.spared import Before
    from specgen.schedulers.sums import Row
    from specgen.schedulers.turns import Turn
    from specgen.schedulers.walk import Walk
    from specgen.schedulers.world import Missing, Nodes
    from specgen.source import Path

FITS, WAITS, NEVER, HANGS, UNKNOWN = "fits", "waits", "never", "hangs", "unknown"
# What is said of a job, where the verdict is no verb.
_PHRASES = {NEVER: "never fits", UNKNOWN: "is unknown"}
# Who looks for a domain that holds all pods before the first of them is placed.
_CHOOSING = "Kueue with a Topology, or Volcano with HyperNodes, chooses a domain that holds all pods before one begins"
# What keeps a job from holding nodes while it waits for others; Kueue by itself counts quota alone (Kueue 0.19,
# pkg/cache/scheduler/tas_flavor_snapshot.go; `kueue.hosts` has what pods of no topology use of nodes).
_GANG = "a gang scheduler keeps all pods waiting until every one has a place: `scheduling.gang` of a profile"
_COUNTING = "a Topology at the queue's flavor: Kueue counts what is free on its nodes, too, before it lets a job begin"
# Other ways that a world may take: of the order of roles, and of equal nodes.
_WAYS = ((True, True),)


class Waiting:
    """Pods of a role that have no node. ``by``: (group of nodes, how many, why not), as the filters say now."""

    __slots__ = ("by", "message", "pods", "role")

    def __init__(self, role: str, pods: int, message: str, by: list[tuple[str, int, str]]) -> None:
        self.role = role
        self.pods = pods
        self.message = message
        self.by = by


class Answer:
    """What becomes of a job: ``placed`` is role → group of nodes → how many pods each of its nodes has."""

    __slots__ = (
        "bound",
        "cluster",
        "evicts",
        "helps",
        "kind",
        "lines",
        "name",
        "namespace",
        "near",
        "nodes",
        "notes",
        "placed",
        "pods",
        "reason",
        "sums",
        "turn",
        "unmade",
        "verdict",
        "waiting",
        "walks",
    )

    def __init__(self, job: Job) -> None:
        self.kind = job.kind
        self.name = job.name
        self.namespace = job.namespace
        # (group of nodes, node, role, pods of it there); of equal nodes another one may be taken
        self.nodes: list[tuple[str, str, str, int]] = []
        self.verdict = UNKNOWN
        # the label of domains of which the first pod chooses one, where that decides what becomes of the others
        self.near = ""
        self.reason = ""
        self.pods = self.bound = 0
        self.placed: dict[str, dict[str, list[int]]] = {}
        # pods that are not made
        self.unmade = 0
        self.waiting: list[Waiting] = []
        # what its pods ask and the nodes have; None: nobody looked at nodes
        self.sums: Sums | None = None
        # what each filter leaves of the nodes, where that is asked
        self.walks: list[Walk] = []
        self.helps: list[str] = []
        self.notes: list[str] = []
        # jobs, or pods of nobody, that lose pods to it; of a verdict that is not known those that may
        self.evicts: list[str] = []
        # what a queue before the scheduler says
        self.turn: Turn | None = None
        # what of the cluster profile it follows from, by paths there
        self.cluster: list[tuple[Path, str]] = []
        # the same in its file, for whoever has that
        self.lines: list[Region] = []

    def take(self, other: Answer) -> None:
        """Takes what is said of the same job on other nodes, but the sums."""
        for word in (
            "bound",
            "evicts",
            "helps",
            "nodes",
            "notes",
            "placed",
            "reason",
            "turn",
            "unmade",
            "verdict",
            "waiting",
        ):
            setattr(self, word, getattr(other, word))

    @property
    def rows(self) -> list[Row]:
        """The arithmetic by role, group of nodes and resource."""
        return self.sums.rows if self.sums is not None else []


def fit(world: World, trees: Sequence[dict[str, Any]], *, about: str = "", walked: bool = False) -> list[Answer]:
    """The answers for jobs that are submitted in this order.

    ``about``: a verdict, where the caller asks for no other: what is not of it in one way is left at that.
    ``walked``: with what each filter of the scheduler leaves of the nodes.
    """
    answers = _fit(world, trees, about=about, walked=walked)
    asking = [_unplaced(tree, world) for tree in trees]
    if any(asking):
        _share(world, trees, answers, asking)
    return answers


def _unplaced(tree: dict[str, Any], world: World) -> str:
    """The fact that nobody says about nodes that are away, where a job asks for a label by which these may differ."""
    for one in world.missing:
        if one.placed and (_speaks(tree.get("spec"), one.label) or "networkTopology" in str(tree.get("spec"))):
            return f"nobody says {one.what}"
    return ""


def _speaks(tree: Any, label: str) -> bool:
    """Whether a label stands anywhere in a tree, as a key or as a value."""
    if isinstance(tree, dict):
        return label in tree or any(_speaks(one, label) for one in tree.values())
    return any(_speaks(one, label) for one in tree) if isinstance(tree, list) else tree == label


def _share(world: World, trees: Sequence[dict[str, Any]], answers: list[Answer], asking: list[str]) -> None:
    """Leaves of answers what holds in whichever domains nodes are away."""
    assert world.ways is not None
    ways, whole = world.ways()
    played = [_fit(world.with_nodes(nodes), trees) for nodes in ways]
    for at, (answer, missing) in enumerate(zip(answers, asking, strict=True)):
        verdicts = {one[at].verdict for one in played}
        if not missing or answer.verdict == UNKNOWN or (whole and verdicts == {answer.verdict}):
            continue
        if not whole and (played[0][at].verdict == NEVER or played[1][at].verdict == FITS):
            # the best of all ways has no room, or the worst has
            chosen = played[0 if played[0][at].verdict == NEVER else 1][at]
            answer.take(chosen)
            continue
        answer.verdict, answer.reason, answer.helps = UNKNOWN, missing, []
        answer.bound, answer.placed, answer.nodes = 0, {}, []
        if answer.turn is not None:
            answer.turn.verdict, answer.turn.flavors, answer.turn.domains = UNKNOWN, {}, {}


def _fit(world: World, trees: Sequence[dict[str, Any]], *, about: str = "", walked: bool = False) -> list[Answer]:
    simulation = Simulation(world)
    first, settled = _way(world, trees, simulation, Spare(_placed_last), walked=walked)
    told = bool(about) and all(answer.verdict != about for answer in first)
    for reverse, last in () if told or settled or _certain(simulation) else _WAYS:
        others, _ = _way(world, trees, Simulation(world, reverse=reverse, last=last), Spare(_placed_last, 0))
        for answer, against in zip(first, others, strict=True):
            if answer.verdict != against.verdict:
                one, other = (_PHRASES.get(verdict, verdict) for verdict in (answer.verdict, against.verdict))
                answer.notes.append(f"it {one} or it {other}, by which of equal nodes or roles comes first")
                answer.verdict = UNKNOWN
                answer.reason = "what decides is left to chance"
                near = answer.near = _near(answer, simulation)
                if near:
                    answer.reason = f"the first pod chooses a domain of `{near}`, perhaps without room for the others"
                    answer.notes.append(_CHOOSING)
    return first


def _near(answer: Answer, simulation: Simulation) -> str:
    """The label by which pods of a job must be near each other, empty: by none; by the hostname it is a node."""
    own = [pod for pod in simulation.pods if pod.job in (answer.name, f"{answer.namespace}/{answer.name}")]
    return next((term.key for pod in own for term in pod.sort.affinity), "")


def _certain(simulation: Simulation) -> bool:
    """Whether nothing was left to chance: all pods are alike, and none asks where others are or which node it has.

    Labels, which none asks for, matter to Services alone, and these to which node is better, never to which will do.
    """
    alike: Sort | None = None
    for pod in simulation.pods:
        sort = pod.sort
        if alike is None:
            alike = sort
            if sort.affinity or sort.anti or sort.constraints or sort.claims or sort.volumes or sort.ports:
                return False
        elif sort is not alike and sort.body != alike.body:
            return False
    return True


def _led(simulation: Simulation) -> bool:
    """Whether each pod stands on the node that it asks for by name, so that no order and no choice could matter."""
    priorities = {pod.sort.priority for pod in simulation.pods}
    plain = all(pod.sort.plain and pod.node is not None and host(pod.sort) is not None for pod in simulation.pods)
    return plain and len(priorities) < 2


def _placed_last(world: World, trees: Sequence[dict[str, Any]]) -> bool:
    """Whether the last of jobs has a node for all of its pods."""
    simulation = Simulation(world)
    simulation.rest()
    manager = _queues(simulation)
    for tree in trees[:-1]:
        _submitted(simulation, tree, manager, walked=False)
    job, _, pods = _submitted(simulation, trees[-1], manager, walked=False)
    return not job.refused and len(pods) >= wanted(job) and all(node is not None for _, node in pods)


def _way(
    world: World, trees: Sequence[dict[str, Any]], simulation: Simulation, spare: Spare, *, walked: bool = False
) -> tuple[list[Answer], bool]:
    """(the answers, whether any other way would have the same)."""
    simulation.rest()
    manager = _queues(simulation)
    gangs = _gangs(simulation, world, trees) if manager is None or not any(map(is_queued, trees)) else None
    manager = manager if gangs is None else None
    answers = []
    groups = _grouped(trees) if manager is not None else {}
    parts: dict[int, tuple[Answer, Job, Sums | None]] = {}
    before: list[Before] = []
    for at, tree in enumerate(trees):
        held = _unlet(tree, manager)
        whole = tree if held else as_resumed(tree)
        job, own, pods = _submitted(simulation, whole, manager or gangs, walked)
        answer = Answer(job)
        answers.append(answer)
        answer.walks = own.walks if own is not None else []
        if held and not job.refused:
            answer.verdict, answer.reason = WAITS, held
            continue
        members = groups.get(at, ())
        if manager is not None and members and not job.refused:
            # the pods of a group are asked for together, once the last of them is there
            parts[at] = (answer, job, own)
            for one in members if at == members[-1] else ():
                if one in parts:
                    _answered(
                        *parts[one],
                        [(pod, pod.node) for pod in simulation.of(parts[one][1].id)],
                        simulation,
                        world,
                        trees[one],
                        manager,
                        spare,
                        before,
                    )
            continue
        if whole != tree:
            answer.notes.append("it is suspended, and asked for as if its queue had let it begin")
        unasked = is_queued(whole) and manager is None
        if unasked:
            answer.notes.append(_unasked(world))
        if job.refused:
            unseen = job.refused.endswith(UNSEEN) and not any(simulation.objects.knows(kind) for kind in RUNTIMES)
            answer.verdict = UNKNOWN if unseen else NEVER
            answer.reason = (
                f"no runtime is among the objects: {job.refused}" if unseen else f"it is refused: {job.refused}"
            )
        elif manager is not None:
            _answered(answer, job, own, pods, simulation, world, whole, manager, spare, before)
        elif gangs is not None and _apart(answer, job, gangs, world, whole):
            # nodes matter once its queue has room
            short = answer.turn is not None and any(one.short for one in answer.turn.sums)
            answer.sums = None if short else own
        else:
            answer.sums = own
            _judge(answer, job, pods, simulation, world, whole, spare, before, unasked=unasked)
        before.append((job.id, whole))
    return answers, manager is not None and not manager.evicted and _led(simulation)


def _unasked(world: World) -> str:
    """What is left out of an answer about a job of Kueue where nobody says what queues have."""
    if world.said:
        return (
            "a queue of Kueue lets it begin, and the cluster profile does not say what it has (`scheduling.queues`): "
            "nothing of a queue is asked"
        )
    return "a queue of Kueue lets it begin: whether and when is not asked here"


def _answered(
    answer: Answer,
    job: Job,
    own: Sums | None,
    pods: list[tuple[Pod, Node | None]],
    simulation: Simulation,
    world: World,
    tree: dict[str, Any],
    manager: Manager,
    spare: Spare,
    before: list[Before],
) -> None:
    """What becomes of a job that may have a queue."""
    if not _held(answer, job, manager, world, tree):
        answer.sums = own
        _judge(answer, job, pods, simulation, world, tree, spare, before, led=answer.turn is not None)


def _grouped(trees: Sequence[dict[str, Any]]) -> dict[int, list[int]]:
    """Plain pods of a group: the place of each → the places of all."""
    if all(tree.get("kind") != "Pod" for tree in trees):
        return {}
    from specgen.schedulers.kueue.answer import group_of

    found: dict[tuple[str, str], list[int]] = {}
    for at, tree in enumerate(trees):
        group = group_of(tree)
        if group is not None:
            found.setdefault(group, []).append(at)
    return {at: places for places in found.values() for at in places}


def _unlet(tree: dict[str, Any], manager: Manager | None) -> str:
    """Why nothing lets a suspended job begin, where others have queues that do; empty: something does."""
    if manager is None or as_resumed(tree) == tree:
        return ""
    from specgen.schedulers.kueue.answer import unlet

    return unlet(tree, manager)


def _queues(simulation: Simulation) -> Manager | None:
    """What lets jobs begin, where the world has queues."""
    if next(simulation.objects.of("ClusterQueue"), None) is None and not next(
        simulation.objects.of("LocalQueue"), None
    ):
        return None
    from specgen.schedulers.kueue.answer import manager_of  # most worlds have none

    return manager_of(simulation)


def _gangs(simulation: Simulation, world: World, trees: Sequence[dict[str, Any]]) -> Gangs | None:
    """The scheduler of gangs that one of the jobs names, itself or by its operator's flag."""
    from specgen.schedulers.coscheduling.configuration import SCHEDULER as COSCHEDULING
    from specgen.schedulers.coscheduling.configuration import schedulers

    own = schedulers(simulation.objects)
    words = [COSCHEDULING if flag in own else flag for _, flag in world.operators.values() if flag]
    for tree in trees:
        policy = _gang_of(tree, world)
        if str(tree.get("apiVersion")).startswith("batch.volcano.sh/") or "volcano" in policy:
            words.append("volcano")
        named = _schedulers(tree.get("spec"))
        words += [name for name in named if name == "volcano"]
        # the default scheduler may have the plugin as well, and leaves pods alone that are of no group
        grouped = SCHEDULER in own and ("coscheduling" in policy or COSCHEDULING_GROUP in str(tree.get("spec")))
        words += [COSCHEDULING for name in named or [SCHEDULER] if name in own and (name != SCHEDULER or grouped)]
    if not words:
        return None
    from specgen.schedulers.gang_answer import manager_of  # most jobs have none

    return manager_of(simulation, words[0]) if len(set(words)) == 1 else None


def _schedulers(tree: Any) -> list[str]:
    """The schedulers that pods of a job name."""
    if isinstance(tree, list):
        return [name for one in tree for name in _schedulers(one)]
    if not isinstance(tree, dict):
        return []
    own = tree.get("schedulerName")
    return [*([own] if isinstance(own, str) else []), *(name for one in tree.values() for name in _schedulers(one))]


def _gang_of(tree: dict[str, Any], world: World) -> dict[str, Any]:
    """The policy of the runtime that a TrainJob names."""
    if tree.get("kind") != "TrainJob":
        return {}
    named = mapping(mapping(tree.get("spec")).get("runtimeRef"))
    kind, name = str(named.get("kind") or "ClusterTrainingRuntime"), str(named.get("name"))
    namespace = namespace_of(tree)
    runtime = world.objects.named(kind, name, namespace if kind == "TrainingRuntime" else "default")
    return mapping(mapping(mapping(runtime).get("spec")).get("podGroupPolicy"))


def _apart(answer: Answer, job: Job, gangs: Gangs, world: World, tree: dict[str, Any]) -> bool:
    """Whether a gang waits, and for what."""
    from specgen.schedulers.gang_answer import judge

    found = judge(job, gangs, world, tree, lambda pods: _unlooked(pods) or _unsaid(pods, world) if pods else "")
    if found is not None:
        answer.turn = found.turn
    if found is None or found.verdict == FITS:
        return False
    answer.verdict, answer.reason, answer.helps = found.verdict, found.reason, found.helps
    answer.evicts += found.evicts
    if found.note:
        answer.notes.append(found.note)
    if found.later:
        answer.notes += _away(world)
    holders = _standing(gangs.simulation, job) if found.for_others else []
    if holders:
        answer.notes.append(f"it would fit if these were gone: {_called(holders)}")
    pods = gangs.simulation.of(job.id)
    answer.pods = wanted(job)
    answer.bound = sum(pod.node is not None for pod in pods)
    answer.placed = _placed([(pod, pod.node) for pod in pods])
    return True


def _submitted(
    simulation: Simulation, tree: dict[str, Any], manager: Manager | Gangs | None, walked: bool
) -> tuple[Job, Sums | None, list[tuple[Pod, Node | None]]]:
    job = simulation.submit(tree) if manager is None else manager.submit(tree)
    if job.refused:
        return job, None, []
    if manager is None:
        first = Sums(job, simulation, walked=walked)
        return job, first, through(job, simulation)
    begins = manager.begins(job) if hasattr(manager, "begins") else True
    own = Sums(job, simulation, walked=walked) if begins else None
    if hasattr(manager, "begins") and job.stages:
        return job, own, through(job, simulation, manager.rest)
    manager.rest()
    return job, own, [(pod, pod.node) for pod in simulation.of(job.id)]


def _held(answer: Answer, job: Job, manager: Manager, world: World, tree: dict[str, Any]) -> bool:
    """Whether a queue holds a job back; what it says of it."""
    from specgen.schedulers.kueue import answer as kueue

    unfollowed = kueue.unfollowed(tree, manager)
    if unfollowed:
        answer.verdict, answer.reason = UNKNOWN, unfollowed
        return True
    turn = answer.turn = kueue.turn(job, manager, world, tree)
    if turn is None:
        if is_queued(tree) and not manager.configuration.knows(tree):
            left_out = "`integrations.frameworks` of its configuration leaves that kind out"
            answer.notes.append(
                f"Kueue does not look after {article(job.kind)}: {left_out}, and no queue holds it back"
            )
        return False
    answer.evicts += turn.evicts
    answer.pods = turn.pods
    if turn.uncounted and (turn.cluster_queue, *turn.uncounted) not in manager.told:
        # once is enough
        manager.told.add((turn.cluster_queue, *turn.uncounted))
        answer.notes.append(_uncounted(turn))
    if turn.verdict == ADMITTED:
        if not turn.stated:
            answer.notes.append(f"nobody says what the queue {turn.queue} has: nothing is counted against it")
        return False
    answer.verdict = turn.verdict
    answer.reason = turn.message
    answer.helps = _beyond(turn, world, tree)
    if turn.later:
        answer.notes += _away(world)
    return True


def _beyond(turn: Turn, world: World, tree: dict[str, Any]) -> list[str]:
    """What helps with a queue, with what its pods need besides: a job that is admitted may find no nodes."""
    room, more = turn.pods, ""
    raised = turn.raised
    if raised is not None and raised.nodes and turn.pods <= MOST:
        then = _fit(raised, [tree])[0]
        if then.verdict == UNKNOWN:
            more = f" (whether its pods find nodes then is not known: {then.reason})"
        elif then.verdict == NEVER:
            from specgen.schedulers.kueue.above import placed

            found = placed(raised, tree)
            room, groups = len(found), [pod.node.kind.nodes for pod in found if pod.node is not None]
            nodes = more_nodes(raised, groups, found, lambda grown: len(placed(grown, tree)) >= turn.pods)
            more = f", and {nodes}" if nodes else f", with which {room} of {turn.pods} pods find a node: {then.reason}"
    made = [f"{one}{more}" for one in turn.helps]
    fewer = min(turn.fewer, room)
    return [*made, *([f"fewer pods: {fewer} of {turn.pods} are admitted"] if fewer else [])]


def _uncounted(turn: Turn) -> str:
    """What becomes of a job in Kueue that asks for what its queue has no amount of.

    apis/config/v1beta2/configuration_types.go, Resources.
    """
    names, verb = listed(turn.uncounted), "are" if len(turn.uncounted) > 1 else "is"
    return (
        f"{names} {verb} not in the quota of {turn.queue}, and not counted: by default Kueue never admits such a job "
        "(`quotaCheckStrategy: IgnoreUndeclared` in its configuration does); `undeclared: block` counts it so"
    )


def _judge(
    answer: Answer,
    job: Job,
    pods: list[tuple[Pod, Node | None]],
    simulation: Simulation,
    world: World,
    tree: dict[str, Any],
    spare: Spare,
    before: list[Before],
    *,
    led: bool = False,
    unasked: bool = False,
) -> None:
    """``led``: a queue has let the job begin, and its flavors lead its pods to nodes; ``unasked``: one would have to,
    and is not asked."""
    waiting = [pod for pod, node in pods if node is None]
    answer.pods = wanted(job)
    answer.bound = len(pods) - len(waiting)
    answer.placed = _placed(pods)
    stands: dict[tuple[str, str, str], int] = {}
    for pod, node in pods:
        if node is not None:
            where = (node.kind.nodes.group, node.name, pod.role)
            stands[where] = stands.get(where, 0) + 1
    answer.nodes = [(*where, count) for where, count in stands.items()]
    answer.waiting = _waiting(waiting, simulation)
    answer.unmade = max(0, answer.pods - len(pods))
    answer.evicts += list(
        dict.fromkeys(pod.job or f"pod {pod.name}" for pod in simulation.evicted if pod.job != job.id)
    )
    unpriced = _unpriced([pod for pod in simulation.evicted if pod.job != job.id], world)
    simulation.evicted.clear()
    fault = next((pod.sort.fault for pod, _ in pods if pod.sort.fault), "")
    if fault:
        answer.verdict, answer.reason = UNKNOWN, fault
        return
    if job.left_out:
        answer.verdict, answer.reason = UNKNOWN, f"it has {job.left_out} pods more than are looked at"
        return
    if simulation.unclaimed and any(pod.sort.claims or simulation.cluster.claims_more(pod.sort) for pod, _ in pods):
        answer.verdict = UNKNOWN
        answer.reason = f"nobody says which devices {simulation.unclaimed} has, which is there already"
        return
    if unpriced:
        answer.verdict, answer.reason = UNKNOWN, unpriced
        return
    if not waiting and answer.bound >= answer.pods:
        if answer.pods == 0 and job.told:
            # what its pods would come of is refused
            answer.verdict, answer.reason = NEVER, next(iter(job.told))
            return
        if answer.pods == 0:
            answer.notes.append("it makes no pods")
        answer.verdict, answer.reason = FITS, _where(answer)
        return
    missing = _unlooked(waiting) or _nobody(waiting) or _unsaid(waiting, world)
    kept_out = _kept_out(job, tree, world, simulation) if missing else ""
    if kept_out:
        # whatever nodes there are: operators make pods without a look at them
        answer.verdict, answer.reason = NEVER, kept_out
        answer.waiting = []
        answer.helps = naming(job.unnamed)
        answer.cluster = _said(answer, world, kept_out)
        return
    if missing:
        answer.verdict, answer.reason = UNKNOWN, missing
        if answer.sums is not None:
            answer.sums.unsaid = {pod.role: key for pod in waiting for key in _unlabelled(pod, world)[:1]}
        return
    told = answer.waiting[0].message if answer.waiting else next(iter(job.told), "no pod is made")
    # what follows is about preemption
    said = told.partition(". no new claims")[0].partition(". still not schedulable")[0]
    empty = world.emptied(simulation.objects)
    if led:
        from specgen.schedulers.kueue.above import placed

        room, back = placed(world, tree), world.returned()
        later = len(room) < answer.pods and back is not None and len(placed(back, tree)) >= answer.pods
    else:
        alone = Simulation(empty)
        own = alone.submit(tree)
        room = [] if own.refused else [pod for pod, node in through(own, alone) if node is not None]
        later = len(room) < answer.pods and _later(tree, empty, answer.pods)
    if len(room) < answer.pods and not later:
        answer.verdict, answer.reason = NEVER, said
        few = f"fewer pods: {len(room)} of {answer.pods} find room in the flavors that the queue gives them"
        answer.helps = ([few] if room else []) if led else helps(tree, empty, answer.pods)
        answer.helps = naming(job.unnamed) or answer.helps
    elif job.kind != "Job" and any(_holds(pod) for pod, _ in pods):
        answer.verdict = HANGS
        answer.reason = f"{answer.bound} of {answer.pods} pods have a node and hold it, the others wait: {said}"
        answer.helps = [_COUNTING if led else _GANG]
    else:
        answer.verdict, answer.reason = WAITS, said
    if later:
        answer.notes += _away(world)
    if answer.verdict == NEVER and world.partial and any(map(_plain, waiting)):
        answer.notes.append(ELSEWHERE)
    if answer.verdict == NEVER and answer.bound:
        held = f"{answer.bound} of its {answer.pods} pods get a node all the same, and hold it"
        answer.notes.append(f"if the queue admits it, {held}" if unasked else held)
    unpriced = _unpriced(waiting, world) if answer.verdict != NEVER else ""
    if unpriced:
        answer.verdict, answer.reason = UNKNOWN, unpriced
        return
    answer.cluster = _said(answer, world, told)
    if answer.verdict in (WAITS, HANGS) and not later:
        holders = spare.gone(world, before, tree, _standing(simulation, job))
        if holders:
            answer.notes.append(f"it would fit if these were gone: {_called(holders)}")


def _later(tree: dict[str, Any], empty: World, pods: int) -> bool:
    """Whether a job would fit nodes without a pod once those that are away are back."""
    whole = empty.returned()
    if whole is None:
        return False
    simulation = Simulation(whole)
    job = simulation.submit(tree)
    return not job.refused and sum(node is not None for _, node in through(job, simulation)) >= pods


def _away(world: World) -> list[str]:
    """Which nodes take no new pods now."""
    counts: dict[tuple[str, bool], int] = {}
    for nodes in world.nodes:
        if nodes.returned() is not None:
            key = (nodes.group, nodes.unschedulable)
            counts[key] = counts.get(key, 0) + nodes.count
    return [
        f"{plural(count, 'node')} of {group} {'is' if count == 1 else 'are'} "
        f"{'cordoned' if cordoned else 'not well, as taints say'}: it would fit with {'it' if count == 1 else 'them'}"
        for (group, cordoned), count in counts.items()
    ]


def _kept_out(job: Job, tree: dict[str, Any], world: World, simulation: Simulation) -> str:
    """Why the API server takes no pod of a job by a quota or the limits of its namespace, which nothing else uses."""
    if not any(one.startswith("Pod ") for one in job.told):
        return ""
    alone = Simulation(world.emptied(simulation.objects))
    own = alone.submit(tree)
    if not own.refused:
        through(own, alone)
    return next((one for one in own.told if one.startswith("Pod ")), "")


def _said(answer: Answer, world: World, told: str) -> list[tuple[Path, str]]:
    """What of the cluster profile keeps pods waiting, or from being made."""
    if not world.said:
        return []
    if not answer.waiting:
        keys = [("quota" if "quota" in told else "limits", answer.namespace)]
        return [world.said[key] for key in keys if key in world.said]
    found: dict[tuple[str, ...], None] = {}
    for row in deciding(answer.rows):
        if row.barred:
            found["taint" if "taint" in row.barred else "label", row.group] = None
        elif row.each * row.nodes > row.there:
            found["amount", row.group, row.resource] = None
        else:
            found["nodes", row.group] = None
    return [world.said[key] for key in found if key in world.said]


def wanted(job: Job) -> int:
    """Pods that the job runs with."""
    return sum(unit.size for unit in job.units)


def _placed(pods: list[tuple[Pod, Node | None]]) -> dict[str, dict[str, list[int]]]:
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for pod, node in pods:
        if node is not None:
            own = counts.setdefault((pod.role, node.kind.nodes.group), {})
            own[node.name] = own.get(node.name, 0) + 1
    made: dict[str, dict[str, list[int]]] = {}
    for (role, group), own in counts.items():
        made.setdefault(role, {})[group] = sorted(own.values(), reverse=True)
    return made


def _waiting(pods: list[Pod], simulation: Simulation) -> list[Waiting]:
    found: dict[tuple[str, str | None], list[Pod]] = {}
    for pod in pods:
        found.setdefault((pod.role, pod.message), []).append(pod)
    made = []
    for (role, message), own in found.items():
        by: dict[tuple[str, str], int] = {}
        _, refused = simulation.look(own[0])
        for shelf, status in refused.by:
            for reason in status.reasons:
                key = (shelf.kind.nodes.group, reason)
                by[key] = by.get(key, 0) + shelf.count
        told = [(group, count, reason) for (group, reason), count in by.items()]
        made.append(Waiting(role, len(own), message or "no scheduler has looked at it", told))
    return made


def _nobody(pods: list[Pod]) -> str:
    """The fact that is missing where nobody looks at pods."""
    for pod in pods:
        if pod.sort.scheduler != SCHEDULER:
            return f"what the scheduler `{pod.sort.scheduler}` decides is not known here"
        if pod.reason is None and sequence(pod.spec.get("resourceClaims")):
            claims = [mapping(one) for one in sequence(pod.spec.get("resourceClaims"))]
            names = [str(one.get("resourceClaimTemplateName") or one.get("resourceClaimName")) for one in claims]
            return f"a device claim is not among the objects: {', '.join(names)}"
    return ""


def _holds(pod: Pod) -> bool:
    """Whether a pod holds devices."""
    return pod.node is not None and (bool(pod.sort.claims) or any("/" in name for name in pod.sort.asks))


def _unlooked(pods: list[Pod]) -> str:
    """The fact about a node that was missing when pods were tried there."""
    return next((pod.unknown for pod in pods if pod.unknown), "")


def _unpriced(pods: list[Pod], world: World) -> str:
    """The fact that is missing of the priority of pods, which may take the place of others, or lose their own."""
    for pod in pods if world.partial else ():
        name = pod.spec.get("priorityClassName")
        if name and "priority" not in pod.spec:
            return f"nobody says what the priority `{name}` is worth: `scheduling.priorities.{name}.value`"
    return ""


def _unsaid(pods: list[Pod], world: World) -> str:
    """The fact about the world that is missing to refuse pods."""
    matters = _matters(pods, world.missing)
    if matters:
        return matters
    if not world.partial:
        return ""
    for pod in pods:
        for name in pod.sort.asks:
            if not any(name in nodes.allocatable or name in nodes.unknown for nodes in world.nodes):
                return f"nobody says which nodes have `{name}`, and how much: {_line(name, world)}"
        for key in _unlabelled(pod, world):
            return f"nobody says which nodes have the label `{key}`: `pools.NAME.labels`"
        if _plain(pod) and not any(map(_bare, world.nodes)):
            return f"nobody says whether there are nodes beside the pools, for a pod without devices ({pod.role})"
    return ""


def _unlabelled(pod: Pod, world: World) -> list[str]:
    """Labels that a pod asks for, and of which nobody says which nodes have them."""
    if not world.partial:
        return []
    labelled = {HOSTNAME, *(key for nodes in world.nodes for key in nodes.labels)}
    return [key for key in _labels(pod) if key not in labelled]


def _plain(pod: Pod) -> bool:
    """Whether a pod asks for no device."""
    return not any("/" in name for name in pod.sort.asks) and not pod.sort.claims


def _bare(nodes: Nodes) -> bool:
    """Whether nodes have no devices: a profile that names such nodes names those for pods without devices."""
    return not nodes.devices and not any("/" in name for name in (*nodes.allocatable, *nodes.unknown))


def _line(resource: str, world: World) -> str:
    """The word of a pool that says how much of a resource a node has."""
    amount = "64Gi" if resource.startswith("hugepages-") else "8"
    pools = dict.fromkeys(nodes.group for nodes in world.nodes)
    return f"`pools.{next(iter(pools)) if len(pools) == 1 else 'NAME'}.nodes.allocatable: {{{resource}: {amount}}}`"


def _matters(pods: list[Pod], missing: list[Missing]) -> str:
    """The first of facts that nobody says which matters to pods."""
    for one in missing:
        if one.placed:
            continue  # each way in which nodes may be away is played
        if not one.label or any(one.label in _labels(pod, named=one.named) for pod in pods):
            return f"nobody says {one.what}"
    return ""


def _labels(pod: Pod, *, named: bool = False) -> list[str]:
    """Labels of nodes that a pod asks for; by the hostname every node is a domain, whatever it is called.

    ``named``: of which it asks for a value.
    """
    sort = pod.sort
    terms = [mapping(term) for term in sort.terms or ()]
    domains = [*(term.key for term in sort.affinity), *(one.key for one in sort.constraints if one.hard)]
    domains = [] if named else domains
    return [
        *(key for key, _, _ in sort.selector),
        *(key for term in terms for key, _, _ in expressions(term.get("matchExpressions"))),
        *(key for key in domains if key != HOSTNAME),
    ]


def _where(answer: Answer) -> str:
    groups: dict[str, int] = {}
    for own in answer.placed.values():
        for group, counts in own.items():
            groups[group] = groups.get(group, 0) + sum(counts)
    return ", ".join(f"{count} on {group}" for group, count in groups.items())


def _standing(simulation: Simulation, job: Job) -> list[Pod]:
    """Who stands on nodes besides the job."""
    return [pod for pod in simulation.pods if pod.node is not None and pod.job != job.id]


def _called(pods: list[Pod]) -> str:
    found = list(dict.fromkeys(pod.job or f"{pod.namespace}/{pod.name}" for pod in pods))
    return ", ".join(found if len(found) < 6 else [*found[:5], f"{len(found) - 5} more"])
