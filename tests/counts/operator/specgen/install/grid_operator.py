"""The operator of a grid, of GridJob.

It takes no flags.
"""

from __future__ import annotations

from specgen.operators.grid.facts import OPERATOR

__all__ = ["OPERATOR", "flags"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.install.model import Flag
    from specgen.profile.cluster import ClusterProfile
    from specgen.profile.operator import Operator


def flags(entry: Operator, cluster: ClusterProfile) -> tuple[list[Flag], list[Finding]]:
    """None."""
    return [], []
