"""What is known of the images that upstream publishes for MPI: where sshd listens, and who finds the MPI in them.

Sources: kubeflow/mpi-operator v0.8.0, build/base/{Dockerfile,sshd_config,intel.Dockerfile,intel-entrypoint.sh} and
examples/v2beta1/pi; kubeflow/trainer v2.3.0, cmd/runtimes/{deepspeed,mlx}/Dockerfile, which copy the configurations of
ssh and sshd from `mpioperator/base`. A mirror keeps an image's name, so the registry in front of it says nothing.
"""

from __future__ import annotations

from specgen.operators.mpi.facts import KNOWN_PORT
from specgen.operators.release import at_least

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Both configurations of sshd in `mpioperator/base`, root's and mpiuser's, say it, and so does that of the client.
PORT = 2222
CONFIGS = (None, "/home/mpiuser/.sshd_config")
_OF_THE_BASE = (
    "mpioperator/base",
    "mpioperator/intel",
    "mpioperator/intel-builder",
    "mpioperator/mpich",
    "mpioperator/mpich-builder",
    "mpioperator/openmpi",
    "mpioperator/openmpi-builder",
)
_RUNTIMES = ("kubeflow/trainer/deepspeed-runtime", "kubeflow/trainer/mlx-runtime")
# One name for images of three implementations; older tags are of the time before ssh.
_PI, _PI_TAGS = "mpioperator/mpi-pi", ("intel", "mpich", "openmpi")


def sshd_port(image: str, config: str | None = None) -> tuple[int, str] | None:
    """(the port of sshd, the image's name as it is known); None where nobody here knows.

    ``config``: a configuration file that sshd is started with, None for its own.
    """
    name, tag = _parts(image)
    if config not in CONFIGS:
        return None
    for known in _OF_THE_BASE:
        if _is(name, known) and at_least(tag, KNOWN_PORT):
            return PORT, known
    for known in _RUNTIMES:
        if _is(name, known):
            return PORT, known
    if _is(name, _PI) and tag in _PI_TAGS:
        return PORT, f"{_PI}:{tag}"
    return None


def listens(image: str, words: Sequence[str]) -> tuple[int | None, str]:
    """(the port of a worker's sshd, who says so), from its command line and its image; None: nobody here knows.

    words: command and arguments; none where the operator starts `/usr/sbin/sshd -De`.
    """
    pieces = " ".join(words).replace("-oPort", "-o Port").split()
    starts = [at for at, piece in enumerate(pieces) if piece.rpartition("/")[2] == "sshd"]
    if words and not starts:
        return None, ""
    config = None
    behind = pieces[starts[-1] + 1 :] if starts else []
    for at, piece in enumerate(behind):
        value = behind[at + 1] if at + 1 < len(behind) else ""
        if piece == "-o" and value.lower().startswith("port="):
            piece, value = "-p", value[5:]
        if piece.startswith("-") and piece.endswith("p") and value.isascii() and value.isdigit():
            return int(value), f"`-p {value}`"
        if piece == "-f":
            config = value
    known = sshd_port(image, config)
    return (known[0], f"`{known[1]}`") if known is not None else (None, "")


def found_by_entrypoint(image: str) -> str:
    """The name of a known image whose programs of MPI nothing but its entrypoint puts on ``PATH``; empty for others."""
    name, tag = _parts(image)
    for known in ("mpioperator/intel", "mpioperator/intel-builder"):
        if _is(name, known):
            return known
    return f"{_PI}:intel" if _is(name, _PI) and tag == "intel" else ""


def _is(name: str, known: str) -> bool:
    return name == known or name.endswith(f"/{known}")


def _parts(image: str) -> tuple[str, str]:
    """(name with the registry, tag or empty): ``registry/name:tag@digest`` as the container runtimes read it."""
    name = image.partition("@")[0]
    head, colon, tag = name.rpartition(":")
    return (head, tag) if colon and "/" not in tag else (name, "")
