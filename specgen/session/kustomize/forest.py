"""Which kustomizations of a run are rendered, each with all that its tree holds."""

from __future__ import annotations

from specgen.diagnostics.model import KEY, VALUE, Place, has_errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from specgen.pipeline import Text
    from specgen.session.kustomize.tree import Kustomization, Trees


class Tree:
    """A kustomization that is rendered, with those that it takes, at any depth, itself first."""

    __slots__ = ("files", "parts", "reason", "root", "texts", "unread")

    def __init__(self, root: Kustomization) -> None:
        self.root = root
        self.parts: list[Kustomization] = []
        # names of all files of the tree
        self.files: dict[str, bytes] = {}
        # those of them that are YAML: kustomizations, objects, patches
        self.texts: dict[str, Text] = {}
        # why it is not rendered: the kustomization and the place in it that say it, and the reason
        self.reason: tuple[Kustomization, Place, str] | None = None
        # texts of the tree that are no YAML
        self.unread: list[Text] = []

    @property
    def lacks(self) -> bool:
        """Whether a file or folder is named that is nowhere."""
        return any(part.missing for part in self.parts)


def roots(names: Iterable[str], trees: Trees) -> list[Kustomization]:
    """Of the kustomizations with these names those that no other one takes, and no Components, in their order.

    Of those that take each other in a circle, which kustomize refuses, the first one is there.
    """
    found = [one for name in names if (one := trees.kustomization(name)) is not None]
    taken = {other for part in _parts(found, trees) for other in _below(part, trees) if other is not part}
    tops = [one for one in found if one not in taken and not one.is_component]
    reached = set(_parts(tops, trees))
    for one in found:
        if one not in reached and not one.is_component:
            tops.append(one)
            reached.update(_parts([one], trees))
    return tops


def planted(root: Kustomization, trees: Trees) -> Tree:
    """The tree of a kustomization, as far as it can be read."""
    tree = Tree(root)
    tree.parts = _parts([root], trees)
    for part in tree.parts:
        if part.problem is not None and tree.reason is None:
            path, reason = part.problem
            tree.reason = part, Place(path, KEY if len(path) == 1 else VALUE), reason
        tree.texts[part.name] = part.text
        for path, name in part.files:
            text = trees.text(name) if name.endswith((".yaml", ".yml", ".json")) or name in _others(part) else None
            if text is not None:
                tree.texts[name] = text
                if has_errors(text.parsed[1]) and text not in tree.unread:
                    tree.unread.append(text)
                    tree.reason = tree.reason or (part, Place(path), f"`{name}` is not read to its end")
            content = trees.content(name)
            if content is None:
                tree.reason = tree.reason or (part, Place(path), f"`{name}`: {trees.unread[name]}")
            else:
                tree.files[name] = content
        own = trees.content(part.name)
        assert own is not None, "a kustomization was read"
        tree.files[part.name] = own
    return tree


def _others(part: Kustomization) -> set[str]:
    """Files that are YAML whatever they are called."""
    return {*part.resources.values(), *part.takes.values(), *part.components.values()}


def _below(part: Kustomization, trees: Trees) -> list[Kustomization]:
    """The kustomizations that one takes by itself."""
    names = (*part.takes.values(), *part.components.values())
    return [one for name in names if (one := trees.kustomization(name)) is not None]


def _parts(tops: Iterable[Kustomization], trees: Trees) -> list[Kustomization]:
    """Kustomizations with all that they take, each once."""
    found = dict.fromkeys(tops)
    left = list(found)
    for part in left:  # it grows
        for one in _below(part, trees):
            if one not in found:
                found[one] = None
                left.append(one)
    return left
