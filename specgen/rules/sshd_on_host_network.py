"""Workers of an MPIJob whose sshd listens on the node's own port 22.

## What it checks
An MPIJob v2beta1 whose workers share their nodes' network (`hostNetwork: true`): their sshd has a port of its own, by
`-p` in the command, or by an image for which it is known.

## Why it hurts
The node's own sshd listens on port 22 as a rule. The workers' one cannot bind it and ends, or mpirun reaches the node
in place of the worker, which does not know its key: the launcher tries until its limit is reached, while the workers
hold their GPUs.

## Severity
- warning: whether the nodes run an sshd on that port is not known.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: llama-ft}
spec:
  mpiReplicaSpecs:
    Launcher:
      template: {spec: {containers: [{name: mpi, image: "mpi:1", command: [mpirun, ./train]}]}}
    Worker:
      replicas: 2
      template: {spec: {hostNetwork: true, containers: [{name: mpi, image: "mpi:1"}]}}
```

Good:

```yaml
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: llama-ft}
spec:
  mpiReplicaSpecs:
    Launcher:
      template:
        spec:
          containers: [{name: mpi, image: "mpi:1", command: [mpirun, --mca, plm_rsh_args, "-p 2222", ./train]}]
    Worker:
      replicas: 2
      template:
        spec:
          hostNetwork: true
          containers: [{name: mpi, image: "mpi:1", command: [/usr/sbin/sshd, -De, -p, "2222"]}]
```

## Fix
Start sshd with a port of its own, tell the client, and declare it, so that no two workers come to one node.

## When to ignore it
Where the image configures another port, or the nodes run no sshd.

## References
mpi-operator 0.8, pkg/controller/mpi_job_controller.go (newWorker: `/usr/sbin/sshd -De`); sshd(8), `-p`.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code
from specgen.rules import ROLE
from specgen.rules._sshd import listens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG506", "sshd-on-host-network", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ("MPIJob",)
NEEDS = ("hostNetwork",)


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding, at the pod's field."""
    container = role.main
    if role.name != "Worker" or role.workload.operator != "mpi-operator" or container is None:
        return
    words = [text for _, _, text in container.words()]
    if role.pod.get("hostNetwork") is not True or (words and words[0].rpartition("/")[2] != "sshd"):
        return  # a shell's text may write sshd's configuration
    port, _ = listens(container)
    if "-f" in words or port not in (None, 22):
        return
    yield CODE.at(
        (*role.pod_path, "hostNetwork"),
        "the workers' sshd listens on port 22, unless their image says otherwise, and here that is the node's own",
        label="the node's network",
        notes=["where the node runs sshd, that of the worker ends, or mpirun asks the node in its place"],
        helps=["start it with `/usr/sbin/sshd -De -p 2222`, declare the port, and tell the launcher's ssh"],
    )
