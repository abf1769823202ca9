"""The one variant that a command line asks for, and the files that lack it."""

from __future__ import annotations

from specgen.diagnostics.suggest import hint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Asked:
    """A variant by name, empty for the job itself, and what was met of it."""

    __slots__ = ("_known", "variant")

    def __init__(self, variant: str) -> None:
        self.variant = variant
        # file → the names of its jobs, empty for the job itself
        self._known: dict[str, list[str]] = {}

    def take(self, file: str, names: list[str]) -> None:
        """Takes a profile with the names of its jobs."""
        self._known[file] = names

    def missing(self, files: Sequence[str]) -> list[str]:
        """A sentence for each of the files that lacks it; other ones, met in folders, may lack it unless all do."""
        sources = [(file, "<stdin>" if file == "-" else file) for file in files]
        named = [(file, self._known[source]) for file, source in sources if source in self._known]
        found = [f"{file}: {self._without('it', names)}" for file, names in named if self.variant not in names]
        every = list(dict.fromkeys(name for names in self._known.values() for name in names))
        if not found and self._known and self.variant not in every:
            found.append(self._without("none of these profiles", every))
        return found

    def _without(self, who: str, names: list[str]) -> str:
        has = "has no" if who == "it" else "has a"
        variants = [name for name in names if name]
        if not variants:
            return f"{who} {has.removesuffix(' a')} variants"
        if not self.variant:
            return f"{who} {has} job without a variant: `variantsOnly` is true"
        help = hint(self.variant, variants, "variant")
        return f"{who} {has} variant `{self.variant}`" + (f"; {help}" if help else "")
