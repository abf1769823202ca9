"""Print what the operator will make of a profile or a manifest.

The default is a table: pods, roles, ranks, devices, rendezvous, and the command after $(VAR) expansion; under it, what
becomes of the job: who decides that it succeeded, what a failure with which exit code restarts, what is deleted at the
end and what keeps its devices, and what the limits do.

With -o yaml or -o json, the objects themselves as a List: pods with the environment in the operator's order, Services,
autoscalers; where a job is refused, there is no List, and standard error says why. What nobody can know stands there as
<random> or <clusterIP of NAME>. The version is that of --operator, of the cluster profile, or the newest that specgen
was held against.

A manifest that the API server would refuse is expanded with --lenient as the server stores it without field validation:
unknown fields gone, each named on standard error.

With --fields, the answer is what becomes of each field that is written: kept in what is made, made into something else
(derived), overridden by another value, read by the operator alone, fixed where no other value is taken, or dropped; and
which fields the values come from that the operator adds. Each field is changed in turn, and the job expanded again.

A job that says `suspend: true` has no pods: --resumed shows those that it will have. One with a queue of Kueue is shown
as it begins, though Kueue suspends it when it is created.

Every job among the files is expanded, and sees the other objects: a TrainJob needs its runtime, its own namespace's or
the cluster's, in one of them.
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from specgen.cli.terminal import Terminal
    from specgen.operators.expansion import Expansion
    from specgen.pipeline import Result
    from specgen.session import Session
    from specgen.session.jobs import Job, Jobs

HELP = "print the pods, ranks, and environment that the operator will make"
EXAMPLES = (
    ("specgen expand job.yaml", "pods, ranks, devices, and what ends the job"),
    ("specgen expand job.yaml -o yaml", "the objects, with the environment of each pod"),
)


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    from specgen.cli.options import common, profiles

    said = (
        "job profiles or manifests, folders of them, or - for standard input; and what stands beside the jobs, such as "
        "a TrainJob's runtime"
    )
    parser.add_argument("file", metavar="FILE", nargs="+", help=said)
    parser.add_argument("--operator", metavar="NAME=VERSION", help="such as training-operator=1.9.4")
    parser.add_argument(
        "--lenient", action="store_true", help="expand a manifest as it is stored without field validation"
    )
    parser.add_argument("--gang", metavar="NAME", help="the operator's flag for gang scheduling, such as volcano")
    parser.add_argument("--resumed", action="store_true", help="a suspended job as its queue lets it begin")
    parser.add_argument("--fields", action="store_true", help="what becomes of each field that is written")
    parser.add_argument("-o", "--output", choices=("table", "yaml", "json"), default="table", help="form of the answer")
    profiles(parser)
    common(parser)


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    from specgen.cli.files import opened
    from specgen.operators.expand import is_queued, is_suspended
    from specgen.operators.written import told
    from specgen.session.jobs import Jobs

    session = opened(cluster=options.cluster, settings=options.set, variant=options.variant, mib=options.max_input)
    jobs = Jobs()
    for text, result in session.expand(options.file):
        jobs.take(text, result, session, lenient=options.lenient)
        if result is not None and len(options.file) == 1:
            _say_unknown_runtimes(result, terminal)
    _choose_version(options.operator, jobs.jobs)
    expansions = []
    expanded = []
    said: dict[str, None] = {}
    for job in jobs.jobs:
        expansion = None
        job.version, unread = job.reader.answered(job.version)
        with session.trying(job.source):
            expansion = _expand(job, jobs, options, session)
        if expansion is None:
            continue
        sentences = [unread] if unread else []
        if options.output != "table" and not options.fields:
            # a List has no room for them
            from specgen.cli.pods import refused

            sentences += refused(expansion)
        expanded.append(job)
        for path in expansion.removed:
            from specgen.source import dotted

            sentences.append(f"the API server drops {dotted(path)}")
        expansions.append(expansion)
        if not options.resumed and is_suspended(job.manifest.tree):
            sentences.append("the job is suspended, --resumed shows what comes when its queue lets it begin")
        elif not options.resumed and is_queued(job.manifest.tree):
            sentences.append("Kueue suspends the job when it is created, these come when its queue has room")
        sentences += told(job.reader, job.manifest.tree)
        for line in [f"{job.file}: {sentence}" for sentence in sentences]:
            # what holds for all jobs of a file is said once
            if line not in said:
                said[line] = None
                terminal.say(line)
    # what was met in a folder need not hold a job
    named = "-" in options.file or not set(jobs.files).isdisjoint(options.file)
    nothing = not session.diagnostics and not session.unreadable and not expansions
    code = terminal.conclude(session)
    if nothing and not named:
        from specgen.cli.files import DiskFiles
        from specgen.cli.rendered import way

        hint = way("expand", options.file, DiskFiles(mib=options.max_input))
        terminal.say(f"specgen: no job among these files, nothing is expanded{hint}")
        return exits.QUESTION
    if not expansions:
        if nothing:
            from specgen.cli.files import DiskFiles
            from specgen.cli.rendered import way

            hint = way("expand", jobs.files, DiskFiles(mib=options.max_input))
            terminal.say(f"specgen: {', '.join(jobs.files)} holds no job that specgen can expand{hint}")
        return max(code, exits.BAD)
    if (code == exits.GOOD or options.lenient) and options.fields and any(one.objects for one in expansions):
        _print_fields(expanded, jobs, options, terminal)
    elif code == exits.GOOD or options.lenient:
        _print(expansions, options.output, terminal)
    return max(code, exits.BAD if any(map(_is_refused, expansions)) else exits.GOOD)


def _is_refused(expansion: Expansion) -> bool:
    """Whether nothing is made of the job, since somebody refuses it."""
    return bool(expansion.refusals) and not expansion.objects


def _say_unknown_runtimes(result: Result, terminal: Terminal) -> None:
    from specgen.operators.trainer.shipped import NAMES

    for compiled in result.compiled:
        runtime = compiled.plan.runtime if compiled.plan is not None and not compiled.plan.existing else None
        if runtime is not None and runtime.value not in NAMES:
            why = "`operators.trainer.runtimes` says its name alone, and names no file"
            terminal.say(f"specgen: what the runtime `{runtime.value}` holds is not known: {why}")


def _choose_version(operator: str | None, jobs: list[Job]) -> None:
    """Gives the jobs the version that ``--operator`` names. Raises BadQuestion for an operator of none of them."""
    from specgen.diagnostics.model import BadQuestion

    if operator is not None:
        name, equals, version = operator.partition("=")
        known = dict.fromkeys(job.reader.operator.name for job in jobs)
        if not equals or not version:
            raise BadQuestion(f"`{operator}` is no operator: write training-operator=1.9.4")
        if known and name not in known:
            named = ", ".join(f"`{one}`" for one in known)
            raise BadQuestion(f"no job here is for the operator `{name}`, but for {named}")
        for job in jobs:
            if job.reader.operator.name == name:
                job.version = version


def _expand(job: Job, jobs: Jobs, options: Namespace, session: Session) -> Expansion | None:
    """What the operator makes of a job; None: the API server does not store it, and why has been found."""
    from specgen.diagnostics.model import ERROR
    from specgen.operators.expand import expand_manifest

    companions, _ = jobs.beside(job)
    expansion, findings = expand_manifest(
        job.manifest,
        job.reader,
        job.version,
        lenient=options.lenient,
        gang=options.gang or job.gang,
        companions=companions,
        resumed=options.resumed,
    )
    session.add(one for one in findings if expansion is None or one.severity == ERROR)
    return expansion


def _print_fields(expanded: list[Job], jobs: Jobs, options: Namespace, terminal: Terminal) -> None:
    from specgen.cli import fields as shown
    from specgen.operators.fields import fields

    found = []
    for job in expanded:
        companions, held = jobs.beside(job)
        one = fields(
            job.manifest,
            job.reader,
            job.version,
            lenient=options.lenient,
            gang=options.gang or job.gang,
            companions=companions,
            resumed=options.resumed,
            held=held,
        )
        found += [] if one is None else [one]
    if options.output == "table":
        terminal.answer("\n".join(shown.table(one, columns=terminal.columns) for one in found))
        return
    from specgen.document.write import write_json, write_yaml

    whole = {"jobs": [shown.tree(one) for one in found]}
    terminal.answer(write_yaml(whole) if options.output == "yaml" else write_json(whole))


def _print(expansions: list[Expansion], output: str, terminal: Terminal) -> None:
    from specgen.cli.pods import objects, table

    if output == "table":
        terminal.answer("\n".join(table(expansion, columns=terminal.columns) for expansion in expansions))
        return
    from specgen.document.write import write_json, write_yaml

    if any(map(_is_refused, expansions)):
        return  # a List without the pods of a job says that it has none
    whole = objects(expansions[0])
    for expansion in expansions[1:]:
        whole["items"] += objects(expansion)["items"]
    terminal.answer(write_yaml(whole) if output == "yaml" else write_json(whole))
