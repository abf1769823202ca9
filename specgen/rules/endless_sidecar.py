"""A container beside the training one that never ends.

## What it checks
A container beside the one that trains, in a pod that ends when its program does, does not wait for ever: its command
ends neither in `sleep infinity` nor in `tail -f /dev/null`, calls no program that serves until it is killed, such as
`tensorboard`, and a receive daemon of GPUDirect-TCPX or -TCPXO stands behind a shell that ends it.

## Why it hurts
A pod ends when all of its containers have. The program is through, the pod still runs, and so does the job: it never
succeeds, and all pods that the operator would clean up keep their GPUs.

## Severity
- warning: the program may end its sidecar through a shared process namespace.

## Example
Bad:

```yaml
containers:
- {name: pytorch, image: "registry.example.com/train:1.4", command: [python, train.py]}
- {name: metrics, image: "registry.example.com/metrics:2", command: [sleep, infinity]}
```

Good:

```yaml
containers:
- {name: pytorch, image: "registry.example.com/train:1.4", command: [python, train.py]}
initContainers:
- {name: metrics, image: "registry.example.com/metrics:2", command: [sleep, infinity], restartPolicy: Always}
```

## Fix
Make it an init container with `restartPolicy: Always`, a sidecar that ends with the program, where Kubernetes (1.29 on)
and the operator's CRD know the field; or let it end by a file that the program leaves behind.

## When to ignore it
Where the program ends it, through a shared process namespace.

## References
Kubernetes 1.36, documentation of sidecar containers; Google Cloud, GPUDirect-TCPXO (its own example of a daemon waits
for a file of the workload).
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, shown
from specgen.operators.kubernetes.command import never_ends, serves
from specgen.rules import ALL, CONTAINER, SEVERAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG472", "endless-sidecar", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (SEVERAL,)

# Parts of the images' names of receive daemons that serve until they are killed.
_DAEMONS = ("tcpgpudmarxd", "rxdm")


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding, at the container's name."""
    role = container.role
    main = role.main
    if container.init or main is None or container is main or role.pod.get("shareProcessNamespace") is True:
        return
    line = [text for _, _, text in container.words()]
    image = container.tree.get("image")
    daemon = isinstance(image, str) and any(part in image.rpartition("/")[2] for part in _DAEMONS)
    shell = bool(line) and line[0].rpartition("/")[2].endswith("sh")
    if not never_ends(line) and not serves(line) and not (daemon and not shell):
        return
    own = [text for _, _, text in main.words()]
    # a role whose own program waits for ever, or is the operator's own, is stopped by others
    launched = any(other is not role and other.name.lower() == "launcher" for other in role.workload.roles)
    if never_ends(own) or launched:
        return
    yield CODE.at(
        Place((*container.path, "name")) if container.name else Place(container.path),
        f"the container `{shown(container.name)}` never ends, and its pod, with all its devices, not before it",
        notes=["when the program is through, the pod still runs: the job never succeeds"],
        helps=["an init container with `restartPolicy: Always` ends with the program, since Kubernetes 1.29"],
    )
