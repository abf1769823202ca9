"""Quantities of Kubernetes as exact numbers, for rules that compare two of them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
# apimachinery, pkg/api/resource (maxAllowed): larger amounts count as this one.
_MOST = (2**63 - 1) * 10**9


def nano(amount: Any) -> int | None:
    """An amount in billionths, rounded up as Kubernetes does: ``1.5Ki`` → 1536 · 10⁹; None: it is not known.

    Not known are also negative amounts, which are refused by themselves, and those of more than 40 characters.
    """
    if isinstance(amount, bool) or not isinstance(amount, (int, float, str)):
        return None
    if isinstance(amount, int):
        return min(amount * 10**9, _MOST) if 0 <= amount < 10**40 else None
    text = str(amount)
    number = text.rstrip("numkKMGTPEi") if len(text) <= 40 else ""
    unit = text[len(number) :]
    mantissa, e, exponent = number.replace("E", "e").partition("e")
    whole, _, fraction = mantissa.partition(".")
    power = exponent.removeprefix("+").removeprefix("-") if e else "0"
    digits = whole + fraction
    if not all(part.isascii() and part.isdigit() for part in (digits, power)) or len(power) > 2 or (e and unit):
        return None
    shift = 9 - len(fraction) + (-int(power) if exponent.startswith("-") else int(power))
    value = int(digits)
    if unit in _BINARY:
        value <<= _BINARY[unit]
    elif unit in _DECIMAL:
        shift += _DECIMAL[unit]
    else:
        return None
    scale: int = 10 ** abs(shift)
    return min(value * scale if shift >= 0 else -(-value // scale), _MOST)
