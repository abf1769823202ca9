"""Words that name codes: a code, the beginning of some, a name, a group."""

from __future__ import annotations

from specgen.diagnostics._index import CODES
from specgen.diagnostics.model import ERROR, BadQuestion

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
        found = [code for code, (slug, *_) in CODES.items() if slug == word]
    if not found:
        from specgen.diagnostics.suggest import hint

        names = [*GROUPS, *CODES, *(slug for slug, *_ in CODES.values())]
        groups = f"a group is `{DEFAULT}` or `{POLICY}`; else a code, its beginning such as `SG4`, or its name"
        raise BadQuestion(f"no code is called `{word}`", hint(word, names, "code") or groups)
    return found


def kept(code: str) -> bool:
    """Whether errors of a code stay errors: those of text and shape, and those whose pages say so."""
    return code[2] in "01" or CODES[code][3]


class Selection:
    """Which findings are reported, and how severe they are. An error is reported whatever is selected or ignored.

    ``select``: codes that are looked for, None: all but the opt-in ones. ``severities``: code → severity, which lowers
    no error that is ``kept``.
    """

    __slots__ = ("chosen", "ignore", "select", "severities")

    def __init__(
        self,
        select: frozenset[str] | None = None,
        ignore: frozenset[str] = frozenset(),
        severities: dict[str, str] | None = None,
    ) -> None:
        self.select = select
        self.ignore = ignore
        self.severities = severities or {}
        # opt-in codes that are looked for
        self.chosen = frozenset(code for code in select or () if opt_in(code))

    def severity(self, code: str, severity: str) -> str:
        """The severity of a finding that has one by itself."""
        if code not in self.severities or (severity == ERROR and kept(code)):
            return severity
        return self.severities[code]

    def looked_for(self, code: str) -> bool:
        """Whether anything would be reported of a code, were it found."""
        return code not in CODES or (code not in self.ignore and code in (self.select or self.chosen or CODES))

    def reports(self, code: str, severity: str) -> bool:
        """Whether a finding is reported."""
        if severity == ERROR or code not in CODES:
            return True
        return code not in self.ignore and (self.select is None or code in self.select)
