"""What a profile says of a cluster besides nodes, operators and queues: version, storage, topology, namespaces."""

from __future__ import annotations

from specgen.capture.nodes import is_place, own_nodes
from specgen.capture.objects import MOST, annotation, labels, name, namespace, spec, text, texts
from specgen.diagnostics.model import listed
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.pod_security import ENFORCE, HELD
from specgen.operators.release import numbers, spelled
from specgen.quantity import nano
from specgen.schema import formats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.capture.installed import Found
    from specgen.capture.nodes import Node
    from specgen.capture.objects import Object, Objects
    from specgen.capture.text import Tree

_SYSTEM = ("kube-system", "kube-public", "kube-node-lease")
# Label of nodes → the word for it, where nothing of the cluster says another.
_PLACES = {
    "topology.kubernetes.io/zone": "zone",
    "topology.kubernetes.io/region": "region",
    "nvidia.com/gpu.clique": "nvlink",
    "cloud.google.com/gce-topology-block": "block",
    "cloud.google.com/gce-topology-subblock": "subblock",
    "topology.k8s.aws/network-node-layer-1": "layer-1",
    "topology.k8s.aws/network-node-layer-2": "layer-2",
    "topology.k8s.aws/network-node-layer-3": "layer-3",
}
_HOST = "kubernetes.io/hostname"
# Of the class that claims without `storageClassName` get (Kubernetes 1.36, pkg/volume/util/storageclass.go).
_DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"
# What a LimitRange says of what it limits (Kubernetes 1.36, core/v1 LimitRangeItem); of claims it is none of a pod's.
_LIMITED = ("Container", "Pod")
_LIMITS = ("min", "max", "default", "defaultRequest", "maxLimitRequestRatio")
# The word of a profile that every cluster has.
_TAKEN = "host"


def say_version(tree: Tree, objects: Objects) -> None:
    """Adds ``kubernetes``: the oldest version of the nodes."""
    found = [version for node in own_nodes(objects) if (version := numbers(node.version)) is not None]
    versions = sorted({spelled(version) for version in found}, key=lambda one: numbers(one) or (0, 0, 0))
    if len(versions) > 1:
        tree.note(f"The nodes are of {listed(versions)}.")
    if versions and formats.kubernetes(versions[0]):
        tree.add("kubernetes", versions[0])


def say_claims(tree: Tree, objects: Objects) -> None:
    """A comment: the templates of claims by which pods may get devices."""
    found = [f"{namespace(one)}/{name(one)}" for one in objects.of("resource.k8s.io", "ResourceClaimTemplate")]
    if found:
        tree.note(f"ResourceClaimTemplates: {listed(found, most=16)}.")


def say_storage(tree: Tree, objects: Objects) -> None:
    """Comments: classes, and claims that many pods may mount, for the file systems that jobs name."""
    for one in objects.of("storage.k8s.io", "StorageClass"):
        binding = text(one.get("volumeBindingMode"))
        default = "the default" if annotation(one, _DEFAULT_CLASS) == "true" else ""
        said = [text(one.get("provisioner")), *filter(None, (binding, default))]
        tree.note(f"StorageClass {name(one)}: {', '.join(said)}.")
    claims = [one for one in objects.of("", "PersistentVolumeClaim") if _is_shared(one)]
    for one in claims[:20]:
        modes = ", ".join(text(mode) for mode in sequence(spec(one).get("accessModes")))
        size = mapping(mapping(spec(one).get("resources")).get("requests")).get("storage", "")
        tree.note(f"Claim {namespace(one)}/{name(one)}: {modes}, {size}, of {text(spec(one).get('storageClassName'))}.")
    if len(claims) > 20:
        tree.note(f"And {len(claims) - 20} more claims that several pods may mount.")
    tree.note("Which file systems do jobs mount by name? storage: {datasets: {pvc: datasets, readOnly: true}}")


def _is_shared(claim: Object) -> bool:
    """Whether pods of several nodes may mount a claim."""
    return not {"ReadWriteMany", "ReadOnlyMany"}.isdisjoint(map(text, sequence(spec(claim).get("accessModes"))))


def topology(objects: Objects, nodes: list[Node]) -> dict[str, str]:
    """Word → label, of Kueue's levels, and the labels of places that all nodes with devices have."""
    found: dict[str, str] = {}
    for one in objects.of("kueue.x-k8s.io", "Topology"):
        for level in map(mapping, sequence(spec(one).get("levels"))):
            _name(found, text(level.get("nodeLabel")), "")
    for label in tiers(objects):
        _name(found, label, "")
    devices = _devices(nodes)
    for label, word in _PLACES.items():
        if all(label in node.labels for node in devices) and len({node.labels[label] for node in devices}) > 1:
            _name(found, label, word)
    return found


def _devices(nodes: list[Node]) -> list[Node]:
    return [node for node in nodes if node.devices] or nodes


def say_topology(tree: Tree, nodes: list[Node], found: dict[str, str], objects: Objects) -> None:
    """Adds ``topology``, with questions for labels of places that may be levels as well."""
    tiered = {label: {"label": label, "tier": tier} for label, tier in tiers(objects).items()}
    others = {key for node in _devices(nodes) for key in node.labels if is_place(key) and key not in found.values()}
    odd = [
        key
        for key in sorted(others - {_HOST, *_PLACES})
        if not key.startswith(("topology.", "failure-domain.", "feature.", "nvidia.com/"))
    ]
    for key in odd[:8]:
        tree.note(f"Nodes have the label {key}. Is it a level of the network? topology: {{rack: {key}}}")
    if tiered:
        tree.note("Is Volcano's plugin network-topology-aware on? Without it leave out the tiers.")
    if found:
        tree.add("topology", {word: tiered.get(label, label) for word, label in found.items()})


def tiers(objects: Objects) -> dict[str, int]:
    """Label → the tier of Volcano's HyperNodes that are its domains: each of them holds all nodes of one value."""
    trees = {name(one): spec(one) for one in objects.of("topology.volcano.sh", "HyperNode")}
    if not trees:
        return {}
    nodes = {name(one): labels(one) for one in objects.of("", "Node")}
    found: dict[str, int] = {}
    for key in sorted({key for own in nodes.values() for key in own if key != _HOST}):
        values: dict[str, set[str]] = {}
        for called, own in nodes.items():
            if key in own:
                values.setdefault(own[key], set()).add(called)
        domains = {frozenset(own) for own in values.values()}
        for tier in sorted({said["tier"] for said in trees.values() if isinstance(said.get("tier"), int)}):
            held = {frozenset(_held(one, trees, nodes, ())) for one, said in trees.items() if said.get("tier") == tier}
            if tier > 0 and len(domains) > 1 and held == domains:
                found.setdefault(key, tier)
    return found


def _held(called: str, trees: dict[str, Any], nodes: dict[str, dict[str, str]], above: tuple[str, ...]) -> set[str]:
    """The nodes of a HyperNode."""
    found: set[str] = set()
    for member in map(mapping, sequence(mapping(trees.get(called)).get("members"))):
        selector = mapping(member.get("selector"))
        exact = text(mapping(selector.get("exactMatch")).get("name"))
        wanted = texts(mapping(selector.get("labelMatch")).get("matchLabels"))
        if member.get("type") == "HyperNode" and exact not in ("", called, *above):
            found |= _held(exact, trees, nodes, (*above, called))
        elif exact:
            found.add(exact)
        elif wanted:
            found |= {one for one, own in nodes.items() if wanted.items() <= own.items()}
    return found


def _name(found: dict[str, str], label: str, word: str) -> None:
    last = label.rpartition("/")[2].lower().replace("_", "-").replace(".", "-")
    word = word or _PLACES.get(label, last)
    if not formats.label_key(label) or label == _HOST or label in found.values():
        return
    if formats.name(word) and word != _TAKEN and word not in found:
        found[word] = label


def level(objects: Objects, found: Found) -> str:
    """The Pod Security level that all namespaces of jobs have; empty: there are none, or they differ."""
    levels = set(_levels(objects, found).values())
    return levels.pop() if len(levels) == 1 else ""


def _levels(objects: Objects, found: Found) -> dict[str, str]:
    """Namespace → its level, of those in which jobs are: with queues, or else all but the system's and operators'."""
    queued = {namespace(one) for one in objects.of("kueue.x-k8s.io", "LocalQueue")}
    others = {*_SYSTEM, *found.namespaces}
    levels = {}
    for one in objects.of("", "Namespace"):
        if name(one) in queued or (not queued and name(one) not in others):
            levels[name(one)] = labels(one).get(ENFORCE, "privileged")
    return levels


def say_namespaces(tree: Tree, objects: Objects, found: Found) -> None:
    """Adds ``podSecurity`` where all namespaces of jobs have one level, and ``namespaces``.

    Of each what a quota of all of it grants, of several the least, its limits, and its level where these differ.
    """
    whole = level(objects, found)
    if whole in HELD:
        tree.add("podSecurity", whole)
    quotas: dict[str, dict[str, Any]] = {}
    for one in objects.of("", "ResourceQuota"):
        where = namespace(one) or "default"
        if spec(one).get("scopes") or spec(one).get("scopeSelector"):
            tree.note(f"A quota of {where} counts a part of its pods alone: {name(one)}.")
            continue
        own = quotas.setdefault(where, {})
        for key, most in sorted(mapping(spec(one).get("hard")).items()):
            value = int(str(most)) if str(most).isdigit() else str(most)
            before, now = nano(own.get(key)), nano(value)
            if now is None or not (formats.memory(value) if isinstance(value, str) else value <= MOST):
                tree.note(f"A quota of {where} cannot be said here: {key}: {most}.")
            elif before is None or now < before:
                own[str(key)] = value
    said: dict[str, dict[str, Any]] = {where: {"quota": own} for where, own in quotas.items() if own}
    for where, limits in _limits(objects).items():
        said.setdefault(where, {})["limitRange"] = limits
    for where, own_level in ({} if whole else _levels(objects, found)).items():
        if own_level in HELD:
            said.setdefault(where, {})["podSecurity"] = own_level
    if named := {where: own for where, own in sorted(said.items()) if formats.subdomain(where)}:
        tree.add("namespaces", named)


def _limits(objects: Objects) -> dict[str, list[dict[str, Any]]]:
    """Namespace → the limits of all of its LimitRanges, without what is none."""
    found: dict[str, list[dict[str, Any]]] = {}
    for one in objects.of("", "LimitRange"):
        for item in map(mapping, sequence(spec(one).get("limits"))):
            said = {}
            for word in _LIMITS:
                named = sorted(mapping(item.get(word)).items())
                own = {str(key): _read_by_all(amount) for key, amount in named if _is_amount(amount)}
                if own:
                    said[word] = own
            if said and item.get("type") in _LIMITED:
                found.setdefault(namespace(one) or "default", []).append({"type": item["type"], **said})
    return found


def _read_by_all(amount: Any) -> Any:
    """An amount as profiles take it: as text, a number may have more digits than 64 bits hold."""
    return str(amount) if type(amount) is int and abs(amount) >= 1 << 63 else amount


def _is_amount(value: object) -> bool:
    return type(value) in (str, int) and nano(value) is not None
