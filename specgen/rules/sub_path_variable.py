"""A variable in the folder of a mount that nobody replaces, or that is not there.

## What it checks
`$(NAME)` in `subPath` of a mount, and in `subPathExpr` names that no variable of the container has. Names that a
ConfigMap or a Secret (`envFrom`), a Service of the namespace, or another controller may bring are passed over.

## Why it hurts
In `subPath` nothing is replaced: the folder is called `$(POD_NAME)`, and the pods that were to have one each write into
the same. `subPathExpr` is replaced, and where the variable is missing the container is never made: the pod waits with
`CreateContainerConfigError`, and holds its devices.

## Severity
- warning: a folder may be called so; a webhook of the cluster may add the variable.

## Example
Bad:

```yaml
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    env: [{name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]
    volumeMounts: [{name: out, mountPath: /out, subPath: $(POD_NAME)}]
```

Good:

```yaml
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    env: [{name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]
    volumeMounts: [{name: out, mountPath: /out, subPathExpr: $(POD_NAME)}]
```

## Fix
`subPathExpr` in place of `subPath`, where the container has the variables. That is unsafe: the pods find other folders.

## When to ignore it
Where a folder of the volume is called so.

## References
Kubernetes 1.36, pkg/kubelet/kubelet_pods.go (`makeMounts`), pkg/kubelet/container/helpers.go
(`ExpandContainerVolumeMounts`).
"""

from __future__ import annotations

from specgen.diagnostics.model import UNSAFE, WARNING, Code, Fix, Place, shown
from specgen.diagnostics.operations import Rename
from specgen.operators.kubernetes.argv import signs
from specgen.rules import ALL, CONTAINER, SUB_PATH
from specgen.rules._slips import Names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG405", "sub-path-variable", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (SUB_PATH,)

_ENV = "env: [{{name: {}, valueFrom: {{fieldRef: {{fieldPath: metadata.name}}}}}}]"


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each mount."""
    names = Names(container, context.made)
    for index, mount in container.mounts:
        path = (*container.path, "volumeMounts", index)
        for field in ("subPath", "subPathExpr"):
            value = mount.get(field)
            meant = [one for one in signs(value) if one[0] == "("] if isinstance(value, str) else []
            missing = [one for one in meant if not names.has(one[1]) and not names.may_come(one[1])]
            if meant and field == "subPath":
                yield _literal(
                    path, str(value), meant[0], [one[1] for one in missing], alone="subPathExpr" not in mount
                )
            elif missing:
                _, name, start, end = missing[0]
                yield CODE.at(
                    Place((*path, field), inside=(start, end)),
                    f"no variable is called `{name}`, which `{field}` names: the container is never made",
                    label="nothing defines it",
                    notes=["the pod waits with `CreateContainerConfigError`; variables of the image do not count here"],
                    helps=[f"`{_ENV.format(name)}` where the pod's name is meant"],
                )


def _literal(
    path: tuple[str | int, ...], value: str, sign: tuple[str, str, int, int], missing: list[str], *, alone: bool
) -> Finding:
    _, _, start, end = sign
    helps, fix = [f"`subPathExpr`, with `{_ENV.format(missing[0])}`"] if missing else [], None
    if not missing and alone:
        fix = Fix("write `subPathExpr`", UNSAFE, [Rename((*path, "subPath"), "subPathExpr")])
    return CODE.at(
        Place((*path, "subPath"), inside=(start, end)),
        f"`{value[start:end]}` stays as it is in `subPath`: all pods share the folder `{shown(value)}`",
        label="nothing replaces it",
        notes=["the kubelet replaces variables in `subPathExpr` alone"],
        helps=helps,
        fix=fix,
    )
