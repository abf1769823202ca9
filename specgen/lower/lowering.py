"""What every kind's module offers; ``index`` holds each of them against it. For type checkers alone."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.plan.model import Plan
    from specgen.plan.target import Target

    class Lowering(Target, Protocol):
        """A kind that the planner can ask, and that takes its plan."""

        def lower(self, plan: Plan) -> tuple[Manifest, list[Finding]]:
            """The plan as a manifest with origins; findings where the kind cannot say something."""
            ...
