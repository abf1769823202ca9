"""What specgen wrote into an output tree: a file beside it that lists path, digest and profile, one file to a line.

Lines are sorted by path and hold no time and no machine's paths, so that two builds of the same jobs write the same
file, and branches that add jobs merge line by line. A path may stand there twice, as after such a merge or while a tree
is written file by file: whatever digest is listed is one that specgen wrote.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    # path in the tree → (digests that specgen wrote it with, the profile that it comes from)
    Owned: TypeAlias = dict[str, tuple[tuple[str, ...], str]]

FILE = ".specgen-owned"
# Where new files wait for their places, in a tree whose files are replaced one by one.
JOURNAL = ".specgen-new"
# The profile of files that come from no single one: those that list folders, and jobs from standard input.
NOBODY = "-"

# The verbs that write a folder as a whole: what one of them wrote is none of the other's.
BUILD, OPERATORS = "build", "operators"
_HEAD = "# Files of this folder that `specgen {}` wrote: SHA-256, path, profile. Written anew by every {}.\n"
# Further runs build the tree for the same cluster, unless they name another one.
_CLUSTER = "# Built with --cluster: "
_HEADS = {BUILD: _HEAD.format(BUILD, "build"), OPERATORS: _HEAD.format(OPERATORS, "run")}


def digest(data: bytes) -> str:
    """SHA-256 in hex; line ends are those of Unix, whatever a checkout on Windows made of them."""
    from hashlib import sha256

    return sha256(data.replace(b"\r\n", b"\n")).hexdigest()


def write(owned: Owned, verb: str = BUILD, cluster: str = "") -> str:
    """The text of the file of a verb; ``cluster``: the cluster profile that all jobs were given in place of theirs."""
    lines = [
        f"{one} {path} {_spelt(profile)}\n"
        for path, (digests, profile) in sorted(owned.items())
        for one in sorted(set(digests))
    ]
    return _HEADS[verb] + (f"{_CLUSTER}{_spelt(cluster)}\n" if cluster else "") + "".join(lines)


def cluster(text: str) -> str:
    """The cluster profile that a run gave all jobs of a tree, as seen from the tree; empty: each had its own."""
    lines = text.replace("\r\n", "\n").split("\n")
    return next((_meant(line[len(_CLUSTER) :]) for line in lines if line.startswith(_CLUSTER)), "")


def verb(text: str) -> str:
    """The verb whose list a text is; empty: it is no such list."""
    text = text.replace("\r\n", "\n")
    return next((verb for verb, head in _HEADS.items() if head in text), "")


def read(text: str) -> Owned | None:
    """What a text lists; None: it is not this kind of file. Lines that list nothing, such as a merge's marks, pass."""
    text = text.replace("\r\n", "\n")
    if not verb(text):
        return None
    owned: Owned = {}
    for line in text.split("\n"):
        one, _, rest = line.partition(" ")
        path, _, profile = rest.partition(" ")
        if len(one) == 64 and profile and _is_inside(path):
            before = owned.get(path, ((), ""))[0]
            owned[path] = ((*before, one), _meant(profile))
    return owned


def folder(path: str) -> str:
    """The folder of a job that a path lies in, empty for files on top."""
    return path.partition("/")[0] if "/" in path else ""


def by_folder(paths: Iterable[str]) -> dict[str, list[str]]:
    """Folder → its paths, sorted."""
    found: dict[str, list[str]] = {}
    for path in sorted(paths):
        found.setdefault(folder(path), []).append(path)
    return found


def _is_inside(path: str) -> bool:
    """Whether a path is one that specgen writes: a file that is edited must not lead out of the tree."""
    return "\\" not in path and all(step not in ("", ".", "..") for step in path.split("/"))


def _spelt(profile: str) -> str:
    """On one line, whatever signs a file name has."""
    return profile.encode("unicode_escape").decode("ascii")


def _meant(spelt: str) -> str:
    try:
        return spelt.encode("ascii").decode("unicode_escape")
    except UnicodeError:
        return spelt
