"""A mount of a volume that the pod does not have.

## What it checks
Every item of `volumeMounts` names one of the pod's `volumes`.

## Why it hurts
The job itself is accepted. The API server then refuses its pods, and the operator tries again without end.

## Severity
- error: the API server refuses every pod of the template.

## Example
Bad:

```yaml
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    volumeMounts: [{name: data, mountPath: /data}]
```

Good:

```yaml
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    volumeMounts: [{name: data, mountPath: /data}]
volumes: [{name: data, emptyDir: {}}]
```

## Fix
Add the volume, of which nobody else knows what it holds. Where one volume has a similar name, the mount is called like
it: unsafe, as another volume may be meant.

## When to ignore it
Where an admission webhook of the cluster adds the volume to the pods.

## References
Kubernetes 1.36, core validation ("Not found"); recorded with training-operator 1.9.4.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, UNSAFE, Code, Place
from specgen.manifest.views import mapping, sequence
from specgen.rules import ALL, CONTAINER, REFUSED_POD
from specgen.rules._words import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.diagnostics.suggest import Names
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG413", "dangling-mount", ERROR, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (REFUSED_POD,)


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each mount."""
    role = container.role
    if not container.mounts:
        return
    volumes: Names | None = None
    for reason in context.refused_container(container):
        if reason.cause != "no-volume":
            continue
        index = int(reason.path[-2])
        name = str(mapping(sequence(container.tree.get("volumeMounts"))[index]).get("name"))
        if volumes is None:
            from specgen.diagnostics.suggest import Names

            called = [mapping(volume).get("name") for volume in sequence(role.pod.get("volumes"))]
            volumes = Names([volume for volume in called if isinstance(volume, str)])
        from specgen.rules._remedies import respelt

        path = (*container.path, "volumeMounts", index, "name")
        names, near = volumes.both(name, "volume")
        fix = respelt(path, name, names, UNSAFE)
        related = []
        if "volumes" in role.pod:
            related.append((Place((*role.pod_path, "volumes"), KEY), f"no `{shown(name)}` among these"))
        yield CODE.at(
            path,
            f"container `{shown(container.name)}` mounts `{shown(name)}`, which the pods of `{role.name}` do not have",
            label="no such volume",
            related=related,
            notes=["the API server refuses the pods, and the operator tries again without end"],
            fix=fix,
            helps=[] if fix else [near] if near else [f"add a volume `{shown(name)}` to the pod"],
        )
