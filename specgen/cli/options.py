"""Options that several verbs share."""

from __future__ import annotations

from specgen.cli.files import MIB_OF_A_RUN
from specgen.diagnostics.render import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser


def common(parser: ArgumentParser) -> None:
    """``--format`` and ``--quiet``."""
    parser.add_argument(
        "--format", choices=names(), help="form of the diagnostics; human on a terminal, concise in a pipe"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="say nothing where nothing is wrong")


def max_input(parser: ArgumentParser, mib: int = MIB_OF_A_RUN) -> None:
    """``--max-input``; ``mib``: its default."""
    each = ", and 5 of a file; with more, a file may have all of it" if mib == MIB_OF_A_RUN else ""
    parser.add_argument(
        "--max-input",
        type=_mib,
        default=mib,
        metavar="MIB",
        help=f"how much is read in one run, by default {mib} MiB{each}",
    )


def jobs(parser: ArgumentParser) -> None:
    """``--jobs``."""
    parser.add_argument("--jobs", metavar="N", type=_processes, default=1, help="processes that work at once")


def cluster_access(parser: ArgumentParser) -> None:
    """``--kubeconfig`` and ``--context``."""
    parser.add_argument("--kubeconfig", metavar="FILE", help="kubectl's configuration, in place of KUBECONFIG")
    parser.add_argument("--context", metavar="NAME", help="the context of that configuration, in place of its own")


def _mib(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text[:9]) <= 1_000_000 and len(text) < 8):
        from argparse import ArgumentTypeError

        raise ArgumentTypeError(f"`{text}` is no number of MiB")
    return int(text)


def _processes(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 5 and 0 < int(text) <= 1024):
        from argparse import ArgumentTypeError

        raise ArgumentTypeError(f"`{text}` is no number of processes")
    return int(text)


def variant(parser: ArgumentParser) -> None:
    """``--variant``."""
    parser.add_argument(
        "--variant", metavar="NAME", help="one variant alone, of profiles that have it; '' for the job itself"
    )


def profiles(parser: ArgumentParser) -> None:
    """``--set``, ``--variant``, ``--max-input``, and ``--cluster``."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="PATH=VALUE",
        help="set a field of the job, such as pods=8 or env.NCCL_DEBUG=WARN",
    )
    variant(parser)
    max_input(parser)
    parser.add_argument(
        "--cluster", metavar="FILE", help="the cluster profile, in place of the one that the job profile names"
    )
