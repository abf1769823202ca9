"""Every code and its page. The modules that hold codes are handed in: this floor never looks up."""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, Code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

BUG = Code(
    "SG900",
    "specgen-failed",
    ERROR,
    since="0.1",
    page="""specgen itself failed.

## What it checks
Nothing in your files: an exception ended the work on a file or on the whole command, or a result of specgen's own did
not pass its checks. The other files are judged, and what is found in them is reported.

## Why it hurts
The answer that was asked for is missing, and the exit code is 3.

## Severity
- error: the answer is missing.

## Example
There is none: every input that leads here is a bug.

## Fix
Report it with the command line and, if they may be shown, the files.

## When to ignore it
Never.

## References
Exit codes: `specgen --help`.
""",
)


HELP = "this is a bug in specgen, please report it with the input that caused it"


def failed(error: BaseException) -> str:
    """What is said of an exception: the place in specgen where it arose, and its type."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = ""
    if trace is not None:
        name = trace.tb_frame.f_globals.get("__name__", "specgen")
        place = f" in {name}:{trace.tb_lineno}"
    return f"specgen failed{place}: {type(error).__name__}"


def catalog(groups: Iterable[Iterable[Code]]) -> dict[str, Code]:
    """Code → its constant, in order of the codes. Raises ValueError if two constants have one code or one slug."""
    found: dict[str, Code] = {}
    slugs: dict[str, str] = {}
    for code in sorted((code for group in groups for code in group), key=lambda one: one.id):
        if code.id in found or code.slug in slugs:
            raise ValueError(f"{code.id} {code.slug} is there twice")
        found[code.id] = code
        slugs[code.slug] = code.id
    return found
