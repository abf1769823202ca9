"""Text that is safe to print: no control, bidi or zero-width character raw, long values cut."""

from __future__ import annotations

_INVISIBLE = frozenset(
    (
        *range(0x20),
        *range(0x7F, 0xA0),
        0x061C,
        *range(0x200B, 0x2010),
        *range(0x2028, 0x202F),
        *range(0x2060, 0x2070),
        0xFEFF,
    )
)


def printable(text: str, *, tabs: bool = False) -> str:
    """The text with invisible characters written as ``\\u{…}``; tabs stay if asked.

    So are the beginnings of commands that a runner of GitHub or Azure finds anywhere in a line (actions/runner,
    ``ActionCommand.TryParse``; Azure Pipelines, "logging commands").
    """
    if "##" in text:
        text = text.replace("##[", "#\\u{23}[").replace("##vso[", "#\\u{23}vso[")
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        f"\\u{{{ord(sign):x}}}"
        if (ord(sign) in _INVISIBLE and not (tabs and sign == "\t")) or 0xD800 <= ord(sign) < 0xE000
        else sign
        for sign in text
    )


def log_line(text: str, *, tabs: bool = False) -> str:
    """A whole line: printable, and none that begins like a workflow command, as ``::set-output`` does.

    Runners take them for commands behind blanks, too (actions/runner, ``ActionCommand.TryParseV2``).
    """
    text = printable(text, tabs=tabs)
    rest = text.lstrip()
    return f"{text[: len(text) - len(rest)]}\\u{{3a}}{rest[1:]}" if rest.startswith("::") else text


def json_text(text: str) -> str:
    """JSON in which no line holds a command; its meaning stays."""
    return text.replace("##[", "#\\u0023[").replace("##vso[", "#\\u0023vso[")


def width(text: str) -> int:
    """Columns that a text takes in a terminal: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(sign) else 2 if east_asian_width(sign) in "WF" else 1 for sign in text)
