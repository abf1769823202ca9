"""An init container or a sidecar that downloads without the proxy that the training container has.

## What it checks
The variables by which programs find a proxy (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`) of the training container: a
container beside it whose command line downloads has one of them, too. `env` of a profile, and of `defaults` of its
cluster, is of the training container alone. Addresses that it would reach without the proxy, as `NO_PROXY` has it, are
passed over. Authorities that are trusted (`SSL_CERT_FILE`, ...) are named with the proxies.

## Why it hurts
Where nothing leaves the cluster but by the proxy, the download waits until it gives up; where the proxy has an
authority of its own, the certificate is refused. The pod never comes to its program.

## Severity
- warning: the download may come from within the cluster, or the image set the variables.

## Example
Bad:

```yaml
initContainers:
- {name: fetch, image: "registry.example.com/aws-cli:2", command: [aws, s3, sync, "s3://bucket/data", /data]}
containers:
- name: pytorch
  image: registry.example.com/train:1.4
  env: [{name: HTTPS_PROXY, value: "http://proxy.example.com:3128"}]
```

Good:

```yaml
initContainers:
- name: fetch
  image: registry.example.com/aws-cli:2
  command: [aws, s3, sync, "s3://bucket/data", /data]
  env: [{name: HTTPS_PROXY, value: "http://proxy.example.com:3128"}]
containers:
- name: pytorch
  image: registry.example.com/train:1.4
  env: [{name: HTTPS_PROXY, value: "http://proxy.example.com:3128"}]
```

## Fix
Say the variables in the container that downloads as well: `init: {fetch: {env: {HTTPS_PROXY: ...}}}` in a profile.

## When to ignore it
Where the download comes from within the cluster, or the image sets the variables.

## References
curl, "Environment"; Python `requests`, "Proxies" and "SSL Cert Verification"; AWS CLI, "Using an HTTP proxy".
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, listed, shown
from specgen.rules import ALL, CONTAINER, PROXY
from specgen.rules._downloads import fetches, is_by_proxy, sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG458", "download-past-proxy", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (PROXY,)

_PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY")
_TRUST = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE", "GIT_SSL_CAINFO")


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding, where the download stands."""
    main = container.role.main
    if main is None or container is main or "envFrom" in container.tree:
        return
    own = {name.upper() for name in container.env}
    theirs = {name.upper(): name for name in main.env}
    if not own.isdisjoint(_PROXIES) or theirs.keys().isdisjoint(_PROXIES):
        return
    missing = [theirs[name] for name in (*_PROXIES, *_TRUST) if name in theirs and name not in own]
    spared = str(main.env[theirs["NO_PROXY"]][1].get("value") or "") if "NO_PROXY" in theirs else ""
    proxies = [name for name in _PROXIES if name in theirs]

    def goes(said: Sequence[str]) -> bool:
        urls = sources(container, said)
        return not urls or any([is_by_proxy(url, proxies, spared) for url in urls])

    found = fetches(container, goes)
    if found is None:
        return
    place, what = found
    yield CODE.at(
        place,
        f"`{what}` in container `{shown(container.name)}` knows nothing of {listed(missing)} of the training container",
        label="downloads here",
        related=[(Place((*main.path, "env", main.env[missing[0]][0], "name")), "set here")],
        notes=["no container has the variables of another one"],
        helps=["say them in this container as well, where the download goes by the proxy"],
    )
