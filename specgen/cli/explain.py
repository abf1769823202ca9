"""Explain a code, or why a line of the output is there.

  specgen explain SG111                                    the page of a code (or of its name: misplaced-env)
  specgen explain job.yaml spec.pytorchReplicaSpecs.Worker.replicas
                                                           where that part of the manifest comes from

A path is written as specgen prints it; its end alone is enough where it is unambiguous. Without a path, every part of
the manifest is listed with its origin.
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

HELP = "explain a code, or why a line of the output is there"


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    from specgen.cli.options import common, profiles

    subject: Any = parser.add_argument("subject", metavar="CODE|PROFILE", help="a code such as SG111, or a job profile")
    subject.completer = _words
    parser.add_argument("path", nargs="?", metavar="PATH", help="a path in the manifest")
    profiles(parser)
    common(parser)


def _words(prefix: str, **_: object) -> list[str]:
    """Codes and files that begin so, for the shell."""
    from argcomplete.completers import FilesCompleter

    return [*codes(), *FilesCompleter()(prefix)]


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    subject: str = options.subject
    if options.path is None and not _looks_like_file(subject):
        return _page(subject, terminal)
    return _origins(options, terminal)


def _looks_like_file(subject: str) -> bool:
    import os

    return subject == "-" or os.path.exists(subject) or subject.endswith((".yaml", ".yml"))


def _page(subject: str, terminal: Terminal) -> int:
    known = codes()
    code = known.get(subject.upper()) or next((one for one in known.values() if one.slug == subject), None)
    if code is None:
        from specgen.diagnostics.suggest import hint

        terminal.say(f"specgen: there is no code `{subject}`")
        help = hint(subject, [*known, *(one.slug for one in known.values())], "code")
        if help:
            terminal.say(f"  = help: {help}")
        return exits.QUESTION
    title, _, page = code.page.strip().partition("\n")
    from specgen.diagnostics.pages import severities
    from specgen.diagnostics.selection import opt_in

    chosen = ", opt-in" if opt_in(code.id) else ""
    weights = " or ".join(severities(code.page))
    terminal.answer(f"{code.id} {code.slug} ({weights}{chosen}, since {code.since})\n\n{title}\n{page}\n")
    return exits.GOOD


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
