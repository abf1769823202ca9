"""Compile the twin of a job that tries its nodes before it: the same pods with a program that measures, and ends.

The twin has the job's own roles, devices, HCAs, mounts, environment, placement and gang; it runs `python -m trainer
preflight --pairs`, which the image must hold: the network pair by pair, each rank's GPU, drivers and links. A table by
node stands in the log of rank 0, and all pods end with 0, or with 78 where a node is bad or could not be judged. It
comes a sync wave before the job, for which Argo CD waits once argocd-cm knows how jobs are (`specgen gitops argocd`).
With --out it stands in a tree of its own, as jobs do by `specgen build --out`, and `specgen gitops flux --preflight`
has the jobs depend on it. A twin that ended is not made again: delete it to have the nodes tried once more.
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from specgen.cli.terminal import Terminal
    from specgen.pipeline import Compiled
    from specgen.session import Session

HELP = "compile the twin of a job that tries its nodes before it"
EXAMPLES = (
    ("specgen preflight job.yaml", "the twin's manifest, on standard output"),
    ("specgen preflight job.yaml --min-busbw 40", "40 GB/s between any two nodes, whatever their HCAs carry"),
)


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    from specgen.cli.options import common, profiles

    parser.add_argument("file", metavar="PROFILE", help="a job profile, or - for standard input")
    profiles(parser)
    parser.add_argument(
        "--min-busbw",
        metavar="GB/S",
        type=float,
        default=0.0,
        help="what any two nodes must exchange, in GB/s; else 70 %% of what their HCAs carry, by `rate` in the cluster "
        "profile, or what the others have",
    )
    parser.add_argument(
        "--out", metavar="DIR", help="write a folder for the twin below DIR, beside those of other jobs"
    )
    parser.add_argument(
        "--prune", action="store_true", help="with --out: take out the twins that the profile no longer comes to"
    )
    parser.add_argument(
        "--force", action="store_true", help="with --out: overwrite files that specgen did not write, or not like that"
    )
    parser.add_argument("-o", "--output", choices=("yaml", "json"), default="yaml", help="form of the manifests")
    common(parser)


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    from specgen.cli.build import printed
    from specgen.cli.files import DiskFiles, opened
    from specgen.diagnostics.model import BadQuestion
    from specgen.plan.twin import asked, refused, settings
    from specgen.session.repair import Overlay

    if not 0 <= options.min_busbw < 1e6:
        terminal.say(f"specgen: --min-busbw={options.min_busbw:g} is no rate")
        return exits.QUESTION
    for option in ("prune", "force"):
        if getattr(options, option) and options.out is None:
            raise BadQuestion(f"--{option} goes with --out")
    if options.file == options.cluster == "-":
        raise BadQuestion("-: standard input can be read once")
    files = Overlay(DiskFiles(mib=options.max_input))  # the twin is compiled from the texts of its job
    words = {"cluster": options.cluster, "variant": options.variant, "files": files}
    session = opened(settings=options.set, **words)
    job = _job(session, options.file)
    plan = job.plan if job is not None else None
    if plan is not None:
        session.add(refused(plan), plan.job.document)
    if plan is None or session.failed:
        return terminal.conclude(session)
    least = f"{options.min_busbw:g}" if options.min_busbw else ""
    twins = opened(settings=[*options.set, *settings(plan, least)], **words)
    twin = _job(twins, options.file, tree=options.out is not None)
    if twin is not None:
        twins.add(asked(plan), plan.job.document)
    if twin is not None and options.out is not None:
        return _written(twin, twins, options, terminal)
    code = terminal.conclude(twins)
    if not code and twin is not None and twin.bundle is not None:
        terminal.answer(printed([twin.bundle], options.output))
    return code


def _written(twin: Compiled, twins: Session, options: Namespace, terminal: Terminal) -> int:
    """Writes a twin into a tree of twins."""
    from specgen.cli.tree import Tree, say_written

    assert twin.bundle is not None  # it has no errors
    tree = Tree(
        options.out,
        [options.file],
        twins,
        force=options.force,
        prune=options.prune,
        partial=twin.job.variant is not None,
    )
    tree.add(twin.bundle, twin.job.document.source.name)
    change = tree.build() if not twins.failed else None
    code = terminal.conclude(twins)
    if change is not None and not terminal.quiet:
        say_written(options.out, change, terminal)
    return code


def _job(session: Session, name: str, *, tree: bool = False) -> Compiled | None:
    """The job of a profile, of several the one without a variant; None where it has errors. Raises BadQuestion."""
    from specgen.diagnostics.model import BadQuestion, listed

    jobs = [
        one for result in session.compile([name], folders=False, origins=False, tree=tree) for one in result.compiled
    ]
    if session.failed or session.unreadable:
        return None
    if len(jobs) > 1 and jobs[0].job.variant is not None:
        names = [str(one.job.variant) for one in jobs]
        raise BadQuestion(f"{name}: name one of its variants with --variant: {listed(names, most=8)}")
    return jobs[0]
