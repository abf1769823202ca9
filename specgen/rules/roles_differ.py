"""Pods of two roles that train together and are not made alike.

## What it checks
Master and Worker of a PyTorchJob have the same image, the same program with the same options, the same GPUs, the same
user, and the same mounts in their training containers. Of one image, both say what they start, or neither does. Both
start their processes by a launcher such as torchrun, or none does. Where both run the same line, both have GPUs,
or neither does. Options that say which pod this is may differ, and the Master may mount what the Worker's command line
does not speak of.

## Why it hurts
All ranks run one program in step. Where one has other options, another version, or no data, it stops or hangs at the
first collective, or trains something else, and nothing says why.

## Severity
- warning: the Master may do more than the others on purpose, and an image may start what the other role says.

## Example
Bad:

```yaml
Master:
  replicas: 1
  template: {spec: {containers: [{name: pytorch, image: "a/b:1", command: [torchrun, t.py, --lr=0.1]}]}}
Worker:
  replicas: 3
  template: {spec: {containers: [{name: pytorch, image: "a/b:2", command: [torchrun, t.py]}]}}
```

Good:

```yaml
Master:
  replicas: 1
  template: {spec: {containers: [{name: pytorch, image: "a/b:2", command: [torchrun, t.py, --lr=0.1]}]}}
Worker:
  replicas: 3
  template: {spec: {containers: [{name: pytorch, image: "a/b:2", command: [torchrun, t.py, --lr=0.1]}]}}
```

## Fix
Make both alike, by an anchor and an alias for instance. None is applied: which of the two was meant is not known.

## When to ignore it
Where the Master does more than the others, such as writing checkpoints to a volume that only it mounts.

## References
PyTorch 2.13, torch.distributed, "Collective functions": all ranks of a group call each of them.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place, listed, plural, shown
from specgen.manifest.views import mapping
from specgen.rules import TWINS, WORKLOAD
from specgen.rules._shell import SHELLS
from specgen.rules._words import asks_for_device, gpus, same_rank_program, written_by_hand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Workload
    from specgen.rules import Context

CODE = Code("SG437", "roles-differ", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("PyTorchJob",)
NEEDS = (TWINS,)

# What an option says that is each pod's own.
_OWN = ("rank", "master", "role", "host", "rdzv", "machine", "node", "world", "port", "addr", "log", "name")
_NOTE = "all ranks run one program in step: one that is made otherwise stops the others, or hangs with them"


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each respect in which the Worker differs from the Master."""
    roles = {role.name: role for role in workload.roles}
    if "Master" not in roles or "Worker" not in roles:
        return
    one, other = roles["Master"].main, roles["Worker"].main
    if one is None or other is None or one.tree is other.tree:
        return
    launched = _launched(one, other)
    if launched is None:
        return  # no ranks of one job: one trains alone, and has been told so
    yield from launched
    # what a profile says of one role alone is meant for it
    if not written_by_hand(workload):
        return
    image, second = one.tree.get("image"), other.tree.get("image")
    if isinstance(image, str) and isinstance(second, str) and image != second:
        yield _found(one, other, "image", f"the Worker runs another image than the Master: `{shown(second)}`")
    elif isinstance(image, str) and image == second:
        yield from _programs(one, other)
    yield from _options(one, other)
    yield from _devices(one, other, context)
    yield from _mounts(one, other)
    security = [_of_user(container) for container in (one, other)]
    if security[0] != security[1]:
        names = [key for key in sorted({*security[0], *security[1]}) if security[0].get(key) != security[1].get(key)]
        yield _found(one, other, "securityContext", f"{listed(names)} of Worker and Master differ")


def _found(one: Container, other: Container, key: str, message: str) -> Finding:
    home, there = (key if key in container.tree else "name" for container in (other, one))
    part = "value" if key == "image" else KEY
    return CODE.at(
        Place((*other.path, home), part),
        message,
        label="the Worker's",
        related=[(Place((*one.path, there), part), "the Master's")],
        notes=[_NOTE],
    )


def _programs(one: Container, other: Container) -> Iterator[Finding]:
    """What is started, of one image: by one alone, or by a launcher in one and as a single process in the other."""
    first, second = ([text for _, _, text in container.words()] for container in (one, other))
    if first == second:
        return
    from specgen.operators.kubernetes.launchers import of_text  # most roles start alike

    if not first or not second:
        giver, taker, words = (one, other, first) if first else (other, one, second)
        line = of_text(words)
        # what a shell does besides may be what the image does as well
        program = line.name if line is not None else "" if words[0].rpartition("/")[2] in SHELLS else words[0]
        if program and "command" in giver.tree and "command" not in taker.tree and "args" not in taker.tree:
            yield _found(
                one,
                other,
                "command",
                f"the {giver.role.name} starts `{shown(program)}`, and the {taker.role.name} what the image starts by "
                "itself",
            )
        return


def _launched(one: Container, other: Container) -> list[Finding] | None:
    """A launcher in one role, and a single process in the other; None: the launcher is told to meet nobody."""
    if one.line == other.line:
        return []  # most roles start alike
    from specgen.operators.kubernetes.launchers import TORCHRUN, starts_one
    from specgen.rules._started import is_apart, line_of

    for giver, taker in ((one, other), (other, one)):
        line = line_of(giver)
        if line is None or not starts_one([text for _, _, text in taker.words()]):
            continue
        apart = is_apart(giver.role)
        if apart and line.name == TORCHRUN and ("standalone" in line.options or line.value("nnodes") == "1"):
            return None
        found = _found(
            one,
            other,
            "command" if "command" in other.tree else "args",
            f"the {giver.role.name} starts its processes by `{line.name}`, and the {taker.role.name} one process",
        )
        if line.name == TORCHRUN and "PET_NNODES" in giver.role.workload.rules_env:
            pods = plural(giver.role.workload.pods, "pod")
            found.notes = [f"`PET_NNODES` tells torchrun of {pods}: it waits for those that do not start it"]
            if apart:
                found.helps = ["where they are no ranks of one job, say `--nnodes=1`, or make two jobs of them"]
        return [found]
    return []


def _options(one: Container, other: Container) -> Iterator[Finding]:
    """Options that only one of the command lines has; a shell's text and another program say nothing of them."""
    first, second = ([text for _, _, text in container.words()] for container in (one, other))
    plain = not any([" " in text or "\n" in text or "$" in text for text in (*first, *second)])
    if not plain or not first or not second or first[0] != second[0]:
        return
    odd = _without(first, second) + _without(second, first)
    told = [word for word in (*first, *second) if any([own in word.lower() for own in _OWN])]
    if not odd or told or not all([option.startswith("-") for option in odd]):
        return
    key = next((key for key, _, text in other.words() if text in odd), other.words()[0][0])
    yield _found(
        one, other, key, f"Master and Worker are told different things: {listed([shown(word) for word in odd])}"
    )


def _without(words: list[str], others: list[str]) -> list[str]:
    """Words that the others lack: an option for its value; what is no option for itself."""
    found = []
    for at, word in enumerate(words):
        if word in others:
            continue
        value = at > 0 and not word.startswith("-") and words[at - 1].startswith("--") and not word.endswith(".py")
        found.append(words[at - 1] if value else word)
    return list(dict.fromkeys(found))


def _devices(one: Container, other: Container, context: Context) -> Iterator[Finding]:
    (first, path), (second, there) = gpus(one, context), gpus(other, context)
    if first and second and first != second:
        yield CODE.at(
            Place(there),
            f"a Worker has {plural(second, 'GPU')}, and the Master {first}",
            label="the Worker's",
            related=[(Place(path), "the Master's")],
            notes=[_NOTE],
        )
    if bool(first) == bool(second) or not same_rank_program(one, other):
        return
    giver, taker, count, there = (one, other, first, path) if first else (other, one, second, there)
    if asks_for_device(taker, context):
        return
    home = next((key for key in ("resources", "command", "args") if key in taker.tree), "name")
    yield CODE.at(
        Place((*taker.path, home), KEY),
        f"the {taker.role.name} asks for no GPU, and the {giver.role.name}, which runs the same line, for {count}",
        label="no GPU among these" if home == "resources" else "asks for no GPU",
        related=[(Place(there), f"the {giver.role.name}'s")],
        notes=[_NOTE],
        helps=[f"ask for {plural(count, 'GPU')} in the {taker.role.name}, too"],
    )


def _mounts(one: Container, other: Container) -> Iterator[Finding]:
    """What only one role mounts, where the other speaks of it or is the Master; `/dev/shm` is another rule's."""
    first, second = ([entry["mountPath"].rstrip("/") for _, entry in container.mounts] for container in (one, other))
    for giver, paths, taker, others in ((one, first, other, second), (other, second, one, first)):
        said = " ".join(
            [*[text for _, _, text in taker.words()], *[str(one.get("value")) for _, one in taker.env.values()]]
        )
        lost = [path for path in paths if path not in others and not path.startswith("/dev/shm")]
        # a Master may keep results where the others need not see them
        lost = [path for path in lost if taker is one or path in said]
        if lost:
            home = "volumeMounts" if "volumeMounts" in taker.tree else "name"
            index = next(index for index, entry in giver.mounts if entry["mountPath"].rstrip("/") == lost[0])
            yield CODE.at(
                Place((*taker.path, home), KEY if home == "volumeMounts" else "value"),
                f"{listed(lost)} {'is' if len(lost) == 1 else 'are'} mounted in the {giver.role.name} and not in the "
                f"{taker.role.name}",
                label="not among these" if home == "volumeMounts" else "mounts nothing",
                related=[(Place((*giver.path, "volumeMounts", index, "mountPath")), f"the {giver.role.name}'s")],
                notes=[_NOTE],
            )


def _of_user(container: Container) -> dict[str, object]:
    """Who reads and writes the files, as far as it is said."""
    security = {**mapping(container.role.pod.get("securityContext")), **mapping(container.tree.get("securityContext"))}
    keys = ("runAsUser", "runAsGroup", "fsGroup")
    return {key: security[key] for key in keys if security.get(key) is not None}
