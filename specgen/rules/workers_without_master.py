"""Several Workers of a PyTorchJob that nobody tells where to meet.

## What it checks
A PyTorchJob with more than one pod has a Master, or an `elasticPolicy`, or its own variables or command line say where
the pods meet (`MASTER_ADDR`, `--rdzv-endpoint`, `--master-addr`, `--init_method`, a host's name).

## Why it hurts
The operator sets `MASTER_ADDR`, `MASTER_PORT`, `RANK` and `WORLD_SIZE` only beside a Master. Without them
`init_process_group` stops at once, and torchrun waits for the others at its own address until it gives up.

## Severity
- warning: a script of the image may find its peers by other means.

## Example
Bad:

```yaml
pytorchReplicaSpecs:
  Worker:
    replicas: 4
    template: {spec: {containers: [{name: pytorch, image: "a/b:1", command: [torchrun, train.py]}]}}
```

Good:

```yaml
pytorchReplicaSpecs:
  Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: "a/b:1", command: [torchrun, t.py]}]}}}
  Worker: {replicas: 3, template: {spec: {containers: [{name: pytorch, image: "a/b:1", command: [torchrun, t.py]}]}}}
```

## Fix
Make one of the Workers the Master, or let them meet: `--rdzv-backend=c10d --rdzv-endpoint=<job>-worker-0:23456`. None
is applied: either changes what the pods are called and told.

## When to ignore it
Where a script of the image finds its peers by other means, or the pods do not train together.

## References
training-operator 1.9.4, pkg/controller.v1/pytorch/envvar.go; recorded with Workers alone.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place, plural
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes import launchers
from specgen.rules import ROLE, WITHOUT_MASTER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG432", "workers-without-master", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ("PyTorchJob",)
NEEDS = (WITHOUT_MASTER,)

# Signs in a command line, or names of variables, that say or find a meeting place, or that none is needed.
_SIGNS: tuple[str, ...] = (
    *("MASTER_ADDR", "RDZV", "rdzv", "master_addr", "master-addr", "init_method", "init-method", "dist-url"),
    *("dist_url", "main_process_ip", "hostname", "HOSTNAME", "worker-0", "standalone", "STANDALONE", "hostfile"),
    *("tcp://", "sleep infinity", "mpirun"),
)


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding."""
    workload, container = role.workload, role.main
    spec = mapping(workload.manifest.tree.get("spec"))
    if role.name != "Worker" or role.replicas < 2 or spec.get("elasticPolicy") is not None or container is None:
        return
    if len(workload.roles) > 1 or sequence(container.tree.get("envFrom")):
        return
    texts = [text for _, _, text in container.words()]
    said = " ".join([*texts, *container.env])
    if any([sign in said for sign in _SIGNS]):
        return
    line = launchers.of_text(texts)
    # accelerate and DeepSpeed read no variables; what an image's own program does is not known
    if (
        line.name != launchers.TORCHRUN or line.open
        if line is not None
        else not any([word.rpartition("/")[2].startswith("python") for word in " ".join(texts).split()[:4]])
    ):
        return
    ends = "`init_process_group` stops at once: `RANK` is expected, and nobody sets it"
    if line is not None:
        ends = "each pod waits for the others at its own address until the rendezvous gives up"
    yield CODE.at(
        Place(role.path, KEY),
        f"nobody tells {plural(role.replicas, 'Worker')} without a Master where to meet",
        label="no `MASTER_ADDR`, no `RANK`",
        related=[(Place((*role.path, "replicas")), plural(role.replicas, "pod"))],
        notes=["the operator sets `MASTER_ADDR`, `RANK` and `WORLD_SIZE` beside a Master alone", ends],
        helps=[
            f"make it a Master and {plural(role.replicas - 1, 'Worker')}, or let torchrun meet: "
            f"`--rdzv-backend=c10d --rdzv-endpoint={workload.manifest.ref.name}-worker-0:23456`"
        ],
    )
