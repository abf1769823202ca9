"""`$(NAME)` in a command line, and no variable of that name.

## What it checks
`$(NAME)` in words of `command` and `args` outside a shell's text, against the container's variables and those that the
operator adds. Names that a ConfigMap or a Secret (`envFrom`), a Service of the namespace, or another controller may
bring are passed over. `$(COMMAND …)`, which a shell would run, is found as well; and so is `$NAME` in a shell's text,
of variables that operators set (`RANK`, `MASTER_ADDR`, `PET_…`), where none of the job's pods is given one.

## Why it hurts
Kubernetes leaves the text as it is, in silence: the program gets `$(NAME)`. Variables of the image do not count, and
there is no shell that would run `$(nproc)`.

## Severity
- warning: a webhook of the cluster may add the variable, or the program know the sign.

## Example
Bad:

```yaml
containers: [{name: pytorch, image: "registry.example.com/train:1.4", command: [python, train.py, --run=$(RUN_ID)]}]
```

Good:

```yaml
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    env: [{name: RUN_ID, value: first}]
    command: [python, train.py, --run=$(RUN_ID)]
```

## Fix
Define the variable, or correct its name; a command's output, or a variable of the image, needs a shell:
`[sh, -c, "exec python train.py --workers=$$(nproc)"]`.

## When to ignore it
It is a warning, as a webhook of the cluster may add variables to pods; there, ignore it. `$$(NAME)` says that the text
is meant.

## References
Kubernetes 1.36, third_party/forked/golang/expansion/expand.go and pkg/kubelet/kubelet_pods.go
(`makeEnvironmentVariables`).
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, listed, shown
from specgen.diagnostics.suggest import Names
from specgen.operators.kubernetes.argv import UNDEFINED, script_at
from specgen.rules import ALL, CONTAINER, SLIP
from specgen.rules._slips import OF_PROCESSES, by_starter, in_its_place, is_of_slurm, word_place
from specgen.rules._slips import Names as Variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.operators.kubernetes.argv import Slip
    from specgen.rules import Context

CODE = Code("SG463", "undefined-reference", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (SLIP.format(UNDEFINED),)

_ELSEWHERE = "the operator sets it elsewhere: of a PyTorchJob, beside a Master alone; never in an init container"
# What a plugin of Volcano sets.
_OF_VOLCANO = ("VC_TASK_INDEX", "VK_TASK_INDEX")
_RANKS = ("RANK", "PET_NODE_RANK")
# What people mean to run, by its name alone.
_COMMANDS = ("nproc", "hostname", "date", "pwd", "whoami", "id", "cat", "ls", "seq")


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each reference."""
    names: Names | None = None
    script = script_at([text for _, _, text in container.words()])
    read = [slip for slip in context.slips(container) if slip.cause == UNDEFINED and slip.at == script]
    if read:
        yield _of_shell(container, read)
    for slip in context.slips(container):
        if slip.cause != UNDEFINED or slip.at == script:
            continue
        name = slip.text
        if " " in name:
            yield _of_command(container, context, slip)
            continue
        helps = [f"define `{name}` among the variables of container `{container.name}`"]
        if names is None:
            names = Names([*container.env, *sorted(container.role.workload.rules_env)])
        near = names.hint(name, "variable")
        if name in container.role.workload.rules_env:
            helps = [_ELSEWHERE]
        elif name in OF_PROCESSES and (started := by_starter(container, name)) is not None:
            helps = [started]
        elif is_of_slurm(name):
            helps = [in_its_place(Variables(container, context.made), name, "$({})")]
        elif name in _COMMANDS:
            helps = [f'a shell runs it: `[sh, -c, "… $$({name})"]`']
        elif near:
            helps = [near]
        yield CODE.at(
            word_place(container, slip),
            f"no variable is called `{name}`: `$({name})` reaches the program as it stands",
            label="nothing defines it",
            notes=["variables of the image are not looked at, and no shell runs here"],
            helps=helps,
        )


def _of_shell(container: Container, slips: list[Slip]) -> Finding:
    """What the text of a shell reads, and nobody sets; one finding for all, as one cause has them all."""
    names, workload = [slip.text for slip in slips], container.role.workload
    many = len(names) > 1
    helps = [f"define {'them' if many else 'it'} among the variables of container `{shown(container.name)}`"]
    if any([name in workload.rules_env for name in names]):
        helps = [_ELSEWHERE]
    elif workload.kind == "Job" and any([name in _OF_VOLCANO for name in names]):
        helps = ["the plugin `env` numbers the pods of a task: `plugins: {env: []}`"]
    elif workload.kind == "JobSet" and any([name in _RANKS for name in names]):
        helps = ["`$JOB_COMPLETION_INDEX` is the pod's number in its Job"]
    return CODE.at(
        word_place(container, slips[0]),
        f"nothing sets {listed(names)}, which the shell reads",
        label="empty there",
        notes=["variables of the image are not looked at; after `set -u` the shell stops there"],
        helps=helps,
    )


def _of_command(container: Container, context: Context, slip: Slip) -> Finding:
    """The output of a command, which a shell alone puts there."""
    name = slip.text.split()[0]
    helps = [f'a shell runs it: `[sh, -c, "… $$({name} …)"]`']
    if name == "scontrol":
        has = Variables(container, context.made).has("MASTER_ADDR")
        helps = ["leave the option out: the operator sets MASTER_ADDR in each pod, or write `$(MASTER_ADDR)`"]
        if not has:
            helps = ["leave the option out: torchrun sets MASTER_ADDR in each process, a PyTorchJob in each pod"]
    return CODE.at(
        word_place(container, slip),
        f"`$({shown(slip.text)})` reaches the program as it stands",
        label="no shell runs it",
        notes=["there is no Slurm in a pod, and no shell runs here"] if name == "scontrol" else ["no shell runs here"],
        helps=helps,
    )
