"""Kustomizations, judged as they are rendered: what they come to is linted, and findings go back to what says it.

A kustomization of a run is rendered unless it is a Component, or another one of the run takes it: a base is judged in
its overlays. The files of a tree that was rendered are not judged by themselves any more, but for their texts: what an
overlay heals is no finding, and what stays is one, with the fix that it has in its file.

A value of a rendered object goes back to the last patch, or the resource, that says it at the same path of the same
object. Where nothing says it with certainty, as of a value that kustomize itself computes, the kustomization stands for
it, with a note that names object and path.

Nothing here starts a process: rendering is handed in (``Render``), and given exactly the files of the tree that were
read, so that it sees no other, and texts that are not written yet. Trees are not rendered that fetch, lead out of the
root, or need plugins.

Lives here: ``tree`` (what a kustomization names), ``forest`` (which ones are rendered, of which files), ``patches``
(what a patch says, and of what), ``objects`` (what a tree says of an object), ``lead`` (the way back from a rendered
path), ``failed`` (from kustomize's words to a place), ``judge`` (all of it together).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    # renders the folders of these orders, each from its files alone. Raises BadQuestion where nothing can render.
    Render: TypeAlias = "Callable[[Sequence[Order]], list[Rendering]]"


class Order:
    """What is to be rendered: a folder, and name → bytes of every file that this may read."""

    __slots__ = ("files", "folder")

    def __init__(self, folder: str, files: dict[str, bytes]) -> None:
        self.folder = folder
        self.files = files


class Rendering:
    """What came of it: a text, or what kustomize says against the tree, or why it was not asked to the end.

    ``error`` names files as the order does.
    """

    __slots__ = ("error", "reason", "text")

    def __init__(self, text: str | None = None, *, error: str = "", reason: str = "") -> None:
        self.text = text
        self.error = error
        self.reason = reason
