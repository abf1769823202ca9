"""All kustomizations of a run: rendered, linted, and led back to their files."""

from __future__ import annotations

from specgen.checking import advised
from specgen.diagnostics.model import Place
from specgen.diagnostics.place import place, region
from specgen.document.codes import AMBIGUOUS
from specgen.document.one import wary
from specgen.pipeline import Text, nowhere
from specgen.recognise.codes import UNFILLED
from specgen.session.kustomize import Order
from specgen.session.kustomize.failed import missing, needs_more, refused, unjudged
from specgen.session.kustomize.forest import planted, roots
from specgen.session.kustomize.lead import Rendered
from specgen.session.kustomize.objects import Objects
from specgen.session.kustomize.tree import Trees
from specgen.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    from specgen.diagnostics.model import Diagnostic, Region, Span
    from specgen.linting import Linted
    from specgen.session.files import Files
    from specgen.session.kustomize import Render
    from specgen.session.kustomize.forest import Tree

    # lints a text as one of the file of that name
    Lint: TypeAlias = "Callable[[Text, str], Linted]"
    # code, file, first and last offset
    Key: TypeAlias = tuple[str, str, int, int]

# Fields of a kustomization that hold patches.
_PATCHES = ("patches", "patchesStrategicMerge", "patchesJson6902")


class Judged:
    """What comes of the kustomizations of a run: rendered at once, and linted when all other files are known.

    ``known``: the texts of the run by their files; ``names``: the kustomizations among them that are to be judged.
    ``covered``: the texts that are judged here and nowhere else, by their files. ``unchecked``: what was left alone, as
    it is counted. ``checked``: how many of the files hold something that was judged.
    """

    __slots__ = ("_trees", "_waiting", "checked", "covered", "diagnostics", "unchecked")

    def __init__(self, files: Files, known: dict[str, Text], names: Iterable[str], render: Render) -> None:
        self._trees = Trees(files, known)
        # trees with their rendered texts
        self._waiting: list[tuple[Tree, Text]] = []
        self.covered: dict[str, Text] = {}
        self.diagnostics: list[Diagnostic] = []
        self.unchecked: dict[str, int] = {}
        self.checked = 0
        self._render([planted(one, self._trees) for one in roots(names, self._trees)], render)

    def _render(self, trees: list[Tree], render: Render) -> None:
        ready = [tree for tree in trees if tree.reason is None and not tree.lacks]
        answers = render([Order(tree.root.folder, tree.files) for tree in ready]) if ready else []
        for tree, answer in zip(ready, answers, strict=True):
            if answer.error and not needs_more(answer.error):
                self.diagnostics.append(refused(tree, answer.error))
            elif answer.text is None or not self._take(tree, answer.text):
                reason = answer.reason or "it needs a plugin, which is a program of its own"
                tree.reason = tree.reason or (tree.root, Place(()), reason)
        taken = [tree for tree, _ in self._waiting]
        lost = [tree for tree in trees if tree not in taken]
        for tree in lost:
            # a file that nobody named is looked at for its tree's sake
            self.diagnostics += [place(one, nowhere(text.source)) for text in tree.unread for one in text.parsed[1]]
            if tree.reason is None:
                self.diagnostics += missing(tree)
                self._cover([tree.root.text])
                self.checked += 1
        self._tell([tree for tree in lost if tree.reason is not None])
        self._leave(lost)

    def _tell(self, trees: list[Tree]) -> None:
        """Says which trees are not rendered, once for each reason at its place."""
        told: dict[tuple[str, tuple[str | int, ...], str], list[Tree]] = {}
        for tree in trees:
            assert tree.reason is not None
            part, at, reason = tree.reason
            told.setdefault((part.name, at.path, reason), []).append(tree)
        for alike in told.values():
            assert alike[0].reason is not None
            part, at, reason = alike[0].reason
            self.diagnostics.append(unjudged([one.root.folder for one in alike], part.document, at, reason))

    def _take(self, tree: Tree, rendered: str) -> bool:
        """Whether what came of a tree can be judged."""
        text = Text(Source(f"<{tree.root.folder}>", rendered))
        if text.parsed[1]:
            tree.reason = tree.root, Place(()), f"what comes of it is not read: {text.parsed[1][0].message}"
            return False
        self._waiting.append((tree, text))
        self._cover(tree.texts.values())
        return True

    def _cover(self, texts: Iterable[Text]) -> None:
        for text in texts:
            if text.kind is None:
                self.covered[text.source.name] = text

    def _leave(self, trees: Iterable[Tree]) -> None:
        """Counts the patches of trees that are not rendered: their own findings say that nothing of them is judged."""
        left: dict[str, Text] = {}
        for part in (part for tree in trees for part in tree.parts):
            for path, name in part.files:
                text = self._trees.text(name) if path and path[0] in _PATCHES else None
                if text is not None and text.source.name not in self.covered:
                    left[text.source.name] = text
        if left:
            self.unchecked["kustomize patch"] = len(left)
            self._cover(left.values())

    def lint(self, lint: Lint) -> None:
        """Lints what was rendered, once all files of the run are known."""
        texts = _Texts(self.covered, lint)
        merged: dict[Key, _Found] = {}
        files: set[str] = set()
        for tree, rendered in self._waiting:
            linted = lint(rendered, tree.root.name)
            for what, count in linted.unchecked.items():
                self.unchecked[what] = self.unchecked.get(what, 0) + count
            if linted.checked:
                files.update(text.source.name for text in tree.texts.values() if text.kind is None)
            found = [one for one in linted.diagnostics if one["code"] != AMBIGUOUS.id]  # kustomize quotes as it likes
            back = _Back(tree, rendered, self._trees) if found else None
            for one in found:
                assert back is not None
                led, note = back.led(one)
                own = texts.alike(led) or texts.before(led, back.source(one))
                if own is None and led["code"] == UNFILLED.id:
                    own = texts.unfilled(led, tree)
                key = _key(own or led)
                if key not in merged:
                    merged[key] = _Found(led, own)
                merged[key].take(tree, led, note)
        self.checked += len(files)
        trees = [tree for tree, _ in self._waiting]
        self.diagnostics += [one.diagnostic(trees) for one in merged.values()]
        said = {key[1:3] for key in merged}
        self.diagnostics += [one for one in self._of_texts() if (one["primary"]["file"], _start(one)) not in said]

    def _of_texts(self) -> Iterable[Diagnostic]:
        """What is wrong with the texts themselves, whatever is made of them."""
        for text in self.covered.values():
            yield from (place(one, nowhere(text.source)) for one in text.parsed[1])
            for document, objects in zip(text.parsed[0], text.objects, strict=True):
                yield from (place(one, document) for one in advised(wary(document), objects))


class _Texts:
    """What is found in the files of trees by themselves: what a rendering says as well is said so, with its fix."""

    __slots__ = ("_found", "_lint", "_texts")

    def __init__(self, texts: dict[str, Text], lint: Lint) -> None:
        self._texts = texts
        self._lint = lint
        self._found: dict[str, list[Diagnostic]] = {}

    def _of(self, file: str, code: str) -> list[Diagnostic]:
        if file not in self._found:
            text = self._texts.get(file)
            self._found[file] = [] if text is None else self._lint(text, file).diagnostics
        return [one for one in self._found[file] if one["code"] == code]

    def alike(self, led: Diagnostic) -> Diagnostic | None:
        """The same finding at the same place, or within it."""
        _, file, start, end = _key(led)
        for one in self._of(file, led["code"]):
            if one["message"] == led["message"] and start <= _start(one) and one["primary"]["end"]["offset"] <= end:
                return one
        return None

    def before(self, led: Diagnostic, source: Span | None) -> Diagnostic | None:
        """The finding of the same code on the name that an object has in its file, before others were made of it."""
        if source is None or led["path"] != "metadata.name":
            return None
        found = self._of(source[0].name, led["code"])
        return next((one for one in found if source[1] <= _start(one) < source[2]), None)

    def unfilled(self, led: Diagnostic, tree: Tree) -> Diagnostic | None:
        """The one file of a tree in which the same number of fields is not filled in."""
        found = [
            one
            for text in tree.texts.values()
            for one in self._of(text.source.name, led["code"])
            if one["message"].partition(",")[0] == led["message"].partition(",")[0]
        ]
        return found[0] if len(found) == 1 else None


class _Found:
    """A finding at a place of a file, of one rendered text or of several. ``own``: as the file's own text has it."""

    __slots__ = ("_led", "_notes", "_own", "_trees")

    def __init__(self, led: Diagnostic, own: Diagnostic | None) -> None:
        self._led = led
        self._own = own
        self._trees: list[Tree] = []
        self._notes: list[str] = []

    def take(self, tree: Tree, led: Diagnostic, note: str) -> None:
        """Takes it as it was found in a tree: other words for it are a note."""
        if tree not in self._trees:
            self._trees.append(tree)
        more = note if led["message"] == self._led["message"] else f"{note}: {led['message']}"
        if more not in self._notes:
            self._notes.append(more)

    def diagnostic(self, trees: list[Tree]) -> Diagnostic:
        """The finding, with where it was found, unless all trees that hold the file say the same as the file."""
        file = (self._own or self._led)["primary"]["file"]
        holding = [tree for tree in trees if any(text.source.name == file for text in tree.texts.values())]
        if self._own is not None and len(self._trees) == len(holding) == len(self._notes):
            return self._own
        one = self._own or self._led
        return {**one, "notes": [*one["notes"], *self._notes]}


class _Back:
    """The way back of the findings of one rendered text."""

    __slots__ = ("_name", "_rendered", "_tree")

    def __init__(self, tree: Tree, text: Text, trees: Trees) -> None:
        self._tree = tree
        self._name = text.source.name
        documents = list(zip(text.parsed[0], text.objects, strict=True))
        self._rendered = Rendered(tree.root, documents, Objects(tree, trees))

    def led(self, diagnostic: Diagnostic) -> tuple[Diagnostic, str]:
        """The finding at the place in the tree that says what it is about, and a note on where it was found."""
        primary = diagnostic["primary"]
        way = self._rendered.way(_start(diagnostic), primary["end"]["offset"], diagnostic["path"])
        span = self._rendered.lead(way) if way is not None else None
        folder, subject = self._tree.root.folder, diagnostic["subject"]
        if span is not None:
            note = f"found in what `{folder}` renders"
        elif subject is not None:
            what = f"{subject['kind']} `{subject['name']}`"
            note = f"it is `{diagnostic['path'] or 'metadata'}` of the {what}, as `{folder}` renders it"
        else:
            note = f"it is in what `{folder}` renders"
        related: list[Region] = []
        for one in diagnostic["related"]:
            if one["file"] != self._name:
                related.append(one)
                continue
            other = self._rendered.way(one["start"]["offset"], one["end"]["offset"])
            there = self._rendered.lead(other) if other is not None else None
            if there is not None:
                related.append(region(there, one["label"]))
        fix = diagnostic["fix"]
        label = primary["label"] if span is not None else ""
        led: Diagnostic = {
            **diagnostic,
            "primary": region(span or self._rendered.stand_in(way), label),
            "related": related,
            # its edits are of a text that is in no file
            "helps": [*diagnostic["helps"], *([] if fix is None else [fix["title"]])],
            "fix": None,
        }
        return led, note

    def source(self, diagnostic: Diagnostic) -> Span | None:
        """Where the resource of an object says what a finding is about, whatever becomes of it."""
        primary = diagnostic["primary"]
        way = self._rendered.way(_start(diagnostic), primary["end"]["offset"], diagnostic["path"])
        return self._rendered.resource(way) if way is not None else None


def _start(diagnostic: Diagnostic) -> int:
    return diagnostic["primary"]["start"]["offset"]


def _key(diagnostic: Diagnostic) -> Key:
    primary = diagnostic["primary"]
    return diagnostic["code"], primary["file"], _start(diagnostic), primary["end"]["offset"]
