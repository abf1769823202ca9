"""A job name that the operator refuses, or that is too long for what is named after it.

## What it checks
`metadata.name` begins with a letter, holds lower-case letters, digits, and `-`, and ends with a letter or digit. With
the role and the number of its last pod behind it (`-worker-9`) it has at most 63 characters. A `generateName` counts
with the five characters that the API server adds.

## Why it hurts
The admission webhook refuses such names. A name that is only too long for the Services passes it: pods come up, their
Services do not, and the workers wait for a Master that they cannot find.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama_ft}
```

Good:

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft}
```

## Fix
Choose another name. None is applied: queues, dashboards, and scripts may know the job by it.

## When to ignore it
Never; such a job does not start.

## References
training-operator 1.9.4, pkg/controller.v1/common/util.go (names); recorded: 54 characters work, 55 do not.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, Code, Place, plural
from specgen.manifest.views import mapping
from specgen.rules import WORKLOAD
from specgen.rules._pytorch import is_pytorch, refuses
from specgen.rules._words import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG302", "unusable-name", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD

MOST = 63
# apiserver, pkg/storage/names: five random characters after at most 58 of the prefix.
RANDOM = 5
_LOWER = frozenset("abcdefghijklmnopqrstuvwxyz")
_DIGITS = frozenset("0123456789")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """The name itself first, and only if that is usable, the names made of it."""
    if not is_pytorch(workload):
        return
    metadata = mapping(workload.manifest.tree.get("metadata"))
    name, prefix = metadata.get("name"), metadata.get("generateName")
    if isinstance(name, str) and name:
        key, whole = "name", name
    elif isinstance(prefix, str) and prefix:
        key, whole = "generateName", prefix[: MOST - RANDOM] + "x" * RANDOM
    else:
        note = "the API server rejects an object that has neither `name` nor `generateName`"
        yield CODE.at(("metadata", "name"), "the job has no name", part=KEY, label="lacks `name`", notes=[note])
        return
    fault = _fault(whole)
    if fault is None:
        yield from _derived(workload, key, whole)
        return
    said, at, by_server = fault
    written = str(metadata[key])
    yield CODE.at(
        Place(("metadata", key), inside=None if at is None or at >= len(written) else (at, at + 1)),
        f"`{shown(written)}` is no name of a PyTorchJob: {said}",
        label="expected lower-case letters, digits, and `-`" if at is not None else f"{len(whole)} characters",
        notes=["the API server rejects the object" if by_server else refuses(workload)],
    )


def _fault(name: str) -> tuple[str, int | None, bool] | None:
    """What is wrong with a name, the index of the letter at fault, and whether the API server itself refuses it."""
    if len(name) > MOST:
        return f"it has {len(name)} characters, {MOST} are the limit", None, len(name) > 253
    for index, letter in enumerate(name):
        if letter not in _LOWER and letter not in _DIGITS and letter not in "-.":
            return f"`{shown(letter)}` is neither a lower-case letter nor a digit nor `-`", index, True
    for index in (0, len(name) - 1):
        if name[index] in "-.":
            return "it begins or ends with neither a letter nor a digit", index, True
    if "." in name:
        return "it holds a dot", name.index("."), False
    return ("it begins with a digit", 0, False) if name[0] in _DIGITS else None


def _derived(workload: Workload, key: str, name: str) -> Iterator[Finding]:
    for role in workload.roles:
        last = f"-{role.name.lower()}-{max(role.replicas, 1) - 1}"
        length = len(name) + len(last)
        if length <= MOST:
            continue
        related = []
        if "replicas" in role.tree:
            related.append((Place((*role.path, "replicas")), f"{plural(role.replicas, 'pod')}, the last is `{last}`"))
        too_long = plural(length - MOST, "character")
        yield CODE.at(
            ("metadata", key),
            f"the job's name is {too_long} too long for the Service of `{role.name}` {max(role.replicas, 1) - 1}",
            label=f"{len(name)} characters" + (" with the random ones" if key == "generateName" else ""),
            related=related,
            notes=[
                f"{len(name)} + {len(last)} = {length}; the API server rejects a Service name beyond {MOST} characters",
                "the operator goes on without that Service, and the job gets no condition",
            ],
            helps=[f"a name of at most {MOST - len(last)} characters fits"],
        )
