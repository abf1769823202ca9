"""A profile that a verb made: printed, or written into the file that was named for it."""

from __future__ import annotations

import os

from specgen.cli import exits
from specgen.diagnostics.model import BadQuestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.cli.terminal import Terminal


def free(out: str | None, usual: str, *, force: bool) -> None:
    """Raises BadQuestion where no profile may be written. ``usual``: what its file is called in most folders."""
    if out is None:
        return
    if os.path.isdir(out):
        raise BadQuestion(f"{out}: it is a folder", f"`--out {os.path.join(out, usual)}`")
    # a device or a FIFO loses nothing, and a link that leads nowhere has no file
    if os.path.isfile(out) and not force:
        raise BadQuestion(f"{out}: there is such a file", "`--force` writes over it, or `--out` another file")


def hand(profile: str, out: str | None, after: str, terminal: Terminal) -> int:
    """Prints or writes a profile; of one that is written ``after`` says what it is for. Raises BadQuestion."""
    if out is None:
        terminal.answer(profile)
        return exits.GOOD
    from specgen.cli.rewrite import write_named

    write_named(out, profile)
    terminal.say(f"specgen: {out} is written; {after}")
    return exits.GOOD
