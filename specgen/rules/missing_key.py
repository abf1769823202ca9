"""A key of a ConfigMap or a Secret that the object among the files does not have.

## What it checks
`configMapKeyRef` and `secretKeyRef` of variables, `items` of volumes, and `subPath` of mounts, against the keys of the
object of that name and namespace among the files. What is `optional: true` is passed over, and so is an object that is
in no file, or empty there.

## Why it hurts
The kubelet starts no container with such a variable (`CreateContainerConfigError`), and mounts no such volume
(`ContainerCreating`): the pods hold their devices and wait, and nothing fails. For a `subPath` that is not there it
makes an empty folder: the program finds that in place of its file.

## Severity
- warning: a patch or another writer may add the key.

## Example
Bad:

```yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {team: nlp}
---
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    env: [{name: TEAM, valueFrom: {configMapKeyRef: {name: settings, key: teams}}}]
```

Good:

```yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {teams: nlp}
---
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    env: [{name: TEAM, valueFrom: {configMapKeyRef: {name: settings, key: teams}}}]
```

## Fix
The key that is nearly called so. Unsafe: the value is another's.

## When to ignore it
Where something else writes the key.

## References
Kubernetes 1.36, pkg/kubelet/kubelet_pods.go (makeEnvironmentVariables; makeMounts for `subPath`) and
pkg/volume/{configmap,secret}.
"""

from __future__ import annotations

from specgen.diagnostics.model import UNSAFE, WARNING, Code, Fix, Place, listed, shown
from specgen.diagnostics.operations import Set
from specgen.diagnostics.suggest import similar
from specgen.manifest.beside import named
from specgen.manifest.views import mapping, sequence
from specgen.rules import ALL, CONFIGURED, ROLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG332", "missing-key", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL
NEEDS = (CONFIGURED,)

_WAIT = "the pods are placed, and wait on their nodes in `{}`"
_HOLD = {"ConfigMap": ("data", "binaryData"), "Secret": ("data", "stringData")}


def check(role: Role, context: Context) -> Iterator[Finding]:
    """One finding for each reference; twins have theirs once."""
    before = role.workload.roles[: role.workload.roles.index(role)]
    if any([other.pod is role.pod for other in before]):
        return
    space = role.workload.manifest.ref.namespace or "default"
    for kind, name, key, path, what in (*_variables(role), *_files(role), *_mounted(role)):
        objects = [one for one in named(context.companions, kind, name) if (one.ref.namespace or "default") == space]
        # of several, overlays of each other, nobody knows which is applied
        if len(objects) != 1 or "$" in key or "{{" in key:
            continue
        (holder,) = objects
        keys = [str(one) for word in _HOLD[kind] for one in mapping(holder.tree.get(word))]
        # one that is empty is filled by somebody else
        if key in keys or not keys:
            continue
        near = similar(key, keys)
        yield CODE.at(
            path,
            f"the {kind} `{shown(name)}` has no key `{shown(key)}`",
            related=[
                (Place(("metadata", "name"), where=holder.where), f"has {listed(keys)}" if keys else "has no keys")
            ],
            notes=[what],
            fix=Fix(f"write `{near[0]}`", UNSAFE, [Set(path, near[0])]) if near else None,
        )


def _variables(role: Role) -> Iterator[tuple[str, str, str, Path, str]]:
    """(kind, name, key, path of the key, what becomes of it) of what variables are taken from."""
    for container in (*role.containers(init=True), *role.containers()):
        for index, entry in container.env.values():
            for word, kind in (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")):
                given = mapping(mapping(entry.get("valueFrom")).get(word))
                path = (*container.path, "env", index, "valueFrom", word, "key")
                for name, key in _said(given, given.get("name"), [given]):
                    yield kind, name, key, path, _WAIT.format("CreateContainerConfigError")


def _files(role: Role) -> Iterator[tuple[str, str, str, Path, str]]:
    """The same of files in volumes."""
    for at, volume in enumerate(sequence(role.pod.get("volumes"))):
        here: Path = (*role.pod_path, "volumes", at)
        tree = mapping(volume)
        sources: list[tuple[dict[str, Any], Path]] = [(tree, here)]
        projected = sequence(mapping(tree.get("projected")).get("sources"))
        sources += [(mapping(one), (*here, "projected", "sources", number)) for number, one in enumerate(projected)]
        for source, above in sources:
            for word, kind in (("configMap", "ConfigMap"), ("secret", "Secret")):
                given = mapping(source.get(word))
                name = given.get("secretName" if word == "secret" and above is here else "name")
                for number, item in enumerate(sequence(given.get("items"))):
                    path = (*above, word, "items", number, "key")
                    for called, key in _said(given, name, [mapping(item)]):
                        yield kind, called, key, path, _WAIT.format("ContainerCreating")


def _mounted(role: Role) -> Iterator[tuple[str, str, str, Path, str]]:
    """The same of single files of volumes, which are those of all keys where no `items` name them."""
    volumes = {str(one.get("name")): one for one in map(mapping, sequence(role.pod.get("volumes")))}
    for container in (*role.containers(init=True), *role.containers()):
        for index, mount in container.mounts:
            volume, key = volumes.get(str(mount.get("name")), {}), mount.get("subPath")
            for word, kind in (("configMap", "ConfigMap"), ("secret", "Secret")):
                given = mapping(volume.get(word))
                name = given.get("secretName" if word == "secret" else "name")
                # a path of several steps is one that `items` make
                if not given.get("items") and isinstance(key, str) and "/" not in key:
                    path = (*container.path, "volumeMounts", index, "subPath")
                    what = f"the kubelet makes an empty folder of it, and mounts that at `{shown(mount['mountPath'])}`"
                    for called, one in _said(given, name, [{"key": key}]):
                        yield kind, called, one, path, what


def _said(given: dict[str, Any], name: Any, items: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for item in items:
        key = item.get("key")
        if isinstance(name, str) and isinstance(key, str) and name and key and given.get("optional") is not True:
            yield name, key
