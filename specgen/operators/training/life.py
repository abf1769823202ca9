"""What becomes of a job once it runs, where nobody asks for its pods, which cost more than all that is known before."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from specgen.manifest.views import Workload
    from specgen.operators.lifecycle import Lifecycle
    from specgen.operators.training.facts import Framework


def life(framework: Framework) -> Callable[[Workload], Lifecycle | None]:
    """``Reader.life`` of a kind."""

    def of(workload: Workload) -> Lifecycle | None:
        # loaded here: few rules ask
        from specgen.operators.training.pods import begin

        return begin(workload, framework)[0].lifecycle

    return of
