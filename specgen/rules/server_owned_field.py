"""A field that the API server writes, in a file that somebody applies.

## What it checks
Objects hold no `status`, and no `uid`, `resourceVersion`, `generation`, `creationTimestamp`, `deletionTimestamp`,
`managedFields` or `selfLink` in their metadata, nor what `kubectl apply` notes in an annotation. Where one of them
stands, labels and annotations by which Argo CD, Flux and Helm find what they applied are named with them. Empty ones,
as tools write them, are passed over, and so are the blocks of Markdown, which show what `kubectl get` says.

## Why it hurts
Such a file is what `kubectl get -o yaml` printed, and tells of one object of one cluster. With a `resourceVersion` the
API server creates nothing, and replaces nothing that somebody changed since; a `uid` fits no object that was created
anew; server-side apply refuses `managedFields`. The rest is dropped, and reads as if it were the job's.

## Severity
- warning: whether somebody applies the file, or keeps it as a record, is not known.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft, uid: 0b1f4a52-3a0e-4a68-9d1c-7e5d2f3a9c11, resourceVersion: "48151"}
spec:
  pytorchReplicaSpecs:
    Worker: {template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}}
```

Good:

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft}
spec:
  pytorchReplicaSpecs:
    Worker: {template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}}
```

## Fix
Remove them. That is safe: the API server writes its own.

## When to ignore it
In a file that is `kubectl replace`d and must fail where the object changed.

## References
Kubernetes 1.36, apiserver, pkg/registry/rest/{create,meta}.go and pkg/storage/etcd3/store.go ("resourceVersion should
not be set on objects to be created"); pkg/endpoints/handlers/patch.go ("metadata.managedFields must be nil").
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, SAFE, WARNING, Code, Fix, Place, listed, plural
from specgen.diagnostics.operations import Remove
from specgen.manifest.views import mapping
from specgen.operators.controllers import TRACKED
from specgen.operators.kubernetes.objects import APPLIED
from specgen.rules import EVERY, OBJECT, SERVER_OWNED
from specgen.rules._needs import OWNED
from specgen.source import is_markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG326", "server-owned-field", WARNING, since="0.1", page=__doc__)
SCOPE = OBJECT
KINDS = EVERY
NEEDS = (SERVER_OWNED,)

# What becomes of them.
_THEN = {
    "resourceVersion": "the API server creates no object that names a `resourceVersion`",
    "uid": "an object that was created anew has another `uid`, and this is refused for it",
    "managedFields": "server-side apply refuses `managedFields`",
    "status": "nobody reads this `status`: the API server drops it",
}


def check(manifest: Manifest, context: Context) -> Iterator[Finding]:
    """One finding for each object: it was copied as a whole."""
    if is_markdown(manifest.where.span(Place(()))[0].name):
        return
    metadata = mapping(manifest.tree.get("metadata"))
    found: list[Path] = [("metadata", name) for name in metadata if name in OWNED and metadata[name]]
    held = {field: mapping(metadata.get(field)) for field in TRACKED}
    if APPLIED in held["annotations"]:
        found.append(("metadata", "annotations", APPLIED))
    if manifest.tree.get("status"):
        found.append(("status",))
    if not found:
        return
    tracked = [("metadata", field, key) for field, keys in TRACKED.items() for key in keys if key in held[field]]
    others = [path for path in tracked if path[-1] != APPLIED]
    found += others
    names = [str(path[-1]) for path in found]
    # without any of its own a mapping goes as a whole
    bare = {("metadata", field): None for field, said in held.items() if said and not said.keys() - TRACKED[field]}
    whole = [*(path for path in found if path[:-1] not in bare), *bare]
    verb = "is" if len(names) == 1 else "are"
    who = "the API server and what applied it" if others else "the API server"
    yield CODE.at(
        Place(found[0], KEY),
        f"{listed(names)} {verb} written by {who}, not by who applies the object",
        label="of an object that is there",
        related=[(Place(path, KEY), "and this") for path in found[1:]],
        notes=[_THEN[name] for name in names if name in _THEN],
        fix=Fix(
            f"remove {'it' if len(names) == 1 else plural(len(names), 'field')}", SAFE, [Remove(path) for path in whole]
        ),
    )
