"""What becomes of a GridJob: every Worker has to succeed, and the first failure ends it."""

from __future__ import annotations

from specgen.operators.lifecycle import EVERY, FAILED, UNFINISHED, End, Failure, Lifecycle, Step, Success


def lifecycle(roles: list[str]) -> Lifecycle:
    """The facts of a job that has roles."""
    end = End(UNFINISHED, "the operator knows no other way")
    return Lifecycle(Success(EVERY, roles), [Failure(roles, "Never", Step(FAILED))], end, [])
