"""The port on which a worker's sshd listens, for rules of MPIJobs whose launcher reaches its workers by ssh."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.manifest.views import Container


def listens(container: Container) -> tuple[int | None, str]:
    """(port, who says so), as ``operators.mpi.images`` knows it of the command line and the image."""
    from specgen.operators.mpi.images import listens as known  # few workers have a probe or their nodes' network

    image = container.tree.get("image")
    return known(image if isinstance(image, str) else "", [text for _, _, text in container.words()])
