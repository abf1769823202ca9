"""Templates: what Helm and its like render, and variables that ``envsubst`` and its like fill in."""

from __future__ import annotations

import re
from bisect import bisect_right

from specgen.diagnostics.model import ERROR, Place, listed, plural, shown
from specgen.document.read import read
from specgen.document.tree import Mapping, Scalar, Sequence
from specgen.recognise import Foreign, codes, jobs_named
from specgen.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.document.tree import Document, Node
    from specgen.recognise import Parsed
    from specgen.recognise.kustomize import Around

# An action of a template; a comment of Jinja; a statement of Jinja.
_ACTION = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
# An action with what Helm alone offers.
_HELM = re.compile(r"\{\{-?[^{}]*?(?:\.(?:Values|Release|Chart|Capabilities)\b|\b(?:include|nindent|toYaml|tpl)\b)")
# Variables as ``envsubst`` reads them, and expressions as Jinja and others write them; `$(NAME)` is Kubernetes' own.
_VARIABLE = re.compile(r"\$\{[A-Za-z_]\w*(?:[-:?+=][^}]*)?\}|\$[A-Za-z_]\w*|\{\{[^{}]*\}\}")
_NAME = re.compile(r"\$\{?([A-Za-z_]\w*)")
# What a shell or the program itself reads, and what a field below these keys holds is no business of Kubernetes.
_PASSED_ON = frozenset(("command", "args", "env", "annotations", "data", "stringData", "binaryData"))


def template(source: Source, parsed: Parsed, around: Around) -> Foreign | None:
    """What a text with `{{` or `{%` is, where it is certainly a template; None: it may be a manifest as it stands."""
    first = _ACTION.search(source.text)
    if first is None:
        return None
    helm = _HELM.search(source.text)
    chart = around.chart(source.name)
    if chart is None and not _is_template(source, parsed, helm is not None):
        return None
    what = "Helm template" if chart is not None or helm is not None else "template"
    if not jobs_named(source.text):
        return Foreign(what)
    tool = f"helm template {chart or 'CHART'} | specgen lint -" if what == "Helm template" else ""
    at = Place((), offsets=(first.start(), min(first.end(), _end_of_line(source, first.start()))))
    message = f"a {what} is no manifest before it is rendered, and nothing of it is checked"
    return Foreign(what, codes.TEMPLATE.at(at, message, helps=[_help(tool)]))


def _help(tool: str) -> str:
    """``tool``: the command line that renders and lints; empty where it is not known what renders."""
    return f"check what comes of it: `{tool}`" if tool else "check what comes of it with `specgen lint -`"


def _end_of_line(source: Source, at: int) -> int:
    end = source.text.find("\n", at)
    return end if end >= 0 else len(source.text)


def _is_template(source: Source, parsed: Parsed, helm: bool) -> bool:
    documents, findings = parsed
    errors = [one for one in findings if one.severity == ERROR]
    if not errors:
        return helm and any(own and _HELM.search(node.value) for one in documents for node, own in _scalars(one))
    # without its actions it is YAML: nothing but they made it none
    if not any(one.severity == ERROR for one in read(Source(source.name, _rendered(source.text)))[1]):
        return True
    # alternatives of a template stand below each other as the same keys twice, and lists lose their indentation
    offsets = errors[0].place.offsets or (0, 0)
    line = source.position(min(offsets[0], max(len(source.text) - 1, 0)))[0]
    near = "\n".join(source.line(number) for number in (line - 1, line) if number > 0)
    return helm and _ACTION.search(near) is not None


def _rendered(text: str) -> str:
    """A text as if its actions came to nothing on lines of their own, and to a word elsewhere."""
    lines = []
    for line in _ACTION.sub(lambda found: "\0" + "\n" * found.group().count("\n"), text).split("\n"):
        alone = "\0" in line and not line.replace("\0", "").strip()
        lines.append("" if alone else line.replace("\0", "x"))
    return "\n".join(lines)


def _scalars(document: Document) -> Iterator[tuple[Scalar, bool]]:
    """Texts of a document that are no blocks, keys too, and whether Kubernetes reads them itself."""
    left: list[tuple[Node, bool]] = [(document.root, True)]
    while left:
        node, own = left.pop()
        if isinstance(node, Scalar):
            if isinstance(node.value, str) and node.style not in ("|", ">"):
                yield node, own
        elif isinstance(node, Mapping):
            for name, below in node.items.items():
                if own and isinstance(node.keys[name].value, str):
                    yield node.keys[name], own
                left.append((below, own and name not in _PASSED_ON))
        elif isinstance(node, Sequence):
            left += [(below, own) for below in node.items]


# What becomes of a file that nobody fills in.
REFUSED = "applied as it stands, the file is refused"


class Unfilled:
    """The variables in one file's fields, as its documents go by."""

    __slots__ = ("_first", "_names", "_places", "_refused", "source")

    def __init__(self, source: Source) -> None:
        self.source = source
        self._first = ""
        # offset of each field that holds one
        self._places: list[tuple[int, int]] = []
        self._names: dict[str, None] = {}
        # whether one of them is refused as it stands
        self._refused = False

    def take(self, document: Document, findings: list[Finding]) -> list[Finding]:
        """The findings of a document without those of its fields that a tool still fills in."""
        # what an alias repeats stands once
        found = {
            (node.start, node.end): node.value
            for node, own in _scalars(document)
            if own and _VARIABLE.search(node.value)
        }
        spans = sorted((start, end, value) for (start, end), value in found.items())
        starts = [start for start, _, _ in spans]
        kept = []
        blamed = set()
        for finding in findings:
            # items of a List say by their origins where in the text they stand
            source, start, end = (finding.where or document).span(finding.place)
            start, end = (start, end) if source is self.source else (-1, -1)
            # they do not overlap: the last one that begins before it holds it, or none does
            last = bisect_right(starts, start) - 1
            if last < 0 or end > spans[last][1]:
                kept.append(finding)
            else:
                blamed.add(spans[last][:2])
                self._refused |= finding.severity == ERROR
        for start, end, value in spans:
            # a dollar sign within a text may stand for itself
            if (start, end) in blamed or _VARIABLE.fullmatch(value) or "${" in value:
                self._places.append((start, end))
                self._names.update(dict.fromkeys(_NAME.findall(value)))
                self._first = self._first or value
        return kept

    def note(self) -> Finding | None:
        """The one note of the file, at the first of these fields."""
        if not self._places:
            return None
        count, example = len(self._places), shown(self._first)
        fields = f"{plural(count, 'field')} {'holds' if count == 1 else 'hold'}"
        names = sorted(self._names)
        if names:
            # envsubst fills in, or empties, whatever looks like a variable: those of the commands too
            others = set(_NAME.findall(self.source.text)) - self._names.keys()
            which = " '" + " ".join(f"${{{name}}}" for name in names) + "'" if others else ""
            name = self.source.name
            tool = f"envsubst{which} < {name if not name.startswith('<') else 'FILE'} | specgen lint -"
        else:
            tool = ""
        return codes.UNFILLED.at(
            Place((), offsets=self._places[0]),
            f"{fields} what a tool fills in first, such as `{example}`",
            notes=[
                *([f"its variables are {listed(names)}"] if len(names) > 1 else []),
                *([REFUSED] if self._refused else []),
            ],
            helps=[_help(tool)],
        )
