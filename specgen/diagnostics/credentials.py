"""Which texts are secrets: by the name that they stand under, and by how they look.

What is no secret in itself is none here: references (``$(NAME)``, ``{{ name }}``), what documents put in the place of
one (``<token>``, ``your-token``), paths and names.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Beginnings of what the services give out, as they document them: Hugging Face, GitHub, GitLab, OpenAI and those who
# follow it, Slack, Google, npm, NVIDIA; a signed JSON Web Token; a private key in PEM.
_FORMATS = re.compile(
    r"(?<![\w-])(?:hf_[A-Za-z0-9]{20,}|gh[opsru]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|sk-[\w-]{20,}"
    r"|xox[abeprs]-[A-Za-z0-9-]{20,}|AIza[\w-]{30,}|npm_[A-Za-z0-9]{30,}|nvapi-[\w-]{30,}"
    r"|eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,})"
)
_PEM = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")
# `--password=…`, `--token …`, the same as items of a list, `NAME=…` of a shell; a password in a URL.
_NAMED = re.compile(r"(?<![\w-])(?:--?([A-Za-z][\w-]*)(?:=|[\"']?,?\s+)|([A-Za-z_]\w*)=)[\"']?([^\s\"';&|,\]}]+)")
_URL = re.compile(r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@\"']*:([^\s/@\"']+)@")
_PASSWORDS = frozenset(("PASSWORD", "PASSWD"))
_SECRETS = frozenset(("TOKEN", "SECRET"))
# A `KEY` alone names many things.
_OF_KEYS = frozenset(("API", "ACCESS", "AUTH", "SECRET", "PRIVATE", "ACCOUNT"))
_INSTEAD = ("your", "example", "change", "placeholder", "xxx", "todo", "replace", "dummy", "insert", "redacted", "here")
_SWITCHES = frozenset(("true", "false", "yes", "no", "none", "null", "auto", "on", "off"))
_NAME = re.compile(r"[a-z][a-z0-9]*(?:[-._/:][a-z0-9]+)*")


def is_secret(name: str, value: str) -> bool:
    """Whether a value that stands under a name is a secret as it is written."""
    if next(looks(value), None) is not None:
        return True
    words = re.split(r"[_\W]", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper())
    if not value.strip() or _is_instead(value):
        return False
    if words[-1] in _PASSWORDS:
        return len(value) > 2
    of_key = words[-1] == "KEY" and not _OF_KEYS.isdisjoint(words)
    return (words[-1] in _SECRETS or of_key or words[-1] == "APIKEY") and _is_random(value)


def spans(text: str) -> list[tuple[int, int]]:
    """Where secrets stand in a text: by their looks, and behind the names of arguments and variables."""
    found = [*looks(text)]
    for match in _NAMED.finditer(text):
        name = match[1] or match[2]
        if is_secret(name, match[3]):
            found.append(match.span(3))
    found += [match.span(1) for match in _URL.finditer(text) if not _is_instead(match[1])]
    return sorted(set(found))


def looks(text: str) -> Iterator[tuple[int, int]]:
    """Where texts stand that look like what a service gives out, or like a private key."""
    for match in _FORMATS.finditer(text):
        value = match[0].partition("_")[2] or match[0]
        if not _is_instead(match[0]) and (_is_random(value) or _is_mixed(value)):
            yield match.span()
    yield from (match.span() for match in _PEM.finditer(text))


def _is_instead(value: str) -> bool:
    """A reference, a place to fill in, a path, or a switch."""
    low = value.strip().lower()
    return (
        low in _SWITCHES
        or low.startswith(("/", "./", "~", "file:", "@"))
        or any(sign in low for sign in ("$", "{", "<", "*", "...", "…", "`"))
        or any(word in low for word in _INSTEAD)
    )


def _is_random(value: str) -> bool:
    """Whether nobody would think of it: letters and digits, no blank, and no words with signs between them."""
    letters, digits = sum(sign.isalpha() for sign in value), sum(sign.isdigit() for sign in value)
    plain = len(value) >= 12 and letters > 1 and digits > 1 and len(set(value)) > 6 and not any(map(str.isspace, value))
    # a name has few digits, at the ends of its words
    return plain and (_NAME.fullmatch(value) is None or digits * 4 >= len(value))


def _is_mixed(value: str) -> bool:
    """Whether letters stand in it large and small, as in the tokens of Hugging Face, which have no digit."""
    large, small = sum(map(str.isupper, value)), sum(map(str.islower, value))
    return large > 2 and small > 2 and len(set(value)) > 6
