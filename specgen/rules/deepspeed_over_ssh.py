"""DeepSpeed's own launcher in an MPIJob whose workers nobody reaches by SSH.

## What it checks
The launcher of an MPIJob v1 begins with `deepspeed` and a host file, without an MPI as `--launcher`, and the workers
run the operator's own command or sleep. Scripts of the image and what a shell's text starts are passed over, unless
the text ends in `exec "$@"`.

## Why it hurts
`deepspeed` starts the processes of other hosts with pdsh over SSH. The operator of v1 makes no keys and starts no
server: it gives Open MPI a script that goes through the API server, which pdsh does not call. The launcher ends, or
tries for as long as it may, while the workers hold their GPUs.

## Severity
- warning: the image may bring keys and start a server by itself.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v1
kind: MPIJob
metadata: {name: llama-ft}
spec:
  cleanPodPolicy: Running
  mpiReplicaSpecs:
    Launcher:
      template:
        spec:
          containers: [{name: mpi, image: "train:1", command: [deepspeed, --hostfile, /etc/mpi/hostfile, train.py]}]
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: mpi, image: "train:1"}]}}
```

Good:

```yaml
apiVersion: kubeflow.org/v1
kind: MPIJob
metadata: {name: llama-ft}
spec:
  cleanPodPolicy: Running
  mpiReplicaSpecs:
    Launcher:
      template: {spec: {containers: [{name: mpi, image: "train:1", command: [mpirun, python, train.py]}]}}
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: mpi, image: "train:1"}]}}
```

## Fix
Start the program with `mpirun`: DeepSpeed takes its ranks from it (`deepspeed.init_distributed`). Or an MPIJob
`kubeflow.org/v2beta1`, whose operator makes keys and starts sshd. None is applied.

## When to ignore it
Where the image holds keys, and its entrypoint starts an SSH server.

## References
training-operator 1.9.4, pkg/controller.v1/mpi/mpijob_controller.go (`kubexec.sh`, `OMPI_MCA_plm_rsh_agent`, the
workers' `sleep`); deepspeedai/DeepSpeed 0.19.8, deepspeed/launcher/runner.py and multinode_runner.py (PDSHRunner).
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place
from specgen.operators.kubernetes.launchers import DEEPSPEED, behind_shell, of_words
from specgen.rules import LAUNCHER, WORKLOAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG508", "deepspeed-over-ssh", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("MPIJob",)
NEEDS = (LAUNCHER,)

# Of `--launcher`, those that go through mpirun or srun.
_OTHERS = ("openmpi", "mpich", "impi", "mvapich", "slurm")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at the launcher's command."""
    roles = {role.name: role for role in workload.roles}
    launcher, workers = (roles[name].main if name in roles else None for name in ("Launcher", "Worker"))
    if workload.operator != "training-operator" or launcher is None or workers is None:
        return
    said = launcher.words()
    line = of_words(behind_shell([text for _, _, text in said]))
    if line is None or line.name != DEEPSPEED or not {"hostfile", "H"} & line.options.keys():
        return
    if line.value("launcher", "pdsh").lower() in _OTHERS or roles["Worker"].replicas < 1:
        return
    words = [text for _, _, text in workers.words()]
    if words and words[0].rpartition("/")[2] not in ("sleep", "tail"):
        return
    key = said[0][0]
    related = [(Place((*workers.path, "name"), KEY), "no SSH server is started here")]
    yield CODE.at(
        Place((*launcher.path, key), KEY),
        "`deepspeed` goes to the workers by SSH, and an MPIJob v1 has no keys and no server for it",
        label="pdsh, unless `--launcher` says another",
        related=related,
        notes=["Open MPI alone is given the script that reaches the workers through the API server"],
        helps=["start the program with `mpirun`, or make it an MPIJob `kubeflow.org/v2beta1`"],
    )
