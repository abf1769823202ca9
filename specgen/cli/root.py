"""The folder below which profiles may read: it depends on where a file lies, never on where the command ran.

The root of a file named on the command line is the nearest folder upwards, its own first, with ``.git`` or
``.specgen-root``. Where no folder has either, it is the file's own folder for what becomes part of the output, such as
``files``. Bases and cluster profiles, of which nothing is printed unless they are some, may lie below the folder above
as well, where teams keep them beside their jobs; not where that is the top of the file system, the user's home, or a
folder in which everyone may write, which hold more than the project.
"""

from __future__ import annotations

import os
import stat

MARKS = (".git", ".specgen-root")
_OWN = "the folder that holds the profile"


class Root:
    """A folder by its real path; ``reason``: which one it is, as a message says it; ``marked``: by a file in it.

    ``own``: the real path of the folder whose root it is.
    """

    __slots__ = ("marked", "own", "path", "reason")

    def __init__(self, own: str, path: str, reason: str, marked: bool) -> None:
        self.own = own
        self.path = path
        self.reason = reason
        self.marked = marked

    def of_contents(self) -> Root:
        """The root of files whose bytes are put into the output: no neighbour's without a mark."""
        return self if self.marked else Root(self.own, self.own, _OWN, False)

    def holds(self, real: str) -> bool:
        """Whether a real path lies below it."""
        return f"{real}/".startswith(self.path.rstrip("/") + "/")


def root(folder: str) -> Root:
    """The root of the files in a folder, empty for the working directory; links are followed first."""
    own = os.path.realpath(folder or ".")
    at = own
    while True:
        if any(os.path.lexists(os.path.join(at, mark)) for mark in MARKS):
            return Root(own, at, f"the nearest folder with `{MARKS[0]}` or `{MARKS[1]}`", True)
        above = os.path.dirname(at)
        if above == at:
            break
        at = above
    above = os.path.dirname(own)
    if own == above or _is_shared(above):
        return Root(own, own, _OWN, False)
    return Root(own, above, "the folder above the one that holds the profile", False)


def _is_shared(folder: str) -> bool:
    """Whether a folder holds more than one project for certain, or cannot be looked at."""
    if folder == os.path.dirname(folder) or folder == os.path.realpath(os.path.expanduser("~")):
        return True
    try:
        return bool(os.stat(folder).st_mode & stat.S_IWOTH)
    except OSError:
        return True
