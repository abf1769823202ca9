"""The world that jobs are asked against: made of files of real objects, or of a cluster profile."""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, BadQuestion
from specgen.diagnostics.place import place
from specgen.document.decode import MOST_BYTES
from specgen.document.printed import BLANK, Unreadable
from specgen.document.printed import read as printed
from specgen.document.read import read
from specgen.manifest.origins import manifests
from specgen.pipeline import nowhere
from specgen.rules._world import of_cluster as of_cluster
from specgen.schedulers.housed import house as house
from specgen.schedulers.objects import faults, opened, world_of
from specgen.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, Protocol

    from specgen.diagnostics.model import Finding
    from specgen.schedulers.world import World

    class Files(Protocol):
        """Files and folders by name."""

        def below(self, name: str) -> list[str] | None: ...

        def all_below(self, name: str) -> list[str]: ...

        def printed(self, name: str) -> str: ...


_SUFFIXES = (".yaml", ".yml", ".json")


def objects(files: Files, names: Iterable[str], option: str) -> tuple[list[dict[str, Any]], list[Finding]]:
    """All objects of files and folders, YAML or JSON, and what keeps one of the files from being read.

    Raises BadQuestion for a name that cannot be opened, or that holds no object.
    """
    found: list[dict[str, Any]] = []
    wrong: list[Finding] = []
    for name in names:
        below = files.below(name)
        before = len(found), len(wrong)
        for file in [name] if below is None else [one for one in files.all_below(name) if one.endswith(_SUFFIXES)]:
            try:
                trees, findings = _trees(file, files.printed(file))
            except (BadQuestion, Unreadable) as error:
                raise BadQuestion(f"{option} {file}: {error}", error.help or None) from None
            for finding in findings:
                if finding.severity == ERROR and finding.where is not None:
                    at = place(finding, finding.where)
                    line = at["primary"]["start"]["line"]
                    raise BadQuestion(f"{option} {file}:{line}: {finding.message}")
            found += trees
            wrong += findings
        if before == (len(found), len(wrong)):
            raise BadQuestion(f"{option} {name}: there is no object in it")
        for tree in opened(found[before[0] :]):
            for sentence in faults(tree):
                raise BadQuestion(f"{option} {name}: {sentence}")
    return found, wrong


def _trees(name: str, text: str) -> tuple[list[dict[str, Any]], list[Finding]]:
    """The objects of a text, and what is found on one of YAML. Raises Unreadable."""
    if text.lstrip(BLANK).startswith("{"):
        try:
            return [one for one in printed(text) if isinstance(one, dict)], []
        except Unreadable:
            if len(text) > MOST_BYTES:
                raise
            # YAML may look like it, and says where it is broken
    if len(text) > MOST_BYTES:
        raise Unreadable(f"it is longer than {MOST_BYTES:,} bytes of YAML", "print it with `-o json`")
    source = Source(name, text)
    documents, findings = read(source)
    for finding in findings:
        finding.where = finding.where or nowhere(source)
    made = [one.tree for document in documents if isinstance(document.data, dict) for one in manifests(document)]
    return made, findings


def of_objects(trees: Iterable[dict[str, Any]]) -> World:
    """A world of real objects; without a node there is nothing to ask. Raises BadQuestion."""
    world = world_of(trees)
    if not world.nodes:
        raise BadQuestion("--world: there is no Node among the objects")
    world.objects.open = True
    return world


def unheld(world: World) -> Iterator[tuple[tuple[str, ...], str]]:
    """What a cluster profile says in Kubernetes' own words that holds an amount which is none, by its key there."""
    for tree in world.objects.of("LimitRange"):
        key = ("limits", str(tree["metadata"]["namespace"]))
        for sentence in faults(tree) if key in world.said else ():
            yield key, sentence
