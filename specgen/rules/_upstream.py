"""PyTorch's own images, by their tags: the only ones of which is known here what they hold, and what they lack."""

from __future__ import annotations

_REPOSITORY = "pytorch/pytorch:"


def tag_of_pytorch(image: object) -> str:
    """The tag of an image of PyTorch's own on Docker Hub, without a digest; empty for others."""
    if not isinstance(image, str):
        return ""
    name = image.removeprefix("docker.io/").partition("@")[0]
    return name.removeprefix(_REPOSITORY) if name.startswith(_REPOSITORY) else ""


def is_runtime(image: object) -> bool:
    """Whether an image is one of PyTorch's own without what programs are built with."""
    return tag_of_pytorch(image).endswith("-runtime")
