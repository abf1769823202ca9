"""Check manifests that were written by hand, and profiles.

Every object of a known kind is checked: text, shape, misplaced fields, and what its operator and its nodes will make of
it. A profile is checked as ``build`` does it, and nothing is written. Other objects are counted, and charts, patches of
kustomize, and other templates are left alone with a note that says how to render them. Folders stand for the YAML files
below them. Of a file of Markdown that is named, the fenced blocks of YAML that hold objects are checked.

With ``--kustomize`` each kustomization among the files that is no Component, and that no other one of them takes, is
rendered by kubectl, or by kustomize where there is no kubectl: from its own files alone, without network, plugins and
Helm. What comes of it is checked in place of its files, and findings stand at the resource or patch that says what they
are about, or else at the kustomization. What an overlay heals is no finding of its base.

A comment leaves a warning or note unreported, until a day if it names one:
  # specgen: ignore[SG420, missing-shm] until 2027-01-31 the image holds it
It speaks of its own line, or of the line below where it stands alone; of an object where it stands above it or at its
``apiVersion`` or ``kind``; of the file among its first comments. Errors are never ignored. Those that a repository
begins with are accepted by ``--write-baseline FILE``, once, and ``--baseline FILE`` in each run: then only new findings
are reported, and entries whose findings are gone. Written again, the file keeps what the run did not look for.

What a repository says of its files stands in ``specgen.toml``, or below ``[tool.specgen]`` in ``pyproject.toml``, the
nearest one upwards from each file:
  exclude = ["charts/", "*.tmpl.yaml"]     patterns as .gitignore has them
  select = ["default", "policy"]           codes, their beginnings (SG4), names, groups
  ignore = ["missing-shm"]
  severity = {SG304 = "error"}             errors of text and shape, and those that always hold, stay errors
  cluster = "clusters/lab.yaml"
  operators = {trainer = ["2.1.0", "2.2.0"]}
  kustomize = true                         as `--kustomize`
  [paths."legacy/**"]                      any of these but exclude and kustomize, for some files
  ignore = ["SG4"]
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence
    from typing import Any

    from specgen.cli.terminal import Terminal
    from specgen.session import Session
    from specgen.session.kustomize import Order, Render, Rendering
    from specgen.session.policy import Options

HELP = "check manifests that were written by hand"
EXAMPLES = (
    ("specgen lint manifest.yaml", "what is wrong with it, a line each"),
    ("specgen lint job.yaml --cluster cluster.yaml --format json", "with what only the cluster knows, for programs"),
)
BASELINE = "findings that are accepted: only others are reported"


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    from specgen.cli.options import jobs

    options(parser)
    baseline = parser.add_mutually_exclusive_group()
    baseline.add_argument("--baseline", metavar="FILE", help=BASELINE)
    baseline.add_argument("--write-baseline", metavar="FILE", help="accept what is found now")
    verdict(parser)
    parser.add_argument("--stdin-filename", metavar="NAME", help="what standard input is called")
    jobs(parser)


def options(parser: ArgumentParser, *, standard_input: bool = True) -> None:
    """Options of every verb that lints."""
    from argparse import BooleanOptionalAction

    from specgen.cli.options import common, max_input, variant

    what = "manifests, folders of them, or - for standard input" if standard_input else "manifests, and folders of them"
    parser.add_argument("files", nargs="+", metavar="FILE", help=what)
    parser.add_argument(
        "--cluster", metavar="FILE", help="a cluster profile: resource names, operator versions, libraries"
    )
    several: Any = {"action": "append", "default": []}
    parser.add_argument(
        "--operator",
        metavar="NAME=VERSION",
        help="judge manifests by a version of their operator; several, with commas, are compared",
        **several,
    )
    parser.add_argument(
        "--select", metavar="CODES", help="codes, their beginnings, names, or groups: default, policy", **several
    )
    parser.add_argument("--ignore", metavar="CODES", help="the same, not to be reported; errors always are", **several)
    parser.add_argument("--exclude", metavar="PATTERN", help="files and folders that are left out", **several)
    config = parser.add_mutually_exclusive_group()
    config.add_argument("--config", metavar="FILE", help="the configuration of all files")
    config.add_argument("--no-config", action="store_true", help="look for no configuration")
    parser.add_argument(
        "--crds",
        action="append",
        default=[],
        metavar="PATH",
        help="CustomResourceDefinitions, or a folder of them: objects of their kinds are judged by their schemas",
    )
    parser.add_argument(
        "--kustomize",
        action=BooleanOptionalAction,
        help="judge kustomizations as they are rendered, by kubectl or kustomize",
    )
    variant(parser)
    max_input(parser)
    common(parser)


def verdict(parser: ArgumentParser) -> None:
    """Options that say what of the findings that are left is a bad answer."""
    parser.add_argument(
        "--fail-on",
        choices=("error", "warning", "note", "never"),
        default="error",
        help="the least severity for which the exit code is 1",
    )
    parser.add_argument("--exit-zero", action="store_true", help="the exit code is 0 whatever is found")


def fail_on(options: Namespace) -> str:
    """The least severity of a bad answer, as those options say it."""
    return "never" if options.exit_zero else str(options.fail_on)


def asked_of(options: Namespace, stdin: str = "<stdin>") -> Options:
    """What those options say of files. Raises BadQuestion."""
    from specgen.session.policy import Options

    return Options(
        select=_words(options.select),
        ignore=_words(options.ignore),
        exclude=options.exclude,
        operators=options.operator,
        config="" if options.no_config else options.config,
        stdin=stdin,
        kustomize=options.kustomize,
    )


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    from specgen.cli.files import DiskFiles, day
    from specgen.cli.rewrite import write_named
    from specgen.session import Session

    stdin = options.stdin_filename or "<stdin>"
    files = DiskFiles(stdin=stdin, mib=options.max_input)
    asked = asked_of(options, stdin)
    baseline = None
    if options.baseline is not None:
        from specgen.session.baseline import opened

        baseline = opened(files, options.baseline)
    session = Session(
        files, cluster=options.cluster, variant=options.variant, today=day(), options=asked, baseline=baseline
    )
    _lint(session, options.files, terminal, options.jobs, options.crds)
    if options.write_baseline is not None:
        from specgen.diagnostics.model import plural

        text, count, kept = session.accept(options.write_baseline)
        write_named(options.write_baseline, text)
        if not terminal.quiet:
            before = f", {kept} of them from before: this run did not look for them" if kept else ""
            terminal.say(f"{options.write_baseline} holds {plural(count, 'finding')}{before}")
    return _conclude(session, terminal, fail_on(options))


def lint(names: Sequence[str], terminal: Terminal) -> int:
    """Checks every file and reports on standard output, as without any option."""
    from specgen.cli.files import opened

    session = opened()
    _lint(session, names, terminal, 1)
    return _conclude(session, terminal, "error")


def _lint(session: Session, names: Sequence[str], terminal: Terminal, jobs: int, crds: Sequence[str] = ()) -> None:
    if terminal.err.isatty():
        from specgen.cli.progress import Progress

        session.progress = Progress(terminal.err)
    # of the formats, these show which fixes are proven
    prove = terminal.form(terminal.out) in ("human", "json", "sarif")
    if jobs > 1:
        from specgen.cli.workers import together

        session.lint(names, crds=crds, jobs=jobs, together=together, prove=prove, render=rendering(jobs))
    else:
        session.lint(names, crds=crds, prove=prove, render=rendering())
    if session.progress is not None:
        session.progress(0, 0)


def rendering(jobs: int = 1) -> Render:
    """What renders kustomizations on this machine, so many at once."""

    def render(orders: Sequence[Order]) -> list[Rendering]:
        from specgen.cli.kustomize import render  # most repositories have none that is judged so

        return render(orders, jobs)

    return render


def _conclude(session: Session, terminal: Terminal, fail_on: str) -> int:
    return terminal.conclude(session, stream=terminal.out, clean="clean", fail_on=fail_on)


def _words(options: Sequence[str]) -> list[str]:
    """Words of options that take several, with commas between them."""
    return [word.strip() for option in options for word in option.split(",") if word.strip()]
