"""The program as a child process under limits of CPU time and memory, without a shell of the test's own environment."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from tests.bad.forked import Forks

ROOT = Path(__file__).resolve().parents[2]

# Address space is an upper bound of resident memory; sh sets the limits, so that the child's size is its own.
_LIMITED = 'ulimit -t "$1" && ulimit -v "$2" && shift 2 && exec "$@"'

_READ_BY_PYTHON = ("PYTHON", "LANG", "LC_")

# What is endless would take any number of them; a slow machine needs more than one for what is bounded.
SECONDS = 3
MEGABYTES = 200


class Ended:
    """How a run ended: exit code (negative: a signal), standard output and standard error as text."""

    def __init__(self, code: int, out: bytes, err: bytes) -> None:
        self.code = code
        self.raw_out = out
        self.raw_err = err
        self.out = out.decode()
        self.err = err.decode()


def specgen(
    *words: str | bytes,
    cwd: Path = ROOT,
    stdin: bytes = b"",
    env: dict[str, str] | None = None,
    seconds: int = SECONDS,
    megabytes: int = MEGABYTES,
) -> Ended:
    """Runs ``specgen`` with these words. ``env`` is laid over an environment that holds only what Python needs. The
    process is forked from one that has loaded the modules, but where Python itself reads a variable as it starts."""
    variables = {**environment(), **(env or {})}
    if not any(name.startswith(_READ_BY_PYTHON) for name in env or ()):
        return _forked(words, variables, cwd, stdin, seconds, megabytes)
    done = subprocess.run(
        ["sh", "-c", _LIMITED, "sh", str(seconds), str(megabytes * 1024), *command(), *words],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        env=variables,
        timeout=120,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


@cache
def _forks() -> Forks:
    return Forks([sys.executable, "-m", "tests.bad.forked"], environment(), str(ROOT))


def _forked(
    words: tuple[str | bytes, ...], env: dict[str, str], cwd: Path, stdin: bytes, seconds: int, megabytes: int
) -> Ended:
    request: dict[str, Any] = {"words": [os.fsdecode(word) for word in words], "cwd": os.path.abspath(cwd), "env": env}
    request |= {"seconds": seconds, "bytes": megabytes << 20}
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        code = _forks().run(request, [given.fileno(), out.fileno(), err.fileno()])
        out.seek(0)
        err.seek(0)
        return Ended(code, out.read(), err.read())


def command() -> list[str]:
    """The words in front of the verb."""
    return [sys.executable, "-m", "specgen"]


def environment() -> dict[str, str]:
    """PATH and the checkout; everything else that could sway a run is absent."""
    return {"PATH": os.environ.get("PATH", ""), "PYTHONPATH": str(ROOT)}


def controls(raw: bytes) -> list[int]:
    """The control characters in an output, line ends aside."""
    text = raw.decode()
    return [ord(sign) for sign in text if (ord(sign) < 32 and sign != "\n") or 0x7F <= ord(sign) < 0xA0]
