"""A variable of the launcher's own pod that mpirun carries to every rank.

## What it checks
`-x NAME` behind `mpirun` in an MPIJob's launcher, where the launcher's container has `NAME` from a `fieldRef` that
differs by pod: its name, UID or addresses, or its node. Variables that are called after the launcher or a master are
meant to be one pod's, and are not found.

## Why it hurts
mpirun takes the value from its own environment, once, and every rank on every worker begins with it. A verdict then
names the launcher's node for a fault of any other, and a program that binds to `POD_IP` binds to an address that its
pod does not have.

## Severity
- warning: whether a program reads the variable, and what for, is not known.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: llama-ft}
spec:
  mpiReplicaSpecs:
    Launcher:
      template:
        spec:
          containers:
            - name: mpi
              image: mpi:1
              command: [mpirun, -x, NODE_NAME, ./train]
              env: [{name: NODE_NAME, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: mpi, image: "mpi:1"}]}}
```

Good:

```yaml
              command: [mpirun, ./train]
              env: [{name: NODE_NAME, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]
```

## Fix
Leave `-x NAME` out. What `kubectl exec` starts has the value of the worker's own container; what sshd starts asks its
own host, with `hostname` say.

## When to ignore it
Where every rank is to know the launcher's pod, and the variable has a name that does not say so.

## References
Open MPI 4.1, mpirun(1), `-x`; Kubernetes 1.36, Downward API.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place
from specgen.manifest.views import mapping
from specgen.rules import CARRIED, ROLE
from specgen.rules._words import carried

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG468", "carried-pod-field", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ("MPIJob",)
NEEDS = (CARRIED,)

# Fields that no two pods of a job have alike, or that pods on other nodes have otherwise.
_OF_ONE_POD = {
    "metadata.name": "name",
    "metadata.uid": "UID",
    "spec.nodeName": "node",
    "status.hostIP": "node's address",
    "status.hostIPs": "node's addresses",
    "status.podIP": "address",
    "status.podIPs": "addresses",
}
# Parts of names by which all ranks are to know one pod.
_MEANT = ("MASTER", "LAUNCHER", "HEAD", "ROOT", "CHIEF", "COORDINATOR", "SCHEDULER", "LEADER", "SERVER")


def check(role: Role, context: Context) -> Iterator[Finding]:
    """One finding for each name."""
    container = role.main
    if role.name != "Launcher" or container is None:
        return
    found: set[str] = set()
    for name, value, word in carried(container):
        if value is not None or name in found or name not in container.env:
            continue
        number, entry = container.env[name]
        field = mapping(mapping(entry.get("valueFrom")).get("fieldRef")).get("fieldPath")
        if not isinstance(field, str) or field not in _OF_ONE_POD or any(part in name.upper() for part in _MEANT):
            continue
        found.add(name)
        source = Place((*container.path, "env", number, "valueFrom", "fieldRef", "fieldPath"))
        yield CODE.at(
            Place(word.path, inside=(word.start, word.start + len(name))),
            f"mpirun gives every rank the launcher's `{name}`: its pod's {_OF_ONE_POD[field]}",
            label="carried to all",
            related=[(source, "of this pod alone")],
            notes=["mpirun takes the value once, from its own environment; the workers' pods have another"],
            helps=[f"leave `-x {name}` out, and let each rank ask its own host"],
        )
