"""An SSH server as root that may not change its root directory.

## What it checks
A Worker of an MPIJob v2beta1 that drops all capabilities, runs the operator's sshd, and is root, adds `SYS_CHROOT`.

## Why it hurts
sshd locks up the part of itself that speaks to strangers: as root it calls `chroot("/run/sshd")` for each connection,
and ends it with "Operation not permitted" where it may not. The launcher reaches no Worker.

## Severity
- warning: the sshd of the image may be built without that part.

## Example
Bad:

```yaml
kind: MPIJob
apiVersion: kubeflow.org/v2beta1
metadata: {name: bench}
spec:
  mpiReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
          containers:
          - name: mpi
            image: registry.example.com/bench:1
            securityContext: {capabilities: {drop: [ALL]}}
```

Good:

```yaml
kind: MPIJob
apiVersion: kubeflow.org/v2beta1
metadata: {name: bench}
spec:
  mpiReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
          containers:
          - name: mpi
            image: registry.example.com/bench:1
            securityContext: {capabilities: {drop: [ALL], add: [SYS_CHROOT, SETUID, SETGID]}}
```

## Fix
Add `SYS_CHROOT` to `securityContext.capabilities.add`. Unsafe, as it is a privilege. A user that is not root needs
none: its sshd does not lock itself up.

## When to ignore it
Where the image runs as another user, or its sshd is built without such a part.

## References
openssh-portable 9.9, sshd-session.c (privsep_preauth_child); mpi-operator 0.8.2, pkg/controller/mpi_job_controller.go
(newWorker); kubeflow/mpi-operator#642.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, UNSAFE, WARNING, Code, Fix, Place
from specgen.diagnostics.operations import Append, Set
from specgen.manifest.views import mapping, sequence
from specgen.profile.library import level_of
from specgen.rules import ROLE
from specgen.rules.unusable_ssh_key import user_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG489", "sshd-without-chroot", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ("MPIJob",)
NEEDS = ("securityContext",)

_ENOUGH = ("SYS_CHROOT", "CAP_SYS_CHROOT", "ALL")


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding for each role whose pods run the operator's sshd."""
    container = next(iter(role.containers()), None)
    if role.workload.operator != "mpi-operator" or role.name != "Worker" or container is None:
        return
    own, pod = mapping(container.tree.get("securityContext")), mapping(role.pod.get("securityContext"))
    user, _ = user_of(own, container.path) or user_of(pod, role.pod_path) or (0, ())
    capabilities = mapping(own.get("capabilities"))
    added = sequence(capabilities.get("add"))
    if user or container.words() or own.get("privileged") is True or any(word in added for word in _ENOUGH):
        return
    if "ALL" not in sequence(capabilities.get("drop")):
        return
    # under this level the API server refuses both root and the capability, which another finding says
    namespace = role.workload.manifest.ref.namespace
    if context.cluster is not None and level_of(context.cluster, namespace)[0] == "restricted":
        return
    path = (*container.path, "securityContext", "capabilities")
    patch = Append((*path, "add"), _ENOUGH[0]) if "add" in capabilities else Set((*path, "add"), [_ENOUGH[0]])
    yield CODE.at(
        Place((*path, "drop"), KEY),
        "the sshd of these pods may not change its root directory, as it does for each connection",
        label="`SYS_CHROOT` among them",
        notes=["as root it answers nobody then: the launcher reaches no Worker"],
        fix=Fix("add `SYS_CHROOT`", UNSAFE, [patch]),
    )
