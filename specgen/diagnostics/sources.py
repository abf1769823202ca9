"""The few lines that a snippet quotes, with secrets shown as dots of the same width, so that carets stay true.

Masked are: the value of a variable whose name has TOKEN, SECRET, PASSWORD, PASSWD or KEY as a word, in a profile's
``NAME: value`` and in a manifest's ``name: NAME`` beside ``value: …``; what stands under ``data`` and ``stringData`` of
a Secret; and what looks like a secret wherever it is (``secrets``). References (``{secret: …}``, ``valueFrom``) are no
secrets and stay.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_WORDS = frozenset(("TOKEN", "SECRET", "PASSWORD", "PASSWD", "KEY"))
_NAME = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_DOT = "•"


def secret(name: str) -> bool:
    """Whether the value of a variable of this name is never shown. ``key`` alone is a field of Kubernetes."""
    return ("_" in name or name.isupper()) and not _WORDS.isdisjoint(name.upper().split("_"))


def quoted(lines: list[str], numbers: Iterable[int]) -> dict[int, str]:
    """The lines of these numbers (from 1), masked."""
    return {number: _without(_masked(lines, number - 1)) for number in numbers if 1 <= number <= len(lines)}


def _without(line: str) -> str:
    from specgen.diagnostics.secrets import spans  # only a snippet pays for the patterns

    for start, end in spans(line):
        line = line[:start] + _dots(line[start:end]) + line[end:]
    return line


def _masked(lines: list[str], at: int) -> str:
    line = lines[at].rstrip("\r")
    if _in_secret(lines, at):
        head, colon, value = line.partition(": ")
        return head + colon + _dots(value) if colon else _dots(line)
    out = line
    start = out.find(":")
    while start >= 0:
        end = start
        while end > 0 and out[end - 1] in "\"'":
            end -= 1
        begin = end
        while begin > 0 and out[begin - 1] in _NAME:
            begin -= 1
        name = out[begin:end]
        if out[start + 1 : start + 2] in (" ", "") and (
            secret(name) or (name == "value" and _beside_secret(lines, at, begin))
        ):
            out = out[: start + 1] + _value(out[start + 1 :])
        start = out.find(":", start + 1)
    sign = out.find("--set ")
    if "=" in out and sign < 0:
        path, equals, value = out.partition("=")
        if secret(path.rpartition(".")[2].rstrip("]").rpartition("[")[2]) and " " not in path.strip():
            return path + equals + _dots(value)
    return out


def _value(rest: str) -> str:
    """The scalar after a colon as dots; a reference in braces stays."""
    lead = rest[: len(rest) - len(rest.lstrip())]
    body = rest[len(lead) :]
    if not body or body[0] in "{[|>&*":
        return rest
    if body[0] in "\"'":
        end = body.find(body[0], 1)
        end = len(body) if end < 0 else end + 1
    else:
        ends = [position for position in (body.find(","), body.find("}"), body.find(" #")) if position >= 0]
        end = min(ends, default=len(body))
    return lead + _dots(body[:end]) + body[end:]


def _dots(text: str) -> str:
    return "".join(sign if sign.isspace() else _DOT for sign in text)


def _beside_secret(lines: list[str], at: int, column: int) -> bool:
    """Whether the ``name`` of the item that holds this ``value`` is a secret one: same line, or a neighbouring one."""
    for near in (at, at - 1, at + 1):
        if 0 <= near < len(lines):
            _, sign, rest = lines[near].partition("name:")
            if sign and secret(rest.strip().strip("\"'").partition(",")[0].partition("}")[0].strip("\"' ")):
                return True
    return False


def _in_secret(lines: list[str], at: int) -> bool:
    """Whether the line lies below ``data`` or ``stringData`` of a Secret."""
    indent = len(lines[at]) - len(lines[at].lstrip())
    begin = at
    while begin > 0 and not lines[begin].startswith("---"):
        begin -= 1
    end = at
    while end < len(lines) and (end == at or not lines[end].startswith("---")):
        end += 1
    if not any(line.startswith(("kind: Secret", 'kind: "Secret"')) for line in lines[begin:end]):
        return False
    for above in range(at - 1, begin - 1, -1):
        line = lines[above]
        if line.strip() and len(line) - len(line.lstrip()) < indent:
            return line.strip() in ("data:", "stringData:")
    return False
