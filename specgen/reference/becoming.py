"""What a word becomes: its example, compiled for every kind with the word and without it, and the two compared."""

from __future__ import annotations

from specgen.diagnostics.model import ERROR
from specgen.document.write import scalar
from specgen.operators.expand import expand_manifest
from specgen.pipeline import Text, compile_texts
from specgen.reference.examples import cluster_profile, data, example, library, profile
from specgen.reference.words import CLUSTER
from specgen.source import Source, dotted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.manifest.model import Manifest
    from specgen.operators.expansion import Expansion
    from specgen.pipeline import Compiled
    from specgen.reference.words import Word
    from specgen.source import Path

# Lines of one kind that are shown; what a word brings to each role is said once.
MOST_LINES = 8
_LONGEST = 100
_TARGET = "target"


class Becoming:
    """What a word becomes in some kinds that are alike in it.

    ``lines``: what stands in the manifest, or left it; ``refused``: (code, message) of kinds that do not take the
    example; ``unsaid``: what the word's own values are without it, with the reason; ``since``: (operator, release)
    that brought a field among the lines.
    """

    __slots__ = ("kinds", "lines", "refused", "since", "unsaid")

    def __init__(
        self,
        lines: list[str],
        refused: tuple[str, str] | None,
        unsaid: list[tuple[str, str]],
        since: list[tuple[str, str]],
    ) -> None:
        self.kinds: list[str] = []
        self.lines = lines
        self.refused = refused
        self.unsaid = unsaid
        self.since = since

    def of(self, kinds: list[str]) -> Becoming:
        """The same of some of its kinds."""
        some = Becoming(self.lines, self.refused, self.unsaid, self.since)
        some.kinds = kinds
        return some


def targets() -> dict[str, Any]:
    """Name of a kind as people call it → what `target` says: every kind that profiles compile to."""
    from specgen.lower.index import TARGETS

    found: dict[str, Any] = {}
    for kind, modules in sorted(TARGETS.items()):
        if len(modules) == 1:
            found[kind] = kind
        for module in modules if len(modules) > 1 else ():
            version = module.rpartition("_")[2]
            found[f"{kind} {version}"] = {"kind": kind, "version": version}
    return found


class Compiler:
    """Compiles examples; what is asked for twice is compiled once."""

    __slots__ = ("_known", "_libraries")

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Outcome] = {}
        self._libraries: dict[str, Any] = {}

    def becomings(self, word: Word, said: tuple[str, str] | None = None) -> list[Becoming]:
        """What a word becomes, kinds that are alike together, in the order of kinds. ``said``: in another example."""
        found: list[Becoming] = []
        job, cluster = (data(text) for text in said or example(word))
        for name, target in targets().items():
            one = self._becoming(word, job, cluster, target)
            same = next((old for old in found if (old.lines, old.refused) == (one.lines, one.refused)), None)
            if same is None:
                found.append(one)
                same = one
            same.kinds.append(name)
        return found

    def outcome(self, job: dict[str, Any], cluster: dict[str, Any], target: Any, without: str = "") -> Outcome:
        """What lines of an example come to for one target; ``without``: a word at the top that is not said."""
        said = job.get("target")
        if isinstance(said, dict) and isinstance(target, str) and said.get("kind") == target:
            target = said
        elif isinstance(said, dict) and "runtime" in said:
            # which kinds have none is an answer
            target = {"runtime": said["runtime"], **(target if isinstance(target, dict) else {"kind": target})}
        lab = cluster_profile(cluster) if cluster else ""
        text = profile(
            {key: value for key, value in job.items() if key != "target"},
            target,
            cluster=bool(cluster),
            without=without,
        )
        if (text, lab) not in self._known:
            files = self._libraries.setdefault(lab, library(lab))
            (result,) = compile_texts([Text(Source("job.yaml", text))], files)
            self._known[text, lab] = Outcome(result.compiled, result.diagnostics)
        return self._known[text, lab]

    def _becoming(self, word: Word, job: dict[str, Any], cluster: dict[str, Any], target: Any) -> Becoming:
        got = self.outcome(job, cluster, target)
        if got.refused is not None:
            return Becoming([], got.refused, [], [])
        without, alone = self._without(word, job, cluster, target)
        new, old = got.leaves, without.leaves if without is not None else {}
        like = got.counterparts(without) if without is not None else {}
        changed: list[tuple[str, Path]] = []
        if without is None and word.profile != CLUSTER:
            changed = [path for path in new if got.is_of(word, path)]
        if not changed:
            if without is None:
                plain = self.outcome({}, {}, target)
                old, like = plain.leaves, got.counterparts(plain)
            changed = [path for path in new if path not in like or new[path] != old.get(like[path])]
        lines = list(dict.fromkeys(_line(path, new[path]) for path in changed))
        if not lines:
            left = dict.fromkeys(like.values())
            lines = list(dict.fromkeys(f"without {_shown(path)}" for path in old if path not in left))
        unsaid: list[tuple[str, str]] = []
        if without is not None and alone:
            # a value of the word itself, and no line in which it is one of many things
            own = _said(job, word) if word.profile != CLUSTER else _said(cluster, word)
            there = [path for path in changed if like.get(path) in old and "\n" not in str(new[path])]
            of_it = [path for path in there if word.profile != CLUSTER and got.is_of(word, path)]
            of_it = of_it or [path for path in there if str(new[path]) == own]
            unsaid = [(_line(like[path], old[like[path]]), without.reason(like[path])) for path in of_it]
        return Becoming(lines, None, list(dict.fromkeys(unsaid)), got.since(changed))

    def _without(
        self, word: Word, job: dict[str, Any], cluster: dict[str, Any], target: Any
    ) -> tuple[Outcome | None, bool]:
        """The same without the word, or without as much around it as has no meaning alone; None: nothing is left.

        With it whether the word alone is gone.
        """
        tree = cluster if word.profile == CLUSTER else job
        for length in range(len(word.path), 0, -1):
            # without a target there is no job
            for empty in (True, False) if word.path[0] != _TARGET else (False,):
                less = _less(tree, word.path[:length], word.keyed, empty=empty)
                if less == tree:
                    continue
                parts = (job, less) if word.profile == CLUSTER else (less, cluster)
                gone = word.path[0] if word.profile != CLUSTER and word.path[0] not in less else ""
                outcome = self.outcome(*parts, target, gone)
                if outcome.refused is None:
                    return outcome, length == len(word.path) and (empty or length == 1)
        return None, False


class Outcome:
    """What a profile came to: the leaves of its manifests, or the first error."""

    __slots__ = ("_compiled", "_manifests", "leaves", "refused")

    def __init__(self, compiled: list[Compiled], diagnostics: list[Any]) -> None:
        errors = [one for one in diagnostics if one["severity"] == ERROR]
        self.refused = (str(errors[0]["code"]), str(errors[0]["message"])) if errors else None
        self._compiled = compiled
        self._manifests: dict[str, Manifest] = {}
        # (object, path) → value
        self.leaves: dict[tuple[str, Path], Any] = {}
        for one in compiled if self.refused is None else ():
            assert one.bundle is not None
            for manifest in one.bundle.manifests:
                # the first job gives the others, its variants, something to be compared with
                kind = manifest.ref.kind if manifest is not one.bundle.job else ""
                name = f"{kind} {manifest.ref.name}".strip() if kind or one.job.variant is not None else ""
                self._manifests[name] = manifest
                for path, value in _leaves(manifest.tree, ()):
                    self.leaves[name, path] = value

    def counterparts(self, other: Outcome) -> dict[tuple[str, Path], tuple[str, Path]]:
        """Leaf → the one in its place in another outcome; what a list has besides is in nothing's place."""
        found = {}
        for name, manifest in self._manifests.items():
            if name in other._manifests:
                pairs = _aligned(manifest.tree, other._manifests[name].tree, (), ())
                found.update({(name, path): (name, there) for path, there in pairs})
        return found

    @property
    def expansion(self) -> Expansion | None:
        """What the operator makes of the job; None: it came to nothing."""
        one = self._compiled[0] if self._compiled else None
        if self.refused is not None or one is None or one.bundle is None or one.reader is None:
            return None
        others = [manifest for manifest in one.bundle.manifests if manifest is not one.bundle.job]
        return expand_manifest(one.bundle.job, one.reader, companions=others)[0]

    def pods(self) -> list[dict[str, Any]]:
        """The pods that the operator makes of it."""
        expansion = self.expansion
        return expansion.pods if expansion is not None else []

    def objects(self) -> list[dict[str, Any]]:
        """The manifests that it came to."""
        return [manifest.tree for manifest in self._manifests.values()]

    def reason(self, path: tuple[str, Path]) -> str:
        """Why a leaf is there."""
        origin = self._manifests[path[0]].where.of(path[1])  # type: ignore[attr-defined]  # it was compiled
        return origin[2] if origin is not None else ""

    def is_of(self, word: Word, path: tuple[str, Path]) -> bool:
        """Whether a leaf comes of a word of the job profile, or of what stands below it."""
        origin = self._manifests[path[0]].where.of(path[1])  # type: ignore[attr-defined]  # it was compiled
        if origin is None or origin[1] is None:
            return False
        steps, at = origin[1].path, 0
        for depth, step in enumerate(word.path if word.path[0] != _TARGET else word.path[:1], 1):
            if steps[at : at + 1] != (step,):
                return False
            at += 2 if depth in word.keyed else 1
        return True

    def since(self, paths: list[tuple[str, Path]]) -> list[tuple[str, str]]:
        """(operator, release) for each field that a release of the operator brought."""
        from specgen.operators.release import spelled

        found: list[tuple[str, str]] = []
        for one in self._compiled:
            reader = one.reader
            assert reader is not None
            for _, path in paths:
                steps = [step for step in path if isinstance(step, str)]
                for holder, field in zip(["", *steps], steps, strict=False):
                    release = reader.operator.since((holder, field), reader.group)
                    if release:
                        found.append((reader.operator.name, spelled(release)))
        return list(dict.fromkeys(found))


def _said(tree: Any, word: Word) -> str | None:
    """The scalar that an example says of a word, as text; None: it says none, or several."""
    found = [tree]
    for depth, step in enumerate(word.path):
        if depth in word.keyed and depth:
            found = [below for one in found if isinstance(one, dict) for below in one.values()]
        found = [one[step] for one in found if isinstance(one, dict) and step in one]
    return str(found[0]) if len(found) == 1 and not isinstance(found[0], (dict, list)) else None


def _less(tree: dict[str, Any], path: tuple[str, ...], keyed: tuple[int, ...], *, empty: bool) -> dict[str, Any]:
    """A copy without what stands at a path, below whatever names; unless ``empty``, mappings that are empty then go
    with it."""

    def cut(node: Any, depth: int) -> Any:
        if isinstance(node, list):
            return [cut(item, depth) for item in node]
        if not isinstance(node, dict):
            return node
        if depth in keyed and (depth == 0 or path[depth - 1 : depth]):
            below = {key: cut_field(value, depth) for key, value in node.items()}
            return {key: value for key, value in below.items() if empty or value != {} or node[key] == {}}
        return cut_field(node, depth)

    def cut_field(node: Any, depth: int) -> Any:
        if isinstance(node, list):
            return [cut_field(item, depth) for item in node]
        if not isinstance(node, dict) or path[depth] not in node:
            return node
        kept = dict(node)
        if depth == len(path) - 1:
            del kept[path[depth]]
            return kept
        kept[path[depth]] = cut(node[path[depth]], depth + 1)
        if not empty and kept[path[depth]] == {}:
            del kept[path[depth]]
        return kept

    found: dict[str, Any] = cut(tree, 0)
    return found


def _leaves(tree: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    children = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    if not tree or not isinstance(tree, (dict, list)):
        yield path, tree
    for key, value in children:
        yield from _leaves(value, (*path, key))


def _aligned(tree: Any, other: Any, path: Path, there: Path) -> Iterator[tuple[Path, Path]]:
    """(path, path of its counterpart) of the leaves of two trees; items of lists by their name, or by their order."""
    if isinstance(tree, dict) and isinstance(other, dict) and tree and other:
        for key in tree:
            if key in other:
                yield from _aligned(tree[key], other[key], (*path, key), (*there, key))
    elif isinstance(tree, list) and isinstance(other, list) and tree and other:
        for at, to in _paired(tree, other):
            yield from _aligned(tree[at], other[to], (*path, at), (*there, to))
    else:
        yield path, there


def _paired(items: list[Any], others: list[Any]) -> Iterator[tuple[int, int]]:
    """Places of items that stand for each other in two lists."""
    from difflib import SequenceMatcher

    marks, known = (
        [str(one.get("name", one)) if isinstance(one, dict) else repr(one) for one in listed]
        for listed in (items, others)
    )
    for word, start, end, first, last in SequenceMatcher(None, marks, known, autojunk=False).get_opcodes():
        if word == "equal" or (word == "replace" and end - start == last - first):
            yield from zip(range(start, end), range(first, last), strict=True)


def _line(path: tuple[str, Path], value: Any) -> str:
    text = " ".join(scalar(value, "").split()) if not isinstance(value, (dict, list)) else str(value)
    said = f"{_shown(path)} = {text}"
    return said if len(said) <= _LONGEST else said[: _LONGEST - 1] + "…"


def _shown(path: tuple[str, Path]) -> str:
    """A path of a manifest as a pod's where it is one, the same for all roles."""
    name, steps = path
    for at in range(len(steps) - 2, -1, -1):
        if steps[at] == "template" and steps[at + 1] in ("spec", "metadata") and len(steps) > at + 2:
            if "replicatedJobs" in steps[:at] and "template" not in steps[steps.index("replicatedJobs") : at]:
                break  # the Job around the pods
            if "replicatedJobs" in steps[at:] or ("Runtime" in name and "replicatedJobs" not in steps):
                break  # the JobSet around the Jobs
            return f"pod: {dotted(steps[at + 2 :] if steps[at + 1] == 'spec' else steps[at + 1 :])}"
    return f"{name}: {dotted(steps)}" if name else dotted(steps)
