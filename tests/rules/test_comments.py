"""No fix loses what somebody wrote beside a field: each bad fixture, with a comment on each line and above it.

A comment speaks of the entry that it stands behind or right above. It goes where this entry goes, stands above what
takes its place, and goes with an entry that is taken out for good, as it would speak of the next one from then on.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from specgen import rules
from specgen.diagnostics.operations import Remove
from specgen.diagnostics.place import Unproven, edits_of, published
from specgen.document.patch import applied
from specgen.document.read import read
from specgen.document.tree import Document, Mapping
from specgen.document.write import write_yaml
from specgen.linting import lint_source
from specgen.manifest.edits import edits
from specgen.manifest.origins import Copied
from specgen.source import Source
from tests.rules.runner import MARK, cluster, document

FILES = sorted(Path(__file__).parent.glob("*/bad*.yaml"))
WRITTEN = re.compile(r"# (?:on|above) \d+$", re.MULTILINE)


def commented(text: str) -> str:
    """A text with a comment above each line and one behind it, where one may stand; each has the line's number."""
    texts = [span for one in read(Source("t", text))[0] for span in one.texts()]
    out, at = [], 0
    for number, line in enumerate(text.split("\n"), 1):
        start, end = at, at + len(line)
        at = end + 1
        if not line.strip() or line.startswith("---") or "#" in line:
            out.append(line)
            continue
        if not any(begin < start < stop for begin, stop in texts):
            out.append(f"{line[: len(line) - len(line.lstrip(' '))]}# above {number}")
        out.append(line if any(begin <= end < stop for begin, stop in texts) else f"{line}  # on {number}")
    return "\n".join(out)


def forms(file: Path) -> Iterator[str]:
    """A fixture as it stands, and with a line for each of its fields."""
    text = re.sub(f" *{MARK}.*", "", file.read_text())
    yield text
    yield "---\n".join([write_yaml(one.data) for one in read(Source("t", text))[0]])


def going(found: Document, path: tuple[str | int, ...]) -> set[str]:
    """The comments of an entry that begins its line: those in its lines, and right above them."""
    lines = found.source.text.split("\n")
    node, holder = found.node(path), found.node(path[:-1])
    assert node is not None
    start = holder.keys[str(path[-1])].start if isinstance(holder, Mapping) else node.start
    first, last = (found.source.position(at)[0] - 1 for at in (start, max(start, node.end - 1)))
    begin = found.source.text.rfind("\n", 0, start) + 1
    if found.source.text[begin:start].strip(" -"):
        return set()
    while lines[first - 1].lstrip().startswith("# "):
        first -= 1
    return set(WRITTEN.findall("\n".join(lines[first : last + 1])))


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_no_fix_loses_a_comment_of_what_stays(file: Path) -> None:
    name = file.parent.name
    chosen = frozenset([rules.load(name).CODE.id] if name.startswith(rules.POLICY) else ())
    known = file.with_suffix(".cluster")
    profile, said = (cluster(known), document(known)) if known.is_file() else (None, None)
    for text in forms(file):
        source = Source("t", commented(text))
        before = Counter(WRITTEN.findall(source.text))
        assert [one.data for one in read(source)[0]] == [one.data for one in read(Source("t", text))[0]]
        for one in lint_source(source, profile, chosen=chosen, said=said).diagnostics:
            unproven = one["fix"] and one["fix"]["edits"]
            fix = published([one], edits)[0]["fix"]
            if fix is None:
                continue
            assert isinstance(unproven, Unproven)
            changes = [(edit["start"], edit["end"] - edit["start"], edit["text"]) for edit in edits_of(fix)]
            after = Counter(WRITTEN.findall(applied(source.text, changes)))
            where = unproven._where
            gone: set[str] = set()
            for step in unproven._patch:
                if isinstance(step, Remove) and step.to is None:
                    path = where.below(step.path) if isinstance(where, Copied) else step.path
                    found = where.document if isinstance(where, Copied) else where
                    assert isinstance(found, Document)
                    gone |= going(found, path)
            assert set(before - after) <= gone, (one["code"], fix["title"])
            assert not after - before, (one["code"], fix["title"])
