"""Kubernetes' quantities as exact numbers, and the durations of profiles in seconds. No floats survive here.

This is the one reader of amounts: what the API server takes for a quantity is one here, with the same value
(Kubernetes 1.36, apimachinery, pkg/api/resource/{quantity,suffix}.go). A profile's own grammar (``schema.formats``) is
narrower, and is judged before.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Billionths: the finest amount that Kubernetes keeps; what is finer is rounded up.
NANO = 10**9
_MILLI = 10**6
# Suffix → billionths.
_DECIMAL = {"n": 1, "u": 10**3, "m": _MILLI, "": NANO}
_DECIMAL |= {unit: NANO * 10 ** (3 * power) for power, unit in enumerate("kMGTPE", 1)}
_BINARY = {unit: NANO << (10 * power) for power, unit in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), 1)}
_SUFFIXES = "eEinumkKMGTP"
_DIGITS = "0123456789"
# Above it, amounts count as it, unless 18 digits and a decimal exponent hold them (quantity.go, maxAllowed).
_MOST = (2**63 - 1) * NANO
# No amount of anything; a decimal exponent beyond is not worked out.
_EXPONENT = 60
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def nano(amount: Any) -> int | None:
    """A quantity in billionths, exact, rounded up (away from 0) below one; None: it is none.

    ``1.5Ki`` → 1536 · 10⁹, ``1E`` → 10²⁷ (exa), ``1E1`` → 10 · 10⁹ (an exponent), ``.5`` → 5 · 10⁸.
    """
    if type(amount) is int:
        return amount * NANO if -(10**18) < amount < 10**18 else max(-_MOST, min(amount * NANO, _MOST))
    if type(amount) is float:
        # repr is the shortest text that reads back as this number: what the person wrote
        amount = repr(amount)
    if not isinstance(amount, str):
        return None
    number = amount.rstrip(_SUFFIXES)
    if 0 < len(number) <= 18 and number.isdigit() and number.isascii():
        suffix = amount[len(number) :]
        if suffix in _DECIMAL:
            return int(number) * _DECIMAL[suffix]
        if suffix in _BINARY:
            return min(int(number) * _BINARY[suffix], _MOST)
    return _read(amount)


def _read(text: str) -> int | None:
    """A quantity of any spelling in billionths."""
    body = text[1:] if text[:1] in ("+", "-") else text
    rest = body.lstrip(_DIGITS)
    whole, fraction = body[: len(body) - len(rest)], ""
    if rest[:1] == ".":
        suffix = rest[1:].lstrip(_DIGITS)
        fraction, rest = rest[1 : len(rest) - len(suffix)], suffix
    if not whole and not fraction:
        return None
    whole = whole.lstrip("0")
    if rest in _BINARY:
        value = _scaled(whole + fraction, -len(fraction), _BINARY[rest])
    else:
        power = _power(rest)
        if power is None:
            return None
        value = _scaled(whole + fraction, power - len(fraction), NANO)
        if len(whole) + len(fraction) <= 18 and power - len(fraction) >= -9:
            return -value if text[0] == "-" else value
    value = min(value, _MOST)
    return -value if text[0] == "-" else value


def _power(suffix: str) -> int | None:
    """The power of ten that a decimal suffix or exponent stands for, cut where it is beyond all amounts."""
    if suffix in _DECIMAL:
        return len(str(_DECIMAL[suffix])) - 10
    exponent = suffix[2:] if suffix[1:2] in ("+", "-") else suffix[1:]
    if suffix[:1] not in ("e", "E") or not exponent or exponent.strip(_DIGITS):
        return None
    exponent = exponent.lstrip("0")
    # a longer one than a million is never needed: not even to outweigh the digits that a file may hold
    power = int(exponent or "0") if len(exponent) < 7 else 10**6
    return -power if suffix[1] == "-" else power


def _scaled(digits: str, power: int, scale: int) -> int:
    """``digits`` · 10^``power`` · ``scale``, rounded up, without working out what nobody needs to know exactly."""
    digits = digits.lstrip("0")
    if not digits:
        return 0
    if len(digits) + power > _EXPONENT:
        return scale * int(10**_EXPONENT)
    if len(digits) > 100:
        # what is below a hundred places may only round up
        power += len(digits) - 100
        digits = digits[:100] if not digits[100:].strip("0") else str(int(digits[:100]) + 1)
    if power >= 0:
        return int(digits) * scale * int(10**power)
    if len(digits) + power < -_EXPONENT:
        return 1
    return -(-int(digits) * scale // int(10**-power))


def milli(amount: Any) -> int | None:
    """A quantity in thousandths, rounded up; None: it is none."""
    value = nano(amount)
    return None if value is None else rounded(value, _MILLI)


def fault(amount: Any, of: str = "") -> str:
    """What is wrong with an amount of a resource ``of`` a name, as the end of a sentence; empty: nothing.

    The API server takes more than 64 bits hold: an amount in powers of 1024 it stores as 2^63 - 1, and what others come
    to in bytes, devices or thousandths of a core "might overflow" (Kubernetes 1.36, apimachinery, pkg/api/resource/
    quantity.go, ParseQuantity; math.go, scaledValue). What is counted then is not what is written.
    """
    value = nano(amount)
    if value is None:
        return "is no quantity"
    if value < 0:
        return "is below 0"
    most = _MOST // 1000 if of.rpartition(".")[2] == "cpu" else _MOST
    return "is more than 64 bits hold: the API server takes it, and another amount is counted" if value >= most else ""


def rounded(value: int, unit: int) -> int:
    """Billionths in a unit of so many billionths, rounded away from 0."""
    return -(-value // unit) if value >= 0 else value // unit


def canonical(value: int, spelling: Any = "") -> str:
    """Billionths as the API server writes them: whole, in the largest unit of the spelling's kind.

    ``spelling``: an amount whose kind is kept: ``1Gi`` powers of 1024, ``1e3`` exponents of ten, else powers of 1000.
    """
    sign, value = ("-" if value < 0 else ""), abs(value)
    kind = str(spelling)
    if kind.endswith("i") and value >= 1024 * NANO and value % NANO == 0:
        number, unit = value // NANO, ""
        for unit in ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"):
            if unit == "Ei" or number % 1024:
                break
            number //= 1024
        return f"{sign}{number}{unit}"
    by_exponent = not kind.endswith("E") and ("e" in kind or "E" in kind)
    number, power = value, -9
    while number and number % 1000 == 0 and (power < 18 or by_exponent):
        number, power = number // 1000, power + 3
    if not number:
        return "0"
    if by_exponent:
        return f"{sign}{number}e{power}" if power else f"{sign}{number}"
    return f"{sign}{number}{('n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E')[power // 3 + 3]}"


def millis(amount: int | float | str) -> int:
    """Cores → thousandths, rounded up as Kubernetes does: 2 → 2000, 0.05 → 50, ``500m`` → 500.

    Raises ValueError where the amount is no quantity.
    """
    value = milli(amount)
    if value is None:
        raise ValueError(f"`{amount}` is no quantity")
    return value


def bytes_of(amount: int | str) -> int:
    """Memory → bytes, rounded up: ``512Mi`` → 536870912, ``1.5G`` → 1500000000.

    Raises ValueError where the amount is no quantity.
    """
    value = nano(amount)
    if value is None:
        raise ValueError(f"`{amount}` is no quantity")
    return rounded(value, NANO)


def cores(amount: int | float | str) -> int | str:
    """Cores as Kubernetes writes them: a whole number, or thousandths as text."""
    return cores_of(millis(amount))


def cores_of(amount: int) -> int | str:
    """Thousandths of cores as Kubernetes writes them: 2000 → 2, 500 → ``500m``."""
    return amount // 1000 if amount % 1000 == 0 else f"{amount}m"


def readable(amount: int) -> str:
    """Bytes in the largest binary unit up to ``Ti`` that keeps them whole: 1073741824 → ``1Gi``."""
    for unit in ("Ti", "Gi", "Mi", "Ki"):
        if amount and amount * NANO % _BINARY[unit] == 0:
            return f"{amount * NANO // _BINARY[unit]}{unit}"
    return str(amount)


def seconds(duration: str) -> int:
    """``90s`` → 90, ``2h`` → 7200, ``7d`` → 604800."""
    return int(duration[:-1]) * _SECONDS[duration[-1]]
