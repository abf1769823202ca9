"""Print what the operator will make of a profile or a manifest.

The default is a table: pods, roles, ranks, devices, rendezvous, and the command after $(VAR) expansion; under it, what
becomes of the job: who decides that it succeeded, what a failure with which exit code restarts, what is deleted at the
end and what keeps its devices, and what the limits do.

With -o yaml or -o json, the objects themselves as a List: pods with the environment in the operator's order, Services,
autoscalers. What nobody can know stands there as <random> or <clusterIP of NAME>. The version is that of --operator, of
the cluster profile, or the newest that specgen was held against.

A manifest that the API server would refuse is expanded with --lenient as the server stores it without field validation:
unknown fields gone, each named on standard error.

A job that Kueue admits is suspended until then, and has no pods: --resumed shows those that it will have.

Every job among the files is expanded, and sees the other objects: a TrainJob needs its runtime, its own namespace's or
the cluster's, in one of them.
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from typing import TypeAlias

    from specgen.cli.files import DiskFiles
    from specgen.cli.terminal import Terminal
    from specgen.diagnostics.model import Diagnostic
    from specgen.manifest.model import Manifest
    from specgen.operators.expansion import Expansion
    from specgen.operators.reader import Reader
    from specgen.source import Source

if TYPE_CHECKING:
    # manifest, its backend, the operator's version and its gang flag
    Job: TypeAlias = tuple[Manifest, Reader, str, str | None]

HELP = "print the pods, ranks, and environment that the operator will make"


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    from specgen.cli.options import common

    said = (
        "job profiles or manifests, - for standard input, and what stands beside the jobs, such as a TrainJob's runtime"
    )
    parser.add_argument("file", metavar="FILE", nargs="+", help=said)
    parser.add_argument("--operator", metavar="NAME=VERSION", help="such as training-operator=1.9.4")
    parser.add_argument(
        "--lenient", action="store_true", help="expand a manifest as it is stored without field validation"
    )
    parser.add_argument("--gang", metavar="NAME", help="the operator's flag for gang scheduling, such as volcano")
    parser.add_argument("--resumed", action="store_true", help="a suspended job as its queue lets it begin")
    parser.add_argument("-o", "--output", choices=("table", "yaml", "json"), default="table", help="form of the answer")
    parser.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="as for build, of a profile")
    parser.add_argument("--cluster", metavar="FILE", help="as for build, of a profile")
    common(parser)


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    from specgen.cli.files import DiskFiles
    from specgen.diagnostics.place import order
    from specgen.operators.expand import is_suspended

    disk = DiskFiles()
    sources: list[Source] = []
    for name in options.file:
        source = _source(name, disk, terminal)
        if source is None:
            return exits.BAD
        sources.append(source)
    workloads: list[Job] = []
    names: list[str] = []
    beside: list[Manifest] = []
    diagnostics: list[Diagnostic] = []
    code = exits.GOOD
    for source in sources:
        found, objects, reported, outcome = _workloads(source, options, disk, terminal)
        workloads += found
        names += [source.name] * len(found)
        beside += objects
        diagnostics += reported
        code = max(code, outcome)
    wanted = _version(options.operator, workloads, terminal)
    if wanted is None:
        return exits.QUESTION
    items = []
    for (manifest, backend, version, gang), name in zip(workloads, names, strict=True):
        chosen = wanted or version
        if not backend.speaks_for(chosen):
            releases = ", ".join(backend.minors)
            terminal.say(
                f"specgen: what {backend.operator.name} {chosen} does is not known here, but what {releases} do"
            )
            return exits.QUESTION
        others = [one for one in beside if one is not manifest]
        flag = options.gang or gang
        expansion, reported = _expand(manifest, backend, chosen, options, others, flag)
        diagnostics += [one for one in reported if expansion is None or one["severity"] == "error"]
        if expansion is None:
            code = max(code, exits.BAD)
            continue
        for path in expansion.removed:
            from specgen.source import dotted

            terminal.say(f"{name}: the API server drops {dotted(path)}")
        items.append(expansion)
        if not options.resumed and is_suspended(manifest.tree):
            terminal.say(f"{name}: the job is suspended, --resumed shows what comes when its queue lets it begin")
    if diagnostics:
        terminal.report(order(diagnostics), files=len(sources), stream=terminal.err)
    if not items:
        if not diagnostics:
            terminal.say(
                f"specgen: {', '.join(source.name for source in sources)} holds no job that specgen can expand"
            )
        return max(code, exits.BAD)
    if code == exits.GOOD or options.lenient:
        _print(items, options.output, terminal)
    refused = any(expansion.refusals and not expansion.objects for expansion in items)
    return max(code, exits.BAD if refused else exits.GOOD)


def _source(name: str, disk: DiskFiles, terminal: Terminal) -> Source | None:
    """A file named on the command line; None: it is not text, which was reported."""
    from specgen.cli.files import Unreadable
    from specgen.cli.terminal import remember
    from specgen.diagnostics.place import place

    try:
        source, findings = disk.named(name)
    except Unreadable as error:
        raise Unreadable(f"{name}: {error}") from None
    if source is None:
        diagnostics = [place(finding, finding.where) for finding in findings if finding.where is not None]
        terminal.report(diagnostics, files=1, stream=terminal.err)
    elif name == "-":
        remember(source.name, source.text)
    return source


def _workloads(
    source: Source, options: Namespace, disk: DiskFiles, terminal: Terminal
) -> tuple[list[Job], list[Manifest], list[Diagnostic], int]:
    """(manifest, its backend, the operator's version) of each job; all objects; diagnostics; the exit code so far."""
    from specgen import operators
    from specgen.checking import operator_gang
    from specgen.diagnostics.place import place
    from specgen.document.read import read
    from specgen.manifest.origins import manifests as items
    from specgen.pipeline import compile_source, nowhere
    from specgen.profile.library import Library, is_profile
    from specgen.profile.settings import BadSetting

    documents, findings = read(source)
    if documents and isinstance(documents[0].data, dict) and is_profile(documents[0].data.get("apiVersion")):
        if options.cluster:
            disk.trust(options.cluster)
        try:
            result = compile_source(source, Library(disk), cluster=options.cluster, settings=options.set)
        except BadSetting as error:
            terminal.say(f"specgen: {error}")
            return [], [], [], exits.QUESTION
        found: list[Job] = [
            (
                compiled.bundle.job,
                compiled.reader,
                compiled.plan.version,
                operator_gang(compiled.job.cluster, compiled.reader),
            )
            for compiled in result.compiled
            if compiled.bundle is not None and compiled.reader is not None and compiled.plan is not None
        ]
        objects = [one for compiled in result.compiled if compiled.bundle for one in compiled.bundle.manifests]
        # what the cluster profile says lies there already, such as a runtime of the cluster
        objects += [one for compiled in result.compiled if compiled.plan for one in compiled.plan.existing]
        for compiled in result.compiled if len(options.file) == 1 else ():
            runtime = compiled.plan.runtime if compiled.plan is not None and not compiled.plan.existing else None
            if runtime is not None:
                why = "`operators.trainer.runtimes` says its name alone, and names no file"
                terminal.say(f"specgen: what the runtime `{runtime.value}` holds is not known: {why}")
        return found, objects, result.diagnostics, exits.BAD if result.failed else exits.GOOD
    manifests: list[Job] = []
    objects = [one for document in documents if isinstance(document.data, dict) for one in items(document)]
    for manifest in objects:
        backend = operators.by_object(manifest.ref.api_version, manifest.ref.kind)
        if backend is not None:
            manifests.append((manifest, backend, backend.newest, None))
    fatal = [place(finding, nowhere(source)) for finding in findings]
    # of two equal keys the last one counts where fields are not validated
    if options.lenient and all(diagnostic["code"] == "SG003" for diagnostic in fatal):
        return manifests, objects, fatal, exits.GOOD
    return ([], [], fatal, exits.BAD) if fatal else (manifests, objects, [], exits.GOOD)


def _version(operator: str | None, workloads: list[Job], terminal: Terminal) -> str | None:
    """The version that ``--operator`` names, empty if none; None: it was wrong."""
    if operator is None:
        return ""
    name, equals, version = operator.partition("=")
    known = {backend.operator.name: backend for _, backend, _, _ in workloads}
    if not equals or not version:
        terminal.say(f"specgen: `{operator}` is no operator: write training-operator=1.9.4")
        return None
    if known and name not in known:
        terminal.say(
            f"specgen: no job here is for the operator `{name}`, but for {', '.join(f'`{one}`' for one in known)}"
        )
        return None
    return version


def _expand(
    manifest: Manifest,
    backend: Reader,
    version: str,
    options: Namespace,
    companions: list[Manifest],
    gang: str | None,
) -> tuple[Expansion | None, list[Diagnostic]]:
    from specgen.diagnostics.place import place
    from specgen.operators.expand import expand_manifest

    expansion, findings = expand_manifest(
        manifest,
        backend,
        version,
        lenient=options.lenient,
        gang=gang,
        companions=companions,
        resumed=options.resumed,
    )
    return expansion, [place(finding, finding.where or manifest.where) for finding in findings]


def _print(expansions: list[Expansion], output: str, terminal: Terminal) -> None:
    from specgen.cli.pods import objects, table

    if output == "table":
        terminal.answer("\n".join(table(expansion, columns=240) for expansion in expansions))
        return
    from specgen.document.write import write_json, write_yaml

    whole = objects(expansions[0])
    for expansion in expansions[1:]:
        whole["items"] = [*whole["items"], *objects(expansion)["items"]]
    terminal.answer(write_yaml(whole) if output == "yaml" else write_json(whole))
