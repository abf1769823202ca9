"""Where pods may run: node selectors, affinities and tolerations from the words of ``scheduling`` and from the pool."""

from __future__ import annotations

from specgen.diagnostics.model import KEY
from specgen.manifest.origins import Sourced
from specgen.profile.codes import CONTRADICTION
from specgen.profile.levels import HOST, label_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.plan.draft import JobDraft, RoleDraft
    from specgen.profile.cluster import Level
    from specgen.profile.pod import Toleration

# The effect of taints that ends pods which run.
_ENDS = "NoExecute"


def _labels(role: RoleDraft) -> dict[str, tuple[str | list[str], Sourced]]:
    """Label → (value or values, origin): the author's, and the pool's where the job names it."""
    profile = role.profile
    found: dict[str, tuple[str | list[str], Sourced]] = {}
    for name, value in profile.words.scheduling.node_labels.items():
        place = profile.place(("scheduling", "nodeLabels", name))
        found[name] = (value, Sourced(value, place, "`scheduling.nodeLabels`"))
    pool = role.devices.pool
    chosen = profile.words.scheduling.pool is not None or (not role.devices.among and _alike(role))
    if pool is not None and chosen:
        for name, value in pool.labels.items():
            if name not in found and not profile.removed(("scheduling", "nodeLabels", name)):
                place = profile.job.cluster_place(("pools", role.devices.pool_name or "", "labels", name))
                found[name] = (value, Sourced(value, place, "a label of the pool"))
    return found


def _alike(role: RoleDraft) -> bool:
    """Whether another pool offers the same resource, so that devices alone would not lead the pods to this one."""
    pool = role.devices.pool
    if pool is None or pool.gpu is None or not role.devices.gpu:
        return False
    name = pool.gpu.resource
    return any(
        other is not pool and other.gpu is not None and other.gpu.resource == name
        for other in role.profile.job.cluster.pools.values()
    )


def node_selector(role: RoleDraft) -> Sourced | None:
    """Labels with one value each."""
    labels = {name: value for name, (value, _) in _labels(role).items() if isinstance(value, str) and value != "*"}
    if not labels:
        return None
    origin = next(said for name, (_, said) in _labels(role).items() if name in labels)
    return Sourced(labels, origin.place, origin.reason)


def affinity(plan: JobDraft, role: RoleDraft) -> Sourced | None:
    """Labels of several values, named hosts, and how the pods of the job lie to each other."""
    scheduling = role.profile.words.scheduling
    tree: dict[str, Any] = {}
    origin: Sourced | None = None
    expressions: list[dict[str, Any]] = []
    for name, (value, said) in _labels(role).items():
        if value == "*":
            expressions.append({"key": name, "operator": "Exists"})
        elif not isinstance(value, str):
            expressions.append({"key": name, "operator": "In", "values": list(value)})
        else:
            continue
        origin = origin or said
    for key, hosts, operator in (("hosts", scheduling.hosts, "In"), ("avoidHosts", scheduling.avoid_hosts, "NotIn")):
        if hosts:
            expressions.append({"key": HOST, "operator": operator, "values": list(hosts)})
            origin = origin or Sourced(hosts, role.profile.place(("scheduling", key)), f"`scheduling.{key}`")
    if expressions:
        terms = {"nodeSelectorTerms": [{"matchExpressions": expressions}]}
        tree["nodeAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": terms}
    preferred = _preferred(role)
    if preferred:
        tree.setdefault("nodeAffinity", {})["preferredDuringSchedulingIgnoredDuringExecution"] = preferred
        place = role.profile.place(("scheduling", "preferLabels"))
        origin = origin or Sourced(preferred, place, "`scheduling.preferLabels`")
    topology = role.profile.job.cluster.topology
    for key, word in (("within", scheduling.within), ("near", scheduling.near)):
        # Kueue is told by annotations: it admits the job to nodes of one domain, and an affinity would hide that;
        # Volcano by the group, where the cluster profile says which tier the word is
        if word is None or (plan.gang is not None and (plan.gang.word == "kueue" or key in plan.gang.topology)):
            continue
        labels = _job_labels(plan)
        if any(other.starts for other in plan.roles):
            # a launcher lies where it likes, and would keep the others where it lies
            labels[plan.kind.labels[1]] = role.name.lower()
        term = {"labelSelector": {"matchLabels": labels}, "topologyKey": label_of(word, topology)}
        if key == "within":
            tree.setdefault("podAffinity", {})["requiredDuringSchedulingIgnoredDuringExecution"] = [term]
        else:
            weighted = [{"weight": 100, "podAffinityTerm": term}]
            tree.setdefault("podAffinity", {})["preferredDuringSchedulingIgnoredDuringExecution"] = weighted
        origin = origin or Sourced(word, role.profile.place(("scheduling", key)), f"`scheduling.{key}`")
    spread = scheduling.spread
    if spread is not None and (isinstance(spread, str) or spread.over is None):
        wished = None if isinstance(spread, str) else spread.prefer
        label = HOST if wished is None else label_of(wished, topology)
        term = {"labelSelector": selector(plan, apart(plan, role)), "topologyKey": label}
        if wished is None:
            tree["podAntiAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
        else:
            weighted = [{"weight": 100, "podAffinityTerm": term}]
            tree["podAntiAffinity"] = {"preferredDuringSchedulingIgnoredDuringExecution": weighted}
        origin = origin or Sourced(spread, role.profile.place(("scheduling", "spread")), "`scheduling.spread`")
    if not tree:
        return None
    assert origin is not None
    return Sourced(tree, origin.place, origin.reason)


def spread_over(plan: JobDraft, role: RoleDraft) -> Sourced | None:
    """`topologySpreadConstraints`: the pods evenly over zones, racks, ... (hard, as ``minDomains`` asks for it)."""
    spread = role.profile.words.scheduling.spread
    if spread is None or isinstance(spread, str) or spread.over is None:
        return None
    constraint: dict[str, Any] = {"maxSkew": spread.skew or 1}
    if spread.domains is not None:
        constraint["minDomains"] = spread.domains
    constraint["topologyKey"] = label_of(spread.over, role.profile.job.cluster.topology)
    constraint["whenUnsatisfiable"] = "DoNotSchedule"
    constraint["labelSelector"] = selector(plan, apart(plan, role))
    return Sourced([constraint], role.profile.place(("scheduling", "spread")), "`scheduling.spread`")


def apart(plan: JobDraft, role: RoleDraft) -> list[RoleDraft]:
    """The roles whose pods lie apart from those of ``role``, itself included: all that train and say the same."""
    spread = role.profile.words.scheduling.spread
    if spread is None:
        return []
    if not isinstance(spread, str) and spread.job is not None:
        return plan.roles
    if not _trains(plan, role):
        return [role]
    said = role.profile.data["scheduling"]["spread"]
    return [
        other
        for other in plan.roles
        if _trains(plan, other) and (other.profile.data.get("scheduling") or {}).get("spread") == said
    ]


def _trains(plan: JobDraft, role: RoleDraft) -> bool:
    """Whether ``pods`` counts the role: no parameter server, and no launcher or scheduler beside those that train."""
    kind = plan.kind
    if role.word == kind.launcher:
        return not role.starts
    return role.word not in kind.own and role.word not in kind.single


def selector(plan: JobDraft, roles: list[RoleDraft]) -> dict[str, Any]:
    """Selects the pods of some roles of the job by the labels that the operator puts on them."""
    labels = _job_labels(plan)
    if len(roles) == len(plan.roles) > 1:
        return {"matchLabels": labels}
    names = [one.name.lower() for one in roles]
    if len(names) == 1:
        return {"matchLabels": {**labels, plan.kind.labels[1]: names[0]}}
    return {
        "matchLabels": labels,
        "matchExpressions": [{"key": plan.kind.labels[1], "operator": "In", "values": names}],
    }


def _preferred(role: RoleDraft) -> list[dict[str, Any]]:
    """Soft node affinity: a term for each label, and for each of its values where they have weights of their own."""
    terms: list[dict[str, Any]] = []
    for name, value in role.profile.words.scheduling.prefer_labels.items():
        weighted: list[tuple[int, list[str]]] = []
        if isinstance(value, dict):
            weighted = [(weight, [one]) for one, weight in value.items() if weight is not None]
        else:
            weighted = [(100, [value] if isinstance(value, str) else list(value))]
        for weight, values in weighted:
            expression: dict[str, Any] = {"key": name, "operator": "In", "values": values}
            if values == ["*"]:
                expression = {"key": name, "operator": "Exists"}
            terms.append({"weight": weight, "preference": {"matchExpressions": [expression]}})
    return terms


def _job_labels(plan: JobDraft) -> dict[str, str]:
    """The label that the operator puts on every pod of the job."""
    return {plan.kind.labels[0]: plan.job.called}


def tier_of(word: str, topology: dict[str, str | Level]) -> int | None:
    """The tier of Volcano's HyperNodes that a topology word stands for, where the cluster profile says it."""
    level = topology.get(word)
    return None if level is None or isinstance(level, str) else level.tier


def effect_of(toleration: Toleration) -> str | None:
    """The effect that a toleration bears; a time is one of pods that run, which `NoExecute` alone ends."""
    return toleration.effect or (_ENDS if toleration.seconds is not None else None)


def timeless(role: RoleDraft) -> list[Finding]:
    """SG207 of a time that the API server takes with no other effect than ``NoExecute``."""
    found = []
    for key, one in role.profile.words.scheduling.tolerations.items():
        if one.seconds is not None and one.effect not in (None, _ENDS):
            path = ("scheduling", "tolerations", key)
            message = f"`effect: {one.effect}` contradicts `seconds`: that effect ends no pod, and has no time"
            related = [(role.profile.place((*path, "seconds"), KEY), "of pods that run already")]
            place = role.profile.place((*path, "effect"))
            found.append(CONTRADICTION.at(place, message, related=related, helps=[f"write `effect: {_ENDS}`"]))
    return found


def tolerations(role: RoleDraft) -> Sourced | None:
    """The author's tolerations, then those for the taints of the role's pool."""
    profile = role.profile
    entries: list[dict[str, Any]] = []
    origin: Sourced | None = None
    for key, toleration in profile.words.scheduling.tolerations.items():
        entry: dict[str, Any] = {} if key == "*" else {"key": key}
        if toleration.value is None:
            entry["operator"] = "Exists"
        else:
            entry["operator"] = "Equal"
            entry["value"] = toleration.value
        effect = effect_of(toleration)
        if effect is not None:
            entry["effect"] = effect
        if toleration.seconds is not None and effect == _ENDS:
            entry["tolerationSeconds"] = toleration.seconds
        entries.append(entry)
        origin = origin or Sourced(None, profile.place(("scheduling", "tolerations")), "`scheduling.tolerations`")
    pool, pools = role.devices.pool, profile.job.cluster.pools
    # a queue that chooses leads the pods to any of them
    for name in role.devices.among or ([role.devices.pool_name or ""] if pool is not None else []):
        for index, taint in enumerate(pools[name].taints):
            own = profile.words.scheduling.tolerations
            if taint.key in own or "*" in own or profile.removed(("scheduling", "tolerations", taint.key)):
                continue
            operator = {"operator": "Exists"} if taint.value is None else {"operator": "Equal", "value": taint.value}
            entry = {"key": taint.key, **operator, "effect": taint.effect}
            entries += [entry] if entry not in entries else []
            place = profile.job.cluster_place(("pools", name, "taints", index))
            origin = origin or Sourced(None, place, "a taint of the pool")
    return Sourced(entries, origin.place, origin.reason) if origin is not None else None
