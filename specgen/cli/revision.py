"""Files of a revision, through the program git: it is asked for names and bytes, and runs nothing besides.

``rev-parse``, ``ls-tree`` and ``cat-file`` know no hooks and no pager, and give bytes as they are stored, before any
filter. What an environment would have git do (trace, ask, fetch what a partial clone lacks) is not handed on.
"""

from __future__ import annotations

import os
import subprocess

from specgen.cli.files import DiskFiles
from specgen.cli.root import MARKS
from specgen.diagnostics.model import BadQuestion
from specgen.document.decode import MOST_BYTES
from specgen.profile.codes import BROKEN_REFERENCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from specgen.cli.root import Root
    from specgen.diagnostics.model import Finding
    from specgen.source import Source

# Seconds that one question to git may take, bytes that the list of a revision's files may have, and links in a row.
_SECONDS = 30
_MOST_LIST = 64 * 1024 * 1024
_MOST_LINKS = 8
_SUFFIXES = (".yaml", ".yml")
_LINK = "120000"
_OPTIONS = ("--no-pager", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")


class RevisionFiles(DiskFiles):
    """The files of ``REV:PATH``, named so; others are those of this disk. Raises BadQuestion for what is not there.

    A path counts from the root of the repository, and from this folder where it begins with ``./`` or ``../``, as git
    reads it. ``start``: the name of what was asked for. A profile may name the files of its revision, or those below
    the nearest folder with ``.specgen-root``, as on a disk.
    """

    __slots__ = ("_data", "_entries", "_folders", "_held", "_prefix", "start")

    def __init__(self, name: str, *, mib: int) -> None:
        super().__init__(mib=mib)
        revision, _, path = name.partition(":")
        if not revision:
            raise BadQuestion(f"{name}: a revision stands before the colon, as in HEAD~1:profiles")
        if path.startswith("/"):
            raise BadQuestion(f"{name}: the path counts from the root of the repository")
        tree = _tree(revision)
        if path.startswith(("./", "../")):
            path = _here() + path
        path = os.path.normpath(path) if path else ""
        if path.startswith(".."):
            raise BadQuestion(f"{name}: it leads out of the repository")
        self._prefix = f"{revision}:"
        self.start = self._prefix + ("" if path == "." else path)
        # path → (mode, blob, bytes); and bytes by blob, once they were asked for
        self._entries = _entries(tree, revision)
        self._data: dict[str, bytes] = {}
        # folders below which files may be named, empty for all
        self._held: dict[str, None] = {}
        self._folders = {"", *(folder for file in self._entries for folder in _above(file))}
        if self.what(self.start) is None:
            raise BadQuestion(f"{name}: there is no such file or folder in the revision", self._hint(path))

    def _hint(self, path: str) -> str | None:
        """Where a path that is not there from the root lies from this folder; None: nowhere."""
        there = os.path.normpath(_here() + path)
        if path == there or self.what(self._prefix + there) is None:
            return None
        return f"`{self._prefix}{there}`, or `{self._prefix}./{path}`: a path counts from the root of the repository"

    def below(self, name: str) -> list[str] | None:
        """The YAML files below a folder of the revision, sorted, without hidden ones and links."""
        if not name.startswith(self._prefix):
            return super().below(name)
        return [file for file in self.all_below(name) if file.endswith(_SUFFIXES)] if self._is_folder(name) else None

    def all_below(self, name: str) -> list[str]:
        """All files below a folder of the revision, sorted, without hidden ones and links."""
        if not name.startswith(self._prefix):
            return super().all_below(name)
        folder = self._path(name)
        start = f"{folder}/" if folder else ""
        found = [file for file, (mode, _, _) in self._entries.items() if file.startswith(start) and mode != _LINK]
        hidden = [file for file in found if any(step.startswith(".") for step in file[len(start) :].split("/"))]
        return [self._prefix + file for file in sorted(set(found).difference(hidden))]

    def config(self, name: str) -> Source | None:
        """None: a configuration says what is linted."""
        return None if name.startswith(self._prefix) else super().config(name)

    def is_there(self, name: str) -> bool:
        """Whether there is such a file."""
        return self._path(name) in self._entries if name.startswith(self._prefix) else super().is_there(name)

    def what(self, name: str) -> str | None:
        """``file`` or ``folder``; None: there is neither."""
        if not name.startswith(self._prefix):
            return super().what(name)
        return "folder" if self._is_folder(name) else "file" if self._path(name) in self._entries else None

    def stored(self, name: str) -> bytes | None:
        """The bytes of a file, for two of them to be compared."""
        return self._read(self._path(name)) if name.startswith(self._prefix) else super().stored(name)

    def expect(self, names: Iterable[str]) -> None:
        """Asks git for all of them at once."""
        known = list(names)
        own = [name for name in known if name.startswith(self._prefix)]
        super().expect(name for name in known if not name.startswith(self._prefix))
        for name in own:
            self._hold(self._path(name))
        entries = [self._entries[path] for name in own if (path := self._path(name)) in self._entries]
        wanted = [blob for _, blob, size in entries if size <= MOST_BYTES and blob not in self._data]
        if sum(size for _, _, size in entries) <= self._most:
            self._fetch(list(dict.fromkeys(wanted)))

    def named(self, name: str) -> tuple[Source | None, list[Finding]]:
        """A file of the revision that the command line named, or one of this disk. Raises BadQuestion."""
        if not name.startswith(self._prefix):
            return super().named(name)
        if self._is_folder(name):
            raise BadQuestion("it is a folder")
        self._hold(self._path(name))
        data = self._read(self._path(name))
        if data is None:
            raise BadQuestion("there is no such file")
        return self._asked_for(name, data)

    def join(self, name: str, beside: str) -> str:
        """A file that a file of the revision names."""
        if not beside.startswith(self._prefix) or name.startswith(self._prefix):
            return super().join(name, beside)
        return self._prefix + os.path.normpath(os.path.join(os.path.dirname(self._path(beside)), name))

    def again(self, name: str) -> str:
        """The text of a file that was read before, for its lines to be quoted."""
        if not name.startswith(self._prefix):
            return super().again(name)
        return (self._read(self._path(name)) or b"").decode("utf-8-sig", "replace")

    def _bytes(
        self, name: str, *, ignored: bool = False, roots: Collection[Root] = ()
    ) -> tuple[bytes | None, list[Finding]]:
        if not name.startswith(self._prefix):
            return super()._bytes(name, ignored=ignored, roots=roots)
        from specgen.cli.belonging.secrets import by_name  # a job that names no file loads none of it

        path = self._path(name)
        held = any(not folder or path.startswith(f"{folder}/") for folder in self._held)
        outside = path.startswith(("/", "..")) or not held
        reason = "it lies outside the repository, or its root" if outside else by_name(path.split("/"))
        data = None if reason else self._read(path)
        if data is None:
            return None, [BROKEN_REFERENCE.at((), reason or "there is no such file in the revision")]
        return data, []

    def _hold(self, path: str) -> None:
        """Lets profiles name what lies below the root of one of them."""
        folders = ["", *_above(path)]
        marked = [folder for folder in folders if (f"{folder}/" if folder else "") + MARKS[1] in self._entries]
        self._held.setdefault(marked[-1] if marked else "")

    def _path(self, name: str) -> str:
        return name[len(self._prefix) :]

    def _is_folder(self, name: str) -> bool:
        return self._path(name) in self._folders

    def _read(self, path: str) -> bytes | None:
        """The bytes of a file, links followed; of a long one the beginning. None: there is none."""
        for _ in range(_MOST_LINKS):
            mode, blob, size = self._entries.get(path, ("", "", 0))
            if not blob:
                return None
            if blob not in self._data:
                if size > MOST_BYTES:
                    self._data[blob] = _beginning(blob, self._each + 1)
                else:
                    self._fetch([blob])
            if mode != _LINK:
                return self._data[blob]
            target = self._data[blob].decode("utf-8", "replace")
            path = os.path.normpath(os.path.join(os.path.dirname(path), target))
        return None

    def _fetch(self, blobs: list[str]) -> None:
        if not blobs:
            return
        answer = _git("cat-file", "--batch", given="".join(f"{blob}\n" for blob in blobs).encode())
        at = 0
        for blob in blobs:
            end = answer.index(b"\n", at)
            head = answer[at:end].split()
            if len(head) != 3:
                raise BadQuestion(f"git has no object {blob}: a partial clone lacks it, perhaps")
            size = int(head[2])
            self._data[blob] = answer[end + 1 : end + 1 + size]
            at = end + 2 + size


def _above(file: str) -> list[str]:
    """The folders that a file lies in."""
    steps = file.split("/")
    return ["/".join(steps[:number]) for number in range(1, len(steps))]


def _tree(revision: str) -> str:
    """The tree of a revision. Raises BadQuestion where there is none, or no repository."""
    words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{tree}}")
    tree = _git(*words, unless=f"there is no revision `{revision}` in this repository").decode().strip()
    if not tree:
        raise BadQuestion(f"there is no revision `{revision}` in this repository")
    return tree


def _here() -> str:
    """The path of this folder in its repository, with a slash behind it; empty at the root."""
    return os.fsdecode(_git("rev-parse", "--show-prefix")).rstrip("\n")


def _entries(tree: str, revision: str) -> dict[str, tuple[str, str, int]]:
    """Path → mode, blob and bytes of each file of a tree. Names that are no UTF-8 are no names of profiles."""
    listed = _git("ls-tree", "-r", "-z", "--full-tree", "--long", tree)
    if len(listed) > _MOST_LIST:
        raise BadQuestion(f"the list of the files of {revision} is longer than {_MOST_LIST:,} bytes")
    found = {}
    for line in listed.split(b"\0"):
        head, _, path = line.partition(b"\t")
        words = head.split()
        if len(words) == 4 and words[1] == b"blob":
            found[path.decode("utf-8", "replace")] = words[0].decode(), words[2].decode(), int(words[3])
    return found


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "XDG_CONFIG_HOME") if name in os.environ}
    # of a partial clone, what is missing is not fetched: by git's own word since 2.45, and before as no protocol is
    return kept | {
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }


def _words(words: Sequence[str]) -> list[str]:
    """A command line; git is looked for in absolute folders alone: others may be the repository's own."""
    from shutil import which

    folders = os.pathsep.join(one for one in os.environ.get("PATH", "").split(os.pathsep) if os.path.isabs(one))
    program = which("git", path=folders) if folders else None
    if program is None:
        raise BadQuestion("a revision is read by `git`, which is not on PATH")
    return [program, *_OPTIONS, *words]


def _git(*words: str, given: bytes = b"", unless: str = "") -> bytes:
    """What git answers. Raises BadQuestion with the reason; ``unless``: that of a question which git answers with 1."""
    try:
        done = subprocess.run(
            _words(words), input=given, capture_output=True, env=_environment(), timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise BadQuestion(f"git takes more than {_SECONDS} s for `{words[0]}`") from None
    except OSError as error:
        raise BadQuestion(f"git cannot be started: {(error.strerror or '').lower()}") from None
    if not done.returncode:
        return done.stdout
    said = done.stderr.decode("utf-8", "replace")
    if "not a git repository" in said:
        raise BadQuestion("this folder lies in no repository of git, so that it has no revisions")
    if unless and (done.returncode == 1 or not said.strip() or "unknown revision" in said):
        raise BadQuestion(unless)
    first = said.strip().splitlines()[0] if said.strip() else f"it ended with {done.returncode}"
    raise BadQuestion(f"git: {first.removeprefix('fatal: ')}")


def _beginning(blob: str, most: int) -> bytes:
    """The first bytes of a long file."""
    words = _words(("cat-file", "blob", blob))
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_environment()) as process:
        assert process.stdout is not None
        data = process.stdout.read(most)
        process.kill()
    return data
