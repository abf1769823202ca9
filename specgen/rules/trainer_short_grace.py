"""Less time between SIGTERM and SIGKILL than the trainer counts on.

## What it checks
`terminationGracePeriodSeconds`, 30 if not said, is at least five seconds more than the trainer's `--grace`, 25 if not
said. Looked at are training calls with an `--out` folder, calls of `trainer guard`, and every call that says `--grace`.

## Why it hurts
On SIGTERM the trainer ends its step, writes a checkpoint, and leaves with exit code 143, as soon as that is done. It
does not wait for `--grace` to be over: by that number it warns, while there is time, of a step and a save that take
longer. With a number that is too large it stays silent, until the kubelet kills it while it saves.

## Severity
- warning: whether a step and a save take longer than the pod's period is known only where they run.

## Example
Bad:

```yaml
terminationGracePeriodSeconds: 30
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    command: [python, -u, -m, trainer, train, --data, /data/imagenet, --out, /out, --grace=60]
```

Good:

```yaml
terminationGracePeriodSeconds: 65
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    command: [python, -u, -m, trainer, train, --data, /data/imagenet, --out, /out, --grace=60]
```

## Fix
Raise the pod's period (`lifecycle.grace` in a profile), or lower `--grace`. None is applied: it depends on how long a
step and a checkpoint take.

## When to ignore it
Where a step and a save are known to be short. Where no state is worth saving, leave out `--out`.

## References
`python -m trainer contract --json`, "grace"; trainer/interval.py (`check_grace`); Kubernetes 1.36, PodSpec
(`terminationGracePeriodSeconds`).
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place
from specgen.operators.kubernetes.trainer_line import GUARD
from specgen.rules import ALL, CONTAINER
from specgen.rules._trainer import call, guard
from specgen.rules._words import shown
from specgen.tables.trainer_contract import CONTRACT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG451", "trainer-short-grace", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL

# "terminationGracePeriodSeconds >= grace + 5"
_MORE = int(CONTRACT["grace"]["rule"].rpartition(" + ")[2])
_KUBERNETES = 30
_SILENT = "the trainer warns of a step and a save that take longer than `--grace`: of the period it knows nothing"
_SILENT_GUARD = "the guard gives the script so long to save, then ends it and says why: of the period it knows nothing"
_FIELD = "terminationGracePeriodSeconds"


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding."""
    found = guard(container) or call(container)
    if found is None:
        return
    guards = found.command == GUARD
    if not (guards or "grace" in found.arguments.said or "out" in found.arguments.said):
        return
    said, text = found.argument("grace"), found.arguments.text("grace")
    if said is None and not guards and found.command != "train":
        return
    try:
        grace = float(text) if text is not None else None
    except ValueError:
        return
    role = container.role
    period = role.pod.get(_FIELD, _KUBERNETES)
    if grace is None or not isinstance(period, int) or isinstance(period, bool) or period >= grace + _MORE:
        return
    written = _FIELD in role.pod
    there = f"`{_FIELD}: {period}`" if written else f"Kubernetes' {period} seconds between SIGTERM and SIGKILL"
    who = "guard" if guards else "trainer"
    here = f"the {grace + _MORE:g} seconds that the {who} counts on contradict"
    if said is not None:
        here = f"`{shown(said.written)}` of the {who} and {_MORE} seconds more contradict"
    field = Place((*role.pod_path, _FIELD))
    if written:
        place, label, related = field, "ends sooner", [(said.place, f"{grace:g} seconds")] if said is not None else []
    else:
        place, label, related = said.place if said is not None else found.word.place, f"{grace:g} seconds", []
    yield CODE.at(
        place,
        f"{here} {there}",
        label=label,
        related=related,
        notes=[
            *([f"`--grace` is {grace:g} where it is not said, and the end takes {_MORE} more"] if said is None else []),
            _SILENT_GUARD if guards else _SILENT,
            *found.doubts,
        ],
        helps=[f"raise the period to {grace + _MORE:g} seconds, or lower `--grace`"],
    )
