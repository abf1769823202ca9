"""Compile job profiles to manifests.

Without --out, the manifests go to standard output once everything is known to be right; diagnostics go to standard
error. With --out, a folder for each job is written, with a kustomization.yaml that kustomize, Argo CD and Flux take as
it is; only files whose bytes change are touched. --check writes nothing and says which files are stale, missing or
foreign. Folders stand for the job profiles below them.
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from specgen.cli.terminal import Terminal
    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Bundle
    from specgen.pipeline import Compiled

HELP = "compile job profiles to manifests"


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
        "-o", "--output", choices=("yaml", "json"), default="yaml", help="form of the manifests on standard output"
    )
    common(parser)


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    if options.check and not options.out:
        terminal.say("specgen: --check compares the folder that --out names")
        return exits.QUESTION
    return build(
        options.files,
        terminal,
        settings=options.set,
        cluster=options.cluster,
        variant=options.variant,
        out=options.out,
        check=options.check,
        output=options.output,
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
    output: str = "yaml",
) -> int:
    """Compiles every file, reports every diagnostic, and prints or writes only if there is no error."""
    from specgen.cli.files import opened

    session = opened(cluster=cluster, settings=settings, variant=variant)
    bundles: list[Bundle] = []
    for result in session.compile(names, origins=False):
        bundles += [compiled.bundle for compiled in result.compiled if compiled.bundle is not None]
        if out is not None:
            session.add(found for compiled in result.compiled for found in _nameless(compiled))
    code = terminal.conclude(session)
    if code:
        return code
    if not bundles:
        terminal.say("specgen: no job profile among these files, nothing is built")
        return exits.QUESTION
    _keep_apart(bundles)
    if out is not None:
        from specgen.cli.tree import checked, written

        return checked(out, bundles, terminal) if check else written(out, bundles, terminal)
    terminal.answer(_printed(bundles, output))
    return exits.GOOD


def _nameless(compiled: Compiled) -> list[Finding]:
    """SG250: a job whose name the API server makes, among files that are applied by name."""
    plan = compiled.plan
    if plan is None or plan.generated is None:
        return []
    from specgen.profile.codes import NO_NAME_IN_TREE

    message = f"a job called `{plan.generated.value}…` cannot be applied from files: it has another name each time"
    helps = ["`name` gives it one of its own", "`specgen build … | kubectl create -f -` creates the job"]
    return [NO_NAME_IN_TREE.at(plan.generated.key, message, helps=helps)]


def _keep_apart(bundles: list[Bundle]) -> None:
    """Jobs of one name in several namespaces would overwrite each other's files: each one's folder names its own."""
    spaces: dict[str, list[str | None]] = {}
    for bundle in bundles:
        spaces.setdefault(bundle.name, []).append(bundle.job.ref.namespace)
    for bundle in bundles:
        namespace = bundle.job.ref.namespace
        if any(other != namespace for other in spaces[bundle.name]):
            bundle.name = f"{namespace or 'default'}.{bundle.name}"


def _printed(bundles: list[Bundle], output: str) -> str:
    from specgen.document.write import write_json, write_yaml_stream

    trees: list[object] = [manifest.tree for bundle in bundles for manifest in bundle.manifests]
    if output == "yaml":
        return write_yaml_stream(trees)
    return write_json(trees[0] if len(trees) == 1 else {"apiVersion": "v1", "kind": "List", "items": trees})
