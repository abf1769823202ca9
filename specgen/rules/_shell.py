"""The commands of a shell's text, as far as they can be told without a shell: words, what ends them, where they stand.

Read from POSIX 2017, Shell Command Language, 2.2 to 2.4 and 2.7. Variables are not expanded: such words are ``open``.
"""

from __future__ import annotations

SHELLS = ("sh", "bash", "dash", "ash", "ksh", "zsh")
_BLANK = " \t\r"
_ENDS = "\n;&|"
# Words that make commands parts of a larger one, or hand signals on: who stays and who goes is then not told here.
_COMPOUND = ("if", "for", "while", "until", "case", "{", "!", "[[", "function", "trap", "wait")


class Word:
    """A word without its quotes, the range of the text that it was, and whether a shell would still expand it."""

    __slots__ = ("end", "open", "start", "text")

    def __init__(self, text: str, start: int, end: int, open: bool) -> None:
        self.text = text
        self.start = start
        self.end = end
        self.open = open


class Script:
    """Commands as (words, the sign that ends them), and whether they stand simply one after another."""

    __slots__ = ("commands", "simple")

    def __init__(self) -> None:
        self.commands: list[tuple[list[Word], str]] = []
        self.simple = True


def parse(text: str) -> Script | None:
    """The commands of a text; None where a quote or a bracket is not closed, or a here-document follows."""
    script = Script()
    words: list[Word] = []
    at, drop = 0, False  # drop: the next word is the file of a redirection
    while at < len(text):
        sign = text[at]
        if sign in _BLANK or text.startswith("\\\n", at):
            at += 1 if sign in _BLANK else 2
        elif sign == "#":
            at = text.find("\n", at)
            at = len(text) if at < 0 else at
        elif sign in "<>" or text.startswith("&>", at):
            if text.startswith("<<", at):
                return None
            if words and words[-1].end == at and words[-1].text.isdigit():
                words.pop()
            while at < len(text) and text[at] in "<>&|":
                at += 1
            drop = True
        elif sign in _ENDS or sign in "()":
            end = text[at : at + 2] if text[at : at + 2] in ("&&", "||", ";;") else sign
            script.simple = script.simple and end not in ("(", ")", ";;")
            _end(script, words, end)
            words, at = [], at + len(end)
        else:
            word = _word(text, at)
            if word is None:
                return None
            if not drop:
                words.append(word)
            at, drop = word.end, False
    _end(script, words, "")
    return script


def sign_at(text: str, sign: str, start: int) -> int:
    """Where `&` or `|` stands from ``start`` on, by itself: neither twice nor a part of a redirection; -1: nowhere."""
    for at in range(start, len(text)):
        near = text[at - 1 : at] + text[at + 1 : at + 2]
        if text[at] == sign and sign not in near and ">" not in near and text[at - 1 : at] not in ("\\", "|"):
            return at
    return -1


def _end(script: Script, words: list[Word], end: str) -> None:
    if words:
        script.simple = script.simple and words[0].text not in _COMPOUND
        script.commands.append((words, end))


def _word(text: str, start: int) -> Word | None:
    """The word that begins at ``start``."""
    out, at, open = "", start, False
    while at < len(text) and text[at] not in " \t\r\n;&|<>()":
        sign = text[at]
        if sign == "\\":
            out += text[at + 1 : at + 2].replace("\n", "")
            at += 2
        elif sign == "'":
            end = text.find("'", at + 1)
            if end < 0:
                return None
            out += text[at + 1 : end]
            at = end + 1
        elif sign == '"':
            end = at + 1
            while end < len(text) and text[end] != '"':
                end += 2 if text[end] == "\\" else 1
            if end >= len(text):
                return None
            inner = text[at + 1 : end]
            open = open or "$" in inner or "`" in inner
            out += inner.replace('\\"', '"').replace("\\\\", "\\").replace("\\\n", "")
            at = end + 1
        elif sign in "$`":
            end = _expansion(text, at)
            if end < 0:
                return None
            out, open, at = out + text[at:end], True, end
        else:
            out += sign
            at += 1
    return Word(out, start, min(at, len(text)), open)


def _expansion(text: str, at: int) -> int:
    """Where ``$NAME``, ``${…}``, ``$(…)``, or a command in backticks ends; -1 where it does not."""
    if text[at] == "`":
        return text.find("`", at + 1) + 1 or -1
    if text.startswith("${", at):
        return text.find("}", at) + 1 or -1
    if not text.startswith("$(", at):
        return at + 1
    depth = 0
    for place in range(at + 1, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth == 0:
            return place + 1
    return -1
