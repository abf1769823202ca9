"""What a plain scalar means to Kubernetes.

kubectl and the API server read YAML through sigs.k8s.io/yaml, a fork of go-yaml v2: YAML 1.1 booleans including the
single letters, octal with a leading 0 (and 0o), underscores in numbers, no base 60; dates stay text. Held against the
real kubectl by ``tests/document/test_scalars.py``.
"""

from __future__ import annotations

# First characters of plain scalars that may be something other than text; all others are text without a look.
HINTS = frozenset("0123456789+-.~yYnNtTfFoO<")

_WORDS: dict[str, bool | None] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
    "y": True,
    "Y": True,
    "yes": True,
    "Yes": True,
    "YES": True,
    "on": True,
    "On": True,
    "ON": True,
    "n": False,
    "N": False,
    "no": False,
    "No": False,
    "NO": False,
    "off": False,
    "Off": False,
    "OFF": False,
}
_CLEAR = frozenset(("", "~", "null", "Null", "NULL", "true", "True", "TRUE", "false", "False", "FALSE"))
_NOT_FINITE = frozenset(
    (".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF")
)
_DIGITS = frozenset("0123456789")

# More digits than any 64-bit integer has are not converted.
MOST_DIGITS = 20
# Digits of other bases, leading zeros included, past which nobody writes a number.
_LONGEST_IN_BASE = 400


class TooLong(ValueError):
    """An integer of more digits than is converted."""


class NotFinite(ValueError):
    """``.nan`` and the infinities: JSON, and so Kubernetes, has no such numbers."""


def integer(text: str) -> int | None:
    """Go's ``ParseInt(text, 0, 64)`` on text without underscores: bases by prefix, an optional sign."""
    sign, digits = 1, text
    if digits[:1] in ("+", "-"):
        sign = -1 if digits[0] == "-" else 1
        digits = digits[1:]
    base = 10
    if len(digits) > 1 and digits[0] == "0":
        prefix = digits[1]
        if prefix in "xX":
            base, digits = 16, digits[2:]
        elif prefix in "oO":
            base, digits = 8, digits[2:]
        elif prefix in "bB":
            base, digits = 2, digits[2:]
            if text[:2] == "0b" and digits[:1] in ("+", "-"):  # go-yaml hands on what stands behind 0b, sign and all
                sign, digits = (-1 if digits[0] == "-" else 1), digits[1:]
        else:
            base, digits = 8, digits[1:]
    # Python would take a second prefix
    if not digits or digits.lower().strip("0123456789abcdef"[:base]):
        return None
    if base == 10 and len(digits) > MOST_DIGITS:
        raise TooLong(text)
    if len(digits) > _LONGEST_IN_BASE:
        return None
    whole = sign * int(digits, base)
    # what is longer than 64 bits is no number to Go, but for decimal ones, which go-yaml makes floats of
    return whole if base == 10 or -(2**63) <= whole < 2**64 else None


def _between_digits(text: str) -> bool:
    parts = text.split("_")
    return all(part[-1:] in _DIGITS for part in parts[:-1]) and all(part[:1] in _DIGITS for part in parts[1:])


def _is_float(text: str) -> bool:
    """``[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?``, by hand: no regular expression at start-up."""
    at = 1 if text[:1] in ("+", "-") else 0
    end = len(text)
    start = at
    while at < end and text[at] in _DIGITS:
        at += 1
    whole = at - start
    if at < end and text[at] == ".":
        at += 1
        start = at
        while at < end and text[at] in _DIGITS:
            at += 1
        if not whole and at == start:
            return False
    elif not whole:
        return False
    if at < end and text[at] in "eE":
        at += 1
        if at < end and text[at] in "+-":
            at += 1
        start = at
        while at < end and text[at] in _DIGITS:
            at += 1
        if at == start:
            return False
    return at == end


def resolve(text: str) -> object:
    """The value of a plain scalar: None, bool, int, float or the text itself.

    Raises TooLong and NotFinite for numbers that are not converted.
    """
    if text in _WORDS:
        return _WORDS[text]
    first = text[0]
    if first not in "0123456789+-.":
        return text
    if text in _NOT_FINITE:
        raise NotFinite(text)
    plain = text.replace("_", "") if "_" in text else text
    # behind a first dot go-yaml v2 leaves underscores to Go, which takes them between digits only
    if not plain or (plain is not text and first == "." and not _between_digits(text)):
        return text
    whole = integer(plain)
    if whole is not None:
        # beyond 63 bits kubectl makes a float of it, with other digits than those that stand here
        if -(2**63) <= whole < 2**63:
            return whole
        raise TooLong(text)
    if _is_float(plain):
        if len(plain) > 400:
            raise TooLong(text)
        value = float(plain)
        if value in (float("inf"), float("-inf")):
            return text  # what Go's ParseFloat refuses stays text
        # sigs.k8s.io/yaml prints integral floats without a fraction: ``1e3`` and ``3.0`` arrive as 1000 and 3.
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    return text


def ambiguous(text: str, value: object) -> bool:
    """Whether other readers of YAML make something else of this plain scalar than ``resolve`` does."""
    if value is None or text in _CLEAR:
        return False
    if isinstance(value, bool):
        return True
    if isinstance(value, int):
        return str(value) != (text[1:] if text[0] == "+" else text)
    if isinstance(value, float):
        return "_" in text or text[0] == "." or "." not in text or text.endswith(".")
    if text[0] in "0123456789+-" and (":" in text or text.count("-") == 2):
        return _is_sexagesimal(text) or _is_date(text)
    return text[0] in "0123456789+-." and _is_too_large(text.replace("_", ""))


def _is_too_large(text: str) -> bool:
    """Whether a text is a number to readers that know larger ones than Go does."""
    if _is_float(text):
        return True
    try:
        int(text, 0)
    except ValueError:
        return False
    return True


# By hand, as ``functools`` is loaded for nothing else.
_known: dict[str, tuple[object, bool]] = {}
_KNOWN_ENTRIES = 4096
_KNOWN_LENGTH = 64


def meaning(text: str) -> tuple[object, bool]:
    """(``resolve``, ``ambiguous``) of a plain scalar: the files of a repository repeat the same few."""
    known = _known.get(text)
    if known is None:
        value = resolve(text)
        known = value, ambiguous(text, value)
        if len(text) <= _KNOWN_LENGTH:
            if len(_known) >= _KNOWN_ENTRIES:
                _known.clear()
            _known[text] = known
    return known


def _is_sexagesimal(text: str) -> bool:
    parts = text.lstrip("+-").split(":")
    if len(parts) < 2 or not text.isascii():
        return False
    for part in parts[1:]:
        if not part.isdecimal() or len(part) > 2 or int(part) > 59:
            return False
    return parts[0].isdecimal()


def _is_date(text: str) -> bool:
    year, month, day = text[:10].partition("-")[0], text[5:7], text[8:10]
    return (
        len(year) == 4
        and year.isdecimal()
        and text[4:5] == "-"
        and text[7:8] == "-"
        and month.isdecimal()
        and day.isdecimal()
        and (len(text) == 10 or text[10] in "Tt ")
    )
