"""A job on one machine: processes, and what must lie on the disk before they start."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Machine(Protocol):
        """What must be known of this machine."""

        gpus: int
        scratch: str

        def exists(self, path: str) -> bool:
            """Whether there is a file or folder at the path."""
            ...

        def program(self, name: str) -> str | None:
            """The path of a program that is searched for, None if it is not found."""
            ...


class Process:
    """One process to start. ``prefix``: what marks its lines; ``before``: programs that must have ended well before."""

    __slots__ = ("argv", "before", "env", "folder", "prefix")

    def __init__(self, prefix: str, argv: list[str], env: dict[str, str], folder: str | None) -> None:
        self.prefix = prefix
        self.argv = argv
        self.env = env
        self.folder = folder
        self.before: list[list[str]] = []


class Local:
    """A job on this machine. ``files``: path → text to write first; ``folders``: to make first; ``notes``: for people.

    ``mapped``: paths of the container that words of the job lie at or below, and that have another place here.
    """

    __slots__ = ("files", "folders", "mapped", "notes", "processes")

    def __init__(self) -> None:
        self.processes: list[Process] = []
        self.files: dict[str, str] = {}
        self.folders: list[str] = []
        self.mapped: dict[str, None] = {}
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        """A line that is said once."""
        if text not in self.notes:
            self.notes.append(text)


class Wish:
    """What the user asked for: ``python`` in place of the image's, ``maps`` of container paths to local ones."""

    __slots__ = ("maps", "python")

    def __init__(self, python: str | None, maps: list[tuple[str, str]]) -> None:
        self.python = python
        # the longest path first: it is the most special one
        self.maps = sorted(maps, key=lambda pair: -len(pair[0]))
