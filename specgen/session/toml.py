"""Where the keys and values of a TOML text stand; what they are is read by ``tomllib``, which does not say where.

The text is known to be TOML. A key's path goes by names, that of an array's item by its number.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.source import Path

_BLANK = " \t"
_EMPTY = " \t\r\n"


def places(text: str) -> dict[Path, tuple[int, int]]:
    """Path → (start, end) of its key, or of the item; the first place, where a table is written in parts."""
    scanner = _Scanner(text)
    scanner.run()
    return scanner.found


class _Scanner:
    __slots__ = ("at", "found", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: dict[Path, tuple[int, int]] = {}

    def run(self) -> None:
        table: Path = ()
        while self._next():
            if self.text[self.at] == "[":
                double = self.text.startswith("[[", self.at)
                self.at += 2 if double else 1
                table = self._key(())
                self.at = self.text.index("]", self.at) + (2 if double else 1)
            else:
                self._pair(table)

    def _next(self) -> bool:
        """Over blanks, line ends and comments; whether there is more."""
        while self.at < len(self.text):
            if self.text[self.at] == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif self.text[self.at] in _EMPTY:
                self.at += 1
            else:
                return True
        return False

    def _blanks(self) -> None:
        while self.text[self.at : self.at + 1] and self.text[self.at] in _BLANK:
            self.at += 1

    def _pair(self, table: Path) -> None:
        path = self._key(table)
        self.at = self.text.index("=", self.at) + 1
        self._blanks()
        self._value(path)

    def _key(self, path: Path) -> Path:
        """A key with dots, below a path."""
        while True:
            self._blanks()
            start = self.at
            if self.text[self.at] in "\"'":
                self._string()
                name = self._plain(start)
            else:
                while self.text[self.at].isalnum() or self.text[self.at] in "_-":
                    self.at += 1
                name = self.text[start : self.at]
            path = (*path, name)
            self.found.setdefault(path, (start, self.at))
            self._blanks()
            if self.text[self.at] != ".":
                return path
            self.at += 1

    def _plain(self, start: int) -> str:
        """A quoted key without its quotes."""
        from tomllib import loads

        return next(iter(loads(f"{self.text[start : self.at]} = 0")))

    def _string(self) -> None:
        quote = self.text[self.at]
        sign = quote * 3 if self.text.startswith(quote * 3, self.at) else quote
        self.at += len(sign)
        while not self.text.startswith(sign, self.at):
            self.at += 2 if quote == '"' and self.text[self.at] == "\\" else 1
        self.at += len(sign)
        # two more quotes may stand at the end of a long text
        while len(sign) == 3 and self.text[self.at : self.at + 1] == quote:
            self.at += 1

    def _value(self, path: Path) -> None:
        sign = self.text[self.at]
        if sign in "\"'":
            self._string()
        elif sign == "[":
            self.at += 1
            number = 0
            while self._next() and self.text[self.at] != "]":
                start = self.at
                self._value((*path, number))
                self.found[(*path, number)] = (start, self.at)
                number += 1
                if self._next() and self.text[self.at] == ",":
                    self.at += 1
            self.at += 1
        elif sign == "{":
            self.at += 1
            while self._next() and self.text[self.at] != "}":
                self._pair(path)
                if self._next() and self.text[self.at] == ",":
                    self.at += 1
            self.at += 1
        else:
            while self.text[self.at : self.at + 1] not in ("", ",", "]", "}", "\n", "#"):
                self.at += 1
