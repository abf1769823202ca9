"""What the ``.gitignore`` files of a repository say of a path, as gitignore(5) has it."""

from __future__ import annotations

import os

from specgen.session.globs import exactly, steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from specgen.session.globs import Step

FILE = ".gitignore"
# Of each file of rules so much is read. A rule that is longer than a path can be says nothing.
MOST_BYTES = 64 * 1024
_LONGEST = 4096


class Rule:
    """One line, from 1, of a file of rules. ``again``: with ``!`` in front; ``folders``: it speaks of these alone."""

    __slots__ = ("again", "file", "folders", "line", "steps", "text")

    def __init__(self, file: str, line: int, text: str) -> None:
        self.file = file
        self.line = line
        self.text = text.encode("latin-1").decode("utf-8", "replace")
        self.again = text.startswith("!")
        pattern = text[self.again :]
        self.folders = pattern.endswith("/")
        self.steps: Sequence[Step] = steps(pattern)


def rules(data: bytes, file: str) -> list[Rule]:
    """The rules of a file."""
    found = []
    text = data.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    for number, line in enumerate(text.split("\n"), 1):
        line = line.removesuffix("\r")
        bare = line.rstrip(" ")
        if bare.endswith("\\") and line != bare and (len(bare) - len(bare.rstrip("\\"))) % 2:
            bare += " "
        if bare and not bare.startswith("#") and bare.strip("!/") and len(bare) < _LONGEST:
            found.append(Rule(file, number, bare))
    return found


class Folder:
    """What is known of a folder of a repository.

    ``top``: the real path of the repository; ``names``: those of the folder from there. ``chain``: rules that speak of
    what is in it, by the number of names that they count from, the deepest last. ``by``: the rule by which all of it is
    ignored, and the real path of the folder that it matches.
    """

    __slots__ = ("by", "chain", "names", "top")

    def __init__(
        self, top: str, names: tuple[str, ...], chain: list[tuple[int, list[Rule]]], by: tuple[Rule, str] | None
    ) -> None:
        self.top = top
        self.names = names
        self.chain = chain
        self.by = by

    def rule(self, name: str, *, folder: bool = False) -> Rule | None:
        """The rule by which a file in it is ignored, or a folder: the last of the deepest that says anything of it."""
        names = [_bytewise(one) for one in (*self.names, name)]
        for depth, found in reversed(self.chain):
            for rule in reversed(found):
                if (folder or not rule.folders) and exactly(rule.steps, names[depth:]):
                    return None if rule.again else rule
        return None


def _bytewise(name: str) -> str:
    """A name as git sees it: one sign for each byte."""
    return name if name.isascii() else os.fsencode(name).decode("latin-1")
