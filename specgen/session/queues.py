"""The queues and PodGroups in the files of a run: they decide about jobs in all of them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.model import Manifest
    from specgen.pipeline import Text

# Group → kinds.
_KINDS = {
    "kueue.x-k8s.io": ("ClusterQueue", "LocalQueue", "ResourceFlavor", "Topology"),
    "scheduling.volcano.sh": ("PodGroup", "Queue"),
    "scheduling.x-k8s.io": ("PodGroup",),
    "scheduling.run.ai": ("Queue",),
}
# Of which it matters what they name.
_LEADING = ("ClusterQueue", "LocalQueue", "ResourceFlavor")
# By what pods say the group that they are in, which is of as many as all of them have.
_MEMBERS = ("scheduling.k8s.io/group-name", "scheduling.x-k8s.io/pod-group")
# Parts of texts that hold or name one of these.
_SIGNS = ("ueue", "PodGroup", "ResourceFlavor", "Topology", *_MEMBERS)


class Queues:
    """Queues and PodGroups by name, with the members of groups, each with the file that holds it."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[str, list[tuple[str, Manifest]]] = {}

    def take(self, text: Text) -> bool:
        """Takes those of a text, and says whether it names none that a later file may hold."""
        if not any([sign in text.source.text for sign in _SIGNS]):
            return True
        for manifest in (one for found in text.objects for one in found):
            ref = manifest.ref
            names = [ref.name] if ref.kind in _KINDS.get(ref.api_version.partition("/")[0], ()) else []
            members = [value for key, value in _texts(manifest.tree) if key in _MEMBERS]
            for name in dict.fromkeys([*names, *members]):
                self._known.setdefault(name, []).append((text.source.name, manifest))
        return False

    def beyond(self, job: Manifest, file: str) -> list[Manifest]:
        """Those that an object names, and the queues behind them, that stand in other files than its own."""
        found: dict[int, tuple[str, Manifest]] = {}
        waiting = [job] if self._known else []
        for one in waiting:
            for _, name in _texts(one.tree):
                for known in self._known.get(name, ()):
                    if id(known[1]) not in found:
                        found[id(known[1])] = known
                        waiting += [known[1]] if known[1].ref.kind in _LEADING else []
        return [manifest for other, manifest in found.values() if other != file]


def _texts(tree: Any) -> list[tuple[str, str]]:
    """(key, text) of every text in a tree; those of one list or mapping in order."""
    found: list[tuple[str, str]] = []
    waiting: list[tuple[str, Any]] = [("", tree)]
    for key, one in waiting:  # grows while it is walked
        if type(one) is str:
            found.append((key, one))
        elif type(one) is dict:
            waiting += one.items()
        elif type(one) is list:
            waiting += [(key, item) for item in one]
    return found
