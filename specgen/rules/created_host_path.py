"""A folder of the node that is made, empty, where the node does not have it.

## What it checks
`hostPath` of data has `type: Directory`, or another one that asks for what is there. Without a type the container
runtime makes a missing folder, with `DirectoryOrCreate` the kubelet does. Folders of the system (`/dev`, `/etc`,
`/usr`, `/tmp`, and others), and those that the job may mean to make, are passed over.

## Why it hurts
On a node where the file system is not mounted the pod gets an empty folder: the program finds no data after all have
met, or writes its checkpoints to the node's own disk, which is full some hours later.

## Severity
- warning: whether the folder is there on every node is not known.

## Example
Bad:

```yaml
containers: [{name: pytorch, image: "a/b:1", volumeMounts: [{name: data, mountPath: /data}]}]
volumes: [{name: data, hostPath: {path: /mnt/lustre}}]
```

Good:

```yaml
containers: [{name: pytorch, image: "a/b:1", volumeMounts: [{name: data, mountPath: /data}]}]
volumes: [{name: data, hostPath: {path: /mnt/lustre, type: Directory}}]
```

## Fix
`type: Directory`: a pod on a node without the folder waits, and says why. Unsafe, as a job that began with an empty
folder no longer begins.

## When to ignore it
Where an empty folder is a good beginning: a cache, or a place for results of one pod.

## References
Kubernetes 1.36, pkg/volume/hostpath (type checks); containerd 2.1, internal/cri/opts/spec_linux.go (WithMounts makes a
missing source).
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, UNSAFE, WARNING, Code, Fix, Place, shown
from specgen.manifest.views import mapping, sequence
from specgen.rules import ALL, HOST_PATH, ROLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG436", "created-host-path", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL
NEEDS = (HOST_PATH,)

# Folders that the node's own programs and drivers live in.
_SYSTEM = ("dev", "sys", "proc", "etc", "run", "usr", "lib", "lib64", "bin", "sbin", "boot", "tmp", "var", "opt")
# Beginnings and parts of paths where other file systems are mounted.
_MOUNTED = (
    "mnt",
    "media",
    "lustre",
    "gpfs",
    "nfs",
    "beegfs",
    "weka",
    "fsx",
    "efs",
    "ceph",
    "cephfs",
    "share",
    "shared",
)
_MADE = "DirectoryOrCreate"


def check(role: Role, context: Context) -> Iterator[Finding]:
    """One finding for each volume."""
    for index, one in enumerate(sequence(role.pod.get("volumes"))):
        source = mapping(one).get("hostPath")
        path, kind = mapping(source).get("path"), mapping(source).get("type")
        if not isinstance(path, str) or kind not in (None, "", _MADE) or "$" in path or "{{" in path:
            continue
        parts = [part for part in path.split("/") if part]
        mounted = any([part.lower() in _MOUNTED for part in parts])
        if not parts or (not mounted and (kind == _MADE or parts[0] in _SYSTEM or "kubernetes" in parts)):
            continue
        from specgen.diagnostics.operations import Set  # many folders are the system's

        at = (*role.pod_path, "volumes", index, "hostPath")
        who = "the kubelet" if kind == _MADE else "the container runtime"
        yield CODE.at(
            Place((*at, "type" if kind == _MADE else "path"), KEY if kind == "" else "value"),
            f"{who} makes `{shown(path)}`, empty, on a node that does not have it",
            label="makes what is missing" if kind == _MADE else "no `type` asks whether it is there",
            notes=["where the file system is not mounted, the pod runs on an empty folder of the node's own disk"],
            fix=Fix("ask for a folder that is there: `type: Directory`", UNSAFE, [Set((*at, "type"), "Directory")]),
        )
