"""What is refused of a GridJob: its name, by the API server; the grid-operator has no webhook."""

from __future__ import annotations

from specgen.operators.kubernetes.objects import name_refusal


def refusal(name: str) -> str:
    """Why a job is not stored; empty: it is."""
    return name_refusal(name)
