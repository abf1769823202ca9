"""What each module of this package offers."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from specgen.diagnostics.model import Finding
    from specgen.operators import release
    from specgen.profile.cluster import ClusterProfile
    from specgen.profile.operator import Operator

    class Module(Protocol):
        """How one operator is installed, beside what its ``facts`` say of its releases."""

        OPERATOR: release.Operator

        def flags(self, entry: Operator, cluster: ClusterProfile) -> tuple[list[Flag], list[Finding]]:
            """Words that its process is started with besides upstream's own; ``entry``: its entry in the profile."""
            ...


class Base:
    """What stands in for upstream's manifests, as the operator's directory has it.

    ``resources``: of its kustomization; ``tree``: other fields of it; ``files``: name → text, beside it.
    """

    __slots__ = ("files", "resources", "tree")

    def __init__(self, resources: list[str], tree: dict[str, Any] | None = None) -> None:
        self.resources = resources
        self.tree = tree or {}
        self.files: dict[str, str] = {}


class Flag:
    """A word of the operator's command line, and why it is there (lower case, no full stop)."""

    __slots__ = ("reason", "word")

    def __init__(self, word: str, reason: str) -> None:
        self.word = word
        self.reason = reason
