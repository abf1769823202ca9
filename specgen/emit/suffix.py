"""The hash in the name of a job with ``metadata.suffix: hash``.

It is of what the API server gets, so that nobody has to know which fields an operator acts on: a changed label is a
change of the pods, a changed annotation may be read by a queue or a sidecar's injector, and another release of specgen
changes the name where it changes the manifests. The order of keys means nothing, and is not in it.

Objects that outlive the job are not in it: claims and their volumes, which keep their names and what they hold, and the
profile's ``objects``, which are updated where they are.
"""

from __future__ import annotations

from specgen.emit.waves import DATA
from specgen.manifest.origins import Copied
from specgen.profile.resolve import HASH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.manifest.model import Bundle


def digest(bundle: Bundle) -> str:
    """The beginning of a SHA-256 over the job and what is made for it alone, whose names end in a text as long."""
    import json
    from hashlib import sha256

    own = [one for one in bundle.manifests if not isinstance(one.where, Copied) and one.ref.kind not in DATA]
    trees = sorted(json.dumps(one.tree, sort_keys=True, ensure_ascii=True) for one in own)
    return sha256("\n".join(trees).encode()).hexdigest()[:HASH]
