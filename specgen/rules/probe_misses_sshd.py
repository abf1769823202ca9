"""A probe of a worker that asks another port than its sshd listens on.

## What it checks
`readinessProbe`, `livenessProbe` and `startupProbe` of an MPIJob's workers that open a connection to port 22, against
the port of the workers' sshd: the number behind its `-p`, or that of an image for which it is known, such as
`mpioperator/base` since 0.4, whose sshd listens on 2222.

## Why it hurts
The worker never becomes ready. With `launcherCreationPolicy: WaitForWorkersReady` the launcher is never created, and
the workers hold their GPUs; a liveness or startup probe has the kubelet kill them again and again.

## Severity
- warning: an image of that name may have another configuration of sshd.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: llama-ft}
spec:
  launcherCreationPolicy: WaitForWorkersReady
  mpiReplicaSpecs:
    Launcher:
      template: {spec: {containers: [{name: mpi, image: "mpioperator/base:v0.6.0", command: [mpirun, ./train]}]}}
    Worker:
      replicas: 2
      template:
        spec:
          containers: [{name: mpi, image: "mpioperator/base:v0.6.0", readinessProbe: {tcpSocket: {port: 22}}}]
```

Good:

```yaml
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: llama-ft}
spec:
  launcherCreationPolicy: WaitForWorkersReady
  mpiReplicaSpecs:
    Launcher:
      template: {spec: {containers: [{name: mpi, image: "mpioperator/base:v0.6.0", command: [mpirun, ./train]}]}}
    Worker:
      replicas: 2
      template:
        spec:
          containers: [{name: mpi, image: "mpioperator/base:v0.6.0", readinessProbe: {tcpSocket: {port: 2222}}}]
```

## Fix
Ask the port that sshd listens on.

## When to ignore it
Where an image of that name has another configuration of sshd.

## References
kubeflow/mpi-operator v0.8.0, build/base/sshd_config; kubeflow/trainer v2.3.0, cmd/runtimes/deepspeed/Dockerfile.
"""

from __future__ import annotations

from specgen.diagnostics.model import UNSAFE, WARNING, Code, Fix, Place
from specgen.diagnostics.operations import Set
from specgen.manifest.views import mapping, sequence
from specgen.rules import ROLE
from specgen.rules._sshd import listens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Role
    from specgen.rules import Context

CODE = Code("SG505", "probe-misses-sshd", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ("MPIJob",)
NEEDS = ("readinessProbe", "livenessProbe", "startupProbe")

# What people take for sshd's port.
_USUAL = 22


def check(role: Role, context: Context) -> Iterator[Finding]:
    """One finding for each probe."""
    container = role.main
    if role.name != "Worker" or role.workload.operator != "mpi-operator" or container is None:
        return
    for key in NEEDS:
        asked = mapping(mapping(container.tree.get(key)).get("tcpSocket")).get("port")
        if _number(container, asked) != _USUAL:
            continue
        port, by = listens(container)
        if port is None or port == _USUAL:
            continue
        note = "the kubelet kills the worker again and again"
        if key == NEEDS[0]:
            spec = mapping(role.workload.manifest.tree.get("spec"))
            held = spec.get("launcherCreationPolicy") == "WaitForWorkersReady"
            note = "the worker is never ready" + (", and the launcher is never created" if held else "")
        place = Place((*container.path, key, "tcpSocket", "port"))
        yield CODE.at(
            place,
            f"the probe asks port {_USUAL}, and sshd listens on {port}",
            related=[(Place((*container.path, "image")), f"by {by}")] if not by.startswith("`-p") else [],
            notes=[note],
            fix=Fix(f"ask port {port}", UNSAFE, [Set(place.path, port)]),
        )


def _number(container: Container, port: object) -> object:
    """The number of a port that a probe may call by its name."""
    named = (mapping(one) for one in sequence(container.tree.get("ports")))
    return next((one.get("containerPort") for one in named if isinstance(port, str) and one.get("name") == port), port)
