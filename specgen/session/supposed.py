"""Files whose cluster profiles say what is supposed, such as ``pools.gpu.nodes.count=12``, wherever they are named."""

from __future__ import annotations

from shlex import quote

from specgen.diagnostics.model import ERROR, BadQuestion
from specgen.document.read import read
from specgen.document.write import write_yaml
from specgen.profile.library import check
from specgen.profile.settings import steps
from specgen.session.repair import Overlay
from specgen.source import Source, dotted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.session.files import Files


# Ways to read a path whose names may hold dots.
_MOST = 40


class Supposed(Overlay):
    """Files with settings for their cluster profiles. ``met``: whether one of these was read."""

    __slots__ = ("_changed", "_settings", "met")

    def __init__(self, files: Files, settings: Sequence[str]) -> None:
        super().__init__(files)
        self._settings = [(text, *_parsed(text)) for text in settings]
        self._changed: dict[str, Source] = {}
        self.met = False

    def named(self, name: str) -> tuple[Source | None, list[Finding]]:
        """A file of the command line, as it is supposed to be."""
        source, findings = super().named(name)
        return self._of(source), findings

    def read(self, name: str) -> tuple[Source | None, list[Finding]]:
        """A file that a profile names, as it is supposed to be."""
        source, findings = super().read(name)
        return self._of(source), findings

    def _of(self, source: Source | None) -> Source | None:
        if source is None or "Cluster" not in source.text or not self._settings:
            return source
        if source.name not in self._changed:
            self._changed[source.name] = self._supposed(source)
        return self._changed[source.name]

    def _supposed(self, source: Source) -> Source:
        document, findings = check(source)
        if document is None or document.data.get("kind") != "Cluster" or any(one.severity == ERROR for one in findings):
            return source  # what is wrong with it is said at its own lines
        self.met = True
        data: Any = document.data
        for text, names, value in self._settings:
            before, data = data, _with(data, names, value, text)
            made = Source(source.name, write_yaml(data))
            wrong = _wrong(made)
            if wrong:
                raise BadQuestion(f"--what-if {text}: {wrong}", _whole(source.name, before, names, text))
        return made


def _wrong(source: Source) -> str:
    """What is wrong with a profile; empty: nothing."""
    return next((one.message for one in check(source)[1] if one.severity == ERROR), "")


def _whole(file: str, data: Any, names: list[str], text: str) -> str | None:
    """The setting with names that hold a dot in brackets, where it is one then."""
    path, _, written = text.partition("=")
    _, value = _parsed(text)
    count = len(names)
    pairs = [(first, last) for first in reversed(range(count - 1)) for last in range(count, first + 1, -1)]
    for first, last in pairs[:_MOST] if "." in path else ():
        joined = [*names[:first], ".".join(names[first:last]), *names[last:]]
        try:
            made = _with(data, joined, value, text)
        except BadQuestion:
            continue
        if not _wrong(Source(file, write_yaml(made))):
            return f"write `--what-if {quote(f'{dotted(tuple(joined))}={written}')}`"
    return None


def _parsed(text: str) -> tuple[list[str], Any]:
    path, equals, value = text.partition("=")
    if not equals:
        raise BadQuestion(f"--what-if {text}: write `path=value`, such as `pools.gpu.nodes.count=12`")
    documents, findings = read(Source(f"--what-if {text}", value))
    if findings or len(documents) != 1:
        raise BadQuestion(f"--what-if {text}: there is no value that can be read")
    return steps(path), documents[0].data


def _with(tree: Any, names: list[str], value: Any, text: str) -> dict[str, Any]:
    """A mapping with another value at a path; ``null`` takes away what is there."""
    if tree is not None and not isinstance(tree, dict):
        raise BadQuestion(f"--what-if {text}: nothing stands below a {type(tree).__name__}")
    name, *rest = names
    made = dict(tree or {})
    if rest:
        made[name] = _with(made.get(name), rest, value, text)
    elif value is None:
        made.pop(name, None)
    else:
        made[name] = value
    return made
