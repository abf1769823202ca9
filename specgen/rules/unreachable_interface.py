"""An interface over which no other pod is reached.

## What it checks
`NCCL_SOCKET_IFNAME` and `GLOO_SOCKET_IFNAME` of a job with several pods do not name the loopback interface alone, and
`GLOO_SOCKET_IFNAME` holds names: Gloo has no patterns such as `^lo`, which are NCCL's.

## Why it hurts
Each rank tells the others an address at which only it can be found: all wait until the time is over. Gloo looks for an
interface that is called `^lo`, finds none, and stops.

## Severity
- warning: whether the pods train together is not known.

## Example
Bad:

```yaml
Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: "a/b:1"}]}}}
Worker:
  replicas: 3
  template: {spec: {containers: [{name: pytorch, image: "a/b:1", env: [{name: GLOO_SOCKET_IFNAME, value: ^lo}]}]}}
```

Good:

```yaml
Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: "a/b:1"}]}}}
Worker:
  replicas: 3
  template: {spec: {containers: [{name: pytorch, image: "a/b:1", env: [{name: GLOO_SOCKET_IFNAME, value: eth0}]}]}}
```

## Fix
Name the interface of the pods' network, mostly `eth0`, or leave the variable out. The
second is unsafe: NCCL and Gloo then choose an interface themselves.

## When to ignore it
Where the pods do not train together.

## References
NCCL 2.30, user guide, "NCCL_SOCKET_IFNAME"; torch 2.13, torch/csrc/distributed/c10d/ProcessGroupGloo.cpp
(`GLOO_SOCKET_IFNAME_ENV` is split at commas).
"""

from __future__ import annotations

from specgen.diagnostics.model import UNSAFE, WARNING, Code, Fix, Place, plural, shown
from specgen.diagnostics.operations import Remove
from specgen.rules import ALL, CONTAINER, INTERFACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG442", "unreachable-interface", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (INTERFACE,)

_NAMES = ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME")

_MEANT = "an interface that must be said is that of the pods' network"


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each variable."""
    pods = container.role.workload.pods
    for name in _NAMES:
        index, entry = container.env.get(name, (0, {}))
        value = entry.get("value")
        if not isinstance(value, str) or pods < 2:
            continue
        place = Place((*container.path, "env", index, "value"))
        fix = Fix("leave the variable out", UNSAFE, [Remove((*container.path, "env", index))])
        if value.strip() in ("lo", "=lo"):
            yield CODE.at(
                place,
                f"`{name}: {shown(value)}` reaches none of the {plural(pods, 'pod')} but its own",
                label="the loopback interface",
                notes=["each rank tells the others an address at which only it can be found", _MEANT],
                fix=fix,
            )
        elif name.startswith("GLOO") and value[:1] in ("^", "="):
            yield CODE.at(
                place,
                f"Gloo looks for an interface that is called `{shown(value)}`",
                label="a pattern of NCCL",
                notes=["`^` and `=` in front are NCCL's: Gloo takes names, finds none of this name, and stops", _MEANT],
                fix=fix,
            )
