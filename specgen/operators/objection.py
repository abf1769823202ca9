"""Why somebody does not take a job: what ``refusals`` of each kind yields, for rules and for ``expand`` alike."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.source import Path


class Objection:
    """One thing for which a job is refused, or an object that comes of it."""

    __slots__ = ("assumed", "by", "cause", "of", "path", "reason", "right", "words")

    def __init__(self, path: Path, reason: str, by: str, cause: str = "", *, of: str = "", assumed: str = "") -> None:
        # where the value at fault stands in the manifest
        self.path = path
        # what is wrong and where: lower case, no full stop
        self.reason = reason
        # who refuses: the API server, a webhook, the operator by an event
        self.by = by
        # a word by which the rule that presents it in its own way knows it; empty: SG317 does, in the words above
        self.cause = cause
        # the kind of the object that is refused for it; empty: the job itself, which then gets no objects at all
        self.of = of
        # what was taken for granted, such as a runtime that no file holds; empty: nothing
        self.assumed = assumed
        # words of which one is taken there, where that is what is wrong; and the one value that is, where there is one
        self.words: tuple[str, ...] = ()
        self.right: Any = None
