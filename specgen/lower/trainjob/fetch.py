"""Initialisers of a TrainJob: the replicated jobs that fetch data before the nodes begin, and where they put it.

Read from kubeflow/trainer v2.3.0 (658725bdae5c): manifests/base/runtimes, pkg/initializers and pkg/constants. Their
images write to ``/workspace/dataset`` and ``/workspace/model``; the webhook wants jobs and containers of exactly these
names, and a mount called ``initializer``.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY
from specgen.lower.pod import demanded
from specgen.lower.trainjob.plan import fetched
from specgen.operators.release import full, spelled
from specgen.operators.trainer.facts import CLAIMS, IMAGES, OPERATOR
from specgen.operators.trainer.refusals import is_uri
from specgen.operators.trainer.runtime import ANCESTOR
from specgen.plan.images import mirrored
from specgen.plan.mounts import under
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding, Place
    from specgen.manifest.build import Build
    from specgen.plan.model import MountPoint, Plan, RolePlan

VOLUME = "initializer"
_ROOT = "/workspace"
# As in upstream's runtimes that fetch (manifests/base/runtimes/torchtune).
_SIZE = "20Gi"


def initializer(plan: Plan, spec: Build) -> list[Finding]:
    """``spec.initializer`` of the TrainJob. Findings: what cannot be fetched."""
    job, findings = plan.job, []
    for key in fetched(job):
        words = job.layers.data[key]
        place = job.place((key, "uri"))
        if not is_uri(words["uri"]):
            message = f"`{words['uri']}` is no address of the form `scheme://…`, which alone an initialiser takes"
            findings.append(codes.NOT_FOR_TARGET.at(place, message))
        if words.get("offline"):
            related = [(job.place((key, "offline")), "it is there already")]
            findings.append(codes.CONTRADICTION.at(place, "`uri` contradicts `offline: true`", related=related))
        part = spec.within("initializer").within(key)
        part.put("storageUri", words["uri"], place, f"`{key}.uri`")
        if "secret" in words:
            part.within("secretRef").put("name", words["secret"], job.place((key, "secret")), f"`{key}.secret`")
    return findings


def jobs(plan: Plan, role: RolePlan, jobset: Build) -> tuple[list[str], list[Finding]]:
    """Writes the initialisers' replicated jobs, before that of ``role``; their names. Findings: nowhere to put it."""
    findings: list[Finding] = []
    names = []
    for key in fetched(plan.job):
        place = plan.job.place((key, "uri"), KEY)
        found = _holder(role, plan.job.layers.data[key]["path"])
        if found is None and OPERATOR.at(plan.version) < CLAIMS:
            message = f"no mount holds the {key} that is fetched to `{plan.job.layers.data[key]['path']}`"
            notes = [f"from {spelled(CLAIMS)} on, a TrainJob can have a claim of its own for it"]
            findings.append(codes.CONTRADICTION.at(place, message, notes=notes))
            continue
        if found is not None and "emptyDir" in found[1]:
            message = f"an empty volume holds the {key} that is fetched: each pod has its own"
            related = [(found[0].said.place, "the mount")] if found[0].said.place is not None else []
            findings.append(codes.CONTRADICTION.at(place, message, related=related))
            continue
        if demanded(role) is not None and not role.words.words.security.user:
            message = f"the {key} is fetched by an image of root, which `podSecurity: restricted` contradicts"
            related = [(plan.job.cluster_place(("podSecurity",)), "the level of the namespaces")]
            helps = ["`security: {user: 1000}` names the user of the nodes, who fetches it then"]
            findings.append(codes.CONTRADICTION.at(place, message, related=related, helps=helps))
            continue
        if demanded(role) is not None and found is None and role.words.words.security.fs_group is None:
            message = f"the {key} is fetched into a new claim, which is root's and not the user's"
            related = [(role.words.place(("security", "user")), "the user")]
            helps = [f"`fsGroup: {role.words.words.security.user}` beside `user` lets them write it"]
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
    for index, secret in enumerate(role.words.words.pull.secrets if role.words.words.pull is not None else ()):
        pod.item("imagePullSecrets").put("name", secret, role.words.place(("pull", "secrets", index)), "`pull.secrets`")
    container = pod.item("containers")
    container.put("name", name, place, "Trainer looks the container up by this name")
    image = f"{IMAGES}/{name}:v{full(plan.version)}"
    container.put("image", mirrored(image, plan.job.cluster), place, "Trainer's own image, of the installed version")
    _restricted(role, pod, container)
    mount = container.item("volumeMounts")
    mount.put("name", VOLUME, place, "the name that Trainer's webhook wants")
    if found is None:
        mount.put("mountPath", _ROOT, place, f"the image writes to `{_ROOT}/{key}`")
        return name
    point, source = found
    mount.put("mountPath", f"{_ROOT}/{key}", place, "where the image writes")
    below = plan.job.layers.data[key]["path"].rstrip("/")[len(point.path.rstrip("/")) :].strip("/")
    inside = "/".join(part for part in (point.sub_path or "", below) if part)
    if inside:
        mount.put("subPath", inside, place, f"`{key}.path`, in the volume that the nodes mount")
    volume = pod.item("volumes")
    volume.put("name", VOLUME, point.said.place, "the volume that the nodes mount")
    for word, value in source.items():
        volume.put(word, value, point.said.place, "the volume that the nodes mount")
    return name


def _restricted(role: RolePlan, pod: Build, container: Build) -> None:
    """What the level `restricted` demands: the initialiser runs as the user of the nodes, who read what it writes.

    Trainer's image has no user of its own (cmd/initializers/*/Dockerfile) and nothing that belongs to root alone; the
    client of Hugging Face keeps its token below ``HOME``, which a user unknown to the image does not have.
    """
    demands = demanded(role)
    if demands is None:
        return
    reason = "the level `restricted` demands it of every container"
    words = role.words.words.security
    for name, value, word in (("runAsUser", words.user, "user"), ("runAsGroup", words.group, "group")):
        if value is not None:
            at = role.words.place(("security", word))
            container.within("securityContext").put(name, value, at, f"`security.{word}`, as the nodes")
    context = container.within("securityContext")
    context.put("allowPrivilegeEscalation", False, demands, reason)
    context.within("capabilities").put("drop", ["ALL"], demands, reason)
    home = container.item("env")
    home.put("name", "HOME", demands, "the user of the nodes has no home in the image")
    home.put("value", "/tmp", demands, "the user of the nodes has no home in the image")
    whole = pod.within("securityContext")
    whole.put("runAsNonRoot", True, demands, reason)
    whole.put("seccompProfile", {"type": "RuntimeDefault"}, demands, reason)
    if words.fs_group is not None:
        whole.put("fsGroup", words.fs_group, role.words.place(("security", "fsGroup")), "`security.fsGroup`")


def _metadata(plan: Plan, template: Build) -> None:
    """The job's labels, and no sidecar of a mesh, which would outlive the fetching."""
    labels = plan.job.layers.data["metadata"].get("labels") or {}
    for name, value in labels.items():
        place = plan.job.place(("metadata", "labels", name))
        template.within("metadata").within("labels").put(name, value, place, "`metadata.labels`")
    mesh = plan.job.cluster.mesh
    if mesh is not None:
        group = "annotations" if not isinstance(mesh, str) and mesh.by == "annotation" else "labels"
        place = plan.job.cluster_place(("mesh",))
        reason = "the cluster has a mesh, whose sidecar would outlive the fetching"
        template.within("metadata").within(group).put("sidecar.istio.io/inject", "false", place, reason)


def claim(plan: Plan, role: RolePlan, jobset: Build, container: Build) -> None:
    """A claim that lives as long as the job, for what is fetched to a path under no mount; mounted in the nodes."""
    for key in fetched(plan.job):
        path = plan.job.layers.data[key]["path"]
        if _holder(role, path) is not None:
            continue
        place = plan.job.place((key, "uri"), KEY)
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
        mount.put("mountPath", path, plan.job.place((key, "path")), f"`{key}.path`")
        mount.put("subPath", key, place, f"the initialiser writes to `{_ROOT}/{key}`")
