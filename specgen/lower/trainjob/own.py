"""A TrainJob with a runtime of its own: the program stands in the TrainJob, what it runs on in the TrainingRuntime.

So people who change image, command, environment, resources or the number of nodes do it in the short object, where the
SDK and upstream's examples have them, and volumes, placement, rights and restarts stay together in the long one. Under
MPI ``trainer`` reaches the launcher alone (kubeflow/trainer v2.3.0, recorded): environment and resources then stay in
the runtime, with the pods that they are for. Everything is written in full before it is split, patches included.
"""

from __future__ import annotations

from specgen.lower import job as job_parts
from specgen.lower.pod import template
from specgen.lower.trainjob.answers import unaware
from specgen.lower.trainjob.fetch import claim, initializer
from specgen.lower.trainjob.fetch import jobs as initializers
from specgen.manifest.build import Build
from specgen.manifest.model import Manifest
from specgen.manifest.origins import Origins
from specgen.manifest.views import mapping, sequence
from specgen.operators.trainer.facts import DEADLINE, OPERATOR
from specgen.operators.trainer.runtime import ANCESTOR, API_VERSION
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.plan.model import Plan
    from specgen.plan.pods import RolePlan
    from specgen.source import Path

CONTAINER = "node"
_MANY = 1000
QUEUE = "scheduling.volcano.sh/queue-name"
# Fields of the container → where the TrainJob has them.
_PROGRAM = (("image", "image"), ("command", "command"), ("args", "args"))
_AROUND = (("env", "env"), ("resources", "resourcesPerNode"))


def own(plan: Plan) -> tuple[Manifest, list[Finding]]:
    """The TrainJob; its runtime goes into ``plan.prerequisites``."""
    build = job_parts.envelope(plan, API_VERSION)
    spec = build.within("spec")
    target = plan.world.target
    reference = spec.within("runtimeRef")
    reference.put("apiGroup", "trainer.kubeflow.org", target, "the group of Trainer's runtimes")
    reference.put("kind", "TrainingRuntime", target, "the runtime is the job's own")
    reference.put("name", plan.name, target, "the runtime is called as its job")
    findings = unable(plan) + unaware(plan)
    counted(plan, spec.within("trainer"), processes=True)
    findings += initializer(plan, spec)
    suspended(plan, spec)
    runtime, found = _runtime(plan, spec)
    findings += found
    job, findings = job_parts.finished(plan, build, findings)
    tree = runtime.tree
    if plan.runtime_patch is not None:
        tree = job_parts.patched(plan.runtime_patch, tree, (), runtime.origins, findings)
    plan.prerequisites = [Manifest(tree, runtime.origins)]
    if plan.pod_security is not None and plan.pod_security.value in ("baseline", "restricted"):
        from specgen.lower.pod_security import check  # most clusters name no level

        findings += check(plan, tree, runtime.origins)
    return job, findings + _patched_wrong(plan)


def _patched_wrong(plan: Plan) -> list[Finding]:
    """SG207: a patch with which nobody stores the runtime; what is written without one is right."""
    found = [patch for role in plan.roles for patch in (role.pod_patch, role.patch)]
    patch = next((one for one in (*found, plan.runtime_patch, plan.patch) if one is not None), None)
    if patch is None:
        return []
    from specgen.operators.expansion import Expansion  # few jobs are patched
    from specgen.operators.trainer.runtime import stored

    (runtime,) = plan.prerequisites
    expansion = Expansion(plan.kind.operator, plan.version, runtime.ref)
    stored(runtime, expansion)
    return [
        codes.CONTRADICTION.at(patch.place(()), f"{one.by} refuses the runtime with this patch: {one.reason}")
        for one in expansion.refusals
    ]


def unable(plan: Plan) -> list[Finding]:
    """SG208 and SG207: words that no TrainJob can follow."""
    findings = []
    clean = plan.lifecycle.clean_pods
    if clean is not None and clean.value != "Running":
        message = "a TrainJob deletes the pods that still run when it ends, and no others: `cleanPods` is `Running`"
        findings.append(codes.NOT_FOR_TARGET.at(clean.at, message))
    for role in plan.roles:
        said = role.restart
        if said is None or said.value not in ("Always", "ExitCode"):
            continue
        if all(one.place.path != said.at.path for one in findings):
            message = f"pods of a TrainJob are a Job's, which takes `OnFailure` or `Never`, not `{said.value}`"
            findings.append(codes.NOT_FOR_TARGET.at(said.at, message))
    for role in [one for one in plan.roles if one.replicas.value > _MANY]:
        from specgen.operators.kubernetes.job import MOST_PODS  # few have so many

        if role.replicas.value > MOST_PODS:
            message = f"a TrainJob's pods are those of an indexed Job, which has {MOST_PODS} at most"
            findings.append(codes.NOT_FOR_TARGET.at(role.replicas.at, message))
    launched = any(role.word == "launcher" for role in plan.roles)
    if not launched and "launcher" in plan.world.named:
        message = "a TrainJob has a launcher only where mpirun or horovodrun starts the processes"
        helps = ["`start: mpirun` starts them so"]
        findings.append(codes.NOT_FOR_TARGET.at(plan.world.named["launcher"], message, helps=helps))
    if launched:
        findings += job_parts.no_success(plan, "a TrainJob of MPI succeeds when its launcher does")
    for word, place in () if launched else plan.launch.words.items():
        message = f"`{word}` is of mpirun, and `{plan.world.starter}` starts the processes"
        findings.append(codes.CONTRADICTION.at(place, message))
    program = plan.roles[0].program
    if program is not None and program.value == ["tune", "run"] and not launched:
        message = "Trainer completes `tune run` by the name of its own runtimes: say one as `target.runtime`"
        findings.append(codes.NOT_FOR_TARGET.at(program.key, message))
    return findings


def counted(plan: Plan, trainer: Build, *, processes: bool) -> None:
    """Nodes and processes; without ``trainer`` nobody is told anything (recorded)."""
    world = plan.world
    trainer.put("numNodes", world.pods, world.pods_place, "`pods`")
    if processes:
        reason = "Trainer would count GPUs by their resource's name, else CPUs"
        reason = "`procsPerPod`" if world.procs_place is not None else reason
        trainer.put("numProcPerNode", world.procs_per_pod, world.procs_place, reason)


def suspended(plan: Plan, spec: Build) -> None:
    """``suspend``, and the deadline where TrainJobs have one."""
    lifecycle = plan.lifecycle
    if lifecycle.suspend is not None:
        spec.say("suspend", lifecycle.suspend)
    if lifecycle.managed_by is not None:
        spec.say("managedBy", lifecycle.managed_by)
    if lifecycle.deadline is not None and OPERATOR.at(plan.version) >= DEADLINE:
        spec.say("activeDeadlineSeconds", lifecycle.deadline)


def _runtime(plan: Plan, job: Build) -> tuple[Build, list[Finding]]:
    launched = any(role.word == "launcher" for role in plan.roles)
    build = Build(Origins(plan.document))
    target, start = plan.world.target, plan.world.starter_place
    build.put("apiVersion", API_VERSION, target, "`target`, as the cluster's trainer serves it")
    build.put("kind", "TrainingRuntime", target, "a TrainJob needs a runtime, this one is its own")
    _metadata(plan, build, "mpi" if launched else "torch")
    spec = build.within("spec")
    _policies(plan, spec, launched=launched)
    _queue(plan, spec)
    jobset = spec.within("template").within("spec")
    if plan.lifecycle.ttl is not None:
        jobset.say("ttlSecondsAfterFinished", plan.lifecycle.ttl)
    job_parts.restarts_of_all(plan, jobset)
    if launched:
        policy = jobset.within("successPolicy")
        policy.put("operator", "All", start, "the nodes' sshd never ends")
        policy.put("targetReplicatedJobs", ["launcher"], start, "the launcher runs mpirun")
    names, findings = initializers(plan, plan.roles[0], jobset)
    for role in plan.roles:
        findings += _replicated(plan, role, jobset, job.within("trainer"), names, launched=launched)
    return build, findings


def _metadata(plan: Plan, build: Build, framework: str) -> None:
    target = plan.world.target
    metadata = build.within("metadata")
    metadata.put("name", plan.name, target, "the runtime is called as its job")
    if plan.namespace is not None:
        metadata.say("namespace", plan.namespace)
    for name, said in plan.labels.items():
        reason = "`metadata.labels` go on what specgen makes beside the job"
        metadata.within("labels").put(name, said.value, said.place, reason)
    reason = "by this label Trainer's SDK tells what a runtime is for"
    metadata.within("labels").put("trainer.kubeflow.org/framework", framework, target, reason)


def _policies(plan: Plan, spec: Build, *, launched: bool) -> None:
    place = plan.world.starter_place if plan.world.starter_written else plan.world.target
    policy = spec.within("mlPolicy")
    if launched:
        from specgen.lower.trainjob.ssh import policy as mpi  # most jobs have no launcher

        mpi(plan, policy.within("mpi"))
    else:
        policy.put("torch", {}, place, "Trainer tells the nodes how many they are and where they meet (`PET_…`)")
    gang = plan.gang
    if gang is not None and gang.by_operator:
        spec.within("podGroupPolicy").put(
            gang.word, {}, gang.said.place, f"{gang.said.reason}; Trainer makes the group"
        )
        for said in gang.topology.values():
            spec.within("podGroupPolicy").within(gang.word).say("networkTopology", said)


def _queue(plan: Plan, spec: Build) -> None:
    """The queue of the group that Trainer makes: it takes it from this annotation of the JobSet."""
    gang = plan.gang
    if gang is not None and gang.by_operator and gang.queue is not None and gang.word == "volcano":
        spec.within("template").within("metadata").within("annotations").say(QUEUE, gang.queue)


def _replicated(
    plan: Plan, role: RolePlan, jobset: Build, trainer: Build, after: list[str], *, launched: bool
) -> list[Finding]:
    """One replicated job; what is the program's moves into ``trainer``."""
    is_launcher = role.word == "launcher"
    item = jobset.item("replicatedJobs")
    target = plan.world.target
    item.put("name", role.name, target, "the name that Trainer looks its pods up by")
    depends = [(name, "Complete") for name in after]
    if role.late:
        depends = [("node", "Ready")]
    for name, status in depends:
        entry = item.item("dependsOn")
        entry.put("name", name, target, "the nodes begin when the data is there")
        entry.put("status", status, target, "the launcher begins when its nodes run" if is_launcher else "fetched")
    outer = item.within("template")
    if is_launcher or not launched:
        reason = "`spec.trainer` goes to this job"
        outer.within("metadata").within("labels").put(ANCESTOR, "trainer", target, reason)
    part = outer.within("spec")
    _limits(plan, part)
    findings: list[Finding] = []
    template(role, part.within("template"), CONTAINER)
    pod = part.within("template").within("spec")
    job_parts.restart_policy(plan, role, pod)
    if launched:
        from specgen.lower.trainjob.ssh import with_keys

        findings += with_keys(plan, role, pod)
    if after and not role.starts:  # a launcher that trains reads the data too
        claim(plan, role, jobset, Build(pod.origins, (*pod.path, "containers", 0), pod.tree["containers"][0]))
    job_parts.patch_role(role, part, findings)
    pod = part.within("template").within("spec")
    if is_launcher or not launched:
        main = _split(pod, trainer, _PROGRAM if launched else (*_PROGRAM, *_AROUND))
        if not launched and main is not None:
            _summed(plan, trainer, "resourcesPerNode")
            _summed(plan, main, "resources")
    return findings


def _limits(plan: Plan, part: Build) -> None:
    job_parts.restarts_of_a_job(plan, part)
    deadline = plan.lifecycle.deadline
    if deadline is not None and OPERATOR.at(plan.version) < DEADLINE:
        reason = f"{deadline.reason}, of the Job: a TrainJob of this version has none"
        part.put("activeDeadlineSeconds", deadline.value, deadline.place, reason)


def _split(pod: Build, trainer: Build, fields: tuple[tuple[str, str], ...]) -> Build | None:
    """Moves fields of the training container into the TrainJob, with their origins; what is left of the container.

    Amounts stay beside claims: of a TrainJob, Trainer takes limits and requests alone, and with them no claims of the
    runtime either (recorded).
    """
    containers = sequence(mapping(pod.tree).get("containers"))
    at = next((at for at, one in enumerate(containers) if mapping(one).get("name") == CONTAINER), None)
    if at is None:  # a patch that leaves none is refused by the shape of the runtime
        return None
    main = containers[at] = dict(containers[at])
    moves: dict[Path, Path] = {}
    for field, there in fields:
        if field in main and not (field == "resources" and "claims" in main[field]):
            trainer.tree[there] = main.pop(field)
            moves[*pod.path, "containers", at, field] = (*trainer.path, there)
    pod.origins.hand(moves, trainer.origins)
    return Build(pod.origins, (*pod.path, "containers", at), main)


def _summed(plan: Plan, holder: Build, field: str) -> None:
    """Requests in full where Trainer adds them up for the group: it knows no limits (recorded)."""
    gang, resources = plan.gang, holder.tree.get(field) or {}
    if gang is None or not gang.by_operator or "requests" in resources or "limits" not in resources:
        return
    part = holder.within(field)
    reason = "Trainer adds up the requests of the gang, and would not count limits"
    part.put("requests", dict(resources["limits"]), gang.said.place, reason)
