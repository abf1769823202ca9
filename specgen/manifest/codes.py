"""SG11x: what stands in the wrong place of a manifest, and manifests that are of no kind that anybody serves."""

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

## Severity
- error: the API server refuses the job: a mount has no `value` and needs a path.

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
the mapping above. Nor does a mapping of free names, such as `limits`, hold what is no amount and a field of a mapping
around it, such as `env`. Which those are comes from the schema of the kind.

## Why it hurts
kubectl refuses the object. Without strict validation the API server drops the field in silence: a `schedulerName`
beside the pod's `spec` leaves the pods to the default scheduler.

## Severity
- error: the API server refuses the object, or drops the field where its validation is off.

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
Move the line. That is unsafe: the field then begins to act on a job that may run without it today. It is safe out of a
mapping of free names, with which nobody takes the object, and beside `runPolicy` for `backoffLimit`, which acts once a
pod has broken, so that no job that is well is placed, asked for or ended otherwise, and for `cleanPodPolicy: None`,
which holds without it as well but in an MSJob: other words begin to delete pods. Of several fields that need the same
new mapping one makes it, and the others follow with the next look. None is offered where a list or mapping has such a
field already.

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

## Severity
- error: the API server refuses the object, or drops the path where its validation is off.

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

MISSPELT_KIND = Code(
    "SG114",
    "misspelt-kind",
    ERROR,
    since="0.1",
    page="""A kind that is nearly one that an operator serves.

## What it checks
The kind of an object in a group that specgen knows, such as `kubeflow.org`, is not near to one of the kinds of the
operators without being it: `PytorchJob`, `pytorchjob`, `TrainingJob`. In groups of the API server's own only the letter
case is looked at. Other kinds of these groups, such as Katib's `Experiment`, are counted as not checked.

## Why it hurts
Kinds are told apart by every letter: the API server answers `no matches for kind`, and nothing is created. A check that
passes over unknown kinds would call such a file clean.

## Severity
- error: no operator brings a CRD of that kind: the API server answers `no matches for kind`.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v1
kind: PytorchJob
metadata: {name: llama-ft}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template: {spec: {containers: [{name: pytorch, image: registry.example.com/train:1.4}]}}
```

Good:

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template: {spec: {containers: [{name: pytorch, image: registry.example.com/train:1.4}]}}
```

## Fix
Where the rest of the object has the shape of exactly one kind and version, these are written. That is unsafe: the
object then begins to be something.

## When to ignore it
Where the cluster has a CRD of that kind: `specgen lint --crds` takes it, and judges the object by it.

## References
Kubernetes 1.36, apimachinery, pkg/api/meta/errors.go (NoKindMatchError); kubectl prints it.
""",
)

UNSERVED_VERSION = Code(
    "SG115",
    "unserved-version",
    ERROR,
    since="0.1",
    page="""A kind in an apiVersion that no operator serves.

## What it checks
A known kind has an apiVersion that one of the known releases of an operator serves. Versions that went, such as
`kubeflow.org/v1alpha2` of MPIJob, are named with the operator that had them last. Groups of other vendors, such as
`training.kubedl.io`, are their owners' business. A kind that the newest release dropped, such as MXJob, is a warning
unless the cluster profile says which release there is; what the release of the cluster profile serves, or one that is
older or newer than all that are known, is no finding.

## Why it hurts
The API server answers `no matches for kind`, and nothing is created. Manifests of the first operators are still copied
from old pages: their fields are others, too.

## Severity
- error: no release that is known serves it: the API server answers `no matches for kind`.
- warning: the newest release dropped the kind, older ones serve it, and nothing says which there is.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v1beta1
kind: PyTorchJob
metadata: {name: llama-ft}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template: {spec: {containers: [{name: pytorch, image: registry.example.com/train:1.4}]}}
```

Good:

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template: {spec: {containers: [{name: pytorch, image: registry.example.com/train:1.4}]}}
```

## Fix
Where the rest of the object has the shape of exactly one version that is served, that version is written. That is
unsafe: the operators of then and now treat the same fields differently.

## When to ignore it
Where the cluster has a CRD of that version: `specgen lint --crds` takes it, and judges the object by it.

## References
The CRDs of kubeflow/pytorch-operator v0.7.0, kubeflow/tf-operator v1.1.0, kubeflow/mpi-operator v0.3.0 and v0.4.0;
training-operator 1.9.0 (MXJob went); kubeflow/trainer v2.0.0.
""",
)

MISSING_TYPE = Code(
    "SG116",
    "missing-type",
    ERROR,
    since="0.1",
    page="""An object without its apiVersion or without its kind.

## What it checks
An object whose kind is one of the operators' has an `apiVersion`, and one whose `apiVersion` is of a group that specgen
knows has a `kind`; both keys in these letters.

## Why it hurts
Nothing says what the object is: kubectl refuses the file, `apiVersion not set`. A check that passes over unknown kinds
would call such a file clean.

## Severity
- error: kubectl refuses a file that does not say what its object is.

## Example
Bad:

```yaml
apiversion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template: {spec: {containers: [{name: pytorch, image: registry.example.com/train:1.4}]}}
```

Good:

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template: {spec: {containers: [{name: pytorch, image: registry.example.com/train:1.4}]}}
```

## Fix
A key in other letters is renamed; a missing one is added where the rest of the object has the shape of exactly one kind
and version. Both are unsafe: the object then begins to be something.

## When to ignore it
Never; kubectl refuses such a file.

## References
Kubernetes 1.36, cli-runtime and apimachinery, pkg/runtime/error.go (`Object 'apiVersion' is missing`).
""",
)

ALL = (MISPLACED_ENV, FIELD_BESIDE_SPEC, MISPLACED_MOUNT)
# What an object is said to be (``operators.unserved``).
OF_KINDS = (MISSPELT_KIND, UNSERVED_VERSION, MISSING_TYPE)
