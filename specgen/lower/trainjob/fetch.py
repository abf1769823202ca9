"""Initialisers of a TrainJob: the replicated jobs that fetch data before the nodes begin, and where they put it.

Read from kubeflow/trainer v2.3.0 (658725bdae5c): manifests/base/runtimes, pkg/initializers and pkg/constants. Their
images write to ``/workspace/dataset`` and ``/workspace/model``; the webhook wants jobs and containers of exactly these
names, and a mount called ``initializer``.
"""

from __future__ import annotations

from specgen.diagnostics.model import shown
from specgen.operators.kubernetes.names import is_subdomain
from specgen.operators.release import full, spelled
from specgen.operators.trainer.facts import CLAIMS, IMAGES, OPERATOR
from specgen.operators.trainer.refusals import is_uri
from specgen.operators.trainer.runtime import ANCESTOR
from specgen.plan.images import pulled
from specgen.plan.mounts import under
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding, Place
    from specgen.manifest.build import Build
    from specgen.plan.model import Plan
    from specgen.plan.pods import MountPoint, RolePlan

VOLUME = "initializer"
_ROOT = "/workspace"
# As in upstream's runtimes that fetch (manifests/base/runtimes/torchtune).
_SIZE = "20Gi"


def initializer(plan: Plan, spec: Build) -> list[Finding]:
    """``spec.initializer`` of the TrainJob. Findings: what cannot be fetched."""
    findings = []
    for key, data in plan.fetched.items():
        place = data.uri.at
        if not is_uri(data.uri.value):
            message = f"`{data.uri.value}` is no address of the form `scheme://…`, which alone an initialiser takes"
            findings.append(codes.NOT_FOR_TARGET.at(place, message))
        if data.offline is not None:
            related = [(data.offline, "it is there already")]
            findings.append(codes.CONTRADICTION.at(place, "`uri` contradicts `offline: true`", related=related))
        part = spec.within("initializer").within(key)
        part.say("storageUri", data.uri)
        if data.secret is not None:
            part.within("secretRef").say("name", data.secret)
            if not is_subdomain(data.secret.value):
                # the TrainJob is stored, and the pod of the initialiser is refused
                message = f"`{shown(data.secret.value)}` is no name of an object"
                findings.append(
                    codes.CONTRADICTION.at(
                        data.secret.at,
                        message,
                        notes=["the API server refuses the pod that fetches, and the job waits for it"],
                    )
                )
    return findings


def jobs(plan: Plan, role: RolePlan, jobset: Build) -> tuple[list[str], list[Finding]]:
    """Writes the initialisers' replicated jobs, before that of ``role``; their names. Findings: nowhere to put it."""
    findings: list[Finding] = []
    names = []
    level = plan.pod_security
    strict = level is not None and level.value == "restricted"
    user = role.security.get(("runAsUser",))
    for key, data in plan.fetched.items():
        place = data.uri.key
        found = _holder(role, data.path.value)
        if found is None and OPERATOR.at(plan.version) < CLAIMS:
            message = f"no mount holds the {key} that is fetched to `{data.path.value}`"
            notes = [f"from {spelled(CLAIMS)} on, a TrainJob can have a claim of its own for it"]
            findings.append(codes.CONTRADICTION.at(place, message, notes=notes))
            continue
        if found is not None and "emptyDir" in found[1]:
            message = f"an empty volume holds the {key} that is fetched: each pod has its own"
            related = [(found[0].said.place, "the mount")] if found[0].said.place is not None else []
            findings.append(codes.CONTRADICTION.at(place, message, related=related))
            continue
        if strict and (user is None or not user.value):
            message = f"the {key} is fetched by an image of root, which `podSecurity: restricted` contradicts"
            related = [(level.at, "the level of the namespace")] if level is not None else []
            helps = ["`security: {user: 1000}` names the user of the nodes, who fetches it then"]
            findings.append(codes.CONTRADICTION.at(place, message, related=related, helps=helps))
            continue
        if strict and user is not None and found is None and "fsGroup" not in role.pod_security:
            message = f"the {key} is fetched into a new claim, which is root's and not the user's"
            related = [(user.at, "the user")]
            helps = [f"`fsGroup: {user.value}` beside `user` lets them write it"]
            findings.append(codes.CONTRADICTION.at(place, message, related=related, helps=helps))
            continue
        names.append(_job(plan, role, key, jobset, place, found))
    return names, findings


def _holder(role: RolePlan, path: str) -> tuple[MountPoint, dict[str, Any]] | None:
    """The mount of the nodes that holds a path, and its volume's source."""
    mounts = [mount for mount in role.mounts if under(path, mount.path)]
    if not mounts:
        return None
    mount = max(mounts, key=lambda one: len(one.path.rstrip("/")))
    return mount, next(volume.source for volume in role.volumes if volume.name == mount.volume)


def _job(
    plan: Plan, role: RolePlan, key: str, jobset: Build, place: Place, found: tuple[MountPoint, dict[str, Any]] | None
) -> str:
    name, reason = f"{key}-initializer", f"`{key}.uri`: fetched before the nodes begin"
    item = jobset.item("replicatedJobs")
    item.put("name", name, place, reason)
    outer = item.within("template")
    outer.within("metadata").within("labels").put(ANCESTOR, name, place, f"`spec.initializer.{key}` goes to this job")
    template = outer.within("spec").within("template")
    _metadata(plan, template)
    pod = template.within("spec")
    for secret in role.pull_secrets:
        pod.item("imagePullSecrets").say("name", secret)
    container = pod.item("containers")
    container.put("name", name, place, "Trainer looks the container up by this name")
    image = f"{IMAGES}/{name}:v{full(plan.version)}"
    container.put("image", pulled(plan, image), place, "Trainer's own image, of the installed version")
    _restricted(plan, role, pod, container)
    mount = container.item("volumeMounts")
    mount.put("name", VOLUME, place, "the name that Trainer's webhook wants")
    if found is None:
        mount.put("mountPath", _ROOT, place, f"the image writes to `{_ROOT}/{key}`")
        return name
    point, source = found
    mount.put("mountPath", f"{_ROOT}/{key}", place, "where the image writes")
    below = plan.fetched[key].path.value.rstrip("/")[len(point.path.rstrip("/")) :].strip("/")
    inside = "/".join(part for part in (point.sub_path or "", below) if part)
    if inside:
        mount.put("subPath", inside, place, f"`{key}.path`, in the volume that the nodes mount")
    volume = pod.item("volumes")
    volume.put("name", VOLUME, point.said.place, "the volume that the nodes mount")
    for word, value in source.items():
        volume.put(word, value, point.said.place, "the volume that the nodes mount")
    return name


def _restricted(plan: Plan, role: RolePlan, pod: Build, container: Build) -> None:
    """What the level `restricted` demands: the initialiser runs as the user of the nodes, who read what it writes.

    Trainer's image has no user of its own (cmd/initializers/*/Dockerfile) and nothing that belongs to root alone; the
    client of Hugging Face keeps its token below ``HOME``, which a user unknown to the image does not have.
    """
    level = plan.pod_security
    if level is None or level.value != "restricted":
        return
    demands, reason = level.place, "the level `restricted` demands it of every container"
    context = container.within("securityContext")
    for name in ("runAsUser", "runAsGroup"):
        said = role.security.get((name,))
        if said is not None:
            context.put(name, said.value, said.place, f"{said.reason}, as the nodes")
    context.put("allowPrivilegeEscalation", False, demands, reason)
    context.within("capabilities").put("drop", ["ALL"], demands, reason)
    home = container.item("env")
    home.put("name", "HOME", demands, "the user of the nodes has no home in the image")
    home.put("value", "/tmp", demands, "the user of the nodes has no home in the image")
    whole = pod.within("securityContext")
    whole.put("runAsNonRoot", True, demands, reason)
    whole.put("seccompProfile", {"type": "RuntimeDefault"}, demands, reason)
    if "fsGroup" in role.pod_security:
        whole.say("fsGroup", role.pod_security["fsGroup"])


def _metadata(plan: Plan, template: Build) -> None:
    """The job's labels, and no sidecar of a mesh, which would outlive the fetching."""
    for name, said in plan.labels.items():
        template.within("metadata").within("labels").say(name, said)
    mesh = plan.mesh
    if mesh is not None:
        reason = "the cluster has a mesh, whose sidecar would outlive the fetching"
        template.within("metadata").within(mesh.value).put("sidecar.istio.io/inject", "false", mesh.place, reason)


def claim(plan: Plan, role: RolePlan, jobset: Build, container: Build) -> None:
    """A claim that lives as long as the job, for what is fetched to a path under no mount; mounted in the nodes."""
    for key, data in plan.fetched.items():
        if _holder(role, data.path.value) is not None:
            continue
        place = data.uri.key
        if "volumeClaimPolicies" not in jobset.tree:
            template = jobset.item("volumeClaimPolicies").item("templates")
            reason = "no mount holds what is fetched: a claim that lives as long as the job"
            template.within("metadata").put("name", VOLUME, place, reason)
            spec = template.within("spec")
            several = plan.world.pods > 1
            modes = ["ReadWriteMany" if several else "ReadWriteOnce"]
            spec.put("accessModes", modes, place, "the initialiser and all nodes mount it" if several else reason)
            amounts = spec.within("resources").within("requests")
            amounts.put(
                "storage", _SIZE, place, "as in the runtimes of Trainer; a mount over the path has its own size"
            )
        mount = container.item("volumeMounts")
        mount.put("name", VOLUME, place, f"where the initialiser puts the {key}")
        mount.say("mountPath", data.path)
        mount.put("subPath", key, place, f"the initialiser writes to `{_ROOT}/{key}`")
