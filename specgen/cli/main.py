"""Arguments, dispatch, exit codes. Nothing here prints a traceback at a user."""

from __future__ import annotations

import sys

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn

VERBS = (
    "build",
    "lint",
    "fix",
    "expand",
    "diff",
    "fit",
    "preflight",
    "explain",
    "images",
    "operators",
    "gitops",
    "krm",
    "ci",
    "cmp",
    "run",
    "schema",
    "init",
    "cluster",
    "apply",
    "completion",
)

_ABOUT = """\
specgen compiles typed job profiles to the manifests of distributed training on Kubernetes,
checks manifests that were written by hand, and says what the operators make of either.

I have a training script:
  specgen init > job.yaml               a commented profile that builds as it is
  specgen init job --target TrainJob --pods 4 --gpu 8
                                        the profile of another job, for any kind, framework and starter
  specgen explain mounts                what a word takes and becomes; also kinds, variables, codes
  specgen build job.yaml                the manifest, checked, on standard output: | kubectl apply -f -
  specgen expand job.yaml               the pods, ranks, and environment that the operator will make
  specgen run job.yaml --pods 2         the same processes on this machine

I have YAML:
  specgen lint manifests/               what is wrong with manifests, with file, line, and column
  specgen fix manifests/                puts right what one edit can, proven before it is written

I have a repository:
  specgen build profiles/ --out out/    a folder for each job, ready for kustomize, Argo CD and Flux
  specgen diff HEAD~1:profiles profiles what changed of jobs, and what the update does to one that runs
  specgen ci github                     a workflow that checks every change
  specgen gitops argocd                 health checks of jobs for Argo CD, or Flux
  specgen cmp plugin                    a plugin of Argo CD that builds job profiles

I run the cluster:
  specgen cluster capture               a cluster profile of a live cluster, or of what kubectl printed
  specgen operators cluster.yaml        what installs the operators of a cluster, with kustomize or Helm
  specgen fit job.yaml                  whether it will be placed, where, and which sum forbids it
  specgen preflight job.yaml            its twin that tries the nodes, pair by pair, before it
  specgen images job.yaml               every image that its pods pull, and which mirror rewrote it
  specgen apply --dry-run=server job.yaml
                                        what a cluster would say of the job, at the profile's lines
"""


# Little here lies in a cycle, and to look for it at the default thresholds costs a batch a fifth of its time.
COLLECT = (100_000, 20, 100)


def run() -> None:
    """The console script."""
    import os

    try:
        code = _ran()
    except KeyboardInterrupt:
        # it came while the program began or ended
        code = exits.INTERRUPTED
    # nothing is left to clean up, and the interpreter's own end costs as much as building a profile
    os._exit(code)


def _ran() -> int:
    """``main``, with libyaml alone instead of all of PyYAML, and its exit code once all is written."""
    import gc
    import os

    from specgen import modules

    modules.lean()
    from specgen.document import libyaml

    libyaml.lean()
    gc.set_threshold(*COLLECT)
    _streams()
    if "_ARGCOMPLETE" in os.environ:
        from specgen.cli.completion import answer

        answer(_parser([]))
    code = main()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = exits.BAD
    except OSError as error:
        code = _unwritten(error)
    try:
        sys.stderr.flush()
    except OSError:
        pass  # nobody is there who could be told
    return code


def complete() -> None:
    """The console script ``kubectl_complete-specgen``, which kubectl asks what may follow its words."""
    from specgen.cli.completion import kubectl

    kubectl(_parser([]), sys.argv[1:])


def _streams() -> None:
    """Both streams take every character, whatever the locale. Standard error swallows what it is given where it is
    closed; standard output fails as on a full disk, since an answer that is lost must not look like one that was given.
    """
    import os

    for name, errors in (("stdout", "strict"), ("stderr", "backslashreplace")):
        stream: Any = getattr(sys, name)
        if stream is None:
            handle = os.open(os.devnull, os.O_RDONLY if name == "stdout" else os.O_WRONLY)
            setattr(sys, name, open(handle, "w", encoding="utf-8"))  # noqa: SIM115 (it stays open to the end)
        elif stream.encoding.lower() != "utf-8":
            stream.reconfigure(encoding="utf-8", errors=errors)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command line and returns its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _dispatch(words)
    except KeyboardInterrupt:
        if sys.stderr.isatty():
            sys.stderr.write("\n")  # what comes next begins a line of its own
        return exits.INTERRUPTED
    except BrokenPipeError:
        _silence()
        return exits.BAD
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else exits.QUESTION
    except OSError as error:
        # files are opened in one place, which names them; what is left without a name is a stream, or the way to all
        if isinstance(error, FileNotFoundError) and error.filename is None:
            # only what the system says has a number: the installation may lack a file
            sys.stderr.write(f"specgen: {'the folder that it runs in is gone' if error.errno else error}\n")
            return exits.QUESTION
        return _unwritten(error) if error.filename is None else _bug(error)
    except Exception as error:
        return _bug(error)


def _dispatch(words: list[str]) -> int:
    if words == ["--version"]:
        from specgen.version import __version__

        sys.stdout.write(f"specgen {__version__}\n")
        return exits.GOOD
    from specgen.cli.terminal import Terminal
    from specgen.diagnostics.model import BadQuestion

    try:
        # the most frequent calls by far do without argparse, which costs as much as the compiler
        plain = len(words) > 1 and not any(word.startswith("-") and word != "-" for word in words)
        if plain and words[0] in ("build", "lint"):
            if words[0] == "build":
                from specgen.cli.build import build

                return build(words[1:], Terminal())
            from specgen.cli.lint import lint

            return lint(words[1:], Terminal())
        return _parsed(words)
    except BadQuestion as error:
        Terminal().say(f"specgen: {error}")
        if error.help is not None:
            Terminal().say(f"  = help: {error.help}")
        return exits.QUESTION


def _parsed(words: list[str]) -> int:
    if not words:
        sys.stdout.write(_ABOUT + "\n`specgen help` lists all commands, `specgen help COMMAND` says how one is used\n")
        return exits.QUESTION
    if words[0] == "help":
        return _tour(words[1:])
    if words[0] not in VERBS and not words[0].startswith("-"):
        return _unknown(words[0], words[1:])
    parser = _parser(words)
    command: list[str] = []
    if words[0] == "init" and "--" in words:
        # what stands behind is nothing of this program
        cut = words.index("--")
        words, command = words[:cut], words[cut + 1 :]
    if words[0] in VERBS and "--" not in words:
        # files and options in any order: argparse by itself takes no positional after the first option, and in any
        # order it knows no `--`
        options = parser.verbs.choices[words[0]].parse_intermixed_args(words[1:])
    else:
        options = parser.parse_args(words)
    if not hasattr(options, "run"):
        parser.print_usage(sys.stderr)
        return exits.QUESTION
    from specgen.cli.terminal import Terminal

    if words[0] == "init":
        options.command = command
    terminal = Terminal(format=getattr(options, "format", None), quiet=getattr(options, "quiet", False))
    return int(options.run(options, terminal))


def _parser(words: list[str]) -> Any:
    """The parser for a command line: of its verb, and of all verbs where it names none; ``verbs``: their parsers."""
    from argparse import ArgumentParser, RawDescriptionHelpFormatter

    from specgen.modules import import_module

    class Parser(ArgumentParser):
        """Quotes what it refuses in a form that is safe to print."""

        verbs: Any

        def error(self, message: str) -> NoReturn:
            from specgen.cli.meant import option
            from specgen.diagnostics.safe import printable

            super().error(printable(message) + option(message, self, words))

        def _print_message(self, message: str, file: Any = None) -> None:
            """argparse's own takes a full disk for a page that was printed."""
            if file is sys.stdout:
                file.write(message)
            else:
                super()._print_message(message, file)

    class Formatter(RawDescriptionHelpFormatter):
        """Leaves room for the longest verb: argparse counts the options alone, and would break its line."""

        def __init__(self, prog: str) -> None:
            super().__init__(prog)
            self._action_max_length = max(len(verb) for verb in VERBS) + self._indent_increment * 2

    parser = Parser(
        # kubectl takes the program for its own command `specgen`
        "kubectl specgen" if sys.argv[0].rpartition("/")[2] == "kubectl-specgen" else "specgen",
        description=_ABOUT,
        epilog=exits.HELP,
        formatter_class=Formatter,
        allow_abbrev=False,
    )
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
                epilog=_examples(module) + exits.HELP,
                formatter_class=RawDescriptionHelpFormatter,
                allow_abbrev=False,
            )
            module.add(one)
            one.set_defaults(run=module.run)
    parser.verbs = verbs
    return parser


def _examples(module: Any) -> str:
    """Command lines of a verb, each with what it does."""
    examples = getattr(module, "EXAMPLES", ())
    wide = max([len(command) for command, _ in examples], default=0)
    lines = "".join(f"  {command:<{wide}}  {what}\n" for command, what in examples)
    return f"examples:\n{lines}\n" if lines else ""


def _tour(words: list[str]) -> int:
    """``specgen help``: the tour; with a verb, its own page."""
    if not words:
        _parser([]).print_help()
        return exits.GOOD
    return _dispatch([words[0], "--help"]) if words[0] in VERBS else _unknown(words[0])


def _unknown(word: str, behind: Sequence[str] = ()) -> int:
    from specgen.cli.meant import verb
    from specgen.cli.terminal import Terminal

    return verb(word, VERBS, Terminal(), behind)


def _unwritten(error: OSError) -> int:
    """Standard output on a full disk, say."""
    _silence()
    sys.stderr.write(f"specgen: standard output: {(error.strerror or 'it cannot be written').lower()}\n")
    return exits.QUESTION


def _silence() -> None:
    import os

    # whoever read the pipe is gone: what is still buffered must not raise at exit
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _bug(error: BaseException) -> int:
    """SG900 of no file: one line, with the place in specgen, and a request to report it."""
    from specgen.diagnostics.catalog import HELP, failed

    sys.stderr.write(f"error[SG900]: {failed(error)}\n  = help: {HELP}\n")
    return exits.BUG
