"""What the job objects of all kinds have in common: envelope, run policy, replicas with their pods, patches."""

from __future__ import annotations

from specgen.diagnostics.model import KEY, NOTE
from specgen.lower.pod import template
from specgen.manifest.build import Build
from specgen.manifest.merge import merge
from specgen.manifest.model import Manifest
from specgen.manifest.origins import Origins
from specgen.plan.images import mirrored_in
from specgen.plan.make import removals
from specgen.profile import codes
from specgen.quantity import seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.plan.model import Plan, RolePlan
    from specgen.source import Path


def envelope(plan: Plan, api_version: str) -> Build:
    """A job object with ``apiVersion``, ``kind`` and ``metadata``; the backend goes on with its ``spec``."""
    build = Build(Origins(plan.job.document))
    target = plan.job.place(("target",))
    build.put("apiVersion", api_version, target, f"`target`, as the cluster's {plan.kind.operator} serves it")
    build.put("kind", plan.kind.name, target, "`target`")
    metadata(plan, build)
    return build


def metadata(plan: Plan, build: Build) -> None:
    """Name, namespace, labels and annotations of the job, and the labels that its gang's scheduler reads."""
    job = plan.job
    written = job.layers.data["metadata"]
    metadata = build.within("metadata")
    reason = "`metadata.name`" + (", with the variant" if job.variant else "")
    metadata.put("name", job.name, job.place(("metadata", "name")), reason)
    if "namespace" in written:
        metadata.put("namespace", written["namespace"], job.place(("metadata", "namespace")), "`metadata.namespace`")
    for key in ("labels", "annotations"):
        for name, value in (written.get(key) or {}).items():
            metadata.within(key).put(name, value, job.place(("metadata", key, name)), f"`metadata.{key}`")
    for name, said in plan.labels.items():
        metadata.within("labels").say(name, said)


def run_policy(plan: Plan, spec: Build, unable: dict[str, str] | None = None, *, cleans: bool = True) -> list[Finding]:
    """``runPolicy`` of the kinds of Kubeflow and MindSpore: clean-up, limits, suspension, and the gang's words.

    unable: words of ``lifecycle`` that the kind's operator cannot follow → why. Findings: SG208 for those said.
    cleans: whether the clean-up stands here.
    """
    job, lifecycle = plan.job, plan.job.job.lifecycle
    policy = spec.within("runPolicy")
    if cleans:
        clean_pods(plan, policy)
    findings = []
    for key, field, value in (
        ("ttlSecondsAfterFinished", "ttl", lifecycle.ttl and seconds(lifecycle.ttl)),
        ("activeDeadlineSeconds", "deadline", lifecycle.deadline and seconds(lifecycle.deadline)),
        ("backoffLimit", "backoffLimit", lifecycle.backoff_limit),
        ("suspend", "suspend", lifecycle.suspend),
    ):
        if value is not None and unable is not None and field in unable:
            findings.append(codes.NOT_FOR_TARGET.at(job.place(("lifecycle", field), KEY), unable[field]))
        elif value is not None:
            policy.put(key, value, job.place(("lifecycle", field)), f"`lifecycle.{field}`")
    for path, ruled in plan.run_policy.items():
        part = policy
        for step in path[:-1]:
            part = part.within(step)
        part.say(path[-1], ruled)
    if not policy.tree:
        del spec.tree["runPolicy"]
    return findings


def clean_pods(plan: Plan, policy: Build) -> None:
    """``cleanPodPolicy``, unless a null leaves it to the operator."""
    job = plan.job
    data = job.layers.data.get("lifecycle", {})
    if ("lifecycle", "cleanPods") in job.layers.removals and "cleanPods" not in data:
        return
    said = job.place(("lifecycle", "cleanPods")) if "cleanPods" in data else None
    reason = "`lifecycle.cleanPods`" if said else "pods that outlive the job would keep their GPUs"
    policy.put("cleanPodPolicy", job.job.lifecycle.clean_pods, said, reason)


def replica(
    plan: Plan,
    role: RolePlan,
    replicas: Build,
    container: str,
    *,
    restarts: bool = True,
    judge: Callable[[Build], list[Finding]] | None = None,
) -> list[Finding]:
    """One entry of a map of replicas: count, restart policy, pod template. ``restarts``: the kind restarts by role.

    judge: sees the template before the patches, for what the kind cannot say of its pods.
    """
    part = replicas.within(role.name)
    part.say("replicas", role.replicas)
    if restarts:
        restart_policy(plan, role, part)
    twin = next((other for other in plan.roles[: plan.roles.index(role)] if other.alike(role)), None)
    if twin is not None:
        # what stands below is one tree for both: nothing changes a compiled pod in place
        part.tree["template"] = {**replicas.tree[twin.name]["template"]}
        part.origins.same((*part.path, "template"), (*replicas.path, twin.name, "template"))
        return []
    findings = template(plan, role, part.within("template"), container)
    if judge is not None:
        findings += judge(part.within("template"))
    patch_role(role, part, findings)
    return findings


def restart_policy(plan: Plan, role: RolePlan, part: Build) -> None:
    """``restartPolicy`` of a role: as written, else the kind's own, written out."""
    restart = role.words.words.lifecycle.restart
    if restart is not None:
        part.put("restartPolicy", restart, role.words.place(("lifecycle", "restart")), "`lifecycle.restart`")
    else:
        own = plan.kind.restarts.get(role.word, plan.kind.restart)
        part.put("restartPolicy", own, None, "the operator's default, written out")


def no_success(plan: Plan, rule: str) -> list[Finding]:
    """SG208: ``lifecycle.success`` where the kind has one ``rule`` for it."""
    if plan.job.job.lifecycle.success is None:
        return []
    place = plan.job.place(("lifecycle", "success"), KEY)
    return [codes.NOT_FOR_TARGET.at(place, f"{rule}: `success` cannot be said")]


def finished(plan: Plan, build: Build, findings: list[Finding]) -> tuple[Manifest, list[Finding]]:
    """The manifest with the job's patch; findings for nulls that removed nothing, and for words of runtimes alone."""
    findings += removals(plan)
    tree = build.tree
    job = plan.job
    patch = job.layers.data.get("patch") or {}
    if plan.kind.name != "TrainJob":
        target = job.job.target
        if target is not None and not isinstance(target, str) and target.runtime is not None:
            place = job.place(("target", "runtime"), KEY)
            findings.append(codes.NOT_FOR_TARGET.at(place, "only a TrainJob uses a runtime"))
        if patch.get("runtime"):
            place = job.place(("patch", "runtime"), KEY)
            findings.append(codes.NOT_FOR_TARGET.at(place, "only a TrainJob has a runtime to patch"))
    if patch.get("job"):
        # after the pods', since a role's patch is the more special one and the job's the last word
        tree = patched(plan.roles[0], tree, patch["job"], (), ("patch", "job"), build.origins, findings)
    if job.cluster.pod_security in ("baseline", "restricted"):
        from specgen.lower.pod_security import check  # most clusters name no level

        findings += check(plan, tree, build.origins)
    return Manifest(tree, build.origins), findings


def patch_role(role: RolePlan, part: Build, findings: list[Finding]) -> None:
    """``patch.pod`` and ``patch.container`` of a role over the template that ``part`` holds."""
    patch = role.words.data.get("patch")
    if not patch:
        return
    tree, path = part.tree, part.path
    if patch.get("pod"):
        tree["template"] = patched(
            role, tree["template"], patch["pod"], (*path, "template"), ("patch", "pod"), part.origins, findings
        )
    if patch.get("container"):
        containers = tree["template"]["spec"]["containers"]
        at = (*path, "template", "spec", "containers", 0)
        containers[0] = patched(
            role, containers[0], patch["container"], at, ("patch", "container"), part.origins, findings
        )


def patched(
    role: RolePlan, tree: Any, patch: Any, path: Path, said: Path, origins: Origins, findings: list[Finding]
) -> Any:
    """The tree at ``path`` with the patch that was written at ``said`` merged into it; notes where it overrides."""
    changed: list[tuple[Path, Path, bool]] = []
    own, patch = patch, mirrored_in(patch, role.words.job.cluster, container=said[1] == "container")
    merged = merge(tree, patch, path, changed, said)
    # the patch of a whole object is the job's own: a launcher, for one, inherits no patch
    words = role.words if said[1] in ("pod", "container") else role.words.job
    for below, written, replaced in changed:
        place = words.place(written, KEY)
        before = origins.of(below)
        if replaced and before is not None and before[0] == below:
            related = [(before[1], "this field said it")] if before[1] is not None else []
            message = f"the patch changes `{below[-1]}`, which is there because: {before[2]}"
            findings.append(codes.PATCH_OVERRIDES.at(place, message, related=related, severity=NOTE))
        mirror = ", its images from the mirrors that the cluster profile names" if patch is not own else ""
        origins.note(below, place, f"`{'.'.join(str(step) for step in said)}`{mirror}")
    return merged
