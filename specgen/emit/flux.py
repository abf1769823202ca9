"""What Flux must be told of jobs: when one has failed, and when it is what its manifest asked for.

Fields: Kustomization v1 of kustomize-controller, ``healthCheckExprs``. How they are asked: fluxcd/pkg,
runtime/cel/status_evaluator.go: ``failed``, then ``current``, and what is neither is in progress, so nothing says that
by itself. The expressions are parsed, not compiled: they see the object's own fields, and one without a status is asked
again (status_reader.go).
"""

from __future__ import annotations

from specgen.operators.outcome import FAILED, SUCCEEDED, outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from specgen.operators.outcome import Outcome
    from specgen.operators.reader import Reader


def settings(readers: Sequence[Reader]) -> dict[str, Any]:
    """A patch of a Kustomization. What is not known of a kind is left out.

    Flux has no word for a suspended job: like a batch Job it is in progress until it has ended.
    """
    checks = []
    for reader in readers:
        said = outcome(reader)
        if said is not None:
            states = {"failed": cel(said, FAILED), "current": cel(said, SUCCEEDED)}
            checks.append({"apiVersion": reader.api_version, "kind": reader.kind, **states})
    return {"spec": {"healthCheckExprs": checks}}


def cel(said: Outcome, state: str) -> str:
    """The expression that is true of a job in a state."""
    words = said.of(state)
    listed = ", ".join(f"'{word}'" for word in words)
    if said.phase:
        return f"has(status.state) && has(status.state.phase) && status.state.phase in [{listed}]"
    one = f"c.type == {listed}" if len(words) == 1 else f"c.type in [{listed}]"
    return f"has(status.conditions) && status.conditions.exists(c, {one} && c.status == 'True')"
