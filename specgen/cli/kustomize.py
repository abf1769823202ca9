"""kubectl, or kustomize, started to render folders: from copies of the files that it may read, within time and room.

It gets a folder with those files and nothing else, no shell, no environment of ours, no program to start, and an
address of no server for whatever it would fetch. What is refused before it starts is ``session.kustomize``'s to know.
"""

from __future__ import annotations

import os
import re
import selectors
import shutil
import signal
import subprocess
import tempfile
import time

from specgen.diagnostics.model import BadQuestion
from specgen.session.kustomize import Order, Rendering

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Seconds, bytes of output, and bytes of address space that one rendering may take. Go reserves more than it uses.
_SECONDS = 60.0
_MOST_OUTPUT = 5 * 1024 * 1024
_MOST_ERROR = 256 * 1024
_MOST_MEMORY = 4 * 1024 * 1024 * 1024
_LATE = "it takes more time than there is for it"
# A port of this machine at which nothing answers.
_NOWHERE = "http://127.0.0.1:9"


def program(path: str) -> list[str] | None:
    """The words in front of the folder: those of kubectl, else of kustomize; None: neither is on the search path.

    Folders that are named relative to the working directory are left out: they may be the repository's own.
    """
    folders = os.pathsep.join(one for one in path.split(os.pathsep) if os.path.isabs(one))
    for name, verb in (("kubectl", "kustomize"), ("kustomize", "build")):
        found = shutil.which(name, path=folders) if folders else None
        if found is not None:
            return [found, verb]
    return None


def render(orders: Sequence[Order], jobs: int) -> list[Rendering]:
    """Renders folders, so many at once. Raises BadQuestion where this machine has no program for it."""
    words = program(os.environ.get("PATH", ""))
    if words is None:
        raise BadQuestion(
            "kustomizations are rendered by `kubectl` or `kustomize`, and neither is on PATH",
            "install kubectl (https://kubernetes.io/docs/tasks/tools/), or lint without `--kustomize`",
        )
    base = os.path.realpath(tempfile.mkdtemp(prefix="specgen-"))
    runs: list[_Run] = []
    try:
        folders = _Copy(base)
        runs = [_Run(words, folders, order) for order in orders]
        _work(runs, max(jobs, 1))
        return [run.rendering(folders) for run in runs]
    finally:
        for run in runs:
            run.stop()
        shutil.rmtree(base, ignore_errors=True)


class _Copy:
    """The files of all orders in a folder of their own, as they lie to each other on this disk."""

    __slots__ = ("_known", "base", "home")

    def __init__(self, base: str) -> None:
        self.base = os.path.join(base, "files")
        self.home = os.path.join(base, "home")
        os.mkdir(self.home)
        # name → its copy
        self._known: dict[str, str] = {}

    def at(self, name: str) -> str:
        """The copy of a file or folder, whether it is written or not."""
        # the whole path of the disk stands below the copy, so that all names are as far from each other as they are
        return self.base + os.path.abspath(name)

    def put(self, order: Order) -> str | None:
        """Writes the files of an order; what keeps it from being rendered is a sentence."""
        real = os.path.realpath(order.folder)
        for name, data in order.files.items():
            # kustomize follows links, and counts paths from where they lead
            if os.path.realpath(name) != os.path.normpath(os.path.join(real, os.path.relpath(name, order.folder))):
                return f"`{name}` is a link, or lies behind one"
            if name not in self._known:
                path = self._known[name] = self.at(name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as file:
                    file.write(data)
        return None

    def named(self, text: str) -> str:
        """A text with the names of the files in place of those of their copies."""
        return text.replace(self.base + os.getcwd() + os.sep, "").replace(self.base, "")


class _Run:
    """One rendering: waiting, running, or ended."""

    __slots__ = ("_err", "_order", "_out", "_popen", "_reason", "_until", "_words", "folder")

    def __init__(self, words: list[str], folders: _Copy, order: Order) -> None:
        self._order = order
        self._words = words
        self._reason = folders.put(order) or ""
        self.folder = folders
        self._popen: subprocess.Popen[bytes] | None = None
        self._out = bytearray()
        self._err = bytearray()
        self._until = 0.0

    def start(self, selector: selectors.BaseSelector) -> None:
        """Starts it, unless something keeps it from being rendered."""
        if self._reason:
            return
        environment = {name: _NOWHERE for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")}
        # kubectl looks for preferences of the user, kustomize for plugins, and both for programs that they may start
        environment |= {"HOME": self.folder.home, "PATH": self.folder.home, "KUBERC": "off", "KUBECONFIG": os.devnull}
        environment |= {"TMPDIR": self.folder.home, "GOMAXPROCS": "2"}
        try:
            self._popen = subprocess.Popen(
                [*self._words, self.folder.at(self._order.folder)],
                cwd=self.folder.home,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            self._reason = f"`{os.path.basename(self._words[0])}` cannot be started: {(error.strerror or '').lower()}"
            return
        _limit(self._popen.pid)
        self._until = time.monotonic() + _SECONDS
        for stream, taken in ((self._popen.stdout, self._out), (self._popen.stderr, self._err)):
            assert stream is not None
            selector.register(stream, selectors.EVENT_READ, (self, taken))

    def take(self, taken: bytearray, data: bytes) -> None:
        """Takes a piece of output."""
        taken += data
        if len(self._out) > _MOST_OUTPUT:
            self._end(f"what comes of it is longer than {_MOST_OUTPUT:,} bytes")
        elif len(self._err) > _MOST_ERROR:
            del self._err[_MOST_ERROR:]

    def ended(self, handle: int) -> None:
        """Closes a stream that holds no more."""
        for stream in (self._popen.stdout, self._popen.stderr) if self._popen is not None else ():
            if stream is not None and not stream.closed and stream.fileno() == handle:
                stream.close()

    def late(self, now: float) -> None:
        """Ends it where its time is over."""
        if self._popen is not None and not self._reason and now > self._until:
            self._end(_LATE)

    def _end(self, reason: str) -> None:
        self._reason = self._reason or reason
        self.stop()

    def stop(self) -> None:
        """Kills what still runs of it."""
        if self._popen is not None and self._popen.poll() is None:
            try:
                os.killpg(self._popen.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
            self._popen.wait()

    def rendering(self, folders: _Copy) -> Rendering:
        """What came of it."""
        code = 0
        if self._popen is not None:
            try:
                # one that closed its streams may go on
                code = self._popen.wait(max(self._until - time.monotonic(), 0.1))
            except subprocess.TimeoutExpired:
                self._end(_LATE)
        if self._reason:
            return Rendering(reason=self._reason)
        if not code:
            return Rendering(self._out.decode(errors="replace"))
        said = _refusal(self._err.decode(errors="replace"))
        # what a program of Go that breaks down says is none of kustomize's own
        if code == 1 and said:
            return Rendering(error=folders.named(said))
        name = os.path.basename(self._words[0])
        return Rendering(reason=f"`{name}` ended with {code if code > 0 else f'signal {-code}'}")


def _work(runs: list[_Run], jobs: int) -> None:
    """Runs all of them, so many at once."""
    waiting = list(reversed(runs))
    with selectors.DefaultSelector() as selector:
        while waiting or selector.get_map():
            while waiting and len(selector.get_map()) < 2 * jobs:
                waiting.pop().start(selector)
            for key, _ in selector.select(0.2):
                run, taken = key.data
                data = os.read(key.fd, 1 << 16)
                if data:
                    run.take(taken, data)
                else:
                    selector.unregister(key.fileobj)
                    run.ended(key.fd)
            now = time.monotonic()
            for run in {id(key.data[0]): key.data[0] for key in selector.get_map().values()}.values():
                run.late(now)


def _refusal(text: str) -> str:
    """The sentence in which the program refuses a tree, behind its warnings; empty: it says none.

    kubectl and kustomize begin it with ``error:``; a kubectl that another program wraps logs it in quotes of Go.
    """
    found = re.search(r"^error: (.*)", text, re.IGNORECASE | re.MULTILINE | re.DOTALL)
    if found is not None:
        return found[1].strip()
    found = re.search(r'"command failed" err="((?:[^"\\]|\\.)*)"', text)
    if found is None:
        return ""
    return found[1].replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\").strip()


def _limit(pid: int) -> None:
    """Bounds the memory and time of the processor of a process, where the system can."""
    try:
        import resource

        for kind, most in ((resource.RLIMIT_AS, _MOST_MEMORY), (resource.RLIMIT_CPU, 4 * int(_SECONDS))):
            _, hard = resource.prlimit(pid, kind)
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.prlimit(pid, kind, (most, most))
    except (ImportError, AttributeError, OSError, ValueError):
        pass  # the time that it may take holds everywhere
