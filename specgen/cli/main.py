"""Arguments, dispatch, exit codes. Nothing here prints a traceback at a user."""

from __future__ import annotations

import sys

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

VERBS = ("build", "lint", "explain", "schema", "init")

_ABOUT = """specgen compiles typed job profiles to the manifests of distributed training on Kubernetes,
checks manifests that were written by hand, and says what the operators make of either.

  specgen init > job.yaml               a commented profile that builds as it is
  specgen build job.yaml                the manifest, checked, on standard output
  specgen build profiles/ --out out/    a folder for each job, ready for kustomize, Argo CD and Flux
  specgen lint manifests/               what is wrong with manifests, with file, line, and column
  specgen expand job.yaml               the pods, ranks, and environment that the operator will make
  specgen explain SG111                 the page of a finding
"""


def run() -> None:
    """The console script: libyaml alone instead of all of PyYAML, then ``main``."""
    from specgen.document import libyaml

    libyaml.lean()
    code = main()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = exits.BAD
    # nothing is left to clean up, and the interpreter's own end costs as much as building a profile
    import os

    try:
        sys.stderr.flush()
    finally:
        os._exit(code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command line and returns its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _dispatch(words)
    except KeyboardInterrupt:
        return exits.INTERRUPTED
    except BrokenPipeError:
        _silence()
        return exits.BAD
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else exits.QUESTION
    except Exception as error:
        return _bug(error)


def _dispatch(words: list[str]) -> int:
    from specgen.cli.files import Unreadable
    from specgen.cli.terminal import Terminal

    try:
        # the most frequent call by far does without argparse, which costs as much as the compiler
        if len(words) > 1 and words[0] == "build" and not any(word.startswith("-") and word != "-" for word in words[1:]):
            from specgen.cli import build

            return build.build(words[1:], Terminal())
        return _parsed(words)
    except Unreadable as error:
        sys.stderr.write(f"specgen: {error}\n")
        return exits.QUESTION


def _parsed(words: list[str]) -> int:
    if not words:
        sys.stdout.write(_ABOUT + "\n`specgen --help` lists all commands\n")
        return exits.QUESTION
    if words == ["--version"]:
        from specgen import __version__

        sys.stdout.write(f"specgen {__version__}\n")
        return exits.GOOD
    from argparse import ArgumentParser, RawDescriptionHelpFormatter
    from importlib import import_module

    parser = ArgumentParser("specgen", description=_ABOUT, epilog=exits.HELP, formatter_class=RawDescriptionHelpFormatter, allow_abbrev=False)
    parser.add_argument("--version", action="store_true", help="print the version")
    verbs = parser.add_subparsers(dest="verb", metavar="COMMAND", title="commands")
    for verb in VERBS:
        # only the verb that is called is loaded; the others are known by their line of help
        if verb in words[:1] or not any(word in VERBS for word in words[:1]):
            module: Any = import_module(f"specgen.cli.{verb}")
            about = (module.__doc__ or "").strip()
            one = verbs.add_parser(
                verb,
                help=module.HELP,
                description=about,
                epilog=exits.HELP,
                formatter_class=RawDescriptionHelpFormatter,
                allow_abbrev=False,
            )
            module.add(one)
            one.set_defaults(run=module.run)
    options = parser.parse_args(words)
    if not hasattr(options, "run"):
        parser.print_usage(sys.stderr)
        return exits.QUESTION
    from specgen.cli.terminal import Terminal

    terminal = Terminal(format=getattr(options, "format", None), quiet=getattr(options, "quiet", False))
    return int(options.run(options, terminal))


def _silence() -> None:
    import os

    # whoever read the pipe is gone: what is still buffered must not raise at exit
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _bug(error: BaseException) -> int:
    """SG900: one line, with the place in specgen, and a request to report it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = ""
    if trace is not None:
        name = trace.tb_frame.f_globals.get("__name__", "specgen")
        place = f" in {name}:{trace.tb_lineno}"
    sys.stderr.write(f"error[SG900]: specgen failed{place}: {type(error).__name__}\n")
    sys.stderr.write("  = help: this is a bug in specgen, please report it with the input that caused it\n")
    return exits.BUG
