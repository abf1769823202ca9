"""Pods that share data out in a PyTorchJob, which ends with its Master.

## What it checks
A PyTorchJob whose Master and Workers are told of a part of the data, `--shard` beside `--num-shards` or `--part` beside
`--of`, or write a file each that bears their number, `--out=/out/$(RANK).npy`, be it in the text of a shell, and do not
meet under torchrun.

## Why it hurts
The training operator takes the job for succeeded as soon as the Master has. Parts are never alike: pods that are still
at work are deleted then where `cleanPodPolicy` is `Running` or `All`, or with the job after `ttlSecondsAfterFinished`,
and a queue gives their devices to others. The output of their parts is missing, and the job says that it succeeded.

## Severity
- warning: the program of the Master may wait for the others.

## Example
Bad:

```yaml
pytorchReplicaSpecs:
  Master:
    replicas: 1
    template: {spec: {containers: [{name: pytorch, image: "a/b:1",
      command: [python, embed.py, --shard=$(RANK), --num-shards=4]}]}}
  Worker:
    replicas: 3
    template: {spec: {containers: [{name: pytorch, image: "a/b:1",
      command: [python, embed.py, --shard=$(RANK), --num-shards=4]}]}}
```

Good:

```yaml
pytorchReplicaSpecs:
  Master:
    replicas: 1
    template: {spec: {containers: [{name: pytorch, image: "a/b:1", command: [python, train.py]}]}}
  Worker:
    replicas: 3
    template: {spec: {containers: [{name: pytorch, image: "a/b:1", command: [python, train.py]}]}}
```

## Fix
A kind that ends with the last of its pods: a JobSet, in a profile `target: JobSet`, or an indexed Job of Kubernetes.

## When to ignore it
Where the program of the Master waits for the others.

## References
training-operator 1.9, pkg/controller.v1/pytorch/pytorchjob_controller.go (`UpdateJobStatus`).
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, plural
from specgen.operators.kubernetes.launchers import of_text
from specgen.operators.kubernetes.self_started import part_at
from specgen.rules import RANKED, WORKLOAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Workload
    from specgen.operators.kubernetes.calls import Piece
    from specgen.rules import Context

CODE = Code("SG457", "shards-end-with-master", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("PyTorchJob",)
NEEDS = (RANKED,)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at the Master's line."""
    roles = {role.name: role for role in workload.roles if role.replicas > 0}
    master, workers = (roles[name].main if name in roles else None for name in ("Master", "Worker"))
    part = _part(master) if master is not None else None
    if master is None or workers is None or part is None or _part(workers) is None:
        return
    others = plural(roles["Worker"].replicas, "Worker")
    key, index, text = master.words()[part.at]
    yield CODE.at(
        Place((*master.path, key, index), inside=None if part.text == text else (part.start, part.end)),
        f"the job ends with this part of the data, whatever the {others} still do",
        label="the Master's part",
        notes=["the operator takes the job for succeeded as soon as its Master has"],
        helps=["a JobSet ends with the last of its pods, in a profile `target: JobSet`"],
    )


def _part(container: Container) -> Piece | None:
    """The word that tells a program of its part of the data."""
    from specgen.operators.kubernetes.calls import calls  # not before a rank is among its variables

    words = [text for _, _, text in container.words()]
    for call in calls(words) if of_text(words) is None else ():
        at = None if call.idle else part_at([one.text for one in call.pieces])
        if at is not None:
            return call.pieces[at]
    return None
