"""Files of a folder replaced one by one, for folders that cannot be exchanged."""

from __future__ import annotations

import os

from specgen.cli.folder.recover import INSIDE, discard
from specgen.cli.folder.steps import ENTER, MAKE, entered, without_empty, write_all
from specgen.emit import ownership

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.emit.tree import Change


def one_by_one(whole: str, change: Change) -> None:
    """File by file, each as a whole: what is new waits inside until all of it is on disk."""
    try:
        os.mkdir(whole)
    except FileExistsError:
        pass
    top = os.open(whole, ENTER)
    try:
        os.mkdir(INSIDE, 0o700, dir_fd=top)
        inside = os.open(INSIDE, ENTER, dir_fd=top)
        try:
            write_all(inside, change.files, {*change.write, ownership.FILE})
            between = os.open("between", MAKE, 0o644, dir_fd=inside)
            with os.fdopen(between, "wb") as file:
                file.write(change.between.encode())
                file.flush()
                os.fsync(between)
            os.rename("between", ownership.FILE, src_dir_fd=inside, dst_dir_fd=top)
            os.fsync(top)
            for path in change.write:
                if path != ownership.FILE:
                    _moved(inside, top, path)
            for path in change.remove:
                *steps, name = path.split("/")
                at = entered(top, steps)
                try:
                    os.unlink(name, dir_fd=at)
                finally:
                    os.close(at)
            without_empty(top, change.remove)
            _moved(inside, top, ownership.FILE)
            os.fsync(top)
        finally:
            os.close(inside)
            discard(top, INSIDE, None, -1)
    finally:
        os.close(top)


def _moved(inside: int, top: int, path: str) -> None:
    *steps, name = path.split("/")
    source = entered(inside, steps)
    try:
        at = entered(top, steps)
        try:
            os.rename(name, name, src_dir_fd=source, dst_dir_fd=at)
        finally:
            os.close(at)
    finally:
        os.close(source)
