"""A plugin of Volcano that is told of a task which the job does not have.

## What it checks
The tasks that the plugin `pytorch` of a Volcano Job takes for its master and its workers, by its arguments or, without
them, by the names `master` and `worker`. Of the plugin `tensorflow`, those that its arguments name. What the plugin
`mpi` lacks is refused (SG317).

## Why it hurts
Without its master the plugin sets nothing in any pod: no `MASTER_ADDR`, no `WORLD_SIZE`, no `RANK`. Without its workers
it counts the master alone: `WORLD_SIZE` is 1, the other pods have no `RANK`, and all of them wait for one another. For
TensorFlow, the pods of the task that was meant are in no `TF_CONFIG`.

## Severity
- warning: the program may take its rank from elsewhere.

## Example
Bad:

```yaml
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: llama-ft}
spec:
  plugins: {svc: [], pytorch: ["--worker=workers"]}
  tasks:
    - {name: master, replicas: 1, template: {spec: {containers: [{name: a, image: "train:1.4"}]}}}
    - {name: worker, replicas: 3, template: {spec: {containers: [{name: a, image: "train:1.4"}]}}}
```

Good:

```yaml
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: llama-ft}
spec:
  plugins: {svc: [], pytorch: ["--worker=worker"]}
  tasks:
    - {name: master, replicas: 1, template: {spec: {containers: [{name: a, image: "train:1.4"}]}}}
    - {name: worker, replicas: 3, template: {spec: {containers: [{name: a, image: "train:1.4"}]}}}
```

## Fix
Name the task as it is called. None is applied: which of the two was meant is not known.

## When to ignore it
Where the command line itself tells each pod its rank and where to meet.

## References
Volcano 1.15.1, pkg/controllers/job/plugins/distributed-framework/{pytorch,tensorflow}.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place, listed, shown
from specgen.diagnostics.suggest import similar
from specgen.manifest.views import mapping, sequence
from specgen.rules import WORKLOAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG477", "plugin-without-task", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("Job",)
NEEDS = ("plugins",)

_ROLES = {"pytorch": ("master", "worker"), "tensorflow": ("ps", "worker", "chief", "evaluator")}


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each task that a plugin looks for in vain."""
    if workload.operator != "volcano":
        return
    from specgen.operators.volcano.facts import flags, task_name  # jobs of other operators do not load it

    spec = mapping(workload.manifest.tree.get("spec"))
    plugins = mapping(spec.get("plugins"))
    tasks = [task_name(task, index) for index, task in enumerate(sequence(spec.get("tasks")))]
    for plugin, roles in _ROLES.items():
        if plugin not in plugins or not tasks:
            continue
        arguments = sequence(plugins[plugin])
        said, unsaid = flags(plugin, arguments), flags(plugin, [])
        for role in roles:
            name = str(said[role])
            if name in tasks or not _is_wanted(plugin, role, said[role] != unsaid[role], len(tasks)):
                continue
            yield _finding(plugin, role, name, _place(plugin, role, arguments), tasks)
            break


def _is_wanted(plugin: str, role: str, said: bool, tasks: int) -> bool:
    """Whether a task that is not there was meant: it is named, or the plugin finds none of its own without it."""
    return said or (plugin == "pytorch" and (role == "master" or tasks > 1))


def _place(plugin: str, role: str, arguments: list[object]) -> Place:
    path: Path = ("spec", "plugins", plugin)
    for index, word in enumerate(arguments):
        if isinstance(word, str) and word.lstrip("-").partition("=")[0] == role:
            return Place((*path, index))
    return Place(path, KEY)


def _finding(plugin: str, role: str, name: str, place: Place, tasks: list[str]) -> Finding:
    effect = {
        "master": "sets `MASTER_ADDR`, `WORLD_SIZE` and `RANK` in no pod",
        "worker": "counts the master alone: `WORLD_SIZE` leaves the others out, and they have no `RANK`",
    }
    near = similar(name, tasks)
    return CODE.at(
        place,
        f"the plugin `{plugin}` looks for a task `{shown(name)}`, and there is none",
        label=f"its {role}",
        related=[(Place(("spec", "tasks"), KEY), f"the tasks are {listed([shown(task) for task in tasks])}")],
        notes=[
            f"without it, the plugin {effect[role]}"
            if plugin == "pytorch"
            else "its pods would be in no `TF_CONFIG` of the others"
        ],
        helps=[f"write `--{role}={near[0]}`" if len(near) == 1 else f"name the task that is the {role} by `--{role}`"],
    )
