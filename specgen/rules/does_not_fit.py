"""Pods of a manifest that the pools of the cluster profile cannot hold (``profile.codes`` has the page).

Pods that ask for a device land on nodes of the pools that have it. All others may land anywhere: they are counted on
all pools where a pool without devices is among these, and else may land on nodes that no profile names. The bounds are
those of ``operators.kubernetes.room``, as for profiles. Where they do not decide, kube-scheduler does
(``schedulers.fit``): affinity, spread, pods of several sizes, pods a node, claims, and what a namespace allows.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, UNSAFE, WARNING, Fix, Place, listed, plural, shown
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.resources import is_extended
from specgen.operators.kubernetes.room import APART, EACH, ELSEWHERE, SUM, Nodes, host_ports, shortage
from specgen.profile.codes import DOES_NOT_FIT
from specgen.rules import ALL, AMOUNTS, POOLS, WORKLOAD
from specgen.rules._gathered import has_amounts
from specgen.rules._pools import (
    amount,
    bare,
    barred,
    bars,
    claimed,
    classed,
    counted_at,
    labels_of,
    marked_at,
    offered_at,
    offers,
    shared,
    spelled,
    unlabelled,
    unselected,
    untolerated,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role, Workload
    from specgen.profile.cluster import Pool
    from specgen.rules import Context
    from specgen.schedulers.verdict import Answer
    from specgen.source import Path

CODE = DOES_NOT_FIT
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (AMOUNTS, POOLS)

# Of more pods the bound alone is said: it is certain, and the scheduler would be asked for each of them.
_EXPLAINED = 200
_HOSTNAME = "kubernetes.io/hostname"
_WAIT = "the pods stay Pending for ever"
_UNMADE = "the API server refuses each pod that the operator makes; events of the job alone say so"
_UNMADE_ONES = "the API server refuses those pods; events of the job alone say so"
_BY_ITSELF = "nothing else is in the namespace here: what is used is what the job's own pods before it ask for"
_HOLD = "those that are placed hold their {} and wait"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


class Pods:
    """Pods that are alike: their roles, how many, what one asks for, its ports of the node, and who may take it.

    ``where``: what a pod must find of nodes and of other pods, beyond its asks; ``anywhere``: any empty node has it;
    ``plain``: a pod asks for no device.
    """

    __slots__ = (
        "_alone",
        "_context",
        "_single",
        "anywhere",
        "asks",
        "plain",
        "pods",
        "pools",
        "ports",
        "roles",
        "spread",
        "where",
    )

    def __init__(
        self, role: Role, asks: dict[str, int], pod: dict[str, object], pools: dict[str, Pool], context: Context
    ) -> None:
        self.roles = [role]
        self.pods = role.replicas
        self.asks = asks
        self.plain = _is_plain(asks, pod)
        # on the node's network, those that the operator adds are the node's, too
        made = context.pods(role)[:1] if pod.get("hostNetwork") is True else []
        self.ports = host_ports(mapping(made[0].get("spec")) if made else pod)
        self.pools = pools
        alone, others = _required(pod)
        others += _wished(role)
        self.where = [*others, *alone]
        self.anywhere = not others
        self._alone, self._context = alone, context
        self._single: bool | None = None if alone else False
        self.spread = False

    @property
    def single(self) -> bool:
        """Whether they keep each other off a node; worked out once it matters."""
        if self._single is None:
            from specgen.rules._world import meets_itself  # most pods go anywhere

            self._single = meets_itself(self.roles[0], self._alone, self._context)
        return self._single


def _wished(role: Role) -> list[dict[str, Any]]:
    """The domains of a topology that pods must have together, where Kueue reads it."""
    annotations = mapping(mapping(mapping(role.template).get("metadata")).get("annotations"))
    if not annotations:
        return []
    from specgen.operators.queues import REQUIRED, SLICE  # most pods have no annotation

    return [{key: annotations[key]} for key in (REQUIRED, SLICE) if key in annotations]


def _is_plain(asks: dict[str, int], pod: dict[str, object]) -> bool:
    """Whether a pod asks for no device."""
    return not pod.get("resourceClaims") and not any([is_extended(what) for what in asks])


def _required(pod: dict[str, object]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What a pod must find: terms that keep others off its node, which an empty one meets, and all else that no bound
    counts. What it prefers keeps it from nowhere."""
    alone: list[dict[str, Any]] = []
    others: list[dict[str, Any]] = []
    for sort, said in mapping(pod.get("affinity")).items():
        terms = mapping(said).get(_REQUIRED)
        if sort != "podAntiAffinity":
            others += [{sort: terms}] if terms else []
            continue
        for term in (mapping(one) for one in sequence(terms)):
            (alone if term.get("topologyKey") == _HOSTNAME else others).append(term)
    spread = (mapping(one) for one in sequence(pod.get("topologySpreadConstraints")))
    others += [one for one in spread if one.get("whenUnsatisfiable") != "ScheduleAnyway"]
    return alone, others


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """For each role why no pool takes one of its pods; then the first bound that all of them break together."""
    cluster, reader = context.cluster, context.reader
    if cluster is None or reader is None:
        return
    sorts: list[Pods] = []
    claiming: list[Pods] = []
    told = False
    roles = [role for role in workload.roles if role.replicas > 0 and reader.makes_pods(role)]
    # a profile that names nodes without devices names those of pods without devices, too
    anywhere = cluster.pools if any([bare(pool) for pool in cluster.pools.values()]) else {}
    borne = _brought(workload, context)
    for role in roles:
        pod = mapping(reader.sent(role).get("spec"))
        if borne:
            pod = {**pod, "tolerations": [*sequence(pod.get("tolerations")), *borne]}
        asks, wanted = context.asks(role)
        claims = [mapping(one).get("resourceClaimTemplateName") for one in sequence(pod.get("resourceClaims"))]
        pools = cluster.pools if claims else {}  # most pods claim nothing
        lending = {
            name: pool for name, pool in pools.items() if classed(pool) or any(one in claims for one in claimed(pool))
        }
        if lending:
            own = Pods(role, asks, pod, lending, context)
            own.where += sequence(pod.get("resourceClaims"))
            claiming.append(own)
        if wanted:
            having = {
                name: pool for name, pool in cluster.pools.items() if all(name in found for found in wanted.values())
            }
        elif anywhere and _is_plain(asks, pod) and not unlabelled(pod, anywhere):
            having = anywhere
        else:
            continue
        found, kept = _one_pod(role, pod, asks, having, list(wanted))
        yield from found
        told = told or bool(found)
        if kept:
            sorts.append(Pods(role, asks, pod, kept, context))
    short = workload.operator == "volcano" and _starts_short(workload, sorts)
    if short or any(_comes_after(role) for sort in (*sorts, *claiming) for role in sort.roles):
        # those that come one after the other are counted alone
        for sort in sorts:
            yield from _all_pods(workload, [sort])
        return
    merged = _merged(sorts)
    for together in _together(merged):
        for finding in _all_pods(workload, together):
            if not told and sum(sort.pods for sort in together) <= _EXPLAINED:
                _explained(finding, workload, context)
            told = True
            yield finding
    namespace = str(mapping(workload.manifest.tree.get("metadata")).get("namespace") or "")
    bounded = namespace in cluster.namespaces and roles
    asked_for = bounded or claiming or (merged and _undecided(merged))
    if not told and asked_for and not _starts_short(workload, [*merged, *claiming]):
        yield from _scheduled(workload, context, roles, _merged(claiming) or merged)


def _brought(workload: Workload, context: Context) -> list[dict[str, Any]]:
    """The tolerations that Kueue puts into the pods as it admits the job, where the files say so."""
    if not context.companions or not _is_queued(workload):
        return []
    from specgen.operators.queues import KUEUE_QUEUE  # few jobs stand beside their queue
    from specgen.rules._queues import brought

    return brought(str(mapping(workload.manifest.tree["metadata"])["labels"][KUEUE_QUEUE]), workload, context)


def _comes_after(role: Role) -> bool:
    """Whether a role's pods come when others have ended; those that wait for ready ones run beside them."""
    before = role.tree.get("dependsOn")
    if isinstance(before, dict):
        return True  # a Volcano Job's
    return any(mapping(one).get("status") != "Ready" for one in sequence(before))


def _one_pod(
    role: Role, pod: dict[str, object], asks: dict[str, int], having: dict[str, Pool], wanted: list[str]
) -> tuple[list[Finding], dict[str, Pool]]:
    """Why none of the pools that have the devices takes a pod, and the pools that do."""
    if not having:
        message = f"no pool of the cluster profile has {listed(wanted)} together"
        return [DOES_NOT_FIT.at(_place(role, wanted[0]), message, notes=[_WAIT])], {}
    # where the pods select the nodes of some pools, these are meant, whatever keeps them off or lacks there
    having = {name: pool for name, pool in having.items() if not unselected(pod, pool)} or having
    allowed = {name: pool for name, pool in having.items() if not barred(pod, pool)}
    large = {
        name: [what for what, offered in offers(pool).items() if asks.get(what, 0) > offered]
        for name, pool in having.items()
    }
    kept = {name: pool for name, pool in allowed.items() if not large[name]}
    if kept:
        return [], kept
    # without any that would hold them, what keeps the pods off says nothing; nodes with devices are kept for others
    meant = having if wanted else {name: pool for name, pool in having.items() if bare(pool)} | having
    roomy = {name: pool for name, pool in meant.items() if name not in allowed and not large[name]}
    if allowed and (not roomy or not wanted):
        what = large[next(iter(allowed))][0]
        name = max((one for one in allowed if what in large[one]), key=lambda one: offers(allowed[one])[what])
        message = f"a pod with {spelled(what, asks[what])} fits no node of {_pools(list(allowed))}"
        has = spelled(what, offers(allowed[name])[what])
        notes = [f"one node of `{name}` has {has}", *_elsewhere(not wanted), _WAIT]
        finding = DOES_NOT_FIT.at(_place(role, what), message, label="for one pod", notes=notes)
        finding.cluster = [offered_at(name, allowed[name], what)]
        return [finding], {}
    finding = _kept_off(role, pod, roomy or having, wanted)
    for name in allowed:
        what = large[name][0]
        finding.notes.insert(
            0, f"one node of `{name}`, where they may go, has {spelled(what, offers(having[name])[what])}"
        )
        finding.cluster.append(offered_at(name, having[name], what))
    return [finding], {}


def _kept_off(role: Role, pod: dict[str, object], pools: dict[str, Pool], wanted: list[str]) -> Finding:
    """What keeps pods off the nodes of pools that would hold them."""
    name = max(pools, key=lambda one: shared(pod, pools[one]))
    what, kind = bars(pod, pools[name])
    taint = kind == "taint"
    # the admission plugin ExtendedResourceToleration lets pods bear the taint that is called as their device
    soft = ""
    if any(_borne_by_device(pod, pool, wanted) for pool in pools.values()):
        soft = "unless the cluster makes pods bear the taint of a device that they ask for"
    elif taint and _is_queued(role.workload):
        soft = "unless the flavor that Kueue gives them has the toleration"
    notes = [*([soft] if soft else []), *_elsewhere(not wanted), _WAIT]
    selected = "nodeSelector" if what in mapping(pod.get("nodeSelector")) or "affinity" not in pod else "affinity"
    path: Path = (*role.pod_path, "tolerations" if taint else selected)
    who = f"the pods of `{role.name}`"
    message = (
        _intolerant(who, pod, name, pools[name], wanted) if taint else _unselected(who, pod, what, name, pools[name])
    )
    severity = WARNING if soft else None
    fix = _tolerating(role, pod, pools[name]) if taint else None
    finding = DOES_NOT_FIT.at(Place(path, KEY), message, notes=notes, severity=severity, fix=fix)
    finding.cluster = [marked_at(name, kind)]
    return finding


def _borne_by_device(pod: dict[str, object], pool: Pool, wanted: list[str]) -> bool:
    """Whether nothing but taints that are called as devices of the pods keeps these off a pool."""
    taints = list(untolerated(pod, pool))
    return bool(taints) and all(one.key in wanted for one in taints) and not unselected(pod, pool)


def _intolerant(who: str, pod: dict[str, object], name: str, pool: Pool, wanted: list[str]) -> str:
    """Says that pods do not tolerate a taint; with what they tolerate of it, if that is another effect or value."""
    # one that nobody else bears for them comes first
    taint = min(untolerated(pod, pool), key=lambda one: one.key in wanted)
    near = [one for one in map(mapping, sequence(pod.get("tolerations"))) if one.get("key") == taint.key]
    for one in near:
        if one.get("effect") not in (None, "", taint.effect):
            said = f"{who} tolerate `{taint.key}` with the effect `{shown(one['effect'])}`"
            return f"{said}, and the taint of the pool `{name}` has the effect `{taint.effect}`"
    for one in near:
        if one.get("operator") != "Exists" and (one.get("value") or "") != (taint.value or ""):
            said = f"{who} tolerate `{taint.key}` with the value `{shown(one.get('value') or '')}`"
            return f"{said}, and the taint of the pool `{name}` has the value `{taint.value or ''}`"
    return f"{who} do not tolerate `{taint.key}`, a taint of the pool `{name}`"


def _unselected(who: str, pod: dict[str, object], what: str, name: str, pool: Pool) -> str:
    """Says that pods select other nodes by a label; with both values, if those of the pool have it with another one."""
    asked, has = mapping(pod.get("nodeSelector")).get(what), labels_of(pool).get(what)
    if not has:
        return f"{who} select nodes by a `{shown(what)}` that those of the pool `{name}` do not have"
    values = listed([shown(one) for one in ([has] if isinstance(has, str) else has)])
    said = f"with `{shown(what)}: {shown(asked)}`" if isinstance(asked, str) else f"with another `{shown(what)}`"
    return f"{who} select nodes {said}, and those of the pool `{name}` have {values}"


def _tolerating(role: Role, pod: dict[str, object], pool: Pool) -> Fix | None:
    """Tolerations of all taints that keep pods off a pool; None where the pod is written elsewhere."""
    from specgen.rules._remedies import add, put  # most pods find room

    tree, path = role.workload.manifest.tree, (*role.pod_path, "tolerations")
    own: Any = tree
    for step in role.pod_path:
        own = (
            own[step]
            if isinstance(own, list) and isinstance(step, int) and step < len(own)
            else mapping(own).get(str(step))
        )
    if own is not role.pod:  # it is the runtime's
        return None
    missing: list[dict[str, str]] = []
    for taint in untolerated(pod, pool):
        how = {"operator": "Equal", "value": taint.value} if taint.value else {"operator": "Exists"}
        missing.append({"key": str(taint.key), **how, "effect": taint.effect})
    listed_ = isinstance(role.pod.get("tolerations"), list)
    changes = [add(tree, path, one) for one in missing] if listed_ else [put(tree, path, missing)]
    return Fix(f"tolerate {listed([one['key'] for one in missing])}", UNSAFE, changes)


def _merged(sorts: list[Pods]) -> list[Pods]:
    """Roles whose pods are alike as one sort."""
    kept: list[Pods] = []
    for sort in sorts:
        about = (sort.asks, sort.ports, sort.where, list(sort.pools))
        twin = next((one for one in kept if (one.asks, one.ports, one.where, list(one.pools)) == about), None)
        if twin is None:
            kept.append(sort)
        else:
            twin.roles += sort.roles
            twin.pods += sort.pods
    return kept


def _together(sorts: list[Pods]) -> Iterator[list[Pods]]:
    """Pods that can run nowhere else than on the pools of one of them."""
    done: list[list[str]] = []
    for sort in sorts:
        names = list(sort.pools)
        if names not in done:
            done.append(names)
            yield [one for one in sorts if set(one.pools) <= set(names)]


def _all_pods(workload: Workload, sorts: list[Pods]) -> Iterator[Finding]:
    pools = max((sort.pools for sort in sorts), key=len)
    if any(not amount(pool) for pool in pools.values()) or _starts_short(workload, sorts):
        return
    if all(_is_ample(sort, sorts) for sort in sorts):
        return
    short = shortage(sorts, [Nodes(amount(pool), offers(pool)) for pool in pools.values()])
    if short is None:
        return
    found: list[Pods] = short.sorts
    roles = [role for sort in found for role in sort.roles]
    last, names = roles[-1], listed([role.name for role in roles])
    pods = sum(sort.pods for sort in found)
    has = [_has(name, pool, short.what) for name, pool in pools.items()]
    who = f"{plural(pods, 'pod')} of {names}"
    if short.bound == SUM:
        message = (
            f"{names} lack {spelled(short.what, short.total - short.room)}: {_pools(list(pools))} cannot hold them"
        )
    else:
        message = f"{who} {'do' if pods > 1 else 'does'} not fit: {has[0]}"
    notes = [f"there is room for {plural(short.room, 'pod')}"] if short.bound == EACH else has
    if short.bound == EACH and short.what:
        notes = [f"a pod asks for {spelled(short.what, found[0].asks[short.what])}", *notes]
    elif short.bound in (EACH, APART) and found[0].ports:
        port = next(one for one in found[0].ports if all(one in sort.ports for sort in found))
        notes = [f"one pod a node, as on the node's network its port {port} is the node's", *notes]
    if len(has) > 1 and short.bound == EACH:
        notes += has[1:]
    finding = DOES_NOT_FIT.at(
        last.replicas_place,
        message,
        label=_label(roles),
        related=[(role.replicas_place, plural(role.replicas, "pod")) for role in roles[:-1]],
        notes=[*notes, *_elsewhere(any(sort.plain for sort in found)), _hold(workload, sorts)],
    )
    finding.cluster = _counted(pools)
    yield finding


def _explained(finding: Finding, workload: Workload, context: Context) -> None:
    """Adds to a bound that is broken what the scheduler says, and what would help."""
    from specgen.rules._world import asked as answers  # most jobs break none
    from specgen.schedulers.verdict import NEVER

    for answer in answers(workload, context, about=NEVER):
        if answer.verdict == NEVER and answer.waiting:
            finding.notes[-1:-1] = [f"the scheduler says: {answer.reason}"]
            finding.helps = answer.helps


def _elsewhere(plain: bool) -> list[str]:
    """What is not counted, of pods without devices."""
    return [ELSEWHERE] if plain else []


def _hold(workload: Workload, sorts: list[Pods]) -> str:
    """What becomes of the pods that find room: of a job that its queue does not admit there are none."""
    hold = _HOLD.format("nodes" if all(sort.plain for sort in sorts) else "devices")
    return f"once Kueue admits the job, {hold}" if _is_queued(workload) else hold


def _is_queued(workload: Workload) -> bool:
    from specgen.operators.queues import is_queued  # most pods find room

    return is_queued(workload.manifest.tree)


def _undecided(sorts: list[Pods]) -> bool:
    """Whether the scheduler may know more than the bounds."""
    pools = {name: pool for sort in sorts for name, pool in sort.pools.items()}
    if not all(amount(pool) for pool in pools.values()) or not any(has_amounts(pool) for pool in pools.values()):
        return False
    if all(sort.anywhere and _is_ample(sort, sorts) for sort in sorts):
        return False
    return len(sorts) > 1 or bool(sorts[0].where) or any("pods" in pool.nodes.allocatable for pool in pools.values())


def _is_ample(sort: Pods, sorts: list[Pods]) -> bool:
    """Whether a pod finds an empty node that takes it, wherever all the others went."""
    return sum(amount(pool) for pool in sort.pools.values()) >= sum(one.pods for one in sorts)


def _scheduled(workload: Workload, context: Context, made: list[Role], sorts: list[Pods]) -> Iterator[Finding]:
    """What kube-scheduler says of a job that it never places on the empty cluster."""
    from specgen.rules._world import asked as answers  # for most jobs the bounds are enough
    from specgen.schedulers.verdict import NEVER

    for answer in answers(workload, context, about=NEVER):
        if answer.verdict == NEVER and 'topology "' in answer.reason:
            yield _undomained(answer, sorts)
            continue
        if answer.verdict != NEVER or answer.sums is None:
            continue  # it may wait, or its operator or its queue refuses it, which others say
        waiting = next(iter(answer.waiting), None)
        if waiting is None and not mapping(workload.manifest.tree.get("metadata")).get("namespace"):
            continue  # whose quota it is, the command says that applies it
        # a namespace bounds the pods of all roles, wherever they may land
        roles = [one for sort in sorts for one in sort.roles] if waiting is not None else made
        if waiting is None:
            roles = sorted(roles, key=lambda one: (not _is_of(answer.reason, one, context), -one.replicas))
        role = next((one for one in roles if waiting is None or one.name.lower() == waiting.role), None)
        if role is None:
            continue
        missing = (answer.unmade or answer.pods - answer.bound) if waiting is None else waiting.pods
        find = "are not made" if waiting is None else "find no node"
        if missing == 1:
            find = "is not made" if waiting is None else "finds no node"
        # which amounts a quota asks of containers hangs on no other pod
        alone = waiting is not None or ("must specify" in answer.reason and missing <= role.replicas)
        of = f" of `{role.name}`" if alone else ""
        who = f"{plural(missing, 'pod')}{of}"
        # pods of several sizes: where the first ones go decides about the others, and that hangs on what else is there
        certain = waiting is None or not answer.bound or len(sorts) == 1
        notes = [
            f"{answer.bound} of {plural(answer.pods, 'pod')} get a node of the empty cluster",
            *_elsewhere(waiting is not None and any(sort.plain for sort in sorts if role in sort.roles)),
            _hold(workload, sorts) if answer.bound else _WAIT,
        ]
        if waiting is None:
            by_itself = [_BY_ITSELF] if "exceeded quota" in answer.reason else []
            unmade = _UNMADE if missing >= answer.pods else _UNMADE_ONES
            notes = [*by_itself, *(notes if answer.bound else [unmade])]
        finding = DOES_NOT_FIT.at(
            role.replicas_place,
            f"{who} {find}: {answer.reason}",
            label=_label([role] if alone else roles),
            notes=notes,
            helps=answer.helps,
            severity=ERROR if certain else WARNING,
        )
        if waiting is not None:
            finding.cluster = _counted({name: pool for sort in sorts for name, pool in sort.pools.items()})
        else:
            finding.cluster = answer.cluster
        yield finding


def _undomained(answer: Answer, sorts: list[Pods]) -> Finding:
    """Pods that no domain of a topology of Kueue holds together, with queues and nodes for themselves."""
    roles = [one for sort in sorts for one in sort.roles]
    role = next((one for one in roles if f"pod set {one.name.lower()}:" in answer.reason), roles[-1])
    finding = DOES_NOT_FIT.at(
        role.replicas_place,
        f"no domain holds the {plural(role.replicas, 'pod')} of `{role.name}`: {answer.reason.rpartition(': ')[2]}",
        label=_label([role]),
        notes=["Kueue never lets the job begin: it stays suspended, without a pod"],
        helps=answer.helps,
    )
    finding.cluster = _counted({name: pool for sort in sorts for name, pool in sort.pools.items()})
    return finding


def _is_of(reason: str, role: Role, context: Context) -> bool:
    """Whether what is said of a pod is of a role's."""
    return any(reason.startswith(f"Pod {mapping(pod.get('metadata')).get('name')}:") for pod in context.pods(role))


def _label(roles: list[Role]) -> str:
    """The pods of roles, at the last one of them."""
    pods = plural(sum(role.replicas for role in roles), "pod")
    return pods if len(roles) == 1 else f"{pods} in all"


def _counted(pools: dict[str, Pool]) -> list[tuple[Path, str]]:
    """Where the cluster profile says how many nodes pools have."""
    return [counted_at(name, pool) for name, pool in pools.items() if amount(pool)]


def _starts_short(workload: Workload, sorts: list[Pods]) -> bool:
    """Whether fewer pods than all are said to be enough, so that the job may run without the rest."""
    spec = mapping(workload.manifest.tree.get("spec"))
    if workload.operator == "volcano":
        least = spec.get("minAvailable")
        whole = isinstance(least, int) and least >= workload.pods
        return (bool(least) and not whole) or any(
            role.tree.get("minAvailable", role.replicas) != role.replicas for sort in sorts for role in sort.roles
        )
    return "elasticPolicy" in spec


def _has(name: str, pool: Pool, what: str) -> str:
    nodes = plural(amount(pool), "node")
    own = offers(pool).get(what)
    return f"the pool `{name}` has {nodes}" + (f" of {spelled(what, own)}" if own else "")


def _pools(names: list[str]) -> str:
    return f"the pool `{names[0]}`" if len(names) == 1 else f"the pools {listed(names)}"


def _place(role: Role, what: str) -> Place:
    for container in role.containers():
        if what in container.amounts():
            return Place(container.amounts()[what][1])
    init = [one.amounts()[what][1] for one in role.containers(init=True) if what in one.amounts()]
    return Place(init[0]) if init else Place(role.path, KEY)
