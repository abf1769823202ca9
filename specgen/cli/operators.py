"""Write what installs the operators that a cluster profile lists, without all of Kubeflow.

For each operator a directory with a kustomization.yaml: upstream's manifests pinned to the version, the namespace, the
images from the mirrors of the cluster profile, and patches that add the operator's flags: its gang scheduler, and the
images of the containers that it puts into pods. A kustomization.yaml on top lists them. The pytorch-operator of old,
training-operator 0.7.0, has a Helm chart: its directory holds the chart's values.

--base names a copy of upstream's manifests on disk, for clusters that cannot reach GitHub and for releases whose tag is
not known here. Without --out the files go to standard output as one YAML stream, each below a comment with its path.
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from specgen.cli.files import DiskFiles
    from specgen.cli.terminal import Terminal
    from specgen.diagnostics.model import Diagnostic
    from specgen.document.tree import Document
    from specgen.profile.cluster import ClusterProfile

HELP = "write what installs the operators of a cluster"

_KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    from specgen.cli.options import common

    parser.add_argument("cluster", metavar="CLUSTER", help="a cluster profile, or - for standard input")
    parser.add_argument("--out", metavar="DIR", help="write a folder for each operator below DIR")
    parser.add_argument(
        "--base",
        action="append",
        default=[],
        metavar="OPERATOR=PATH",
        help="a local folder with the operator's kustomization, in place of upstream's",
    )
    common(parser)


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    from specgen.cli.files import DiskFiles
    from specgen.diagnostics.model import has_errors
    from specgen.diagnostics.place import order, place
    from specgen.install.install import folder, install, listed_operators

    document, cluster, diagnostics = _cluster(options.cluster, DiskFiles())
    if document is None or cluster is None:
        terminal.report(order(diagnostics), files=1, stream=terminal.err)
        return exits.BAD
    listed = listed_operators(cluster)
    if not listed:
        terminal.say(f"specgen: {document.source.name} lists no operators, nothing is written")
        return exits.QUESTION
    bases = {}
    for said in options.base:
        name, _, path = said.partition("=")
        wrong = _wrong_base(name, path, said, {one: folder(one, operator) for one, operator in listed.items()})
        if wrong:
            terminal.say(f"specgen: {wrong}")
            return exits.QUESTION
        bases[name] = _from(f"{options.out or '.'}/{name}", path)
    files, findings = install(cluster, bases)
    diagnostics += [place(finding, document) for finding in findings]
    if diagnostics:
        terminal.report(order(diagnostics), files=1, stream=terminal.err)
    if has_errors(findings):
        return exits.BAD
    if options.out is not None:
        _write(options.out, files, terminal)
    else:
        terminal.answer("---\n".join(f"# {path}\n{text}" for path, text in files.items()))
    return exits.GOOD


def _cluster(name: str, disk: DiskFiles) -> tuple[Document | None, ClusterProfile | None, list[Diagnostic]]:
    """The cluster profile of a file; without one, what is wrong with the file."""
    from specgen.cli.files import Unreadable
    from specgen.cli.terminal import remember
    from specgen.diagnostics.place import place
    from specgen.profile.codes import WRONG_ENVELOPE
    from specgen.profile.library import Library, check

    try:
        source, findings = disk.named(name)
    except Unreadable as error:
        raise Unreadable(f"{name}: {error}") from None
    document = None
    if source is not None:
        if name == "-":
            remember(source.name, source.text)
        document, findings = check(source)
    diagnostics = [place(finding, finding.where) for finding in findings if finding.where is not None]
    if document is None:
        return None, None, diagnostics
    kind = document.data["kind"]
    if kind != "Cluster":
        message = f"a {kind} lists no operators: they stand in the profile of a Cluster"
        helps = ["`specgen images` lists what a job pulls"] if kind == "Job" else []
        return None, None, [place(WRONG_ENVELOPE.at(("kind",), message, helps=helps), document)]
    return document, Library(disk).cluster(document), diagnostics


def _wrong_base(name: str, path: str, said: str, folders: dict[str, str]) -> str:
    """What is wrong with a ``--base``; empty: nothing. folders: operator → folder of its files."""
    import os

    from specgen.diagnostics.model import listed

    if not name or not path:
        return f"`--base {said}` names no folder: write --base training-operator=manifests/overlays/standalone"
    if name not in folders:
        return f"`--base {said}` is for no operator of the cluster profile, which lists {listed(list(folders))}"
    if folders[name] != name:
        return f"`--base {said}` has no effect: this version of {name} is installed by a Helm chart"
    if not any(os.path.isfile(os.path.join(path, file)) for file in _KUSTOMIZATIONS):
        return f"{path}: there is no kustomization.yaml in it"
    return ""


def _from(folder: str, path: str) -> str:
    """The path as a kustomization in the folder names it: kustomize takes relative ones only."""
    import os

    # links are followed on both sides, as kustomize does: a path through one would lead elsewhere
    return os.path.relpath(os.path.realpath(path), os.path.realpath(folder)).replace(os.sep, "/")


def _write(out: str, files: dict[str, str], terminal: Terminal) -> None:
    """Writes the files below a folder, only those whose bytes change, and never through a link."""
    import os

    from specgen.cli.files import Unreadable, write_text
    from specgen.diagnostics.model import plural

    changed = 0
    try:
        for path, text in files.items():
            folder = os.path.join(out, os.path.dirname(path))
            if os.path.dirname(path) and os.path.islink(folder):
                raise Unreadable(f"{folder}: it is a link, and nothing is written through links")
            changed += write_text(os.path.join(out, *path.split("/")), text)
    except OSError as error:
        raise Unreadable(f"{out}: {(error.strerror or 'it cannot be written').lower()}") from None
    if not terminal.quiet:
        terminal.say(f"{plural(changed, 'file')} written in {out}, {len(files) - changed} unchanged")
