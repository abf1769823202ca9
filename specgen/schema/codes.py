"""SG101 to SG104: what keeps a document from having the shape of its schema."""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, Code

UNKNOWN_FIELD = Code(
    "SG101",
    "unknown-field",
    ERROR,
    since="0.1",
    page="""A key that nothing reads.

## What it checks
Every key of a profile is a word of the profile's language at that place, and every key of a manifest is a field of
the schema of its kind and version. Keys that people choose themselves (variables, mounts, labels) have the form that
Kubernetes asks for.

## Why it hurts
A misspelt field does nothing. kubectl refuses the object since 1.27; with `--validate=false`, or from a tool that
applies without strict validation, the API server drops the field without a word and the job runs without it.

## Severity
- error: the API server refuses the object, or drops the field where its validation is off.
- warning: an older release has the field, and nothing says which release there is.

## Example
Bad:

```yaml
pods: 4
procPerPod: 8
```

Good:

```yaml
pods: 4
procsPerPod: 8
```

## Fix
Where one field has a similar name, the key is renamed. That is unsafe: the field then begins to act.

## When to ignore it
Never in a profile: what has no word goes into `patch`. In a manifest, where the cluster's own definition of the kind
is newer than the one specgen knows. A field that an older release had is a warning where nothing names the release.

## References
Kubernetes API concepts, "Field validation": strict is kubectl's default since 1.27. `specgen schema job` prints the
fields of a profile.
""",
)

MISSING_FIELD = Code(
    "SG102",
    "missing-field",
    ERROR,
    since="0.1",
    page="""A mapping without a field that it must have.

## What it checks
Required fields are there: `apiVersion`, `kind` and `metadata.name` of a job profile, `template` of a role in a
manifest, `name` of a container. All that one mapping lacks is reported once, at the mapping's key.

## Why it hurts
The API server rejects the object ("Required value"), or the profile does not say enough to build a job.

## Severity
- error: the API server refuses the object, or no job can be built of the profile.

## Example
Bad:

```yaml
taints:
  - effect: NoSchedule
```

Good:

```yaml
taints:
  - key: nvidia.com/gpu
    effect: NoSchedule
```

## Fix
Add the field. None is applied: its value is not known.

## When to ignore it
Never.

## References
`required` in the schemas under `schemas/`; in manifests, Kubernetes 1.36 and training-operator 1.9.4.
""",
)

WRONG_TYPE = Code(
    "SG103",
    "wrong-type",
    ERROR,
    since="0.1",
    page="""A value of another type than its field takes.

## What it checks
Text, whole numbers, numbers, `true` and `false`, lists and mappings stand where the schema asks for them. Quotes
count: `"16"` is text and `16` is a number. A profile converts neither into the other.

## Why it hurts
The API server rejects a manifest with a number in the value of an environment variable, or with text in `replicas`;
in a custom resource that is not checked, such a value breaks the operator for every job.

## Severity
- error: the API server refuses the object, or no job can be built of the profile.
- warning: `2.0` in a manifest, which kubectl sends as a whole number; other readers of the file may refuse it.

## Example
Bad:

```yaml
pods: "16"
env: {NCCL_IB_TC: 106}
```

Good:

```yaml
pods: 16
env: {NCCL_IB_TC: "106"}
```

## Fix
Quotes around a whole number are removed where a number is needed, and put around a number where text is needed. Both
are safe: there is one reading, and what was there could not work.

## When to ignore it
Never.

## References
JSON Schema draft-07, `type`; Kubernetes 1.36 says "must be of type".
""",
)

WRONG_VALUE = Code(
    "SG104",
    "value-not-allowed",
    ERROR,
    since="0.1",
    page="""A value of the right type that the field does not take.

## What it checks
Words are among those the field knows, numbers lie in its range, texts have its form: times as `90s` or `7d`, amounts
of memory with a unit, names as Kubernetes writes them.

## Why it hurts
The API server rejects the object, or a program takes the value for something else.

## Severity
- error: the API server refuses the object, or no job can be built of the profile.

## Example
Bad:

```yaml
lifecycle: {restart: Sometimes, ttl: 5 minutes}
```

Good:

```yaml
lifecycle: {restart: OnFailure, ttl: 5m}
```

## Fix
None is applied, even where one word is near: another word changes what the job does.

## When to ignore it
Never in a profile. In a manifest, where the cluster's own definition of the kind is newer.

## References
JSON Schema draft-07, `enum`, `minimum`, `pattern`.
""",
)

ALL = (UNKNOWN_FIELD, MISSING_FIELD, WRONG_TYPE, WRONG_VALUE)
