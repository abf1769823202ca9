"""Levels of a cluster by the words that profiles have for them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from specgen.profile.cluster import Level

HOST = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
# Words that every cluster has (kubernetes.io, "Well-Known Labels, Annotations and Taints").
ALWAYS = {"host": HOST, "zone": ZONE}


def label_of(word: str, topology: Mapping[str, str | Level]) -> str | None:
    """The label of nodes that a word means: the cluster's own, else Kubernetes'; None: it has none."""
    level = topology.get(word)
    if level is None:
        return ALWAYS.get(word)
    return level if isinstance(level, str) else level.label
