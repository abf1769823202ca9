"""Expressions by which classes and requests choose devices: as much of CEL as such selectors use.

Kubernetes 1.36, dynamic-resource-allocation/cel/compile.go: ``device.driver``, ``device.attributes["domain"].name``,
``device.capacity["domain"].name``, ``device.allowMultipleAllocations``, and the libraries of strings, quantities,
versions, optional values and ``cel.bind``. ``Unknown`` is raised for what is not read here, ``Failed`` for what fails
when it is worked out, such as a name that a device does not have: the scheduler then gives up on the pod.
"""

from __future__ import annotations

from functools import lru_cache
from operator import add, ge, gt, le, lt, mul, sub

from specgen.quantity import fault, nano

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    # the names in sight → the value
    Value: TypeAlias = Callable[[dict[str, Any]], Any]

_WORDS = ("&&", "||", "==", "!=", "<=", ">=", *"()[].,!<>-+*/%?:{}")
_RELATIONS = {"<": lt, ">": gt, "<=": le, ">=": ge}
_MACROS = ("all", "exists", "exists_one", "existsOne", "filter", "map")
# Largest number of 64 bits.
_MOST = 2**63 - 1
# Signs of an expression, as the API server allows them.
_LONGEST = 10 * 1024


class Unknown(Exception):
    """The expression says something that is not read here."""


class Failed(Exception):
    """The expression has no value for the device. The text says why, as the scheduler does."""


class Quantity(int):
    """An amount in billionths."""


class Version(tuple):  # type: ignore[type-arg]
    """A version in its order: a release is after what comes before it."""

    __slots__ = ()


class _Optional:
    """A value that may be missing."""

    __slots__ = ("there", "value")

    def __init__(self, there: bool, value: Any = None) -> None:
        self.there = there
        self.value = value


class Domains(dict):  # type: ignore[type-arg]
    """Names by domain; a domain that a device has nothing of is empty."""

    def __missing__(self, key: str) -> Any:
        return {}


def chooses(expression: str, device: dict[str, Any]) -> bool:
    """Whether an expression holds for a device: driver, attributes and capacity by domain. Raises Unknown, Failed."""
    try:
        value = _read(expression)({"device": device})
    except RecursionError:
        raise Unknown("an expression of too many parts") from None
    if not isinstance(value, bool):
        raise Unknown(expression)
    return value


def version(text: Any) -> Version | None:
    """A version as text; None: it is none."""
    if not isinstance(text, str):
        return None
    whole, _, _ = text.partition("+")
    core, dash, before = whole.partition("-")
    parts = core.split(".")
    plain = all(part.isascii() and part.isdecimal() and len(part) < 19 and str(int(part)) == part for part in parts)
    if len(parts) != 3 or not plain or (dash and not before):
        return None
    return Version((*(int(part) for part in parts), not dash, before))


@lru_cache(maxsize=512)
def _read(expression: str) -> Value:
    if len(expression) > _LONGEST:
        raise Unknown("an expression of too many signs")
    reader = _Reader(_tokens(expression))
    try:
        value = reader.choice()
    except RecursionError:
        raise Unknown("an expression of too many parts") from None
    if reader.at != len(reader.tokens):
        raise Unknown(expression)
    return value


def _tokens(text: str) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    at = 0
    while at < len(text):
        sign = text[at]
        if sign.isspace():
            at += 1
        elif sign in "\"'":
            end = text.find(sign, at + 1)
            if end < 0 or "\\" in text[at:end]:
                raise Unknown(text)
            found.append(("text", text[at + 1 : end]))
            at = end + 1
        elif sign.isascii() and sign.isdecimal():
            end = at
            while end < len(text) and text[end].isascii() and text[end].isalnum():
                end += 1
            if not text[at:end].isdecimal() or end - at > 18:
                raise Unknown(text)
            found.append(("number", int(text[at:end])))
            at = end
        elif sign.isascii() and (sign.isalpha() or sign == "_"):
            end = at
            while end < len(text) and text[end].isascii() and (text[end].isalnum() or text[end] == "_"):
                end += 1
            found.append(("name", text[at:end]))
            at = end
        else:
            word = next((one for one in _WORDS if text.startswith(one, at)), None)
            if word is None:
                raise Unknown(text)
            found.append(("sign", word))
            at += len(word)
    return found


class _Reader:
    """Reads an expression into what works it out."""

    def __init__(self, tokens: list[tuple[str, Any]]) -> None:
        self.tokens = tokens
        self.at = 0

    def _takes(self, *signs: str) -> str:
        if self.at < len(self.tokens):
            kind, word = self.tokens[self.at]
            if (kind == "sign" or word == "in") and kind != "text" and word in signs:
                self.at += 1
                return str(word)
        return ""

    def _must(self, sign: str) -> None:
        if not self._takes(sign):
            raise Unknown(f"`{sign}` is missing")

    def _name(self) -> str:
        if self.at >= len(self.tokens) or self.tokens[self.at][0] != "name":
            raise Unknown("a name is missing")
        self.at += 1
        return str(self.tokens[self.at - 1][1])

    def choice(self) -> Value:
        """An expression, with what follows a question."""
        asked = self._either()
        if not self._takes("?"):
            return asked
        first = self.choice()
        self._must(":")
        other = self.choice()
        return lambda names: (first if _truth(asked(names)) else other)(names)

    def _either(self) -> Value:
        parts = [self._both()]
        while self._takes("||"):
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else lambda names: _joined(parts, names, True)

    def _both(self) -> Value:
        parts = [self._compared()]
        while self._takes("&&"):
            parts.append(self._compared())
        return parts[0] if len(parts) == 1 else lambda names: _joined(parts, names, False)

    def _compared(self) -> Value:
        left = self._sum()
        while sign := self._takes("==", "!=", "<=", ">=", "<", ">", "in"):
            left = _relation(sign, left, self._sum())
        return left

    def _sum(self) -> Value:
        left = self._product()
        while sign := self._takes("+", "-"):
            left = _reckoned(sign, left, self._product())
        return left

    def _product(self) -> Value:
        left = self._single()
        while sign := self._takes("*", "/", "%"):
            left = _reckoned(sign, left, self._single())
        return left

    def _single(self) -> Value:
        if self._takes("!"):
            value = self._single()
            return lambda names: not _truth(value(names))
        if self._takes("-"):
            value = self._single()
            return _reckoned("-", lambda names: 0, value)
        if self._takes("("):
            value = self.choice()
            self._must(")")
        elif self._takes("["):
            listed = self._listed("]")
            value = lambda names: [one(names) for one in listed]  # noqa: E731
        else:
            value = self._plain()
        return self._rest(value)

    def _listed(self, end: str) -> list[Value]:
        found: list[Value] = []
        while not self._takes(end):
            if found:
                self._must(",")
            found.append(self.choice())
        return found

    def _plain(self) -> Value:
        if self.at >= len(self.tokens):
            raise Unknown("an expression that ends too early")
        kind, word = self.tokens[self.at]
        self.at += 1
        if kind in ("text", "number"):
            return lambda names: word
        if kind != "name":
            raise Unknown(f"`{word}`")
        if word in ("true", "false", "null"):
            return lambda names: {"true": True, "false": False, "null": None}[word]
        if word == "has" and self._takes("("):
            return self._has()
        if word == "cel" and self._takes("."):
            return self._bound()
        if word == "optional" and self._takes("."):
            return self._maybe()
        if self._takes("("):
            given = self._listed(")")
            if word not in _FUNCTIONS:
                raise Unknown(f"`{word}()`")
            return lambda names: _FUNCTIONS[word](*_count(word, [one(names) for one in given]))
        return lambda names: _named(names, word)

    def _has(self) -> Value:
        """``has(map.name)``: the last name is asked for, no more."""
        start = self.at
        self.choice()
        self._must(")")
        end = self.at - 1
        if end - start < 3 or self.tokens[end - 1][0] != "name" or self.tokens[end - 2] != ("sign", "."):
            raise Unknown("`has()` of no name")
        key = self.tokens[end - 1][1]
        inner = _Reader(self.tokens[start : end - 2])
        whole = inner.choice()
        if inner.at != len(inner.tokens):
            raise Unknown("`has()` of no name")
        return lambda names: key in _map(whole(names))

    def _bound(self) -> Value:
        """``cel.bind(name, value, expression)``."""
        if self._name() != "bind":
            raise Unknown("`cel.`")
        self._must("(")
        name = self._name()
        self._must(",")
        value = self.choice()
        self._must(",")
        inner = self.choice()
        self._must(")")
        return lambda names: inner({**names, name: value(names)})

    def _maybe(self) -> Value:
        """``optional.none()`` and ``optional.of(value)``."""
        word = self._name()
        self._must("(")
        given = self._listed(")")
        if word == "none" and not given:
            return lambda names: _Optional(False)
        if word == "of" and len(given) == 1:
            return lambda names: _Optional(True, given[0](names))
        raise Unknown(f"`optional.{word}`")

    def _rest(self, value: Value) -> Value:
        while True:
            if self._takes("["):
                maybe = bool(self._takes("?"))
                key = self.choice()
                self._must("]")
                value = _member(value, key, maybe=maybe)
            elif self._takes("."):
                maybe = bool(self._takes("?"))
                name = self._name()
                if maybe or not self._takes("("):
                    value = _member(value, lambda names, name=name: name, maybe=maybe)  # type: ignore[misc]
                elif name in _MACROS and self._is_macro():
                    value = self._macro(name, value)
                else:
                    value = _called(value, name, self._listed(")"))
            else:
                return value

    def _is_macro(self) -> bool:
        kinds = [self.tokens[at] for at in range(self.at, min(self.at + 2, len(self.tokens)))]
        return len(kinds) == 2 and kinds[0][0] == "name" and kinds[1] == ("sign", ",")

    def _macro(self, name: str, value: Value) -> Value:
        own = self._name()
        self._must(",")
        inner = self.choice()
        self._must(")")

        def worked(names: dict[str, Any]) -> Any:
            listed = value(names)
            if not isinstance(listed, list | dict):
                raise Failed("no such overload")
            parts: list[Value] = [lambda names, one=one: inner({**names, own: one}) for one in listed]  # type: ignore[misc]
            if name in ("all", "exists"):
                return _joined(parts, names, name == "exists") if parts else name == "all"
            found = [part(names) for part in parts]
            if name == "map":
                return found
            held = [one for one, chosen in zip(listed, found, strict=True) if _truth(chosen)]
            return held if name == "filter" else len(held) == 1

        return worked


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Failed("no such overload")
    return value


def _joined(parts: list[Value], names: dict[str, Any], ends: bool) -> bool:
    """What fails counts unless another part decides already: both are commutative."""
    failed: Failed | None = None
    for part in parts:
        try:
            if _truth(part(names)) is ends:
                return ends
        except Failed as error:
            failed = failed or error
    if failed is not None:
        raise failed
    return not ends


def _named(names: dict[str, Any], word: str) -> Any:
    if word not in names:
        raise Unknown(f"`{word}`")
    return names[word]


def _map(value: Any) -> dict[Any, Any]:
    value = value.value if isinstance(value, _Optional) and value.there else value
    if not isinstance(value, dict):
        raise Failed("no such overload")
    return value


def _member(value: Value, key: Value, *, maybe: bool) -> Value:
    def worked(names: dict[str, Any]) -> Any:
        whole, name = value(names), key(names)
        if isinstance(whole, _Optional):
            if not whole.there:
                return whole
            own = _map(whole)
            return _Optional(name in own, own.get(name))
        if isinstance(whole, list) and isinstance(name, int) and not isinstance(name, bool):
            if maybe:
                return _Optional(0 <= name < len(whole), whole[name] if 0 <= name < len(whole) else None)
            if not 0 <= name < len(whole):
                raise Failed(f"index out of bounds: {name}")
            return whole[name]
        own = _map(whole)
        if maybe:
            return _Optional(name in own, own.get(name))
        if name not in own and not isinstance(own, Domains):
            raise Failed(f"no such key: {name}")
        return own[name]

    return worked


def _relation(sign: str, left: Value, right: Value) -> Value:
    def worked(names: dict[str, Any]) -> bool:
        one, other = left(names), right(names)
        if sign == "in":
            if not isinstance(other, list | dict):
                raise Failed("no such overload")
            return any(_equal(one, entry) for entry in other)
        if sign in ("==", "!="):
            return _equal(one, other) is (sign == "==")
        if type(one) is not type(other) or not isinstance(one, int | str | Version):
            raise Failed("no such overload")
        return bool(_RELATIONS[sign](one, other))

    return worked


def _equal(one: Any, other: Any) -> bool:
    """Values of two types are never equal."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_equal(*pair) for pair in zip(one, other, strict=True))
    return type(one) is type(other) and bool(one == other)


def _reckoned(sign: str, left: Value, right: Value) -> Value:
    def worked(names: dict[str, Any]) -> Any:
        one, other = left(names), right(names)
        if sign == "+" and type(one) is type(other) and isinstance(one, str | list):
            return one + other
        if type(one) is not int or type(other) is not int:
            raise Failed("no such overload")
        if sign in "/%" and not other:
            raise Failed("division by zero" if sign == "/" else "modulus by zero")
        if sign in "+-*":
            found = {"+": add, "-": sub, "*": mul}[sign](one, other)
        else:
            # towards zero, as in Go
            whole = abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)
            found = whole if sign == "/" else one - whole * other
        if abs(found) > _MOST:
            raise Failed("integer overflow")
        return found

    return worked


def _quantity(text: Any) -> Quantity:
    found = nano(text) if isinstance(text, str) else None
    if found is None or fault(text, ""):
        raise Failed("quantities must match the regular expression")
    return Quantity(found)


def _semver(text: Any) -> Version:
    found = version(text)
    if found is None:
        raise Failed("Invalid character(s) found in major number")
    return found


def _size(value: Any) -> int:
    if not isinstance(value, str | list | dict):
        raise Failed("no such overload")
    return len(value)


def _whole(value: Any) -> int:
    if isinstance(value, str):
        digits = value[1:] if value[:1] in ("-", "+") else value
        if not (digits.isascii() and digits.isdecimal() and len(digits) < 19):
            raise Failed("type conversion error from 'string' to 'int'")
        return int(value)
    if type(value) is not int:
        raise Unknown("`int()`")
    return value


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if type(value) is int or isinstance(value, str):
        return str(value)
    raise Unknown("`string()`")


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "quantity": _quantity,
    "isQuantity": lambda text: isinstance(text, str) and nano(text) is not None and not fault(text, ""),
    "semver": _semver,
    "isSemver": lambda text: version(text) is not None,
    "size": _size,
    "int": _whole,
    "string": _text,
}


def _count(word: str, given: list[Any]) -> list[Any]:
    if len(given) != 1:
        raise Unknown(f"`{word}()` of {len(given)} values")
    return given


def _called(value: Value, name: str, given: list[Value]) -> Value:
    return lambda names: _method(value(names), name, [one(names) for one in given])


def _method(value: Any, name: str, given: list[Any]) -> Any:
    if isinstance(value, _Optional):
        if name == "orValue" and len(given) == 1:
            return value.value if value.there else given[0]
        if name == "or" and len(given) == 1:
            return value if value.there else given[0]
        if name == "hasValue" and not given:
            return value.there
        if name == "value" and not given:
            if not value.there:
                raise Failed("optional.none() dereference")
            return value.value
        raise Unknown(f"`.{name}()`")
    if name == "size" and not given:
        return _size(value)
    if isinstance(value, Quantity | Version) and len(given) == 1 and type(given[0]) is type(value):
        return _measured(value, name, given[0])
    if isinstance(value, Version) and name in ("major", "minor", "patch") and not given:
        return value[("major", "minor", "patch").index(name)]
    if isinstance(value, Quantity) and not given:
        if name == "sign":
            return (value > 0) - (value < 0)
        if name == "isInteger":
            return value % 10**9 == 0 and abs(value) // 10**9 <= _MOST
        if name == "asInteger" and value % 10**9 == 0 and abs(value) // 10**9 <= _MOST:
            return int(value) // 10**9
    if isinstance(value, str):
        return _of_text(value, name, given)
    if name in ("matches", "startsWith", "endsWith", "contains", "compareTo", "isGreaterThan", "isLessThan"):
        raise Failed("no such overload")
    raise Unknown(f"`.{name}()`")


def _measured(value: Any, name: str, other: Any) -> Any:
    if name == "compareTo":
        return (value > other) - (value < other)
    if name in ("isGreaterThan", "isLessThan"):
        return value > other if name == "isGreaterThan" else value < other
    if name in ("add", "sub") and isinstance(value, Quantity):
        return Quantity(int(value) + int(other) if name == "add" else int(value) - int(other))
    raise Unknown(f"`.{name}()`")


def _of_text(value: str, name: str, given: list[Any]) -> Any:
    if len(given) == 1 and name in ("startsWith", "endsWith", "contains", "matches"):
        other = given[0]
        if not isinstance(other, str):
            raise Failed("no such overload")
        if name == "matches":
            return _matches(value, other)
        return {"startsWith": value.startswith, "endsWith": value.endswith, "contains": value.__contains__}[name](other)
    if not given and name in ("lowerAscii", "upperAscii", "trim"):
        return value.strip() if name == "trim" else value.lower() if name == "lowerAscii" else value.upper()
    if name == "split" and len(given) == 1 and isinstance(given[0], str) and given[0]:
        return value.split(given[0])
    raise Unknown(f"`.{name}()`")


def _matches(value: str, pattern: str) -> bool:
    """Whether a pattern is found; of those that RE2 and Python read alike, and that take no time."""
    import re

    if len(pattern) > 200 or len(value) > 200 or "(?" in pattern or "\\" in pattern or "[[" in pattern:
        raise Unknown(f"the pattern `{pattern[:40]}`")
    # a group that is repeated may take for ever
    if any(sign in pattern for sign in (")*", ")+", "){")):
        raise Unknown(f"the pattern `{pattern[:40]}`")
    try:
        return re.search(pattern, value) is not None
    except re.error:
        raise Unknown(f"the pattern `{pattern[:40]}`") from None
