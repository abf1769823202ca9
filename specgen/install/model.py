"""What is known of one release of an operator: where its manifests lie, and what is in them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from specgen.diagnostics.model import Finding
    from specgen.profile.cluster import ClusterProfile, Operator

    class Module(Protocol):
        """What every module of an operator offers."""

        NAME: str
        KNOWN: tuple[str, ...]

        def layout(self, version: str) -> Layout | None:
            """The layout of a version; None: its release is not known."""
            ...

        def flags(self, operator: Operator, cluster: ClusterProfile, minor: str) -> tuple[list[Flag], list[Finding]]:
            """Words that its process is started with besides upstream's own."""
            ...


class Layout:
    """A release of an operator upstream.

    ``repository`` and ``path``: of the kustomization; ``ref``: the tag or commit of the version, None where that
    version of the release is not known. ``namespace``, ``deployment``, ``container``: upstream's names; ``index``: of
    the container; ``words``: the list, ``command`` or ``args``, at whose end flags are added. ``images``: names of the
    images of its pods, without tags.
    """

    __slots__ = (
        "container",
        "deployment",
        "images",
        "index",
        "namespace",
        "path",
        "ref",
        "repository",
        "words",
    )

    def __init__(
        self,
        repository: str,
        path: str,
        ref: str | None,
        *,
        namespace: str,
        deployment: str,
        container: str,
        words: str,
        images: tuple[str, ...],
        index: int = 0,
    ) -> None:
        self.repository = repository
        self.path = path
        self.ref = ref
        self.namespace = namespace
        self.deployment = deployment
        self.container = container
        self.words = words
        self.images = images
        self.index = index

    @property
    def remote(self) -> str:
        """The pinned remote base, as kustomize reads it."""
        return f"https://{self.repository}//{self.path}?ref={self.ref}"


class Flag:
    """A word of the operator's command line, and why it is there (lower case, no full stop)."""

    __slots__ = ("reason", "word")

    def __init__(self, word: str, reason: str) -> None:
        self.word = word
        self.reason = reason


def release(version: str) -> str:
    """Major and minor of a version: ``v1.9.4`` → ``1.9``."""
    return ".".join(version.removeprefix("v").split(".")[:2])


def tag(version: str, known: tuple[str, ...]) -> str | None:
    """The tag of a version that is known to exist, as all of Kubeflow's are called."""
    plain = version.removeprefix("v")
    return f"v{plain}" if plain in known else None
