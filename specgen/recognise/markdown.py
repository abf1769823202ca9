"""Manifests in Markdown: fenced blocks of YAML, each as a text of its own whose lines are those of the file."""

from __future__ import annotations

import re

from specgen.diagnostics.model import plural
from specgen.document.codes import LIMIT
from specgen.document.decode import at_offsets
from specgen.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding

# CommonMark 0.31, "Fenced code blocks": at least three signs, and a closing fence of the same sign that is as long.
_FENCE = re.compile(r"^([ >]*)(`{3,}|~{3,})[ \t]*([\w+-]*)")
_OBJECT = re.compile(r"^[ >]*(?:- )?\"?(?:apiVersion|kind)\"?:", re.MULTILINE)


# Characters of all blocks of a file together, each with what stands around it.
MOST_CHARACTERS = 16 * 1024 * 1024


def blocks(source: Source) -> tuple[list[Source], list[Finding]]:
    """The blocks that hold objects; what stands around each is taken for comments, so that every place stays.

    A block of which only a part is shown, without ``apiVersion`` and ``kind``, is none. SG004 where there are more of
    them than are read.
    """
    found: list[Source] = []
    around = ""
    for first, last in _fenced(source.text):
        text = source.text[first:last]
        if len(_OBJECT.findall(text)) > 1:
            if (len(found) + 1) * len(source.text) > MOST_CHARACTERS:
                message = (
                    f"of Markdown of this length {plural(len(found), 'block')} of YAML are read, and this is one more"
                )
                return found, [at_offsets(LIMIT, source, first, first, message, helps=["split the file"])]
            # blocks begin and end with lines
            around = around or blank(source.text)
            found.append(Source(source.name, around[:first] + text + around[last:], bom=source.bom))
    return found, []


def _fenced(text: str) -> Iterator[tuple[int, int]]:
    """First and last offset of what stands between the fences of each block of YAML."""
    opened: tuple[str, int, bool] | None = None
    at = 0
    for line in text.splitlines(keepends=True):
        fence = _FENCE.match(line)
        if opened is None and fence is not None:
            opened = fence[2], at + len(line), fence[3].lower() in ("yaml", "yml")
        elif opened is not None and fence is not None and fence[2].startswith(opened[0]) and not fence[3]:
            if opened[2]:
                yield opened[1], at
            opened = None
        at += len(line)


def blank(text: str) -> str:
    """A comment in place of every line, as long as it was."""
    return "".join(
        "#" + " " * (len(line.rstrip("\r\n")) - 1) + line[len(line.rstrip("\r\n")) :] if line.rstrip("\r\n") else line
        for line in text.splitlines(keepends=True)
    )
