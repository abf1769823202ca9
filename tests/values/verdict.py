"""What comes of one profile: built and taken by everybody, or refused at the line of the word that is odd."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import yaml

from specgen.diagnostics.model import ERROR, KEY, Finding, Place
from specgen.document.read import read
from specgen.document.write import write_yaml_stream
from specgen.linting import lint_text
from specgen.operators.expand import expand_manifest
from specgen.pipeline import Compiled, Result, compile_source
from specgen.profile.codes import BROKEN_REFERENCE
from specgen.profile.library import Library
from specgen.source import Source
from tests.acceptance.trees import Folder
from tests.values.words import CLUSTER, RUNTIME, Leaf
from tests.values.words import KEY as THE_KEY


class _Files(Folder):
    """Files of a cluster, and none of any other name."""

    def content(self, name: str) -> tuple[bytes | None, list[Finding]]:
        if name in self.more:
            return self.more[name], []
        return None, [BROKEN_REFERENCE.at((), "there is no such file")]


_FILES = {"cluster.yaml": json.dumps(CLUSTER).encode(), "runtime.yaml": json.dumps(RUNTIME).encode()}


def built(tree: dict[str, Any]) -> tuple[str, Result]:
    """The text of a profile, one key or item a line, and what comes of it."""
    text = yaml.safe_dump(tree, sort_keys=False, allow_unicode=True, width=10**9)
    return text, compile_source(Source("job.yaml", text), Library(_Files(_FILES)))


def complaints(text: str, result: Result, leaf: Leaf, value: Any) -> Iterator[str]:
    """What is wrong with the answer; none: it is right."""
    errors = [one for one in result.diagnostics if one["severity"] == ERROR]
    if not errors:
        for compiled in result.compiled:
            yield from refused(compiled)
        return
    if value is None:
        return  # what is taken away is missing elsewhere
    first, last = lines(text, leaf, value)
    # of two words that contradict each other both are shown
    regions = [region for one in errors for region in (one["primary"], *one["related"])]
    places = [(region["file"], region["start"]["line"]) for region in regions]
    if not any(file == "job.yaml" and first <= line <= last for file, line in places):
        said = [f"{one['code']} {one['message'][:150]}" for one in errors]
        yield f"refused at {places}, the word is at {first}..{last}: {said[:3]}"


def lines(text: str, leaf: Leaf, value: Any) -> tuple[int, int]:
    """First and last line of the word."""
    source = Source("job.yaml", text)
    documents, _ = read(source)
    if not documents:
        return 1, text.count("\n") + 1  # no YAML can hold it
    document = documents[0]
    path = (*leaf.path[:-1], value) if leaf.path[-1] == THE_KEY else leaf.path
    _, start, _ = document.span(Place(path, KEY))
    # an item of a list belongs to its word, a single word of a mapping to its mapping's line no more
    while path and path[-1] == 0:
        path = path[:-1]
        _, start, _ = document.span(Place(path, KEY))
    node = document.node(path)
    end = node.end if node is not None else start
    return source.position(start)[0], source.position(max(start, end - 1))[0]


def refused(compiled: Compiled) -> Iterator[str]:
    """Who refuses what was built, by ``lint`` and by ``expand``."""
    bundle, reader, plan = compiled.bundle, compiled.reader, compiled.plan
    if bundle is None or reader is None or plan is None:
        yield "nothing was built, and nobody says why"
        return
    beside = [*(one for one in bundle.manifests if one is not bundle.job), *plan.existing]
    expansion, findings = expand_manifest(bundle.job, reader, plan.version, companions=beside, resumed=True)
    if expansion is None:
        yield f"refused: {[finding.message for finding in findings]}"
        return
    for one in expansion.refusals:
        yield f"{one.kind} {one.name} is refused: {one.reason}"
    trees: list[object] = [one.tree for one in bundle.manifests]
    if not any("$" in word for word in map(json.dumps, trees)):
        for found in lint_text(write_yaml_stream(trees)):
            if found["severity"] == ERROR:
                yield f"lint refuses it: {found['code']} {found['path']} {found['message'][:150]}"
