"""Words that name codes: a code, the beginning of some, a name, a group."""

from __future__ import annotations

from specgen.diagnostics._index import CODES
from specgen.diagnostics.model import BadQuestion

# Codes that are looked for unasked, and those that are not: advice that one team follows and another does not.
DEFAULT = "default"
POLICY = "policy"
GROUPS = (DEFAULT, POLICY)


def opt_in(code: str) -> bool:
    """Whether nobody looks for a code unasked."""
    return code in CODES and CODES[code][2] != ""


def codes_of(word: str) -> list[str]:
    """The codes that a word names, in order. Raises BadQuestion where it names none."""
    if word in GROUPS:
        return [code for code in CODES if opt_in(code) == (word == POLICY)]
    if word.upper().startswith("SG"):
        found = [code for code in CODES if code.startswith(word.upper())]
    else:
        found = [code for code, (slug, _, _) in CODES.items() if slug == word]
    if not found:
        from specgen.diagnostics.suggest import hint

        names = [*GROUPS, *CODES, *(slug for slug, _, _ in CODES.values())]
        raise BadQuestion(f"no code is called `{word}`", hint(word, names, "code"))
    return found
