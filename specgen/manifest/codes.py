"""SG11x: what stands in the wrong place of a manifest."""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, Code

MISPLACED_ENV = Code(
    "SG111",
    "misplaced-env",
    ERROR,
    since="0.1",
    page="""An environment variable among the volume mounts.

## What it checks
No item of a container's `volumeMounts` has `name` and `value` (or `valueFrom`) and no `mountPath`.

## Why it hurts
The API server rejects the job: a mount needs a path, and has no value. Each item is reported once, in place of the
two errors of shape that it causes.

## Example
Bad:

```yaml
volumeMounts:
  - {name: data, mountPath: /data}
  - {name: NCCL_DEBUG, value: INFO}
```

Good:

```yaml
env:
  - {name: NCCL_DEBUG, value: INFO}
volumeMounts:
  - {name: data, mountPath: /data}
```

## Fix
Move the item to the end of `env`.

## When to ignore it
Never; such a job cannot be created.

## References
Kubernetes 1.36, core/v1 `VolumeMount` and `EnvVar`; recorded with training-operator 1.9.4.
""",
)

FIELD_BESIDE_SPEC = Code(
    "SG112",
    "field-beside-spec",
    ERROR,
    since="0.1",
    page="""A field one level above or below the mapping that has it.

## What it checks
An unknown field is a known one of exactly one neighbour: a mapping one level down, the only item of a list there, or
the mapping above. Which those are comes from the schema of the kind.

## Why it hurts
kubectl refuses the object. Without strict validation the API server drops the field in silence: a `schedulerName`
beside the pod's `spec` leaves the pods to the default scheduler.

## Example
Bad:

```yaml
template:
  schedulerName: volcano
  spec: {containers: [{name: pytorch, image: registry.example.com/train:1.4}]}
```

Good:

```yaml
template:
  spec:
    schedulerName: volcano
    containers: [{name: pytorch, image: registry.example.com/train:1.4}]
```

## Fix
Move the line. None is applied: the field then begins to act on a job that may run without it today.

## When to ignore it
Where the cluster's own definition of the kind is newer and has the field there.

## References
The schemas under `schemas/k8s`; Kubernetes API concepts, "Field validation".
""",
)

MISPLACED_MOUNT = Code(
    "SG113",
    "misplaced-mount",
    ERROR,
    since="0.1",
    page="""A volume mount among the environment variables.

## What it checks
No item of a container's `env` has `name` and `mountPath` and neither `value` nor `valueFrom`.

## Why it hurts
kubectl refuses the object. Without strict validation the API server drops `mountPath` and keeps an empty variable:
the volume is not mounted and nothing says so.

## Example
Bad:

```yaml
env:
  - {name: NCCL_DEBUG, value: INFO}
  - {name: data, mountPath: /data}
```

Good:

```yaml
env:
  - {name: NCCL_DEBUG, value: INFO}
volumeMounts:
  - {name: data, mountPath: /data}
```

## Fix
Move the item to the end of `volumeMounts`.

## When to ignore it
Never.

## References
Kubernetes 1.36, core/v1 `VolumeMount` and `EnvVar`.
""",
)

ALL = (MISPLACED_ENV, FIELD_BESIDE_SPEC, MISPLACED_MOUNT)
