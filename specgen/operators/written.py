"""What others write into a job that is stored, so that it differs from its manifest though nobody changed that.

Defaults that a CRD or a webhook adds inside of lists (elsewhere a field that the manifest does not have is no
difference), and what Kueue 0.19 writes while it holds and admits a job. Both from recordings of stored jobs
(``stored_changes``), which ``tests/emit/test_differences.py`` holds against this; there are none of Volcano's own Job,
of which the webhook's source is the witness, and PodGroups that were recorded. Volcano and the plugin Coscheduling
write nothing into other jobs: what makes a gang of these, their operators write into pods and PodGroups.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.compared import ABSENT
from specgen.operators.controllers import OF_TREES
from specgen.operators.queues import KUEUE, UNCONSTRAINED, kueue_knows
from specgen.operators.queues import KUEUE_QUEUE as QUEUE
from specgen.operators.volcano.facts import with_defaults

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from specgen.operators.reader import Reader
    from specgen.source import Path

    # A key; every value of a mapping or item of a list; the items of a list whose field (first) is so (second), or
    # (first, second, ALIKE) is the same as another field of theirs, or (first, second, LITERAL) is so in JSON.
    Step: TypeAlias = str | tuple[str, str] | tuple[str, str, str]
    Steps: TypeAlias = tuple[Step, ...]

EVERY, ALIKE, LITERAL = "*", "alike", "literal"
# Where the launcher of an MPIJob works too, the Workers are counted from 1.
OFFSET = KUEUE + "pod-index-offset"

# Kinds whose pods stand in no field of replicas.
_TEMPLATES: dict[str, Steps] = {
    "JobSet": ("spec", "replicatedJobs", EVERY, "template", "spec", "template"),
    "Job": ("spec", "tasks", EVERY, "template"),
}
# Where the pods of a runtime of TrainJobs do.
_RUNTIME_PODS: Steps = ("spec", "template", *_TEMPLATES["JobSet"], "spec")
_PATCHES: Steps = ("spec", "runtimePatches")
_TASKS: Steps = ("spec", "tasks")
# Kinds that Kueue does not know: nothing of it is written into them.
_UNQUEUED = ("MSJob", "Job")
_SUSPENDED_IN_SPEC = ("JobSet", "TrainJob")
# What Kueue writes into the template of each role while the job is admitted: the flavor's labels and tolerations.
_ADMITTED: tuple[Steps, ...] = (
    *(("metadata", "labels", KUEUE + name) for name in ("podset", "cluster-queue-name", "local-queue-name")),
    *(("metadata", "annotations", name) for name in (KUEUE + "workload", UNCONSTRAINED, OFFSET)),
    *(("spec", field) for field in ("nodeSelector", "tolerations", "schedulingGates")),
)


def defaults(reader: Reader) -> list[Steps]:
    """What the API server and the operator's webhook add inside of lists."""
    if reader.kind == "TrainJob":
        return [(*_PATCHES, EVERY, "time")]
    lists = ("containers", "initContainers")
    tasks = _TASKS
    own: list[Steps] = []
    if reader.kind == "Job":
        own = [(*tasks, ("minAvailable", "replicas", ALIKE), "minAvailable"), (*tasks, EVERY, "maxRetry")]
        # it stores the list as its own program spells it, with what is empty (``_spelled``)
        own += [(*tasks, ("template.spec.hostNetwork", "true", LITERAL), "template", "spec", "dnsPolicy")]
        own += [(*tasks, EVERY, "template", "metadata", "creationTimestamp")]
        own += [(*tasks, ("template.metadata", "{}", LITERAL), "template", "metadata")]
        own += [
            (*tasks, EVERY, "template", "spec", field, ("resources", "{}", LITERAL), "resources") for field in lists
        ]
    return own + [
        (*one, "spec", field, EVERY, "ports", EVERY, "protocol") for one in _templates(reader) for field in lists
    ]


def queued(reader: Reader) -> list[Steps]:
    """What Kueue writes into a job of a queue; nothing into kinds that it does not know."""
    if reader.kind in _UNQUEUED:
        return []
    suspend: Steps = ("spec", "suspend") if reader.kind in _SUSPENDED_IN_SPEC else ("spec", "runPolicy", "suspend")
    if reader.kind == "TrainJob":
        return [suspend, (*_PATCHES, ("manager", KUEUE + "manager"))]
    return [suspend, *((*one, *steps) for one in _templates(reader) for steps in _ADMITTED)]


def of_volcano(reader: Reader, tree: dict[str, Any]) -> list[Steps]:
    """What Volcano's webhook writes into a Job of its own that does not say it, as it is created."""
    if reader.kind != "Job" or not isinstance(tree.get("spec"), dict):
        return []
    spec = tree["spec"]
    whole = with_defaults(spec)
    found: list[Steps] = [
        ("spec", key) for key, value in whole.items() if key != "tasks" and value and spec.get(key) != value
    ]
    tasks = [mapping(one) for one in sequence(spec.get("tasks"))]
    for word in ("name", "minAvailable", "maxRetry"):
        if any(not task.get(word) for task in tasks):
            found.append((*_TASKS, EVERY, word))
    pods = [mapping(mapping(task.get("template")).get("spec")) for task in tasks]
    if any(pod.get("hostNetwork") is True and not pod.get("dnsPolicy") for pod in pods):
        found.append((*_TASKS, EVERY, "template", "spec", "dnsPolicy"))
    return found


def of_coscheduling(reader: Reader, tree: dict[str, Any]) -> list[Steps]:
    """What the plugin Coscheduling writes into a job: nothing."""
    return []


def of_kueue(reader: Reader, tree: dict[str, Any]) -> list[Steps]:
    """What Kueue writes into a job of a queue."""
    named = QUEUE in mapping(mapping(tree.get("metadata")).get("labels"))
    return queued(reader) if named and kueue_knows(tree) else []


# Who lets jobs begin → what it writes into one.
WRITERS: dict[str, Callable[[Reader, dict[str, Any]], list[Steps]]] = {
    "Kueue": of_kueue,
    "Volcano": of_volcano,
    "Coscheduling": of_coscheduling,
}


def told(reader: Reader, tree: dict[str, Any]) -> list[str]:
    """A sentence for each of those that write into a job: what it will set there."""
    made = []
    for who, writes in WRITERS.items():
        parts: dict[str, None] = {}
        # fields of all items of a list, or of all roles
        inner: dict[str, dict[str, None]] = {}
        for path in writes(reader, tree):
            at = next((at for at, step in enumerate(path) if not isinstance(step, str) or step == EVERY), len(path))
            where, step = ".".join(map(str, path[:at])), path[at] if at < len(path) else ""
            if not step:
                parts[f"`{where}`"] = None
            elif step == EVERY:
                inner.setdefault(where, {})[_field(path[at + 1 :])] = None
            else:
                parts[f"an item of `{where}` with {step[0]} `{step[1]}`"] = None
        listed = [*parts, *(f"in each of `{where}` {_and(list(own))}" for where, own in inner.items())]
        if listed:
            made.append(f"{who} will set {_and(listed)}")
    return made


def _field(path: Steps) -> str:
    """The name of a field; of labels and annotations only that they are its own."""
    own = next((str(step) for step in path if step in ("labels", "annotations")), "")
    return f"{own} of its own" if own else f"`{path[-1]}`"


def _and(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


# What the API server or a webhook writes into a job that does not say it, by kind and field of its spec: recorded as
# ``stored_changes``; JobSet: pkg/webhooks/jobset_webhook.go (Default) of v0.12.0; Volcano: pkg/webhooks/admission/jobs/
# mutate of v1.15.1. Whoever compares two jobs takes what has such a value for absent.
_DEFAULTS: dict[str, tuple[tuple[Steps, Any], ...]] = {
    "MPIJob": (
        (("mpiImplementation",), "OpenMPI"),
        (("sshAuthMountPath",), "/root/.ssh"),
        (("runLauncherAsWorker",), False),
        (("launcherCreationPolicy",), "AtStartup"),
        (("slotsPerWorker",), 1),
    ),
    "TrainJob": (
        (("suspend",), False),
        (("managedBy",), "trainer.kubeflow.org/trainjob-controller"),
        (("runtimeRef", "apiGroup"), "trainer.kubeflow.org"),
        (("runtimeRef", "kind"), "ClusterTrainingRuntime"),
    ),
    "JobSet": (
        (("suspend",), False),
        (("network", "enableDNSHostnames"), True),
        (("network", "publishNotReadyAddresses"), True),
        # a policy that is written says these, as it must: without them nothing would be left to judge
        (("startupPolicy",), {"startupPolicyOrder": "AnyOrder"}),
        (("successPolicy",), {"operator": "All"}),
        (("failurePolicy", "restartStrategy"), "Recreate"),
        (("replicatedJobs", EVERY, "groupName"), "default"),
        (("replicatedJobs", EVERY, "replicas"), 1),
        (("replicatedJobs", EVERY, "template", "spec", "completionMode"), "Indexed"),
        (("replicatedJobs", EVERY, "template", "spec", "suspend"), False),
        (("replicatedJobs", EVERY, "template", "spec", "template", "spec", "restartPolicy"), "OnFailure"),
    ),
    "Job": (
        (("queue",), "default"),
        (("schedulerName",), "volcano"),
        (("maxRetry",), 3),
        (("tasks", EVERY, "maxRetry"), 3),
    ),
}
_POLICY = ((("runPolicy", "suspend"), False),)


def stored(reader: Reader, tree: dict[str, Any], *, live: bool) -> dict[str, Any]:
    """A job without what is there by default, so that two of them can be compared; the tree itself stays as it is.

    ``live``: one of the two comes from a cluster, so that neither what Kueue writes into a job of a queue counts.
    """
    spec = tree.get("spec")
    if not isinstance(spec, dict):
        return tree
    found = unmarked(tree)
    for path, value in (*_POLICY, *_DEFAULTS.get(reader.kind, ())):
        found = _without(found, ("spec", *path), value)
    if live and reader.kind == "Job":
        found = {**found, "spec": _as_written(mapping(found["spec"]))}
    for path in defaults(reader):
        if path[:2] != _TASKS or path[-1] == "protocol":
            found = _without(found, path, "TCP" if path[-1] == "protocol" else ABSENT)
    if live:
        # controllers and deletions in progress add and remove them; whoever applies a manifest keeps them
        found = _without(found, ("metadata", "finalizers"), ABSENT)
    if live and QUEUE in (mapping(mapping(tree.get("metadata")).get("labels"))):
        for path in queued(reader):
            found = _without(found, path, ABSENT)
    return found


def _as_written(spec: dict[str, Any]) -> dict[str, Any]:
    """The spec of a Volcano Job without what its webhook sums up of the tasks, and the plugins that it adds."""
    tasks = []
    for at, task in enumerate(mapping(one) for one in sequence(spec.get("tasks"))):
        filled = {"name": f"default{at}", "minAvailable": task.get("replicas")}
        own = {key: value for key, value in task.items() if filled.get(key) != value}
        tasks.append(own | {"template": _spelled(task["template"])} if isinstance(task.get("template"), dict) else own)
    found = {**spec, "tasks": tasks} if tasks else spec
    for name in ("minAvailable", "plugins"):
        bare = {key: value for key, value in found.items() if key != name}
        if name == "plugins":
            added = ("svc", "ssh")
            kept = {key: one for key, one in mapping(found.get(name)).items() if key not in added or one != []}
            bare |= {name: kept} if kept else {}
        if name in found and with_defaults(bare)[name] == found[name]:
            found = bare
    return found


def _spelled(template: dict[str, Any]) -> dict[str, Any]:
    """The template of a task without what the webhook adds to it, or spells out though it is empty."""
    found = _without(template, ("metadata", "creationTimestamp"), None)
    found = {key: value for key, value in found.items() if (key, value) != ("metadata", {})}
    spec = mapping(found.get("spec"))
    if spec.get("hostNetwork") is True:
        spec = _without(spec, ("dnsPolicy",), "ClusterFirstWithHostNet")
    for field in ("containers", "initContainers"):
        if isinstance(spec.get(field), list):
            bare = [
                {key: value for key, value in one.items() if (key, value) != ("resources", {})}
                if isinstance(one, dict)
                else one
                for one in spec[field]
            ]
            spec = {**spec, field: bare}
    return {**found, "spec": spec} if spec else found


def unmarked(tree: dict[str, Any]) -> dict[str, Any]:
    """An object without what a tree of specgen's tells controllers: as its profile alone comes to."""
    found: dict[str, Any] = tree
    for name, value in OF_TREES.items():
        found = _without(found, ("metadata", "annotations", name), value)
    return found


def stored_runtime(tree: dict[str, Any], *, live: bool) -> dict[str, Any]:
    """A runtime of TrainJobs without what is there by default in the JobSet that it is made of.

    ``live``: one of the two that are compared comes from a cluster, where Trainer marks runtimes that jobs need
    (kubeflow/trainer v2.3.0, pkg/constants: ``ResourceInUseFinalizer``).
    """
    within: Steps = _RUNTIME_PODS[:3]
    found: dict[str, Any] = _without(tree, ("metadata", "finalizers"), ABSENT) if live else tree
    for path, value in _DEFAULTS["JobSet"]:
        found = _without(found, (*within, *path), value)
    pod = _RUNTIME_PODS
    for field in ("containers", "initContainers"):
        found = _without(found, (*pod, field, EVERY, "ports", EVERY, "protocol"), "TCP")
    return found


def _without(tree: Any, path: Steps, value: Any) -> Any:
    """The tree without what stands at a path and has this value (any: ``ABSENT``), nor what is empty then."""
    step, rest = path[0], path[1:]
    if isinstance(step, tuple):
        key, word = step[:2]
        if not isinstance(tree, list):
            return tree
        if not rest:
            return [one for one in tree if mapping(one).get(key) != word]
        return [_without(one, rest, value) if mapping(one).get(key) == word else one for one in tree]
    if step == EVERY:
        if isinstance(tree, list):
            return [_without(one, rest, value) for one in tree]
        return {key: _without(one, rest, value) for key, one in tree.items()} if isinstance(tree, dict) else tree
    if not isinstance(tree, dict) or step not in tree:
        return tree
    below = tree[step]
    if not rest:
        gone = value is ABSENT or (type(below) is type(value) and below == value)
        return {key: one for key, one in tree.items() if key != step} if gone else tree
    left = _without(below, rest, value)
    if left is below:
        return tree
    empty = not left and below
    return {key: left if key == step else one for key, one in tree.items() if not (empty and key == step)}


def pod_at(path: Path, reader: Reader | None) -> int:
    """How many steps of a path lead to the spec of a pod that it lies in; 0: it lies in none. None: of a runtime."""
    pods = [_RUNTIME_PODS] if reader is None else [(*one, "spec") for one in _templates(reader)]
    for pod in pods:
        if len(path) > len(pod) and all(step in (EVERY, own) for step, own in zip(pod, path, strict=False)):
            return len(pod)
    return 0


def _templates(reader: Reader) -> list[Steps]:
    """Where the templates of all roles of a kind stand; nowhere if the operator makes them of another object."""
    known = _TEMPLATES.get(reader.kind)
    if known is not None:
        return [known]
    from specgen.document.tree import Document, Mapping
    from specgen.manifest.model import Manifest
    from specgen.source import Source

    bare = {"apiVersion": reader.api_version, "kind": reader.kind, "metadata": {}, "spec": {}}
    terms = reader.read(Manifest(bare, Document(Source("", ""), Mapping(0), 0))).terms
    return [] if terms is None else [("spec", terms.field, EVERY, "template")]
