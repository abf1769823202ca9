"""The URL of a repository that an object names: one that its controller takes, and that says nothing secret.

What controllers take: the pattern of ``spec.url`` of GitRepository and OCIRepository (api/v1 of source-controller 1.8),
and what Argo CD calls a URL of Git (util/git/git.go of argo-cd 3).
"""

from __future__ import annotations

import re

from specgen.diagnostics.model import BadQuestion
from specgen.emit.synced import OCI

# `git@host:path`, as Git itself and Argo CD take it.
_SCP = re.compile(r"([A-Za-z0-9._-]+@[A-Za-z0-9.-]+):/?([^\s:]+)")
_SCHEMES = ("https", "http", "ssh", "oci")
_SECRETS = {
    "flux": "`spec.secretRef` of the source names a Secret that holds them",
    "argocd": "a Secret with the label `argocd.argoproj.io/secret-type: repository` holds them, with the same URL",
}


def url(text: str, controller: str) -> str:
    """The URL as the controller takes it: ``git@host:path`` is one for Argo CD, and written out for Flux.

    ``controller``: ``flux`` or ``argocd``. Raises BadQuestion for what is no URL, and for one with credentials; what it
    says never repeats the text.
    """
    from urllib.parse import urlsplit

    short = _SCP.fullmatch(text)
    if short:
        return f"ssh://{short[1]}/{short[2]}" if controller == "flux" else text
    try:
        parts = urlsplit(text)
        known = parts.scheme in _SCHEMES and bool(parts.hostname) and not re.search(r"\s", text)
        user, password = parts.username, parts.password
    except ValueError:
        known, user, password = False, None, None
    if password is not None or (user is not None and parts.scheme != "ssh"):
        raise BadQuestion("--repo holds credentials, which everybody could read in the object", _SECRETS[controller])
    if not known:
        takes = "https://, http://, ssh:// and oci://"
        raise BadQuestion(f"--repo is no URL that {'Flux' if controller == 'flux' else 'Argo CD'} takes: {takes}")
    return text


def tagged(url: str, revision: str | None) -> None:
    """Raises BadQuestion for an artifact of which no tag is named: nobody can guess one."""
    if url.startswith(OCI) and not revision:
        raise BadQuestion("an artifact has tags and no branch: --revision names one, such as latest")
