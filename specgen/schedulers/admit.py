"""What the API server does to a pod that an operator makes: defaults, classes, LimitRange, Pod Security, quota.

Kubernetes 1.36, plugin/pkg/admission/{priority,runtimeclass,defaulttolerationseconds,limitranger,resourcequota},
pkg/apis/core/v1/defaults.go, pkg/quota/v1/evaluator/core/pods.go. Recorded in worlds ``limits-*``, ``quota-*``,
``overhead-*``, ``prio-*``.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.bearing import with_usual
from specgen.operators.kubernetes.objects import namespace_of
from specgen.operators.kubernetes.pod_security import ENFORCE, HELD, certain, refused
from specgen.operators.kubernetes.room import asked
from specgen.operators.kubernetes.selectors import meets
from specgen.quantity import NANO, nano
from specgen.schedulers.limits import Denied, Unnamed, with_limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from specgen.schedulers.pods import Pod
    from specgen.schedulers.world import Objects

_SYSTEM = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
# Of these a quota asks that each container names them (pods.go, validationSet).
_MUST = ("cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory")
# Of what a level refuses of a pod.
_SAID = 5
_LIMITED = ("cpu", "memory", "ephemeral-storage")
_ADMIN = "resource.kubernetes.io/admin-access"


def let_in(tree: dict[str, Any], objects: Objects) -> dict[str, Any]:
    """A pod as it is stored, but for quotas. Raises Denied."""
    stored = admitted(tree, objects)
    _secure(stored, objects)
    return stored


def _secure(tree: dict[str, Any], objects: Objects) -> None:
    """Refuses a pod that the Pod Security level of its namespace does not allow.

    Kubernetes 1.36, staging/src/k8s.io/pod-security-admission/admission/admission.go, EvaluatePod. Raises Denied.
    """
    space = objects.named("Namespace", namespace_of(tree))
    labels = mapping(mapping(mapping(space).get("metadata")).get("labels"))
    level = labels.get(ENFORCE)
    if level not in HELD:
        return
    wrong = [what.rstrip(",") for path, what in refused(tree, strict=level == "restricted") if certain(path, None)]
    if wrong:
        version = labels.get(f"{ENFORCE}-version", "latest")
        raise Denied(f'violates PodSecurity "{level}:{version}": {_several(list(dict.fromkeys(wrong)))}')


def _several(wrong: list[str]) -> str:
    return "; ".join(wrong if len(wrong) <= _SAID else [*wrong[:_SAID], f"{len(wrong) - _SAID} more"])


def admitted(tree: dict[str, Any], objects: Objects) -> dict[str, Any]:
    """A pod with all that the API server writes into it. Raises Denied."""
    spec = dict(mapping(tree.get("spec")))
    namespace = namespace_of(tree)
    for word in ("containers", "initContainers"):
        if spec.get(word):
            spec[word] = [_defaulted(mapping(one)) for one in sequence(spec[word])]
    _class(spec, objects)
    _runtime(spec, objects)
    # every pod stays for a while on a node that fails, and may go to one that has these taints alone
    spec["tolerations"] = with_usual(spec.get("tolerations"))
    spec = with_limits(spec, namespace, objects)
    return {**tree, "spec": spec}


def _defaulted(container: dict[str, Any]) -> dict[str, Any]:
    """A container whose limits stand for requests that it does not name."""
    own = mapping(container.get("resources"))
    limits, requests = mapping(own.get("limits")), mapping(own.get("requests"))
    if not limits or limits.keys() <= requests.keys():
        return container
    return {**container, "resources": {**own, "requests": {**limits, **requests}}}


def _class(spec: dict[str, Any], objects: Objects) -> None:
    """The priority that a class gives; ``priority`` of an operator's own is overwritten."""
    name = spec.get("priorityClassName")
    spec.pop("priority", None)
    if not name:
        default = [tree for tree in objects.of("PriorityClass") if tree.get("globalDefault") is True]
        chosen = min(default, key=lambda tree: _whole(tree.get("value")), default=None)
    elif name in _SYSTEM:
        spec["priority"] = _SYSTEM[name]
        return
    else:
        chosen = objects.named("PriorityClass", str(name))
        if chosen is None and objects.knows("PriorityClass"):
            raise Denied(f"no PriorityClass with name {name} was found")
    if chosen is not None:
        spec["priorityClassName"] = str(mapping(chosen.get("metadata")).get("name"))
        spec["priority"] = _whole(chosen.get("value"))
        if chosen.get("preemptionPolicy"):
            spec["preemptionPolicy"] = chosen["preemptionPolicy"]


def _runtime(spec: dict[str, Any], objects: Objects) -> None:
    name = spec.get("runtimeClassName")
    if not name:
        return
    tree = objects.named("RuntimeClass", str(name))
    if tree is None:
        if not objects.knows("RuntimeClass"):
            return
        raise Denied(f'pod rejected: RuntimeClass "{name}" not found')
    fixed = mapping(mapping(tree.get("overhead")).get("podFixed"))
    if fixed:
        spec["overhead"] = fixed
    scheduling = mapping(tree.get("scheduling"))
    own = mapping(spec.get("nodeSelector"))
    for key, value in mapping(scheduling.get("nodeSelector")).items():
        if key in own and own[key] != value:
            said = f"runtimeClass.scheduling.nodeSelector[{key}] = {value}; pod.spec.nodeSelector[{key}] = {own[key]}"
            raise Denied(f"conflict: {said}")
    if scheduling.get("nodeSelector"):
        spec["nodeSelector"] = {**own, **mapping(scheduling["nodeSelector"])}
    if scheduling.get("tolerations"):
        spec["tolerations"] = [*sequence(spec.get("tolerations")), *sequence(scheduling["tolerations"])]


def object_refusal(tree: dict[str, Any], objects: Objects) -> str:
    """Why the API server refuses an object beside a job; empty: it is not known to do so.

    Kubernetes 1.36, pkg/registry/resource/{resourceclaim,resourceclaimtemplate}/strategy.go, AuthorizedForAdmin.
    """
    spec = mapping(tree.get("spec"))
    if tree.get("kind") == "ResourceClaimTemplate":
        spec = mapping(spec.get("spec"))
    elif tree.get("kind") != "ResourceClaim":
        return ""
    listed = [mapping(one) for one in sequence(mapping(spec.get("devices")).get("requests"))]
    if not any((mapping(one.get("exactly")) or one).get("adminAccess") is True for one in listed):
        return ""
    name = namespace_of(tree)
    for space in objects.of("Namespace"):
        metadata = mapping(space.get("metadata"))
        if metadata.get("name") == name and mapping(metadata.get("labels")).get(_ADMIN) != "true":
            return f"admin access to devices requires the `{_ADMIN}: true` label on the namespace {name}"
    return ""


class Over:
    """A name in a quota of which pods use more than there is, in billionths."""

    __slots__ = ("asked", "most", "name", "quota")

    def __init__(self, quota: str, name: str, asked: int, most: int) -> None:
        self.quota = quota
        self.name = name
        self.asked = asked
        self.most = most


class Quotas:
    """The quotas of all namespaces, and what pods and other objects have used of them."""

    __slots__ = ("_objects", "used")

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        # (namespace, quota) → resource → used
        self.used: dict[tuple[str, str], dict[str, int]] = {}

    @property
    def none(self) -> bool:
        """Whether there is no quota at all."""
        return next(self._objects.of("ResourceQuota"), None) is None

    def count(self, pods: Iterable[Pod]) -> None:
        """Counts anew what exists."""
        self.used = {}
        if self.none:
            return
        for pod in pods:
            for key, hard, tree in self._of(pod.namespace):
                if not pod.done and _in_scope(pod.spec, tree):
                    self._add(key, usage(pod.spec), hard)

    def take(self, tree: dict[str, Any]) -> None:
        """Counts a pod that is to be made. Raises Denied where a quota does not let it in."""
        namespace = namespace_of(tree)
        spec = mapping(tree.get("spec"))
        found = []
        for key, hard, quota in self._of(namespace):
            if not _in_scope(spec, quota):
                continue
            self._named(spec, hard, key[1])
            wanted = usage(spec)
            self._room(key, hard, wanted)
            found.append((key, hard, wanted))
        for key, hard, wanted in found:
            self._add(key, wanted, hard)

    def together(self, trees: Iterable[dict[str, Any]]) -> list[Over]:
        """What pods that are there at once use beyond their quotas, devices first."""
        self.used, most = {}, {}
        for tree in trees:
            spec = mapping(tree.get("spec"))
            for key, hard, quota in self._of(namespace_of(tree)):
                if _in_scope(spec, quota):
                    most[key] = hard
                    self._add(key, usage(spec), hard)
        return [
            Over(key[1], name, asked, most[key][name])
            for key, used in self.used.items()
            for name, asked in sorted(used.items(), key=lambda one: ("/" not in one[0], one[0]))
            if asked > most[key][name]
        ]

    def take_object(self, namespace: str, name: str) -> None:
        """Counts an object by its resource, such as ``count/jobs.batch``. Raises Denied."""
        for key, hard, tree in self._of(namespace):
            if name in hard and not _scopes(tree):
                self._room(key, hard, {name: NANO})
                self._add(key, {name: NANO}, hard)

    def used_object(self, namespace: str, name: str) -> None:
        """Counts an object that exists."""
        for key, hard, tree in self._of(namespace):
            if name in hard and not _scopes(tree):
                self._add(key, {name: NANO}, hard)

    def _of(self, namespace: str) -> Iterable[tuple[tuple[str, str], dict[str, int], dict[str, Any]]]:
        for tree in self._objects.of("ResourceQuota", namespace):
            hard = {str(key): nano(value) or 0 for key, value in mapping(mapping(tree.get("spec")).get("hard")).items()}
            yield (namespace, str(mapping(tree.get("metadata")).get("name"))), hard, tree

    def _add(self, key: tuple[str, str], wanted: dict[str, int], hard: dict[str, int]) -> None:
        used = self.used.setdefault(key, {})
        for name, amount in wanted.items():
            if name in hard:
                used[name] = used.get(name, 0) + amount

    def _room(self, key: tuple[str, str], hard: dict[str, int], wanted: dict[str, int]) -> None:
        used = self.used.get(key, {})
        over = [name for name in sorted(hard) if name in wanted and used.get(name, 0) + wanted[name] > hard[name]]
        over = [name for name in over if wanted[name] > 0]
        if over:
            from specgen.quantity import canonical

            parts = (
                ("requested", wanted),
                ("used", used),
                ("limited", hard),
            )
            said = [
                f"{label}: " + ",".join([f"{name}={canonical(of.get(name, 0))}" for name in over])
                for label, of in parts
            ]
            raise Denied(f"exceeded quota: {key[1]}, " + ", ".join(said))

    @staticmethod
    def _named(spec: dict[str, Any], hard: dict[str, int], quota: str) -> None:
        """Refuses a container that does not name what a quota counts. Raises Unnamed."""
        must = [name for name in sorted(hard) if name in _MUST]
        whole = mapping(spec.get("resources"))
        if mapping(whole.get("requests")) or mapping(whole.get("limits")):
            return  # of a pod that says its own amounts nobody asks for those of its containers
        missing: dict[str, list[str]] = {}
        for container in (*sequence(spec.get("containers")), *sequence(spec.get("initContainers"))):
            own = mapping(mapping(container).get("resources"))
            for name in must:
                side, _, what = name.rpartition(".")
                word = "limits" if side == "limits" else "requests"
                if what not in mapping(own.get(word)):
                    missing.setdefault(name, []).append(str(mapping(container).get("name")))
        if missing:
            listed = "; ".join(f"{name} for: {','.join(sorted(names))}" for name, names in missing.items())
            raise Unnamed(f"failed quota: {quota}: must specify {listed}", missing)


def usage(spec: dict[str, Any]) -> dict[str, int]:
    """What a pod counts in a quota, by each name that a quota may give it."""
    found = {"pods": NANO, "count/pods": NANO}
    for name, amount in asked(spec).items():
        if "/" in name:
            found[f"requests.{name}"] = amount
        else:
            found[name] = found[f"requests.{name}"] = amount
    bare = [
        {**mapping(one), "resources": {"requests": mapping(mapping(mapping(one).get("resources")).get("limits"))}}
        for one in sequence(spec.get("containers"))
    ]
    first = [
        {**mapping(one), "resources": {"requests": mapping(mapping(mapping(one).get("resources")).get("limits"))}}
        for one in sequence(spec.get("initContainers"))
    ]
    whole = {"requests": mapping(mapping(spec.get("resources")).get("limits"))}
    limits = asked({"containers": bare, "initContainers": first, "resources": whole})
    for name, amount in asked({"overhead": spec.get("overhead")}).items():
        if name in limits:
            limits[name] += amount
    for name, amount in limits.items():
        if name in _LIMITED:
            found[f"limits.{name}"] = amount
    return found


def _scopes(tree: dict[str, Any]) -> list[dict[str, Any]]:
    spec = mapping(tree.get("spec"))
    plain = [{"scopeName": name, "operator": "Exists"} for name in sequence(spec.get("scopes"))]
    return [*plain, *(mapping(one) for one in sequence(mapping(spec.get("scopeSelector")).get("matchExpressions")))]


def _in_scope(spec: dict[str, Any], tree: dict[str, Any]) -> bool:
    """Whether a quota counts a pod."""
    for scope in _scopes(tree):
        name = scope.get("scopeName")
        ends = spec.get("activeDeadlineSeconds") is not None
        best = not any(
            nano(mapping(mapping(mapping(one).get("resources")).get(word)).get(amount))
            for one in (spec, *sequence(spec.get("containers")), *sequence(spec.get("initContainers")))
            for word in ("requests", "limits")
            for amount in ("cpu", "memory")  # devices make no class of quality (component-helpers, qos.go)
        )
        if name == "PriorityClass":
            own = {"class": str(spec["priorityClassName"])} if spec.get("priorityClassName") else {}
            values = tuple(str(value) for value in sequence(scope.get("values")))
            held = meets(own, (("class", str(scope.get("operator")), values),))
        elif name == "CrossNamespacePodAffinity":
            held = "namespaceSelector" in str(spec.get("affinity")) or "namespaces" in str(spec.get("affinity"))
        else:
            held = {"Terminating": ends, "NotTerminating": not ends, "BestEffort": best, "NotBestEffort": not best}.get(
                str(name), True
            )
        if not held:
            return False
    return True


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
