"""What a session asks of files: of a disk, or of what an editor holds."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Protocol

    from specgen.diagnostics.model import Finding
    from specgen.profile import library
    from specgen.source import Source

    class Files(library.Files, Protocol):
        """Files by name: those that profiles name, and those of the command line."""

        def below(self, name: str) -> list[str] | None:
            """The YAML files below a folder, sorted; None: it is no folder."""
            ...

        def all_below(self, name: str) -> list[str]:
            """All files below a folder, sorted."""
            ...

        def config(self, name: str) -> Source | None:
            """The configuration that is nearest to a file. Raises BadQuestion where it cannot be read."""
            ...

        def is_there(self, name: str) -> bool:
            """Whether there is such a file."""
            ...

        def expect(self, names: Iterable[str]) -> None:
            """All names that will be asked for: what profiles may read must not depend on which of them comes first."""
            ...

        def beside(self, name: str) -> str | None:
            """The text of a file that nobody named and that may lie around those of a run; None: there is none."""
            ...

        def around(self, steps: int) -> str:
            """The name of the folder so many steps above the one that names count from; empty: nobody knows it."""
            ...

        def again(self, name: str) -> str:
            """The text of a file that was read, for reports that quote it; empty where it is not to be had."""
            ...

        def printed(self, name: str) -> str:
            """The text of what kubectl printed, which may be longer than other files. Raises BadQuestion."""
            ...

        def named(self, name: str) -> tuple[Source | None, list[Finding]]:
            """A file of the command line; ``-`` is standard input. Raises BadQuestion with the reason alone."""
            ...
