"""What stands in a folder of output."""

from __future__ import annotations

import errno
import os

from specgen.cli.folder.steps import ENTER, content
from specgen.diagnostics.model import BadQuestion
from specgen.emit import ownership
from specgen.emit.tree import FOLDER, LINK, ODD, UNREAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

LINKED = "it is a link, and nothing is written through links"
_DEEPEST = 50


def read(out: str, name: str) -> bytes | None:
    """The bytes of a file on top of the folder; None: there is none that can be read."""
    try:
        at = os.open(out, ENTER)
    except OSError:
        return None
    try:
        return content(at, name)
    finally:
        os.close(at)


def standing(out: str, wanted: Container[str]) -> dict[str, str]:
    """All that stands in a folder: path → digest of the files that are ``wanted``, or what else it is.

    Folders that are hidden are not looked into. Raises BadQuestion where the folder is none, or cannot be read.
    """
    found: dict[str, str] = {}
    try:
        if os.path.islink(out):
            raise BadQuestion(f"{out}: {LINKED}")
        at = os.open(out, ENTER)
    except FileNotFoundError:
        return found
    except OSError as error:
        raise refused(out, error) from None
    try:
        _look(at, "", wanted, found)
    except OSError as error:
        raise refused(out, error) from None
    finally:
        os.close(at)
    return dict(sorted(found.items()))


def _look(at: int, above: str, wanted: Container[str], found: dict[str, str]) -> None:
    with os.scandir(at) as entries:
        inside = [(one.name, one.is_symlink(), one.is_dir(follow_symlinks=False), one.is_file()) for one in entries]
    for name, link, folder, file in inside:
        path = above + name
        if link:
            found[path] = LINK
        elif folder:
            found[path] = FOLDER
            if path.count("/") > _DEEPEST:
                raise OSError(errno.ELOOP, "folders lie too deep in it")
            if not name.startswith("."):
                below = os.open(name, ENTER, dir_fd=at)
                try:
                    _look(below, f"{path}/", wanted, found)
                finally:
                    os.close(below)
        elif file and path in wanted:
            data = content(at, name)
            found[path] = UNREAD if data is None else ownership.digest(data)
        else:
            found[path] = UNREAD if file else ODD


def refused(out: str, error: OSError) -> BadQuestion:
    return BadQuestion(f"{out}: {(error.strerror or 'it cannot be written').lower()}")
