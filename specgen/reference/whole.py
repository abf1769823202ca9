"""Everything on one page: words of jobs and of clusters, kinds, variables, names of elsewhere, and codes."""

from __future__ import annotations

from specgen import nccl
from specgen.diagnostics.model import listed
from specgen.diagnostics.selection import opt_in
from specgen.reference.around import pages as pages_around
from specgen.reference.becoming import Compiler
from specgen.reference.exit_codes import exit_codes_page
from specgen.reference.find import elsewhere
from specgen.reference.kinds import kind_page, kinds
from specgen.reference.log_lines import LOG_LINES
from specgen.reference.page import Page, markdown
from specgen.reference.pages import page, title
from specgen.reference.spoken import spoken
from specgen.reference.torch_variables import TORCH_VARIABLES, torch_page
from specgen.reference.variables import nccl_page, operator_variables, variable_page
from specgen.reference.words import CLUSTER, JOB, words
from specgen.schema.topics import CHOSEN, TOPICS
from specgen.schema.wording import PROFILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Code

HEAD = """What a profile can say, and what becomes of it. `specgen explain WORD` prints one of these pages.

What a word becomes was read off its example, compiled with the word and without it for each kind; paths that begin
with `pod:` are those of every pod that trains.
"""


def chapters(codes: dict[str, Code]) -> list[tuple[str, list[Page]]]:
    """(heading, pages) of all that there is to look up."""
    compiler = Compiler()
    said = spoken(codes.values())
    by_profile = {
        profile: [page(word, compiler, said) for word in words() if word.profile == profile]
        for profile in (JOB, CLUSTER)
    }
    variables = operator_variables(compiler)
    return [
        ("Words of job and base profiles", by_profile[JOB]),
        ("Words of cluster profiles", by_profile[CLUSTER]),
        ("Names of elsewhere", [_elsewhere(), _topics()]),
        ("Around profiles", pages_around()),
        ("Kinds", [kind_page(name, compiler) for name in kinds()]),
        ("The trainer", [exit_codes_page(compiler)]),
        ("Variables of operators", [variable_page(name, values) for name, values in variables.items()]),
        ("Variables of NCCL", [nccl_page(name) for name in sorted(nccl.VARIABLES)]),
        ("Variables of PyTorch", [torch_page(name) for name in TORCH_VARIABLES]),
        ("Lines of logs", [_log_lines()]),
        ("Codes", [_codes(codes)]),
    ]


def _elsewhere() -> Page:
    found = Page(
        "nodeSelector, replicas, …", "other projects' names", "What Kubernetes and other tools call by another name."
    )
    found.add("Names", [f"`{name}`: {elsewhere(name)[1]}" for name in sorted({*PROFILE.aliases, *PROFILE.patched})])
    return found


def _topics() -> Page:
    found = Page(
        "wandb, checkpoint, …", "what people look for", "What is no word of any language, and the words for it."
    )
    by_words: dict[str, list[str]] = {}
    for name, said in TOPICS.items():
        by_words.setdefault(listed(said), []).append(name)
    rows = [f"{said}: {', '.join(sorted(names))}" for said, names in by_words.items()]
    found.add("Names", rows, [f"{name}: {what}" for name, (_, what) in sorted(CHOSEN.items())])
    return found


def _log_lines() -> Page:
    found = Page(
        "ibv_reg_mr failed, …",
        "lines of logs and events",
        "`specgen explain` takes such a line, in quotes, and says what to do next.",
    )
    lines = [
        f"`{one.forms[0]}`: {one.meaning} See {', '.join(f'`{name}`' for name in one.pages)}." for one in LOG_LINES
    ]
    found.add("Lines", lines)
    return found


def _codes(codes: dict[str, Code]) -> Page:
    found = Page("SG…", "codes of findings", "`specgen explain CODE` prints the page of one.")
    marked = {code.id: " (opt-in)" if opt_in(code.id) else "" for code in codes.values()}
    found.add("Codes", [f"`{code.id}` {code.slug}{marked[code.id]}: {title(code)}" for code in codes.values()])
    return found


def whole(codes: dict[str, Code]) -> str:
    """All of it as Markdown."""
    parts = [f"# specgen: reference\n\n{HEAD}"]
    for heading, pages in chapters(codes):
        parts.append(f"## {heading}\n")
        parts += [markdown(one) for one in pages]
    return "\n".join(parts)
