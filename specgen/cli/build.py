"""Compile job profiles to manifests.

Without --out, the manifests go to standard output once everything is known to be right; diagnostics go to standard
error. With --out, a folder for each job is written, with a kustomization.yaml that kustomize, Argo CD and Flux take as
it is; the tree changes as a whole or not at all. Jobs of other builds stay in it. What specgen wrote is listed in the
tree: --prune takes out jobs that are no longer built, and a file that somebody else wrote or edited stops the build
unless --force overwrites it. --overlays adds a component for overlays over the tree, by which kustomize merges patches
into these jobs as into a Deployment; a tree that has it keeps it. Where a file becomes one that the cluster is known to
refuse as an update of what is there, such as a TrainJob with another image, that is said. --check writes nothing and
says which files are stale, missing, foreign or left. Folders stand for the job profiles below them.

Of one job, standard error says at a terminal what it is, what was added to it, and what to do next; --quiet leaves
that out.
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Sequence
    from typing import Any

    from specgen.cli.terminal import Terminal
    from specgen.cli.tree import Laid, Tree
    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Bundle
    from specgen.pipeline import Compiled
    from specgen.session import Session

HELP = "compile job profiles to manifests"
EXAMPLES = (
    ("specgen build job.yaml", "the manifest, checked, on standard output"),
    ("specgen build job.yaml --set pods=4 --out out/", "for four pods, into a folder for kustomize"),
)


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    from specgen.cli.options import common, jobs, profiles

    parser.add_argument(
        "files", nargs="+", metavar="PROFILE", help="job profiles, folders of them, or - for standard input"
    )
    profiles(parser)
    parser.add_argument("--out", metavar="DIR", help="write a folder for each job below DIR")
    parser.add_argument(
        "--check", action="store_true", help="with --out: write nothing, exit 1 if files are stale, missing, or foreign"
    )
    parser.add_argument(
        "--prune", action="store_true", help="with --out: take out the jobs that were built before and no longer are"
    )
    parser.add_argument(
        "--force", action="store_true", help="with --out: overwrite files that specgen did not write, or not like that"
    )
    parser.add_argument(
        "--overlays", action="store_true", help="with --out: add what kustomize needs to merge patches into these jobs"
    )
    parser.add_argument(
        "-o", "--output", choices=("yaml", "json"), default="yaml", help="form of the manifests on standard output"
    )
    jobs(parser)
    common(parser)


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    if options.out is None:
        for option, about in (
            ("check", "compares"),
            ("prune", "tidies"),
            ("force", "overwrites files in"),
            ("overlays", "adds to"),
        ):
            if getattr(options, option):
                terminal.say(f"specgen: --{option} {about} the folder that --out names")
                return exits.QUESTION
    return build(
        options.files,
        terminal,
        settings=options.set,
        cluster=options.cluster,
        variant=options.variant,
        out=options.out,
        check=options.check,
        prune=options.prune,
        force=options.force,
        overlays=options.overlays,
        output=options.output,
        max_input=options.max_input,
        jobs=options.jobs,
    )


def build(
    names: Sequence[str],
    terminal: Terminal,
    *,
    settings: Sequence[str] = (),
    cluster: str | None = None,
    variant: str | None = None,
    out: str | None = None,
    check: bool = False,
    prune: bool = False,
    force: bool = False,
    overlays: bool = False,
    output: str = "yaml",
    max_input: int | None = None,
    jobs: int = 1,
) -> int:
    """Compiles every file, reports every diagnostic, and prints or writes only if there is no error."""
    from specgen.cli.files import MIB_OF_A_RUN, DiskFiles, opened

    told = _is_told(names, terminal)
    if out and cluster is None:
        from specgen.cli.tree import remembered

        # a tree of one cluster is not made another's by an option that somebody forgot
        cluster = remembered(out) or None
        if cluster is not None and not terminal.quiet:
            terminal.say(f"specgen: {out} was built with `--cluster {cluster}`, and is again")

    def begun() -> tuple[Session, DiskFiles]:
        files = DiskFiles(mib=max_input or MIB_OF_A_RUN)
        session = opened(cluster=cluster, settings=settings, variant=variant, files=files)
        if terminal.err.isatty() and not told:
            from specgen.cli.progress import Progress

            session.progress = Progress(terminal.err)
        return session, files

    def take(session: Session, compiled: Compiled) -> Any:
        return _FORMS[output](session, compiled) if out is None else _laid(out, session, compiled)

    session, files = begun()
    made: list[Any] | None = None
    only: list[Compiled] = []
    if jobs > 1 and variant is None and not told and "-" not in names:
        from specgen.cli.workers import together
        from specgen.session.parts import built_in_parts

        made = built_in_parts(session, names, jobs, together, take, files.room, tree=out is not None)
        if made is None:
            session, _ = begun()
    if made is None:
        made = []
        for result in session.compile(names, origins=told, tree=out is not None):
            for compiled in result.compiled:
                one = take(session, compiled)
                if one is not None:
                    made.append(one)
                    only += [compiled] if told else []
    if session.progress is not None:
        session.progress(0, 0)
    if out is not None:
        from specgen.cli.tree import Tree

        partial = variant is not None
        tree = Tree(out, names, session, force=force, prune=prune, partial=partial, overlays=overlays, cluster=cluster)
        code = _write(tree, made, session, terminal, check=check)
    else:
        code = _print(made, output, session, terminal)
    if len(only) == 1 and not code and not check:
        _tell(only[0], names, settings, cluster, variant, out, terminal)
    elif len(only) > 1 and not code and not check and _is_told(names, terminal):
        from specgen.cli.told import counted

        terminal.say(counted(only, names[0]))
    return code


def _print(made: list[Any], output: str, session: Session, terminal: Terminal) -> int:
    """Prints the jobs, as ``_FORMS`` took them."""
    code = terminal.conclude(session)
    if code:
        return code
    if not made:
        return _nothing(terminal)
    if output == "json":
        terminal.answer(_listed([tree for trees in made for tree in trees]))
    for at, text in enumerate(made if output == "yaml" else ()):
        terminal.answer(f"---\n{text}" if at else text)
    return exits.GOOD


def _write(tree: Tree, made: list[Laid], session: Session, terminal: Terminal, *, check: bool) -> int:
    """Writes the jobs into a tree, or says what it lacks."""
    for one in made:
        tree.take(one)
    good = made and not session.failed and not session.unreadable
    change = None if not good else tree.check() if check else tree.build()
    code = terminal.conclude(session)
    if not made and not code:
        return _nothing(terminal)
    if change is None:
        return code
    from specgen.cli.tree import say_checked, say_written

    if check:
        return max(code, say_checked(tree.out, change, terminal))
    if not terminal.quiet:
        say_written(tree.out, change, terminal)
    return code


def _text(session: Session, compiled: Compiled) -> str | None:
    """A job as YAML; nothing is written where nothing will be printed.

    It is a tenth of its tree, and ten thousand of them wait for the last one to be right.
    """
    if compiled.bundle is None:
        return None
    return "" if session.failed else printed([compiled.bundle], "yaml")


def _trees(session: Session, compiled: Compiled) -> list[object] | None:
    """The objects of a job."""
    return None if compiled.bundle is None else [one.tree for one in compiled.bundle.manifests]


def _laid(out: str, session: Session, compiled: Compiled) -> Laid | None:
    """A job as a folder of a tree."""
    from specgen.cli.tree import laid

    session.add(nameless(compiled))
    version = "" if compiled.plan is None else compiled.plan.version
    return None if compiled.bundle is None else laid(out, compiled.bundle, compiled.job.document.source.name, version)


# What a job is taken as, by the form of standard output.
_FORMS: dict[str, Callable[[Session, Compiled], Any]] = {"yaml": _text, "json": _trees}


def _is_told(names: Sequence[str], terminal: Terminal) -> bool:
    """Whether somebody at a terminal reads what came of one file."""
    if len(names) != 1 or terminal.quiet or not terminal.err.isatty():
        return False
    from os.path import isdir

    return not isdir(names[0])


def _tell(
    compiled: Compiled,
    names: Sequence[str],
    settings: Sequence[str],
    cluster: str | None,
    variant: str | None,
    out: str | None,
    terminal: Terminal,
) -> None:
    """What the job is, what was added, and what to do next: for people, who see it only at a terminal."""
    if not _is_told(names, terminal):
        return
    from shlex import join

    from specgen.cli.told import told

    words = [names[0]]
    for option, value in (("--cluster", cluster), ("--variant", variant)):
        words += [] if value is None else [option, value]
    words += [word for setting in settings for word in ("--set", setting)]
    for sentence in told(compiled, join(words), out):
        terminal.say(sentence)


def nameless(compiled: Compiled) -> list[Finding]:
    """SG250: a job whose name the API server makes, among files that are applied by name."""
    plan = compiled.plan
    if plan is None or plan.generated is None:
        return []
    from specgen.profile.codes import NO_NAME_IN_TREE

    message = f"a job called `{plan.generated.value}…` cannot be applied from files: it has another name each time"
    helps = ["`name` gives it one of its own", "`specgen build … | kubectl create -f -` creates the job"]
    return [NO_NAME_IN_TREE.at(plan.generated.key, message, helps=helps)]


def _nothing(terminal: Terminal) -> int:
    terminal.say("specgen: no job profile among these files, nothing is built")
    return exits.QUESTION


def printed(bundles: list[Bundle], output: str) -> str:
    """The objects of jobs, as YAML or JSON."""
    from specgen.document.write import write_yaml_stream

    trees: list[object] = [manifest.tree for bundle in bundles for manifest in bundle.manifests]
    return write_yaml_stream(trees) if output == "yaml" else _listed(trees)


def _listed(trees: list[object]) -> str:
    from specgen.document.write import write_json

    return write_json(trees[0] if len(trees) == 1 else {"apiVersion": "v1", "kind": "List", "items": trees})
