"""What one pod or container gets: devices, cores, amounts of memory. The docstring under a field is its description."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from specgen.profile.words import Count, DnsName, Memory, Milli, Name, ResourceName, Words

Cores = Annotated[int, Field(ge=0, le=1_000_000)] | Annotated[float, Field(ge=0, le=1_000_000)] | Milli


class CoresRange(Words):
    """A request and a limit that differ."""

    request: Cores | None = None
    """Cores that the scheduler sets aside, such as `8`."""
    limit: Cores | None = None
    """Cores that the container may use at most, such as `16`."""


class MemoryRange(Words):
    """A request and a limit that differ."""

    request: Memory | None = None
    """Amount that the scheduler sets aside, such as `64Gi`."""
    limit: Memory | None = None
    """Amount that the container may use at most, such as `128Gi`."""


class Claim(Words):
    """A resource claim of the pod (dynamic resource allocation)."""

    template: DnsName | None = None
    """A ResourceClaimTemplate of the namespace."""
    claim: DnsName | None = None
    """A ResourceClaim of the namespace, shared by all pods."""


class Resources(Words):
    """What one pod gets. An amount is request and limit; `{request: 2}` or `{limit: 4}` sets one of them."""

    gpu: Count | None = Field(default=None, examples=[1, 8])
    """GPUs of one pod: `nvidia.com/gpu`, or what the pool of the cluster profile calls them."""
    npu: Count | None = None
    """NPUs of one pod, by the name that the pool of the cluster profile has for them."""
    hca: Count | Literal["auto"] | None = Field(default=None, examples=["auto", 8])
    """HCAs of one pod; `auto`: those that belong to the GPUs asked for."""
    cpu: Cores | CoresRange | None = Field(default=None, examples=[16, "500m"])
    """CPU cores, whole, with a fraction, or as `500m`."""
    memory: Memory | MemoryRange | None = Field(default=None, examples=["512Gi", {"request": "64Gi", "limit": "128Gi"}])
    """Main memory."""
    shm: Memory | Literal["auto", "host", "none"] | None = Field(default=None, examples=["auto", "64Gi"])
    """Size of `/dev/shm`; `auto`: what the pod may; `host`: the node's; `none`: 64 MiB, as of one GPU unless said."""
    disk: Memory | MemoryRange | None = None
    """Ephemeral storage of the node."""
    hugepages: Memory | dict[Literal["2Mi", "1Gi"], Memory] | None = None
    """Huge pages: an amount in pages of 2Mi, or amounts by page size."""
    claims: dict[Name, Claim] = Field(default_factory=dict)
    """Resource claims by name."""
    other: dict[ResourceName, Count] = Field(default_factory=dict)
    """Any other extended resource by its name, such as `amd.com/gpu` without a cluster profile."""
