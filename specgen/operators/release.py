"""One operator, its releases, and what each of them changed: the only place that reads versions and compares them.

A release stands once, in ``facts.RELEASES`` of its operator's folder. One without news is a line there.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import TypeAlias

    # (holder, field): a field by the name of the mapping or list that holds it, as ``manifest.prune`` names holders
    Fields: TypeAlias = frozenset[tuple[str, str]]

NO_FIELDS: Fields = frozenset()


def numbers(version: str) -> tuple[int, int, int] | None:
    """``v1.8.1`` → (1, 8, 1), ``2.1`` → (2, 1, 0), ``0.8.2-rc.1`` → (0, 8, 2); None: the text is no version."""
    found = []
    for part in version.removeprefix("v").split(".")[:3]:
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits.isascii() or not 0 < len(digits) < 6:
            break
        found.append(int(digits))
        if digits != part:
            break  # what follows is no number of the release
    return (found[0], found[1], found[2] if len(found) > 2 else 0) if len(found) > 1 else None


def minor(version: str) -> str:
    """``v1.9.4`` → ``1.9``: what a release is called; a text that is no version stays as it is."""
    return ".".join(version.removeprefix("v").split(".")[:2])


class Release:
    """One version of an operator that exists upstream."""

    __slots__ = ("fields", "images", "numbers", "read", "unique", "version")

    def __init__(
        self,
        version: str,
        *,
        fields: Mapping[str, Iterable[tuple[str, str]]] | None = None,
        unique: tuple[str, ...] | None = None,
        images: Mapping[str, str] | None = None,
        read: bool = True,
    ) -> None:
        # as upstream's tag has it, without its v
        self.version = version
        found = numbers(version)
        assert found is not None
        self.numbers = found
        # what its CRDs know and those of the release before do not: group of kinds ("" for all) → fields
        self.fields = {group: frozenset(names) for group, names in (fields or {}).items()}
        # the only lists whose keys its CRDs hold unique; None: all that the vendored schemas do
        self.unique = unique
        # container that it puts into pods → its image where no flag names another, as far as that is news
        self.images = images or {}
        # whether its behaviour was read or recorded; it may be known how to install one that was not
        self.read = read


class Operator:
    """An operator by name, with its releases in order, the newest last."""

    __slots__ = ("_absent", "name", "newest", "releases")

    def __init__(self, name: str, releases: tuple[Release, ...]) -> None:
        # as cluster profiles and upstream call it
        self.name = name
        self.releases = releases
        # the one that vendored schemas and manifests are of
        self.newest = releases[-1].version
        self._absent: dict[tuple[str, str], Fields] = {}

    def at(self, version: str) -> tuple[int, int, int]:
        """The numbers to compare a version by: a later one, and a text that is no version, count as the newest."""
        last = self.releases[-1].numbers
        found = numbers(version)
        return last if found is None else min(found, last)

    def minors(self, since: str = "") -> tuple[str, ...]:
        """The releases whose behaviour was read, such as ``1.9``, from ``since`` on."""
        least = numbers(since) or (0, 0, 0)
        read = [minor(release.version) for release in self.releases if release.read and release.numbers >= least]
        return tuple(dict.fromkeys(read))

    def knows(self, version: str) -> bool:
        """Whether exactly this version is one that exists upstream."""
        return any(release.version == version.removeprefix("v") for release in self.releases)

    def absent_fields(self, version: str, group: str = "") -> Fields:
        """The fields of the vendored schemas that the CRDs of a version lack; ``group``: of which kinds."""
        if (version, group) not in self._absent:
            at = self.at(version)
            later = [release.fields.get(group, NO_FIELDS) for release in self.releases if release.numbers > at]
            self._absent[version, group] = frozenset().union(*later)
        return self._absent[version, group]

    def brought(self, field: tuple[str, str], group: str = "") -> str:
        """The release that brought a field, such as ``1.8``; empty: it is as old as all that is known."""
        for release in self.releases:
            if field in release.fields.get(group, NO_FIELDS):
                return minor(release.version)
        return ""

    def image(self, container: str, version: str) -> str:
        """The image that a version gives a container that it puts into pods, where no flag says otherwise."""
        at = self.at(version)
        known = [release.images[container] for release in self.releases if container in release.images]
        until = [one.images[container] for one in self.releases if container in one.images and one.numbers <= at]
        return (until or known[:1])[-1]

    def unique_lists(self, version: str) -> tuple[str, ...] | None:
        """The only lists whose keys the CRDs of a version hold unique; None: all that the vendored schemas do."""
        at = self.at(version)
        before = [release for release in self.releases if release.numbers <= at] or [self.releases[0]]
        return before[-1].unique
