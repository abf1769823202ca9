"""Volcano's releases, and a Job's spec as its webhook stores it.

Read from volcano-sh/volcano v1.15.1, the release that is recorded: its CRD, pkg/webhooks/admission/jobs/mutate,
pkg/controllers/job/plugins and pkg/controllers/job/helpers.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.release import Operator, Release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TypeAlias

    Flag: TypeAlias = str | bool | int

API_VERSION = "batch.volcano.sh/v1alpha1"
OPERATOR = Operator("volcano", (Release("1.15.1"),))
WEBHOOK = "the validating webhook of Volcano"
SCHEDULER = "volcano"
# Where svc mounts its files, a list of hosts for each task among them, and ssh its keys.
HOSTS = "/etc/volcano"
KEYS = "/root/.ssh"
# Of the names of its volumes the last ones, which are by chance (createJobPod).
LETTERS = 12
# (name, number) of the port that pytorch adds to every container.
PORT = ("pytorchjob-port", 23456)
# Variables that a plugin adds behind those of the template, in containers of every task.
ADDED = {
    "env": ("VK_TASK_INDEX", "VC_TASK_INDEX"),
    "pytorch": ("MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK"),
    "tensorflow": ("TF_CONFIG",),
    "mpi": ("MPI_HOST",),
}
# Plugin → its flags, with the values that they have unsaid, which tell their types.
FLAGS: dict[str, dict[str, Flag]] = {
    "env": {},
    "svc": {"publish-not-ready-addresses": False, "disable-network-policy": False},
    "ssh": {"ssh-key-file-path": KEYS, "ssh-private-key": "", "ssh-public-key": ""},
    "pytorch": {
        "master": "master",
        "worker": "worker",
        "port": PORT[1],
        "wait-master-enabled": False,
        "wait-master-timeout": 300,
        "wait-master-image": "busybox:1.36.1",
    },
    "tensorflow": {"ps": "ps", "worker": "worker", "chief": "chief", "evaluator": "evaluator", "port": 2222},
    "mpi": {"master": "master", "worker": "worker", "port": 22},
}
# What pluginOnJobAdd knows besides; what they add is not read here.
UNREAD = ("ray", "hcclrank")
# The default of the CRD and of the webhook, which takes 0 for none.
RETRIES = 3
_TRUE = ("1", "t", "T", "true", "TRUE", "True")


def text(value: Any) -> str:
    """The value if it is text, else an empty one."""
    return value if isinstance(value, str) else ""


def number(value: Any, unsaid: int) -> int:
    """A whole number, ``unsaid`` where there is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) else unsaid


def flags(plugin: str, arguments: Iterable[Any]) -> dict[str, Flag]:
    """What a plugin takes from its arguments, as Go's flag package reads them: up to the first that it cannot."""
    known = dict(FLAGS.get(plugin, {}))
    words = [one for one in arguments if isinstance(one, str)]
    while words:
        word = words.pop(0)
        if len(word) < 2 or word[0] != "-" or word == "--":
            break
        name, said, value = word[1:].removeprefix("-").partition("=")
        unsaid = known.get(name)
        if isinstance(unsaid, bool):
            known[name] = value in _TRUE if said else True
            continue
        if unsaid is None or not (said or words):
            break
        value = value if said else words.pop(0)
        if isinstance(unsaid, str):
            known[name] = value
        elif value.isascii() and value.isdigit() and len(value) < 10:
            known[name] = int(value)
        else:
            break
    return known


def task_name(task: Any, index: int) -> str:
    """What a task is called: the webhook calls one without a name after its place."""
    return text(mapping(task).get("name")) or f"default{index}"


def with_defaults(spec: dict[str, Any]) -> dict[str, Any]:
    """A spec with what the webhook fills in; the tasks' templates are the old ones."""
    tasks = []
    for index, task in enumerate(sequence(spec.get("tasks"))):
        own = {**mapping(task), "name": task_name(task, index)}
        own["replicas"] = number(own.get("replicas"), 0)
        own.setdefault("minAvailable", own["replicas"])
        tasks.append(own)
    plugins = {name: sequence(one) for name, one in mapping(spec.get("plugins")).items()}
    if any(name in plugins for name in ("tensorflow", "mpi", "pytorch")):
        plugins.setdefault("svc", [])
    if "mpi" in plugins:
        plugins.setdefault("ssh", [])
    least = number(spec.get("minAvailable"), 0) or sum(number(task["minAvailable"], 0) for task in tasks)
    return {
        **spec,
        "queue": spec.get("queue") or "default",
        "schedulerName": spec.get("schedulerName") or SCHEDULER,
        "maxRetry": number(spec.get("maxRetry"), 0) or RETRIES,
        "minAvailable": least,
        "plugins": dict(sorted(plugins.items())),
        "tasks": tasks,
    }


def host(job: str, task: dict[str, Any], index: int) -> str:
    """The name at which a pod of a task is found, without its namespace (helpers.MakeDomainName)."""
    pod = mapping(mapping(task.get("template")).get("spec"))
    return f"{text(pod.get('hostname')) or pod_name(job, task['name'], index)}.{text(pod.get('subdomain')) or job}"


def hosts(job: str, task: dict[str, Any]) -> list[str]:
    """All of them, as svc and mpi list them: one where the template gives every pod the same name."""
    named = text(mapping(mapping(task.get("template")).get("spec")).get("hostname"))
    count = min(task["replicas"], 1) if named else task["replicas"]
    return [host(job, task, index) for index in range(count)]


def pod_name(job: str, task: str, index: int) -> str:
    """A pod's own name."""
    return f"{job}-{task}-{index}"
