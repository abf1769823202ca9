"""Will it be placed: a verdict a job, the sums behind it, and the smallest change that would help.

Jobs are asked in order, like submissions. What the real programs leave to chance is played out in two ways; a verdict
that depends on it says so. Each help is tried before it is offered.
"""

from __future__ import annotations

from specgen.diagnostics.model import article, listed
from specgen.manifest.views import mapping
from specgen.operators.expand import as_resumed, is_queued
from specgen.operators.kubernetes.objects import namespace_of
from specgen.operators.queues import COSCHEDULING_GROUP, KUEUE_SINCE, kueue_lacks
from specgen.operators.trainer.facts import RUNTIMES, UNSEEN
from specgen.schedulers.helps import MOST, more_nodes
from specgen.schedulers.judge import away, by_group, called, on_nodes, standing, wanted
from specgen.schedulers.kube.nodeaffinity import host
from specgen.schedulers.pods import SCHEDULER
from specgen.schedulers.simulate import Simulation
from specgen.schedulers.spared import Spare
from specgen.schedulers.stages import through
from specgen.schedulers.sums import Sums
from specgen.schedulers.turns import ADMITTED
from specgen.schedulers.unsaid import unlooked, unplaced, unsaid
from specgen.schedulers.verdict import FITS, NEVER, UNKNOWN, WAITS, Answer
from specgen.schedulers.world import World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from specgen.schedulers.gang_answer import Gangs
    from specgen.schedulers.jobs import Job
    from specgen.schedulers.kube.state import Node
    from specgen.schedulers.kueue.manager import Manager
    from specgen.schedulers.pods import Pod, Sort
    from specgen.schedulers.spared import Before
    from specgen.schedulers.turns import Turn

# What is said of a job, where the verdict is no verb.
_PHRASES = {NEVER: "never fits", UNKNOWN: "is unknown"}
# Who looks for a domain that holds all pods before the first of them is placed.
_CHOOSING = "Kueue with a Topology, or Volcano with HyperNodes, chooses a domain that holds all pods before one begins"
# Other ways that a world may take: of the order of roles, and of equal nodes.
_WAYS = ((True, True),)


def fit(world: World, trees: Sequence[dict[str, Any]], *, about: str = "", walked: bool = False) -> list[Answer]:
    """The answers for jobs that are submitted in this order.

    ``about``: a verdict, where the caller asks for no other: what is not of it in one way is left at that.
    ``walked``: with what each filter of the scheduler leaves of the nodes.
    """
    answers = _fit(world, trees, about=about, walked=walked)
    asking = [unplaced(tree, world) for tree in trees]
    if any(asking):
        _share(world, trees, answers, asking)
    return answers


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
            on_nodes(answer, job, pods, simulation, world, whole, spare, before, unasked=unasked)
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
        on_nodes(answer, job, pods, simulation, world, tree, spare, before, led=answer.turn is not None)


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

    found = judge(job, gangs, world, tree, lambda pods: unlooked(pods) or unsaid(pods, world) if pods else "")
    if found is not None:
        answer.turn = found.turn
    if found is None or found.verdict == FITS:
        return False
    answer.verdict, answer.reason, answer.helps = found.verdict, found.reason, found.helps
    answer.evicts += found.evicts
    if found.note:
        answer.notes.append(found.note)
    if found.later:
        answer.notes += away(world)
    holders = standing(gangs.simulation, job) if found.for_others else []
    if holders:
        answer.notes.append(f"it would fit if these were gone: {called(holders)}")
    pods = gangs.simulation.of(job.id)
    answer.pods = wanted(job)
    answer.bound = sum(pod.node is not None for pod in pods)
    answer.placed = by_group([(pod, pod.node) for pod in pods])
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
        if is_queued(tree) and not manager.looks_after(tree):
            left_out = "`integrations.frameworks` of its configuration leaves that kind out"
            if kueue_lacks(tree.get("kind"), manager.release):
                left_out = f"{manager.release} is older than {KUEUE_SINCE[job.kind]}, the first that knows that kind"
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
        answer.notes += away(world)
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
