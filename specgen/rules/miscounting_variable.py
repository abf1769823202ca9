"""A variable that tells a program of other members than the job's pods come to.

## What it checks
A number written out in `WORLD_SIZE`, `JAX_NUM_PROCESSES` or `MS_WORKER_NUM`, in the pods of a JobSet, a Volcano Job, a
JAXJob, or an MSJob whose command calls no launcher, against the pods: those of one Job, of a role, or of several
together, with one process each, or as many as they have GPUs. One in `PET_NNODES` where torchrun has no `--nnodes`, or
in the variable that `--nnodes` names (`--nnodes=$(NNODES)`), against the pods alone. What the operator or a plugin
writes over is not looked at, nor is what the command line sets itself. Numbers in options are SG210's.

## Why it hurts
Whoever meets waits for as many members as it was told. Too many, and the job hangs with its GPUs held until the
rendezvous gives up; too few, and some pods are turned away.

## Severity
- error: torchrun waits for other pods, or the ranks that pods have and the number certainly do not fit.
- warning: the program may start several processes in each pod, or not read the variable.

## Example
Bad:

```yaml
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: llama-ft}
spec:
  replicatedJobs:
  - name: node
    template: {spec: {parallelism: 4, completions: 4, template: {spec: {containers: [{name: node,
      image: "example/train:1", command: [python, train.py], env: [{name: WORLD_SIZE, value: "6"}]}]}}}}
```

Good:

```yaml
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: llama-ft}
spec:
  replicatedJobs:
  - name: node
    template: {spec: {parallelism: 4, completions: 4, template: {spec: {containers: [{name: node,
      image: "example/train:1", command: [python, train.py], env: [{name: WORLD_SIZE, value: "4"}]}]}}}}
```

## Fix
The number of pods, shown and not applied: it may be the pods that are too few.

## When to ignore it
Where the program starts processes in each pod as the number has it, or gives it another meaning.

## References
torch 2.13, distributed/rendezvous.py (`_env_rendezvous_handler`) and distributed/argparse_util.py; jax 0.8,
jax/_src/distributed.py (`initialize`).
"""

from __future__ import annotations

from specgen.diagnostics.model import DISPLAY, ERROR, WARNING, Code, Fix, Place, plural
from specgen.diagnostics.operations import Set
from specgen.manifest.views import mapping, sequence
from specgen.operators.jobset.facts import job_spec, pods_each
from specgen.operators.kubernetes import launchers
from specgen.operators.kubernetes.command import environment
from specgen.rules import COUNTED, COUNTS, WORKLOAD
from specgen.rules._words import gpus, options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Role, Workload
    from specgen.operators.expansion import Expansion
    from specgen.rules import Context

CODE = Code("SG217", "miscounting-variable", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("JAXJob", "Job", "JobSet", "MSJob")
NEEDS = (COUNTED, COUNTS)

# What counts processes, and what counts the pods of torchrun: its variable, and the option that stands above it.
_PROCESSES, _PODS, _OPTION = ("WORLD_SIZE", "JAX_NUM_PROCESSES", "MS_WORKER_NUM"), "PET_NNODES", ("--nnodes",)
# What starts processes, and tells them their number itself.
_STARTERS = (
    "accelerate",
    "colossalai",
    "composer",
    "deepspeed",
    "launch",
    "mpiexec",
    "mpirun",
    "msrun",
    "horovodrun",
    "srun",
)
_PER_POD = ("--nproc_per_node", "--nproc-per-node", "--nprocs", "--num-gpus", "--gpus")
# Roles of an MSJob that are told of the Workers, and are none.
_BESIDE = ("Scheduler", "PS")
# GPUs of a pod, and sums of pods, that are counted.
_MOST_GPUS, _MOST_SUMS = 64, 4096


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each variable of a role; silent where not all pods are known, or the job is one pod."""
    told = [
        (role, role.main)
        for role in workload.roles
        if role.replicas > 0 and role.main is not None and role.name not in _BESIDE
    ]
    named = [(role, main, name, by_pods) for role, main in told for name, by_pods in _named(main)]
    if not named or workload.pods < 2 or context.reader is None:
        return
    expansion = context.resumed(workload)
    if expansion.refusals or expansion.left_out:
        return
    for role, main, name, by_pods in named:
        index, entry = main.env[name]
        value = entry.get("value")
        count = launchers.count(value) if isinstance(value, str) else None
        if count is None or count < 2 or not _is_kept(main, name, value, role, expansion):
            continue
        sums = _sums(workload, role, context, processes=not by_pods)
        if not sums or count in sums or count == mapping(workload.manifest.tree.get("spec")).get("minAvailable"):
            continue
        several = [one for one in _sums(workload, role, context, processes=False) if count % one == 0]
        if not by_pods and several and not launchers.starts_one([text for _, _, text in main.words()]):
            continue  # a shell or an image may start as many in each pod
        sure = by_pods or _is_sure(expansion, workload, count)
        yield _finding(workload, role, Place((*main.path, "env", index, "value")), name, count, sure=sure)


def _named(main: Container) -> Iterator[tuple[str, bool]]:
    """(variable, whether it counts pods) of those whose number decides: nothing in the line says another."""
    line = launchers.of_text([text for _, _, text in main.words()])
    names = [name for name in _PROCESSES if line is None and not any(word in main.line for word in _STARTERS)]
    found = [(name, False) for name in names]
    if line is not None and line.name == launchers.TORCHRUN and "standalone" not in line.options:
        own = [value for _, value, *_ in options(main, _OPTION, line)]
        found = [(_PODS, True)] if not line.may("nnodes") else [(_named_by(value), True) for value in own[:1]]
    for name, by_pods in found:
        if name in main.env and f"{name}=" not in main.line:
            yield name, by_pods


def _named_by(value: str) -> str:
    """The variable that a whole value is: `$(NAME)`, `$NAME`, `${NAME}`."""
    for start, end in (("$(", ")"), ("${", "}"), ("$", "")):
        if value.startswith(start) and value.endswith(end):
            return value[len(start) : len(value) - len(end)]
    return ""


def _is_kept(main: Container, name: str, value: Any, role: Role, expansion: Expansion) -> bool:
    """Whether the pods that come of a role have the number as it is written."""
    own = {one.pod for one in expansion.instances if one.role == role.name}
    made = [pod for pod in expansion.pods if mapping(pod.get("metadata")).get("name") in own]
    found = [
        environment(mapping(one), pod).get(name)
        for pod in made
        for one in sequence(mapping(pod.get("spec")).get("containers"))
        if mapping(one).get("name") == main.name
    ]
    return bool(found) and all(one == value for one in found)


def _sums(workload: Workload, own: Role, context: Context, *, processes: bool) -> set[int]:
    """What the number may count: the pods of a role, or of one Job of it, and those of any others; empty: too many."""
    total = {0}
    for role in workload.roles:
        if role.replicas < 1 or role.main is None:
            continue
        pods = {role.replicas, *([pods_each(job_spec(role.tree))] if workload.kind == "JobSet" else [])}
        each = _each(role.main, context) if processes else {1}
        counts = {number * one for number in pods for one in each}
        total = {one + other for one in total for other in (counts if role is own else {0, *counts})}
        if len(total) > _MOST_SUMS:
            return set()
    return total


def _each(main: Container, context: Context) -> set[int]:
    """How many processes a pod may have: one, or as many as it has GPUs, or some of them, or as an option says."""
    said = [launchers.count(value) for _, value, *_ in options(main, _PER_POD)]
    amount = min(gpus(main, context)[0], _MOST_GPUS)
    return {1, *range(1, amount + 1), *[one for one in said if one]}


def _is_sure(expansion: Expansion, workload: Workload, count: int) -> bool:
    """Whether each pod has a rank, none has another's, and the number leaves some out or lets none complete them."""
    ranks = [one.ranks for one in expansion.instances]
    known = {first for first, last in [one for one in ranks if one is not None] if first == last}
    if len(known) < len(ranks) or len(ranks) < workload.pods or max(known) >= len(ranks):
        return False
    lines = [role.main.words() for role in workload.roles if role.replicas > 0 and role.main is not None]
    alone = all(launchers.starts_one([text for _, _, text in line]) for line in lines)
    return alone and (count < len(ranks) or count % len(ranks) != 0)


def _finding(workload: Workload, role: Role, place: Place, name: str, count: int, *, sure: bool) -> Finding:
    pods, jobs = workload.pods, role.tree.get("replicas", 1)
    alone = len(workload.roles) == 1 and (workload.kind != "JobSet" or jobs == 1)
    waits = "whoever meets waits for the others until it gives up"
    if count < pods:
        waits = "there is no room for the others"
    depends = [] if sure else ["it depends on how many processes the program starts in each pod"]
    return CODE.at(
        place,
        f"`{name}` of {count} contradicts the {plural(pods, 'pod')} this job starts",
        label=f"says {count}",
        related=_factors(workload),
        notes=[waits, *depends],
        helps=[] if alone else [f"count the members, or make the pods {count}"],
        fix=Fix(f"write `{pods}`", DISPLAY, [Set(place.path, str(pods))]) if alone else None,
        severity=ERROR if sure else WARNING,
    )


def _factors(workload: Workload) -> list[tuple[Place, str]]:
    factors = []
    for role in workload.roles:
        path = role.path
        if workload.kind == "JobSet" and "parallelism" in job_spec(role.tree):
            path = (*path, "template", "spec", "parallelism")
        elif "replicas" in role.tree:
            path = (*path, "replicas")
        else:
            continue
        factors.append((Place(path), plural(role.replicas, "pod")))
    return factors
