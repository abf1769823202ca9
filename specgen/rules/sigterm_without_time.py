"""Pods that are killed before SIGTERM can do anything.

## What it checks
`terminationGracePeriodSeconds` is not 0, and a `preStop` hook of a container does not sleep for as long as it lasts.

## Why it hurts
The time counts from the beginning of the hook. When it is used up, SIGKILL follows at once: the program never gets to
save its checkpoint. With 0 the pod is deleted before its processes have ended, so that its successor of the same name
may run beside them, on the same GPUs and files.

## Severity
- warning: the program may have nothing to save.

## Example
Bad:

```yaml
terminationGracePeriodSeconds: 0
containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]
```

Good:

```yaml
terminationGracePeriodSeconds: 120
containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]
```

## Fix
A time in which a checkpoint is written. None is applied: how long that takes is not known.

## When to ignore it
Where nothing is saved at the end, and no two pods share files.

## References
Kubernetes 1.36, "Pod Lifecycle" (termination of pods, forced deletion) and "Container Lifecycle Hooks".
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place
from specgen.manifest.views import mapping, sequence
from specgen.rules import ALL, ROLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG492", "sigterm-without-time", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL
FIELD = "terminationGracePeriodSeconds"
NEEDS = (FIELD, "lifecycle")

# What Kubernetes takes where nothing is said.
_USUAL = 30


def check(role: Role, context: Context) -> Iterator[Finding]:
    """One finding for the pod, or one for each hook."""
    grace = role.pod.get(FIELD)
    if grace == 0 and not isinstance(grace, bool):
        yield CODE.at(
            (*role.pod_path, FIELD),
            "these pods are killed without a SIGTERM, and deleted before they have ended",
            label="no time at all",
            notes=["nothing is saved, and a pod of the same name may run beside what is left of the old one"],
        )
        return
    given = grace if isinstance(grace, int) and not isinstance(grace, bool) else _USUAL
    for container in role.containers():
        command = mapping(mapping(mapping(container.tree.get("lifecycle")).get("preStop")).get("exec")).get("command")
        seconds = _sleeps(sequence(command))
        if seconds is not None and seconds >= given > 0:
            related = [(Place((*role.pod_path, FIELD)), f"{given} s from the beginning of the hook")]
            yield CODE.at(
                (*container.path, "lifecycle", "preStop", "exec", "command"),
                f"this hook takes {seconds} s, and the pod is killed after {given} s",
                label="SIGTERM comes after it",
                related=related if grace is not None else [],
                notes=["the program is killed before it can save anything"],
                helps=[f"`{FIELD}` is to hold the hook and the checkpoint"],
            )


def _sleeps(command: list[Any]) -> int | None:
    """The seconds of the last `sleep` of a hook; None where it has none."""
    words = " ".join([word for word in command if isinstance(word, str)]).replace(";", " ; ").split()
    found = [words[at + 1] for at, word in enumerate(words[:-1]) if word.rpartition("/")[2] == "sleep"]
    text = found[-1].removesuffix("s") if found else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else None
