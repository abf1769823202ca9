"""A Worker of an MPIJob whose own command keeps `mpirun` out.

## What it checks
`Worker` of an MPIJob v2beta1 has neither `command` nor `args`, or they start an SSH server: `sshd`, `service ssh
start`, `/etc/init.d/ssh start`. `Worker` of an MPIJob v1 has no `command`, or one that waits: `sleep`, `tail -f`. What
a script of the image does is not known, and it is passed over.

## Why it hurts
The mpi-operator starts `/usr/sbin/sshd -De` in workers only where both are empty. `mpirun` reaches the workers by SSH
alone: without a server the launcher tries until its limit is reached, while the workers hold their GPUs. Of an MPIJob
v1 it comes by `kubectl exec`, for which the workers wait in `sleep 365d`: with a command of its own each trains alone,
beside what `mpirun` starts in it, and takes that along when it ends.

## Severity
- warning: a program that the command line calls may start the server, or wait.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: llama-ft}
spec:
  mpiReplicaSpecs:
    Launcher:
      template: {spec: {containers: [{name: mpi, image: "registry.example.com/mpi:1", command: [mpirun, ./train]}]}}
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: mpi, image: "registry.example.com/mpi:1", command: [sleep, infinity]}]}}
```

Good:

```yaml
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: llama-ft}
spec:
  mpiReplicaSpecs:
    Launcher:
      template: {spec: {containers: [{name: mpi, image: "registry.example.com/mpi:1", command: [mpirun, ./train]}]}}
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: mpi, image: "registry.example.com/mpi:1"}]}}
```

## Fix
Leave `command` and `args` out, or end the script with `exec /usr/sbin/sshd -De`, of an MPIJob v1 with `sleep infinity`.

## When to ignore it
Where a program that the command line calls starts the server.

## References
mpi-operator 0.8, pkg/controller/mpi_job_controller.go (newWorker); recorded with a worker that has a command.
training-operator 1.9.4, pkg/controller.v1/mpi/mpijob_controller.go (newWorker).
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code
from specgen.operators.mpi.mpirun import STARTERS
from specgen.rules import ROLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG502", "worker-without-sshd", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ("MPIJob",)


_STARTS = ("sshd", "service ssh start", "init.d/ssh start", "systemctl start ssh", "service ssh restart", "dropbear")
# What a Worker that is reached by `kubectl exec` may wait in.
_WAITS = (*_STARTS, "sleep", "tail -f", "infinity", "wait", "pause")


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding; a job without a Launcher is another rule's."""
    container = role.main
    if role.name != "Worker" or container is None:
        return
    line = list(container.words())
    texts = [text for _, _, text in line]
    whole = " ".join(" ".join(texts).split())
    by_ssh = role.workload.operator == "mpi-operator"
    if not line or any([sign in whole for sign in (_STARTS if by_ssh else _WAITS)]) or _calls_script(texts):
        return
    if not by_ssh:
        launcher = next((one.main for one in role.workload.roles if one.name == "Launcher"), None)
        called = launcher.line.split() if launcher is not None else []
        if line[0][0] == "command" and any(one.rpartition("/")[2] in STARTERS for one in called):
            # the operator's own takes the place of arguments alone
            yield CODE.at(
                (*container.path, "command"),
                "the Worker's own command does not wait for `mpirun`, which starts processes in it",
                part=KEY,
                label="takes the place of `sleep 365d`",
                notes=["`mpirun` comes by `kubectl exec`: each Worker runs this beside it, and ends with it"],
                helps=["leave it out: the Launcher's `mpirun` says what the Workers run"],
            )
        return
    yield CODE.at(
        (*container.path, line[0][0]),
        "the Worker's own command starts no `sshd`, and `mpirun` reaches it by SSH alone",
        part=KEY,
        label="takes the place of `/usr/sbin/sshd -De`",
        notes=["the operator starts a server only in workers without `command` and `args`"],
        helps=["leave it out, or let the command end in `exec /usr/sbin/sshd -De`"],
    )


def _calls_script(texts: list[str]) -> bool:
    """Whether something of the image runs of which nothing is known."""
    return any([word.endswith(".sh") or "entrypoint" in word for word in " ".join(texts).replace(";", " ").split()])
