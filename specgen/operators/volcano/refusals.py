"""What is refused of a Volcano Job: by its name, and by the validating webhook.

Read from volcano-sh/volcano, pkg/webhooks/admission/jobs/validate/{admit_job,util}.go; held against recordings of
v1.15.1. Queues, which it looks up, are the cluster's, but for the one called root. The pods of tasks are judged by
``kubernetes.admission``, as those of other kinds.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.names import is_label, known
from specgen.operators.kubernetes.objects import NAME, SERVER, misshapen, name_of, name_refusal, tree_of
from specgen.operators.objection import Objection
from specgen.operators.volcano.facts import (
    FLAGS,
    LETTERS,
    UNREAD,
    WEBHOOK,
    flags,
    number,
    pod_name,
    task_name,
    with_defaults,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    from specgen.manifest.views import Workload
    from specgen.source import Path

    # Path below the object's spec, and why it is refused there.
    Reason: TypeAlias = tuple[Path, str]

# Events that only the controller itself has (policyEventMap); what is no event at all the schema knows.
_OWN_EVENTS = ("OutOfSync", "CommandIssued")
_ACTIONS = (
    *("AbortJob", "RestartJob", "RestartTask", "RestartPod", "RestartPartition"),
    *("TerminateJob", "CompleteJob", "ResumeJob"),
)


def refusals(workload: Workload) -> Iterator[Objection]:
    """Everything that is refused of a Job, but for the pods of its tasks; a name that what plugins add cannot bear.

    A tree of the wrong shape is not judged, beyond its name.
    """
    tree = tree_of(workload)
    name, given = name_of(tree), mapping(tree.get("spec"))
    reason = name_refusal(name)
    if reason:
        yield Objection(NAME, reason, SERVER, "name")
    elif len(known(name)) > 63:
        # the Job's name is the value of a label of its pods
        reason = f"`metadata.name`: {len(known(name))} characters are no value of a label"
        yield Objection(NAME, reason, WEBHOOK, "name")
    if not workload.shaped and misshapen("job_v1alpha1", tree):
        return
    if not sequence(given.get("tasks")):
        yield Objection(("spec", "tasks"), "`tasks` has no items, and at least one is needed", SERVER)
        return
    for path, why in _hooked(known(name), given):
        yield Objection(("spec", *path), why, WEBHOOK)
    if not reason and not is_label(known(name)):
        # the Job's name takes dots: the Service of svc is called so, and volumes of ssh and of the Job after it
        plugins = with_defaults(given)["plugins"]
        of = "Service" if "svc" in plugins else "Pod" if "ssh" in plugins or sequence(given.get("volumes")) else ""
        if of:
            yield Objection(NAME, f"`metadata.name`: `{name}` is not a DNS label", SERVER, "name", of=of)
    elif not reason and sequence(given.get("volumes")) and len(known(name)) + 1 + LETTERS > 63:
        called = f"the name of a volume, which is `{name}` with a dash and {LETTERS} letters behind it"
        yield Objection(NAME, f"`metadata.name`: {called}, is longer than 63 characters", SERVER, of="Pod")


def _hooked(name: str, given: dict[str, Any]) -> Iterator[Reason]:
    if given.get("queue") == "root":
        yield ("queue",), "`queue`: nothing may be submitted to the queue `root`"
    tasks = [mapping(one) for one in sequence(given.get("tasks"))]
    spec = with_defaults(given)
    names = [task["name"] for task in spec["tasks"]]
    yield from _mpi(mapping(given.get("plugins")), names)
    for index, task in enumerate(tasks):
        yield from _task(name, index, task, names[:index])
    total = sum(max(0, number(task.get("replicas"), 0)) for task in tasks)
    if spec["minAvailable"] > total:
        message = f"`minAvailable`: {spec['minAvailable']} pods are to start together, and the tasks have {total}"
        yield (("minAvailable",) if number(given.get("minAvailable"), 0) else ("tasks",)), message
    yield from _policies(given, ())
    for plugin in mapping(given.get("plugins")):
        if plugin not in FLAGS and plugin not in UNREAD:
            yield ("plugins", plugin), f"`plugins`: Volcano has no plugin `{plugin}`"
    yield from _volumes(sequence(given.get("volumes")))
    yield from _order(tasks, names)


def _mpi(plugins: dict[str, Any], names: list[str]) -> Iterator[Reason]:
    if "mpi" in plugins:
        said = flags("mpi", sequence(plugins["mpi"]))
        for word in ("master", "worker"):
            if said[word] not in names:
                yield ("plugins", "mpi"), f"`plugins.mpi`: there is no task `{said[word]}`, which is its {word}"


def _task(name: str, index: int, task: dict[str, Any], before: list[str]) -> Iterator[Reason]:
    at, called = ("tasks", index), task_name(task, index)
    replicas, least = number(task.get("replicas"), 0), number(task.get("minAvailable"), 0)
    if least > replicas:
        message = f"`tasks[{index}].minAvailable`: {least} pods are to start together, and `replicas` is {replicas}"
        yield (*at, "minAvailable"), message
    if not is_label(called):
        yield (*at, "name"), f"`tasks[{index}].name`: `{called}` is not a DNS label"
    elif called in before:
        yield (*at, "name"), f"`tasks[{index}].name`: two tasks are called `{called}`"
    longest = pod_name(name, called, index)
    if len(longest) > 63 >= len(name):
        yield (
            (*at, "name"),
            f"the name of a pod such as `{longest}` has {len(longest)} characters, at most 63 are allowed",
        )
    yield from _policies(task, at)


def _policies(holder: dict[str, Any], at: Path) -> Iterator[Reason]:
    events: list[str] = []
    codes: list[int] = []
    for index, policy in enumerate(mapping(one) for one in sequence(holder.get("policies"))):
        path: Path = (*at, "policies", index)
        said = [*sequence(policy.get("events")), *([policy["event"]] if policy.get("event") else [])]
        code = policy.get("exitCode")
        if said and code is not None:
            yield (*path, "exitCode"), "a policy is for events or for an exit code, and this one names both"
        elif not said and code is None:
            yield path, "a policy names neither an event nor an exit code"
        elif code == 0 or code in codes:
            why = "0 is no code of a failure" if code == 0 else f"two policies are for the exit code {code}"
            yield (*path, "exitCode"), why
        elif said and policy.get("action") not in _ACTIONS:
            yield (*path, "action"), f"`action`: Volcano knows no action `{policy.get('action')}`"
        for event in dict.fromkeys(said):
            if event in _OWN_EVENTS:
                yield (*path, "event"), f"`{event}` is an event of the controller itself, for which no policy may be"
            elif event in events:
                yield (*path, "event"), f"two policies are for the event `{event}`"
            events.append(event)
        codes += [code] if isinstance(code, int) else []
    if "*" in events and len(set(events)) > 1:
        yield (*at, "policies"), "a policy is for all events (`*`), and there is one for another besides"


def _volumes(volumes: list[Any]) -> Iterator[Reason]:
    seen: list[Any] = []
    for index, volume in enumerate(mapping(one) for one in volumes):
        path, claim = volume.get("mountPath"), volume.get("volumeClaimName")
        if path in seen:
            yield ("volumes", index, "mountPath"), f"two volumes are mounted at `{path}`"
        seen.append(path)
        if not claim and "volumeClaim" not in volume:
            yield ("volumes", index), "a volume has neither `volumeClaimName` nor `volumeClaim`"
        elif claim and "volumeClaim" in volume:
            yield ("volumes", index), "a volume has both `volumeClaimName` and `volumeClaim`"


def _order(tasks: list[dict[str, Any]], names: list[str]) -> Iterator[Reason]:
    """Tasks that wait for each other in a circle, or for one that is not there (topoSort)."""
    waits = {}
    for name, task in zip(names, tasks, strict=True):
        waits[name] = [str(one) for one in sequence(mapping(task.get("dependsOn")).get("name"))]
    # tasks → how many others each waits for, and those that wait for it
    left = {name: len(dict.fromkeys(others)) for name, others in waits.items()}
    behind: dict[str, list[str]] = {}
    for name, others in waits.items():
        for one in dict.fromkeys(others):
            behind.setdefault(one, []).append(name)
    free = [name for name in waits if not left[name]]
    for one in free:  # it grows meanwhile
        for name in behind.get(one, ()):
            left[name] -= 1
            if not left[name]:
                free.append(name)
    for index, name in enumerate(names):
        if left[name]:
            path = ("tasks", index, "dependsOn")
            absent = [one for one in waits[name] if one not in waits]
            why = f"there is no task `{absent[0]}`" if absent else f"the order of tasks has no beginning for `{name}`"
            yield path, f"`tasks[{index}].dependsOn`: {why}"
            return
