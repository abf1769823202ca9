"""An `--out` of the trainer that each pod has for itself.

## What it checks
Where several pods train together, the folder that the trainer's `--out` names is on a volume that they share: it is
neither on an `emptyDir`, nor on an ephemeral volume, nor in the container's own file system.

## Why it hurts
Rank 0 writes checkpoints there and all ranks read them. Before the first step each rank looks for a file that rank 0
has written; where it is not seen, all ranks end with exit code 74, which no restart mends.

## Severity
- error: each pod has a volume of its own there, and the trainer ends with exit code 74 before its first step.
- warning: a webhook may yet mount something there, or the script's name alone does not say that it is the trainer.

## Example
Bad:

```yaml
Master:
  template: &pod
    spec:
      volumes: [{name: out, emptyDir: {}}]
      containers:
        - name: pytorch
          image: registry.example.com/train:1.4
          command: [python, -m, trainer, train, --dummy, --out, /out]
          volumeMounts: [{name: out, mountPath: /out}]
Worker: {template: *pod}
```

Good:

```yaml
Master:
  template: &pod
    spec:
      volumes: [{name: out, persistentVolumeClaim: {claimName: checkpoints}}]
      containers:
        - name: pytorch
          image: registry.example.com/train:1.4
          command: [python, -m, trainer, train, --dummy, --out, /out]
          volumeMounts: [{name: out, mountPath: /out}]
Worker: {template: *pod}
```

## Fix
Mount a shared volume there, or leave `--out` out: then nothing is written, and a restarted job begins anew.

## When to ignore it
Never for an `emptyDir`: the trainer does not start.

## References
`python -m trainer contract --json`, "mounts"; trainer/job.py (`_output`); Kubernetes 1.36, Volumes (`emptyDir`).
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, WARNING, Code, Place, plural
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.volumes import own
from specgen.rules import CONTAINER
from specgen.rules._trainer import call
from specgen.rules._words import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context
    from specgen.rules._trainer import Call

CODE = Code("SG455", "trainer-unshared-out", ERROR, since="0.1", page=__doc__)
SCOPE = CONTAINER
# Whose operators make one group of the pods.
KINDS = ("PyTorchJob", "TFJob", "MPIJob", "MSJob", "TrainJob")


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding for each job: at the first of its roles that has such a folder."""
    found = call(container)
    if found is None or found.argument("out") is None or not _is_grouped(found):
        return
    roles = container.role.workload.roles
    for role in roles:
        if role is container.role:
            break
        other = call(role.main) if role.main is not None else None
        if other is not None and any(_own(other, home) is not None for home in other.homes):
            return
    homes = found.homes if found.homes != [container] else [role.main for role in roles if _calls(role.main)]
    pods = sum(home.role.replicas for home in homes if home is not None)
    said = found.argument("out")
    for home in found.homes:
        own = _own(found, home)
        if own is None or said is None or pods < 2:
            continue
        place, label, certain = own
        yield CODE.at(
            said.place,
            f"`{shown(said.written)}` of the trainer is another folder in each of the {plural(pods, 'pod')}",
            label="must be shared",
            related=[(place, label)],
            notes=[
                "rank 0 writes there and all ranks read: they end with exit code 74 before the first step",
                *([] if certain else ["whether something else mounts a volume there is not known"]),
                *found.doubts,
            ],
            helps=["mount a shared volume there, or leave `--out` out"],
            severity=found.severity if certain else WARNING,
        )
        return


def _calls(container: Container | None) -> bool:
    return container is not None and call(container) is not None


def _is_grouped(found: Call) -> bool:
    """Whether the processes of all pods make one group."""
    workload = found.container.role.workload
    if any(word.text.startswith(("--standalone", "--nnodes")) for word in found.before):
        return False
    master = any(role.name == "Master" for role in workload.roles)
    return workload.kind != "PyTorchJob" or master or found.torchrun is not None


def _own(found: Call, home: Container) -> tuple[Place, str, bool] | None:
    """What makes the folder the pod's own: (place, label, whether it surely does); None where nothing does."""
    said = found.argument("out")
    path = said.text if said is not None else None
    if path is None or not path.startswith("/") or "$" in path or "/.." in path:
        return None
    around = [entry for _, entry in home.mounts if f"{path}/".startswith(entry["mountPath"].rstrip("/") + "/")]
    if not around:
        return Place((*home.path, "name")), "nothing is mounted there", False
    entry = max(around, key=lambda one: len(one["mountPath"]))
    for number, volume in enumerate(sequence(home.role.pod.get("volumes"))):
        if mapping(volume).get("name") == entry.get("name"):
            kind = own(mapping(volume))
            if kind is None:
                return None
            return Place((*home.role.pod_path, "volumes", number, kind)), "one for each pod", True
    return None
