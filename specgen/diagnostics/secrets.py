"""What is never printed: which texts of a tree are secrets, and how they are shown.

Secrets are the value of a variable whose name has TOKEN, SECRET, PASSWORD, PASSWD or KEY as a word, in ``NAME: value``,
in ``NAME: {value: …}``, and in ``name`` and ``value`` of a manifest; ``data`` and ``stringData`` of a Secret; in words
of a command ``--password=…``, ``--api-key …`` and ``HF_TOKEN=…``; the password of a URL; and what looks like a token or
a key wherever it stands (``credentials``). References (``{secret: …}``, ``valueFrom``, ``$(NAME)``) are none and stay.
In a manifest that is built nothing is masked: it is no message.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from re import Pattern
    from typing import Any, TypeAlias

    from specgen.source import Path

    # a path, and the part of its text that is a secret; None: the whole of the value
    Hidden: TypeAlias = tuple[Path, tuple[int, int] | None]

DOTS = "•••"
# Shorter ones stand in other texts by chance.
LEAST = 6
# Of what services give out each holds one of these (``credentials``): in other texts nothing is looked for.
_MARKS = (
    *("hf_", "gho_", "ghp_", "ghs_", "ghr_", "ghu_", "github_pat_", "glpat-", "sk-", "xox", "AIza", "npm_", "nvapi-"),
    *("eyJ", "PRIVATE KEY"),
)
# None of those is as short as this.
_SHORT = 20
_WORDS = frozenset(("TOKEN", "SECRET", "PASSWORD", "PASSWD", "KEY"))
# One of them is in the name of each secret, be it a variable or an option: without it no pattern is looked for.
_NAMED = ("token", "secret", "passw", "key")
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
# How a value begins that is none: `$(NAME)` and the like, and `<secret hub, key token>` where an expansion has none.
_REFERENCE = ("$", "<", "")
_patterns: tuple[Pattern[str], Pattern[str], Pattern[str], Pattern[str]] | None = None


def _compiled() -> tuple[Pattern[str], Pattern[str], Pattern[str], Pattern[str]]:
    """Options with a value, options alone, assignments, and logins; most runs print nothing that needs them."""
    global _patterns
    if _patterns is None:
        import re

        value = r"""("[^"]*"|'[^']*'|[^\s"';|&]+)"""
        named = "(?:password|passwd|token|secret|(?:api|access|secret|private|auth|encryption)[-_]?key)"
        option = rf"--?(?:[a-z0-9]+[-_])*{named}"
        _patterns = (
            re.compile(rf"(?<![\w-]){option}(?:=|\s+(?!-)){value}", re.IGNORECASE),
            re.compile(option, re.IGNORECASE),
            re.compile(rf"(?<![\w$-])([A-Za-z_]\w*)={value}"),
            re.compile(r"://[^\s/:@]*:([^\s/@]+)@"),
        )
    return _patterns


def secret(name: str) -> bool:
    """Whether the value of a variable of this name is never shown. ``key`` alone is a field of Kubernetes."""
    return ("_" in name or name.isupper()) and not _WORDS.isdisjoint(name.upper().split("_"))


def hidden(tree: Any) -> Iterator[Hidden]:
    """The secrets in a tree of plain data."""
    left: list[tuple[Path, Any]] = [((), tree)]
    while left:
        path, node = left.pop()
        if isinstance(node, dict):
            below = dict.fromkeys(_of_mapping(node))
            for inner in below:
                yield (*path, *inner), None
            left += [((*path, key), value) for key, value in node.items() if (key,) not in below]
        elif isinstance(node, list):
            for index, item in enumerate(node):
                left.append(((*path, index), item))
                if index and isinstance(item, str) and not item.startswith(("-", "$")):
                    before = node[index - 1]
                    if isinstance(before, str) and before[:1] == "-" and _names(before) and _is_option(before):
                        yield (*path, index), None
        elif isinstance(node, str):
            for span in spans(node):
                yield path, span


def _of_mapping(node: dict[str, Any]) -> Iterator[Path]:
    if node.get("kind") == "Secret":
        for part in ("data", "stringData"):
            if isinstance(node.get(part), dict):
                yield from ((part, key) for key in node[part])
        metadata = node.get("metadata")
        annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
        if isinstance(annotations, dict) and _LAST_APPLIED in annotations:
            yield ("metadata", "annotations", _LAST_APPLIED)
    name = node.get("name")
    if isinstance(name, str) and secret(name) and _is_value(node.get("value")):
        yield ("value",)
    for key, value in node.items():
        if isinstance(key, str) and secret(key):
            if _is_value(value):
                yield (key,)
            elif isinstance(value, dict) and _is_value(value.get("value")):
                yield key, "value"


def _names(text: str) -> bool:
    low = text.lower()
    return any([word in low for word in _NAMED])


def _is_option(word: str) -> bool:
    return _compiled()[1].fullmatch(word) is not None


def _begins(text: str, mark: str) -> bool:
    """Whether a word in a text begins with a mark: `task-1` is no key of OpenAI's."""
    at = text.find(mark)
    while at > 0 and (text[at - 1].isalnum() or text[at - 1] in "_-"):
        at = text.find(mark, at + 1)
    return at >= 0


def _is_value(value: object) -> bool:
    if not isinstance(value, str):
        return isinstance(value, (int, float))
    # a reference says no secret: `$(HF_TOKEN)`, or `${HF_TOKEN}` that a tool fills in
    return not value.startswith("$(") and not (value[:2] == "${" and value[-1:] == "}" and value[2:-1].isidentifier())


def spans(text: str) -> list[tuple[int, int]]:
    """The secrets in one text, a word of a command or a script, in order; they do not overlap."""
    found: list[tuple[int, int]] = []
    if ("=" in text or "--" in text) and _names(text):
        for match in _compiled()[0].finditer(text):
            if match[1].strip("\"'")[:1] not in _REFERENCE:
                found.append(match.span(1))
        for match in _compiled()[2].finditer(text):
            if secret(match[1]) and match[2].strip("\"'")[:1] not in _REFERENCE:
                found.append(match.span(2))
    if "://" in text and "@" in text:
        for match in _compiled()[3].finditer(text):
            if match[1][0] not in _REFERENCE:
                found.append(match.span(1))
    if len(text) > _SHORT and any([mark in text and _begins(text, mark) for mark in _MARKS]):
        from specgen.diagnostics.credentials import looks  # few texts hold any

        found += looks(text)
    if not found:
        return found  # most texts
    apart: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if apart and start < apart[-1][1]:
            apart[-1] = apart[-1][0], max(end, apart[-1][1])
        else:
            apart.append((start, end))
    return apart


def values(tree: Any) -> list[str]:
    """The secrets of a tree as texts that are long enough to be looked for elsewhere, longest first."""
    found: dict[str, None] = {}
    for path, span in hidden(tree):
        value: Any = tree
        for step in path:
            value = value.get(step) if isinstance(value, dict) else value[step]
        if isinstance(value, str):
            found[value if span is None else value[slice(*span)]] = None
    return sorted((text for text in found if len(text) >= LEAST), key=lambda text: (-len(text), text))


def masked(text: str, known: Iterable[str] = ()) -> str:
    """A text without the secrets that are ``known``, and without those that it shows to be such."""
    for one in known:
        for shape in (one, ascii(one)[1:-1]):
            text = text.replace(shape, DOTS)
            if len(shape) > 59:  # as messages cut it
                text = text.replace(shape[:59] + "…", DOTS)
    for start, end in reversed(spans(text)):
        text = text[:start] + DOTS + text[end:]
    return text


def masked_words(words: list[str], known: Iterable[str] = ()) -> list[str]:
    """The words of a command without their secrets."""
    whole = {path[0] for path, span in hidden(words) if span is None}
    return [DOTS if at in whole else masked(word, known) for at, word in enumerate(words)]
