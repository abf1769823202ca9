"""Nodes and devices of Lightning's trainer that are not those of the job.

## What it checks
`trainer.num_nodes` against the pods of the job, and `trainer.devices` against the processes that a launcher starts in a
pod, or, where none is seen to, its GPUs. So are `--num_nodes` and `--devices` of a line that names Lightning or litgpt,
which is built on it. Where Python or litgpt itself starts the program in several pods, something sets `NODE_RANK`: the
job's variables, or its line.

## Why it hurts
Started by itself, Lightning starts a process for each device, and reads from `NODE_RANK` or `GROUP_RANK` which pod it
is. Operators set neither: every pod is the first, and waits for ranks that never come. Of torchrun it takes the ranks,
and stops where nodes × devices are not the world size.

## Severity
- warning: what the program makes of its options is not seen here, and a plugin of it may number the pods.

## Example
Bad:

```yaml
Worker:
  replicas: 3
  template:
    spec:
      containers:
        - name: pytorch
          image: registry.example.com/train:1.4
          command: [torchrun, fit.py, trainer.num_nodes=2, trainer.devices=8]
          resources: {limits: {nvidia.com/gpu: 8}}
```

Good:

```yaml
Worker:
  replicas: 3
  template:
    spec:
      containers:
        - name: pytorch
          image: registry.example.com/train:1.4
          command: [torchrun, fit.py, trainer.num_nodes=3, trainer.devices=8]
          resources: {limits: {nvidia.com/gpu: 8}}
```

## Fix
Let torchrun start the processes (`start: torchrun` in a profile), and say as many nodes as there are pods and as many
devices as a pod has. The number is shown and not applied: that of pods may be what is wrong.

## When to ignore it
Where the program gives these options another meaning, or its trainer is given a cluster environment.

## References
Lightning 2.6.6, fabric/plugins/environments/lightning.py (`node_rank`) and torchelastic.py (`validate_settings`);
pytorch/trainer/connectors/accelerator_connector.py (`_choose_and_init_cluster_environment`).
"""

from __future__ import annotations

from specgen.diagnostics.model import DISPLAY, WARNING, Code, Place, plural, shown
from specgen.manifest.views import mapping
from specgen.operators.kubernetes.launchers import behind_shell, count, of_text
from specgen.operators.kubernetes.lightning import NODE_RANK, is_fabrics, numbered
from specgen.rules import ALL, LIGHTNING, ROLE
from specgen.rules._remedies import told
from specgen.rules._started import line_of, processes
from specgen.rules._words import gpus, options, written_by_hand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Role, Workload
    from specgen.rules import Context
    from specgen.rules._words import Word

CODE = Code("SG535", "lightning-sizes", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL
NEEDS = (LIGHTNING,)

# As Hydra overrides a value or adds one, and as LightningCLI takes it.
NODES = ("trainer.num_nodes", "+trainer.num_nodes", "++trainer.num_nodes", "--trainer.num_nodes")
DEVICES = ("trainer.devices", "+trainer.devices", "++trainer.devices", "--trainer.devices")
# Any program's, but for one that is called Lightning's.
PLAIN_NODES, PLAIN_DEVICES = ("--num_nodes", "--num-nodes"), ("--devices",)
_NUMBERED = (NODE_RANK, "GROUP_RANK", "LOCAL_RANK")
# What operators call the pod's number, and where the pods meet.
_BY_OPERATORS = (("RANK", "MASTER_ADDR", "MASTER_PORT"), ("PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT"))


def check(role: Role, context: Context) -> Iterator[Finding]:
    """One finding for each number, and one for pods that Lightning cannot tell apart."""
    container, workload = role.main, role.workload
    if container is None or role.replicas < 1 or _varies(workload):
        return
    fabrics = is_fabrics(behind_shell([text for _, _, text in container.words()]))
    named = fabrics or "lightning" in container.line.lower()
    nodes = list(options(container, NODES + PLAIN_NODES if named else NODES))
    devices = list(options(container, DEVICES + PLAIN_DEVICES if named else DEVICES))
    for _, value, written, word, start in nodes:
        number = count(value)
        if number is not None and number != workload.pods:
            yield _contradicts(
                container,
                (value, written, word, start),
                workload.pods,
                plural(workload.pods, "pod") + " of this job",
                "pods",
            )
        elif (number or 0) > 1 and (fabrics or _by_python(container)) and not _numbered(workload, container):
            yield _alike(container, (value, written, word, start), fabrics=fabrics)
    line = line_of(container)
    launched = of_text([text for _, _, text in container.words()]) is not None
    each, things = gpus(container, context)[0], "GPU"
    if line is not None:
        each, things = processes(container, context, line) or 0, "process"
    elif launched:
        return
    by = f" that {line.name} starts in a pod" if line is not None else " of a pod"
    for _, value, written, word, start in devices:
        number = count(value)
        if number and each and number != each:
            variable = "gpu" if line is None else "procsPerPod"
            yield _contradicts(container, (value, written, word, start), each, plural(each, things) + by, variable)


def _varies(workload: Workload) -> bool:
    """Whether the number of pods may change, is not known, or counts a launcher."""
    if any(role.name in ("Launcher", "launcher") for role in workload.roles):
        return True
    counts = [role.tree.get("replicas", 1) for role in workload.roles]
    if any(not isinstance(one, int) or isinstance(one, bool) for one in counts):
        return True
    return "elasticPolicy" in mapping(workload.manifest.tree.get("spec"))


def _by_python(container: Container) -> bool:
    """Whether Python starts the program: what a shell or another program sets before is not seen here."""
    words = [text for _, _, text in container.words()]
    program = behind_shell(words)
    if "source " in container.line or ". /" in container.line or of_text(words) is not None or not program:
        return False
    return program[0].rpartition("/")[2].startswith("python")


def _numbered(workload: Workload, container: Container) -> bool:
    """Whether something tells Lightning which pod it is."""
    told = {*container.env, *workload.rules_env}
    return "envFrom" in container.tree or any(name in told or name in container.line for name in _NUMBERED)


def _contradicts(
    container: Container, said: tuple[str, str, Word, int], right: int, things: str, variable: str
) -> Finding:
    """``variable``: of profiles, which has the number that is right."""
    value, written, word, start = said
    by_hand = written_by_hand(container.role.workload)
    return CODE.at(
        Place(word.path, inside=(word.start + start, word.start + start + len(value))),
        f"`{shown(written)}` contradicts the {things}",
        label=f"says {value}",
        notes=["Lightning waits for nodes × devices ranks; started by torchrun, it stops where there are others"],
        helps=[] if by_hand else [f"write `{shown(written.removesuffix(value))}$<{variable}>`: it is {right} here"],
        fix=told(container, word, written, value, str(right), DISPLAY) if by_hand else None,
    )


def _alike(container: Container, said: tuple[str, str, Word, int], *, fabrics: bool) -> Finding:
    """``fabrics``: whether it is a program that torchrun does not start."""
    workload = container.role.workload
    value, _, word, start = said
    by_torchrun = (
        "let torchrun start the processes, in a profile `start: torchrun`: Lightning takes their ranks from it"
    )
    helps = [] if fabrics else [by_torchrun]
    known = {*workload.rules_env, *container.env}
    if workload.kind == "TrainJob":  # by its runtime
        known.update(_BY_OPERATORS[1])
    if "pytorch" in mapping(mapping(workload.manifest.tree.get("spec")).get("plugins")):
        known.update(_BY_OPERATORS[0])
    names = next((names for names in _BY_OPERATORS if names[0] in known), None)
    if names is not None:
        helps.append(f"a shell may set it: `{numbered(*names)}`, in a profile as `prepare`")
    return CODE.at(
        Place(word.path, inside=(word.start + start, word.start + start + len(value))),
        f"Lightning takes each of the {value} pods for the first: nothing sets `{NODE_RANK}`",
        label="several nodes",
        notes=["each waits for ranks that never come, and all GPUs are held until it gives up"],
        helps=helps or ["set it in each pod to the pod's number, from 0"],
    )
