"""Say what changed between two states of jobs, in words of the job, and what the update does to one that runs.

  specgen diff old.yaml new.yaml                                  two profiles, or manifests of any kind
  specgen diff out/ profiles/                                     a rendered tree against what its profiles come to now
  specgen diff origin/main:profiles profiles                      what a branch changes
  specgen diff HEAD~1: HEAD:                                      two commits, the whole repository
  specgen diff --live profiles                                    what the cluster holds against what is to be applied
  kubectl get pytorchjob bert -o yaml | specgen diff - bert.yaml  the same of one job, by kubectl

A revision is written as git writes it, REV:PATH; the path counts from the root of the repository, as REV:./PATH from
this folder, and is empty for all of it. git is asked for the files alone: no hook, filter, pager or program of a
configuration runs.

Jobs are the same where group, kind, namespace and name are. Each change comes with what becomes of it in a job that
runs: refused (and by whom), a restart, in place, no pod that exists, or no pod at all; by the release of the operator
that the cluster profile names, else the newest that is known. What the API server, operators and Kueue write into a
live object is no difference, and with standard input only its jobs are compared. With --live each job is asked for by
its name (`get` of its kind is all that it takes, and of the runtimes of TrainJobs), nothing is written, and each change
has the line of the profile that it follows from. One that is not there is added.

The exit code is that of diff: 0 without a difference, 1 with one (or with a job that cannot be read or built, the
others are compared all the same), 2 where a question is wrong. --exit-zero turns 1 into 0, for a comment in CI.
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Sequence

    from specgen.cli.files import DiskFiles
    from specgen.cli.terminal import Terminal
    from specgen.pipeline import Text
    from specgen.session import Session
    from specgen.session.companions import Companion
    from specgen.session.compare import Pair
    from specgen.session.jobs import Jobs

HELP = "say what changed of jobs, and what the update does to one that runs"
EXAMPLES = (
    ("specgen diff old.yaml new.yaml", "what changed of a job, and what that does to one that runs"),
    ("specgen diff HEAD:job.yaml job.yaml", "what would be committed"),
)
FORMATS = ("text", "json", "markdown")


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    from specgen.cli.options import cluster_access, max_input

    said = "a profile, a manifest, a folder of them, a tree that was built, REV:PATH, or - for standard input"
    parser.add_argument("paths", metavar="PATH", nargs="+", help=f"OLD and NEW, each of them {said}")
    parser.add_argument("--live", action="store_true", help="OLD is what the cluster holds, NEW all PATHs")
    parser.add_argument("-n", "--namespace", metavar="NAME", help="of jobs that name none; the context's without it")
    cluster_access(parser)
    parser.add_argument("--cluster", metavar="FILE", help="the cluster profile by which both sides are judged")
    parser.add_argument("--format", dest="form", choices=FORMATS, default="text", help="form of the answer")
    parser.add_argument("--exit-zero", action="store_true", help="end with 0 where there are differences")
    parser.add_argument("-q", "--quiet", action="store_true", help="say nothing where nothing changed")
    max_input(parser)


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    from specgen.diagnostics.model import BadQuestion

    if options.live:
        return _live(options, terminal)
    for option in ("namespace", "kubeconfig", "context"):
        if getattr(options, option) is not None:
            raise BadQuestion(f"--{option} is for --live: no cluster is asked without it")
    if len(options.paths) != 2:
        help = "`specgen diff OLD NEW`; with `--live` the cluster is the old side"
        raise BadQuestion(f"two sides are compared, not {len(options.paths)}", help)
    return _files_of_two(options, terminal)


def _files_of_two(options: Namespace, terminal: Terminal) -> int:
    from specgen.diagnostics.model import BadQuestion
    from specgen.session.companions import companions
    from specgen.session.compare import compare

    names: tuple[str, str] = options.paths[0], options.paths[1]
    if names == ("-", "-"):
        raise BadQuestion("standard input can be one of the two sides")
    if options.cluster == "-":
        raise BadQuestion("both sides are judged by the cluster profile: name a file")
    (old_files, old_name), (new_files, new_name) = (_files(name, options.max_input) for name in names)
    untouched = None
    if "-" not in names:
        from specgen.cli.untouched import Untouched

        untouched = Untouched((old_files, new_files), (old_name, new_name))
    before, old = _side(old_files, [old_name], options, None if untouched is None else untouched.of(0))
    if before.unreadable:
        return terminal.conclude(before)
    after, new = _side(new_files, [new_name], options, None if untouched is None else untouched.of(1))
    if after.unreadable:
        return terminal.conclude(after)
    only = "old" if names[0] == "-" else "new" if names[1] == "-" else ""
    pairs = compare(old, new, (before, after), only=only)
    beside = [] if only else companions(old, new)
    code = max(terminal.conclude(session) for session in (before, after))
    same = untouched.count if untouched is not None else 0
    if only and code == exits.GOOD and not (old if only == "old" else new).jobs:
        # a program that fails before the pipe leaves nothing there, which is no job without a change
        terminal.say("specgen: standard input holds no job, nothing is compared")
        return exits.QUESTION
    if code == exits.GOOD and not (same or old.jobs or new.jobs):
        terminal.say(f"specgen: neither {names[0]} nor {names[1]} holds a job")
        return exits.QUESTION
    return _say(pairs, beside, names, code, options, terminal)


def _live(options: Namespace, terminal: Terminal) -> int:
    """What the cluster holds is the old side."""
    from specgen.cli.files import DiskFiles
    from specgen.session.compare import compare

    names: list[str] = options.paths
    files: DiskFiles
    if len(names) == 1:
        files, name = _files(names[0], options.max_input)
        names = [name]
    else:
        files = DiskFiles(mib=options.max_input)
    session, new = _side(files, names, options, None)
    said = " ".join(options.paths)
    if not new.jobs:
        code = terminal.conclude(session)
        if code == exits.GOOD:
            terminal.say(f"specgen: {said} holds no job, nothing is asked")
            return exits.QUESTION
        return exits.GOOD if options.exit_zero and code == exits.BAD else code
    from specgen.cli.api import Api
    from specgen.cli.live import Held, name_of
    from specgen.session.places import locate

    with Api(options.kubeconfig, options.context) as api:
        held = Held(api, options.namespace or api.namespace, new)
        cluster = name_of(api)
    pairs = compare(held.jobs, new, (session, session))
    for pair in pairs:
        pair.broken = held.unread.get(pair.key, "")
        if pair.broken:
            pair.old = pair.difference = None
    locate(pairs, new)
    return _say(pairs, [], (cluster, said), terminal.conclude(session), options, terminal)


def _say(
    pairs: Sequence[Pair],
    beside: Sequence[Companion],
    names: tuple[str, str],
    code: int,
    options: Namespace,
    terminal: Terminal,
) -> int:
    """Prints what changed; the exit code, where that of the sessions is ``code``."""
    from specgen.cli import differences

    answer = differences.rendered(pairs, beside, options.form, names)
    if answer:
        terminal.answer(answer)
    if beside or any(pair.is_changed for pair in pairs):
        code = max(code, exits.BAD)
    elif not options.quiet and options.form == "text" and code == exits.GOOD:
        terminal.say("nothing changed")
    return exits.GOOD if options.exit_zero and code == exits.BAD else code


def _side(
    files: DiskFiles, names: Sequence[str], options: Namespace, unless: Callable[[Text], bool] | None
) -> tuple[Session, Jobs]:
    """The session of one side, and its jobs."""
    from specgen.cli.files import opened
    from specgen.diagnostics.model import ERROR
    from specgen.session.jobs import Jobs

    session = opened(cluster=options.cluster, files=files)
    jobs = Jobs()
    rendered = _rendered(files, names)

    def needless(text: Text) -> bool:
        return rendered(text) or (unless is not None and unless(text))

    for text, result in session.expand(names, needless):
        jobs.take(text, result, session)
    if session.unreadable:
        jobs.broken.append((names[0], ""))
    # what is merely advised is said where it comes or goes with the change
    session.diagnostics = [one for one in session.diagnostics if one["severity"] == ERROR]
    return session, jobs


def _rendered(files: DiskFiles, names: Sequence[str]) -> Callable[[Text], bool]:
    """Whether a manifest was built from a profile of the same side, which alone counts: the tree may be stale."""
    from specgen.cli.untouched import is_below
    from specgen.emit import ownership

    lists: dict[str, ownership.Owned] = {}

    def listed(name: str) -> ownership.Owned:
        if name not in lists:
            lists[name] = ownership.read((files.stored(name) or b"").decode("utf-8", "replace")) or {}
        return lists[name]

    def rendered(text: Text) -> bool:
        if text.kind is not None:
            return False
        # a job's folder lies in its tree, its overlays one below
        name, steps = text.source.name, ""
        for _ in range(3):
            folder, _, step = name.rpartition("/")
            steps = f"{step}/{steps}" if steps else step
            if not folder:
                return False
            name = folder
            owner = f"{folder}/{ownership.FILE}"
            profile = listed(owner).get(steps, ((), ""))[1]
            if profile:
                found = files.join(profile, owner)
                return any(is_below(found, start) for start in names) and files.is_there(found)
        return False

    return rendered


def _files(name: str, mib: int) -> tuple[DiskFiles, str]:
    """Where the files of a side are, and how it is named there."""
    import os

    from specgen.cli.files import DiskFiles

    if name == "-" or os.path.lexists(name) or ":" not in name:
        return DiskFiles(mib=mib), name if name == "-" else os.path.normpath(name)
    from specgen.cli.revision import RevisionFiles

    files = RevisionFiles(name, mib=mib)
    return files, files.start
