"""Pods of a job that stay as they are, beside those that an update creates: what the two disagree on, in words."""

from __future__ import annotations

from specgen.diagnostics.model import shown
from specgen.operators.updates import FEWER, IN_PLACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.operators.difference import Difference


def disagreement(found: Difference) -> str:
    """A sentence of the variables that pods which run keep; empty: they keep none that others have otherwise."""
    if not found.kept:
        return ""
    kept = [(name, *_apart(before, after)) for name, before, after in found.kept[:3]]
    was = ", ".join(f"{name}={before}" for name, before, _ in kept)
    if any(row.effect.why == FEWER for row in found.of(IN_PLACE)):
        return f"pods that run keep {was}: they wait for ranks that are gone, and their collectives fail"
    now = ", ".join(f"{name}={after}" for name, _, after in kept)
    return f"pods that run keep {was}; those that are created get {now}: they do not agree on their ranks"


def _apart(old: str, new: str) -> tuple[str, str]:
    """Two long values as messages show them, from a little before the first sign in which they differ.

    Of hosts by their roles, as TF_CONFIG lists them, how many there are says more.
    """
    counts = [_hosts(text) if text.startswith("{") else "" for text in (old, new)]
    if all(counts) and counts[0] != counts[1]:
        return counts[0], counts[1]
    alike = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    start = alike - 20 if alike > 40 else 0
    before, after = (shown(("…" if start else "") + text[start:]) for text in (old, new))
    return before, after


def _hosts(text: str) -> str:
    """How many hosts of each role a TF_CONFIG lists; empty: it is none."""
    from json import loads

    try:
        cluster = loads(text).get("cluster")
        return f"({', '.join(f'{role}: {len(hosts)}' for role, hosts in cluster.items())})"
    except (AttributeError, TypeError, ValueError):
        return ""
