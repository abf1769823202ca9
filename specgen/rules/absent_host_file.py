"""A file of hosts that is not there where it is read.

## What it checks
The command lines of a Volcano Job name a file `/etc/volcano/TASK.host`, and the job has no plugin `svc`, or no task of
that name. An init container of an MPIJob's launcher, or one beside the first, names a file in `/etc/mpi`.

## Why it hurts
The plugin `svc` writes a file for each task and mounts them into all pods. Operators of MPI mount theirs into the first
container alone. Elsewhere `head` and `cat` print nothing: what is to be waited for, or met, is nobody.

## Severity
- error: nothing else is mounted there.
- warning: a condition decides whether it is read.

## Example
Bad:

```yaml
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: vj}
spec:
  tasks:
    - name: worker
      replicas: 2
      template: {spec: {containers: [{name: w, image: "example/train:1", command: [bash, -c,
        "torchrun --nnodes=2 --master-addr=$(head -1 /etc/volcano/worker.host) train.py"]}]}}
```

Good:

```yaml
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: vj}
spec:
  plugins: {svc: []}
  tasks:
    - name: worker
      replicas: 2
      template: {spec: {containers: [{name: w, image: "example/train:1", command: [bash, -c,
        "torchrun --nnodes=2 --master-addr=$(head -1 /etc/volcano/worker.host) train.py"]}]}}
```

## Fix
`plugins: {svc: []}`, or the name of a task of the job; in a launcher `volumeMounts: [{name: mpi-job-config, mountPath:
/etc/mpi}]`, as the operator adds that volume to its pod. None is applied: what was meant is not known.

## When to ignore it
Where the image holds the file.

## References
Volcano 1.15.1, pkg/controllers/job/plugins/svc/svc.go; mpi-operator 0.8, pkg/controller/mpi_job_controller.go.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, WARNING, Code, Place, listed, shown
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.directories import below
from specgen.rules import WORKLOAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Workload
    from specgen.rules import Context

CODE = Code("SG346", "absent-host-file", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("Job", "MPIJob")

_END = ".host"
_OF_MPI = "/etc/mpi"


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding for each role or container, at the file's name."""
    if context.reader is None:
        return
    if workload.operator == "volcano":
        yield from _of_tasks(workload, context)
    for role in workload.roles:
        if role.name == "Launcher":
            for container in [*role.containers(init=True), *role.containers()]:
                yield from _of_launcher(container, context)


def _of_launcher(container: Container, context: Context) -> Iterator[Finding]:
    if f"{_OF_MPI}/" not in container.line or context.reader is None:
        return
    own: Any = context.reader.sent(container.role)["spec"]
    for step in container.path[-2:]:
        own = own[step]
    mounts = sequence(mapping(own).get("volumeMounts"))
    if any([below(f"{_OF_MPI}/x", str(mapping(one).get("mountPath"))) for one in mounts]):
        return
    for key, at, text in container.words():
        start = text.find(f"{_OF_MPI}/")
        # what writes it there brings it
        if start < 0 or ">" in text[:start].rstrip()[-1:]:
            continue
        name = text[start + len(_OF_MPI) + 1 :]
        end = next((at for at, sign in enumerate(name) if not (sign.isalnum() or sign in "._-")), len(name))
        yield CODE.at(
            Place((*container.path, key, at), inside=(start, start + len(_OF_MPI) + 1 + end)),
            f"`{_OF_MPI}/{shown(name[:end])}` is not in container `{shown(container.name)}`",
            label="no such file",
            notes=["the operator mounts it into the first container of the launcher alone"],
            helps=[f"`volumeMounts: [{{name: mpi-job-config, mountPath: {_OF_MPI}}}]`, as the pod has that volume"],
            severity=_severity(text),
        )
        return


def _severity(text: str) -> str:
    return WARNING if "-f " in text or "-e " in text or "-s " in text else ERROR


def _of_tasks(workload: Workload, context: Context) -> Iterator[Finding]:
    from specgen.operators.volcano.facts import HOSTS  # jobs of other operators do not load it

    lines = [role.main.line for role in workload.roles if role.main is not None]
    if not any([f"{HOSTS}/" in line for line in lines]):
        return
    expansion = context.resumed(workload)
    if expansion.refusals:
        return
    maps = [mapping(tree.get("data")) for tree in expansion.others if tree.get("kind") == "ConfigMap"]
    there = sorted({name for data in maps for name in data if str(name).endswith(_END)})
    for role in workload.roles:
        container = role.main
        if container is None or any([below(f"{HOSTS}/x", path) for path in container.mounted]):
            continue
        for key, index, text in container.words():
            at = text.find(f"{HOSTS}/")
            end = text.find(_END, at)
            name = text[at + len(HOSTS) + 1 : end + len(_END)] if 0 <= at < end else ""
            if not name or name in there or not name.removesuffix(_END).replace("-", "").isalnum():
                continue
            tasks = [f"`{shown(one.removesuffix(_END))}`" for one in there]
            yield CODE.at(
                Place((*container.path, key, index), inside=(at, end + len(_END))),
                f"nobody writes `{HOSTS}/{shown(name)}`",
                label="no such file",
                related=[(Place(("spec", "tasks"), KEY), f"the tasks are {listed(tasks)}")] if tasks else [],
                notes=["the plugin `svc` writes one for each task; what reads this one gets nothing of it"],
                helps=["name a task of the job" if tasks else "add `svc: []` to `plugins`"],
                severity=_severity(text),
            )
            break
