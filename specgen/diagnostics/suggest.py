"""Similar names: what the person who mistyped a word probably meant.

Damerau-Levenshtein distance (optimal string alignment), with case, ``-``, ``_`` and camel-case humps ignored;
accepted at a distance of at most max(1, a third of the length).

A text may hold any number of strange names beside any number of known ones: where several are looked up, ``Names`` does
it for the first of them alone.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


# Strange names of one place for which near ones are looked up: no more are printed of a file.
MOST_HELPED = 50
# Known names that are compared with each.
_MOST_COMPARED = 2000
# The longest name that is compared.
_LONGEST = 80


def _folded(name: str) -> str:
    return name.replace("-", "").replace("_", "").lower()


def distance(a: str, b: str, most: int = 10**9) -> int:
    """Insertions, deletions, substitutions and swaps of neighbours that turn ``a`` into ``b``.

    Above ``most`` it is any number that is. A file may hold thousands of strange names, and most are far from all.
    """
    alike = 0
    while alike < min(len(a), len(b)) and a[alike] == b[alike]:
        alike += 1
    a, b = a[alike:], b[alike:]
    while a and b and a[-1] == b[-1]:
        a, b = a[:-1], b[:-1]
    # a letter that one has more often than the other costs an edit of its own
    more = sum([max(a.count(sign) - b.count(sign), 0) for sign in set(a)])
    if max(more, more + len(b) - len(a)) > most:
        return most + 1
    before: list[int] = []
    last = list(range(len(b) + 1))
    least = 0
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            cost = min(row[j - 1] + 1, last[j] + 1, last[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        # what follows is worked out from these two rows
        above, least = least, min(row)
        if least > most and above >= most:
            return most + 1
        before, last = last, row
    return last[-1]


class Names:
    """The known names of one place, such as the volumes of a pod, of which near ones are looked up for others.

    The first 50 of those get an answer; for the rest there is none, as if nothing were near.
    """

    __slots__ = ("_asked", "_known")

    def __init__(self, known: Iterable[str]) -> None:
        self._known = list(known)
        self._asked = 0

    def similar(self, name: str) -> list[str]:
        """As the function of that name."""
        self._asked += 1
        return similar(name, self._known) if self._asked <= MOST_HELPED else []

    def hint(self, name: str, noun: str) -> str | None:
        """As the function of that name."""
        return self.both(name, noun)[1]

    def both(self, name: str, noun: str) -> tuple[list[str], str | None]:
        """As both of these functions, and one look."""
        self._asked += 1
        if self._asked > MOST_HELPED:
            return [], None
        near = similar(name, self._known)
        return near, _told(near, self._known, noun)


def _is_numbered(one: str, other: str) -> bool:
    """Whether names differ in digits alone, as `run1` and `run2` do: each is a thing of its own, and none mistyped."""
    return one != other and any(map(str.isdigit, one)) and _letters(one) == _letters(other) != ""


def _letters(name: str) -> str:
    return "".join([sign for sign in name if not sign.isdigit()])


def similar(name: str, known: Iterable[str]) -> list[str]:
    """Up to four known names near ``name``, nearest first, equals in the order of ``known``.

    Of the known ones the first two thousand are compared.
    """
    folded = _folded(name)
    if not folded or len(folded) > _LONGEST:
        return []
    limit = max(1, len(folded) // 3)
    ranked = []
    for order, candidate in enumerate(known):
        if order == _MOST_COMPARED:
            break
        other = _folded(candidate)
        if abs(len(other) - len(folded)) > limit:
            continue
        near = distance(folded, other, limit)
        if near <= limit:
            ranked.append((near, order, candidate))
            # names further from it than the nearest one and the next are left out below
            limit = min(limit, near + 1)
    ranked.sort()
    if ranked:
        best = ranked[0][0]
        ranked = [entry for entry in ranked if entry[0] <= best + 1]
    return [candidate for _, _, candidate in ranked[:4]]


def of_objects(name: str, known: Iterable[str]) -> list[str]:
    """As ``similar``, of names of objects: `run1` and `run2` are two of them, and neither is the other mistyped."""
    return [one for one in similar(name, known) if not _is_numbered(name, one)]


def _worded(name: str, known: list[str]) -> list[str]:
    """The known names of which all the words of a name are, or whose own are all in it, with the fewest words beside.

    ``nodes`` is of ``numNodes``, and less so of ``resourcesPerNode``.
    """
    words = _words(name) if len(name) <= _LONGEST else set()
    found: dict[int, list[str]] = {}
    for one in known[:_MOST_COMPARED] if words else ():
        own = _words(one)
        if own and (words <= own or own <= words):
            found.setdefault(len(words ^ own), []).append(one)
    return found[min(found)][:4] if found else []


def _words(name: str) -> set[str]:
    """The words of a camel-case name, without the end of a plural."""
    spaced = "".join(f" {sign.lower()}" if sign.isupper() else sign for sign in name)
    return {word.removesuffix("s") for word in spaced.replace("-", " ").replace("_", " ").split()}


def hint(name: str, known: Iterable[str], noun: str = "field") -> str | None:
    """The help line for a mistyped name: similar names, else all if they are at most eight, else nothing."""
    names = list(known)
    return _told(similar(name, names) or _worded(name, names), names, noun)


def _told(near: list[str], names: list[str], noun: str) -> str | None:
    from specgen.diagnostics.model import article, listed, many

    if len(near) == 1:
        return f"there is {article(noun)} with a similar name: `{near[0]}`"
    if near:
        return f"{many(noun)} with a similar name: {listed(near)}"
    if 0 < len(names) <= 8:
        return f"the {many(noun)} here are {listed(names, most=8)}"
    return None
