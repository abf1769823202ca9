"""Grammars of texts in a profile: each a regular expression for editors and pydantic, and a check by hand.

The command line uses the checks (no regular expressions are compiled at start); ``tests/schema/test_formats.py``
holds both to one verdict on generated text.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

PATTERNS = {
    "name": r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$",
    "name-prefix": r"^[a-z0-9][-a-z0-9]{0,62}$",
    "subdomain": r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
    "dns-name": r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
    r"|([-.a-z0-9]*\$<[A-Za-z][A-Za-z0-9]*>)+[-.a-z0-9]*)$",
    "env-name": r"^[-._a-zA-Z][-._a-zA-Z0-9]*$",
    "absolute-path": r"^(/|\$<)",
    "duration": r"^[1-9][0-9]{0,8}(s|m|h|d)$",
    # no more than 64 bits hold: Kubernetes would count another amount
    "memory": r"^((0|[1-9][0-9]{0,14})(\.[0-9]+)?(k|Ki)|(0|[1-9][0-9]{0,11})(\.[0-9]+)?(M|Mi)"
    r"|(0|[1-9][0-9]{0,8})(\.[0-9]+)?(G|Gi)|(0|[1-9][0-9]{0,5})(\.[0-9]+)?(T|Ti)"
    r"|(0|[1-9][0-9]{0,2})(\.[0-9]+)?(P|Pi)|[0-7](\.[0-9]+)?(E|Ei))$",
    "milli": r"^[1-9][0-9]*m$",
    "version": r"^[0-9]+(\.[0-9]+){0,3}(-[0-9A-Za-z.-]+)?$",
    "label-key": r"^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$",
    "label-value": r"^([-A-Za-z0-9_.]|\$<[A-Za-z][A-Za-z0-9]*>)*$",
    "code": r"^SG[0-9]{3}$",
    "date": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    "kubernetes": r"^1\.[0-9]+$",
}

_LOWER = frozenset("abcdefghijklmnopqrstuvwxyz")
_DIGIT = frozenset("0123456789")
_ALNUM = _LOWER | _DIGIT
_LETTER = _LOWER | frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_DNS = _ALNUM | {"-"}
_ENV = _LETTER | _DIGIT | frozenset("-._")
_WORD = _LETTER | _DIGIT
_VALUE = _WORD | frozenset("-_.")
# Unit → digits before the point, with which 64 bits hold the amount.
_UNITS = {"k": 15, "M": 12, "G": 9, "T": 6, "P": 3, "E": 1}
_UNITS |= {f"{unit[0].upper()}i": digits for unit, digits in _UNITS.items()}


def _digits(text: str) -> bool:
    return bool(text) and _DIGIT.issuperset(text)


def _dns_label(text: str) -> bool:
    return bool(text) and _DNS.issuperset(text) and text[0] != "-" and text[-1] != "-"


def name(text: str) -> bool:
    """A DNS label of at most 63 characters."""
    return len(text) <= 63 and _dns_label(text)


def name_prefix(text: str) -> bool:
    """What a DNS label begins with, of at most 63 characters; it may end in a dash."""
    return 1 <= len(text) <= 63 and _DNS.issuperset(text) and text[0] != "-"


def subdomain(text: str) -> bool:
    """Labels joined by dots."""
    return all(_dns_label(part) for part in text.split("."))


def dns_name(text: str) -> bool:
    """Labels joined by dots; one with variables is judged again once they are filled in."""
    return _with_variables(text, _DNS | {"."}) if "$<" in text else subdomain(text)


def _with_variables(text: str, signs: frozenset[str]) -> bool:
    rest = text
    while True:
        before, sign, after = rest.partition("$<")
        if not signs.issuperset(before):
            return False
        if not sign:
            return True
        variable, closed, rest = after.partition(">")
        if not closed or not variable or variable[0] not in _LETTER or not _WORD.issuperset(variable):
            return False


def env_name(text: str) -> bool:
    """What the API server takes as the name of an environment variable."""
    return bool(text) and text[0] not in _DIGIT and _ENV.issuperset(text)


def absolute_path(text: str) -> bool:
    """Begins with a slash, or with a variable that does."""
    return text[:1] == "/" or text[:2] == "$<"


def duration(text: str) -> bool:
    """A whole number of seconds, minutes, hours or days."""
    return text[-1:] in ("s", "m", "h", "d") and _digits(text[:-1]) and text[0] != "0" and len(text) <= 10


def memory(text: str) -> bool:
    """A decimal number and a unit, together below 2^63."""
    unit = text[-2:] if text[-1:] == "i" else text[-1:]
    if unit not in _UNITS:
        return False
    whole, dot, fraction = text[: -len(unit)].partition(".")
    if dot and not _digits(fraction):
        return False
    if not _digits(whole) or len(whole) > _UNITS[unit] or (unit[0] == "E" and whole > "7"):
        return False
    return whole == "0" or whole[0] != "0"


def milli(text: str) -> bool:
    """Thousandths."""
    return text[-1:] == "m" and _digits(text[:-1]) and text[0] != "0"


def version(text: str) -> bool:
    """Up to four numbers with dots, and a suffix after a dash."""
    numbers, dash, suffix = text.partition("-")
    parts = numbers.split(".")
    if len(parts) > 4 or not all(_digits(part) for part in parts):
        return False
    return not dash or (bool(suffix) and (_WORD | frozenset(".-")).issuperset(suffix))


def _qualified(text: str) -> bool:
    return (
        1 <= len(text) <= 63 and text[0] in _WORD and text[-1] in _WORD and (_WORD | frozenset("-_.")).issuperset(text)
    )


def label_key(text: str) -> bool:
    """``name`` or ``prefix/name``."""
    prefix, slash, rest = text.rpartition("/")
    if slash:
        dots = _DNS | {"."}
        if not prefix or not dots.issuperset(prefix) or prefix[0] not in _ALNUM or prefix[-1] not in _ALNUM:
            return False
    return _qualified(rest)


def label_value(text: str) -> bool:
    """Characters of a label value, and variables; length and ends are checked once the variables are known."""
    return _with_variables(text, _VALUE)


def code(text: str) -> bool:
    """A code of specgen."""
    return len(text) == 5 and text[:2] == "SG" and _digits(text[2:])


def date(text: str) -> bool:
    """Year, month, day."""
    return len(text) == 10 and text[4] == text[7] == "-" and _digits(text[:4] + text[5:7] + text[8:])


def kubernetes(text: str) -> bool:
    """A minor version of Kubernetes."""
    return text[:2] == "1." and _digits(text[2:])


CHECKS: dict[str, Callable[[str], bool]] = {
    "name": name,
    "name-prefix": name_prefix,
    "subdomain": subdomain,
    "dns-name": dns_name,
    "env-name": env_name,
    "absolute-path": absolute_path,
    "duration": duration,
    "memory": memory,
    "milli": milli,
    "version": version,
    "label-key": label_key,
    "label-value": label_value,
    "code": code,
    "date": date,
    "kubernetes": kubernetes,
}
