"""The files of a repository that Argo CD hands to the plugin: what an Application names lies there, or is refused.

Names on a command line are those of whoever runs it, and may lead anywhere. The plugin's come from whoever may write an
Application, while the checkouts of others may lie beside this one.
"""

from __future__ import annotations

import os
from posixpath import normpath

from specgen.cli.files import DiskFiles
from specgen.cli.root import Root, root
from specgen.diagnostics.model import BadQuestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from specgen.diagnostics.model import Finding
    from specgen.source import Source

SOURCE_PATH = "ARGOCD_APP_SOURCE_PATH"
_REASON = "the part of the repository that Argo CD hands over"


def checkout(environment: Mapping[str, str]) -> Root:
    """The folder of the repository, of which the working directory is the Application's folder.

    Of the path of that folder in the repository, as much is gone up as the working directory ends in: with the
    annotation manifest-generate-paths only a part is handed over. Nothing but Argo CD says that path; without it, the
    marks of a root count, or else the folder stands alone.
    """
    here = os.path.realpath(".")
    if SOURCE_PATH not in environment:
        found = root("")
        return (
            found if found.marked else Root(here, here, f"the folder it runs in, as `{SOURCE_PATH}` is not said", True)
        )
    path = normpath(environment[SOURCE_PATH] or ".")
    steps = [] if path == "." else path.split("/")
    top = here
    while steps and os.path.basename(top) == steps[-1]:
        top = os.path.dirname(top)
        steps.pop()
    return Root(here, top, _REASON, True)


class CheckoutFiles(DiskFiles):
    """Files by name, relative to the working directory, all of them below a root."""

    __slots__ = ("_top",)

    def __init__(self, top: Root) -> None:
        super().__init__()
        self._top = top

    def below(self, name: str) -> list[str] | None:
        """The YAML files below a folder; None: it is no folder. Raises BadQuestion where it is outside."""
        if os.path.isdir(name) and not self._top.holds(os.path.realpath(name)):
            raise BadQuestion(f"{name}: it lies outside the root, {self._top.reason}")
        return super().below(name)

    def named(self, name: str) -> tuple[Source | None, list[Finding]]:
        """A file that an Application names. Raises BadQuestion."""
        self._root_of(name)
        data, findings = self._bytes(name, ignored=True, roots=[self._top])
        if data is None:
            raise BadQuestion(findings[0].message)
        self._asked.add(name)
        return self._decoded(name, data)

    def _root_of(self, name: str) -> None:
        folder = os.path.dirname(name)
        if folder not in self._roots:
            found = root(folder)
            inside = found.marked and self._top.holds(found.path)
            self._roots[folder] = found if inside else self._top
