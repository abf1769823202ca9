"""The other objects of a run, as one of them sees them: found by kind and name, however many there are.

Whoever looks among companions asks these functions, which take any sequence of objects. A text of thousands of objects
hands each of them a ``Beside`` over one index: to go through all for each would cost their number squared.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, TypeAlias

    from specgen.manifest.model import Manifest

    Objects: TypeAlias = Sequence[Manifest]
else:
    Objects = object  # a build of a TrainJob comes by here, and its start has no time for `collections`


class Index:
    """The objects of a text, or of several."""

    __slots__ = ("_answers", "_kinds", "_names", "_values", "objects")

    def __init__(self, objects: Sequence[Manifest]) -> None:
        self.objects = objects
        self._kinds: dict[str, list[Manifest]] = {}
        self._names: dict[tuple[str, str], list[Manifest]] = {}
        for one in objects:
            self._kinds.setdefault(one.ref.kind, []).append(one)
            self._names.setdefault((one.ref.kind, one.ref.name), []).append(one)
        # filled once somebody asks
        self._values: dict[str, list[Manifest]] | None = None
        self._answers: dict[Callable[[dict[str, Any]], bool], bool] = {}

    def named(self, kind: str, name: str) -> Sequence[Manifest]:
        return self._names.get((kind, name), ())

    def of_kind(self, kind: str) -> Sequence[Manifest]:
        return self._kinds.get(kind, ())

    def mentioning(self, name: str) -> Sequence[Manifest]:
        if self._values is None:
            self._values = {}
            for one in self.objects:
                for value in dict.fromkeys(_values(one.tree)):
                    self._values.setdefault(value, []).append(one)
        return self._values.get(name, ())

    def any_of(self, test: Callable[[dict[str, Any]], bool]) -> bool:
        if test not in self._answers:
            self._answers[test] = any([test(one.tree) for one in self.objects])
        return self._answers[test]


class Beside(Objects):
    """All objects of an index but one, and further ones behind them."""

    __slots__ = ("among", "further", "own")

    def __init__(self, among: Index, own: Manifest, further: Sequence[Manifest] = ()) -> None:
        self.among = among
        self.own = own
        self.further = further

    def without_own(self, found: Sequence[Manifest]) -> list[Manifest]:
        """Some objects of the index but for the one whose companions these are."""
        return [one for one in found if one is not self.own]

    def __iter__(self) -> Iterator[Manifest]:
        yield from self.without_own(self.among.objects)
        yield from self.further

    def __len__(self) -> int:
        return len(self.among.objects) - 1 + len(self.further)

    def __getitem__(self, at: Any) -> Any:
        return list(self)[at]


def named(companions: Sequence[Manifest], kind: str, name: str) -> list[Manifest]:
    """Those of a kind and a name, in their order."""
    if isinstance(companions, Beside):
        return companions.without_own(companions.among.named(kind, name)) + named(companions.further, kind, name)
    return [one for one in companions if one.ref.kind == kind and one.ref.name == name]


def of_kind(companions: Sequence[Manifest], kind: str) -> list[Manifest]:
    """Those of a kind, in their order."""
    if isinstance(companions, Beside):
        return companions.without_own(companions.among.of_kind(kind)) + of_kind(companions.further, kind)
    return [one for one in companions if one.ref.kind == kind]


def mentioning(companions: Sequence[Manifest], name: str) -> list[Manifest]:
    """Those of which a value that is no name is this text."""
    if isinstance(companions, Beside):
        return companions.without_own(companions.among.mentioning(name)) + mentioning(companions.further, name)
    return [one for one in companions if name in _values(one.tree)]


def any_of(companions: Sequence[Manifest], test: Callable[[dict[str, Any]], bool]) -> bool:
    """Whether a test holds for the tree of any of them, or of the object itself."""
    if isinstance(companions, Beside):
        return companions.among.any_of(test) or any_of(companions.further, test)
    return any([test(one.tree) for one in companions])


def _values(tree: Any) -> Iterator[str]:
    """All texts of a tree but names."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            if key != "name":
                yield from _values(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from _values(value)
    elif isinstance(tree, str):
        yield tree
