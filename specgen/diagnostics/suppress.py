"""``# specgen: ignore[SG420] reason``: comments that leave warnings and notes unreported.

The comment stands on the line of the finding, alone on the line above it, or on the file's first line for the whole
file. Errors of text and shape (SG0xx, SG1xx) cannot be ignored, nor can those whose page says "Never" under "When to
ignore it": somebody refuses the object whatever a comment says. An ignore that ignores nothing is itself a warning.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, firm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Protocol

    from specgen.diagnostics.model import Diagnostic
    from specgen.source import Source

    class Texts(Protocol):
        """A document, as far as this module needs it."""

        def texts(self) -> list[tuple[int, int]]: ...


UNUSED = Code(
    "SG031",
    "unused-ignore",
    WARNING,
    since="0.1",
    page="""An ignore comment that ignores nothing.

## What it checks
Every `# specgen: ignore[CODE]` leaves at least one finding of that code unreported. An error whose page says that it is
never ignored stays: the object is refused, or the job fails, whatever a comment says.

## Why it hurts
It hides the next mistake of its kind, and it tells readers of a problem that is gone.

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
Remove the comment, or move it to the line that it is about.

## When to ignore it
Never.

## References
The form of the comment: `specgen lint --help`.
""",
)

_SIGN = "# specgen: ignore["


def commented(source: Source) -> bool:
    """Whether a source may have such a comment."""
    return _SIGN in source.text


def _ignores(source: Source, texts: list[tuple[int, int]]) -> list[tuple[int, int, list[str], bool]]:
    """(line, offset, codes, whether it stands alone on its line) of each comment; one inside a text is none."""
    found = []
    at = source.text.find(_SIGN)
    while at >= 0:
        line, column = source.position(at)
        closed = source.text.find("]", at)
        text = source.line(line)
        end = source.offset(line) + len(text)
        if at < closed < end and not any(start <= at < stop for start, stop in texts):
            listed = source.text[at + len(_SIGN) : closed]
            alone = not text[: column - 1].strip()
            found.append((line, at, [code.strip() for code in listed.split(",")], alone))
        at = source.text.find(_SIGN, at + 1)
    return found


def suppress(
    source: Source, diagnostics: list[Diagnostic], documents: Iterable[Texts] = ()
) -> tuple[list[Diagnostic], int]:
    """The diagnostics that stay, with SG031 for ignores without effect, and how many went.

    A comment speaks of its own file: what was found in another one, such as a base, stays. ``documents`` are those of
    the source; they know where a text stands that looks like a comment.
    """
    if not commented(source):
        return diagnostics, 0
    from specgen.diagnostics.place import order, place

    ignores = _ignores(source, [span for document in documents for span in document.texts()])
    used: dict[tuple[int, str], int] = {}
    in_vain: list[tuple[int, str]] = []
    kept = []
    for diagnostic in diagnostics:
        line = diagnostic["primary"]["start"]["line"]
        match = None
        for number, offset, codes, alone in ignores if diagnostic["primary"]["file"] == source.name else ():
            covers = number == line or (alone and (number == line - 1 or number == 1))
            if not covers or diagnostic["code"] not in codes or diagnostic["code"][2] in "01":
                continue
            if firm(diagnostic):
                in_vain.append((offset, diagnostic["code"]))
            else:
                match = (offset, diagnostic["code"])
            break
        if match is None:
            kept.append(diagnostic)
        else:
            used[match] = used.get(match, 0) + 1
    for _, offset, codes, _ in ignores:
        for code in codes:
            if (offset, code) not in used:
                at = Place((), offsets=(offset, offset + len(_SIGN) + len(code) + 1))
                vain = f"{code} is an error that no comment ignores" if (offset, code) in in_vain else ""
                kept.append(place(UNUSED.at(at, vain or f"this comment ignores no {code}"), _Text(source)))
    return order(kept), sum(used.values())


class _Text:
    """Places findings that know their offsets."""

    __slots__ = ("source",)

    def __init__(self, source: Source) -> None:
        self.source = source

    def span(self, place: Place) -> tuple[Source, int, int]:
        start, end = place.offsets or (0, 0)
        return self.source, start, min(end, len(self.source.text))
