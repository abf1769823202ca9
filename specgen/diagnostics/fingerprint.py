"""What a finding is known by in another run: its code, file, object, path and message, and nothing of its lines.

Numbers of list items and numbers in messages are left out: what stands beside a finding may come and go.
"""

from __future__ import annotations

from re import sub

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    from specgen.diagnostics.model import Diagnostic

    # file, code, object, path, message
    Key: TypeAlias = tuple[str, str, str, str, str]


def key(diagnostic: Diagnostic) -> Key:
    """What findings are told apart by; several of one file may have the same."""
    subject = diagnostic["subject"] or {}
    names = (subject.get("kind"), subject.get("namespace"), subject.get("name") or subject.get("generateName"))
    return (
        diagnostic["primary"]["file"],
        diagnostic["code"],
        "/".join(name for name in names if name),
        sub(r"\[[0-9]+\]", "[#]", diagnostic["path"]),
        sub(r"[0-9]+", "#", " ".join(diagnostic["message"].split())),
    )


def fingerprints(diagnostics: Iterable[Diagnostic]) -> list[str]:
    """A text of 32 hexadecimal digits for each, the same in each run; those of one key are counted."""
    from hashlib import sha256

    seen: dict[Key, int] = {}
    found = []
    for diagnostic in diagnostics:
        own = key(diagnostic)
        seen[own] = seen.get(own, 0) + 1
        text = "\0".join((*own, str(seen[own])))
        found.append(sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32])
    return found
