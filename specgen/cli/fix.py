"""Mend manifests and profiles: what ``lint`` finds, and one edit puts right.

Safe fixes are applied: what stood there could not work and has one reading, or the cluster sees the same objects as
before. ``--unsafe`` applies the others too: most likely what was meant, but a job that runs today would behave
differently, ask for more, or gain a privilege. Every byte that no fix is about stays. Each fix is proven before the
file is written: the text is read again, by two readers, and linted again. Files that ``specgen build`` wrote are left
alone, as are those that changed in the meantime. Printed is what was mended, and what is left.
"""

from __future__ import annotations

import os

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from specgen.cli.terminal import Terminal
    from specgen.session import Session
    from specgen.session.files import Files
    from specgen.session.repair import Repair
    from specgen.source import Source

HELP = "mend what one edit puts right"


def add(parser: ArgumentParser) -> None:
    """Options of the verb: those of ``lint``, and its own."""
    from specgen.cli.lint import options

    options(parser, standard_input=False)
    parser.add_argument("--unsafe", action="store_true", help="apply fixes too that change what a job does today")
    parser.add_argument(
        "--diff", action="store_true", help="print the changes and write nothing; exit code 1 if there are any"
    )


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    from specgen.cli.files import DiskFiles, opened
    from specgen.cli.lint import asked_of, rendering
    from specgen.diagnostics.model import BadQuestion, plural
    from specgen.session.repair import repair

    if "-" in options.files:
        raise BadQuestion("standard input is not mended", "name the file, or see what is wrong by `specgen lint -`")

    asked = asked_of(options)

    def lint(files: Files) -> Session:
        session = opened(cluster=options.cluster, variant=options.variant, files=files, options=asked)
        session.lint(options.files, crds=options.crds, render=rendering())
        return session

    trees = _Trees()
    outcome = repair(DiskFiles(), lint, unsafe=options.unsafe, fixed=lambda name: not trees.holds(name))
    for diagnostic in outcome.failed:
        where = diagnostic["primary"]
        place = f"{where['file']}:{where['start']['line']}"
        terminal.say(f"error[SG900]: the fix of {diagnostic['code']} at {place} did not mend it, and was left out")
        terminal.say("  = help: this is a bug in specgen, please report it with the input that caused it")
    found = {diagnostic["primary"]["file"] for diagnostic in outcome.session.found()}
    for name, profile in trees.owned.items():
        if name in found:
            terminal.say(f"specgen: {name} is left alone: `specgen build` writes it{profile}")
    if options.diff:
        for before, after in outcome.changed.values():
            terminal.answer(_diff(before, after))
    else:
        _write(outcome, terminal)
    if not terminal.quiet:
        _tell(outcome, terminal, written=not options.diff)
    code = terminal.conclude(outcome.session, stream=terminal.err if options.diff else terminal.out, clean="clean")
    if outcome.mended and not terminal.quiet:
        verb = "would be fixed" if options.diff else "fixed"
        terminal.say(f"{plural(len(outcome.mended), 'problem')} {verb} in {plural(len(outcome.changed), 'file')}")
    if outcome.failed:
        return exits.BUG
    return exits.BAD if code == exits.GOOD and options.diff and outcome.changed else code


def _tell(outcome: Repair, terminal: Terminal, *, written: bool) -> None:
    for diagnostic in outcome.mended:
        where, fix = diagnostic["primary"], diagnostic["fix"]
        if fix is not None and where["file"] in outcome.changed:
            verb = "fixed" if written else "would fix"
            place = f"{where['file']}:{where['start']['line']}"
            terminal.say(f"{place}: {verb} {diagnostic['code']}: {fix['title']}")


def _write(outcome: Repair, terminal: Terminal) -> None:
    from specgen.cli.files import DiskFiles, write_text

    for name, (before, after) in list(outcome.changed.items()):
        now, _ = DiskFiles().named(name)
        if now is None or now.text != before.text or now.bom != before.bom:
            outcome.session.unreadable.append(f"{name} changed while it was being mended, and is left as it is")
            del outcome.changed[name]
            continue
        try:
            # a link stays a link
            write_text(os.path.realpath(name), "\ufeff" * after.bom + after.text)
        except OSError as error:
            reason = (error.strerror or "it cannot be written").lower()
            outcome.session.unreadable.append(f"{name} cannot be written: {reason}")
            del outcome.changed[name]


def _diff(before: Source, after: Source) -> str:
    from difflib import unified_diff

    lines = unified_diff(
        before.text.splitlines(keepends=True),
        after.text.splitlines(keepends=True),
        f"a/{before.name}",
        f"b/{after.name}",
    )
    return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)


class _Trees:
    """Output trees that files may lie in: what ``specgen build`` wrote is mended in its profile."""

    __slots__ = ("_lists", "owned")

    def __init__(self) -> None:
        # folder → the files that it lists, with their profiles
        self._lists: dict[str, dict[str, str]] = {}
        # file → the profile that it comes from as a clause, of those that were asked for
        self.owned: dict[str, str] = {}

    def holds(self, name: str) -> bool:
        """Whether a file is one that ``specgen build`` wrote."""
        from specgen.emit.ownership import NOBODY

        folder = os.path.dirname(os.path.abspath(name))
        inner = os.path.basename(name)
        while True:
            profile = self._of(folder).get(inner)
            if profile is not None:
                where = os.path.normpath(os.path.join(os.path.relpath(folder), profile))
                self.owned[name] = f" from {where}" if profile != NOBODY else ""
                return True
            above = os.path.dirname(folder)
            if above == folder:
                return False
            inner = f"{os.path.basename(folder)}/{inner}"
            folder = above

    def _of(self, folder: str) -> dict[str, str]:
        if folder not in self._lists:
            from specgen.emit.ownership import FILE, read

            try:
                with open(os.path.join(folder, FILE), encoding="utf-8", newline="") as file:
                    owned = read(file.read()) or {}
            except (OSError, UnicodeDecodeError):
                owned = {}
            self._lists[folder] = {path: profile for path, (_, profile) in owned.items()}
        return self._lists[folder]
