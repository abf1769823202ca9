"""Pods that their launcher takes for the same one, or that it never brings together.

## What it checks
In jobs of several pods: one number behind `--node-rank` or `--machine_rank` in more than one of them, be it that at the
end of the pod's name, which begins anew in each role, also of programs that start processes themselves (`fabric run`,
`--rank` beside `--world-size`, `--shard` beside `--num-shards`); a place that each pod takes for itself, such as
`--master-addr=localhost`, or none (`--standalone`); a `--rdzv-id` that differs (`$HOSTNAME`); `accelerate launch` for
several machines without `--machine_rank`, or with a ConfigMap's configuration file that has all be one machine, counts
others, or has DeepSpeed's launcher go to all; `deepspeed` without a host file that a volume brings.

## Why it hurts
Two pods that both are number 0 wait for a number 1 that never comes, as do pods of which each waits at its own
`localhost`, or under a name of its own: all GPUs are held until the rendezvous gives up. `deepspeed` looks for GPUs in
its own pod alone and trains once in each of them, as torchrun does with `--standalone`, and all write the same output.
Where the image holds a host file, each pod starts processes on all hosts of it.

## Severity
- error: each pod waits for another number or address, until the rendezvous gives up, or starts a training of its own.
- warning: a file of the image may say the rest, a program of one's own may; pods may be meant to train alone.
- note: a configuration file says other numbers than the line, which wins.

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
starts under torchrun. Where torchrun has the operator's variables, the fix tells it `$(PET_NODE_RANK)` and
`$(PET_MASTER_ADDR)`: unsafe, as the pods then train together.

## When to ignore it
A warning where a file of the pod says the rest, as `/job/hostfile`, and where each pod is meant to train by itself.

## References
torch 2.13, distributed/elastic/{rendezvous/static_tcp_rendezvous,agent/server/api}.py; accelerate 1.15.0,
utils/launch.py; deepspeedai/DeepSpeed 0.19.8, deepspeed/launcher/runner.py; `operators.kubernetes.self_started`.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, NOTE, UNSAFE, WARNING, Code, Place, plural, shown
from specgen.manifest.views import mapping
from specgen.operators.kubernetes import launchers
from specgen.rules import ALL, LAUNCHER, RANKED, WORKLOAD
from specgen.rules._remedies import told_by
from specgen.rules._started import is_apart
from specgen.rules._words import options, told_at, written_by_hand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Role, Workload
    from specgen.operators.kubernetes.accelerate import Configured
    from specgen.operators.kubernetes.launchers import Line
    from specgen.rules import Context

CODE = Code("SG466", "same-rank-everywhere", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (LAUNCHER, RANKED)

_RANKS = ("--node-rank", "--node_rank", "--machine_rank", "--machine-rank")
_HOSTS = ("--master-addr", "--master_addr", "--rdzv-endpoint", "--rdzv_endpoint", "--main_process_ip")
_FILES = ("--config_file", "--config-file")
# Where DeepSpeed looks for its hosts unless it is told (DLTS_HOSTFILE), and what operators mount for files of hosts.
_HOST_FILE = "/job/hostfile"
_OF_OPERATORS = ("/etc/mpi/", "/etc/volcano/")
# The number at the end of a pod's own name, as shells cut it off.
_LAST_OF_NAME = ("${HOSTNAME##*-}", "$(hostname | awk -F- '{print $NF}')", "$(hostname | sed 's/.*-//')")
# What is another one in each pod: variables of a shell, fields, and programs with whether that is certain.
_OWN = ("HOSTNAME", "RANDOM", "SRANDOM", "BASHPID")
_OWN_FIELDS = ("metadata.name", "metadata.uid", "status.podIP", "status.podIPs")
_OWN_PROGRAMS = (
    ("$(hostname)", True),
    ("$(uuidgen", True),
    ("$(cat /proc/sys/kernel/random/uuid)", True),
    ("$(date", False),
)
# Formats of `date` by which pods that start one after the other differ.
_OF_SECONDS = ("%s", "%S", "%N", "%T", "%c", "date)")
_HERE = ("localhost", "127.0.0.1", "0.0.0.0", "::1", "[::1]")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """Silent for jobs with a launcher of their own, and where the number of pods is no number, or one."""
    if workload.pods < 2 or any(role.name in ("Launcher", "launcher") for role in workload.roles):
        return
    met: dict[str, tuple[Role, Place]] = {}
    seen: set[str] = set()
    for role in workload.roles:
        container = role.main
        line = launchers.of_text([text for _, _, text in container.words()]) if container is not None else None
        if container is not None and line is None and role.replicas > 1:
            yield from _of_program(workload, role, container)
        if container is None or line is None or role.replicas < 1:
            continue
        if line.name == launchers.DEEPSPEED:
            yield from _alone(workload, container, line)
        elif line.name == launchers.TORCHRUN and "standalone" in line.options:
            # a text that asks first may train alone where it is a test
            if not is_apart(role) and not line.doubtful:
                yield _standalone(workload, container, line)
            continue
        file = None
        if "config_file" in line.options:
            from specgen.rules._accelerate import configured  # few lines name one

            file = configured(container, line, context.companions)
        if file is not None:
            yield from _by_file(workload, container, line, file, seen)
        if _together(workload, line, file):
            if file is None or _numbered(container, line):
                yield from _ranks(workload, role, container, line, met)
            yield from _runs(workload, container, line)
            yield from _hosts(workload, container, line)
            yield from _nowhere(workload, container, line)


def _of_program(workload: Workload, role: Role, container: Container) -> Iterator[Finding]:
    """The same in the line of a program that starts its processes itself, or of one that shares data out."""
    from specgen.operators.kubernetes import self_started  # few lines are such

    texts = list(container.words())
    line = [text for _, _, text in texts]
    if not self_started.has_others(line) or workload.kind == "MSJob":
        return  # of its launcher there is another finding
    known = self_started.called(self_started.in_shell(line)) in self_started.COUNTS_PODS
    parted = self_started.shards(line) is not None
    for one in self_started.owns(line):
        if one.what == self_started.RANK:
            message = f"`{shown(one.option)} {shown(one.value)}` is the number of all {plural(role.replicas, 'pod')}"
            label, variable = f"all are number {shown(one.value)}", 0
        elif one.value in self_started.HERE:
            message = f"`{shown(one.value)}` is another place in each of the {plural(workload.pods, 'pod')}"
            label, variable = "each pod itself", 1
        else:
            continue
        key, index, _ = texts[one.word]
        notes = ["each number is one pod's: they wait for the others until the rendezvous gives up"]
        names = _names(workload, container)
        told = f"write `$({names[variable]})` in its place" if names else "give each pod its own, by a variable"
        yield CODE.at(
            Place((*container.path, key, index), inside=(one.start, one.end)),
            message,
            label=label,
            notes=["all do the same part of the work"] if parted else notes,
            helps=[told],
            severity=ERROR if known and "c10d" not in container.line else WARNING,
        )


def _names(workload: Workload, container: Container) -> tuple[str, str] | None:
    """The variables by which a pod is told its number, and where the pods meet."""
    told = {*workload.rules_env, *container.env} | ({"PET_NODE_RANK"} if workload.kind == "TrainJob" else set())
    of_torchrun = ("PET_NODE_RANK", "PET_MASTER_ADDR")
    return next((names for names in (("RANK", "MASTER_ADDR"), of_torchrun) if names[0] in told), None)


def _together(workload: Workload, line: Line, file: Configured | None) -> bool:
    """Whether the launcher is told that there are several pods."""
    if "standalone" in line.options:
        return False
    if line.name == launchers.ACCELERATE:
        own = str(file.machines) if file is not None else ""
        return (launchers.count(line.value("num_machines", own)) or 0) > 1
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
    found = [one for one in options(container, _RANKS, line) if launchers.count(one[1]) is not None]
    yield from _counted_by_role(workload, role, container, line, met)
    if line.name == launchers.ACCELERATE and not _numbered(container, line):
        for _, value, written, word, start in options(container, ("--num_machines", "--num-machines"), line):
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


def _counted_by_role(
    workload: Workload, role: Role, container: Container, line: Line, met: dict[str, tuple[Role, Place]]
) -> Iterator[Finding]:
    """The number at the end of a pod's name, which begins with 0 in each role."""
    if (
        workload.kind not in ("PyTorchJob", "Job")
        or role.pod.get("hostNetwork") is True
        or "HOSTNAME=" in container.line
    ):
        return
    for _, value, written, word, start in options(container, _RANKS, line):
        if value not in _LAST_OF_NAME:
            continue
        place = Place(word.path, inside=(word.start + start, word.start + start + len(value)))
        other = met.setdefault("0", (role, place))
        if other[0] is not role:
            yield CODE.at(
                place,
                f"`{shown(written)}` counts within each role: the first pod of `{other[0].name}` and that of "
                f"`{role.name}` are both number 0",
                label="0 in the first of each role",
                related=[(other[1], f"`{other[0].name}` has it")],
                notes=["each number is one pod's: the rendezvous waits for the others until it gives up"],
                helps=[_own(line, workload, container, "PET_NODE_RANK")],
            )


def _runs(workload: Workload, container: Container, line: Line) -> Iterator[Finding]:
    """A name of the run that is another one in each pod: all but a static rendezvous bring those of one name together
    (torch 2.13, elastic/rendezvous/c10d_rendezvous_backend.py, ``_key``)."""
    backend = line.value("rdzv_backend", "c10d" if _elastic(workload) else "static")
    if line.name != launchers.TORCHRUN or backend == "static" or "$" in backend:
        return
    for _, value, written, word, start in options(container, ("--rdzv_id", "--rdzv-id"), line):
        sign, sure = _own_of_pod(container, value)
        if not sign:
            continue
        pods = plural(workload.pods, "pod")
        yield CODE.at(
            Place(word.path, inside=(word.start + start, word.start + start + len(value))),
            f"`{shown(written)}` {'is' if sure else 'may be'} another name in each of the {pods}",
            label=f"`{shown(sign)}` differs from pod to pod",
            notes=["a rendezvous brings pods together that say the same: each waits for the others until it gives up"],
            helps=[f"a name that all have: `--rdzv-id={workload.manifest.ref.name}`"],
            severity=ERROR if sure else WARNING,
        )


def _own_of_pod(container: Container, value: str) -> tuple[str, bool]:
    """(what of a text is another one in each pod, whether that is certain); empty where nothing is known to be."""
    own = [*_OWN, *[name for name, (_, one) in container.env.items() if _field(one) in _OWN_FIELDS]]
    for name in own:
        if f"{name}=" in container.line:
            continue
        forms = [f"${{{name}}}", f"$({name})" if name in container.env else "", f"${name}"]
        for form in filter(None, forms):
            at = value.find(form)
            after = value[at + len(form) : at + len(form) + 1]
            if at >= 0 and (form[-1] in "})" or not (after.isalnum() or after == "_")):
                return form, True
    for program, certain in _OWN_PROGRAMS:
        at = value.find(program)
        if at >= 0 and (certain or any([sign in value[at:] for sign in _OF_SECONDS])):
            return value[at:], certain
    return "", False


def _field(entry: dict[str, Any]) -> object:
    return mapping(mapping(entry.get("valueFrom")).get("fieldRef")).get("fieldPath")


def _by_file(
    workload: Workload, container: Container, line: Line, file: Configured, seen: set[str]
) -> Iterator[Finding]:
    """What a configuration file says for every pod that has it: the same number, other machines, DeepSpeed's ssh.

    ``seen``: the files of which it is said already, as roles have one together.
    """
    found = next(options(container, _FILES, line), None)
    if found is None or found[1] in seen:
        return
    _, value, _, word, start = found
    seen.add(value)
    at = Place(word.path, inside=(word.start + start, word.start + start + len(value)))
    machines = launchers.count(line.value("num_machines", str(file.machines))) or 0
    if "num_machines" in line.options:
        yield from _overruled(line, file, value, at)
    elif machines > 1 and machines != workload.pods:
        yield CODE.at(
            at,
            f"`{shown(value)}` says `num_machines: {machines}`, and the job has {plural(workload.pods, 'pod')}",
            label=plural(machines, "machine"),
            notes=["the rendezvous waits for as many machines, or turns some pods away"],
            helps=_told_over_file(workload, container, line, value, f"`--num_machines={workload.pods}`"),
        )
    if machines < 2:
        return
    pods = _sharing(workload, value)
    if _goes_over_ssh(line, file):
        yield _over_ssh(workload, line, file, value, at)
    elif not _numbered(container, line) and pods > 1:
        address = f" at `{shown(file.address)}`, which is none of them," if file.address else ""
        yield CODE.at(
            at,
            f"`{shown(value)}` makes each of {plural(pods, 'pod')} machine {file.rank}",
            label=f"`machine_rank: {file.rank}`",
            notes=[f"each number is one pod's: all wait for the others{address} until the rendezvous gives up"],
            helps=_told_over_file(workload, container, line, value, _told(workload, container)),
        )
    elif file.address and not line.may("main_process_ip") and _numbered(container, line):
        yield CODE.at(
            at,
            f"`{shown(value)}` has the pods meet at `{shown(file.address)}`",
            label="no address of a pod",
            notes=["a pod gets another address each time that it starts"],
            helps=_told_over_file(workload, container, line, value, _told(workload, container)),
            severity=WARNING,
        )


def _sharing(workload: Workload, file: str) -> int:
    """The pods whose launcher reads a file, and is told no number beside it."""
    pods = 0
    for role in workload.roles:
        container = role.main
        line = launchers.of_text([text for _, _, text in container.words()]) if container is not None else None
        if container is not None and line is not None and line.value("config_file") == file:
            pods += 0 if _numbered(container, line) else role.replicas
    return pods


def _told_over_file(workload: Workload, container: Container, line: Line, file: str, told: str) -> list[str]:
    """What wins over a file: options of the line, which a profile writes."""
    said = f"`start: {{by: accelerate, options: [--config_file, {shown(file)}]}}`"
    rest = [text for _, _, text in container.words()][line.program :]
    plain = launchers.of_words([text for _, _, text in container.words()]) is not None
    program = f" with `command: [{shown(', '.join(rest[:1]))}{', …' if rest[1:] else ''}]`" if plain and rest else ""
    helps = [
        f"{said}{program} in a profile: its line counts the pods and says which one each is, and wins over the file",
        f"add {told}, which wins over the file",
    ]
    return helps[::-1] if written_by_hand(workload) else helps


def _overruled(line: Line, file: Configured, value: str, at: Place) -> Iterator[Finding]:
    """Numbers of a file that the line's take the place of."""
    pairs = (("num_machines", file.machines), ("num_processes", file.processes))
    both = [(name, number, line.value(name)) for name, number in pairs if number is not None and name in line.options]
    others = [one for one in both if launchers.count(one[2]) not in (None, one[1])]
    if others and file.machines > 1:
        theirs = " and ".join(f"`{name}: {number}`" for name, number, _ in others)
        yield CODE.at(
            at,
            f"`{shown(value)}` says {theirs}, and the line {' and '.join(f'`{own}`' for _, _, own in others)}",
            label="the line wins",
            notes=["the pods start as many processes as the line says"],
            helps=["leave the numbers out of the file, or write `pods` and `gpu` that fit it"],
            severity=NOTE,
        )


def _goes_over_ssh(line: Line, file: Configured) -> bool:
    """Whether DeepSpeed's own launcher starts the processes of several machines: the line's choice wins."""
    from specgen.operators.kubernetes.accelerate import HERE

    chosen = {"multi_gpu", "use_fsdp", "use_megatron_lm", "cpu", "tpu"} & line.options.keys()
    return bool(file.by) and not chosen and line.value("deepspeed_multinode_launcher", file.by) not in HERE


def _over_ssh(workload: Workload, line: Line, file: Configured, value: str, at: Place) -> Finding:
    by = line.value("deepspeed_multinode_launcher", file.by)
    alone = not (file.hostfile or "deepspeed_hostfile" in line.options)
    notes = ["each pod starts processes on all hosts of its host file, by ssh"]
    if alone:
        notes = ["without a host file DeepSpeed's launcher starts processes in its own pod, and each pod trains alone"]
    return CODE.at(
        at,
        f"with `{shown(value)}` each of the {plural(workload.pods, 'pod')} calls DeepSpeed's launcher for all",
        label=f"`{shown(by)}`",
        notes=notes,
        helps=["`--deepspeed_multinode_launcher=standard` starts what is of the pod, in a profile `start: accelerate`"],
        severity=ERROR if alone else WARNING,
    )


def _numbered(container: Container, line: Line) -> bool:
    """Whether something may tell accelerate the pod's number: its line, or a file that a shell before it wrote."""
    if line.may("machine_rank"):
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
    for name, value, written, word, start in options(container, _HOSTS, line):
        # a meeting by c10d does not look at the master, and a static one takes the endpoint if there is one
        if value.rpartition(":")[0] not in _HERE and value not in _HERE:
            continue
        if name.startswith("--master") and (not static or line.may("rdzv_endpoint")):
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


def _nowhere(workload: Workload, container: Container, line: Line) -> Iterator[Finding]:
    """A meeting that is told no place: torchrun takes ``localhost:29400`` (elastic/rendezvous/utils.py)."""
    told = "PET_RDZV_ENDPOINT"
    # of a PyTorchJob the operator sets it where it is elastic
    set_there = _elastic(workload) if workload.kind == "PyTorchJob" else told in workload.rules_env
    if line.name != launchers.TORCHRUN or line.may("rdzv_endpoint") or set_there:
        return
    for _, value, written, word, start in options(container, ("--rdzv_backend", "--rdzv-backend"), line):
        if value != "c10d" or told in container.env or told in container.line:
            continue
        yield CODE.at(
            Place(word.path, inside=(word.start + start, word.start + start + len(value))),
            f"`{shown(written)}` without `--rdzv-endpoint` has each of the {plural(workload.pods, 'pod')} meet itself",
            label="at `localhost:29400`",
            notes=["c10d looks at no `MASTER_ADDR`: every pod waits for the others until the rendezvous gives up"],
            helps=[f"`--rdzv-endpoint={_first(workload)}`, or leave both out where the operator says the master"],
            # a ConfigMap or Secret that is not seen may say the place
            severity=WARNING if container.tree.get("envFrom") else ERROR,
        )


def _first(workload: Workload) -> str:
    """The address of the first pod, where the operator gives one."""
    if workload.kind == "PyTorchJob":
        role = "master" if any(role.name == "Master" for role in workload.roles) else "worker"
        return f"{workload.manifest.ref.name}-{role}-0:29400"
    return "HOST:29400"


def _standalone(workload: Workload, container: Container, line: Line) -> Finding:
    word = told_at(container, line, "standalone")
    way = "leave it out: torchrun reads `PET_…`, which the operator sets"
    if not (_is_told(workload) or _elastic(workload)):
        way = "say in its place how many pods there are, and where they meet: `--nnodes`, `--rdzv-endpoint`"
    return CODE.at(
        Place(word.path, inside=(word.start, word.start + len(word.text))),
        f"with `{word.text}` each of the {plural(workload.pods, 'pod')} trains alone",
        label="one pod, one job",
        notes=["torchrun then meets nobody but the processes of its own pod, whatever the operator tells it"],
        helps=[way],
        severity=WARNING,
    )


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
    if any(f"{path}/".startswith(mount.rstrip("/") + "/") for mount in container.mounted):
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
    for _, value, _, word, start in options(container, ("--hostfile", "-H"), line):
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
