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

What is a name here is taken for the name, whatever files there are; `./mounts` or an ending in .yaml is a file, and so
is whatever stands before a PATH. A path is written as specgen prints it; its end alone is enough where it is
unambiguous. Of a file without a path, every part of the manifest is listed with its origin.
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
    from specgen.source import Path, Source

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
    parser.add_argument("path", nargs="?", metavar="PATH", help="a path in the manifest")
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
    from specgen.cli.lookup import everything, is_name, look_up
    from specgen.diagnostics.model import BadQuestion

    subject: str | None = options.subject
    if options.all and subject is None:
        return everything(options.html, terminal)
    if options.all or options.html is not None:
        raise BadQuestion("`--all` takes no word, and `--html` goes with `--all`")
    if subject is None:
        raise BadQuestion("what is to be explained?", "`specgen explain mounts`, or `specgen explain --all`")
    if options.path is None and (is_name(subject) or not _is_file(subject)):
        return look_up(subject, terminal)
    return _origins(options, terminal)


def _is_file(subject: str) -> bool:
    import os

    return subject == "-" or os.path.exists(subject) or "/" in subject or subject.endswith((".yaml", ".yml", ".json"))


def _origins(options: Namespace, terminal: Terminal) -> int:
    from specgen.cli.files import opened

    session = opened(cluster=options.cluster, settings=options.set, variant=options.variant, mib=options.max_input)
    results = list(session.compile([options.subject], folders=False))
    code = terminal.conclude(session)
    bundles = [compiled.bundle for result in results for compiled in result.compiled if compiled.bundle is not None]
    if not bundles:
        return code
    manifests = [manifest for bundle in bundles for manifest in bundle.manifests]
    found = [(manifest, path) for manifest in manifests for path in _paths(manifest.tree, (), options.path)]
    if not found:
        from specgen.diagnostics.suggest import similar
        from specgen.source import dotted

        every = [dotted(path) for manifest in manifests for path in _paths(manifest.tree, (), None)]
        terminal.say(f"specgen: the manifest has no path `{options.path}`")
        ends = [path for path in every if path.rsplit(".", 1)[-1] == options.path.rsplit(".", 1)[-1]]
        for one in (ends or similar(options.path, every))[:4]:
            terminal.say(f"  = help: there is `{one}`")
        return exits.QUESTION
    quoted = _Quoted()
    for manifest, path in found:
        secrets = _Secrets(manifest.tree)
        for leaf in _below(manifest, path):
            terminal.answer(_line(manifest, leaf, secrets, quoted))
    return code


def _paths(tree: object, path: Path, wanted: str | None, named: Path = ()) -> list[Path]:
    """Paths of leaves, or those that are ``wanted`` or end with it; items of lists also go by their names."""
    from specgen.source import dotted

    found: list[Path] = []
    if path and wanted is not None:
        texts = (dotted(path), dotted(named))
        if wanted in texts:
            return [path]
        ends = ("." + wanted, f"[{wanted}]", wanted if wanted.startswith("[") else f"[{wanted}]")
        if any(text.endswith(ends) for text in texts):
            found.append(path)
    if isinstance(tree, dict) and tree:
        for key, value in tree.items():
            found += _paths(value, (*path, key), wanted, (*named, key))
    elif isinstance(tree, list) and tree:
        for index, value in enumerate(tree):
            name = value.get("name") if isinstance(value, dict) else None
            # a name in brackets, as paths print keys that hold a dot
            step = f"[{name}]" if isinstance(name, str) else index
            found += _paths(
                value, (*path, index), wanted, (*named[:-1], f"{named[-1]}{step}") if name else (*named, index)
            )
    elif wanted is None:
        found.append(path)
    return found


def _below(manifest: Manifest, path: Path) -> list[Path]:
    """The path itself where it has an origin of its own, else the leaves below it."""
    if manifest.where.of(path) is not None:  # type: ignore[attr-defined]  # origins: it was compiled
        return [path]
    tree: Any = manifest.tree
    for step in path:
        tree = tree[step]
    return _paths(tree, path, None)


class _Secrets:
    """What is not shown of an object."""

    __slots__ = ("_known", "_whole")

    def __init__(self, tree: Any) -> None:
        from specgen.diagnostics.secrets import hidden, values

        self._known = values(tree)
        self._whole = {path for path, span in hidden(tree) if span is None}

    def shown(self, path: Path, value: object) -> str:
        """A value without its secrets."""
        from specgen.diagnostics.secrets import DOTS

        if any(path[: len(one)] == one for one in self._whole):
            return DOTS
        return self.masked(str(value).lower() if isinstance(value, bool) else str(value))

    def masked(self, text: str) -> str:
        """A text without those of the object."""
        from specgen.diagnostics.secrets import masked

        return masked(text, self._known)


class _Quoted:
    """Lines of profiles without their secrets."""

    __slots__ = ("_lines",)

    def __init__(self) -> None:
        self._lines: dict[str, list[str]] = {}

    def line(self, source: Source, number: int) -> str:
        """A line, without the blanks around it."""
        from specgen.diagnostics.sources import quoted
        from specgen.document.secrets import concealed

        if source.name not in self._lines:
            self._lines[source.name] = concealed(source).split("\n")
        return quoted(self._lines[source.name], [number])[number].strip()


def _line(manifest: Manifest, path: Path, secrets: _Secrets, quoted: _Quoted) -> str:
    """One part of the manifest: its value, the profile's line, and the reason. Secrets are dots."""
    from specgen.diagnostics.safe import log_line
    from specgen.manifest.origins import Origins
    from specgen.source import dotted

    origins = manifest.where
    assert isinstance(origins, Origins)
    value: Any = manifest.tree
    for step in path:
        value = value[step]
    shown = "" if isinstance(value, (dict, list)) else f" = {secrets.shown(path, value)}"
    lines = [f"{dotted(path)}{shown}"]
    origin = origins.of(path)
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
