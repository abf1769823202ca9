"""What appears at a path of a container: volumes, and files that the job carries. See ``pod`` for the docstrings."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from specgen.profile.words import AbsolutePath, DnsName, LabelKey, LabelValue, Memory, Name, Raw, Words


class VolumeCreate(Words):
    """A claim made beside the job."""

    size: Memory
    """How much the claim asks for, such as `500Gi`."""
    class_: str | None = Field(default=None, alias="class")
    """Storage class; an empty text means none."""
    access: Literal["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"] = "ReadWriteMany"
    """How many nodes and pods may mount it at a time; pods on several nodes need `ReadWriteMany`."""
    labels: dict[LabelKey, LabelValue] = Field(default_factory=dict)
    """Labels of the claim."""
    volume: Raw | None = None
    """The source of a PersistentVolume that is made as well, in Kubernetes' spelling."""


class Nfs(Words):
    """A directory of an NFS server."""

    server: str
    """Host name or address of the server."""
    path: AbsolutePath
    """Directory that the server exports, such as `/export/data`."""


class Mount(Words):
    """What appears at a path of the container: exactly one source word."""

    storage: str | None = None
    """A file system that the cluster profile names."""
    pvc: DnsName | None = None
    """A PersistentVolumeClaim."""
    create: VolumeCreate | None = None
    """With `pvc`: make the claim beside the job."""
    host_path: AbsolutePath | None = None
    """A directory of the node."""
    type: (
        Literal["Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket", "CharDevice", "BlockDevice"] | None
    ) = None
    """With `hostPath`: what must be there; `Directory` if not said."""
    scratch: Name | None = None
    """An empty volume by name, the same name the same volume; `resources.disk` reserves the room for it."""
    size: Memory | None = None
    """With `scratch`: its size limit, which reserves no disk of the node: `resources.disk` does."""
    memory: bool | None = None
    """With `scratch`: in memory."""
    config_map: DnsName | None = None
    """A ConfigMap: its entries appear as files."""
    secret: DnsName | None = None
    """A Secret: its entries appear as files."""
    items: dict[str, str] = Field(default_factory=dict)
    """With `configMap` or `secret`: entry → file name; all entries if not said."""
    mode: Annotated[int, Field(ge=0, le=511)] | None = None
    """With `configMap` or `secret`: permission bits of the files, as a decimal number."""
    nfs: Nfs | None = None
    """A directory of an NFS server."""
    volume: Raw | None = None
    """Any other volume source in Kubernetes' spelling."""
    read_only: bool = False
    """Whether the program may only read there."""
    sub_path: str | None = None
    """Mount only this directory or file of the volume, such as `imagenet/train`."""


class File(Words):
    """A file that the job carries: exactly one of from and text."""

    from_: str | None = Field(default=None, alias="from")
    """Path of the file, counted from this profile."""
    text: str | None = None
    """What the file holds."""
    mode: Annotated[int, Field(ge=0, le=511)] | None = None
    """Permission bits of the file, as a decimal number: 493 is `rwxr-xr-x`."""
