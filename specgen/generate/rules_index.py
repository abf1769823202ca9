"""What is made from the rules: an index of all codes for people, and a table of what each is for, for a quick start."""

from __future__ import annotations

from typing import Any

from specgen import rules
from specgen.cli.explain import codes
from specgen.diagnostics.model import holds
from specgen.diagnostics.pages import severities
from specgen.generate.kinds_index import roled
from specgen.operators.index import KINDS

PATH = "specgen/rules/README.md"
CODES = "specgen/diagnostics/_index.py"
TABLE = "specgen/rules/_index.py"

_INTRODUCTION = """\
# What specgen checks

Written by `python -m specgen.generate`; the pages live with the codes.

specgen looks for mistakes: what the cluster refuses, what the job cannot do as written, what makes it slow or lets it
hang. It refuses to check

- style: the order of keys, quotes that change nothing, names that somebody dislikes, comments;
- taste: how many replicas are many, which image, which framework, which learning rate;
- what it cannot know: whether an image holds a file, whether a cluster is there, whether a user may create a job.
  Where that decides, the finding is a warning and says what it depends on;
- what another check already says: a slip is one finding, not one for each rule that it breaks.

An error needs certainty: it says who refuses the object, or what certainly breaks. A warning says what it depends on.
Where one code has several severities, each has its reason; a configuration may raise them, and lower some.

A rule that cried wolf on a job that runs well is a bug of the rule. `specgen explain CODE` prints the page of a code.

Codes that are marked `opt-in` are advice that one team follows and another does not. Nobody looks for them before they
are selected: `specgen lint --select default,policy`, or one of them by its code.
"""

_TABLE = "| Code | Name | What is wrong | Severity, and why |\n| --- | --- | --- | --- |\n"
_STAGES = {
    "0": "Text and YAML",
    "1": "Shape",
    "2": "Sums, references and parameters",
    "3": "Contract with the operator",
    "4": "The pod at run time",
    "5": "Communication",
    "6": "Scheduling",
    "7": "What a tree is applied by",
    "8": "This machine, and the output tree",
    "9": "specgen itself",
}


def generate() -> dict[str, str]:
    """Path relative to the repository root → text."""
    chosen = {rules.load(name).CODE.id for name in rules.names() if name.startswith(rules.POLICY)}
    text = _INTRODUCTION
    stage = ""
    for code in codes().values():
        if code.id[2] != stage:
            stage = code.id[2]
            text += f"\n## SG{stage}xx: {_STAGES[stage]}\n\n" + _TABLE
        title = code.page.partition("\n")[0]
        opt_in = ", opt-in" if code.id in chosen else ""
        why = "<br>".join(f"{one}{opt_in}: {_cell(reason)}" for one, reason in severities(code.page).items())
        text += f"| {code.id} | `{code.slug}` | {_cell(title)} | {why} |\n"
    return {PATH: text, TABLE: _table(), CODES: _codes(chosen)}


def _cell(sentence: str) -> str:
    return sentence.removesuffix(".").replace("|", "\\|")


def _codes(chosen: set[str]) -> str:
    text = '"""Code → its slug, its severity, its group where nobody looks for it unasked, '
    text += "whether its errors hold whatever else."
    text += "\n\nWritten by ``python -m specgen.generate`` from the codes themselves.\n"
    text += '"""\n\nfrom __future__ import annotations\n\n'
    text += "CODES: dict[str, tuple[str, str, str, bool]] = {\n"
    for code in codes().values():
        group = "policy" if code.id in chosen else ""
        text += f'    "{code.id}": ("{code.slug}", "{code.severity}", "{group}", {holds(code)}),\n'
    return text + "}\n"


def _table() -> str:
    text = '"""Rule → kinds that it is for, none for all; causes and fields without which it is not asked.'
    text += "\n\nWritten by ``python -m specgen.generate`` from the rules themselves.\n"
    text += '"""\n\nfrom __future__ import annotations\n\n'
    text += "RULES: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {\n"
    for name in rules.names():
        text += f'    "{name}": ({", ".join(_words(words) for words in registered(name, rules.load(name)))}),\n'
    text += "}\n\n# Rules that somebody must ask for → their codes.\nOPT_IN: dict[str, str] = {\n"
    for name in rules.names():
        if name.startswith(rules.POLICY):
            text += f'    "{name}": "{rules.load(name).CODE.id}",\n'
    return text + "}\n"


def registered(name: str, rule: Any) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """What the table says of a rule: (kinds, causes, needs). ValueError says what one lacks that is not whole."""
    file = f"specgen/rules/{name}.py"
    for word in ("CODE", "SCOPE", "KINDS", "check"):
        if not hasattr(rule, word):
            raise ValueError(f"{file} has no `{word}`: `specgen.rules` says what a rule is")
    kinds = tuple(roled()) if rule.KINDS == rules.ROLED else rule.KINDS
    unknown = [kind for kind in kinds if kind not in {kind for _, kind in KINDS}]
    if unknown and rule.SCOPE not in (rules.BESIDE, rules.OBJECT):
        raise ValueError(f"{file}: `KINDS` names `{unknown[0]}`, which no operator here reads")
    scopes = (rules.WORKLOAD, rules.ROLE, rules.CONTAINER, rules.REFUSED, rules.BESIDE, rules.OBJECT)
    if rule.SCOPE not in scopes:
        raise ValueError(f"{file}: `SCOPE` is none of those in `specgen.rules`")
    if (rule.SCOPE == rules.OBJECT) != (rule.KINDS == rules.EVERY):
        raise ValueError(f"{file}: a rule about an `OBJECT` is for `EVERY` kind, and no other is")
    if rule.SCOPE == rules.REFUSED and not hasattr(rule, "CAUSES"):
        raise ValueError(f"{file} looks at what is REFUSED and does not say for which `CAUSES`")
    return kinds, rule.CAUSES if rule.SCOPE == rules.REFUSED else (), getattr(rule, "NEEDS", ())


def _words(words: tuple[str, ...]) -> str:
    quoted = ", ".join(f'"{word}"' for word in words)
    return f"({quoted},)" if len(words) == 1 else f"({quoted})"
