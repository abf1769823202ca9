"""Look up a word, a kind, a code, a variable or a line of a log, or ask why a line of the output is there.

  specgen explain                                          the words of both profiles, a line for each
  specgen explain mounts                                   a word of profiles: what it takes and becomes
  specgen explain variants --target TrainJob               what it becomes in that kind alone
  specgen explain cluster.fabric.rdma                      the same of a cluster profile
  specgen explain nodeSelector                             what Kubernetes calls so, in this language
  specgen explain PyTorchJob                               a kind, with the pods that come of it
  specgen explain NCCL_IB_HCA                              a variable, of NCCL or of an operator (WORLD_SIZE)
  specgen explain 138                                      an exit code of the trainer, and what follows it by kind
  specgen explain SG111                                    the page of a code (or of its name: misplaced-env)
  specgen explain "ibv_reg_mr failed"                      a line of a log or an event: what it means, and which pages
                                                           know the cause
  specgen explain --all                                    everything on one page, or with --html FILE in one file
  specgen explain job.yaml spec.pytorchReplicaSpecs.Worker.replicas
                                                           where that part of the manifest comes from

What is a name here is taken for the name, whatever files there are; `./mounts` or an ending in .yaml is a file, and so
is whatever stands before a PATH. A PATH is a path of the manifest as specgen prints it or its end (`resources.limits`),
the name of a variable or a volume (`NCCL_DEBUG`), a word of the profile (`pods`), or a value (`IPC_LOCK`). Of a file
without a path, each line of the profiles is listed with what comes of it, then what nobody wrote. What several roles
have alike stands once.
"""

from __future__ import annotations

from specgen.cli import exits
from specgen.cli.codes import codes as codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from typing import Any

    from specgen.cli.becoming import Quoted, Secrets
    from specgen.cli.terminal import Terminal
    from specgen.manifest.model import Manifest
    from specgen.source import Path

# Parts that come of one line of a profile and are listed.
_MOST = 6

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
    parser.add_argument(
        "path", nargs="?", metavar="PATH", help="a path, name or value in the manifest, or a word of the profile"
    )
    parser.add_argument("--target", metavar="KIND", help="of a word: what it becomes in this kind alone")
    parser.add_argument("--all", action="store_true", help="everything that can be looked up, on one page")
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
    from specgen.cli.lookup import everything, is_name, look_up, overview
    from specgen.diagnostics.model import BadQuestion

    subject: str | None = options.subject
    if options.all and subject is None:
        return everything(options.html, terminal)
    if options.all or options.html is not None:
        raise BadQuestion("`--all` takes no word, and `--html` goes with `--all`")
    if subject is None:
        terminal.answer(overview())
        return exits.GOOD
    if options.target is not None and (options.path is not None or not is_name(subject)):
        raise BadQuestion(f"--target is of a word of profiles, which `{subject}` is not")
    if options.path is None and (is_name(subject) or not _is_file(subject)):
        return look_up(subject, terminal, options.target)
    if options.path is not None and not _is_file(subject) and is_name(f"{subject} {options.path}"):
        # a name of two words, without quotes
        return look_up(f"{subject} {options.path}", terminal)
    return _origins(options, terminal)


def _is_file(subject: str) -> bool:
    import os

    if subject == "-" or os.path.exists(subject) or subject.endswith((".yaml", ".yml", ".json")):
        return True
    return "/" in subject and " " not in subject  # a line of a log holds paths, too


def _origins(options: Namespace, terminal: Terminal) -> int:
    from specgen.cli.becoming import Quoted, Secrets
    from specgen.cli.files import opened
    from specgen.manifest.asked import asked, roles_once

    session = opened(cluster=options.cluster, settings=options.set, variant=options.variant, mib=options.max_input)
    results = list(session.compile([options.subject], folders=False))
    code = terminal.conclude(session)
    bundles = [compiled.bundle for result in results for compiled in result.compiled if compiled.bundle is not None]
    if not bundles:
        if not session.unreadable:
            _say_of_manifest(options.subject, terminal)
        return code
    manifests = [manifest for bundle in bundles for manifest in bundle.manifests]
    quoted = Quoted()
    if options.path is None:
        for manifest in manifests:
            terminal.answer(_page(manifest, quoted, terminal.columns))
        return code
    found = [(manifest, asked(manifest, options.path)) for manifest in manifests]
    if not any(paths for _, paths in found):
        _say_absent(options.path, manifests, terminal)
        return exits.QUESTION
    for manifest, paths in found:
        secrets = Secrets(manifest.tree)
        parts = [leaf for path in paths for leaf in _below(manifest, path)]
        for leaf, others in roles_once(manifest, dict.fromkeys(parts)):
            terminal.answer(_line(manifest, leaf, others, secrets, quoted))
    return code


def _say_of_manifest(file: str, terminal: Terminal) -> None:
    """That a manifest is written by hand, and what tells of its fields."""
    from shlex import quote

    from specgen.cli.backward import is_manifest

    if file == "-" or not is_manifest(file):
        return
    terminal.say(f"specgen: {quote(file)} is a manifest: what stands in it comes of no profile")
    terminal.say(f"  = help: `specgen expand --fields {quote(file)}` says what becomes of each of its fields")
    terminal.say(f"  = help: `specgen expand -o yaml {quote(file)}` prints what its operator makes of it")


def _say_absent(wanted: str, manifests: list[Manifest], terminal: Terminal) -> None:
    """That the manifest has no such part, and what it has or may get instead."""
    from specgen import nccl
    from specgen.diagnostics.suggest import similar
    from specgen.manifest.asked import leaves
    from specgen.reference.find import elsewhere, find
    from specgen.source import dotted

    terminal.say(f"specgen: the manifest has no path, name, or value `{wanted}`")
    words, meant = elsewhere(wanted)
    if words:
        terminal.say(f"  = help: the profile does not say it: {meant}")
        return
    words = find(wanted)
    if len(words) == 1:
        name = words[0].name
        terminal.say(f"  = help: nothing comes of `{name}` here: `specgen explain {name}` says what would")
        return
    if wanted in nccl.VARIABLES:
        terminal.say(f"  = help: nobody sets it for NCCL here: `env: {{{wanted}: …}}` would")
        return
    every = [dotted(path) for manifest in manifests for path in leaves(manifest.tree)]
    ends = [path for path in every if path.rsplit(".", 1)[-1] == wanted.rsplit(".", 1)[-1]]
    for one in (ends or similar(wanted, every))[:4]:
        terminal.say(f"  = help: there is `{one}`")
    if not ends and wanted.isupper():
        terminal.say("  = help: what the operator sets stands in the pods alone: `specgen expand -o yaml` shows them")


def _page(manifest: Manifest, quoted: Quoted, columns: int | None) -> str:
    """A manifest by the lines of the profiles that it comes from, each with what it becomes; then what nobody wrote."""
    from specgen.cli.becoming import Secrets, becoming
    from specgen.cli.pods import ended
    from specgen.diagnostics.safe import log_line

    by_line, added = becoming(manifest, Secrets(manifest.tree), quoted)
    ref = manifest.ref
    lines = [f"{ref.kind} {ref.namespace + '/' if ref.namespace else ''}{ref.name}"]
    for (name, line, text), parts in by_line.items():
        lines.append(f"{name}:{line}  {text}")
        lines += [f"  {part}" for part in parts[:_MOST]]
        if len(parts) > _MOST:
            lines.append(f"  … {len(parts) - _MOST} more")
    if added:
        lines += ["nobody wrote", *(f"  {part}" + f", because: {part.reason}" * bool(part.reason) for part in added)]
    # a line of a page is one line of a terminal; the whole of it is the answer to a path
    return "".join(f"{ended(log_line(text), columns)}\n" for text in lines)


def _below(manifest: Manifest, path: Path) -> list[Path]:
    """The path itself where it has an origin of its own, else what stands below it."""
    from specgen.manifest.asked import units

    if manifest.where.of(path) is not None:  # type: ignore[attr-defined]  # origins: it was compiled
        return [path]
    return list(units(manifest, path))


def _line(manifest: Manifest, path: Path, others: list[str], secrets: Secrets, quoted: Quoted) -> str:
    """One part of the manifest: its value, the profile's line, and the reason. Secrets are dots."""
    from specgen.diagnostics.safe import log_line
    from specgen.manifest.asked import origin_of, value_at
    from specgen.manifest.origins import Origins
    from specgen.source import dotted

    origins = manifest.where
    assert isinstance(origins, Origins)
    value: Any = value_at(manifest.tree, path)
    shown = f" = {secrets.shown(path, value)}"
    lines = [f"{dotted(path)}{shown}"]
    if others:
        lines.append(f"  and the same in {', '.join(others)}")
    origin = origin_of(manifest, path)
    if origin is None:
        lines.append("  part of what stands below it")
        return "".join(f"{log_line(text)}\n" for text in lines)
    _, place, reason = origin
    if place is not None:
        source, start, _ = (place.where or origins.default).span(place)
        line, column = source.position(start)
        lines.append(f"  {source.name}:{line}:{column}  {quoted.line(source, line)}")
    lines.append(f"  because: {secrets.masked(reason)}")
    return "".join(f"{log_line(text)}\n" for text in lines)
