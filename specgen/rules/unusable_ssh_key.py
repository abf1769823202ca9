"""SSH keys of an MPIJob that the user of its pods cannot use.

## What it checks
Of an MPIJob v2beta1, whose operator mounts the keys at `/root/.ssh` unless `sshAuthMountPath` says otherwise: pods that
run as another user than root name that path, those that run as root name none below `/home`, and a launcher of root has
no `fsGroup`, which lets a group read the key.

## Why it hurts
The key belongs to root and is read by root alone. Another user may not read it and is asked for a password that nobody
has; with `fsGroup` the kubelet makes its mode 0640, and ssh ignores a key of its own user that others may read
("Permissions 0640 for id_rsa are too open"). `mpirun` reaches no Worker.

## Severity
- warning: the image may copy the keys before it uses them.

## Example
Bad:

```yaml
kind: MPIJob
apiVersion: kubeflow.org/v2beta1
metadata: {name: bench}
spec:
  mpiReplicaSpecs:
    Launcher:
      replicas: 1
      template:
        spec:
          securityContext: {runAsUser: 1000}
          containers: [{name: mpi, image: "registry.example.com/bench:1", command: [mpirun, bench]}]
```

Good:

```yaml
kind: MPIJob
apiVersion: kubeflow.org/v2beta1
metadata: {name: bench}
spec:
  sshAuthMountPath: /home/mpiuser/.ssh
  mpiReplicaSpecs:
    Launcher:
      replicas: 1
      template:
        spec:
          securityContext: {runAsUser: 1000}
          containers: [{name: mpi, image: "registry.example.com/bench:1", command: [mpirun, bench]}]
```

## Fix
`sshAuthMountPath` below the home of the user, which the image says; no `fsGroup` for root.

## When to ignore it
Where the image copies the keys and sets their mode before it starts `mpirun` or sshd.

## References
mpi-operator 0.8.2, pkg/controller/mpi_job_controller.go (setupSSHOnPod); Kubernetes 1.36, pkg/volume/volume_linux.go
(fsGroup adds 0440 to read-only volumes); openssh-portable 9.9, authfile.c (sshkey_perm_ok); kubeflow/mpi-operator#429,
#472.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place, shown
from specgen.manifest.views import mapping
from specgen.rules import ROLE
from specgen.rules._operators import spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG488", "unusable-ssh-key", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ("MPIJob",)
NEEDS = ("securityContext",)

_HOME_OF_ROOT = "/root/.ssh"


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding for each role."""
    container = next(iter(role.containers()), None)
    if role.workload.operator != "mpi-operator" or container is None:
        return
    own, pod = mapping(container.tree.get("securityContext")), mapping(role.pod.get("securityContext"))
    user, path = user_of(own, container.path) or user_of(pod, role.pod_path) or (None, ())
    home = spec(role.workload).get("sshAuthMountPath") or _HOME_OF_ROOT
    group = pod.get("fsGroup")
    if user and home == _HOME_OF_ROOT:
        yield CODE.at(
            path,
            f"user {user} cannot read the keys at `{_HOME_OF_ROOT}`",
            label="not root",
            notes=["the operator mounts them for root alone, with mode 0600"],
            helps=["`sshAuthMountPath` below the home that the image gives this user"],
        )
    elif role.name == "Launcher" and not user and home == _HOME_OF_ROOT and type(group) is int:
        asks = "as root" if user == 0 else "as root, unless the image names another user"
        yield CODE.at(
            Place((*role.pod_path, "securityContext", "fsGroup"), KEY),
            "`fsGroup` lets a group read the SSH keys, which ssh then ignores",
            label="makes their mode 0640",
            notes=[f"these pods run {asks}; ssh takes no key of its own user that others may read"],
            helps=["leave `fsGroup` out: root reads volumes without it"],
        )
    elif user == 0 and str(home).startswith("/home/"):
        yield CODE.at(
            path,
            f"root looks for its keys at `{_HOME_OF_ROOT}`, and the operator mounts them at `{shown(home)}`",
            label="root",
            related=[(Place(("spec", "sshAuthMountPath")), "of another user")],
            notes=["`mpirun` reaches no Worker, unless the image tells ssh and sshd where they are"],
            helps=["leave `sshAuthMountPath` out for root, or `runAsUser` for the user of that home"],
        )


def user_of(security: dict[str, object], path: Path) -> tuple[int, Path] | None:
    """(user, where it is named); None: nobody names one."""
    user = security.get("runAsUser")
    if isinstance(user, int) and not isinstance(user, bool):
        return user, (*path, "securityContext", "runAsUser")
    return None
