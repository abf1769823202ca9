"""``variants`` and ``matrix``: the jobs that one profile comes to besides its own.

They are collected through ``extends``, weakest first, as everything else: a base's variant is a job of each profile
that extends it, one of the same name is laid over it, and null leaves it out. What a job says of variants stays with
it when another profile extends that job, as its name does.

Each choice of one value of every axis of ``matrix`` is a variant, whose name are the values in the order of the axes,
with dashes. An entry of ``variants`` by such a name is laid over that choice; null leaves it out. So a name depends on
the profile and its bases alone.
"""

from __future__ import annotations

import re

from specgen.diagnostics.model import KEY, NOTE, VALUE, Place
from specgen.diagnostics.suggest import Names
from specgen.document.codes import LIMIT
from specgen.document.read import MOST_CHARACTERS, MOST_NODES
from specgen.profile import codes
from specgen.profile.layers import Written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.document.tree import Document
    from specgen.profile.layers import Layers
    from specgen.source import Path

# Variants of one profile.
MOST = 1000
_ALONE = "`variantsOnly: true` builds the variants alone"
# `$(NAME)` of Kubernetes, `${NAME}` and `$NAME` of a shell.
_REFERENCE = re.compile(r"(?<!\$)\$(?:\((\w+)\)|\{(\w+)[^}]*\}|(\w+))")
# Words that hold a whole command line.
_LINES = ("args", "command")
# Words whose texts are no part of a command line or of its variables.
_ELSEWHERE = ("metadata", "labels", "annotations", "files")


class Variant:
    """A variant by name: its layers, weakest first, and where its strongest one is named."""

    __slots__ = ("layers", "name", "place")

    def __init__(self, name: str, layers: list[tuple[dict[str, Any], Document, Path]], place: Place) -> None:
        self.name = name
        # data, its document, and the path in it
        self.layers = layers
        self.place = place


class Variants:
    """The variants of a profile, in their order, and whether the profile is a job without them as well."""

    __slots__ = ("findings", "found", "plain")

    def __init__(self) -> None:
        self.found: list[Variant] = []
        self.plain = True
        self.findings: list[Finding] = []

    @property
    def names(self) -> list[str]:
        return [variant.name for variant in self.found]


def collected(documents: Sequence[Document]) -> Variants:
    """The variants of a profile and its bases, weakest first, each of which says something of them."""
    result = Variants()
    only: Place | None = None
    named: dict[str, Variant] = {}
    # names that a null leaves out → where, and whether a weaker profile had such a variant
    absent: dict[str, tuple[Place, bool]] = {}
    axes: dict[str, dict[str, Variant]] = {}
    for one in documents:
        data = one.data
        if "variantsOnly" in data:
            only = Place(("variantsOnly",), where=one) if data["variantsOnly"] else None
        if "matrix" in data:
            _take_axes(one, axes, result.findings)
        if "variants" in data and data["variants"] is None:
            named, absent = {}, {}
        for name, layer in (data.get("variants") or {}).items():
            if layer is None:
                met = named.pop(name, None) is not None
                absent[name] = Place(("variants", name), KEY, where=one), met
            else:
                absent.pop(name, None)
                _add(named, name, layer, one, ("variants", name))
    result.findings += _replaced(axes)
    result.found = _all(axes, named, absent, result.findings)
    result.plain = only is None
    if only is None:
        result.findings += [
            _idle(variant) for variant in result.found if not any(data for data, _, _ in variant.layers)
        ]
    elif not result.found and not result.findings:
        message = "`variantsOnly` leaves nothing to build: there are no variants"
        result.findings.append(codes.CONTRADICTION.at(only, message))
    return result


def _add(known: dict[str, Variant], name: str, layer: dict[str, Any], document: Document, path: Path) -> None:
    """Lays a mapping over what is known by a name."""
    place = Place(path, KEY, where=document)
    if name in known:
        known[name].layers.append((layer, document, path))
        known[name].place = place
    else:
        known[name] = Variant(name, [(layer, document, path)], place)


def _take_axes(document: Document, axes: dict[str, dict[str, Variant]], findings: list[Finding]) -> None:
    """Takes the axes of a document over those of weaker ones."""
    if document.data["matrix"] is None:
        axes.clear()
    for axis, values in (document.data["matrix"] or {}).items():
        path = ("matrix", axis)
        if values is None:
            if axes.pop(axis, None) is None:
                message = f"`matrix.{axis}: null` leaves out nothing: no base has this axis"
                findings.append(codes.UNKNOWN_VARIANT.at(Place(path, KEY, where=document), message))
            continue
        known = axes.setdefault(axis, {})
        values_here: Names | None = None
        for value, layer in values.items():
            if layer is not None:
                _add(known, value, layer, document, (*path, value))
            elif known.pop(value, None) is None:
                values_here = values_here or Names(known)
                place = Place((*path, value), KEY, where=document)
                findings.append(
                    _no_such(value, values_here, place, "value", f"the axis `{axis}` has no value `{value}`")
                )


def _no_such(name: str, known: Names, place: Place, noun: str, why: str) -> Finding:
    """SG272: a null under a name that stands for nothing."""
    help = known.hint(name, noun)
    return codes.UNKNOWN_VARIANT.at(place, f"`{name}: null` leaves out nothing: {why}", helps=[help] if help else [])


def _all(
    axes: dict[str, dict[str, Variant]],
    named: dict[str, Variant],
    absent: dict[str, tuple[Place, bool]],
    findings: list[Finding],
) -> list[Variant]:
    """The choices of the matrix, each with the variant of its name over it, then the variants that are no choice."""
    filled = [values for values in axes.values() if values]
    count = 1 if filled else 0
    for values in filled:
        count *= len(values)
    if count + len(named) > MOST:
        last = next(reversed((filled[-1] if filled else named).values())).place
        message = f"{count + len(named):,} variants come of this; a profile has at most {MOST:,}"
        findings.append(LIMIT.at(Place(last.path[:1], KEY, where=last.where), message))
        return []
    choices: list[tuple[Variant, ...]] = [()] if filled else []
    for values in filled:
        choices = [(*choice, value) for choice in choices for value in values.values()]
    found: dict[str, Variant] = {}
    left_out: dict[str, None] = {}
    for choice in choices:
        name = "-".join(value.name for value in choice)
        if name in absent:
            left_out[name] = None
        elif name in found:
            findings.append(_twice(name, choice, found[name]))
        else:
            found[name] = Variant(name, [layer for value in choice for layer in value.layers], choice[-1].place)
    names = Names([*found, *named])
    findings += [
        _no_such(name, names, place, "variant", f"there is no variant `{name}`")
        for name, (place, met) in absent.items()
        if not met and name not in left_out
    ]
    chosen = {id(value) for choice in choices if "-".join([one.name for one in choice]) in found for value in choice}
    for value in [value for values in filled for value in values.values()]:
        if id(value) not in chosen:
            message = f"`{value.name}` is in no variant: all choices with it are left out"
            findings.append(codes.IDLE_VARIANT.at(value.place, message))
    for name, variant in named.items():
        if name in found:
            found[name].layers += variant.layers
            found[name].place = variant.place
        else:
            found[name] = variant
    return list(found.values())


def _replaced(axes: dict[str, dict[str, Variant]]) -> Iterator[Finding]:
    """SG207: what a value of an axis says, and no job has, since every value of a later axis says it anew.

    Of a command line, which is replaced as a whole, one such value is enough.
    """
    said = {axis: [_leaves(value) for value in values.values()] for axis, values in axes.items() if values}
    names = list(said)
    for at, axis in enumerate(names):
        told: set[Path] = set()
        for path, (value, place) in [pair for leaves in said[axis] for pair in leaves.items()]:
            for later in names[at + 1 :] if path not in told else ():
                there = [leaves[path] for leaves in said[later] if path in leaves]
                line = path[-1] in _LINES
                if not there or (len(there) < len(said[later]) and not line) or all(value == one for one, _ in there):
                    continue
                told.add(path)
                yield _lost(axis, later, path, place, there[0][1])
                break


def _lost(axis: str, later: str, path: Path, place: Place, other: Place) -> Finding:
    word = ".".join(map(str, path))
    helps = []
    if path[-1] in _LINES:
        parts = ", ".join(["…", *(f"--{one}, $<{one}>" for one in (axis, later))])
        helps.append(
            f"say it once for all, as in `{path[-1]}: [{parts}]`, and in the values what differs: "
            f"`vars: {{{axis}: …}}` and `vars: {{{later}: …}}`"
        )
    return codes.CONTRADICTION.at(
        other,
        f"`{word}` of the axis `{later}` replaces that of the axis `{axis}`, which no such job has",
        related=[(place, "is lost")],
        helps=helps,
    )


def _leaves(value: Variant) -> dict[Path, tuple[Any, Place]]:
    """What a value of an axis says: path → value and where; of lists as a whole."""
    found: dict[Path, tuple[Any, Place]] = {}
    for data, document, above in value.layers:
        left: list[tuple[Path, Any]] = [((), data)]
        for path, one in left:  # grows while it is walked
            if isinstance(one, dict) and (one or not path):
                left += [((*path, key), below) for key, below in one.items()]
            else:
                found[path] = one, Place((*above, *path), KEY, where=document)
    return found


def too_much(known: Variants, common: Sequence[dict[str, Any]], jobs: int) -> list[Finding]:
    """SG004 where so many jobs, each with all that they have in common, are more than a file may expand to."""
    nodes = characters = 0
    left: list[Any] = list(common)
    while left:
        one = left.pop()
        nodes += 1
        if isinstance(one, dict):
            left += one.values()
            nodes += len(one)
            characters += sum(map(len, one))
        elif isinstance(one, list):
            left += one
        elif isinstance(one, str):
            characters += len(one)
    for count, most, what in ((nodes, MOST_NODES, "nodes"), (characters, MOST_CHARACTERS, "characters")):
        if jobs * count > most:
            last = known.found[-1].place
            message = f"{jobs:,} jobs of this length expand to more than {most:,} {what}"
            return [LIMIT.at(Place(last.path[:1], KEY, where=last.where), message)]
    return []


def _idle(variant: Variant) -> Finding:
    """SG271: the job is built twice."""
    message = f"the variant `{variant.name}` changes nothing: it is the job once more, by another name"
    return codes.IDLE_VARIANT.at(variant.place, message, helps=[_ALONE])


def again(found: Sequence[Variant], plain: Layers, varied: Sequence[Layers | None]) -> list[Finding]:
    """SG271 of variants that say what the job says already. Those that say nothing were found when they were read."""
    return [
        _idle(variant)
        for variant, job in zip(found, varied, strict=True)
        if job is not None and job.data == plain.data and any(data for data, _, _ in variant.layers)
    ]


def lacking_beside(plain: Layers, named: Place, varied: Sequence[Layers | None]) -> list[Finding]:
    """SG274: what the job itself, which is built beside its variants, has not, and each of them has.

    ``named``: where the job has its name.
    """
    jobs = [job for job in varied if job is not None]
    if len(jobs) < len(varied):
        return []
    findings = []
    names = set.intersection(*(_set(job.data) for job in jobs)) - _set(plain.data)
    for path, inside, name in _references(plain.data, names) if names else ():
        message = f"the job without a variant lacks the variable `{name}`, which each variant sets"
        role = path[:2] if path[0] == "roles" else ()
        set_at = [at for at in ((*role, "env", name), ("env", name)) if _has(jobs[0].data, at)]
        related = [(Written(jobs[0], set_at[0], KEY, None), "a variant sets it here")] if set_at else []
        place = Written(plain, path, VALUE, inside)
        findings.append(codes.UNVARIED_JOB.at(place, message, related=related, helps=[_ALONE]))
    for word in ("command", "args"):
        if len(jobs) > 1 and all(word in job.data for job in jobs) and word not in plain.data:
            message = f"each variant says `{word}`, and the job without one, which is built as well, says none"
            related = [(Written(jobs[0], (word,), KEY, None), "a variant says it here")]
            findings.append(codes.UNVARIED_JOB.at(named, message, related=related, helps=[_ALONE], severity=NOTE))
    return findings


def _set(data: dict[str, Any]) -> set[str]:
    """Names of variables that a job sets, in any of its roles."""
    parts = [data, *(role for role in (data.get("roles") or {}).values() if isinstance(role, dict))]
    return {name for part in parts for name in part.get("env") or ()}


def _has(data: Any, path: Path) -> bool:
    for step in path:
        if not isinstance(data, dict) or step not in data:
            return False
        data = data[step]
    return True


def _references(data: dict[str, Any], names: set[str]) -> Iterator[tuple[Path, tuple[int, int] | None, str]]:
    """Where the texts of a job name one of these variables, each of which is told once: path, where inside, name."""
    left: list[tuple[Path, Any]] = [((word,), data[word]) for word in reversed(data) if word not in _ELSEWHERE]
    told: set[str] = set()
    while left:
        path, one = left.pop()
        if isinstance(one, dict):
            left += [((*path, key), below) for key, below in reversed(one.items())]
        elif isinstance(one, list):
            left += [((*path, at), below) for at, below in reversed([*enumerate(one)])]
        elif isinstance(one, str) and "$" in one:
            for match in _REFERENCE.finditer(one):
                name = match[1] or match[2] or match[3]
                if name in names - told:
                    told.add(name)
                    yield path, match.span(), name


def _twice(name: str, choice: tuple[Variant, ...], other: Variant) -> Finding:
    """SG270: two choices whose values come to one name, such as `a-b` with `c` and `a` with `b-c`."""
    message = f"two choices of the matrix come to the variant `{name}`"
    helps = ["the values of an axis may have names without dashes"]
    related = [(other.place, "a value of the other one")]
    return codes.SAME_VARIANT.at(choice[-1].place, message, related=related, helps=helps)
