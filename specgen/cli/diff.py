"""Say what changed between two states of jobs, in words of the job, and what the update does to one that runs.

  specgen diff old.yaml new.yaml                                  two profiles, or manifests of any kind
  specgen diff out/ profiles/                                     a rendered tree against what its profiles come to now
  specgen diff origin/main:profiles profiles                      what a branch changes
  specgen diff HEAD~1: HEAD:                                      two commits, the whole repository
  kubectl get pytorchjob bert -o yaml | specgen diff - bert.yaml  what an update of a live job would change

A revision is written as git writes it, REV:PATH; the path counts from the root of the repository, and is empty for all
of it. git is asked for the files alone: no hook, filter, pager or program of a configuration runs.

Jobs are the same where group, kind, namespace and name are. Each change comes with what becomes of it in a job that
runs: refused (and by whom), a restart, in place, no pod that exists, or no pod at all; by the release of the operator
that the cluster profile names, else the newest that is known. What the API server, operators and Kueue write into a
live object is no difference, and with standard input only its jobs are compared.

The exit code is that of diff: 0 without a difference, 1 with one (or with a job that cannot be read or built, the
others are compared all the same), 2 where a question is wrong. --exit-zero turns 1 into 0, for a comment in CI.
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable

    from specgen.cli.files import DiskFiles
    from specgen.cli.terminal import Terminal
    from specgen.pipeline import Text
    from specgen.session import Session
    from specgen.session.jobs import Jobs

HELP = "say what changed of jobs, and what the update does to one that runs"
FORMATS = ("text", "json", "markdown")


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    from specgen.cli.options import max_input

    said = "a profile, a manifest, a folder of them, a tree that was built, REV:PATH, or - for standard input"
    parser.add_argument("old", metavar="OLD", help=said)
    parser.add_argument("new", metavar="NEW", help="the same")
    parser.add_argument("--cluster", metavar="FILE", help="the cluster profile by which both sides are judged")
    parser.add_argument("--format", dest="form", choices=FORMATS, default="text", help="form of the answer")
    parser.add_argument("--exit-zero", action="store_true", help="end with 0 where there are differences")
    parser.add_argument("-q", "--quiet", action="store_true", help="say nothing where nothing changed")
    max_input(parser)


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    from specgen.cli import differences
    from specgen.diagnostics.model import BadQuestion
    from specgen.session.compare import companions, compare

    names = options.old, options.new
    if names == ("-", "-"):
        raise BadQuestion("standard input can be one of the two sides")
    if options.cluster == "-":
        raise BadQuestion("both sides are judged by the cluster profile: name a file")
    (old_files, old_name), (new_files, new_name) = (_files(name, options.max_input) for name in names)
    untouched = None
    if "-" not in names:
        from specgen.cli.untouched import Untouched

        untouched = Untouched((old_files, new_files), (old_name, new_name))
    before, old = _side(old_files, old_name, options, None if untouched is None else untouched.of(0))
    after, new = _side(new_files, new_name, options, None if untouched is None else untouched.of(1))
    only = "old" if options.old == "-" else "new" if options.new == "-" else ""
    pairs = compare(old, new, (before, after), only=only)
    beside = [] if only else companions(old, new)
    code = max(terminal.conclude(session) for session in (before, after))
    same = untouched.count if untouched is not None else 0
    if code == exits.GOOD and not (same or old.jobs or new.jobs):
        terminal.say(f"specgen: neither {options.old} nor {options.new} holds a job")
        return exits.QUESTION
    answer = differences.rendered(pairs, beside, options.form, names)
    if answer:
        terminal.answer(answer)
    if beside or any(pair.is_changed for pair in pairs):
        code = max(code, exits.BAD)
    elif not options.quiet and options.form == "text" and code == exits.GOOD:
        terminal.say("nothing changed")
    return exits.GOOD if options.exit_zero and code == exits.BAD else code


def _side(
    files: DiskFiles, name: str, options: Namespace, unless: Callable[[Text], bool] | None
) -> tuple[Session, Jobs]:
    """The session of one side, and its jobs."""
    from specgen.cli.files import opened
    from specgen.diagnostics.model import ERROR
    from specgen.session.jobs import Jobs

    session = opened(cluster=options.cluster, files=files)
    jobs = Jobs()
    for text, result in session.expand([name], unless):
        jobs.take(text, result, session)
    if session.unreadable:
        jobs.broken.append((name, ""))
    # what is merely advised is said where it comes or goes with the change
    session.diagnostics = [one for one in session.diagnostics if one["severity"] == ERROR]
    return session, jobs


def _files(name: str, mib: int) -> tuple[DiskFiles, str]:
    """Where the files of a side are, and how it is named there."""
    import os

    from specgen.cli.files import DiskFiles

    if name == "-" or os.path.lexists(name) or ":" not in name:
        return DiskFiles(mib=mib), name if name == "-" else os.path.normpath(name)
    from specgen.cli.revision import RevisionFiles

    files = RevisionFiles(name, mib=mib)
    return files, files.start
