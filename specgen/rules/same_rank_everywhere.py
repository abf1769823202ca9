"""Pods that their launcher takes for the same one, or that it never brings together.

## What it checks
In jobs of several pods: one number behind `--node-rank` or `--machine_rank` in more than one of them; a meeting place
that each pod takes for itself, such as `--master-addr=localhost`, or none (`--standalone`); `accelerate launch` for
several machines without `--machine_rank`, also where a configuration file is the same one in all pods; `deepspeed`
without a host file, or with one that no volume brings, in several pods.

## Why it hurts
Two pods that both are number 0 wait for a number 1 that never comes, as do pods of which each waits at its own
`localhost`: all GPUs are held until the rendezvous gives up. `deepspeed` looks for GPUs in its own pod alone and trains
once in each of them, as torchrun does with `--standalone`, and all write the same output. Where the image holds a host
file, each pod starts processes on all hosts of it.

## Severity
- error: each pod waits for another number or address, until the rendezvous gives up, or starts a training of its own.
- warning: a file of the image may say the rest; pods may be meant to train alone.

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
          command: [torchrun, --nnodes=3, --node-rank=0, train.py]
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
          command: [torchrun, --nnodes=3, --node-rank=$(PET_NODE_RANK), train.py]
```

## Fix
Leave the options to the operator's variables, which torchrun reads by itself; accelerate is told them, as
`--machine_rank=$(RANK) --main_process_ip=$(MASTER_ADDR) --main_process_port=$(MASTER_PORT)`. A program of DeepSpeed
starts under torchrun as it is. Where torchrun has the operator's variables, the fix tells it `$(PET_NODE_RANK)` and
`$(PET_MASTER_ADDR)`: unsafe, as the pods then train together.

## When to ignore it
A warning where a file of the pod says the rest, such as a configuration of accelerate that an init container writes,
or DeepSpeed's `/job/hostfile`, and where each pod is meant to train by itself. Else never.

## References
torch 2.13, distributed/elastic/rendezvous/static_tcp_rendezvous.py and distributed/elastic/agent/server/api.py;
huggingface/accelerate 1.15.0, utils/launch.py (`prepare_multi_gpu_env`); deepspeedai/DeepSpeed 0.19.8,
deepspeed/launcher/runner.py (`main`).
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, UNSAFE, WARNING, Code, Place, plural, shown
from specgen.operators.kubernetes import launchers
from specgen.rules import ALL, LAUNCHER, WORKLOAD
from specgen.rules._remedies import told_by
from specgen.rules._started import is_apart
from specgen.rules._words import options, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Role, Workload
    from specgen.operators.kubernetes.launchers import Line
    from specgen.rules import Context

CODE = Code("SG466", "same-rank-everywhere", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (LAUNCHER,)

_RANKS = ("--node-rank", "--node_rank", "--machine_rank", "--machine-rank")
_HOSTS = ("--master-addr", "--master_addr", "--rdzv-endpoint", "--rdzv_endpoint", "--main_process_ip")
_STANDALONE = "--standalone"
# Where DeepSpeed looks for its hosts unless it is told (DLTS_HOSTFILE), and what operators mount for files of hosts.
_HOST_FILE = "/job/hostfile"
_OF_OPERATORS = ("/etc/mpi/", "/etc/volcano/")
_HERE = ("localhost", "127.0.0.1", "0.0.0.0", "::1", "[::1]")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """Silent for jobs with a launcher of their own, and where the number of pods is no number, or one."""
    if workload.pods < 2 or any(role.name in ("Launcher", "launcher") for role in workload.roles):
        return
    met: dict[str, tuple[Role, Place]] = {}
    for role in workload.roles:
        container = role.main
        line = launchers.of_text([text for _, _, text in container.words()]) if container is not None else None
        if container is None or line is None or role.replicas < 1:
            continue
        if line.name == launchers.DEEPSPEED:
            yield from _alone(workload, container, line)
        elif line.name == launchers.TORCHRUN and "standalone" in line.options:
            if not is_apart(role):
                yield from _standalone(workload, container)
        elif _together(workload, line):
            yield from _ranks(workload, role, container, line, met)
            yield from _hosts(workload, container, line)


def _together(workload: Workload, line: Line) -> bool:
    """Whether the launcher is told that there are several pods."""
    if "standalone" in line.options:
        return False
    if line.name == launchers.ACCELERATE:
        return (launchers.count(line.value("num_machines")) or 0) > 1
    said = line.value("nnodes")
    # a TrainJob's runtime may be one that tells torchrun nothing
    if said and not said.startswith("$("):
        return (launchers.count(said) or 0) > 1
    return workload.kind == "PyTorchJob" and not _elastic(workload)


def _elastic(workload: Workload) -> bool:
    return "elasticPolicy" in (workload.manifest.tree.get("spec") or {})


def _ranks(
    workload: Workload, role: Role, container: Container, line: Line, met: dict[str, tuple[Role, Place]]
) -> Iterator[Finding]:
    """A number that is more than one pod's, where it is not the rendezvous that numbers them."""
    if line.value("rdzv_backend", "static") != "static" or _elastic(workload):
        return
    found = [one for one in options(container, _RANKS) if launchers.count(one[1]) is not None]
    if line.name == launchers.ACCELERATE and not _numbered(container, line):
        for _, value, written, word, start in options(container, ("--num_machines", "--num-machines")):
            yield CODE.at(
                Place(word.path, inside=(word.start + start, word.start + start + len(value))),
                f"`{shown(written)}` wants `--machine_rank`, which nothing says",
                label="several machines",
                notes=["accelerate reads no variable of the operator; a configuration file of the pod may say it"],
                helps=[f"add {_told(workload, container)}"],
                severity=WARNING,
            )
    for _, value, written, word, start in found[:1]:
        place = Place(word.path, inside=(word.start + start, word.start + start + len(value)))
        other = met.setdefault(value, (role, place))
        if role.replicas < 2 and other[0] is role:
            continue
        several = role.replicas > 1
        fix = None
        if line.name == launchers.TORCHRUN and _is_told(workload):
            fix = told_by(container, word, written, value, "PET_NODE_RANK", UNSAFE)
        things = f"all {plural(role.replicas, 'pod')} of `{role.name}`" if several else f"`{role.name}` as well"
        yield CODE.at(
            place,
            f"`{shown(written)}` is the number of {things}",
            label=f"all are number {value}" if several else "the same number",
            related=[] if several else [(other[1], f"`{other[0].name}` has it")],
            notes=["each number is one pod's: the rendezvous waits for the others until it gives up"],
            helps=[] if fix else [_own(line, workload, container, "PET_NODE_RANK")],
            fix=fix,
        )


def _numbered(container: Container, line: Line) -> bool:
    """Whether something may tell accelerate the pod's number: its line, or a file that a shell before it wrote."""
    if "machine_rank" in line.options:
        return True
    return "config_file" in line.options and launchers.of_words([text for _, _, text in container.words()]) is None


def _is_told(workload: Workload) -> bool:
    """Whether the operator sets the variables that torchrun reads: of a PyTorchJob, beside a Master alone."""
    return workload.kind == "TrainJob" or (
        workload.kind == "PyTorchJob" and any(role.name == "Master" for role in workload.roles)
    )


def _own(line: Line, workload: Workload, container: Container, variable: str) -> str:
    """What to write in place of what all pods have."""
    if line.name == launchers.ACCELERATE:
        return f"write {_told(workload, container)}"
    if _is_told(workload):
        return f"leave it out: torchrun reads `{variable}`, which the operator sets"
    if workload.kind == "PyTorchJob":
        first = f"{workload.manifest.ref.name}-worker-0:23456"
        return f"without a Master, let them meet: `--rdzv-backend=c10d --rdzv-endpoint={first}`"
    return "give each pod its own number and the first pod's address, as `$(NAME)` of variables"


def _told(workload: Workload, container: Container) -> str:
    """What accelerate is told, in the words of the operator's variables, or of those that the pods themselves have."""
    names = ("RANK", "MASTER_ADDR", "MASTER_PORT")
    of_torchrun = ("PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT")
    if workload.kind == "TrainJob" or not container.env.keys().isdisjoint(of_torchrun):
        names = of_torchrun
    if not _is_told(workload) and not set(names) <= container.env.keys():
        return "`--machine_rank`, `--main_process_ip` and `--main_process_port`, with a number for each pod"
    rank, host, port = names
    return f"`--machine_rank=$({rank}) --main_process_ip=$({host}) --main_process_port=$({port})`"


def _hosts(workload: Workload, container: Container, line: Line) -> Iterator[Finding]:
    """A place that is another one in each pod."""
    static = line.value("rdzv_backend", "static") == "static" and not _elastic(workload)
    for name, value, written, word, start in options(container, _HOSTS):
        # a meeting by c10d does not look at the master, and a static one takes the endpoint if there is one
        if value.rpartition(":")[0] not in _HERE and value not in _HERE:
            continue
        if name.startswith("--master") and (not static or "rdzv_endpoint" in line.options):
            continue
        fix = None
        if line.name == launchers.TORCHRUN and _is_told(workload) and name.startswith("--master"):
            fix = told_by(container, word, written, value, "PET_MASTER_ADDR", UNSAFE)
        yield CODE.at(
            Place(word.path, inside=(word.start + start, word.start + start + len(value))),
            f"`{shown(written)}` is another place in each of the {plural(workload.pods, 'pod')}",
            label="each pod itself",
            notes=["every pod waits for the others at its own address until the rendezvous gives up"],
            helps=[] if fix else [_own(line, workload, container, "PET_MASTER_ADDR")],
            fix=fix,
        )


def _standalone(workload: Workload, container: Container) -> Iterator[Finding]:
    for word in words(container):
        if word.text != _STANDALONE:
            continue
        way = "leave it out: torchrun reads `PET_…`, which the operator sets"
        if not (_is_told(workload) or _elastic(workload)):
            way = "say in its place how many pods there are, and where they meet: `--nnodes`, `--rdzv-endpoint`"
        yield CODE.at(
            Place(word.path, inside=(word.start, word.start + len(_STANDALONE))),
            f"with `{_STANDALONE}` each of the {plural(workload.pods, 'pod')} trains alone",
            label="one pod, one job",
            notes=["torchrun then meets nobody but the processes of its own pod, whatever the operator tells it"],
            helps=[way],
            severity=WARNING,
        )
        return


def _alone(workload: Workload, container: Container, line: Line) -> Iterator[Finding]:
    """DeepSpeed's launcher that knows no hosts, as nothing is seen to bring the file of them."""
    told = line.value("hostfile", line.value("H"))
    path = told or _HOST_FILE
    if "no_ssh" in line.options or "$" in path or _brings(container, path):
        return
    if told:
        yield from _unmounted(workload, container, path)
        return
    for key, index, text in container.words():
        at = text.find("deepspeed")
        if at >= 0:
            place = Place((*container.path, key, index), inside=(at, at + len("deepspeed")))
            yield CODE.at(
                place,
                f"`deepspeed` trains alone in each of the {plural(workload.pods, 'pod')}",
                label="no host file",
                notes=[
                    "it starts processes on the hosts of a host file, by ssh; without one, in its own pod",
                    "it looks for `/job/hostfile`, which the image may hold",
                ],
                helps=["`torchrun` in its place: `deepspeed.initialize` takes ranks and addresses from its variables"],
                severity=WARNING,
            )
            return


def _brings(container: Container, path: str) -> bool:
    """Whether a volume, the operator, or the shell's text that calls the launcher may bring a file."""
    if any(f"{path}/".startswith(entry["mountPath"].rstrip("/") + "/") for _, entry in container.mounts):
        return True
    return path.startswith(_OF_OPERATORS) or not path.startswith("/") or container.line.count(path) > 1


def _unmounted(workload: Workload, container: Container, path: str) -> Iterator[Finding]:
    """At its option. Silent where one pod alone calls the launcher: its image may hold the file of all others."""
    calls = 0
    for role in workload.roles:
        line = launchers.of_text([text for _, _, text in role.main.words()]) if role.main is not None else None
        if line is not None and line.name == launchers.DEEPSPEED:
            calls += role.replicas
    if calls < 2:
        return
    # a shell's text may choose one of the pods, or write the file
    plain = launchers.of_words([text for _, _, text in container.words()]) is not None
    for _, value, _, word, start in options(container, ("--hostfile", "-H")):
        yield CODE.at(
            Place(word.path, inside=(word.start + start, word.start + start + len(value))),
            f"`deepspeed` starts a training of its own in each of {calls} pods: nothing brings `{shown(path)}`",
            label="no volume is mounted there",
            notes=[
                "without its host file it starts processes in its own pod, and all trainings write the same output",
                "with one of the image, each pod starts processes on all hosts of it, by ssh",
            ],
            helps=[
                "`torchrun` in its place, in a profile `start: torchrun`: `deepspeed.initialize` takes ranks and "
                "addresses from its variables"
            ],
            severity=ERROR if plain else WARNING,
        )
        return
