"""Say whether jobs will be placed on a cluster, where, and which sum forbids it.

One line a job, in the order in which they are named, like submissions: fits; waits (it would fit an empty cluster);
never (the sum that forbids it); hangs (some of its pods hold their nodes while others find none, which gang scheduling
prevents); unknown (with the fact that is missing). Below it stand the sums: what its pods ask, what the nodes have and
what of it is free, by group of nodes, where a job does not fit; then what would help. A file that is named twice is
submitted twice, its jobs under a second name. What is wrong in a file is reported, and the others are asked without it.

The nodes are those of the cluster profile (--cluster), or real objects (--world), as `kubectl get nodes,pods -A -o
json` prints them, together with whatever else decides: PriorityClasses, ResourceQuotas, LimitRanges, Namespaces with
their Pod Security level, claims, device slices. --usage names objects that run already. The scheduler is kube-scheduler
with its default profile.

Where queues of Kueue are among the objects (ClusterQueues, LocalQueues, ResourceFlavors, Cohorts, Topologies,
WorkloadPriorityClasses, and the Workloads that hold quota or wait), a job that names one is first asked of it: which
flavor it gets, whom it evicts, who is before it, and by how much its quota is short. Plain pods are asked as jobs,
those of a group together. Kueue's own configuration is followed where its ConfigMap is among the objects (`kubectl get
cm -n kueue-system -o json`), else it is the default one; what an admission check decides is unknown. With --cluster the
queues are those that the cluster profile says, with their quotas; a queue of Volcano holds what its `quota` says. Gangs
of Volcano and of scheduler-plugins are asked of these: of Volcano with its Queues, HyperNodes, PodGroups, and the
configuration of its scheduler, where those are among the objects. Which pods it evicts is left to chance, and those who
may lose some are told.

--max asks with which largest value of a word, such as pods, a profile still fits; each value is built and asked for. Of
several files it is the last one's word, and the jobs of those before it stand there as they are.
--what-if supposes something else of the cluster profile than it says.

--picture draws the nodes with their devices, --svg and --html into a file, and there also the sums of queues, who is
before whom, and domains with what is free; of equal nodes another one may be taken.

--explain walks through the scheduler's filters: how many nodes each of them leaves for a pod of a role before the job
has any, and why; and for each group of nodes what they say to pods that wait in the end. The exit code is 0 where all
jobs fit, and 1 where one does not.
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator
    from typing import Any

    from specgen.cli.largest import Largest
    from specgen.cli.terminal import Terminal
    from specgen.diagnostics.model import Finding
    from specgen.pipeline import Result, Text
    from specgen.schedulers.verdict import Answer
    from specgen.schedulers.world import World
    from specgen.session import Session

HELP = "say whether jobs will be placed on a cluster, where, and which sum forbids it"
EXAMPLES = (
    ("specgen fit job.yaml --world world.yaml", "on nodes as kubectl prints them"),
    ("specgen fit job.yaml --world world.yaml --world queues.yaml", "behind the queues of Kueue"),
    ("specgen fit job.yaml --world world.yaml --max pods", "how many pods would fit"),
    ("specgen fit job.yaml --world world.yaml --explain", "with what each filter of the scheduler says"),
)
# What a build says of a job's place on its cluster.
_ASKED = ("SG601", "SG613", "SG620", "SG700", "SG711")


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    from specgen.cli.options import common, profiles

    said = "job profiles or manifests, folders of them, or - for standard input, in the order of submission"
    parser.add_argument("file", metavar="FILE", nargs="+", help=said)
    parser.add_argument(
        "--world", metavar="FILE", action="append", default=[], help="nodes and other objects, as kubectl prints them"
    )
    parser.add_argument("--usage", metavar="FILE", action="append", default=[], help="pods that run already")
    parser.add_argument(
        "--max", metavar="WORD", help="the largest value of a word of the last FILE with which it fits, such as pods"
    )
    parser.add_argument(
        "--what-if",
        metavar="PATH=VALUE",
        action="append",
        default=[],
        help="suppose this of the cluster profile, such as pools.gpu.nodes.count=12",
    )
    parser.add_argument(
        "--explain", action="store_true", help="how many nodes each filter of the scheduler leaves, and why"
    )
    parser.add_argument("--picture", action="store_true", help="draw nodes and their devices, a letter for each job")
    parser.add_argument("--svg", metavar="FILE", help="draw them into a file")
    parser.add_argument("--html", metavar="FILE", help="draw them, with the answers, into a page for browsers")
    parser.add_argument("-o", "--output", choices=("table", "json"), default="table", help="form of the answer")
    profiles(parser)
    common(parser)


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    from specgen.schedulers.verdict import FITS

    if options.svg is not None or options.html is not None:
        from specgen.cli.rewrite import unheld

        unheld(options.svg, "jobs.svg")
        unheld(options.html, "jobs.html")
    largest: Largest | None = None
    if options.max:
        from specgen.cli.largest import largest_of

        largest = largest_of(options.max, lambda settings: _of_last(options, settings))
    settings = largest.settings if largest is not None else []
    code, answers, world, _ = asked(options, settings, terminal)
    if world is None or (largest is not None and code != exits.GOOD):
        return code  # a value is that of all jobs
    if options.output == "json":
        from specgen.cli.fitting import tree as shown
        from specgen.document.write import write_json

        said = {} if largest is None else {"max": largest.tree}
        terminal.answer(write_json({**said, "jobs": [shown(one) for one in answers]}))
    else:
        from specgen.cli.fitting import table

        said_first = "" if largest is None else f"{largest.line}\n"
        terminal.answer(said_first + table(answers, explain=options.explain))
    if options.picture or options.svg is not None or options.html is not None:
        _draw(options, world, answers, terminal)
    return max(code, exits.GOOD if all(one.verdict == FITS for one in answers) else exits.BAD)


def _of_last(options: Namespace, settings: list[str]) -> tuple[int, list[Answer]]:
    """(exit code of what the files say, answers for the jobs of the last one). Raises BadQuestion."""
    code, answers, _, before = asked(options, settings, None)
    return code, answers[before:]


def _draw(options: Namespace, world: World, answers: list[Answer], terminal: Terminal) -> None:
    """Draws where jobs stand. Raises BadQuestion for a file that cannot be written."""
    from specgen.cli import picture
    from specgen.cli.fitting import table
    from specgen.cli.rewrite import write_named

    if options.picture and options.output != "json":
        terminal.answer(picture.text(world, answers))
    for file, text in (
        (options.svg, picture.svg(world, answers) if options.svg is not None else ""),
        (options.html, picture.html(world, answers, table(answers)) if options.html is not None else ""),
    ):
        if file is not None:
            write_named(file, text)


def asked(
    options: Namespace, settings: list[str], terminal: Terminal | None
) -> tuple[int, list[Answer], World | None, int]:
    """(exit code of what the files say, answers, the world that was asked, how many are of jobs before the last file).

    ``settings``: further ones of the last file. A file with errors is submitted by nobody, and the others are asked
    without it; None: nothing can be asked. Without a terminal all is quiet. Raises BadQuestion.
    """
    from specgen.cli.files import DiskFiles, opened
    from specgen.cli.submissions import repeated, submitted
    from specgen.diagnostics.model import ERROR, BadQuestion, listed, plural
    from specgen.manifest.views import mapping
    from specgen.operators.kubernetes.objects import namespace_of
    from specgen.schedulers.admit import object_refusal
    from specgen.schedulers.fit import fit
    from specgen.schedulers.jobs import is_job
    from specgen.schedulers.kueue.refused import SERVER, refused
    from specgen.session.supposed import Supposed

    files = DiskFiles(mib=options.max_input)
    supposed = Supposed(files, options.what_if) if options.what_if else None
    session = opened(
        cluster=options.cluster,
        settings=options.set,
        variant=options.variant,
        files=files if supposed is None else supposed,
    )
    paths = [one if one == "-" else files.join(one, "") for one in options.file]
    again = repeated(options.file, paths)
    if settings and again:
        raise BadQuestion(f"--max asks with the last FILE, and {listed(again)} is named more than once")
    jobs: list[dict[str, Any]] = []
    of_paths: dict[str, list[dict[str, Any]]] = {}
    others: list[dict[str, Any]] = []
    unusable, before, broken, earlier = session.failed, len(session.diagnostics), [], 0
    for text, result, last in _expanded(session, options.file, settings):
        if result is None and settings and last:
            raise BadQuestion(f"--max is for job profiles, and {text.source.name} is none")
        with session.trying(text.source):
            trees = _of_manifests(text, session) if result is None else _of_profile(result, session, before)
            if any(one["severity"] == ERROR for one in session.diagnostics[before:]):
                broken.append(text.source.name)
                trees = []
            elif result is None:
                # the answer says that it is refused, and this says where
                session.add(_refused(text, session))
            path = _path(text.source.name, options.file, paths) if again else ""
            for tree in trees:
                (jobs if is_job(tree) else others).append(tree)
                if again and is_job(tree):
                    of_paths.setdefault(path, []).append(tree)
        earlier = earlier if last else len(jobs)
        before = len(session.diagnostics)
    code = terminal.conclude(session) if terminal is not None else exits.BAD if session.failed else exits.GOOD
    if unusable or (code != exits.GOOD and not jobs):
        return code, [], None, 0
    if broken and not settings and terminal is not None:
        terminal.say(f"specgen: the answers are without {listed(broken)}")
    if not jobs:
        from specgen.cli.rendered import way

        raise BadQuestion(f"no job among these files, nothing is asked{way('fit', options.file, files)}")
    if again:
        jobs = submitted(of_paths, paths)
    if supposed is not None and (options.world or not supposed.met):
        raise BadQuestion("--what-if changes a cluster profile, and none is asked")
    world = session.world(options.world, options.usage, sorted({namespace_of(tree) for tree in jobs}))
    for tree in others:
        who, why = refused(tree)
        if not why:
            who, why = SERVER, object_refusal(tree, world.objects)
        if not why:
            world.objects.bring(tree)
        elif terminal is not None:
            name = mapping(tree.get("metadata")).get("name")
            terminal.say(f"specgen: {tree.get('kind')} {name} is refused by {who}, and not counted: {why}")
    for sentence in dict.fromkeys([_of_operator(tree, session, world) for tree in jobs]):
        if terminal is not None and sentence:
            terminal.say(f"specgen: {sentence}")
    if terminal is not None:
        for group, count in world.housed.items():
            terminal.say(
                f"specgen: what runs on {plural(count, 'node')} is counted on {group}: a profile names no nodes"
            )
        if strangers := world.strangers():
            terminal.say(f"specgen: {plural(strangers, 'pod')} on nodes that are not known here, not counted")
            if not options.world:
                terminal.say("  = help: with `--world` the nodes themselves count: `kubectl get nodes,pods -A -o json`")
    answers = fit(world, jobs, walked=options.explain or options.output == "json")
    for one in answers if supposed is None else ():
        one.lines = session.said(one.cluster)
    return code, answers, world, earlier


def _path(name: str, names: list[str], paths: list[str]) -> str:
    """The path of the file or folder that a text is of."""
    for at, one in enumerate(names):
        if name in (one, paths[at]):
            return paths[at]
    below = [path for path in paths if name.startswith(f"{path.rstrip('/')}/") or path == "."]
    return max(below, key=len, default=name)


def _expanded(session: Session, names: list[str], settings: list[str]) -> Iterator[tuple[Text, Result | None, bool]]:
    """Each file, what it comes to if it is a profile, and whether it is the last that is named, or below that."""
    met = False

    def meet(text: Text) -> bool:
        nonlocal met
        name = text.source.name
        if not met and not any(name == one or name.startswith(f"{one.rstrip('/')}/") for one in names[:-1]):
            met = True
            session.add_settings(settings)
        return False

    for text, result in session.expand(names, meet):
        yield text, result, met


def _of_operator(tree: dict[str, Any], session: Session, world: World) -> str:
    """Takes in which release of its operator the cluster has, and its flag.

    Returns what is to be said where another release answers. Raises BadQuestion where none does.
    """
    from specgen.checking import operator_version
    from specgen.operators import by_object
    from specgen.profile.library import installed

    reader = by_object(str(tree.get("apiVersion")), str(tree.get("kind")))
    cluster = session.cluster
    if reader is None or cluster is None:
        return ""
    version, unread = reader.answered(operator_version(cluster, reader))
    listed = installed(cluster, reader.operator.name)
    world.operators[reader.operator.name] = (version, (listed.gang or "") if listed is not None else None)
    return unread


def _of_profile(result: Result, session: Session, before: int) -> list[dict[str, Any]]:
    """The objects of a profile, its jobs among them; its cluster is the one that is asked where none is named.

    ``before``: how many findings are of other files.
    """
    trees = []
    for compiled in result.compiled:
        if compiled.bundle is not None and compiled.plan is not None:
            session.suppose(compiled.job.cluster_document, compiled.job.cluster)
            # what is asked here is answered here
            own = [one for one in session.diagnostics[before:] if one["code"] not in _ASKED]
            session.diagnostics = [*session.diagnostics[:before], *own]
            trees += [one.tree for one in [*compiled.plan.existing, *compiled.bundle.manifests]]
    return trees


def _refused(text: Text, session: Session) -> list[Finding]:
    """What is wrong with the jobs of a text that are refused, as ``lint`` says it."""
    from specgen.checking import check, operator_version
    from specgen.diagnostics.model import ERROR
    from specgen.operators import by_object
    from specgen.operators.expand import expand_manifest

    found = []
    for manifest in [one for objects in text.objects for one in objects]:
        reader = by_object(manifest.ref.api_version, manifest.ref.kind)
        if reader is None:
            continue
        beside = [one for objects in text.objects for one in objects if one is not manifest]
        version = reader.answering(operator_version(session.cluster, reader))
        if not version:
            continue
        expansion, _ = expand_manifest(manifest, reader, version, companions=beside)
        if expansion is None or (expansion.refusals and not expansion.objects):
            found += [one for one in check(manifest, session.cluster, beside) or () if one.severity == ERROR]
    return found


def _of_manifests(text: Text, session: Session) -> list[dict[str, Any]]:
    """The objects of a text; none of one that cannot be read."""
    from specgen.diagnostics.model import has_errors
    from specgen.pipeline import nowhere

    findings = text.parsed[1]
    session.add(findings, nowhere(text.source))
    return [] if has_errors(findings) else [one.tree for found in text.objects for one in found]
