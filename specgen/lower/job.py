"""What the job objects of all kinds have in common: envelope, run policy, replicas with their pods, patches."""

from __future__ import annotations

from specgen.diagnostics.model import NOTE
from specgen.lower.pod import template
from specgen.manifest.build import Build
from specgen.manifest.merge import merge
from specgen.manifest.model import Manifest
from specgen.manifest.origins import Origins
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.plan.kind import Mpi
    from specgen.plan.model import Plan, World
    from specgen.plan.pods import Patch, RolePlan
    from specgen.source import Path


def envelope(plan: Plan, api_version: str, kind: str = "") -> Build:
    """A job object with ``apiVersion``, ``kind`` and ``metadata``; the lowering goes on with its ``spec``.

    kind: as manifests spell it, where profiles have another word.
    """
    build = Build(Origins(plan.document))
    target = plan.world.target
    build.put("apiVersion", api_version, target, f"`target`, as the cluster's {plan.kind.operator} serves it")
    build.put("kind", kind or plan.kind.name, target, "`target`")
    metadata = build.within("metadata")
    if plan.generated is not None:
        metadata.say("generateName", plan.generated)
    else:
        metadata.say("name", plan.named)
    if plan.namespace is not None:
        metadata.say("namespace", plan.namespace)
    for key, marks in (("labels", plan.labels), ("annotations", plan.annotations), ("labels", plan.job_labels)):
        for name, said in marks.items():
            metadata.within(key).say(name, said)
    return build


def run_policy(plan: Plan, spec: Build, unable: dict[str, str] | None = None, *, cleans: bool = True) -> list[Finding]:
    """``runPolicy`` of the kinds of Kubeflow and MindSpore: clean-up, limits, suspension, and the gang's words.

    unable: words of ``lifecycle`` that the kind's operator cannot follow → why. Findings: SG208 for those said.
    cleans: whether the clean-up stands here.
    """
    lifecycle = plan.lifecycle
    policy = spec.within("runPolicy")
    if cleans and lifecycle.clean_pods is not None:
        policy.say("cleanPodPolicy", lifecycle.clean_pods)
    findings = []
    for key, word, said in (
        ("ttlSecondsAfterFinished", "ttl", lifecycle.ttl),
        ("activeDeadlineSeconds", "deadline", lifecycle.deadline),
        ("backoffLimit", "backoffLimit", lifecycle.backoff_limit),
        ("suspend", "suspend", lifecycle.suspend),
    ):
        if said is not None and unable is not None and word in unable:
            findings.append(codes.NOT_FOR_TARGET.at(said.key, unable[word]))
        elif said is not None:
            policy.say(key, said)
    if lifecycle.managed_by is not None:
        policy.say("managedBy", lifecycle.managed_by)
    if lifecycle.restart_all is not None:
        message = f"the {plan.kind.operator} restarts the pods of {plan.kind.one} one by one"
        helps = ["`target: TrainJob`, `target: JobSet`, and `target: VolcanoJob` restart all of them together"]
        findings.append(codes.NOT_FOR_TARGET.at(lifecycle.restart_all.key, message, helps=helps))
    for path, ruled in plan.run_policy.items():
        part = policy
        for step in path[:-1]:
            part = part.within(step)
        part.say(path[-1], ruled)
    if not policy.tree:
        del spec.tree["runPolicy"]
    return findings


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
    findings: list[Finding] = []
    template(role, part.within("template"), container)
    if judge is not None:
        findings += judge(part.within("template"))
    patch_role(role, part, findings)
    return findings


def restarts_of_a_job(plan: Plan, part: Build) -> None:
    """``backoffLimit`` of a Job of JobSet's: as it follows, or none where all pods start again together."""
    limit, again = plan.lifecycle.backoff_limit, plan.lifecycle.restart_all
    if limit is not None:
        reason = limit.reason if plan.lifecycle.restarts is not None else f"{limit.reason}: restarts of the Job's pods"
        part.put("backoffLimit", limit.value, limit.place, reason)
    elif again is not None:
        reason = "the first pod that fails ends the Job, and all pods start again together"
        part.put("backoffLimit", 0, again.place, reason)


def restarts_of_all(plan: Plan, jobset: Build) -> None:
    """``failurePolicy.maxRestarts`` of a JobSet: how often all pods start again together."""
    again = plan.lifecycle.restart_all
    if again is not None:
        reason = f"{again.reason}: JobSet makes the pods of all roles anew"
        jobset.within("failurePolicy").put("maxRestarts", again.value, again.place, reason)


def restart_policy(plan: Plan, role: RolePlan, part: Build) -> None:
    """``restartPolicy`` of a role: as written, else the kind's own, written out."""
    if role.restart is not None:
        part.say("restartPolicy", role.restart)
    elif plan.lifecycle.restart_all is not None:
        reason = "a pod that fails starts all of them again, and not itself alone"
        part.put("restartPolicy", "Never", plan.lifecycle.restart_all.place, reason)
    else:
        own = plan.kind.restarts.get(role.word, plan.kind.restart)
        part.put("restartPolicy", own, None, "the operator's default, written out")


def no_success(plan: Plan, rule: str) -> list[Finding]:
    """SG208: ``lifecycle.success`` where the kind has one ``rule`` for it."""
    success = plan.lifecycle.success
    if success is None:
        return []
    return [codes.NOT_FOR_TARGET.at(success.key, f"{rule}: `success` cannot be said")]


def finished(plan: Plan, build: Build, findings: list[Finding]) -> tuple[Manifest, list[Finding]]:
    """The manifest with the job's patch; findings for words of runtimes where the kind has none."""
    tree = build.tree
    if not plan.kind.fetches:
        if plan.runtime is not None:
            findings.append(codes.NOT_FOR_TARGET.at(plan.runtime.key, "only a TrainJob uses a runtime"))
        if plan.runtime_patch is not None:
            place = plan.runtime_patch.place(())
            findings.append(codes.NOT_FOR_TARGET.at(place, "only a TrainJob has a runtime to patch"))
    if plan.patch is not None:
        # after the pods', since a role's patch is the more special one and the job's the last word
        tree = patched(plan.patch, tree, (), build.origins, findings)
    if plan.pod_security is not None and plan.pod_security.value in ("baseline", "restricted"):
        from specgen.lower.pod_security import check  # most clusters name no level

        findings += check(plan, tree, build.origins)
    return Manifest(tree, build.origins), findings


def patch_role(role: RolePlan, part: Build, findings: list[Finding]) -> None:
    """The patches of a role over the template that ``part`` holds."""
    tree, path = part.tree, part.path
    if role.pod_patch is not None:
        tree["template"] = patched(role.pod_patch, tree["template"], (*path, "template"), part.origins, findings)
    if role.patch is not None:
        spec = tree["template"].get("spec")
        containers = spec.get("containers") if isinstance(spec, dict) else None
        # what the pod's patch made no containers of is refused by its shape
        if isinstance(containers, list):
            at = (*path, "template", "spec", "containers", 0)
            containers[0] = patched(role.patch, containers[0], at, part.origins, findings)


def patched(patch: Patch, tree: Any, path: Path, origins: Origins, findings: list[Finding]) -> Any:
    """The tree at ``path`` with the patch merged into it; notes where it overrides."""
    changed: list[tuple[Path, Path, bool]] = []
    merged = merge(tree, patch.tree, path, changed, ())
    for below, written, replaced in changed:
        place = patch.place(written)
        before = origins.of(below)
        if replaced and before is not None and before[0] == below:
            related = [(before[1], "this field said it")] if before[1] is not None else []
            message = f"the patch changes `{below[-1]}`, which is there because: {before[2]}"
            findings.append(codes.PATCH_OVERRIDES.at(place, message, related=related, severity=NOTE))
        origins.note(below, place, patch.reason)
    return merged


# How most kinds answer what the planner asks (`plan.target`); one that differs has a function of its own.


def names(plan: Plan) -> tuple[list[str], str]:
    """The names of the last pods, which are their Services' too."""
    derived = []
    for role in plan.roles:
        most = plan.world.most if plan.world.elastic else int(role.replicas.value)
        derived.append(f"{plan.name}-{role.name.lower()}-{most - 1}")
    return derived, "a pod and a Service bear it, and no Service can be created"


def untold(name: str, world: World, version: str) -> list[str]:
    """The operator tells torchrun everything, or it starts nothing here."""
    return []


def tells(name: str, world: World) -> tuple[dict[str, Any], int | None]:
    """The operator tells the pods itself."""
    return {}, None


def groups(plan: Plan, gang: str, flag: str | None) -> bool:
    """The operator makes the group of the gang for which it was started."""
    return flag == gang


def mpi(version: str, launcher: RolePlan, pods: int) -> Mpi:
    """Kinds without a launcher are not asked."""
    raise LookupError("the kind has no launcher")
