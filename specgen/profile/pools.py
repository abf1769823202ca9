"""The nodes of pools as pods select them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.profile.cluster import Pool


def labels_of(pool: Pool) -> dict[str, str | list[str]]:
    """Label → its value, or those that some nodes have, of all that the profile says of a pool's nodes."""
    return {str(key): value for key, value in (*pool.nodes.labels.items(), *pool.labels.items())}
