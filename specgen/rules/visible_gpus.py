"""A role without a GPU that may see those of its node, or one with GPUs or NPUs that is told to see none or fewer.

## What it checks
Where one role asks for NVIDIA's GPUs and another runs the same image without one, the other sets
`NVIDIA_VISIBLE_DEVICES`, or its operator does, as that of MPIJobs for launchers. MindSpore's Scheduler, which computes
nothing, is passed over, and so is a role of whose container something is refused: what it asks for is not known yet.
Where a container asks for NVIDIA's GPUs, it does not set the variable to `void`, `none`, or nothing. Where one asks for
several devices, `CUDA_VISIBLE_DEVICES`, `HIP_VISIBLE_DEVICES`, `ROCR_VISIBLE_DEVICES` and `ASCEND_RT_VISIBLE_DEVICES`
name all of them. Pods of MPIJobs are passed over there: mpirun's processes have other variables.

## Why it hurts
Images of CUDA say `NVIDIA_VISIBLE_DEVICES=all`. Where NVIDIA's runtime is the default one of a node, a container that
asks for no GPU sees all of them: a parameter server takes memory on GPUs that are another job's. The plugin of the GPUs
says by the same variable which ones a container got. What the manifest says goes before it: the pod holds its GPUs, and
its processes find none. Devices that a list leaves out stand idle, and a process whose number has none ends at once.

## Severity
- warning: what a container sees says the container runtime of the node, and how the plugin hands GPUs out.

## Example
Bad:

```yaml
Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}}
Worker:
  template:
    spec:
      containers:
      - {name: pytorch, image: "registry.example.com/train:1.4", resources: {limits: {nvidia.com/gpu: 1}}}
```

Good:

```yaml
Master:
  replicas: 1
  template:
    spec:
      containers:
      - {name: pytorch, image: "registry.example.com/train:1.4", env: [{name: NVIDIA_VISIBLE_DEVICES, value: void}]}
Worker:
  template:
    spec:
      containers:
      - {name: pytorch, image: "registry.example.com/train:1.4", resources: {limits: {nvidia.com/gpu: 1}}}
```

## Fix
Set `NVIDIA_VISIBLE_DEVICES` to `void` in the role without a GPU. Unsafe: a program that found GPUs there finds none any
more. Leave it out of the role with GPUs. Unsafe as well: its processes then find them.

## When to ignore it
Where nodes hand out GPUs by CDI, refuse the variable to unprivileged containers, or have a runtime class for them.

## References
CUDA C++ programming guide 12.6, "CUDA environment variables" (a list ends at its first number without a device); ROCm
6.2, "GPU isolation techniques"; CANN 8.0, `ASCEND_RT_VISIBLE_DEVICES`; NVIDIA container toolkit, "Environment
variables", and `accept-nvidia-visible-devices-envvar-when-unprivileged`; NVIDIA/k8s-device-plugin#61; mpi-operator
0.8.2, pkg/controller/mpi_job_controller.go (newLauncher); kubernetes 1.34, pkg/kubelet/kubelet_pods.go
(GenerateRunContainerOptions: a plugin's variables first, then those of the container).
"""

from __future__ import annotations

from specgen.devices import is_ascend
from specgen.diagnostics.model import KEY, UNSAFE, WARNING, Code, Fix, Place, plural, shown
from specgen.diagnostics.operations import Append, Remove, Set
from specgen.operators.kubernetes import launchers
from specgen.rules import ALL, SOME_GPUS, VISIBLE, WORKLOAD
from specgen.rules._words import asks_for_device, same_rank_program, variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Workload
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG482", "visible-gpus", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (SOME_GPUS, VISIBLE)

_GPU = "nvidia.com/gpu"
_VARIABLE = "NVIDIA_VISIBLE_DEVICES"
# Variables that list devices by their numbers in the container → (whose they are, what they are).
_LISTS: dict[str, tuple[Callable[[str], bool], str]] = {
    "CUDA_VISIBLE_DEVICES": (lambda name: name == _GPU, "GPU"),
    "HIP_VISIBLE_DEVICES": (lambda name: name == "amd.com/gpu", "GPU"),
    "ROCR_VISIBLE_DEVICES": (lambda name: name == "amd.com/gpu", "GPU"),
    "ASCEND_RT_VISIBLE_DEVICES": (is_ascend, "NPU"),
}
# Values by which NVIDIA's runtime shows no GPU.
_NO_GPU = ("void", "none", "")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding for each role."""
    for role in workload.roles:
        for container in role.containers():
            yield from _hidden(container, context)
            yield from _fewer(container, context)
    mains = [role.main for role in workload.roles if role.main is not None]
    with_gpus: dict[str, Path] = {}
    for one in mains:
        amount, path = one.amounts().get(_GPU, (0, ()))
        image = one.tree.get("image")
        if amount not in (0, "0", None) and isinstance(image, str) and not _sees_none(one):
            with_gpus.setdefault(image, path)
    if not with_gpus or _VARIABLE in workload.rules_env:
        return
    for container in mains:
        image = container.tree.get("image")
        if not isinstance(image, str) or image not in with_gpus or asks_for_device(container, context):
            continue
        if _VARIABLE in container.env or container.tree.get("envFrom") or _sees_none(container) or _trains(container):
            continue
        # a rank among others lacks its GPUs, which is said in their words (SG437)
        if any(same_rank_program(container, one) for one in mains):
            continue
        # what is refused of it may be what it asks for, in other words
        if context.is_reported(container.path) or any(
            ["resources" in one.path for one in context.refused_container(container)]
        ):
            continue
        # NVIDIA's runtime is one of several on nodes that have a class for it
        if "runtimeClassName" in container.role.pod or any("runtimeClassName" in one.role.pod for one in mains):
            continue
        yield CODE.at(
            Place((*container.path, "image")),
            f"`{container.role.name}` asks for no GPU and may see all those of its node",
            label="the image of the role with GPUs",
            related=[(Place(with_gpus[image]), "asks for GPUs")],
            notes=[
                "images of CUDA ask for all GPUs by a variable; where NVIDIA's runtime is the default, they get them "
                "though the scheduler counts none"
            ],
            fix=_fix(container),
        )


def _hidden(container: Container, context: Context) -> Iterator[Finding]:
    """GPUs that a container asks for, and says that it sees none of."""
    asked = [
        (name, path)
        for name, (amount, path) in container.amounts().items()
        if str(name).startswith((_GPU, "nvidia.com/mig-")) and amount not in (0, "0", None)
    ]
    path, entry = variables(container, context).get(_VARIABLE, ((), {}))
    value = entry.get("value") or ""
    if not asked or not path or "valueFrom" in entry or value not in _NO_GPU:
        return
    name, there = asked[0]
    yield CODE.at(
        Place((*path, "value" if "value" in entry else "name")),
        f"`{_VARIABLE}: {value or chr(34) * 2}` hides the `{shown(name)}` that container `{shown(container.name)}` "
        "asks for",
        label="no GPU is seen",
        related=[(Place(there, KEY), "held, and idle")],
        notes=["the plugin of the GPUs sets this variable too, and what the manifest says goes before it"],
        fix=Fix(f"leave `{_VARIABLE}` out", UNSAFE, [Remove(path)]),
    )


def _fewer(container: Container, context: Context) -> Iterator[Finding]:
    """Devices that a container asks for, and of which it names some alone."""
    workload = container.role.workload
    found = variables(container, context)
    if container is not container.role.main or workload.kind == "MPIJob":
        return
    for variable, (known, noun) in _LISTS.items():
        path, entry = found.get(variable, ((), {}))
        value = entry.get("value", "")
        if not path or "valueFrom" in entry or not isinstance(value, str) or "$" in value or "{{" in value:
            continue
        held, there = next(
            (
                (int(str(amount)), at)
                for name, (amount, at) in container.amounts().items()
                if known(str(name)) and str(amount).isdecimal() and len(str(amount)) < 6
            ),
            (0, ()),
        )
        seen = _listed(value, held)
        if seen >= held:
            continue
        how = f"shows {seen} of" if seen else "hides"
        notes = ["those that it leaves out are held, and idle"]
        line = launchers.of_text([text for _, _, text in container.words()])
        said = {"PET_NPROC_PER_NODE": str(workload.procs_per_pod)}
        processes = launchers.processes(line, said, seen) if line is not None else None
        if processes and processes > seen:
            spare = f"processes {seen} to {processes - 1} find" if processes - seen > 1 else f"process {seen} finds"
            notes = [
                f"`{line.name if line else ''}` starts {processes} in each pod: {spare} no device, and fail at once"
            ]
        yield CODE.at(
            Place((*path, "value" if "value" in entry else "name")),
            f"`{variable}` {how} the {plural(held, noun) if held > 1 else noun} that container "
            f"`{shown(container.name)}` asks for",
            label="no device is seen" if not seen else "too few",
            related=[(Place(there), plural(held, noun))],
            notes=notes,
            fix=Fix(f"leave `{variable}` out", UNSAFE, [Remove(path)]),
        )


def _listed(value: str, held: int) -> int:
    """How many devices a list names: it ends at its first number without one."""
    seen: set[str] = set()
    for word in value.split(","):
        name = word.strip()
        if not name or name in seen or (name.lstrip("-").isdecimal() and not 0 <= int(name) < held):
            break
        seen.add(name)
    return len(seen)


def _sees_none(container: Container) -> bool:
    """Whether the operator itself says that there are no GPUs, or the program looks for none."""
    return container.role.name.lower() in ("launcher", "scheduler")


def _trains(container: Container) -> bool:
    """Whether another finding says that it lacks a GPU (SG411)."""
    return container.role.name not in ("PS", "Scheduler", "Evaluator") and any(
        name.startswith("NCCL_") for name in container.env
    )


def _fix(container: Container) -> Fix:
    entry = {"name": _VARIABLE, "value": "void"}
    path = (*container.path, "env")
    has = isinstance(container.tree.get("env"), list)
    title = f"set `{_VARIABLE}` to `void` in `{shown(container.role.name)}`"
    return Fix(title, UNSAFE, [Append(path, entry) if has else Set(path, [entry])])
