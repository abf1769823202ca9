"""The output tree on disk: what is written, what is stale, missing or foreign.

Files are written one by one through temporary names, and only if their bytes change. Files that no job of this run
comes to are never deleted: ``--check`` names them.
"""

from __future__ import annotations

import os

from specgen.cli import exits
from specgen.cli.files import write_text
from specgen.diagnostics.model import BadQuestion, plural
from specgen.diagnostics.safe import printable
from specgen.emit.layout import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.cli.terminal import Terminal
    from specgen.manifest.model import Bundle


def written(out: str, bundles: list[Bundle], terminal: Terminal) -> int:
    """Writes the tree below ``out``. Links inside it are never written through."""
    files = tree(bundles)
    _guard(out, files)
    changed = 0
    try:
        for path, text in files.items():
            changed += write_text(os.path.join(out, *path.split("/")), text)
    except OSError as error:
        raise BadQuestion(f"{out}: {(error.strerror or 'it cannot be written').lower()}") from None
    if not terminal.quiet:
        terminal.say(
            f"{plural(len(bundles), 'job')} in {out}: "
            f"{plural(changed, 'file')} written, {len(files) - changed} unchanged"
        )
    return exits.GOOD


def checked(out: str, bundles: list[Bundle], terminal: Terminal) -> int:
    """Compares the tree with what stands below ``out``."""
    files = tree(bundles)
    lines = []
    for path, text in sorted(files.items()):
        try:
            with open(os.path.join(out, *path.split("/")), "rb") as file:
                if file.read() != text.encode():
                    lines.append(f"stale    {path}")
        except (FileNotFoundError, NotADirectoryError):
            lines.append(f"missing  {path}")
        except OSError as error:
            lines.append(f"stale    {path}: {(error.strerror or 'unreadable').lower()}")
    lines += [f"foreign  {path}" for path in _present(out) if path not in files]
    if not lines:
        if not terminal.quiet:
            terminal.say(f"{plural(len(files), 'file')} in {out} up to date")
        return exits.GOOD
    terminal.answer("".join(f"{printable(line)}\n" for line in lines))
    terminal.say(
        f"{plural(len(lines), 'file')} in {out} not as built; "
        f"`specgen build … --out {out}` writes what is stale or missing"
    )
    return exits.BAD


def _present(out: str) -> list[str]:
    found = []
    for folder, folders, names in os.walk(out):
        folders.sort()
        below = os.path.relpath(folder, out)
        for name in names:
            found.append(name if below == "." else f"{below.replace(os.sep, '/')}/{name}")
    return sorted(found)


def _guard(out: str, files: dict[str, str]) -> None:
    """Refuses to write through a link below ``out``."""
    for path in files:
        folder = out
        for step in path.split("/")[:-1]:
            folder = os.path.join(folder, step)
            if os.path.islink(folder):
                raise BadQuestion(f"{folder}: it is a link, and nothing is written through links")
