"""Look up a word, a kind, a code or a variable, or ask why a line of the output is there.

  specgen explain mounts                                   a word of profiles: what it takes and becomes
  specgen explain cluster.fabric.rdma                      the same of a cluster profile
  specgen explain nodeSelector                             what Kubernetes calls so, in this language
  specgen explain PyTorchJob                               a kind, with the pods that come of it
  specgen explain NCCL_IB_HCA                              a variable, of NCCL or of an operator (WORLD_SIZE)
  specgen explain SG111                                    the page of a code (or of its name: misplaced-env)
  specgen explain --all                                    everything on one page, or with --html FILE in one file
  specgen explain job.yaml spec.pytorchReplicaSpecs.Worker.replicas
                                                           where that part of the manifest comes from
  specgen explain job.yaml NCCL_IB_HCA                     the same of whatever is called so, or holds it
  specgen explain job.yaml                                 what each line of the profile became, and what was added

What is a name here is taken for the name, whatever files there are; `./mounts` or an ending in .yaml is a file, and so
is whatever stands before a PATH. A path is written as specgen prints it; its end alone is enough. With `--all` every
part of the manifest is listed with its origin.
"""

from __future__ import annotations

from specgen.cli import exits
from specgen.cli.codes import codes as codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from typing import Any

    from specgen.cli.terminal import Terminal
    from specgen.manifest.model import Manifest

HELP = "look up a word, kind, code or variable, or why a line of the output is there"
EXAMPLES = (
    ("specgen explain scheduling.gang", "a word: what it takes and becomes"),
    ("specgen explain job.yaml metadata.name", "where that line of the manifest comes from"),
)


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    from specgen.cli.options import common, profiles

    subject: Any = parser.add_argument(
        "subject",
        metavar="WORD|PROFILE",
        nargs="?",
        help="a word such as scheduling.gang, a kind, a code, a variable; or a job profile",
    )
    subject.completer = _words
    parser.add_argument("path", nargs="?", metavar="PATH", help="a path in the manifest, a name or a value in it")
    parser.add_argument(
        "--all", action="store_true", help="everything that can be looked up, or every part of a manifest"
    )
    parser.add_argument("--html", metavar="FILE", help="with --all: into one HTML file, to be searched in a browser")
    profiles(parser)
    common(parser)


def _words(prefix: str, **_: object) -> list[str]:
    """Words, kinds, codes and files that begin so, for the shell."""
    from argcomplete.completers import FilesCompleter

    from specgen.reference.kinds import kinds
    from specgen.reference.words import by_name

    return [*by_name(), *kinds(), *codes(), *FilesCompleter()(prefix)]


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    from specgen.cli.lookup import everything, is_name, look_up
    from specgen.diagnostics.model import BadQuestion

    subject: str | None = options.subject
    if options.all and subject is None:
        return everything(options.html, terminal)
    if options.html is not None or (options.all and options.path is not None):
        raise BadQuestion("`--all` takes no word and no path, and `--html` goes with `--all` alone")
    if subject is None:
        raise BadQuestion("what is to be explained?", "`specgen explain mounts`, or `specgen explain --all`")
    if options.path is None and (is_name(subject) or not _is_file(subject)):
        if options.all:
            raise BadQuestion("`--all` takes no word")
        return look_up(subject, terminal)
    return _origins(options, terminal)


def _is_file(subject: str) -> bool:
    import os

    return subject == "-" or os.path.exists(subject) or "/" in subject or subject.endswith((".yaml", ".yml", ".json"))


def _origins(options: Namespace, terminal: Terminal) -> int:
    from specgen.cli.files import opened
    from specgen.cli.origins import every, matching, page, parts

    session = opened(cluster=options.cluster, settings=options.set, variant=options.variant, mib=options.max_input)
    results = list(session.compile([options.subject], folders=False))
    code = terminal.conclude(session)
    bundles = [compiled.bundle for result in results for compiled in result.compiled if compiled.bundle is not None]
    manifests = [manifest for bundle in bundles for manifest in bundle.manifests]
    if not bundles:
        return code
    if options.path is None and not options.all:
        for bundle in bundles:
            if len(bundles) > 1:
                terminal.answer(f"{bundle.job.ref.kind} `{bundle.job.ref.name}`\n\n")
            for text in page(bundle.manifests, bundle.job):
                terminal.answer(text)
        return code
    found = matching(manifests, options.path) if options.path is not None else every(manifests)
    if not found:
        return _absent(options.path, options.subject, manifests, terminal)
    for text in parts(found):
        terminal.answer(text)
    return code


def _absent(wanted: str, file: str, manifests: list[Manifest], terminal: Terminal) -> int:
    """What a path that a manifest lacks may be: near ones, and the word that would write it."""
    from specgen.cli.lookup import is_name
    from specgen.cli.origins import every
    from specgen.diagnostics.suggest import similar
    from specgen.source import dotted

    known = [dotted(path) for _, path in every(manifests)]
    terminal.say(f"specgen: nothing in what {file} becomes is called, or holds, `{wanted}`")
    ends = [path for path in known if path.rsplit(".", 1)[-1] == wanted.rsplit(".", 1)[-1]]
    for one in (ends or similar(wanted, known))[:4]:
        terminal.say(f"  = help: there is `{one}`")
    name = next((one for one in (wanted, wanted.rpartition(".")[2]) if is_name(one)), None)
    if name is not None:
        terminal.say(f"  = help: `specgen explain {name}` says which word writes it")
    return exits.QUESTION
