"""A Secret whose values stand in the file.

## What it checks
No Secret among the files has values under `data` or `stringData`. Those that SOPS has encrypted, and values that a tool
fills in, are left alone. Opt-in: looked for where the group `policy` or the code is selected.

## Why it hurts
base64 hides nothing: whoever reads the repository has the values, now and from its history. A Secret in the cluster is
read by those who may.

## Severity
- warning: the object is created; it is advice, which is looked for where it is asked for.

## Example
Bad:

```yaml
apiVersion: v1
kind: Secret
metadata: {name: hub}
data: {token: c2VzYW1l}
```

Good:

```yaml
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: hub}
spec: {secretStoreRef: {name: vault, kind: ClusterSecretStore}, dataFrom: [{extract: {key: hub}}]}
```

## Fix
An ExternalSecret, a SealedSecret, or SOPS; and take back what was written. None is applied: which of them there is, is
not known.

## When to ignore it
Where the values open nothing.

## References
Kubernetes 1.36, "Good practices for Kubernetes Secrets".
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place, shown
from specgen.manifest.views import mapping
from specgen.rules import BESIDE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.rules import Context

CODE = Code("SG873", "secret-in-file", WARNING, since="0.1", page=__doc__)
SCOPE = BESIDE
KINDS = ("Secret",)


def check(manifest: Manifest, context: Context) -> Iterator[Finding]:
    """At most one finding, at the first field with values."""
    tree = manifest.tree
    if manifest.ref.api_version != "v1" or "sops" in tree:
        return
    for field in ("data", "stringData"):
        values = [value for value in mapping(tree.get(field)).values() if isinstance(value, str) and value]
        if any("$" not in value and "{{" not in value and "<" not in value for value in values):
            yield CODE.at(
                Place((field,), KEY),
                f"the values of the Secret `{shown(manifest.ref.name)}` are part of the file",
                label="read by all who may read the file",
                notes=["they stay in the history of the repository"],
                helps=["have it made in the cluster, or encrypt it: External Secrets, Sealed Secrets, SOPS"],
            )
            return
