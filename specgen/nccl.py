"""NCCL's environment variables: which exist, since when, and what they take.

The library reads the variables it knows and says nothing about others, so a wrong name or value goes
unnoticed until the job is slow. Facts are those of NCCL 2.30.7 (docs/userguide/source/env.rst and src).

``VARIABLES`` maps each documented name, in the guide's order, to (grammar, since, removed in, replaced
by, section, meaning). The replacement need not take the same values: ``NCCL_CHECK_POINTERS=1`` became
``NCCL_CHECK_MODE=DEBUG_LOCAL``. A grammar is (kind, words, least, greatest):

- ``integer``, ``bytes``: a number in the two bounds, decimal or hexadecimal after ``0x``, with ``+`` or not
- ``word``: one of the words; ``anycase``: the same in any letter case
- ``set``: words in any case, joined by commas, ``^`` in front for all others
- ``policy``: words in any case, joined by ``|``, or a number in the bounds
- ``limit``: a word in any case, or ``MAX:`` and a number in the bounds
- ``tuning``: comma lists of words in any case, ``^`` in front for all others, one for each function
- ``devices``: names joined by commas, ``^`` and ``=`` in front; `least` counts the numbers that may
  follow a name after ``:``, `greatest` the names (0 is any count)
- ``cidr``, ``address`` (host and port), ``path``, ``name`` (no blanks, no quotes), ``text`` (anything)

``src/misc/param.cc`` reads numbers with ``strtoll`` in base 0. What that function swallows without
doing as told is a fault here: ``8M`` is read as 8, ``010`` is octal, ``x`` is 0. An empty value counts as
unset. The kubelet puts another variable's value for ``$(NAME)``: such a value is never judged.
"""

from __future__ import annotations

from specgen._nccl_table import INT32, NOT_NCCL, PREFIXES, UNDOCUMENTED, VARIABLES, Grammar

__all__ = ["NOT_NCCL", "PREFIXES", "UNDOCUMENTED", "VARIABLES", "fault", "gone", "known", "pattern", "too_new"]

# The functions that a tuning list may name (`ncclFuncStr`).
FUNCTIONS = ("Broadcast", "Reduce", "AllGather", "ReduceScatter", "AllReduce")

_DIGITS = "0123456789"
_HEXADECIMAL = "0123456789abcdefABCDEF"
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DEVICE = _LETTERS + _DIGITS + "_.@-"
_NAME = _LETTERS + _DIGITS + "_.@-,/+:="
_HOST = _LETTERS + _DIGITS + "_.-"


def known(name: str) -> bool:
    """Whether the library, one of its plugins or its tests read this variable; see also ``NOT_NCCL``."""
    return name in VARIABLES or name in UNDOCUMENTED or name.startswith(PREFIXES)


def _release(version: str) -> tuple[int, ...]:
    """The numbers of a version, `()` where it is none: ``2.4.8-1`` gives (2, 4, 8)."""
    parts = version.split("-")[0].split("+")[0].split(".")
    return tuple(int(part) for part in parts) if all(_decimal(part, 0, INT32) for part in parts) else ()


def too_new(name: str, version: str) -> str | None:
    """The version that brought the variable, if this version of NCCL is older.

    A version given in part (``2.30``) is not older than its patches (``2.30.5``), for it may be any of them.
    """
    since = VARIABLES[name][1] if name in VARIABLES else ""
    if not since:
        return None
    given = _release(version)
    return since if given < _release(since)[: len(given)] else None


def gone(name: str, version: str) -> str | None:
    """The version that removed the variable, if this version of NCCL is that one or a later one."""
    removed = VARIABLES[name][2] if name in VARIABLES else ""
    if not removed:
        return None
    given = _release(version)
    return removed if given and (*given, 0, 0)[:3] >= (*_release(removed), 0)[:3] else None


def fault(name: str, value: str) -> str | None:
    """What is wrong with a value, as one clause; None where nothing is, or the name is not documented."""
    if name not in VARIABLES or not value or _has_reference(value):
        return None
    grammar = VARIABLES[name][0]
    if _accepts(grammar, value):
        return None
    octal = grammar[0] in ("integer", "bytes") and _only(value, _DIGITS) and value[0] == "0" and value != "0"
    return f"`{name}` takes {_takes(grammar)}, not `{_shown(value)}`" + (", which is octal to NCCL" if octal else "")


def _shown(value: str) -> str:
    shown = value if value.isprintable() else ascii(value)[1:-1]
    return shown if len(shown) <= 80 else shown[:79] + "…"


def _takes(grammar: Grammar) -> str:
    kind, words, least, greatest = grammar
    listed = ", ".join(f"`{word}`" for word in words)
    if kind == "integer":
        if (least, greatest) == (0, 1):
            return "0 or 1"
        return f"a whole number from {least}" if greatest == INT32 else f"{least} to {greatest}"
    return {
        "bytes": f"a number of bytes from {least}, without a unit",
        "word": f"one of {listed}",
        "anycase": f"one of {listed}",
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
    }[kind]


def _only(text: str, alphabet: str) -> bool:
    # `strip` leaves nothing exactly where every character is one of the alphabet
    return not text.strip(alphabet)


def _has_reference(value: str) -> bool:
    at = value.find("$(")
    while at >= 0:
        end = value.find(")", at)
        inner = value[at + 2 : end] if end >= 0 else ""
        if inner and inner[0] not in _DIGITS and _only(inner, _HOST):
            return True
        at = value.find("$(", at + 2)
    return False


def _number(text: str) -> int | None:
    digits = text[1:] if text[:1] in ("+", "-") else text
    base = 16 if digits[:2] in ("0x", "0X") else 10
    digits = digits[2:] if base == 16 else digits
    if not digits or not _only(digits, _HEXADECIMAL if base == 16 else _DIGITS):
        return None
    significant = digits.lstrip("0")
    if (base == 10 and significant != digits and digits != "0") or len(significant) > 20:
        return None
    number = int(significant or "0", base)
    if text[0] != "-":
        return number
    return -number if number else None


def _within(text: str, least: int, greatest: int) -> bool:
    number = _number(text)
    return number is not None and least <= number <= greatest


def _decimal(text: str, least: int, greatest: int) -> bool:
    return _only(text, _DIGITS) and _within(text, least, greatest)


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


def _tuned(text: str, words: tuple[str, ...]) -> bool:
    for index, entry in enumerate(text.split(";")):
        function, colon, choices = entry.rpartition(":")
        if colon and not _is_word(function, FUNCTIONS):
            return False
        if (index and not colon) or not _listed(choices.removeprefix("^"), words, ","):
            return False
    return True


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
    if kind in ("integer", "bytes"):
        return _within(value, least, greatest)
    if kind == "word":
        return value in words
    if kind == "anycase":
        return _is_word(value, words)
    if kind == "set":
        return _listed(value.removeprefix("^"), words, ",")
    if kind == "policy":
        return _listed(value, words, "|") or _decimal(value, least, greatest)
    if kind == "limit":
        head, _, number = value.rpartition(":")
        return _is_word(value, words) or (_is_word(head, ("MAX",)) and _decimal(number, least, greatest))
    if kind == "tuning":
        return _tuned(value, words)
    if kind == "devices":
        entries = value.removeprefix("^").removeprefix("=").split(",")
        return (not greatest or len(entries) <= greatest) and all(_device(entry, least) for entry in entries)
    if kind == "cidr":
        return _network(value)
    if kind == "address":
        host, _, port = value.rpartition(":")
        bracketed = host[:1] == "[" and host[-1:] == "]" and _six(host[1:-1])
        return (bracketed or (bool(host) and _only(host, _HOST))) and _decimal(port, least, greatest)
    if kind == "path":
        return value[0] != "~" and not any(letter in "\"'" or letter < " " for letter in value)
    return kind == "text" or _only(value, _NAME)


def pattern(name: str) -> str | None:
    """A regular expression for the values that ``fault`` lets pass, for editors; None where all pass.

    Written in what ECMA-262 and Python share, without lookaround. Python's ``$`` also matches before a
    last line end, ECMA's does not: there, use ``re.fullmatch``.
    """
    core = _core(VARIABLES[name][0]) if name in VARIABLES else ""
    reference = r"[\s\S]*\$\([A-Za-z_.-][A-Za-z0-9_.-]*\)[\s\S]*"
    return f"^(?:(?:{core})?|{reference})$" if core else None


def _digit(least: int, greatest: int) -> str:
    if least == greatest < 10:
        return str(least)
    numerals = (str(least) if least == 9 else f"{least}-{min(greatest, 9)}") if least < 10 else ""
    low, high = max(least, 10) - 10, greatest - 10
    if high < 0:
        return f"[{numerals}]"
    span = "abcdef"[low] + (f"-{'abcdef'[high]}" if high > low else "")
    return f"[{numerals}{span}{span.upper()}]"


def _up_to(greatest: int, base: int) -> str:
    """Numbers from 1 to `greatest` without leading zeros."""
    digits = [int(letter, 16) for letter in (f"{greatest:x}" if base == 16 else str(greatest))]
    some = _digit(0, base - 1)
    last = len(digits) - 1
    tails = ["", some, *(f"{some}{{{count}}}" for count in range(2, last + 1))]
    shorter = {0: [], 1: [_digit(1, base - 1)]}
    choices = shorter.get(last, [f"{_digit(1, base - 1)}{some}{{0,{last - 1}}}"])
    prefix = ""
    for index, digit in enumerate(digits):
        least = 0 if index else 1
        if digit > least:
            choices.append(prefix + _digit(least, digit - 1) + tails[last - index])
        prefix += _digit(digit, digit)
    return "|".join([*choices, prefix])


def _numbers(least: int, greatest: int) -> str:
    zeros = ("0|", "0+|") if least <= 0 else ("", "")
    choices = rf"\+?(?:{zeros[0]}{_up_to(greatest, 10)}|0[xX](?:{zeros[1]}0*(?:{_up_to(greatest, 16)})))"
    if least < 0:
        choices += f"|-(?:{_up_to(-least, 10)}|0[xX]0*(?:{_up_to(-least, 16)}))"
    return choices


def _either(words: tuple[str, ...]) -> str:
    letters = ["".join(f"[{c.upper()}{c.lower()}]" if c.isalpha() else c for c in word) for word in words]
    return f"(?:{'|'.join(letters)})"


def _core(grammar: Grammar) -> str:
    kind, words, least, greatest = grammar
    if kind in ("integer", "bytes"):
        return _numbers(least, greatest)
    if kind == "word":
        return "|".join(words)
    one = _either(words)
    some = rf"\^?{one}(?:,{one})*"
    function = _either(FUNCTIONS)
    port = "(?::[0-9]+)" if least == 1 else "(?::[0-9]+|:[0-9]*(?::[0-9]+){1,2})"
    device = "[A-Za-z0-9_.@-]+" + (f"{port}?" if least else "")
    octet = f"(?:0|{_up_to(255, 10)})"
    six = "[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,8}"
    return {
        "anycase": one,
        "set": some,
        "policy": rf"{one}(?:\|{one})*|[{least}-{greatest}]",
        "limit": rf"{one}|[Mm][Aa][Xx]:(?:{_up_to(greatest or 1, 10)})",
        "tuning": f"(?:{function}:)?{some}(?:;{function}:{some})*",
        "devices": rf"\^?=?{device}(?:,{device})" + (f"{{0,{greatest - 1}}}" if greatest else "*"),
        "cidr": rf"{octet}(?:\.{octet}){{3}}/(?:0|{_up_to(32, 10)})|{six}/(?:0|{_up_to(128, 10)})",
        "address": rf"(?:[A-Za-z0-9_.-]+|\[{six}\]):(?:{_up_to(greatest or 1, 10)})",
        "path": r"""[^~"'\x00-\x1f][^"'\x00-\x1f]*""",
        "name": "[A-Za-z0-9_.@,/+:=-]+",
        "text": "",
    }[kind]
