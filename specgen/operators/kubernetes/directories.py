"""Directories in the root of a container: which of them images bring, and which are names of file systems.

No API says it: what an image holds nobody sees who has not pulled it. The names are those of the Filesystem Hierarchy
Standard 3.0 (section 3, "The Root Filesystem"), of the usual images of training, and of file systems that clusters
share.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

# fmt: off
# What the standard has in the root, and what images of training put their programs into.
OF_IMAGES = frozenset((
    "bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "media", "opt", "proc", "root", "run", "sbin",
    "srv", "sys", "tmp", "usr", "var", "app", "apps", "build", "code", "conda", "miniconda", "miniconda3", "src",
    "venv", "workspace",
))
# fmt: on
# Names of file systems that no image has a directory of.
SHARED = frozenset(("beegfs", "ceph", "cephfs", "efs", "fsx", "gpfs", "lustre", "mnt", "nfs", "scratch", "weka"))
# Those under which an image may hold something as well: a small dataset, or a model.
USUAL = frozenset(("checkpoints", "data", "dataset", "datasets", "models", "projects", "shared", "work"))


def top(path: str) -> str:
    """The directory in the root that a path leads through: `data` of `/data/train`."""
    return path.lstrip("/").partition("/")[0]


def below(path: str, directory: str) -> bool:
    """Whether a path is a directory, or lies below it."""
    directory = directory.rstrip("/")
    return path == directory or path.startswith(directory + "/")


def point(path: str, mounted: Collection[str] = ()) -> str:
    """Where a volume is to be mounted that holds a path: in the root, below `/mnt`, and beside what is mounted."""
    parts = path.strip("/").split("/")
    one = "/" + parts[0]
    if len(parts) > 1 and (parts[0] == "mnt" or any(below(other, one) for other in mounted)):
        return f"{one}/{parts[1]}"
    return one
