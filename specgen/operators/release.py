"""One operator, its releases, and what each of them changed: the only place that reads versions and compares them.

The table of an operator's releases stands in ``facts.OPERATOR`` of its folder. A release without news is a line there,
and everything knows it: what it is not said to change is as it was in the release before.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import TypeAlias

    # (holder, field): a field by the name of the mapping or list that holds it, as ``manifest.prune`` names holders
    Fields: TypeAlias = frozenset[tuple[str, str]]
    # what a release is compared by; a shorter one, such as (1, 8), is the first release of that name
    Numbers: TypeAlias = tuple[int, ...]

NO_FIELDS: Fields = frozenset()
# The CRDs hold the keys of all lists unique that the vendored schemas do (``Release.unique``).
ALL_LISTS: tuple[str, ...] = ()


def plain(version: str) -> str:
    """A version as tables of releases name it: ``v1.9.4`` → ``1.9.4``."""
    return version.removeprefix("v")


def numbers(version: str) -> tuple[int, int, int] | None:
    """``v1.8.1`` → (1, 8, 1), ``2.1`` → (2, 1, 0), ``0.8.2-rc.1`` → (0, 8, 2); None: the text is no version."""
    found = []
    for part in plain(version).split(".")[:3]:
        digits = part if part.isascii() and part.isdigit() else part[: len(part) - len(part.lstrip("0123456789"))]
        if not 0 < len(digits) < 6:
            break
        found.append(int(digits))
        if digits != part:
            break  # what follows is no number of the release
    return (found[0], found[1], found[2] if len(found) > 2 else 0) if len(found) > 1 else None


def minor(version: str) -> str:
    """``v1.9.4`` → ``1.9``: what a release is called; a text that is no version stays as it is."""
    found = numbers(version)
    return version if found is None else spelled(found)


def at_least(version: str, since: Numbers) -> bool:
    """Whether a version of anything is this one or a later one; a text that is no version counts as the newest."""
    found = numbers(version)
    return found is None or found >= since


def spelled(at: Numbers) -> str:
    """(1, 9) and (1, 9, 4) → ``1.9``."""
    return f"{at[0]}.{at[1]}"


def full(version: str) -> str:
    """A version as tags spell it, with a number for the patch: ``2.1`` → ``2.1.0``."""
    text = plain(version)
    return f"{text}.0" if text.count(".") == 1 else text


class Release:
    """One version of an operator that exists upstream. What is None is as in the release before."""

    __slots__ = ("fields", "images", "kinds", "numbers", "own_images", "read", "ref", "tags", "unique", "version")

    def __init__(
        self,
        version: str,
        *,
        fields: Mapping[str, Iterable[tuple[str, str]]] | None = None,
        unique: tuple[str, ...] | None = None,
        kinds: tuple[str, ...] | None = None,
        images: Mapping[str, str] | None = None,
        own_images: tuple[str, ...] | None = None,
        tags: Mapping[str, str] | None = None,
        ref: str = "",
        read: bool = True,
    ) -> None:
        # as upstream's tag has it, without its v
        self.version = version
        found = numbers(version)
        assert found is not None
        self.numbers = found
        # what its CRDs know and those of the release before do not: group of kinds ("" for all) → fields
        self.fields = {group: frozenset(names) for group, names in (fields or {}).items()}
        # the only lists whose keys its CRDs hold unique, or ``ALL_LISTS``
        self.unique = unique
        # the kinds that it serves, in the order of its source
        self.kinds = kinds
        # container that it puts into pods → its image where no flag names another, as far as that is news
        self.images = images or {}
        # names, without tags, of the images that the manifests of the operator itself name
        self.own_images = own_images
        # own image → the tag that the manifests of this very release name; empty: that is not known here
        self.tags = tags or {}
        # what its manifests are pinned by: its tag, where nothing else is said
        self.ref = ref or f"v{version}"
        # whether its behaviour was read or recorded; it may be known how to install one that was not
        self.read = read


class Manifests:
    """Where the manifests that install an operator lie upstream, and what they call its Deployment; in all releases."""

    __slots__ = ("container", "deployment", "index", "namespace", "path", "released", "repository", "words")

    def __init__(
        self,
        repository: str,
        path: str,
        *,
        namespace: str,
        deployment: str,
        container: str,
        words: str,
        index: int = 0,
        released: bool = False,
    ) -> None:
        # without a scheme
        self.repository = repository
        # of the kustomization in it, or of a file with all objects that comes with each release beside the tree
        self.path = path
        self.released = released
        self.namespace = namespace
        self.deployment = deployment
        # the operator's own container, and its place in the pod
        self.container = container
        self.index = index
        # the list, ``command`` or ``args``, at whose end flags are added
        self.words = words

    def remote(self, ref: str) -> str:
        """The pinned remote base, as kustomize reads it."""
        if self.released:
            return f"https://{self.repository}/releases/download/{ref}/{self.path}"
        return f"https://{self.repository}//{self.path}?ref={ref}"


class Operator:
    """An operator by name, with its releases in order, the newest last."""

    __slots__ = ("comes_with", "image_flags", "manifests", "name", "releases")

    def __init__(
        self,
        name: str,
        releases: tuple[Release, ...],
        *,
        manifests: Manifests | None = None,
        image_flags: Mapping[str, str] | None = None,
        comes_with: str = "",
    ) -> None:
        # as cluster profiles and upstream call it
        self.name = name
        self.releases = releases
        # None: nothing here installs it by a kustomization
        self.manifests = manifests
        # container that it puts into pods → its flag that names the image
        self.image_flags = image_flags or {}
        # the operator that brings it along where a cluster profile lists that one; empty: none does
        self.comes_with = comes_with

    @property
    def newest(self) -> str:
        """The version that vendored schemas and manifests are of."""
        return self.releases[-1].version

    def at(self, version: str) -> tuple[int, int, int]:
        """The numbers to compare a version by: a later one, and a text that is no version, count as the newest."""
        last = self.releases[-1]
        if version == last.version:
            return last.numbers  # most clusters have the newest
        found = numbers(version)
        return last.numbers if found is None else min(found, last.numbers)

    def release(self, version: str) -> Release | None:
        """The release of exactly this version; None: upstream has none."""
        text = plain(version)
        return next((release for release in self.releases if release.version == text), None)

    def has_minor(self, version: str) -> bool:
        """Whether upstream has a release with the same major and minor number."""
        found = numbers(version)
        return found is not None and found[:2] in [release.numbers[:2] for release in self.releases]

    def is_read(self, version: str, kind: str) -> bool:
        """Whether the behaviour of a release with the same major and minor number was read, and it serves a kind."""
        found = numbers(version)
        return found is not None and found[:2] in [release.numbers[:2] for release in self._read(kind)]

    def nearest(self, version: str, kind: str) -> str:
        """The release whose behaviour is told of a version that nobody read: the last read before it, else the first.

        Empty where the text is no version, or the release is known not to serve the kind.
        """
        found, read = numbers(version), self._read(kind)
        kinds = self.kinds(version)
        if found is None or not read or (kinds and kind not in kinds):
            return ""
        return ([one for one in read if one.numbers <= found] or read[:1])[-1].version

    def minors(self, kind: str = "") -> tuple[str, ...]:
        """The releases whose behaviour was read, such as ``1.9``; ``kind``: those that serve it."""
        return tuple(dict.fromkeys([spelled(release.numbers) for release in self._read(kind)]))

    def _read(self, kind: str) -> list[Release]:
        found: list[Release] = []
        kinds: tuple[str, ...] = ()
        for release in self.releases:
            kinds = kinds if release.kinds is None else release.kinds
            if release.read and (not kind or not kinds or kind in kinds):
                found.append(release)
        return found

    def kinds(self, version: str) -> tuple[str, ...]:
        """The kinds that a version serves; empty where that is the same in all of them."""
        return next((release.kinds for release in self._until(version) if release.kinds is not None), ())

    def absent_fields(self, version: str, group: str = "") -> Fields:
        """The fields of the vendored schemas that the CRDs of a version lack; ``group``: of which kinds."""
        at = self.at(version)
        later = [one.fields[group] for one in self.releases if one.numbers > at and group in one.fields]
        return NO_FIELDS.union(*later) if later else NO_FIELDS

    def lacks(self, field: tuple[str, str], version: str, group: str = "") -> bool:
        """Whether the CRDs of a version lack a field of the vendored schemas."""
        return field in self.absent_fields(version, group)

    def since(self, field: tuple[str, str], group: str = "") -> Numbers:
        """The numbers of the release that brought a field; empty: it is as old as all that is known."""
        for release in self.releases:
            if field in release.fields.get(group, NO_FIELDS):
                return release.numbers
        return ()

    def image(self, container: str, version: str) -> str:
        """The image that a version gives a container that it puts into pods, where no flag says otherwise."""
        return next(release.images[container] for release in self._until(version) if container in release.images)

    def own_images(self, version: str) -> tuple[str, ...]:
        """Names of the images of the operator itself; one that is not in the manifests of the version does nothing."""
        return next((release.own_images for release in self._until(version) if release.own_images is not None), ())

    def pulled_images(self, version: str) -> dict[str, str]:
        """Own image → its tag in the manifests of a version, as ``Release.tags``.

        Where not even the names of a version are known for sure, all by which they go.
        """
        release = self.release(version)
        tags = release.tags if release is not None else {}
        return dict(tags) or dict.fromkeys(self.own_images(version), "")

    def unique_lists(self, version: str) -> tuple[str, ...] | None:
        """The only lists whose keys the CRDs of a version hold unique; None: all that the vendored schemas do."""
        said = next((release.unique for release in self._until(version) if release.unique is not None), ALL_LISTS)
        return said or None

    def _until(self, version: str) -> Iterator[Release]:
        """The releases up to a version, the newest first; of a version that is older than all, the oldest."""
        at, oldest = self.at(version), self.releases[0]
        for release in reversed(self.releases):
            if release.numbers <= at or release is oldest:
                yield release
