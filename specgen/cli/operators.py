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

    from specgen.cli.terminal import Terminal
    from specgen.document.tree import Document
    from specgen.session import Session

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
    from specgen.cli.files import opened
    from specgen.install.install import folder, install, listed_operators

    session = opened()
    document = _cluster(session, options.cluster)
    if document is None:
        return terminal.conclude(session)
    cluster = session.library.cluster(document)
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
    session.add(findings, document)
    code = terminal.conclude(session)
    if code:
        return code
    if options.out is not None:
        _write(options.out, files, terminal)
    else:
        terminal.answer("---\n".join(f"# {path}\n{text}" for path, text in files.items()))
    return exits.GOOD


def _cluster(session: Session, name: str) -> Document | None:
    """The cluster profile of a file; None: it is none, and why has been found."""
    from specgen.profile.codes import WRONG_ENVELOPE

    document = session.document(name)
    if document is None or document.data["kind"] == "Cluster":
        return document
    kind = document.data["kind"]
    message = f"a {kind} lists no operators: they stand in the profile of a Cluster"
    helps = ["`specgen images` lists what a job pulls"] if kind == "Job" else []
    session.add([WRONG_ENVELOPE.at(("kind",), message, helps=helps)], document)
    return None


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

    from specgen.cli.files import write_text
    from specgen.diagnostics.model import BadQuestion, plural

    changed = 0
    try:
        for path, text in files.items():
            folder = os.path.join(out, os.path.dirname(path))
            if os.path.dirname(path) and os.path.islink(folder):
                raise BadQuestion(f"{folder}: it is a link, and nothing is written through links")
            changed += write_text(os.path.join(out, *path.split("/")), text)
    except OSError as error:
        raise BadQuestion(f"{out}: {(error.strerror or 'it cannot be written').lower()}") from None
    if not terminal.quiet:
        terminal.say(f"{plural(changed, 'file')} written in {out}, {len(files) - changed} unchanged")
