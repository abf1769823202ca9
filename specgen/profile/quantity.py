"""Amounts as exact numbers: cores in thousandths, memory in bytes, times in seconds. No floats survive here."""

from __future__ import annotations

_UNITS = {
    "": 1,
    "k": 10**3,
    "M": 10**6,
    "G": 10**9,
    "T": 10**12,
    "P": 10**15,
    "E": 10**18,
    "Ki": 2**10,
    "Mi": 2**20,
    "Gi": 2**30,
    "Ti": 2**40,
    "Pi": 2**50,
    "Ei": 2**60,
}
_SMALL = {"m": -3, "u": -6, "n": -9}
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def millis(amount: int | float | str) -> int:
    """Cores → thousandths, rounded up as Kubernetes does: 2 → 2000, 0.05 → 50, ``500m`` → 500."""
    if isinstance(amount, int):
        return amount * 1000
    if isinstance(amount, float):
        # repr is the shortest text that reads back as this number: what the person wrote
        return _scaled(repr(amount), 1000)
    if amount.endswith("m"):
        return int(amount[:-1])
    return _scaled(amount, 1000)


def cores(amount: int | float | str) -> int | str:
    """Cores as Kubernetes writes them: a whole number, or thousandths as text."""
    return cores_of(millis(amount))


def cores_of(amount: int) -> int | str:
    """Thousandths of cores as Kubernetes writes them: 2000 → 2, 500 → ``500m``."""
    return amount // 1000 if amount % 1000 == 0 else f"{amount}m"


def thousandths(amount: int | float | str) -> int:
    """Any quantity of Kubernetes in thousandths, rounded up: ``1.5`` → 1500, ``500m`` → 500, ``1Ki`` → 1024000.

    Raises ValueError where the text is no quantity.
    """
    text = repr(amount) if isinstance(amount, float) else str(amount)
    unit = text[len(text.rstrip("numkKMGTPEi")) :]
    number = text[: len(text) - len(unit)].replace("E", "e")
    if unit in _SMALL:
        return _scaled(f"{number}e{_SMALL[unit]}", 1000)
    if unit not in _UNITS:
        raise ValueError(f"`{text}` is no quantity")
    return _scaled(number, 1000 * _UNITS[unit])


def bytes_of(amount: int | str) -> int:
    """Memory → bytes: ``512Mi`` → 536870912, ``1.5G`` → 1500000000; an integer is bytes."""
    if isinstance(amount, int):
        return amount
    unit = amount[-2:] if amount.endswith("i") else amount[-1:]
    if unit not in _UNITS:
        unit = ""
    return _scaled(amount[: len(amount) - len(unit)], _UNITS[unit])


def seconds(duration: str) -> int:
    """``90s`` → 90, ``2h`` → 7200, ``7d`` → 604800."""
    return int(duration[:-1]) * _SECONDS[duration[-1]]


def _scaled(number: str, factor: int) -> int:
    mantissa, _, exponent = number.partition("e")
    whole, _, fraction = mantissa.partition(".")
    power = len(fraction) - int(exponent or 0)
    product = int(whole + fraction) * factor
    for _ in range(-power):
        product *= 10
    for _ in range(power):
        product = -(-product // 10)
    return product


def readable(amount: int) -> str:
    """Bytes in the largest binary unit that keeps them whole: 1073741824 → ``1Gi``."""
    for unit in ("Ti", "Gi", "Mi", "Ki"):
        if amount and amount % _UNITS[unit] == 0:
            return f"{amount // _UNITS[unit]}{unit}"
    return str(amount)
