"""Write what installs the operators that a cluster profile lists, without all of Kubeflow.

For each operator a directory with a kustomization.yaml: upstream's manifests pinned to the version, the namespace, the
images from the mirrors of the cluster profile, and patches that add the operator's flags: its gang scheduler, and the
images of the containers that it puts into pods. A kustomization.yaml on top lists them. The pytorch-operator of old,
training-operator 0.7.0, has a Helm chart: its directory holds the chart's values.

--base names a copy of upstream's manifests on disk, for clusters that cannot reach GitHub and for releases whose tag is
not known here. Such a copy fetches nothing. JobSet comes with Trainer where a cluster has both: a copy of Trainer needs
one of JobSet, --base jobset=PATH, a folder with its release's manifests.yaml and a kustomization. Without --out the
files go to standard output as one YAML stream, each below a comment with its path. With it, the folder changes as a
whole or not at all, and what specgen wrote is listed in it: what is no longer written is taken out, and a file that
somebody else wrote or edited stops the run unless --force overwrites it.
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from specgen.cli.terminal import Terminal
    from specgen.document.tree import Document
    from specgen.install.model import Base
    from specgen.session import Session

HELP = "write what installs the operators of a cluster"
EXAMPLES = (
    ("specgen operators cluster.yaml", "what installs them, on standard output"),
    ("specgen operators cluster.yaml --out operators/", "the same as a folder for kustomize"),
)


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    from specgen.cli.options import common

    parser.add_argument("cluster", metavar="CLUSTER", help="a cluster profile, or - for standard input")
    parser.add_argument("--out", metavar="DIR", help="write a folder for each operator below DIR")
    parser.add_argument(
        "--force", action="store_true", help="with --out: overwrite files that specgen did not write, or not like that"
    )
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
    from specgen.install.own_images import moving

    if options.force and options.out is None:
        terminal.say("specgen: --force overwrites files in the folder that --out names")
        return exits.QUESTION
    session = opened()
    document = _cluster(session, options.cluster)
    if document is None:
        return terminal.conclude(session)
    cluster = session.library.cluster(document)
    listed = listed_operators(cluster)
    if not listed:
        terminal.say(f"specgen: {document.source.name} lists no operators, nothing is written")
        return exits.QUESTION
    said = {}
    for text in options.base:
        name, _, path = text.partition("=")
        wrong = _wrong_base(name, path, text, {one: folder(one, operator) for one, operator in listed.items()})
        if wrong:
            terminal.say(f"specgen: {wrong}")
            return exits.QUESTION
        said[name] = path
    bases = _bases(said, options.out or ".", brought="trainer" in listed)
    for name in listed:
        if name not in bases:
            session.add(moving(cluster, name), document)
    files: dict[str, str] = {}
    with session.trying(document.source):
        files, findings = install(cluster, bases)
        session.add(findings, document)
    if options.out is not None:
        return _write(options.out, files, document, session, terminal, force=options.force)
    code = terminal.conclude(session)
    if code:
        return code
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
    from specgen.diagnostics.model import listed

    if not name or not path:
        return f"`--base {said}` names no folder: write --base training-operator=manifests/overlays/standalone"
    if name not in folders and not (name == "jobset" and "trainer" in folders):
        return f"`--base {said}` is for no operator of the cluster profile, which lists {listed(list(folders))}"
    if folders.get(name, name) != name:
        return f"`--base {said}` has no effect: this version of {name} is installed by a Helm chart"
    return ""


def _bases(said: dict[str, str], out: str, *, brought: bool) -> dict[str, Base]:
    """Operator → its base on disk; ``brought``: Trainer's manifests bring JobSet along.

    Raises BadQuestion where one of them would fetch something.
    """
    from specgen.cli.bases import fetches, local, without_remote
    from specgen.diagnostics.model import BadQuestion

    trainer, jobset = said.get("trainer"), said.get("jobset")
    if jobset is not None and trainer is None and brought:
        raise BadQuestion(
            f"`--base jobset={jobset}` needs `--base trainer=PATH`: upstream's overlay of trainer fetches JobSet itself"
        )
    if trainer is not None and jobset is None and fetches(trainer):
        raise BadQuestion(
            f"`--base trainer={trainer}` fetches JobSet from elsewhere",
            "name a copy of that as well: `--base jobset=PATH`, a folder with its manifests and a kustomization",
        )
    found = {}
    for name, path in said.items():
        take = without_remote if name == "trainer" and jobset is not None else local
        found[name] = take(path, f"{out}/{name}")
    return found


def _write(
    out: str, files: dict[str, str], document: Document, session: Session, terminal: Terminal, *, force: bool
) -> int:
    """Writes the files below a folder as a whole, unless something was found that keeps it from being written."""
    from specgen.cli.tree import write_whole
    from specgen.diagnostics.model import plural

    good = not (session.failed or session.unreadable)
    change = write_whole(out, files, document.source.name, session, force=force) if good else None
    code = terminal.conclude(session)
    if change is not None and not terminal.quiet:
        removed = f", {len(change.remove)} removed" if change.remove else ""
        same = len(change.files) - len(change.write)
        terminal.say(f"{plural(len(change.write), 'file')} written in {out}{removed}, {same} unchanged")
    return code
