"""Files of a function: texts that it was given, and those of the folder that it runs in."""

from __future__ import annotations

import os

from specgen.cli.files import DiskFiles
from specgen.cli.root import root
from specgen.diagnostics.model import BadQuestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from specgen.diagnostics.model import Finding
    from specgen.document.tree import Document
    from specgen.source import Source

_INPUT = "<stdin>"


class GivenFiles(DiskFiles):
    """Texts by names in angle brackets. A functionConfig is data, which may come from anywhere: what it names is read
    as what a profile in the working directory names, and not as what a command line does."""

    __slots__ = ("_given",)

    def __init__(self) -> None:
        super().__init__()
        self._given: dict[str, Source] = {}

    def standard_input(self) -> tuple[Source | None, list[Finding]]:
        """The text on standard input, which from then on is a file called ``<stdin>``. Raises BadQuestion."""
        source, findings = super().named("-")
        if source is not None:
            self._given[_INPUT] = source
        return source, findings

    def give(self, name: str, text: str) -> str:
        """Keeps a text by a name, which it returns."""
        from specgen.source import Source

        self._given[name] = Source(name, text)
        return name

    def document(self, name: str) -> Document | None:
        """The first document of a text that was given; None: there is none of that name."""
        from specgen.document.read import read

        source = self._given.get(name)
        return None if source is None or name == _INPUT else read(source)[0][0]

    def named(self, name: str) -> tuple[Source | None, list[Finding]]:
        """A text that was given, or a file that a profile here may name. Raises BadQuestion."""
        if name in self._given:
            return self._given[name], []
        source, findings = self.read(name)
        if source is None and findings and findings[0].where is None:
            raise BadQuestion(findings[0].message, *findings[0].helps[:1])
        return source, findings

    def read(self, name: str) -> tuple[Source | None, list[Finding]]:
        """A text that was given, as the cluster profile of the functionConfig, or a file."""
        return (self._given[name], []) if name in self._given else super().read(name)

    def again(self, name: str) -> str:
        """A text that was given, or that of a file."""
        return self._given[name].text if name in self._given else super().again(name)

    def below(self, name: str) -> list[str] | None:
        """The YAML files below a folder of the root; None: it is no such folder."""
        if name in self._given or name == "-":
            return None
        try:
            held = root("").holds(os.path.realpath(name))
        except ValueError:  # it holds a NUL: no name of a file either, which is said where it is opened
            return None
        return super().below(name) if held else None

    def expect(self, names: Iterable[str]) -> None:
        """What may be read depends on the working directory alone."""
