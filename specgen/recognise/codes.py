"""SG011 to SG015: texts that become manifests only once a tool has been over them."""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, NOTE, WARNING, Code

TEMPLATE = Code(
    "SG011",
    "unrendered-template",
    NOTE,
    since="0.1",
    page="""A template that is no manifest before a tool has rendered it.

## What it checks
A file below `templates` of a Helm chart that holds `{{`, a file that is YAML only once its `{{ … }}` and `{% … %}` are
out of the way, and one whose values use what Helm offers (`.Values`, `.Release`, `.Chart`). It is left alone: the note
stands where the first of these signs is, if the file names a kind of job. Other templates are only counted.

## Why it hurts
It does not: the note says that nothing was checked. What the template renders to may hold any mistake.

## Severity
- note: nothing was judged, so nothing is known to be wrong.

## Example
Bad:

```yaml
replicas: {{ .Values.replicas }}
```

Good:

```yaml
replicas: 4
```

## Fix
None: check what comes out, `helm template CHART | specgen lint -`.

## When to ignore it
Where the rendered manifests are checked elsewhere.

## References
Helm 3, "The Chart Template Developer's Guide": every file below `templates` is rendered.
""",
)

UNFILLED = Code(
    "SG012",
    "unfilled-variables",
    WARNING,
    since="0.1",
    page="""Fields that hold a variable which a tool fills in before kubectl sees the file.

## What it checks
Values such as `$NUM_NODES`, `${IMAGE}` or `{{ nodes }}` in fields that Kubernetes reads itself. Commands, arguments and
variables of the container are a shell's business and not looked at, nor is `$(NAME)`, which Kubernetes fills in. There
is one note for a file, at the first of them; what these fields are otherwise found for is left out, and all else in the
file is checked.

## Why it hurts
It does not, where `envsubst` or another tool comes first. Applied as it stands, the API server rejects the file, as no
number has a dollar sign: hence a warning.

## Severity
- warning: whether a tool fills the variables in before kubectl sees the file is not known.

## Example
Bad:

```yaml
replicas: $NUM_NODES
```

Good:

```yaml
replicas: 4
```

## Fix
None: check what comes out, `envsubst < job.yaml | specgen lint -`. Where a command has variables of its own, name those
that are to be filled in, as envsubst empties all others too.

## When to ignore it
Where the rendered manifests are checked elsewhere.

## References
GNU gettext, `envsubst`.
""",
)

PATCH = Code(
    "SG013",
    "unapplied-patch",
    NOTE,
    since="0.1",
    page="""A patch of kustomize, which is a part of an object and no object.

## What it checks
An object that a kustomization names as a patch, or that lies beside a kustomization which does not name it, is of a
known kind, and lacks what the kind requires and every image. It is left alone.

## Why it hurts
It does not: the note says that nothing was checked. What the patch makes of its base may hold any mistake.

## Severity
- note: nothing was judged, so nothing is known to be wrong.

## Example
Bad: a PyTorchJob that holds `replicas` alone, beside its `kustomization.yaml`.

Good: the object that `kubectl kustomize` prints.

## Fix
Have what comes out judged, `specgen lint --kustomize overlays/prod`. A file that is no patch belongs under `resources`
of the kustomization, and is then checked.

## When to ignore it
Where the rendered manifests are checked elsewhere.

## References
kustomize 5, `patches` and `patchesStrategicMerge` of a kustomization.
""",
)

UNRENDERABLE = Code(
    "SG014",
    "unrenderable-kustomization",
    ERROR,
    since="0.1",
    page="""A kustomization that kustomize refuses.

## What it checks
With `--kustomize`, each kustomization of a run that no other one takes is rendered by `kubectl kustomize`, or by
`kustomize build` where there is no kubectl. It ended with an error, or a file or folder that the tree names is nowhere.
The finding stands at what kustomize speaks of, where that is known, and else at the kustomization.

## Why it hurts
`kubectl apply -k`, Argo CD and Flux render it in the same way, fail in the same way, and apply nothing of it.

## Severity
- error: kustomize refuses the tree, so that nothing of it is applied.

## Example
Bad: a patch whose target has another name.

```yaml
resources: [job.yaml]             # a PyTorchJob `resnet`
patches:
- patch: |-
    apiVersion: kubeflow.org/v1
    kind: PyTorchJob
    metadata: {name: resnet50}
    spec: {pytorchReplicaSpecs: {Worker: {replicas: 8}}}
```

Good: the same with `metadata: {name: resnet}`.

## Fix
What the message asks for; `kubectl kustomize FOLDER` says it in full.

## When to ignore it
Never; it cannot be ignored.

## References
kustomize 5, `kustomize build`.
""",
)

UNJUDGED = Code(
    "SG015",
    "unjudged-kustomization",
    NOTE,
    since="0.1",
    page="""A kustomization that is not rendered here, and not judged.

## What it checks
With `--kustomize`, a tree is rendered from its own files alone. It is left as it is where it fetches something,
inflates a Helm chart, needs a plugin, leads out of the repository or through a link, holds a text that is not read to
its end, or takes more time or room than a run has for it. Its resources are then judged one by one, as without the
option.

## Why it hurts
It does not: the note says that nothing was rendered. What the tree comes to may hold any mistake.

## Severity
- note: nothing was rendered, so nothing is known to be wrong.

## Example
Bad:

```yaml
resources: [https://github.com/example/jobs//base?ref=v1]
```

Good: a copy of it in the repository.

```yaml
resources: [../../third-party/jobs/base]
```

## Fix
Bring what it fetches into the repository, or check what comes out: `kubectl kustomize overlays/prod | specgen lint -`.

## When to ignore it
Where the rendered objects are checked elsewhere.

## References
kustomize 5, "resources", "helmCharts", and `--load-restrictor`.
""",
)

ALL = (TEMPLATE, UNFILLED, PATCH, UNRENDERABLE, UNJUDGED)
