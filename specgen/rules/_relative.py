"""Relative paths that the words of a container say are written to, and where they lie."""

from __future__ import annotations

from posixpath import join, normpath

from specgen.diagnostics.model import Place
from specgen.operators.kubernetes.calls import calls
from specgen.operators.kubernetes.directories import OF_IMAGES
from specgen.rules._paths import BRINGS, OUT, WRITTEN, Use, said_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.manifest.views import Container

# Last words of the names of options whose value is a folder whatever it looks like, and of those that may have a path.
_FOLDERS = ("dir", "directory", "folder", "outdir", "outputdir", "path", "savedir", "workdir")
_PLACES = (*_FOLDERS, *OUT, "file", "prefix", "root")
_SWITCHES = ("auto", "false", "none", "null", "true")
# What has the output brought elsewhere, or programs start elsewhere.
_ELSEWHERE = ("push_to_hub", "push-to-hub", "wdir", "--cwd", "--chdir")
_ENTER = ("cd", "popd", "pushd")


def relative_outputs(container: Container) -> Iterator[tuple[Use, str, str]]:
    """(a relative path that an option says is written to, that option, the same path as an absolute one).

    The last is empty where the image says the working directory. Nothing is yielded where nobody can tell.
    """
    folder, texts = container.tree.get("workingDir", ""), container.words()
    if not isinstance(folder, str) or any([sign in container.line for sign in _ELSEWHERE]):
        return
    ran = [call for call in calls([text for _, _, text in texts]) if call.pieces and not call.idle]
    brought = [call for call in ran if call.pieces[0].text.rpartition("/")[2] in BRINGS]
    carried = " ".join([piece.text for call in brought for piece in call.pieces])
    for call in ran:
        line = call.pieces
        if line[0].text in _ENTER:
            folder = _entered(folder, line[1].text if len(line) == 2 and not call.doubtful else "-")
        if "$" in folder:
            return
        for number, piece in enumerate(line):
            name, equals, value = piece.text.partition("=")
            if not equals:
                name, value = line[number - 1].text if number else "", name
            if piece.open or not _is_relative(name, value, named=bool(equals) or name.startswith("-")):
                continue
            if normpath(value).split("/")[0] in carried:
                continue  # another program fetches it, or takes it away
            key, index, text = texts[piece.at]
            start = text.rfind(value, piece.start, piece.end)
            inside = (start, start + len(value)) if start >= 0 and value != text else None
            at = normpath(join(folder, value)) if folder else ""
            yield Use(value, WRITTEN, Place((*container.path, key, index), inside=inside)), name + equals, at


def on_volume(path: str) -> tuple[str, str]:
    """(where a volume may be mounted, a path on it) for what a relative path names."""
    whole = normpath(path).lstrip(".")
    first, _, rest = whole.partition("/")
    if not first or first in OF_IMAGES or ("." in first and not rest):
        return "/out", f"/out/{whole}".rstrip("/")
    return f"/{first}", f"/{whole}"


def _entered(folder: str, to: str) -> str:
    """The folder after a `cd`, with a dollar sign in it where nobody can tell."""
    if "$" in to or "`" in to or to[:1] in ("-", "~"):
        return "$"
    return normpath(join(folder, to)) if folder or to.startswith("/") else ""


def _is_relative(name: str, value: str, *, named: bool) -> bool:
    """Whether an option says of a relative path that it is written to."""
    if not named or not value or value[0] in "-/~$<" or any([sign in value for sign in ":\\{,*@ "]):
        return False
    last = name.lower().replace("-", "_").rpartition(".")[2].rpartition("_")[2]
    place = "/" in value or (last in _FOLDERS and value.lower() not in _SWITCHES and not value.isdigit())
    return place and last in _PLACES and not value.startswith("..") and said_of(name, f"/{value}") == WRITTEN
