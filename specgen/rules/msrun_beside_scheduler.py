"""MindSpore's msrun in the pods of an MSJob, whose operator starts a Scheduler and counts the pods itself.

## What it checks
`msrun` in the Workers of an MSJob with several of them: one number behind `--node_rank` for all pods, no
`--master_addr` but the pod's own, or more processes (`--local_worker_num`, 8 where nothing is said) than the pod has
NPUs.

## Why it hurts
The operator makes each pod one process, which meets the others at its Scheduler. msrun starts a Scheduler and processes
of its own, and all of them take themselves for the first node: no two pods ever meet, and several processes share an
NPU.

## Severity
- warning: a program may divide the processes by itself.

## Example
Bad:

```yaml
apiVersion: mindspore.gitee.com/v1
kind: MSJob
metadata: {name: bert}
spec:
  msReplicaSpecs:
    Worker:
      replicas: 4
      template:
        spec:
          containers:
          - name: mindspore
            image: registry.example.com/ms:2.3
            command: [msrun, --worker_num=32, --node_rank=0, train.py]
```

Good:

```yaml
apiVersion: mindspore.gitee.com/v1
kind: MSJob
metadata: {name: bert}
spec:
  msReplicaSpecs:
    Worker:
      replicas: 32
      template:
        spec:
          containers:
          - {name: mindspore, image: "registry.example.com/ms:2.3", command: [python, train.py]}
```

## Fix
Leave msrun and its options out, and have Python run the program in each pod: `mindspore.communication.init()` takes the
Scheduler from the operator's variables.

## When to ignore it
Where the program gives each pod its own processes.

## References
mindspore 2.3, mindspore/python/mindspore/parallel/cluster/run.py and process_entity/_api.py; ms-operator 1.0.0,
pkg/controllers/v1.
"""

from __future__ import annotations

from specgen.devices import is_npu
from specgen.diagnostics.model import WARNING, Code, Place, plural
from specgen.operators.kubernetes.launchers import count
from specgen.rules import MSRUN, ROLE
from specgen.rules._words import gpus, options, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Role
    from specgen.rules import Context

CODE = Code("SG511", "msrun-beside-scheduler", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ("MSJob",)
NEEDS = (MSRUN,)

# Processes of a node where nothing says how many.
_EACH = 8
_HERE = ("127.0.0.1", "localhost", "0.0.0.0")


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding, at the program."""
    container = role.main
    if container is None or role.name != "Worker" or role.replicas < 2:
        return
    program = next((word for word in words(container) if word.text.rpartition("/")[2] == "msrun"), None)
    if program is None:
        return
    master, node = _said(container, "master_addr"), _said(container, "node_rank")
    each = _said(container, "local_worker_num")
    started = _EACH if each is None else count(each)
    held = _devices(container, context)
    alone = master is None or master in _HERE
    same = node is not None and count(node) is not None
    if not (alone or same or (started is not None and 0 < held < started)):
        return
    message = f"`msrun` starts a Scheduler and processes of its own in each of the {plural(role.replicas, 'pod')}"
    if started is not None and started > 1:
        message = (
            f"`msrun` starts a Scheduler and {started} processes of its own in each of the "
            f"{plural(role.replicas, 'pod')}"
        )
    yield CODE.at(
        Place(program.path, inside=(program.start, program.start + len(program.text))),
        message,
        label="all are the first node" if same or alone else f"{plural(held, 'device')} in each pod",
        related=[(Place((*role.path, "replicas")), plural(role.replicas, "pod"))] if "replicas" in role.tree else [],
        notes=["the ms-operator makes each pod one process, and a Scheduler beside them at which they meet"],
        helps=["leave `msrun` and its options out: `command: [python, …]` in each pod, and a device for each pod"],
    )


def _said(container: Container, name: str) -> str | None:
    return next((value for _, value, *_ in options(container, (f"--{name}", f"--{name.replace('_', '-')}"))), None)


def _devices(container: Container, context: Context) -> int:
    """How many NPUs, or GPUs, a pod has; 0 where nobody knows."""
    for name, (amount, _) in container.amounts().items():
        if is_npu(str(name)):
            return count(str(amount)) or 0
    return gpus(container, context)[0]
