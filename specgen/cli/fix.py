"""Mend manifests and profiles: what ``lint`` finds, and one edit puts right.

Safe fixes are applied: what stood there could not work and has one reading, or the cluster sees the same objects as
before. ``--unsafe`` applies the others too: most likely what was meant, but a job that runs today would behave
differently, ask for more, or gain a privilege. Every byte that no fix is about stays. Each fix is proven before the
file is written: the text is read again, by two readers, and linted again. Files that ``specgen build`` wrote are left
alone, as are those that changed in the meantime, and findings that ``--baseline`` accepts. Printed is what was mended,
and what is left.
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
EXAMPLES = (
    ("specgen fix --diff manifest.yaml", "what would be mended; nothing is written"),
    ("specgen fix --unsafe slips.yaml", "mend also what changes what the job does"),
)


def add(parser: ArgumentParser) -> None:
    """Options of the verb: those of ``lint``, and its own."""
    from specgen.cli.lint import BASELINE, options, verdict

    options(parser, standard_input=False)
    parser.add_argument("--baseline", metavar="FILE", help=BASELINE.replace("reported", "mended and reported"))
    verdict(parser)
    parser.add_argument("--unsafe", action="store_true", help="apply fixes too that change what a job does today")
    parser.add_argument(
        "--diff", action="store_true", help="print the changes and write nothing; exit code 1 if there are any"
    )


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    from specgen.cli.files import DiskFiles, day
    from specgen.cli.lint import asked_of, fail_on, rendering
    from specgen.diagnostics.model import UNSAFE, BadQuestion, plural
    from specgen.session import Session
    from specgen.session.repair import repair

    if "-" in options.files:
        raise BadQuestion("standard input is not mended", "name the file, or see what is wrong by `specgen lint -`")

    asked = asked_of(options)
    baseline = None
    if options.baseline is not None:
        from specgen.session.baseline import opened

        baseline = opened(DiskFiles(), options.baseline)

    def lint(files: Files) -> Session:
        session = Session(
            files, cluster=options.cluster, variant=options.variant, today=day(), options=asked, baseline=baseline
        )
        session.lint(options.files, crds=options.crds, render=rendering())
        return session

    trees = _Trees()
    outcome = repair(
        DiskFiles(mib=options.max_input), lint, unsafe=options.unsafe, fixed=lambda name: not trees.holds(name)
    )
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
    stream = terminal.err if options.diff else terminal.out
    code = terminal.conclude(outcome.session, stream=stream, clean="clean", fail_on=fail_on(options))
    left = [
        one for one in outcome.session.found() if one["fix"] is not None and one["primary"]["file"] not in trees.owned
    ]
    waiting = len(outcome.waiting)
    more = 0 if options.unsafe else sum(one["fix"]["applicability"] == UNSAFE for one in left if one["fix"] is not None)
    if (outcome.mended or more) and not terminal.quiet:
        verb = "would be fixed" if options.diff else "fixed"
        said = f"{plural(len(outcome.mended), 'problem')} {verb} in {plural(len(outcome.changed), 'file')}"
        also = f"{more} {'more ' if outcome.mended else ''}can be with `--unsafe`" if more else ""
        if waiting:
            also = f"{waiting} more {'is' if waiting == 1 else 'are'} of what was moved, and can be with the next run"
        terminal.say("; ".join(filter(None, (said if outcome.mended else f"nothing {verb}", also))))
    if outcome.failed:
        return exits.BUG
    changes = options.diff and outcome.changed and not options.exit_zero
    return exits.BAD if code == exits.GOOD and changes else code


def _tell(outcome: Repair, terminal: Terminal, *, written: bool) -> None:
    for diagnostic in outcome.mended:
        where, fix = diagnostic["primary"], diagnostic["fix"]
        if fix is not None and where["file"] in outcome.changed:
            verb = "fixed" if written else "would fix"
            place = f"{where['file']}:{where['start']['line']}"
            terminal.say(f"{place}: {verb} {diagnostic['code']}: {fix['title']}")


def _write(outcome: Repair, terminal: Terminal) -> None:
    from specgen.cli.files import DiskFiles
    from specgen.cli.rewrite import reason, write_text

    left: dict[str, str] = {}
    # file, links followed → the name that it was written by
    written: dict[str, str] = {}
    for name, (before, after) in list(outcome.changed.items()):
        whole = os.path.realpath(name)
        if whole in written:
            first = written[whole]
            if outcome.changed[first][1].text == after.text:
                outcome.leave_out(name)  # it is mended, and was counted
            else:
                left[name] = f"{name} is the file {first}, and would be mended differently"
            continue
        now, _ = DiskFiles().named(name)
        if now is None or now.text != before.text or now.bom != before.bom:
            left[name] = f"{name} changed while it was being mended, and is left as it is"
            continue
        try:
            write_text(name, "\ufeff" * after.bom + after.text)
            written[whole] = name
        except OSError as error:
            left[name] = f"{name} cannot be written: {reason(error)}"
    if left:
        outcome.take_back(left)
        outcome.session.unreadable += left.values()


def _diff(before: Source, after: Source) -> str:
    """The changes as a unified diff, without secrets and safe to print."""
    from difflib import SequenceMatcher

    from specgen.diagnostics.safe import log_line, printable
    from specgen.document.secrets import concealed

    old, new = (one.text.splitlines(keepends=True) for one in (before, after))
    # a secret that changes is a change, though it is not shown
    shown = [concealed(one).splitlines(keepends=True) for one in (before, after)]
    lines = [f"--- a/{printable(before.name)}", f"+++ b/{printable(after.name)}"]
    for group in SequenceMatcher(None, old, new).get_grouped_opcodes(3):
        first, last = group[0], group[-1]
        lines.append(f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@")
        for word, *spans in group:
            sides = ((" ", 0),) if word == "equal" else (("-", 0), ("+", 1))
            for sign, side in sides:
                for line in shown[side][spans[2 * side] : spans[2 * side + 1]]:
                    body = line.rstrip("\n").removesuffix("\r")
                    end = line[len(body) :].removesuffix("\n")
                    lines.append(log_line(sign + body, tabs=True) + end)
                    if not line.endswith("\n"):
                        lines.append("\\ No newline at end of file")
    return "".join(f"{line}\n" for line in lines)


def _range(start: int, stop: int) -> str:
    """A range of lines as unified diffs say it."""
    if stop - start == 1:
        return str(start + 1)
    return f"{start + (stop > start)},{stop - start}"


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
            from specgen.cli.files import lines
            from specgen.emit.ownership import FILE, read

            owned = read("\n".join(lines(os.path.join(folder, FILE)))) or {}
            self._lists[folder] = {path: profile for path, (_, profile) in owned.items()}
        return self._lists[folder]
