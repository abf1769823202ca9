"""A plan in the making: the values of the plan together with the profile that they are made from.

Only the planner sees it. Gangs and lowerings get it as the ``Plan`` that it is, so no kind can look at the profile.
"""

from __future__ import annotations

from specgen.manifest.origins import Sourced
from specgen.plan.model import Plan
from specgen.plan.pods import RolePlan, Volume
from specgen.profile.library import installed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Place
    from specgen.plan.model import World
    from specgen.plan.target import Target
    from specgen.profile.resolve import ResolvedJob
    from specgen.profile.roles import RoleProfile


class RoleDraft(RolePlan):
    """A role in the making. What the fabric brings stands apart until everything is known."""

    twin: RoleDraft | None

    __slots__ = ("capabilities", "fabric_init", "fabric_sidecars", "privileged", "profile")

    def __init__(self, name: str, word: str, replicas: Sourced, profile: RoleProfile) -> None:
        super().__init__(name, word, replicas)
        self.profile = profile
        self.starts = profile.starts
        # rights that the fabric's HCAs need
        self.capabilities: list[Sourced] = []
        self.privileged: Sourced | None = None
        # containers that the fabric adds, by name, with their place
        self.fabric_init: dict[str, tuple[Any, Place]] = {}
        self.fabric_sidecars: dict[str, tuple[Any, Place]] = {}

    def follow(self, twin: RoleDraft) -> None:
        """Takes over what was decided for a role with the same words: nothing that is decided depends on the name."""
        self.twin = twin
        self.devices = twin.devices
        self.image, self.program, self.command, self.args = twin.image, twin.program, twin.command, twin.args
        self.entrypoint = twin.entrypoint
        self.env, self.labels, self.annotations = dict(twin.env), dict(twin.labels), dict(twin.annotations)
        self.volumes, self.mounts = list(twin.volumes), list(twin.mounts)
        self.capabilities, self.privileged = list(twin.capabilities), twin.privileged
        self.fabric_sidecars, self.fabric_init = dict(twin.fabric_sidecars), dict(twin.fabric_init)
        self.ports, self.pod = dict(twin.ports), dict(twin.pod)
        self.scheduler, self.priority, self.domains = twin.scheduler, twin.priority, twin.domains
        self.slices = twin.slices

    def add_volume(self, name: str, source: dict[str, Any], said: Sourced, *, scratch: str | None = None) -> str:
        """The name of the volume with this source; a new one gets a free name, so does an empty one by its scratch."""
        for volume in self.volumes:
            if scratch is None and volume.source == source and (volume.name == name or "emptyDir" not in source):
                return volume.name
        signs = [sign if sign.isascii() and sign.isalnum() else "-" for sign in name.lower()]
        base = "".join(signs)[:60].strip("-") or "volume"
        taken = {volume.name for volume in self.volumes}
        free, number = base, 2
        while free in taken:
            free, number = f"{base}-{number}", number + 1
        self.volumes.append(Volume(free, source, said, scratch))
        return free


class JobDraft(Plan):
    """A plan in the making."""

    __slots__ = ("job", "target")

    roles: list[RoleDraft]

    def __init__(self, job: ResolvedJob, target: Target, version: str, world: World, roles: list[RoleDraft]) -> None:
        reason = "`metadata.name`" + (", with the variant" if job.variant else "")
        reason += ", and a hash of the manifests: `metadata.suffix`" if job.mark is not None else ""
        named = Sourced(job.called, job.place(("metadata", "name")), reason)
        if job.prefix is not None:
            place = job.place(("metadata", "generateName"))
            named = Sourced(job.prefix[:58] + "x" * 5, place, "`metadata.generateName`")
        super().__init__(named, target.PLAN, version, world, roles, job.document)
        if job.prefix is not None:
            self.generated = Sourced(job.prefix, named.place, named.reason)
        self.job = job
        self.target = target

    @property
    def flag(self) -> str | None:
        """The flag for gang scheduling that the cluster profile says the operator was started with."""
        operator = installed(self.job.cluster, self.kind.operator)
        return operator.gang if operator is not None else None
