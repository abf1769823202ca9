"""The program as a forked process: one that has loaded the modules, and read nothing, is forked for each run.

A cold start costs twice what most runs cost. A run has its own folder, environment, streams and limits here too; what
it loads in which order, and what it does with the variables that Python itself reads, a process of its own must show.
Requests are lines of JSON on a socket with file descriptors for the three streams; an answer is the exit code.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import socket
import sys
from typing import Any

# What loads nearly all that is ever loaded.
_JOB = "profiles/jobs/allreduce-resnet50.yaml"
_MANIFEST = "out/training.llama-pretrain-v2-small"
WARM = (
    *(["build", _JOB], ["lint", _MANIFEST], ["fix", "--diff", _MANIFEST], ["explain", "mounts"], ["expand", _JOB]),
    *(["fit", _JOB], ["init"], ["diff", _JOB, _JOB], ["images", _MANIFEST]),
)


class Forks:
    """The process that is forked, from the side of those who ask."""

    def __init__(self, command: list[str], env: dict[str, str], cwd: str) -> None:
        import subprocess

        self.socket, theirs = socket.socketpair()
        with theirs:
            words = [*command, str(theirs.fileno())]
            self.process = subprocess.Popen(words, env=env, cwd=cwd, pass_fds=[theirs.fileno()])
        self.socket.settimeout(120)

    def run(self, request: dict[str, Any], streams: list[int]) -> int:
        """The exit code of a run; negative: a signal."""
        line = json.dumps(request).encode() + b"\n"
        sent = socket.send_fds(self.socket, [line], streams)
        self.socket.sendall(line[sent:])
        answer = b""
        while not answer.endswith(b"\n"):
            more = self.socket.recv(64)
            assert more, "the process that is forked has ended"
            answer += more
        return int(answer)


def _modules(words: list[str]) -> list[str]:
    """The modules of specgen that a run loads, in their order."""
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        from specgen.cli.main import main

        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(quiet, stream)
        try:
            main(words)
        finally:
            os.write(theirs, "\n".join(name for name in sys.modules if name.startswith("specgen")).encode())
            os._exit(0)
    os.close(theirs)
    with open(ours, encoding="utf-8") as names:
        found = names.read().split("\n")
    os.waitpid(child, 0)
    return found


def _ran(request: dict[str, Any], streams: list[int]) -> None:
    """What a child does; it never returns."""
    code = 1
    try:
        for stream, theirs in enumerate(streams):
            os.dup2(theirs, stream)
            os.close(theirs)
        os.chdir(request["cwd"])
        os.environ.clear()
        os.environ.update(request["env"])
        sys.path[0] = os.getcwd()
        sys.argv[1:] = request["words"]
        for limit, most in ((resource.RLIMIT_CPU, request["seconds"]), (resource.RLIMIT_AS, request["bytes"])):
            resource.setrlimit(limit, (most, most))
        from specgen.cli.main import run

        run()
    except BaseException:
        sys.excepthook(*sys.exc_info())
        sys.stderr.flush()
    finally:
        os._exit(code)


def serve(asked: socket.socket) -> None:
    """Answers until nobody asks any more."""
    from specgen import modules
    from specgen.document import libyaml

    modules.lean()
    libyaml.lean()
    for words in WARM:
        for name in _modules(words):
            __import__(name)
    libyaml.parser()
    gc.collect()
    gc.freeze()
    while True:
        line, streams, _, _ = socket.recv_fds(asked, 1 << 16, 3)
        if not line:
            return
        while not line.endswith(b"\n"):
            line += asked.recv(1 << 16)
        child = os.fork()
        if not child:
            asked.close()
            _ran(json.loads(line), list(streams))
        for stream in streams:
            os.close(stream)
        _, status = os.waitpid(child, 0)
        asked.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv.pop())))
