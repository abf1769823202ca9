"""Bytes → text: UTF-8, with or without a byte-order mark, of a length that is read at all."""

from __future__ import annotations

from specgen.diagnostics.model import Place
from specgen.document import codes
from specgen.document.tree import Document, Mapping
from specgen.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Code, Finding

MOST_BYTES = 5 * 1024 * 1024


def decode(name: str, data: bytes, most: int = MOST_BYTES) -> tuple[Source | None, list[Finding]]:
    """Bytes → source. UTF-8 with or without a byte-order mark, of at most so many bytes; anything else is a finding."""
    if len(data) > most:
        empty = Source(name, "")
        message = f"the file is longer than {most:,} bytes"
        return None, [at_offsets(codes.LIMIT, empty, 0, 0, message)]
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or (
        len(data) > 3 and (data[0] == 0) != (data[1] == 0) and data[:4].count(0) == 2
    ):
        form = "UTF-32" if data[2:4] == b"\0\0" else "UTF-16"
        message = f"the file is {form}, Kubernetes' tools read UTF-8"
        return None, [at_offsets(codes.ENCODING, Source(name, ""), 0, 0, message, helps=["save it as UTF-8"])]
    bom = data[:3] == b"\xef\xbb\xbf"
    if bom:
        data = data[3:]
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        source = Source(name, data.decode(errors="replace"))
        at = len(data[: error.start].decode(errors="replace"))
        message = f"byte 0x{data[error.start]:02x} is not UTF-8"
        note = "kubectl replaces it by U+FFFD and goes on"
        return None, [at_offsets(codes.ENCODING, source, at, at + 1, message, notes=[note])]
    return Source(name, text, bom=bom), []


def at_offsets(code: Code, source: Source, start: int, end: int, message: str, **more: Any) -> Finding:
    """A finding in a text that has no tree yet."""
    finding = code.at(Place((), offsets=(start, end)), message, **more)
    finding.where = Document(source, Mapping(0), 0)
    return finding
