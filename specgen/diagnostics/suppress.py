"""Comments that leave warnings and notes unreported: ``# specgen: ignore[SG420] reason``.

``ignores`` says how they are written and what they cover. An error is never ignored: somebody refuses the object, or
the job fails, whatever a comment says. An ignore that ignores nothing is itself a warning, as is one whose day is over.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, WARNING, Code, Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Protocol

    from specgen.diagnostics.ignores import Ignore, Spans
    from specgen.diagnostics.model import Diagnostic
    from specgen.source import Source

    class Texts(Protocol):
        """A document, as far as this module needs it."""

        def texts(self) -> list[tuple[int, int]]: ...

        def objects(self) -> list[tuple[int, int, int, bool]]: ...


UNUSED = Code(
    "SG031",
    "unused-ignore",
    WARNING,
    since="0.1",
    page="""An ignore comment that ignores nothing.

## What it checks
Every `# specgen: ignore[CODE]` leaves at least one finding of that code unreported. On the line of the finding, or
alone above it, it speaks of that line; above an object, or at its `apiVersion` or `kind`, of the object; in the first
comments of a file, of the file. An error is never ignored: the object is refused, or the job fails, whatever a comment
says. Nor does one ignore anything after the day that it names: `until 2027-01-31`.

## Why it hurts
It hides the next mistake of its kind, and it tells readers of a problem that is gone.

## Severity
- warning: nothing breaks today; the comment would hide the next mistake.

## Example
Bad:

```yaml
replicas: 3  # specgen: ignore[SG420] the image holds it
```

Good:

```yaml
value: /opt/nccl/lib/libnccl.so.2  # specgen: ignore[SG420] the image holds it
```

## Fix
Remove the comment, or move it to the line that it is about. Where an error has to wait, accept it in a baseline, or
lower its severity for the files in `specgen.toml`, which most errors allow.

## When to ignore it
Never.

## References
The form of the comment: `specgen lint --help`.
""",
)


def commented(source: Source) -> bool:
    """Whether a source may have such a comment."""
    lowered = source.text.lower()
    at = lowered.find("specgen") if "ignore" in lowered else -1
    while at >= 0:
        if lowered[max(0, at - 80) : at].rstrip(" \t").endswith("#"):
            return True
        at = lowered.find("specgen", at + 1)
    return False


def spans_of(documents: Iterable[Texts]) -> Spans:
    """Where the quoted texts and the objects of a source's documents stand, for when the documents are gone."""
    from specgen.diagnostics.ignores import Spans

    documents = list(documents)
    return Spans(
        (span for document in documents for span in document.texts()),
        (span for document in documents for span in document.objects()),
    )


def suppress(
    source: Source,
    diagnostics: list[Diagnostic],
    spans: Spans,
    *,
    today: str = "",
    chosen: frozenset[str] = frozenset(),
    whole: bool = True,
) -> tuple[list[Diagnostic], int]:
    """The diagnostics that stay, with what is wrong with the comments themselves, and how many went.

    A comment speaks of its own file: what was found in another one, such as a base, stays. ``today``: as for
    ``Session``; ``chosen``: codes of opt-in rules that were looked for. ``whole``: all that the file may hold was
    looked for; what is found in a base or a cluster profile alone depends on the jobs that name it.
    """
    from specgen.diagnostics.ignores import MALFORMED, Cover, ignores
    from specgen.diagnostics.place import order, place
    from specgen.diagnostics.selection import opt_in

    found, wrong = ignores(source, spans)
    if not found and not wrong:
        return diagnostics, 0
    here = _Text(source)
    current = [one for one in found if not (one.until and one.until < today)]
    cover = Cover(source, current, spans)
    used: dict[tuple[int, str], int] = {}
    in_vain: set[tuple[int, str]] = set()
    kept = []
    unread = not whole
    for diagnostic in diagnostics:
        code = diagnostic["code"]
        one: Ignore | None = None
        if diagnostic["primary"]["file"] == source.name:
            unread = unread or (diagnostic["severity"] == ERROR and code.startswith("SG0"))
            if code not in (UNUSED.id, MALFORMED.id):
                one = cover.of(code, diagnostic["primary"]["start"]["line"])
        if one is None or diagnostic["severity"] == ERROR:
            kept.append(diagnostic)
        else:
            used[id(one), code] = used.get((id(one), code), 0) + 1
        if one is not None and diagnostic["severity"] == ERROR:
            in_vain.add((id(one), code))
    for one in found:
        over = bool(one.until) and one.until < today
        for code, offsets in one.codes.items():
            known = (id(one), code)
            # what a text that cannot be read, or a rule that nobody asked, would have had to say is not known
            if known in used or (
                not over and known not in in_vain and (unread or (opt_in(code) and code not in chosen))
            ):
                continue
            said = f"this comment ignores no {code}"
            helps = []
            if over:
                said = f"this ignore of {code} ended on {one.until}"
            elif known in in_vain:
                said = f"{code} is an error that no comment ignores"
                helps = ["`specgen lint --help` says how a repository accepts errors that are there already"]
            kept.append(place(UNUSED.at(Place((), offsets=offsets), said, helps=helps), here))
    return order([*kept, *(place(finding, here) for finding in wrong)]), sum(used.values())


class _Text:
    """Places findings that know their offsets."""

    __slots__ = ("source",)

    def __init__(self, source: Source) -> None:
        self.source = source

    def hidden(self) -> list[tuple[int, int, str]]:
        return []  # comments are looked at, and no values

    def span(self, place: Place) -> tuple[Source, int, int]:
        start, end = place.offsets or (0, 0)
        return self.source, start, min(end, len(self.source.text))
