"""A variable that the operator sets too, with another value.

## What it checks
Variables of the template against those that the operator adds to the same container: `WORLD_SIZE`, `RANK`,
`MASTER_ADDR`, `PET_NNODES`, `TF_CONFIG`, and their like.

## Why it hurts
Of two equal names the last one counts, and the operator adds its own at the end. The value in the manifest has no
effect, and whoever reads it believes something else.

## Severity
- warning: the job runs; the value that was written has no effect.

## Example
Bad:

```yaml
Master:
  replicas: 1
  template: {spec: {containers: [{name: pytorch, image: "a/b:1", env: [{name: WORLD_SIZE, value: "16"}]}]}}
Worker: {replicas: 3, template: {spec: {containers: [{name: pytorch, image: "a/b:1"}]}}}
```

Good:

```yaml
Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: "a/b:1"}]}}}
Worker: {replicas: 3, template: {spec: {containers: [{name: pytorch, image: "a/b:1"}]}}}
```

## Fix
Leave the variable out. It is unsafe, as a later variable may refer to it by `$(NAME)`.

## When to ignore it
Where the same template is used without the operator as well.

## References
training-operator 1.9.4, pkg/controller.v1/pytorch/envvar.go, and its fellows of other kinds; recorded.
"""

from __future__ import annotations

from specgen.diagnostics.model import UNSAFE, WARNING, Code, Fix, Place, shown
from specgen.diagnostics.operations import Remove
from specgen.manifest.views import mapping, sequence
from specgen.rules import ALL, CONTAINER, OPERATOR_ENV

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG441", "overridden-variable", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (OPERATOR_ENV,)

# What it says matters to nobody's training.
_HARMLESS = ("PYTHONUNBUFFERED",)


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each variable."""
    workload = container.role.workload
    named = [name for name in container.env if name in workload.rules_env and name not in _HARMLESS]
    if not named or context.reader is None:
        return
    lists = []
    for pod in context.expanded(workload).pods:
        spec = mapping(pod.get("spec"))
        for one in (*sequence(spec.get("containers")), *sequence(spec.get("initContainers"))):
            if mapping(one).get("name") == container.name:
                lists.append(sequence(one.get("env")))
    for name in named:
        index, entry = container.env[name]
        value = entry.get("value")
        last = [_last(env, name) for env in lists if _times(env, name) > 1]
        if not last or all([one == value for one in last]) or not isinstance(value, str):
            continue
        said = f": `{shown(last[0])}`" if all([one == last[0] for one in last]) and last[0] else ""
        yield CODE.at(
            Place((*container.path, "env", index, "name")),
            f"`{name}: {shown(value)}` has no effect: the operator adds its own behind it{said}",
            label="the last of a name counts",
            notes=[f"the {workload.operator} sets it in every pod of this job"],
            fix=Fix(f"leave `{name}` out", UNSAFE, [Remove((*container.path, "env", index))]),
        )


def _times(env: list[object], name: str) -> int:
    return sum([mapping(entry).get("name") == name for entry in env])


def _last(env: list[object], name: str) -> object:
    return [mapping(entry).get("value") for entry in env if mapping(entry).get("name") == name][-1]
