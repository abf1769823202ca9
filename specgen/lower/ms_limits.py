"""What the ms-operator cannot do, refused with its reason; and where it fails by chance, what helps against it.

Read from mindspore-ai/ms-operator v1.0.0 (e361e2b): config/crd, pkg/controllers/v1/{msjob_controller,utils}.go, and
from kubeflow/common v0.4.1, on which it stands; "recorded" is said of what its recorded jobs show.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, NOTE, Place
from specgen.manifest.views import mapping, sequence
from specgen.operators.mindspore.facts import COUNT
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.build import Build
    from specgen.plan.model import Plan

# The schema of the templates' metadata has no properties: the API server prunes all of them (recorded).
_PRUNED = "the CRD drops labels and annotations of its pods"

NO_GANG = {
    "volcano": f"{_PRUNED}, so only an ms-operator with `gang: volcano` groups them",
    "coscheduling": f"{_PRUNED}, by which they would belong to their group",
    "kueue": "Kueue knows no MSJobs, and none of them can be suspended",
    "kai": "its pod grouper knows no MSJobs, and would count each as one pod",
    "yunikorn": f"{_PRUNED}, by which they would belong to their application",
}

# Words of `lifecycle` that the operator cannot follow.
UNABLE = {
    "suspend": "an MSJob has no `suspend`: its pods begin at once",
    "ttl": "`ttl` has no effect on an MSJob: nothing wakes the ms-operator once the time is over",
}

_MESH = "sidecar.istio.io/inject"


def names(plan: Plan) -> tuple[list[str], str]:
    """The only Service that the operator makes, and what comes of a name too long for it; pods may have longer ones."""
    services = [f"{plan.name}-scheduler-0" for role in plan.roles if role.word == "scheduler"]
    return services, "a Service bears it, and without that Service no pod is created"


def restarts(plan: Plan) -> list[Finding]:
    """SG208: ``ExitCode``, which restarts the only pod of a job alone.

    With another Worker running, the operator takes the failure for final in the same pass (recorded).
    """
    if len(plan.roles) == 1:
        return []
    findings: list[Finding] = []
    for role in plan.roles:
        if role.restart is None or role.restart.value != "ExitCode":
            continue
        place = role.restart.at
        if place.path in [one.place.path for one in findings]:
            continue
        message = "`restart: ExitCode` restarts no pod of an MSJob of several"
        notes = ["the ms-operator deletes the pod, and fails the job as another Worker is running"]
        findings.append(codes.NOT_FOR_TARGET.at(place, message, notes=notes))
    return findings


def bare(template: Build) -> list[Finding]:
    """Takes off a template what the CRD drops. SG208 for each, a note for labels that the job object keeps."""
    findings = []
    for group, marks in template.tree.pop("metadata", {}).items():
        for name in marks:
            origin = template.origins.of((*template.path, "metadata", group, name))
            place = (origin[1] if origin is not None else None) or Place(("target",))
            findings.append(_dropped(group, name, place))
    return findings + _unclaimed(template) + _unbounded(template)


def _unclaimed(template: Build) -> list[Finding]:
    """Takes resource claims off a template: they are younger than the pods that the CRD knows. SG208 for each."""
    findings = []
    spec = template.tree["spec"]
    for index, claim in enumerate(spec.pop("resourceClaims", ())):
        origin = template.origins.of((*template.path, "spec", "resourceClaims", index, "name"))
        place = (origin[1] if origin is not None else None) or Place(("target",))
        message = f"a pod of an MSJob cannot have the resource claim `{claim['name']}`"
        notes = ["the CRD has the pods of Kubernetes 1.23, which claim nothing"]
        findings.append(codes.NOT_FOR_TARGET.at(place, message, notes=notes))
    for container in [*spec.get("initContainers", ()), *spec["containers"]]:
        (container.get("resources") or {}).pop("claims", None)
    return findings


def _unbounded(template: Build) -> list[Finding]:
    """Takes the least number of domains off a spread: it is younger than the pods that the CRD knows. SG208."""
    findings = []
    path = (*template.path, "spec", "topologySpreadConstraints")
    for constraint in template.tree["spec"].get("topologySpreadConstraints", ()):
        if constraint.pop("minDomains", None) is not None:
            origin = template.origins.of(path)
            place = (origin[1] if origin is not None else None) or Place(("target",))
            message = "a pod of an MSJob cannot say how many `domains` it is spread over"
            notes = ["the CRD has the pods of Kubernetes 1.23, which know no `minDomains`"]
            findings.append(codes.NOT_FOR_TARGET.at(Place(place.path, KEY, where=place.where), message, notes=notes))
    return findings


def _dropped(group: str, name: str, place: Place) -> Finding:
    if place.path[-3:-1] == ("metadata", "labels"):
        message = f"the label `{name}` goes on the job alone: {_PRUNED}"
        return codes.NOT_FOR_TARGET.at(place, message, severity=NOTE)
    if name == _MESH and place.path == ("mesh",):
        message = f"the pods of an MSJob cannot be kept out of the mesh: {_PRUNED}"
        notes = ["the sidecar would outlive the program, and the job would never end"]
        helps = [f"`labels: {{{_MESH}: null}}` says that the namespace has no sidecars"]
        return codes.NOT_FOR_TARGET.at(place, message, notes=notes, helps=helps)
    message = f"a pod of an MSJob cannot have the {group[:-1]} `{name}`: {_PRUNED}"
    return codes.NOT_FOR_TARGET.at(Place(place.path, KEY, where=place.where), message)


def sure_of_variables(plan: Plan, part: Build, container: str, port: tuple[str, int]) -> None:
    """Gives the Scheduler's container the variables that its operator sets too, to the same values, which then win.

    The operator reads the address of the Service from a cache that may not hold it yet, and then sets none of the six:
    9 of 44 recorded Schedulers had none, and their Workers would have waited for ever.
    """
    template = part.tree["template"]
    spec = mapping(template.get("spec"))
    every = sequence(spec.get("containers"))
    named = [(at, one) for at, one in enumerate(every) if mapping(one).get("name") == container]
    if not named or not isinstance(named[0][1].get("env", []), list):
        # a patch has called it otherwise, which a rule reports, or has made no list of its variables
        return
    at, main = named[0]
    env = list(main.get("env", ()))
    set_already = [mapping(entry).get("name") for entry in env]
    for name, value in _variables(plan, main, port).items():
        if name not in set_already:
            part.origins.note(
                (*part.path, "template", "spec", "containers", at, "env", len(env)),
                None,
                "the operator sets it too, but not always: now and then a Scheduler has none of its variables",
            )
            env.append({"name": name, **value})
    # the Workers' template may be the same tree: nothing of it is changed in place
    after = ("resources", "securityContext", "volumeMounts")
    own = {key: value for key, value in main.items() if key not in ("env", *after)}
    own = {**own, "env": env, **{key: main[key] for key in after if key in main}}
    containers = [*every[:at], own, *every[at + 1 :]]
    part.tree["template"] = {**template, "spec": {**spec, "containers": containers}}


def _variables(plan: Plan, main: dict[str, Any], port: tuple[str, int]) -> dict[str, dict[str, Any]]:
    counts = {role.word: str(role.replicas.value) for role in plan.roles}
    ports = [mapping(one) for one in sequence(main.get("ports"))]
    numbers = [one.get("containerPort") for one in ports if one.get("name") == port[0]]
    return {
        "MS_SCHED_HOST": {"valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
        "MS_NODE_ID": {"valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        "MS_SCHED_PORT": {"value": str((numbers or [port[1]])[0])},
        "MS_SERVER_NUM": {"value": counts.get("ps", "0")},
        COUNT: {"value": counts["worker"]},
        "MS_ROLE": {"value": "MS_SCHED"},
    }
