"""Variables of a container, and where their values come from. The docstring under a field is its description."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from specgen.profile.words import DnsName, EnvName, Words


class EnvSource(Words):
    """A value that is not written here: exactly one of secret, configMap, field, resource, and prepend."""

    secret: DnsName | None = None
    """Name of a Secret; `key` says which entry."""
    config_map: DnsName | None = None
    """Name of a ConfigMap; `key` says which entry."""
    key: str | None = None
    """Entry of the Secret or ConfigMap that holds the value, such as `token`."""
    optional: bool | None = None
    """Start without the variable where the entry is missing."""
    field: str | None = None
    """A field of the pod, such as `status.podIP`."""
    resource: str | None = None
    """An amount of the container, such as `limits.cpu`."""
    prepend: str | None = None
    """Text put before the image's own value, with a colon between."""


Env = Annotated[
    dict[EnvName, str | EnvSource],
    Field(json_schema_extra={"x-specgen-variables": "nccl"}),
]


class EnvFrom(Words):
    """All entries of a Secret or a ConfigMap as variables: exactly one of the two."""

    secret: DnsName | None = None
    """Name of the Secret."""
    config_map: DnsName | None = None
    """Name of the ConfigMap."""
    prefix: str | None = None
    """Text put before the name of every entry, such as `S3_`."""
    optional: bool | None = None
    """Start without the variables where the object is missing."""
