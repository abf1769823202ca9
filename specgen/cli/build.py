"""Compile job profiles to manifests.

Without --out, the manifests go to standard output once everything is known to be right; diagnostics go to standard
error. With --out, a folder for each job is written, with a kustomization.yaml that kustomize, Argo CD and Flux take as
it is; the tree changes as a whole or not at all. Jobs of other builds stay in it. What specgen wrote is listed in the
tree: --prune takes out jobs that are no longer built, and a file that somebody else wrote or edited stops the build
unless --force overwrites it. --overlays adds a component for overlays over the tree, by which kustomize merges patches
into these jobs as into a Deployment; a tree that has it keeps it. --check writes nothing and says which files are
stale, missing, foreign or left. Folders stand for the job profiles below them.

Of one job, standard error says at a terminal what it is, what was added to it, and what to do next; --quiet leaves
that out.
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from specgen.cli.terminal import Terminal
    from specgen.cli.tree import Tree
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
    from specgen.cli.options import common, profiles

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
) -> int:
    """Compiles every file, reports every diagnostic, and prints or writes only if there is no error."""
    from specgen.cli.files import MIB_OF_A_RUN, opened

    session = opened(cluster=cluster, settings=settings, variant=variant, mib=max_input or MIB_OF_A_RUN)
    if out is not None:
        from specgen.cli.tree import Tree

        partial = variant is not None
        tree = Tree(out, names, session, force=force, prune=prune, partial=partial, overlays=overlays)
        code, first = _build_tree(tree, names, session, terminal, check=check)
        if len(first) == 1 and not code and not check:
            _tell(first[0], names, settings, cluster, variant, out, terminal)
        return code
    built: list[Compiled] = []
    bundles: list[Bundle] = []
    texts: list[str] = []
    for result in session.compile(names, origins=_is_told(names, terminal)):
        made = [compiled for compiled in result.compiled if compiled.bundle is not None]
        built += made[: 2 - len(built)]
        bundles += [compiled.bundle for compiled in made if compiled.bundle is not None]
        if output == "yaml" and bundles and not session.failed:
            # a document is a tenth of its tree, and ten thousand of them wait for the last one to be right
            texts.append(printed(bundles, output))
            bundles.clear()
    code = terminal.conclude(session)
    if code:
        return code
    if not built:
        return _nothing(terminal)
    if bundles:
        texts.append(printed(bundles, output))
    for at, text in enumerate(texts):
        terminal.answer(f"---\n{text}" if at else text)
    if len(built) == 1:
        _tell(built[0], names, settings, cluster, variant, None, terminal)
    return exits.GOOD


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


def _build_tree(
    tree: Tree, names: Sequence[str], session: Session, terminal: Terminal, *, check: bool
) -> tuple[int, list[Compiled]]:
    """The exit code, and of what was built as much as is told: there is more where there are two."""
    from specgen.cli.tree import say_checked, say_written

    jobs = 0
    built: list[Compiled] = []
    for result in session.compile(names, origins=_is_told(names, terminal), tree=True):
        for compiled in result.compiled:
            session.add(nameless(compiled))
            if compiled.bundle is not None:
                tree.add(compiled.bundle, compiled.job.document.source.name)
                jobs += 1
                if jobs < 3:
                    built.append(compiled)
    good = jobs and not session.failed and not session.unreadable
    change = None if not good else tree.check() if check else tree.build()
    code = terminal.conclude(session)
    if not jobs and not code:
        return _nothing(terminal), built
    if change is not None and check:
        return max(code, say_checked(tree.out, change, terminal)), built
    if change is not None and not terminal.quiet:
        say_written(tree.out, change, terminal)
    return code, built


def _nothing(terminal: Terminal) -> int:
    terminal.say("specgen: no job profile among these files, nothing is built")
    return exits.QUESTION


def printed(bundles: list[Bundle], output: str) -> str:
    from specgen.document.write import write_json, write_yaml_stream

    trees: list[object] = [manifest.tree for bundle in bundles for manifest in bundle.manifests]
    if output == "yaml":
        return write_yaml_stream(trees)
    return write_json(trees[0] if len(trees) == 1 else {"apiVersion": "v1", "kind": "List", "items": trees})
