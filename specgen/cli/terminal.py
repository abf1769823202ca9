"""Streams of one run: manifests and answers to standard output, diagnostics where the verb wants, colour if asked."""

from __future__ import annotations

import os
import sys

from specgen.cli import exits
from specgen.diagnostics.model import ERROR, NOTE, WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from specgen.diagnostics.model import Code, Placer
    from specgen.diagnostics.operations import Edit, Operation, Refusal
    from specgen.session import Session


# What specgen itself failed at (``diagnostics.catalog``).
_BUG = "SG900"
# Least severity that is a bad answer → all that are.
_BAD = {ERROR: (ERROR,), WARNING: (ERROR, WARNING), NOTE: (ERROR, WARNING, NOTE), "never": ()}


class Terminal:
    """What a verb prints through. ``format`` None: human on a terminal, concise in a pipe."""

    __slots__ = ("err", "format", "out", "quiet")

    def __init__(self, *, format: str | None = None, quiet: bool = False) -> None:
        self.out = sys.stdout
        self.err = sys.stderr
        self.format = format
        self.quiet = quiet

    @property
    def columns(self) -> int | None:
        """How wide answers may be; None: as wide as they are, since nobody reads them at a terminal."""
        if not self.out.isatty():
            return None
        from shutil import get_terminal_size

        return max(get_terminal_size((100, 24)).columns, 60)

    def answer(self, text: str) -> None:
        """The result of a command."""
        self.out.write(text)

    def say(self, text: str) -> None:
        """A line to standard error; what it quotes of names and options is made safe to print."""
        from specgen.diagnostics.safe import log_line

        self.err.write(log_line(text) + "\n")

    def form(self, stream: TextIO) -> str:
        """The format of a report to a stream."""
        return self.format or ("human" if stream.isatty() else "concise")

    def conclude(self, session: Session, *, stream: TextIO | None = None, clean: str = "", fail_on: str = ERROR) -> int:
        """Prints what a session found, and returns the exit code that follows from it.

        The report goes to standard error unless another ``stream`` is named. Where there is nothing to report, the
        files that were checked are said to be ``clean``, unless quiet; what was not checked is said in any case.
        ``fail_on``: the least severity of a bad answer, or ``never``.
        """
        diagnostics = session.found()
        stream = stream or self.err
        reported = ""
        # neither of the forms that are chosen here prints anything where nothing is wrong
        if diagnostics or self.format is not None:
            from specgen.diagnostics.render import renderer
            from specgen.diagnostics.report import Report

            report = Report(
                diagnostics,
                files=session.files,
                suppressed=session.suppressed,
                baselined=session.baselined,
                excluded=session.excluded,
                looked_at=session.looked_at,
                page=_page,
                unchecked=session.unchecked,
                judged=session.judged,
                unreadable=session.unreadable,
                text=_Texts(session),
                colour=_colour(stream),
                editor=_edits,
            )
            reported = renderer(self.form(stream))(report)
            stream.write(reported)
        if not reported or self.format != "json":  # which says it all
            self._sum_up(session, clean if not reported else "")
        for sentence in session.unreadable:
            self.say(f"specgen: {sentence}")
        if any([diagnostic["code"] == _BUG for diagnostic in diagnostics]):
            return exits.BUG
        bad = _BAD[fail_on]
        failed = any([diagnostic["severity"] in bad for diagnostic in diagnostics])
        return exits.QUESTION if session.unreadable else exits.BAD if failed else exits.GOOD

    def _sum_up(self, session: Session, clean: str) -> None:
        """How many files are clean, and what was not checked, on standard error.

        ``--quiet`` is for runs whose exit code says enough. It does not where nothing was checked at all: such a run
        ends with 0, and whoever reads that as an answer must have been told. What was left alone beside files that were
        checked is no news there: a hook sees the same charts and playbooks at each commit.
        """
        left = ""
        if session.unchecked:
            from specgen.diagnostics.summary import unchecked  # most runs leave nothing alone

            left = unchecked(session.unchecked)
            if session.unchecked.get("kustomization") and not session.renders:
                left += "; `--kustomize` has kustomizations judged as they are rendered"
        if self.quiet:
            if left and not session.judged:
                self.say(f"nothing is checked: {left}")
            return
        from specgen.diagnostics.model import plural

        ignored = f", {session.suppressed} ignored" if session.suppressed else ""
        ignored += f", {session.baselined} in the baseline" if session.baselined else ""
        ignored += f", {plural(session.excluded, 'file')} left out" if session.excluded else ""
        if clean and (session.judged or session.excluded) and not (left and not session.judged):
            self.say(f"{plural(session.judged, 'file')} {clean}{ignored}" + (f"; not checked: {left}" if left else ""))
        elif left:
            self.say(f"not checked: {left}" if session.judged else f"nothing is checked: {left}")


def _edits(where: Placer, patch: Sequence[Operation]) -> list[Edit] | Refusal:
    from specgen.manifest.edits import edits  # most formats print none

    return edits(where, patch)


def _page(code: str) -> Code | None:
    from specgen.cli.codes import codes  # most formats print no pages

    return codes().get(code)


class _Texts:
    """The lines of files for snippets to quote, without their secrets; of a file that is gone there are none."""

    __slots__ = ("_known", "_session")

    def __init__(self, session: Session) -> None:
        self._session = session
        self._known: dict[str, list[str]] = {}

    def __call__(self, name: str) -> list[str]:
        if name not in self._known:
            text = self._session.text(name)
            self._known[name] = _concealed(name, text).split("\n") if text else []
        return self._known[name]


def _concealed(name: str, text: str) -> str:
    from specgen.document.secrets import concealed
    from specgen.source import Source, is_markdown

    source = Source(name, text)
    if is_markdown(name):
        from specgen.recognise.markdown import blocks

        for block in blocks(source)[0]:
            # what stands around it is as long as it was
            hidden = concealed(block)
            changed = [new if new == "•" else old for old, new in zip(source.text, hidden, strict=True)]
            source = Source(name, "".join(changed))
    return concealed(source)


def _colour(stream: TextIO) -> bool:
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()
