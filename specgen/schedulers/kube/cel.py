"""Expressions by which classes and requests choose devices: as much of CEL as such selectors use.

Kubernetes 1.36, dynamic-resource-allocation/cel/compile.go: ``device.driver``, ``device.attributes["domain"].name``,
``device.capacity["domain"].name`` and what compares them. ``Unknown`` is raised for what is not read here; a name that
a device does not have makes the expression fail for it, which is no choice.
"""

from __future__ import annotations

from specgen.quantity import nano

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_WORDS = ("&&", "||", "==", "!=", "<=", ">=", "(", ")", "[", "]", ".", ",", "!", "<", ">", "-", "+")


class Unknown(Exception):
    """The expression says something that is not read here."""


class Absent(Exception):
    """The device does not have what is asked for."""


def chooses(expression: str, device: dict[str, Any]) -> bool:
    """Whether an expression holds for a device: driver, attributes and capacity by domain. Raises Unknown."""
    reader = _Reader(_tokens(expression), device)
    try:
        value = reader.either()
    except Absent:
        return False
    except (TypeError, RecursionError) as error:
        raise Unknown(str(error)) from None
    if reader.at != len(reader.tokens):
        raise Unknown(expression)
    return value is True


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
        elif sign.isdigit():
            end = at
            while end < len(text) and text[end].isdigit():
                end += 1
            found.append(("number", int(text[at : min(end, at + 18)])))
            at = end
        elif sign.isalpha() or sign == "_":
            end = at
            while end < len(text) and (text[end].isalnum() or text[end] == "_"):
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
    """Reads and works out at once; a part that fails is only felt where its value is needed."""

    def __init__(self, tokens: list[tuple[str, Any]], device: dict[str, Any]) -> None:
        self.tokens = tokens
        self.at = 0
        self._device = device

    def _takes(self, *signs: str) -> str:
        if self.at < len(self.tokens):
            kind, word = self.tokens[self.at]
            if (kind == "sign" or word == "in") and word in signs:
                self.at += 1
                return str(word)
        return ""

    def _must(self, sign: str) -> None:
        if not self._takes(sign):
            raise Unknown(sign)

    def either(self) -> Any:
        parts = [self._tried(self._both)]
        while self._takes("||"):
            parts.append(self._tried(self._both))
        return parts[0] if len(parts) == 1 and parts[0] is not Absent else self._joined(parts, True)

    def _both(self) -> Any:
        parts = [self._tried(self._compared)]
        while self._takes("&&"):
            parts.append(self._tried(self._compared))
        if len(parts) == 1 and parts[0] is not Absent:
            return parts[0]
        return self._joined(parts, False)

    @staticmethod
    def _joined(parts: list[Any], ends: bool) -> bool:
        """An error counts unless another part decides already (CEL: both are commutative)."""
        if ends in parts:
            return ends
        if Absent in parts:
            raise Absent
        if not all(isinstance(part, bool) for part in parts):
            raise Unknown("not a truth")
        return not ends

    def _tried(self, read: Any) -> Any:
        start = self.at
        try:
            return read()
        except Absent:
            # what is not needed any more is passed over
            self.at = start
            self._skip()
            return Absent

    def _skip(self) -> None:
        depth = 0
        while self.at < len(self.tokens):
            kind, word = self.tokens[self.at]
            if kind == "sign":
                if word in ("(", "["):
                    depth += 1
                elif word in (")", "]"):
                    if not depth:
                        return
                    depth -= 1
                elif word in ("&&", "||") and not depth:
                    return
            self.at += 1

    def _compared(self) -> Any:
        left = self._single()
        sign = self._takes("==", "!=", "<=", ">=", "<", ">", "in")
        if not sign:
            return left
        right = self._single()
        if sign == "in":
            return left in right
        if sign in ("==", "!="):
            return (left == right and type(left) is type(right)) is (sign == "==")
        return {"<": left < right, ">": left > right, "<=": left <= right, ">=": left >= right}[sign]

    def _single(self) -> Any:
        if self._takes("!"):
            value = self._single()
            if not isinstance(value, bool):
                raise Unknown("!")
            return not value
        if self._takes("-"):
            return -self._single()
        if self._takes("("):
            value = self.either()
            self._must(")")
            return self._rest(value)
        if self._takes("["):
            listed = []
            while not self._takes("]"):
                listed.append(self._single())
                self._takes(",")
            return listed
        if self.at >= len(self.tokens):
            raise Unknown("end")
        kind, word = self.tokens[self.at]
        self.at += 1
        if kind in ("text", "number"):
            return self._rest(word)
        if word in ("true", "false"):
            return word == "true"
        if word == "device":
            return self._rest(self._device)
        if word in ("quantity", "semver"):
            self._must("(")
            value = self._single()
            self._must(")")
            if word == "quantity":
                return self._rest(nano(value))
        raise Unknown(str(word))

    def _rest(self, value: Any) -> Any:
        while True:
            if self._takes("["):
                key = self._single()
                self._must("]")
                value = _member(value, key)
            elif self._takes("."):
                if self.at >= len(self.tokens):
                    raise Unknown("end")
                name = self.tokens[self.at][1]
                self.at += 1
                value = self._called(value, name) if self._takes("(") else _member(value, name)
            else:
                return value

    def _called(self, value: Any, name: str) -> Any:
        given = []
        while not self._takes(")"):
            given.append(self._single())
            self._takes(",")
        if len(given) == 1:
            other = given[0]
            if name == "compareTo":
                return (value > other) - (value < other)
            if name in ("isGreaterThan", "isLessThan"):
                return value > other if name == "isGreaterThan" else value < other
            if name in ("startsWith", "endsWith", "contains") and isinstance(value, str):
                return {"startsWith": value.startswith, "endsWith": value.endswith, "contains": value.__contains__}[
                    name
                ](other)
        if name in ("lowerAscii", "upperAscii") and isinstance(value, str) and not given:
            return value.lower() if name == "lowerAscii" else value.upper()
        raise Unknown(name)


def _member(value: Any, key: Any) -> Any:
    if not isinstance(value, dict):
        raise Unknown(str(key))
    if key not in value:
        raise Absent
    return value[key]
