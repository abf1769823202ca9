"""Streams of one run: manifests and answers to standard output, diagnostics where the verb wants, colour if asked."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TextIO

    from specgen.diagnostics.model import Diagnostic

FORMATS = ("human", "concise", "json")


class Terminal:
    """What a verb prints through. ``format`` None: human on a terminal, concise in a pipe."""

    __slots__ = ("err", "format", "out", "quiet")

    def __init__(self, *, format: str | None = None, quiet: bool = False) -> None:
        self.out = sys.stdout
        self.err = sys.stderr
        self.format = format
        self.quiet = quiet

    def answer(self, text: str) -> None:
        """The result of a command."""
        self.out.write(text)

    def say(self, text: str) -> None:
        """A line to standard error; what it quotes of names and options is made safe to print."""
        from specgen.diagnostics.render.safe import printable

        self.err.write(printable(text) + "\n")

    def report(
        self, diagnostics: list[Diagnostic], *, files: int, stream: TextIO, suppressed: int = 0, what: str = "clean"
    ) -> None:
        """Diagnostics in the chosen format; on success one line to standard error, unless quiet."""
        chosen = self.format or ("human" if stream.isatty() else "concise")
        if chosen == "json":
            from specgen.diagnostics.render import json as renderer

            stream.write(renderer.render(diagnostics, files=files, suppressed=suppressed))
            return
        if not diagnostics:
            if not self.quiet:
                from specgen.diagnostics.model import plural

                self.say(f"{plural(files, 'file')} {what}" + (f", {suppressed} ignored" if suppressed else ""))
            return
        if chosen == "human":
            from specgen.diagnostics.render import human

            stream.write(
                human.render(diagnostics, files=files, suppressed=suppressed, lines=_lines, colour=_colour(stream))
            )
        else:
            from specgen.diagnostics.render import concise

            stream.write(concise.render(diagnostics))


_cache: dict[str, list[str]] = {}


def remember(name: str, text: str) -> None:
    """Keeps the text of a source that cannot be read again: standard input, ``--set``."""
    _cache[name] = text.split("\n")


def _lines(name: str, numbers: Iterable[int]) -> dict[int, str]:
    """The lines of a file that a snippet quotes; nothing where the file is gone."""
    from specgen.diagnostics.sources import quoted

    if name not in _cache:
        try:
            with open(name, encoding="utf-8-sig", errors="replace", newline="") as file:
                _cache[name] = file.read().split("\n")
        except OSError:
            _cache[name] = []
    return quoted(_cache[name], numbers)


def _colour(stream: Any) -> bool:
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()
