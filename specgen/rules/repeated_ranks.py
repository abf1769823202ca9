"""Pods that come to the same rank of one training.

## What it checks
Pods of a JobSet or Volcano Job whose node rank is a variable (`--node-rank=$(JOB_COMPLETION_INDEX)`, `PET_NODE_RANK`,
or `$VK_TASK_INDEX` in a shell's text), or without a launcher their `RANK`, as they are started: two that meet at the
same place and have the same ranks. Where both numbers are written out it is SG466's.

## Why it hurts
The completion index counts within one Job, and `VC_TASK_INDEX` within one task: with several of them numbers repeat,
and others are nobody's. The rendezvous waits for these until it gives up, and all GPUs are held.

## Severity
- error: two processes are one rank, and another rank never comes.
- warning: nothing here says how many nodes the launcher is to wait for, or the program may read no `RANK`.

## Example
Bad:

```yaml
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: vj}
spec:
  plugins: {svc: [], env: []}
  tasks:
  - name: master
    replicas: 1
    template: {spec: {containers: [{name: m, image: "example/train:1", command: [torchrun, --nnodes=2,
      --nproc-per-node=8, --node-rank=0, --master-addr=vj-master-0.vj, train.py]}]}}
  - name: worker
    replicas: 1
    template: {spec: {containers: [{name: w, image: "example/train:1", command: [torchrun, --nnodes=2,
      --nproc-per-node=8, --node-rank=$(VC_TASK_INDEX), --master-addr=vj-master-0.vj, train.py]}]}}
```

Good:

```yaml
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: vj}
spec:
  plugins: {svc: [], env: []}
  tasks:
  - name: worker
    replicas: 2
    template: {spec: {containers: [{name: w, image: "example/train:1", command: [torchrun, --nnodes=2,
      --nproc-per-node=8, --node-rank=$(VC_TASK_INDEX), --master-addr=vj-worker-0.vj, train.py]}]}}
```

## Fix
One Job or task with all pods, or a rendezvous that numbers them. None is applied.

## When to ignore it
Never.

## References
Kubernetes 1.36, pkg/controller/job/indexed_job_utils.go; volcano 1.15, pkg/controllers/job/plugins/env.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, WARNING, Code, Place
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes import launchers
from specgen.operators.kubernetes.command import environment, ranks
from specgen.rules import WORKLOAD
from specgen.rules._words import options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Workload
    from specgen.operators.expansion import Instance
    from specgen.rules import Context

CODE = Code("SG478", "repeated-ranks", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("JobSet", "Job")

_RANKS = ("--node_rank", "--node-rank", "--machine_rank", "--machine-rank")
_VARIABLE = "PET_NODE_RANK"
# What torch reads where no launcher gives it to processes.
_BARE = "RANK"
_NONE = launchers.Line("", 0, {}, 0)
# Each pod's own, or nobody's.
_HERE = ("", "localhost", "127.0.0.1", "0.0.0.0", "::1")
_HELPS = {
    "JobSet": "one replicated job with as many completions as pods, or `torchrun --rdzv-backend=c10d`, which numbers",
    "Job": "one task with all pods, or `torchrun --rdzv-backend=c10d`, which numbers them",
}


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at what says the rank of the second pod."""
    mains = {role.name: role.main for role in workload.roles if role.replicas and role.main is not None}
    places = {name: _place(main) for name, main in mains.items()}
    if workload.pods < 2 or context.reader is None or not any(places.values()):
        return
    expansion = context.resumed(workload)
    if expansion.refusals or expansion.left_out:
        return
    pods = {mapping(pod.get("metadata")).get("name"): pod for pod in expansion.pods}
    most = max(role.replicas for role in workload.roles)
    met: dict[tuple[str, tuple[int, int]], tuple[str, Place | None]] = {}
    for one in expansion.instances:
        line, main = launchers.of_text(one.command) or _NONE, mains.get(one.role)
        if main is None or launchers.count(line.value("nnodes")) == 1 or (line is _NONE and not _is_told(main)):
            continue
        found = one.ranks or _by_shell(one, main, pods.get(one.pod))
        if found is None:
            continue
        where = line.value("master_addr") or line.value("rdzv_endpoint") or line.value("main_process_ip")
        if where[:1] == "$":
            where = _filled_in(where, main, _environment(main, pods.get(one.pod))) or where
            # what a shell works out may be each group's own place, unless one task alone is too small a group
            wanted = launchers.count(line.value("nnodes")) or 0
            if where[:1] == "$" and (workload.kind != "Job" or wanted <= most):
                continue
        at = (where or one.rendezvous).partition(":")[0]
        pod = one.pod.removesuffix("-<random>")
        other, its = met.setdefault((at, found), (pod, places[one.role]))
        place = places[one.role] or its
        if other == pod or at in _HERE or at[:1] == "<" or place is None:
            continue
        counted = line.value("nnodes") or line.value("num_machines") or "PET_NNODES" in main.env
        first, last = found
        both = f"rank {first}" if first == last else f"ranks {first} to {last}"
        notes = ["each rank is one process's: the rendezvous waits for the others until it gives up"]
        if line is _NONE:
            notes.append("so it is where the program reads `RANK`, as torch does that is told no other number")
        yield CODE.at(
            place,
            f"`{other}` and `{pod}` are both {both} of those that meet at `{at}`",
            label="the same number in both",
            notes=notes,
            helps=[_HELPS[workload.kind]],
            severity=ERROR if counted else WARNING,
        )
        return


def _is_told(main: Container) -> bool:
    """Whether a program without a launcher finds its rank among the container's variables, and is one of several."""
    sizes = [str(main.env["WORLD_SIZE"][1].get("value", ""))] if "WORLD_SIZE" in main.env else []
    bare = _BARE in main.env and _VARIABLE not in main.env
    return bare and f"{_BARE}=" not in main.line and sizes != ["1"]


def _by_shell(one: Instance, main: Container, pod: Any) -> tuple[int, int] | None:
    """The ranks of a pod whose node rank is a variable that a shell fills in as the pod has it."""
    env = _environment(main, pod)
    for _, value, *_ in options(main, _RANKS):
        number = _filled_in(value, main, env)
        if launchers.count(number) is None:
            return None
        return ranks([word.replace(value, number) for word in one.command], env, sum(one.devices.values()))
    return None


def _environment(main: Container, pod: Any) -> dict[str, str]:
    containers = [mapping(one) for one in sequence(mapping(mapping(pod).get("spec")).get("containers"))]
    own = next((one for one in containers if one.get("name") == main.name), {})
    return environment(own, mapping(pod))


def _filled_in(text: str, main: Container, env: dict[str, str]) -> str:
    """What a shell takes for `$NAME`; empty where the command line may set or change it."""
    name = text.removeprefix("$").removeprefix("{").removesuffix("}")
    plain = text in (f"${name}", f"${{{name}}}")
    return env.get(name, "") if plain and f"{name}=" not in main.line else ""


def _place(container: Container) -> Place | None:
    """Where a variable says which node a pod is; None where nothing does, or a number stands there."""
    for _, value, _, word, start in options(container, _RANKS):
        if launchers.count(value) is not None:
            return None
        return Place(word.path, inside=(word.start + start, word.start + start + len(value)))
    bare = _VARIABLE not in container.env
    if not bare or (_is_told(container) and launchers.of_text([text for _, _, text in container.words()]) is None):
        index, entry = container.env[_BARE if bare else _VARIABLE]
        if bare and launchers.count(str(entry.get("value", ""))) is not None:
            return None
        return Place((*container.path, "env", index, "value" if "value" in entry else "valueFrom"))
    return None
