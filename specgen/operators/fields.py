"""What an operator makes of each field of a job: keeps it, works something out of it, overrides it, reads it, drops it.

Nothing here knows a field. Each one is changed in turn, the job is expanded again, and the two expansions are compared:
what ``expand`` says and what is said here cannot disagree. A field of another object, such as a TrainJob's runtime, is
changed there.
"""

from __future__ import annotations

from functools import partial

from specgen.manifest.model import Manifest
from specgen.operators.compared import ABSENT, NAMES, Seen, keys, last_name, names_of
from specgen.operators.expand import expand_manifest
from specgen.operators.varied import removed, set_at, variants

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from specgen.operators.compared import Leaves, Object, Spot
    from specgen.operators.expansion import Expansion
    from specgen.operators.reader import Reader
    from specgen.source import Path

# What becomes of a field.
KEPT = "kept"
DERIVED = "derived"
OVERRIDDEN = "overridden"
READ = "read"
FIXED = "fixed"
DROPPED = "dropped"
_IDENTITY = frozenset((("apiVersion",), ("kind",), ("status",)))


class Field:
    """A field that somebody wrote, and what becomes of it.

    ``fate``: ``KEPT``, it stands where it belongs in what is made; ``DERIVED``, something else is made of it;
    ``OVERRIDDEN``, another value stands where it belongs, or counts; ``READ``, it decides what becomes of the job, and
    nothing that is made holds it; ``FIXED``, nothing holds it, and no other value is taken; ``DROPPED``, nothing is
    another with it. ``spots``: where it stands, what is made of it, or what stands there instead. ``by``: what
    overrides it, as objects and paths; none where it is the operator's own.
    """

    __slots__ = ("by", "come", "fate", "keyed", "manifest", "path", "spots", "value")

    def __init__(self, manifest: Manifest, path: Path, keyed: Path, value: Any) -> None:
        self.manifest = manifest
        self.path = path
        # the path in the words of spots
        self.keyed = keyed
        self.value = value
        self.fate = DROPPED
        self.spots: list[Spot] = []
        # what comes with another value, where nothing else changes
        self.come: list[Spot] = []
        self.by: list[tuple[Manifest, Path]] = []


class Made:
    """A value of a pod that no field holds: where it stands, and the fields that it comes from, if any."""

    __slots__ = ("by", "role", "spot", "value")

    def __init__(self, role: str, spot: Spot, value: Any, by: list[Field]) -> None:
        self.role = role
        self.spot = spot
        self.value = value
        self.by = by


class Fields:
    """All fields of a job and of the objects that its pods come from, in their order.

    ``made``: what the operator adds to the first pod of each role. ``names``: object → its name. ``values``: what
    stands at each spot.
    """

    __slots__ = ("expansion", "fields", "made", "names", "values")

    def __init__(self, expansion: Expansion, names: dict[Object, str], values: Leaves) -> None:
        self.expansion = expansion
        self.names = names
        self.values = values
        self.fields: list[Field] = []
        self.made: list[Made] = []


def fields(
    manifest: Manifest,
    reader: Reader,
    version: str | None = None,
    *,
    lenient: bool = False,
    gang: str | None = None,
    companions: Sequence[Manifest] = (),
    resumed: bool = False,
    held: Sequence[Manifest] = (),
) -> Fields | None:
    """What becomes of the fields of a job, and of those companions that are ``held``; None: nothing comes of the job.

    The other arguments are those of ``expand_manifest``.
    """

    def expanded(trees: dict[int, dict[str, Any]]) -> Expansion | None:
        """The expansion with other trees in place of those of some objects."""
        job, *beside = [Manifest(trees.get(id(one), one.tree), one.where) for one in (manifest, *companions)]
        found, _ = expand_manifest(job, reader, version, lenient=lenient, gang=gang, companions=beside, resumed=resumed)
        return found

    base = expanded({})
    if base is None or not base.objects:
        return None
    before = Seen(base)
    found = Fields(base, dict(names_of(base)), before.leaves)
    changes: dict[int, dict[Spot, None]] = {}
    refused: list[Field] = []
    for one in (manifest, *held):
        for path, keyed, value in _written(one.tree):
            field = Field(one, path, keyed, value)
            found.fields.append(field)
            changed = partial(_changed, expanded, field)
            outcomes = list(_outcomes(base, changed, reader, field))
            if not outcomes:
                refused.append(field)
            without = expanded({id(one): removed(one.tree, path)})
            outcomes.append((ABSENT, without if taken(base, without) else None))
            changes[id(field)] = _judge(field, found, before, outcomes)
    _place(found.fields, before, changes, refused)
    for field in found.fields:
        if field.fate == DROPPED:
            field.by = [*_stronger(field, (manifest, *held), expanded, reader)]
            field.fate = OVERRIDDEN if field.by else DROPPED
    found.made = list(_made(found, before, changes))
    return found


def _changed(expanded: Callable[[dict[int, Any]], Expansion | None], field: Field, new: Any) -> Expansion | None:
    """The expansion with another value of a field."""
    return expanded({id(field.manifest): set_at(field.manifest.tree, field.path, new)})


def _outcomes(
    base: Expansion, expanded: Callable[[Any], Expansion | None], reader: Reader, field: Field
) -> Iterator[tuple[Any, Expansion | None]]:
    """(value, what comes of it) for other values of the field that are taken; who refuses one often says which are."""
    said: dict[str, None] = {}
    found = False
    for new in variants(reader, field.manifest, field.path, field.value):
        expansion = expanded(new)
        if taken(base, expansion):
            found = True
            yield new, expansion
        for refusal in () if expansion is None else expansion.refusals:
            said |= dict.fromkeys(word for word in refusal.reason.split("`")[1::2] if word not in (field.value, new))
    if not found and isinstance(field.value, str):
        for new in said:
            expansion = expanded(new)
            if taken(base, expansion):
                yield new, expansion


def taken(base: Expansion, other: Expansion | None) -> bool:
    """Whether nobody refuses more of a changed job than of the job."""
    return other is not None and {one.kind for one in other.refusals} <= {one.kind for one in base.refusals}


def _stronger(
    field: Field, objects: Sequence[Manifest], expanded: Callable[[dict[int, Any]], Expansion | None], reader: Reader
) -> Iterator[tuple[Manifest, Path]]:
    """What has to go for the field to have an effect: at most one field, or part of a job, with its object."""
    if field.path[0] != "spec":
        return
    here, whole = field.manifest, expanded({})
    varied = [set_at(here.tree, field.path, new) for new in variants(reader, here, field.path, field.value)]
    varied.append(removed(here.tree, field.path))
    varied = [tree for tree in varied if whole is not None and taken(whole, expanded({id(here): tree}))]
    for one in objects:
        for path in sorted(_holders(one.tree), key=len, reverse=True):
            if one is here and path == field.path[: len(path)]:
                continue
            before = expanded({id(one): removed(one.tree, path)})
            if before is None or before.refusals:
                continue
            seen = Seen(before)
            for tree in varied:
                after = expanded({id(here): tree, id(one): removed(tree if one is here else one.tree, path)})
                if after is None or after.refusals or Seen(after).leaves != seen.leaves:
                    yield one, path
                    return


def _holders(tree: Any, path: Path = ()) -> Iterator[Path]:
    """The paths of what a job says in parts, down to the fields of a part."""
    for key, value in tree.items() if isinstance(tree, dict) else ():
        if not path and key != "spec":
            continue
        if path and len(path) < 4:
            yield (*path, key)
        if len(path) < 3:
            yield from _holders(value, (*path, key))


def _judge(field: Field, found: Fields, before: Seen, outcomes: list[tuple[Any, Expansion | None]]) -> dict[Spot, None]:
    """Gives the field its fate, as far as its own changes tell; the values of the job that change with it.

    outcomes: what comes of other values that are taken, and without the field; None where that is not taken.
    """
    for new, expansion in outcomes:
        if expansion is None:
            continue
        after = Seen(expansion, found.names, {f"[{new}]": f"[{field.value}]"} if field.path[-1] in NAMES else {})
        spots = [spot for spot, value in before.leaves.items() if after.leaves.get(spot, ABSENT) != value]
        come = [spot for spot in after.leaves if spot not in before.leaves]
        if spots or come:
            name = last_name(field.path)
            kept = [spot for spot in spots if before.leaves[spot] == field.value and last_name(spot[1]) == name]
            kept = [spot for spot in kept if after.leaves.get(spot, ABSENT) == new]
            if spots:
                field.fate, field.spots = (KEPT, kept) if kept else (DERIVED, spots)
                field.spots.sort(key=lambda spot: spot[1][0] != "spec")
            field.come = [] if spots else come
            return dict.fromkeys(spots)
        if after.life != before.life:
            field.fate = READ
    return {}


def _place(written: list[Field], before: Seen, changes: dict[int, dict[Spot, None]], refused: list[Field]) -> None:
    """Finds what stands where fields without an effect belong, by the way that their neighbours went.

    refused: fields of which no other value is taken: they are kept where they stand in their place.
    """
    ways: dict[tuple[int, Path], dict[tuple[Object, Path], None]] = {}
    for field in written:
        for thing, there in field.spots if field.fate == KEPT else ():
            here = field.keyed
            while here and there and here[-1] == there[-1]:
                here, there = here[:-1], there[:-1]
                ways.setdefault((id(field.manifest), here), {}).setdefault((thing, there))
    authors = _authors(written, changes)
    for field in written:
        if field.spots or field.fate != DROPPED:
            continue
        spots = _belongs(field, ways, before.leaves)
        if field in refused:
            kept = spots and all(before.leaves[spot] == field.value for spot in spots)
            field.fate, field.spots = (KEPT, spots) if kept else (FIXED, [])
        elif spots:
            field.fate, field.spots = OVERRIDDEN, spots
            others = dict.fromkeys(author for spot in spots for author in authors.get(spot, ()))
            field.by = [(other.manifest, other.path) for other in others]
        elif field.come:
            field.fate, field.spots = DERIVED, field.come


def _authors(written: list[Field], changes: dict[int, dict[Spot, None]]) -> dict[Spot, list[Field]]:
    """Spot → the fields with which its value changes."""
    authors: dict[Spot, list[Field]] = {}
    for field in written:
        for spot in changes[id(field)]:
            authors.setdefault(spot, []).append(field)
    return authors


def _belongs(field: Field, ways: dict[tuple[int, Path], dict[tuple[Object, Path], None]], leaves: Leaves) -> list[Spot]:
    """Where the field would stand, had it gone the way of its nearest neighbours."""
    for cut in range(len(field.keyed) - 1, 0, -1):
        known = ways.get((id(field.manifest), field.keyed[:cut]))
        if known:
            spots = [(thing, (*way, *field.keyed[cut:])) for thing, way in known]
            return [spot for spot in spots if spot in leaves]
    return []


def _made(found: Fields, before: Seen, changes: dict[int, dict[Spot, None]]) -> Iterator[Made]:
    """The values of the first pod of each role that no field holds."""
    held = {spot for field in found.fields if field.fate == KEPT for spot in field.spots}
    authors = _authors(found.fields, changes)
    roles: dict[str, Object] = {}
    for number, instance in enumerate(found.expansion.instances):
        roles.setdefault(instance.role, ("Pod", number))
    for role, thing in roles.items():
        for spot, value in before.leaves.items():
            # metadata is the operator's own; an item's name says no more than the way to it
            if spot[0] == thing and spot not in held and spot[1][0] == "spec" and spot[1][-1] != "name":
                yield Made(role, spot, value, authors.get(spot, []))


def _written(tree: Any, path: Path = (), keyed: Path = ()) -> Iterator[tuple[Path, Path, Any]]:
    """The fields of an object, down to values that hold no others, but for what says of which kind it is."""
    if isinstance(tree, dict) and tree:
        for key, value in tree.items():
            if (*path, key) not in _IDENTITY:
                yield from _written(value, (*path, key), (*keyed, key))
    elif isinstance(tree, list) and tree:
        for index, (key, value) in enumerate(zip(keys(tree, keyed), tree, strict=True)):
            yield from _written(value, (*path, index), (*keyed, key))
    elif tree is not None:
        yield path, keyed, tree
