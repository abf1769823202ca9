"""The hash in the name of a job with ``metadata.suffix: hash``.

It is of what the API server gets, so that nobody has to know which fields an operator acts on: a changed label is a
change of the pods, a changed annotation may be read by a queue or a sidecar's injector, and another release of specgen
changes the name where it changes the manifests. The order of keys means nothing, and is not in it.

Objects that outlive the job are not in it: claims and their volumes, which keep their names and what they hold, and the
profile's ``objects``, which are updated where they are.

What a profile calls by the plain name, with ``$<name>``, is right for those and wrong for the job's own pods, Services
and labels, whose names have the hash: SG834.
"""

from __future__ import annotations

from specgen.emit.codes import NAME_WITHOUT_HASH
from specgen.emit.waves import DATA
from specgen.manifest.origins import Copied
from specgen.profile.resolve import HASH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Bundle
    from specgen.source import Path

# Labels by which operators and the Job controller mark the pods of a job.
_LABELS = ("/job-name", "/jobset-name")
_SELECTORS = ("selector", "matchLabels")
# Where programs read names of hosts: a command, a variable, a file. Names of claims and folders are others.
_READ = ("command", "args", "value", "data", "stringData")


def digest(bundle: Bundle) -> str:
    """The beginning of a SHA-256 over the job and what is made for it alone, whose names end in a text as long."""
    import json
    from hashlib import sha256

    own = [one for one in bundle.manifests if not isinstance(one.where, Copied) and one.ref.kind not in DATA]
    trees = sorted(json.dumps(one.tree, sort_keys=True, ensure_ascii=True) for one in own)
    return sha256("\n".join(trees).encode()).hexdigest()[:HASH]


def stale(bundle: Bundle, plain: str, roles: Iterable[str]) -> Iterator[Finding]:
    """SG834 of the objects of a job whose name ends in a hash; ``roles``: what its pods are called after ``plain``."""
    import re

    words = "|".join(re.escape(role.lower()) for role in roles)
    # a host, also of a URL, and no part of a longer name, a path or an image
    pod = re.compile(rf"(?:(?<=//)|(?<![\w./-])){re.escape(plain)}-(?:{words})-\d+(?:-\d+)?(?![\w/])")
    called = bundle.job.ref.name
    for manifest in bundle.manifests:
        for path, text in _texts((), manifest.tree):
            found = pod.search(text) if any(step in _READ for step in path) else None
            if found is not None:
                name = found.group()
                message = f"no pod of this job is called `{name}`: the job is `{called}`"
                help = "the operator tells each pod where others are, as by `MASTER_ADDR`; without `suffix` names stay"
            elif text == plain and str(path[-1]).endswith(_LABELS) and any(step in _SELECTORS for step in path):
                message = f"no pod of this job has the label `{path[-1]}: {text}`: the job is `{called}`"
                help = "select by a label that the profile gives to its pods; without `suffix` names stay"
            else:
                continue
            finding = NAME_WITHOUT_HASH.at(
                path,
                message,
                notes=[
                    "`suffix: hash` ends the names of job, pods and Services in a hash, and `$<name>` is without it"
                ],
                helps=[help],
            )
            finding.where, finding.subject = manifest.where, manifest.ref.as_dict()
            yield finding


def _texts(path: Path, tree: object) -> Iterator[tuple[Path, str]]:
    if isinstance(tree, str):
        yield path, tree
    elif isinstance(tree, dict):
        for key, below in tree.items():
            yield from _texts((*path, key), below)
    elif isinstance(tree, list):
        for index, below in enumerate(tree):
            yield from _texts((*path, index), below)
