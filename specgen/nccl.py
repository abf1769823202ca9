"""NCCL's environment variables: which exist, in which releases, what they take, and what becomes of other values.

The library reads the variables it knows and says nothing about others, so a wrong name or value goes unnoticed until
the job is slow. Facts are those of NCCL 2.30.7 (docs/userguide/source/env.rst and src), and of the released libraries
from 2.4.2 to 2.31.2 (``_nccl_names``).

``VARIABLES`` maps each documented name, in the guide's order, to (grammar, since, removed in, replaced
by, section, meaning). The replacement need not take the same values: ``NCCL_CHECK_POINTERS=1`` became
``NCCL_CHECK_MODE=DEBUG_LOCAL``. A grammar is (kind, words, least, greatest):

- ``integer``, ``bytes``: a number in the two bounds, decimal or hexadecimal after ``0x``, with ``+`` or not
- ``threads``: multiples of 32 in the bounds; ``flag``: 0 or 1
- ``word``: one of the words; ``anycase``: the same in any letter case; ``level``: that, or a number of an old scale
- ``set``: words in any case, joined by commas, ``^`` in front for all others
- ``policy``: words in any case, joined by ``|``, or a number in the bounds
- ``limit``: a word in any case, or ``MAX:`` and a number in the bounds
- ``tuning``: comma lists of words in any case, ``^`` in front for all others, one for each function
- ``devices``: names joined by commas, ``^`` and ``=`` in front; `least` counts the numbers that may
  follow a name after ``:``, `greatest` the names (0 is any count)
- ``cidr``, ``address`` (host and port), ``path``, ``name`` (no blanks, no quotes), ``label`` (no quotes), ``text``

``src/misc/param.cc`` reads numbers with ``strtoll`` in base 0 (``number``). What that function swallows without
doing as told is worth a word: ``8M`` is read as 8, ``010`` is octal, ``x`` is 0. An empty value counts as
unset. Values with a ``$`` or ``{{`` in them are somebody else's to fill in, and are not judged.
"""

from __future__ import annotations

from specgen._nccl_table import (
    ACTS,
    ALGORITHM_SINCE,
    BECOMES,
    COMM_ID,
    INT32,
    INT64,
    STRICT_LISTS,
    VARIABLES,
    WORDS_OF_LEVELS,
    Grammar,
)

__all__ = [
    "NUMBERS",
    "VARIABLES",
    "Judged",
    "effective",
    "gone",
    "is_out_of_bounds",
    "judge",
    "known",
    "long_gone",
    "meant",
    "number",
    "takes",
    "too_new",
    "without_ib",
]

# The functions that a tuning list may name (`ncclFuncStr`).
FUNCTIONS = ("Broadcast", "Reduce", "AllGather", "ReduceScatter", "AllReduce")
# Kinds whose values are read as a number.
NUMBERS = ("integer", "bytes")

_DIGITS = "0123456789"
_HEXADECIMAL = "0123456789abcdefABCDEF"
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DEVICE = _LETTERS + _DIGITS + "_.@-"
_NAME = _LETTERS + _DIGITS + "_.@-,/+:="
_HOST = _LETTERS + _DIGITS + "_.-"
_BLANK = " \t\n\v\f\r"
# Channels at most; half as many before 2.25.
_CHANNELS = 64


class Judged:
    """What is wrong with a value: one clause, what NCCL makes of it, and from how many ranks on it stops; 0: never."""

    __slots__ = ("message", "notes", "stops")

    def __init__(self, message: str, notes: list[str], *, stops: int = 0) -> None:
        self.message = message
        self.notes = notes
        self.stops = stops


def known(name: str) -> bool:
    """Whether any release from 2.4 on, a plugin, a test or PyTorch reads this variable, or read it once."""
    if name in VARIABLES:
        return True
    from specgen._nccl_names import PLUGINS, PREFIXES, UNLISTED  # few jobs set one that the guide does not list

    return name in UNLISTED or name in PLUGINS or name.startswith(PREFIXES)


def without_ib(name: str, value: str) -> bool:
    """Whether a variable has NCCL leave InfiniBand and RoCE alone: it talks TCP."""
    return (name == "NCCL_IB_DISABLE" and value == "1") or (name == "NCCL_NET" and value.lower() == "socket")


def meant(name: str) -> str | None:
    """The variable of another program that a name stands for which nobody reads."""
    from specgen._nccl_names import MEANT

    return MEANT.get(name)


def _when(name: str) -> tuple[str, str]:
    """(since, gone in) of a name."""
    if name in VARIABLES:
        return VARIABLES[name][1:3]
    from specgen._nccl_names import UNLISTED

    return UNLISTED.get(name, ("", ""))


def _release(version: str) -> tuple[int, ...]:
    """The numbers of a version, `()` where it is none: ``2.4.8-1`` gives (2, 4, 8)."""
    parts = version.split("-")[0].split("+")[0].split(".")
    return tuple(int(part) for part in parts) if all(_decimal(part, 0, INT32) for part in parts) else ()


def older(version: str, than: str) -> bool:
    """Whether a version is before another. One given in part (``2.30``) is not before its patches (``2.30.5``)."""
    given = _release(version)
    return bool(given) and given < _release(than)[: len(given)]


def too_new(name: str, version: str) -> str | None:
    """The version that brought the variable, if this version of NCCL is older."""
    since = _when(name)[0]
    return since if since and older(version, since) else None


def gone(name: str, version: str) -> str | None:
    """The version that removed the variable, if this version of NCCL is that one or a later one."""
    removed = _when(name)[1]
    if not removed:
        return None
    given = _release(version)
    return removed if given and (*given, 0, 0)[:3] >= (*_release(removed), 0)[:3] else None


def long_gone(name: str) -> str | None:
    """The version that removed the variable, where that is so old that no NCCL in use can be older: 2.5 and before."""
    removed = _when(name)[1]
    return removed if removed and older(removed, "2.6") else None


def number(value: str) -> int | None:
    """What ``strtoll`` in base 0 makes of a text; None where it does not fit 64 bits, and NCCL takes its default."""
    text = value.lstrip(_BLANK)
    sign = text[:1]
    if sign in ("+", "-"):
        text = text[1:]
    base, alphabet = 10, _DIGITS
    if text[:2] in ("0x", "0X") and text[2:3] and text[2] in _HEXADECIMAL:
        base, alphabet, text = 16, _HEXADECIMAL, text[2:]
    elif text[:1] == "0":
        base, alphabet = 8, "01234567"
    digits = text[: len(text) - len(text.lstrip(alphabet))].lstrip("0")
    if len(digits) > 22:
        return None
    found = int(digits or "0", base)
    found = -found if sign == "-" else found
    return found if -INT64 - 1 <= found <= INT64 else None


def effective(name: str, value: str, version: str = "") -> int | None:
    """The number that a variable of numbers acts as; None: its default."""
    found = number(value)
    how, limit = ACTS.get(name, ("", 0))
    if found is None or not how:
        return found
    if how == "any":
        return 1 if found else 0
    if how == "only":
        return 1 if found == limit else 0
    if how == "bits":
        return found & ((1 << limit) - 1)
    if limit == _CHANNELS and older(version, "2.25"):
        limit = _CHANNELS // 2
    return min(found, limit)


def judge(name: str, value: str, version: str = "") -> Judged | None:
    """What becomes of a value that is not as documented, for this version of NCCL; None where nothing is to be said."""
    if not value or "$" in value or "{{" in value:
        return None
    if name == COMM_ID and ":" not in value:
        message = f"`{name}` takes a host and a port, such as `10.0.0.1:5000`, not `{_shown(value)}`"
        return Judged(message, ["NCCL stops as it starts: `Invalid NCCL_COMM_ID`"], stops=1)
    if name not in VARIABLES:
        return None
    grammar = VARIABLES[name][0]
    kind = grammar[0]
    if kind == "tuning":
        return _tuning(name, grammar, value, version)
    if kind == "level" and older(version, WORDS_OF_LEVELS) and not _decimal(value[:1], 0, 9):
        message = f"`{name}` is a number to NCCL {version}, not `{_shown(value)}`"
        return Judged(message, [f"it is read as {number(value)}, which is `LOC`; words came with {WORDS_OF_LEVELS}"])
    if _accepts(grammar, value):
        return None
    wrong = value
    if kind == "set":
        wrong = next(part for part in value.removeprefix("^").split(",") if part and not _is_word(part, grammar[1]))
    message = f"`{name}` takes {takes(grammar)}, not `{_shown(wrong)}`"
    if kind in NUMBERS:
        return Judged(message, [_read(name, value, version)])
    if kind == "level":
        return Judged(message, [_level(value)])
    return Judged(message, [BECOMES[name]] if name in BECOMES else [])


def is_out_of_bounds(name: str, value: str) -> bool:
    """Whether a value is a number as people write it, so that nothing but the bounds can be wrong with it."""
    return name in VARIABLES and VARIABLES[name][0][0] in NUMBERS and _plain(value) is not None


def _read(name: str, value: str, version: str) -> str:
    """What a number is read as that is not as documented."""
    found, acts = number(value), effective(name, value, version)
    if found is None or acts is None:
        return "it does not fit 64 bits: NCCL says so in its log and takes its default"
    text = value.strip(_BLANK)
    if text.lstrip("+-") == "" or text.lstrip("+-")[0] not in _DIGITS:
        said = "NCCL reads it as 0, as no number stands there"
    elif _plain(text) == found:
        said = "" if acts != found else f"NCCL takes it as {found}"
    elif _only(text, _DIGITS) and text[0] == "0":
        said = f"NCCL reads it as {found}: a number that begins with 0 is octal"
    else:
        said = f"NCCL reads it as {found}: it looks at nothing behind the digits"
    if acts == found:
        return said
    how, limit = ACTS[name]
    kept = f"{limit} bits of it are kept: " if how == "bits" else ""
    return (said + "; " if said else "") + f"{kept}it acts as {acts}"


def _level(value: str) -> str:
    if value[0] in _DIGITS:
        old = ("LOC", "PIX", "PXB", "PHB", "SYS", "SYS")
        found = number(value)
        return f"NCCL takes it for `{old[5 if found is None or found > 5 else found]}`, on the scale of old releases"
    return "NCCL knows no such word, in this letter case, and takes its default"


def _tuning(name: str, grammar: Grammar, value: str, version: str) -> Judged | None:
    words = grammar[1]
    if name == "NCCL_ALGO" and version:
        dated = {word: ALGORITHM_SINCE.get(word, ("", "")) for word in (*words, "CollNet")}
        words = tuple(
            word
            for word, (since, until) in dated.items()
            if not (since and older(version, since)) and not (until and not older(version, until))
        )
    strict = not older(version, STRICT_LISTS)
    wrong = _not_tuned(value, words, strict=strict)
    if wrong is None:
        return None
    listed = (grammar[0], words, *grammar[2:])
    message = f"`{name}` takes {takes(listed)}, not `{_shown(wrong)}`"
    if _release(version) and strict:
        return Judged(message, [f"NCCL {version} stops with `invalid usage` where several ranks meet"], stops=2)
    if version and not strict:
        return Judged(message, [f"NCCL {version} leaves out what it does not know"])
    return Judged(message, [f"NCCL {STRICT_LISTS} and later stop where several ranks meet; older ones leave it out"])


def _not_tuned(text: str, words: tuple[str, ...], *, strict: bool) -> str | None:
    """The part of a tuning list that is not known, as ``parseList`` cuts it up; None where all is."""
    entries = [entry for entry in text.split(";") if entry] if strict else [text]
    for index, entry in enumerate(entries):
        parts = [part for part in entry.split(":") if part] if strict else [entry]
        if len(parts) > 1 and not _is_word(parts[0], FUNCTIONS):
            return parts[0]
        if len(parts) == 1 and index:
            return entry
        for word in (parts[-1] if len(parts) < 2 else parts[1]).removeprefix("^").split(",") if parts else ():
            if word and not _is_word(word, words):
                return word
    return None


def _shown(value: str) -> str:
    shown = value if value.isprintable() else ascii(value)[1:-1]
    return shown if len(shown) <= 80 else shown[:79] + "…"


def takes(grammar: Grammar) -> str:
    """What a grammar lets pass, after "takes"; empty for any text."""
    kind, words, least, greatest = grammar
    listed = ", ".join(f"`{word}`" for word in words)
    if kind in ("integer", "flag"):
        if (least, greatest) == (0, 1):
            return "0 or 1"
        return f"a whole number from {least}" if greatest == INT32 else f"{least} to {greatest}"
    return {
        "bytes": f"a number of bytes from {least}, without a unit",
        "threads": f"a multiple of 32 from {least} to {greatest}",
        "word": f"one of {listed}",
        "anycase": f"one of {listed}",
        "level": f"one of {listed}",
        "set": f"a comma list of {listed}, with `^` in front for all others",
        "policy": f"{listed} joined by `|`, or {least} to {greatest}",
        "limit": f"{listed} or `MAX:` and a number",
        "tuning": f"a comma list of {listed}, with `^` in front for all others, or such lists by function",
        "devices": (f"at most {greatest} " if greatest else "") + f"names{' with ports' if least else ''} joined by "
        "commas, after `^` to exclude them or `=` to match them whole",
        "cidr": "a network such as `10.0.0.0/8` or `fd00::/8`",
        "address": "a host or an address in brackets, then `:` and a port",
        "path": "a path without quotes, control characters or a leading `~`",
        "name": "a name or path without blanks and quotes",
        "label": "a name without quotes",
        "text": "",
    }[kind]


def _only(text: str, alphabet: str) -> bool:
    # `strip` leaves nothing exactly where every character is one of the alphabet
    return not text.strip(alphabet)


def _plain(text: str) -> int | None:
    """A number as people write it: decimal without leading zeros, or hexadecimal."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    base = 16 if digits[:2] in ("0x", "0X") else 10
    digits = digits[2:] if base == 16 else digits
    if not digits or not _only(digits, _HEXADECIMAL if base == 16 else _DIGITS):
        return None
    significant = digits.lstrip("0")
    if (base == 10 and significant != digits and digits != "0") or len(significant) > 20:
        return None
    found = int(significant or "0", base)
    return -found if text[0] == "-" else found


def _within(text: str, least: int, greatest: int) -> bool:
    found = _plain(text)
    return found is not None and least <= found <= greatest


def _decimal(text: str, least: int, greatest: int) -> bool:
    return bool(text) and _only(text, _DIGITS) and _within(text, least, greatest)


def _is_word(text: str, words: tuple[str, ...]) -> bool:
    # Not `casefold`: the library compares ASCII letters only (strcasecmp).
    return text.isascii() and text.lower() in [word.lower() for word in words]


def _listed(text: str, words: tuple[str, ...], separator: str) -> bool:
    return all(_is_word(part, words) for part in text.split(separator))


def _device(text: str, numbers: int) -> bool:
    name, *fields = text.split(":")
    if not name or not _only(name, _DEVICE) or len(fields) > numbers:
        return False
    # The port may be left out before a rail: `mlx5_0::0`.
    required = fields[1:] if len(fields) > 1 else fields
    return all(required) and all(_only(field, _DIGITS) for field in fields)


def _six(text: str) -> bool:
    """The form of an IPv6 address; the meaning of its groups is not checked."""
    groups = text.split(":")
    return 3 <= len(groups) <= 9 and all(len(group) <= 4 and _only(group, _HEXADECIMAL) for group in groups)


def _network(text: str) -> bool:
    address, _, bits = text.partition("/")
    octets = address.split(".")
    if len(octets) == 4:
        return all(_decimal(octet, 0, 255) for octet in octets) and _decimal(bits, 0, 32)
    return _six(address) and _decimal(bits, 0, 128)


def _accepts(grammar: Grammar, value: str) -> bool:
    kind, words, least, greatest = grammar
    if kind in NUMBERS:
        return _within(value.strip(_BLANK), least, greatest)
    if kind == "threads":
        return _within(value, least, greatest) and int(value, 0) % 32 == 0
    if kind == "flag":
        return value in ("0", "1")
    if kind == "word":
        return value in words
    if kind == "anycase":
        return _is_word(value, words)
    if kind == "level":
        return value in words or _decimal(value, least, greatest)
    if kind == "set":
        # an empty part is left out, as after a comma at the end
        return all(_is_word(part, words) for part in value.removeprefix("^").split(",") if part)
    if kind == "policy":
        return _listed(value, words, "|") or _decimal(value, least, greatest)
    if kind == "limit":
        head, _, limit = value.rpartition(":")
        return _is_word(value, words) or (_is_word(head, ("MAX",)) and _decimal(limit, least, greatest))
    if kind == "devices":
        entries = [entry for entry in value.removeprefix("^").removeprefix("=").split(",") if entry]
        return (not greatest or len(entries) <= greatest) and all(_device(entry, least) for entry in entries)
    if kind == "cidr":
        return _network(value)
    if kind == "address":
        host, _, port = value.rpartition(":")
        bracketed = host[:1] == "[" and host[-1:] == "]" and _six(host[1:-1])
        return (bracketed or (bool(host) and _only(host, _HOST))) and _decimal(port, least, greatest)
    if kind == "path":
        return value[0] != "~" and not any(letter in "\"'" or letter < " " for letter in value)
    if kind == "label":
        return not any(letter in "\"'" for letter in value)
    return kind == "text" or _only(value, _NAME)
