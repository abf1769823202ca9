"""What a cluster profile says of an installed operator; which operators it may list is in ``index``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from specgen.profile.words import Name, Unlayered, Version


class Runtime(Unlayered):
    """A runtime of Kubeflow Trainer: where its file lies, if that is known."""

    file: str | None = None
    """Path of the runtime's manifest, counted from this profile."""


class Operator(Unlayered):
    """An installed operator."""

    version: Version
    """Release that is installed, such as `1.9.4`."""
    gang: Literal["volcano", "scheduler-plugins"] | None = None
    """The gang scheduler that the operator was started with."""
    mirror: str | None = None
    """Registry that holds the operator's own images, and those of the containers that it puts into pods."""
    namespace: Name | None = None
    """Namespace that `specgen operators` installs it into; without it, that of upstream's manifests."""
    runtimes: dict[str, str | Runtime] = Field(default_factory=dict)
    """Runtimes of the cluster, of `trainer` only."""
