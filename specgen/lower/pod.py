"""A role's plan → its pod template, the same for every kind. Containers are in ``container``."""

from __future__ import annotations

from specgen.lower.container import beside, program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.manifest.build import Build
    from specgen.plan.pods import RolePlan


def template(role: RolePlan, build: Build, container: str) -> None:
    """Writes the pod template of a role; ``container`` is the name that the operator looks for."""
    _metadata(role, build)
    spec = build.within("spec")
    _placing(role, spec)
    _fields(role, spec)
    for secret in role.pull_secrets:
        spec.item("imagePullSecrets").say("name", secret)
    if role.native:
        for one in role.sidecars:
            reason = "a sidecar of Kubernetes 1.29 and later: it ends with the program"
            item = spec.item("initContainers")
            beside(role, one, item)
            item.put("restartPolicy", "Always", one.place, reason)
    for one in role.init:
        beside(role, one, spec.item("initContainers"))
    program(role, spec.item("containers"), container)
    for one in () if role.native else role.sidecars:
        beside(role, one, spec.item("containers"))
    for volume in role.volumes:
        item = spec.item("volumes")
        item.put("name", volume.name, volume.said.place, volume.said.reason)
        for key, value in volume.source.items():
            item.put(key, value, volume.said.place, volume.said.reason)
    for name, said in role.devices.claims.items():
        item = spec.item("resourceClaims")
        item.put("name", name, said.place, said.reason)
        for key, value in said.value.items():
            item.put(key, value, said.place, said.reason)


def _metadata(role: RolePlan, build: Build) -> None:
    for key, marks in (("labels", role.labels), ("annotations", role.annotations)):
        if marks:
            part = build.within("metadata").within(key)
            for name, said in marks.items():
                part.say(name, said)


def _placing(role: RolePlan, spec: Build) -> None:
    for key, said in role.placing.items():
        spec.say(key, said)
    if role.scheduler is not None:
        spec.say("schedulerName", role.scheduler)
    if role.priority is not None:
        spec.say("priorityClassName", role.priority)


def _fields(role: RolePlan, spec: Build) -> None:
    for key, said in role.pod.items():
        spec.say(key, said)
    if role.pod_security:
        context = spec.within("securityContext")
        for key, said in role.pod_security.items():
            context.say(key, said)
    if role.grace is not None:
        spec.say("terminationGracePeriodSeconds", role.grace)
