"""Files that are read: regular files only, under the root where a profile names them, within limits.

``opened`` is how a verb begins: a session over the files of this disk, on this day.

Files named on the command line are always readable; what they refer to must lie under the root of one of them
(``root``), links followed, and belong to what lies there (``belonging``).
"""

from __future__ import annotations

import errno
import os
import stat
import sys

from specgen.cli.root import MARKS, root
from specgen.diagnostics.model import BadQuestion, Place
from specgen.document.codes import LIMIT
from specgen.document.decode import MOST_BYTES, decode
from specgen.profile.codes import BROKEN_REFERENCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from specgen.cli.belonging.below import Known
    from specgen.cli.root import Root
    from specgen.diagnostics.model import Finding
    from specgen.session import Session
    from specgen.session.files import Files
    from specgen.session.policy import Options
    from specgen.source import Source

MIB_OF_A_RUN = 64
# Of what kubectl printed: some 25 KiB for a node with the images that it holds, and 10 for a pod.
PRINTED_MIB = 512
_SUFFIXES = (".yaml", ".yml")
_CONFIGS = ("specgen.toml", "pyproject.toml")


def opened(
    *,
    cluster: str | None = None,
    settings: Sequence[str] = (),
    variant: str | None = None,
    files: Files | None = None,
    options: Options | None = None,
    mib: int = MIB_OF_A_RUN,
) -> Session:
    """The session of a verb, over the files of this disk, of so many MiB at most, or others.

    Raises BadQuestion where ``--cluster`` or ``--set`` names nothing of use.
    """
    from specgen.session import Session  # a verb without files loads none of it

    files = files or DiskFiles(mib=mib)
    return Session(files, cluster=cluster, settings=settings, variant=variant, today=day(), options=options)


def lines(name: str) -> list[str]:
    """The lines of a regular file, such as a tree's list of its own; none where it is gone, or too long."""
    try:
        data = _open(name)
    except BadQuestion:
        return []
    return [] if len(data) > MOST_BYTES else data.decode("utf-8-sig", "replace").split("\n")


def whole(name: str, most: int) -> bytes:
    """The bytes of a file of any length, of a longer one so many; ``-`` is standard input. Raises BadQuestion."""
    return _standard_input(most) if name == "-" else _open(name, most)


def printed(name: str, most: int) -> str:
    """The text of what kubectl printed, of so many bytes at most. Raises BadQuestion with the reason alone."""
    data = whole(name, most + 1)
    if len(data) > most:
        raise BadQuestion(f"it is longer than {most >> 20} MiB", "`--max-input MIB` reads more")
    # UTF-16 is what a Windows shell writes when it redirects
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        raise BadQuestion("it is no text in UTF-8") from None


def _open(name: str, most: int = MOST_BYTES + 1) -> bytes:
    """The bytes of a regular file; raises BadQuestion with the reason. Never blocks on a FIFO, never reads a device."""
    try:
        return _drained(os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), most)
    except OSError as error:
        raise BadQuestion(_reason(error)) from None
    except ValueError:
        raise BadQuestion("its name is no file name") from None


def _reason(error: OSError) -> str:
    """Why a file could not be opened or read."""
    return {
        errno.ENOENT: "there is no such file",
        errno.EACCES: "permission denied",
        errno.ENXIO: "it is no regular file",
        errno.ELOOP: "it is a link that leads to itself",
        errno.ENOTDIR: "there is no such file",
        errno.EINVAL: "there is no such file",  # a link that was none any more when it was read
    }.get(error.errno or 0, (error.strerror or "it cannot be read").lower())


def _drained(handle: int, most: int = MOST_BYTES + 1) -> bytes:
    """The bytes of an open file, which is closed; of a long one the beginning. Raises BadQuestion and OSError."""
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise BadQuestion("it is a folder")
        if not stat.S_ISREG(mode):
            raise BadQuestion("it is no regular file")
        chunks = []
        left = most
        while left > 0:
            chunk = os.read(handle, min(left, 1 << 20))
            if not chunk:
                break
            chunks.append(chunk)
            left -= len(chunk)
        return b"".join(chunks)
    finally:
        os.close(handle)


def _standard_input(most: int = MOST_BYTES + 1) -> bytes:
    if sys.stdin is None:
        raise BadQuestion("standard input is closed")
    try:
        return sys.stdin.buffer.read(most)
    except OSError as error:
        raise BadQuestion((error.strerror or "it cannot be read").lower()) from None


class DiskFiles:
    """Files by name, relative to where the command ran; every file once, and 64 MiB in all, or so many ``mib``.

    A file has 5 MiB at most. Whoever asks for more than 64 in all may name one that has all of it; the files that it
    names in turn have no more than others.
    """

    __slots__ = ("_asked", "_configs", "_each", "_emptied", "_known", "_most", "_roots", "_stdin", "_total")

    def __init__(self, *, stdin: str = "<stdin>", mib: int = MIB_OF_A_RUN) -> None:
        self._most = mib * 1024 * 1024
        self._each = self._most if mib > MIB_OF_A_RUN else MOST_BYTES
        # what standard input is called
        self._stdin = stdin
        # files of the command line that were read
        self._asked: set[str] = set()
        # folder → what is known of it as a part of a repository
        self._known: Known = {}
        # folder → the configuration that is nearest to its files
        self._configs: dict[str, Source | None] = {}
        # folder of a file of the command line → its root
        self._roots: dict[str, Root] = {}
        self._total = 0
        # whether standard input was read
        self._emptied = False

    def room(self) -> int:
        """How many bytes this run may still read; below 0: it has read too many."""
        return self._most - self._total

    def below(self, name: str) -> list[str] | None:
        """The YAML files below a folder, sorted, without hidden ones and links; None: it is no folder."""
        if name == "-" or not os.path.isdir(name):
            return None
        return [path for path in self.all_below(name) if path.endswith(_SUFFIXES)]

    def all_below(self, name: str) -> list[str]:
        """All regular files below a folder, sorted, without hidden ones and links."""
        found = []
        for folder, folders, files in os.walk(name):
            folders[:] = sorted(one for one in folders if not one.startswith("."))
            for file in files:
                path = os.path.join(folder, file)
                if not file.startswith(".") and not os.path.islink(path):
                    found.append(os.path.normpath(path))
        return sorted(found)

    def config(self, name: str) -> Source | None:
        """The configuration that is nearest to a file, upwards as far as its root goes. Raises BadQuestion."""
        folder = os.path.dirname(self._stdin if name == "-" else name)
        if folder not in self._configs:
            self._configs[folder] = self._config(folder)
        return self._configs[folder]

    def _config(self, folder: str) -> Source | None:
        for name in _CONFIGS:
            path = os.path.join(folder, name)
            if os.path.lexists(path):
                source = self._read_config(path, root(folder))
                if source is not None:
                    return source
        real = os.path.realpath(folder or ".")
        above = os.path.dirname(real)
        if real == above or not root(folder).holds(above):
            return None
        # names stay relative to where the command ran
        return self.config(os.path.normpath(os.path.join(os.path.relpath(above), _CONFIGS[0])))

    def _read_config(self, path: str, within: Root) -> Source | None:
        data, findings = self._bytes(path, ignored=True, roots=[within])
        if data is None:
            raise BadQuestion(f"{path}: {findings[0].message}")
        source, findings = decode(path, data)
        if source is None:
            raise BadQuestion(f"{path}: {findings[0].message}")
        if path.endswith(_CONFIGS[1]) and not _may_configure(source.text):
            return None
        from specgen.session.config import is_there  # most repositories have none

        return source if is_there(source) else None

    def is_there(self, name: str) -> bool:
        """Whether there is such a file."""
        return os.path.isfile(name)

    def what(self, name: str) -> str | None:
        """``file`` or ``folder``, links followed; None: there is neither."""
        try:
            mode = os.stat(name).st_mode
        except (OSError, ValueError):
            return None
        return "folder" if stat.S_ISDIR(mode) else "file"

    def is_readable(self, name: str) -> bool:
        """Whether a profile may name this file."""
        return self._bytes(name)[0] is not None

    def stored(self, name: str) -> bytes | None:
        """The bytes of a file, for two of them to be compared; of a long one the beginning. None: it is none."""
        try:
            return _open(name)
        except BadQuestion:
            return None

    def expect(self, names: Iterable[str]) -> None:
        """Files that will be named: what a profile may read does not depend on which of them is read first."""
        for name in names:
            self._root_of(name)

    def _root_of(self, name: str) -> None:
        folder = os.path.dirname(name)
        if folder not in self._roots:
            self._roots[folder] = root(folder)

    def named(self, name: str) -> tuple[Source | None, list[Finding]]:
        """A file named on the command line; ``-`` is standard input. Raises BadQuestion."""
        if name == "-":
            if self._emptied:
                raise BadQuestion("standard input can be read once")
            data = _standard_input(self._each + 1)
            self._emptied = True
            self._root_of(self._stdin)
            return self._asked_for(self._stdin, data)
        self._root_of(name)
        data = _open(name, self._each + 1)
        self._asked.add(name)
        return self._asked_for(name, data)

    def printed(self, name: str) -> str:
        """The text of what kubectl printed, which may be longer than other files. Raises BadQuestion."""
        if name == "-":
            if self._emptied:
                raise BadQuestion("standard input can be read once")
            self._emptied = True
        return printed(name, max(self._most, PRINTED_MIB << 20))

    def join(self, name: str, beside: str) -> str:
        """A file that the file ``beside`` names: paths count from the file they stand in."""
        folder = "" if beside.startswith("<") else os.path.dirname(beside)
        return os.path.normpath(os.path.join(folder, name))

    def read(self, name: str) -> tuple[Source | None, list[Finding]]:
        """A file that a profile names: under the root, links resolved. SG202 without a place where it cannot be had."""
        data, findings = self._bytes(name)
        return (None, findings) if data is None else self._decoded(name, data)

    def beside(self, name: str) -> str | None:
        """The text of a file that nobody named, such as a chart's around a manifest; None: it is not to be had."""
        data, _ = self._bytes(name, ignored=True)
        source = None if data is None else self._decoded(name, data)[0]
        return None if source is None else source.text

    def around(self, steps: int) -> str:
        """The name of the folder so many steps above the working one."""
        folder = os.getcwd()
        for _ in range(steps):
            folder = os.path.dirname(folder)
        return os.path.basename(folder)

    def again(self, name: str) -> str:
        """The text of a file that was read before, for its lines to be quoted; empty where it is not to be had now."""
        try:
            data = _open(name, self._each + 1) if name in self._asked else self._bytes(name)[0]
        except BadQuestion:
            return ""
        return (data or b"").decode("utf-8-sig", "replace")

    def content(self, name: str) -> tuple[bytes | None, list[Finding]]:
        """The bytes of a file that become part of the output, unless it holds a key; of over 5 MiB the beginning."""
        data, findings = self._bytes(name, roots=[root.of_contents() for root in self._roots.values()])
        if data is None:
            return None, findings
        self._total += len(data)
        if self.room() < 0:
            return None, [BROKEN_REFERENCE.at((), self._too_much)]
        from specgen.cli.belonging.secrets import by_content

        held = by_content(data)
        if held:
            helps = ["a Secret carries it: `mounts: {/etc/keys: {secret: NAME}}`"]
            notes = ["whoever may read the job's ConfigMap could read it"]
            return None, [BROKEN_REFERENCE.at((), held, notes=notes, helps=helps)]
        return data, []

    def _bytes(
        self, name: str, *, ignored: bool = False, roots: Collection[Root] = ()
    ) -> tuple[bytes | None, list[Finding]]:
        """The bytes of a file below one of the roots; ``ignored``: of one too that its repository ignores."""
        try:
            real = os.path.realpath(name)
        except ValueError:
            return None, [BROKEN_REFERENCE.at((), "its name is no file name")]
        except OSError as error:  # a link that was there, and is not any more
            return None, [BROKEN_REFERENCE.at((), _reason(error))]
        roots = roots or self._roots.values()
        held = next((root for root in roots if root.holds(real)), None)
        if held is None:
            return None, [_outside(roots)]
        from specgen.cli.belonging.below import opened  # a job that names no file loads none of it

        beside = (root.own for root in self._roots.values())
        try:
            return _drained(opened(held.path, real, beside, None if ignored else self._known)), []
        except BadQuestion as error:
            return None, [BROKEN_REFERENCE.at((), str(error), helps=[error.help] if error.help else [])]
        except OSError as error:
            return None, [BROKEN_REFERENCE.at((), _reason(error))]

    def _asked_for(self, name: str, data: bytes) -> tuple[Source | None, list[Finding]]:
        """A file of the command line, of which somebody may ask for more."""
        source, findings = self._decoded(name, data, self._each)
        if len(data) > self._each:
            findings[0].helps = [f"`--max-input MIB` of more than {max(MIB_OF_A_RUN, self._each >> 20)} reads it"]
        return source, findings

    def _decoded(self, name: str, data: bytes, most: int = MOST_BYTES) -> tuple[Source | None, list[Finding]]:
        self._total += len(data)
        source, findings = decode(name, data, most)
        if source is not None and self.room() < 0:
            helps = ["`--max-input MIB` reads more"]
            return None, [_nowhere(LIMIT.at(Place((), offsets=(0, 0)), self._too_much, helps=helps), source)]
        return source, findings

    @property
    def _too_much(self) -> str:
        return f"the files of this run are longer than {self._most:,} bytes together"


def _outside(roots: Collection[Root]) -> Finding:
    reasons = list(dict.fromkeys(root.reason for root in roots))
    what = f"the root, {reasons[0]}" if len(reasons) == 1 else "the roots of the files that were named"
    helps = [f"an empty file `{MARKS[-1]}` in a folder that holds both makes it the root"]
    marked = all(root.marked for root in roots)
    return BROKEN_REFERENCE.at((), f"it lies outside {what}", helps=[] if marked else helps)


def _may_configure(text: str) -> bool:
    """Whether a `pyproject.toml` may have a table `tool.specgen`: most that name specgen only depend on it.

    To read TOML costs a cold run a third of what it takes to judge a manifest: six expressions are compiled for it.
    """
    if "specgen" not in text:
        return False
    for line in text.splitlines():
        line = line.strip()
        if line[:1] == "[" and "tool" in line:
            if "specgen" in line or line.replace(" ", "").startswith(("[tool]", '["tool"]', "['tool']")):
                return True
        elif line.lstrip("\"'").startswith("tool"):
            return True
    return False


def _nowhere(finding: Finding, source: Source) -> Finding:
    from specgen.document.tree import Document, Mapping

    finding.where = Document(source, Mapping(0), 0)
    return finding


def day() -> str:
    """The day in UTC, or that of SOURCE_DATE_EPOCH, for ignores that are dated; nothing else depends on it."""
    import time

    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    return time.strftime("%Y-%m-%d", time.gmtime(int(epoch) if epoch.isdigit() else None))
