"""The value of a shell's sum, `$((…))`, with the variables that it changes.

As bash 5 has it (bash(1), ARITHMETIC EVALUATION): whole numbers of 64 bits, with C's signs, in C's order but for signs
of one number, which come before `**`. What is not known makes what follows from it unknown, and is never guessed.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_TOKENS = re.compile(
    r"\s*(?:(\d+#[\w@]+|0[xX][\da-fA-F]+|\d+)|([A-Za-z_]\w*)"
    r"|(\*\*|<<=|>>=|<<|>>|\+\+|--|&&|\|\||[-+*/%&|^<>=!]=|[-+*/%<>&^|?:=,()!~\[\]]))",
    re.ASCII,
)
# The signs between two numbers, those that bind least first.
_ORDER: tuple[tuple[str, ...], ...] = (
    *(("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", ">", "<=", ">=")),
    *(("<<", ">>"), ("+", "-"), ("*", "/", "%")),
)
_ASSIGNS = ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=")
_LARGEST = 1 << 63
# A longer sum, and one that nests deeper, is not looked at.
_LONGEST = 1024
_DEEPEST = 24


class _Wrong(Exception):
    """It is none, or nests too deep."""


class Sum:
    """A sum: its ``value``, None where nobody knows it, and ``changes``, the variables that it sets, with their values.

    ``names``: variables of which it sets one word of a list, whatever that becomes.
    """

    __slots__ = ("_at", "_deep", "_doubt", "_read", "_skips", "_tokens", "changes", "names", "value")

    def __init__(self, text: str, read: Callable[[str, int | None], str | None], deep: int = 0) -> None:
        """``read``: gives a variable's text, or that of a word of a list; None where nobody knows it."""
        self._read = read
        self._deep = deep
        self._at = 0
        # whether what is read is not reckoned, and whether nobody knows that
        self._skips = self._doubt = False
        self._tokens: list[str] = []
        self.changes: dict[str, int | None] = {}
        self.names: set[str] = set()
        self.value: int | None = None
        try:
            self._split(text)
            self.value = self._listed() if self._tokens else 0
            if self._at < len(self._tokens):
                raise _Wrong
        except _Wrong:
            self.value = None
            self.changes = dict.fromkeys(re.findall(r"[A-Za-z_]\w*", text[:_LONGEST], re.ASCII))

    def _split(self, text: str) -> None:
        text, at = text.rstrip(), 0
        if len(text) > _LONGEST or self._deep > _DEEPEST:
            raise _Wrong
        while at < len(text):
            match = _TOKENS.match(text, at)
            if match is None:
                raise _Wrong
            self._tokens.append(match[0].strip())
            at = match.end()

    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _takes(self, *signs: str) -> str:
        sign = self._next()
        if not sign or sign not in signs:
            return ""
        self._at += 1
        return sign

    def _needs(self, sign: str) -> None:
        if not self._takes(sign):
            raise _Wrong

    def _listed(self) -> int | None:
        value = self._assigned()
        while self._takes(","):
            value = self._assigned()
        return value

    def _assigned(self) -> int | None:
        """An assignment, or a choice."""
        begin = self._at
        if self._next()[:1].isalpha() or self._next()[:1] == "_":
            name, index, is_word = self._named()
            if sign := self._takes(*_ASSIGNS):
                before = self._of(name, index, is_word=is_word) if sign != "=" else None
                value = self._inside(self._assigned)
                value = self._two(sign[:-1], before, value) if sign != "=" else value
                return self._set(name, value, is_word=is_word)
            self._at = begin
        return self._chosen()

    def _inside(self, part: Callable[[], int | None]) -> int | None:
        """A part that stands deeper."""
        self._deep += 1
        if self._deep > _DEEPEST:
            raise _Wrong
        value = part()
        self._deep -= 1
        return value

    def _chosen(self) -> int | None:
        asked = self._joined(0)
        if not self._takes("?"):
            return asked
        first = self._where(self._assigned, skips=asked == 0, doubt=asked is None)
        self._needs(":")
        other = self._where(self._chosen, skips=asked not in (0, None), doubt=asked is None)
        return first if asked or (asked is None and first == other) else other if asked == 0 else None

    def _where(self, part: Callable[[], int | None], *, skips: bool, doubt: bool) -> int | None:
        """A part that is not reckoned, or may not be."""
        before = self._skips, self._doubt
        self._skips, self._doubt = self._skips or skips, self._doubt or doubt
        value = self._inside(part)
        self._skips, self._doubt = before
        return value

    def _joined(self, level: int) -> int | None:
        """Numbers with signs between them that bind at least as much as those of a level."""
        if level == len(_ORDER):
            return self._raised()
        value = self._joined(level + 1)
        while sign := self._takes(*_ORDER[level]):
            if sign in ("&&", "||"):
                ends = value is not None and (value != 0) is (sign == "||")
                other = self._where(lambda: self._joined(level + 1), skips=ends, doubt=value is None)
                value = self._either(sign, value, other)
            else:
                value = self._two(sign, value, self._joined(level + 1))
        return value

    def _either(self, sign: str, value: int | None, other: int | None) -> int | None:
        decides = [one is not None and (one != 0) is (sign == "||") for one in (value, other)]
        if any(decides):
            return int(sign == "||")
        return None if None in (value, other) else int(sign == "&&")

    def _raised(self) -> int | None:
        value = self._single()
        if not self._takes("**"):
            return value
        power = self._inside(self._raised)
        self._check(fails=power is not None and power < 0)
        if value is None or power is None or not 0 <= power < 64:
            return None
        return self._fits(value**power)

    def _single(self) -> int | None:
        if sign := self._takes("++", "--"):
            name, index, is_word = self._named()
            value = self._two(sign[0], self._of(name, index, is_word=is_word), 1)
            return self._set(name, value, is_word=is_word)
        if sign := self._takes("-", "+", "!", "~"):
            value = self._inside(self._single)
            if value is None:
                return None
            return {"-": -value, "+": value, "!": int(not value), "~": ~value}[sign]
        if self._takes("("):
            value = self._inside(self._listed)
            self._needs(")")
            return value
        word = self._next()
        if word[:1].isdigit():
            self._at += 1
            return _number(word)
        name, index, is_word = self._named()
        value = self._of(name, index, is_word=is_word)
        if sign := self._takes("++", "--"):
            self._set(name, self._two(sign[0], value, 1), is_word=is_word)
        return value

    def _named(self) -> tuple[str, int | None, bool]:
        """(name, number of a word of it, whether it is one)."""
        name = self._next()
        if not (name[:1].isalpha() or name[:1] == "_"):
            raise _Wrong
        self._at += 1
        if not self._takes("["):
            return name, None, False
        index = self._inside(self._listed)
        self._needs("]")
        return name, index, True

    def _of(self, name: str, index: int | None, *, is_word: bool) -> int | None:
        if self._skips:
            return None
        if is_word:
            text = self._read(name, index) if index is not None and name not in self.changes else None
        elif name in self.changes:
            return self.changes[name]
        else:
            text = self._read(name, None)
        if text is None:
            return None
        if text.isascii() and text.isdigit():
            return _number(text)
        inner = Sum(text, self._read, self._deep + 1)
        return inner.value if not inner.changes else None

    def _set(self, name: str, value: int | None, *, is_word: bool) -> int | None:
        if self._skips:
            return None
        if is_word:
            self.names.add(name)
        else:
            self.changes[name] = None if self._doubt else value
        return value

    def _two(self, sign: str, left: int | None, right: int | None) -> int | None:
        if left is None or right is None:
            return None
        if sign in ("/", "%"):
            self._check(fails=not right)
            if not right:
                return None
            whole = abs(left) // abs(right) * (1 if (left < 0) is (right < 0) else -1)
            return whole if sign == "/" else left - whole * right
        if sign in ("<<", ">>"):
            if not 0 <= right < 63:
                return None
            return self._fits(left << right) if sign == "<<" else left >> right
        compared = {"<": left < right, ">": left > right, "<=": left <= right, ">=": left >= right}
        compared |= {"==": left == right, "!=": left != right}
        if sign in compared:
            return int(compared[sign])
        others = {"+": left + right, "-": left - right, "&": left & right, "|": left | right, "^": left ^ right}
        return self._fits(left * right if sign == "*" else others[sign])

    def _check(self, *, fails: bool) -> None:
        """Ends the whole sum where it fails for certain: nothing of it has a value."""
        if fails and not self._skips and not self._doubt:
            raise _Wrong

    def _fits(self, value: int) -> int | None:
        return value if -_LARGEST <= value < _LARGEST else None


def _number(text: str) -> int | None:
    """A number as a shell has it: `8`, `010`, `0x10` and `2#101`; None where it is none."""
    base, sign, digits = text.partition("#")
    try:
        if sign:
            value = int(digits, int(base)) if 1 < int(base) <= 36 else -1
        elif text[:1] == "0" and len(text) > 1:
            value = int(text, 16) if text[1] in "xX" else int(text, 8)
        else:
            value = int(text)
    except ValueError:
        return None
    return value if 0 <= value < _LARGEST else None
