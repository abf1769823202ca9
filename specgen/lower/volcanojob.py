"""Volcano Job, ``batch.volcano.sh/v1alpha1``: a plan as Volcano takes it (``operators.volcano.job``).

Each role is a task, and all pods are one gang: ``minAvailable`` is their number. Its plugins tell the pods what they
must know: ``pytorch`` where rank 0 is and who is which, ``svc`` the names of all, ``ssh`` and ``mpi`` how a launcher
reaches its workers. A pod that fails or is evicted has all of them begin again, as ``policies`` say.
"""

from __future__ import annotations

from specgen.lower import job as job_parts
from specgen.lower.pod import template
from specgen.manifest.origins import Sourced, key_of, located
from specgen.operators.volcano.facts import ADDED, HOSTS, KEYS, PORT, RETRIES, SCHEDULER
from specgen.operators.volcano.job import READER as READER
from specgen.plan.codes import OPERATOR_SETS_IT
from specgen.plan.gang import total
from specgen.plan.kind import Kind, Mpi
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.manifest.build import Build
    from specgen.manifest.model import Manifest
    from specgen.plan.model import Plan, World
    from specgen.plan.pods import RolePlan

_LAUNCHED = ("mpirun", "horovodrun")
_CONTAINER = "trainer"
_GROUP = "Volcano makes the group of its own Jobs, which no other scheduler reads"


PLAN = Kind(
    "VolcanoJob",
    operator=READER.operator.name,
    roles={"master": "master", "launcher": "launcher", "worker": "worker"},
    first=None,
    worker="worker",
    launcher="launcher",
    starters=("none", "self", "torchrun", "accelerate", *_LAUNCHED),
    restart="OnFailure",
    restarts={"launcher": "Never"},
    rigid="its pods are told how many they are when they are made",
    port=PORT,
    # those of pytorch are a launcher's own to say (``_taken``)
    reserved_env=frozenset((*ADDED["mpi"], *ADDED["env"])),
    labels=("volcano.sh/job-name", "volcano.sh/task-spec"),
    letter="its Service wants a letter first",
    no_gang={word: _GROUP for word in ("coscheduling", "kai", "kueue", "yunikorn")},
    flags=(),
    gang=SCHEDULER,
    hands_words_on=True,
    meets=("RANK", "MASTER_ADDR", "MASTER_PORT"),
    together=True,
)
names, tells = job_parts.names, job_parts.tells


def counts(world: World) -> dict[str, Sourced]:
    """A master and workers, or a launcher and workers where mpirun starts the ranks or the job names a launcher."""
    place = world.pods_place
    if world.starter not in _LAUNCHED and "launcher" not in world.named:
        found = {"master": Sourced(1, place, "one of `pods` is the master, with rank 0")}
        if world.pods > 1:
            found["worker"] = Sourced(world.pods - 1, place, "`pods` minus one master")
        return found
    if world.trains is not None:
        found = {"launcher": Sourced(1, world.trains, "the launcher is the first of `pods`")}
        if world.pods > 1:
            found["worker"] = Sourced(world.pods - 1, place, "`pods` minus the launcher, which trains")
        return found
    at = world.named.get("launcher") or key_of(world.starter_place)
    launcher = Sourced(1, at, "one pod starts the processes of the others")
    return {"launcher": launcher, "worker": Sourced(world.pods, place, "`pods` are all workers")}


def groups(plan: Plan, gang: str, flag: str | None) -> bool:
    """The Job is the gang: Volcano makes its group."""
    return gang == SCHEDULER


def untold(name: str, world: World, version: str) -> list[str]:
    """What torchrun is not told: the plugin has no variables of torchrun's own."""
    processes = world.word or str(world.procs_per_pod)
    told = [f"--nnodes={world.pods}", f"--nproc-per-node={processes}", "--node-rank=$(RANK)"]
    return [*told, "--master-addr=$(MASTER_ADDR)", "--master-port=$(MASTER_PORT)"]


def mpi(version: str, launcher: RolePlan, pods: int) -> Mpi:
    """ssh reaches the workers; svc lists them, one in a line and without slots.

    Open MPI 4 calls a host by the first part of its name, which the ssh plugin's configuration knows; 5 by all of it.
    """
    return Mpi(
        agent=None,
        idle=("/usr/sbin/sshd", "-De"),
        written=True,
        mounts=(),
        keys=KEYS,
        hosts=f"{HOSTS}/worker.host",
        hostfile="/tmp/mpi-hosts",
    )


def lower(plan: Plan) -> tuple[Manifest, list[Finding]]:
    """The plan as a Volcano Job; every part knows where it came from."""
    build = job_parts.envelope(plan, READER.api_version, READER.kind)
    spec = build.within("spec")
    findings = _unable(plan) + _taken(plan)
    _gang(plan, spec)
    _again(plan, spec, findings)
    if plan.lifecycle.ttl is not None:
        spec.say("ttlSecondsAfterFinished", plan.lifecycle.ttl)
    _plugins(plan, spec)
    for role in plan.roles:
        _task(plan, role, spec, findings)
    return job_parts.finished(plan, build, findings)


def _gang(plan: Plan, spec: Build) -> None:
    """Who schedules the pods, how many of them together, in which queue, how near to each other, and how early."""
    gang, target = plan.gang, plan.world.target
    scheduler = gang.scheduler if gang is not None else None
    if scheduler is not None:
        spec.put(
            "schedulerName", scheduler.value, scheduler.place, f"{scheduler.reason}: Volcano, as it is called here"
        )
    else:
        spec.put("schedulerName", SCHEDULER, target, "Volcano's own scheduler")
    if gang is None:
        reason = "no gang: pods are scheduled as there is room for each"
        spec.put("minAvailable", 1, None, reason)
    else:
        reason = f"{gang.said.reason}: none of the pods is scheduled before all can be"
        spec.put("minAvailable", total(plan), plan.world.pods_place, reason)
        if gang.queue is not None:
            spec.say("queue", gang.queue)
        for said in gang.topology.values():
            spec.say("networkTopology", said)
    priority = plan.roles[0].priority if plan.roles else None
    if priority is not None:
        reason = f"{priority.reason}: by it Volcano orders gangs"
        spec.put("priorityClassName", priority.value, priority.place, reason)


def _again(plan: Plan, spec: Build, findings: list[Finding]) -> None:
    """``maxRetry`` and ``policies``: a pod that fails or goes has all begin again, the last time fails the job.

    ``maxRetry`` is held against a count that was raised before, so 1 lets no new beginning pass, and the webhook takes
    0 for its default (pkg/controllers/job/state/restarting.go, pkg/webhooks/admission/jobs/mutate).
    """
    lifecycle = plan.lifecycle
    limit, again = lifecycle.backoff_limit, lifecycle.restart_all
    if again is not None:
        reason = f"{again.reason}, and once more, which fails the job"
        spec.put("maxRetry", int(again.value) + 1, again.place, reason)
    elif limit is not None and limit.value == 0:
        message = "`backoffLimit: 0` would be 3: Volcano takes no limit of 0, and puts its default there"
        helps = ["`restarts: 0` lets the first pod that fails be the end of the job"]
        findings.append(codes.NOT_FOR_TARGET.at(limit.at, message, helps=helps))
    elif limit is not None:
        reason = limit.reason if lifecycle.restarts is not None else f"{limit.reason}: beginnings of all pods"
        spec.put("maxRetry", limit.value, limit.place, reason)
    place = (again or limit or Sourced(None, None, "")).place
    reason = "a pod that is evicted, preempted or deleted has all of them begin again: the others wait for it"
    _policy(spec, "PodEvicted", "RestartJob", Sourced(None, place, reason))
    if not all(_ends_all(plan, role) for role in plan.roles):
        reason = "a pod that fails as a whole has all of them begin again: the others wait for it"
        _policy(spec, "PodFailed", "RestartJob", Sourced(None, place, reason))


def _ends_all(plan: Plan, role: RolePlan) -> bool:
    """Whether a pod of the role that fails is the end: it does not begin again, and no word counts new beginnings."""
    limited = plan.lifecycle.backoff_limit or plan.lifecycle.restart_all
    return role.restart is not None and role.restart.value == "Never" and limited is None


def _plugins(plan: Plan, spec: Build) -> None:
    """What the pods must know of each other."""
    target, plugins = plan.world.target, spec.within("plugins")
    if not any(role.word == "launcher" for role in plan.roles):
        if plan.world.starter == "self":
            plugins.put("env", [], target, "the command starts its processes itself: it finds its pod's number")
        said = ["--master=master", "--worker=worker", f"--port={PORT[1]}"]
        plugins.put("pytorch", said, target, "each pod learns its rank, how many there are, and where they meet")
    else:
        _of_launcher(plan, plugins)
    # without it a pod that is not ready yet has no name, and the others would wait for it with theirs
    said = ["--publish-not-ready-addresses=true"]
    plugins.put("svc", said, target, "the pods find each other by name, also while some are not ready yet")


def _of_launcher(plan: Plan, plugins: Build) -> None:
    target, sshd = plan.world.target, plan.launch.port
    if any(role.word == "worker" for role in plan.roles) and not any(_on_host(role) for role in plan.roles):
        # it opens its port in every container, and one node's network has each port once
        said = ["--master=launcher", "--worker=worker", *([f"--port={sshd.value}"] if sshd is not None else [])]
        plugins.put("mpi", said, target, "the launcher finds its workers' names in `MPI_HOST`")
    keys = plan.launch.keys
    reason = "the keys by which the launcher reaches its workers"
    if keys is not None:
        plugins.put("ssh", [f"--ssh-key-file-path={keys.value}"], keys.place, f"{keys.reason}: {reason}")
    else:
        plugins.put("ssh", [], target, reason)


def _task(plan: Plan, role: RolePlan, spec: Build, findings: list[Finding]) -> None:
    """The task of a role: its pods, and what follows when they end."""
    part = spec.item("tasks")
    target = plan.world.target
    part.put("name", role.name, target, "pods are called by it")
    part.say("replicas", role.replicas)
    _stored(role, part)
    if role.word == "launcher":
        reason = "the job is done when its launcher is: sshd of the workers never ends"
        _policy(part, "TaskCompleted", "CompleteJob", Sourced(None, target, reason))
    if role.restart is not None and _ends_all(plan, role):
        reason = f"{role.restart.reason}: a pod that fails ends the job, as no word counts new beginnings"
        _policy(part, "PodFailed", "TerminateJob", Sourced(None, role.restart.place, reason))
    template(role, part.within("template"), _CONTAINER)
    pod = part.within("template").within("spec")
    if role.restart is not None:
        pod.say("restartPolicy", role.restart)
    elif plan.lifecycle.restart_all is not None:
        reason = "a pod that fails starts all of them again, and not itself alone"
        pod.put("restartPolicy", "Never", plan.lifecycle.restart_all.place, reason)
    else:
        reason = "a container that fails starts again in place"
        if role.word == "launcher":
            reason = "a launcher that fails has all pods begin again, which is counted"
        pod.put("restartPolicy", PLAN.restarts.get(role.word, PLAN.restart), None, reason)
    job_parts.patch_role(role, part, findings)


def _stored(role: RolePlan, part: Build) -> None:
    """What Volcano's webhook adds to the tasks of a Job that is created, as it stores them anew then.

    Whoever applies a manifest without it again takes it away, as lists are replaced whole, and that is refused: of a
    Job that exists neither may change (pkg/webhooks/admission/jobs/mutate, validate).
    """
    reason = "Volcano would write it: all pods of the task, where the job's own number asks for all"
    part.put("minAvailable", role.replicas.value, role.replicas.place, reason)
    part.put("maxRetry", RETRIES, None, "Volcano would write it: its default")


def _policy(part: Build, event: str, action: str, why: Sourced) -> None:
    policy = part.item("policies")
    policy.put("event", event, why.place, why.reason)
    policy.put("action", action, why.place, why.reason)


def _on_host(role: RolePlan) -> bool:
    network = role.pod.get("hostNetwork")
    return role.devices.on_host is not None or (network is not None and bool(network.value))


def _unable(plan: Plan) -> list[Finding]:
    """SG208: words that no Volcano Job can follow."""
    lifecycle = plan.lifecycle
    findings = []
    for said, message in (
        (lifecycle.deadline, "a VolcanoJob has no deadline: `deadline` cannot be said"),
        (lifecycle.suspend, "a VolcanoJob has no field by which it waits: `suspend` cannot be said"),
    ):
        if said is not None and said.value is not False:
            findings.append(codes.NOT_FOR_TARGET.at(said.key, message))
    clean = lifecycle.clean_pods
    if clean is not None and clean.value != "Running":
        message = "a VolcanoJob that ends deletes the pods that still run, and no others: `cleanPods` is `Running`"
        findings.append(codes.NOT_FOR_TARGET.at(clean.at, message))
    if any(role.word == "launcher" for role in plan.roles):
        findings += job_parts.no_success(plan, "a VolcanoJob with a launcher succeeds when that does")
    seen: list[object] = []
    for role in plan.roles:
        said = role.restart
        if said is not None and said.value == "ExitCode" and said.at.path not in seen:
            seen.append(said.at.path)
            message = "`restart: ExitCode`: policies of a VolcanoJob are for one code each, and not for a range"
            helps = ["`restart: Never` with `restarts` has all pods begin again, whatever the code"]
            findings.append(codes.NOT_FOR_TARGET.at(said.at, message, helps=helps))
    return findings


def _taken(plan: Plan) -> list[Finding]:
    """SG207, SG208 and SG212: what the plugins add to every container of a pod, and cannot be there twice."""
    launched = any(role.word == "launcher" for role in plan.roles)
    keys = plan.launch.keys
    paths = [HOSTS, *([str(keys.value) if keys is not None else KEYS] if launched else [])]
    findings: list[Finding] = []
    seen: list[object] = []
    for role in plan.roles:
        for mount in [*role.mounts, *(one for beside in (*role.init, *role.sidecars) for one in beside.mounts or ())]:
            if mount.path.rstrip("/") in paths and mount.said.at.path not in seen:
                seen.append(mount.said.at.path)
                message = f"the mount `{mount.path}` contradicts Volcano, whose plugins mount their own there"
                findings.append(codes.CONTRADICTION.at(mount.said.key, message))
        if launched:
            continue
        for name in ADDED["pytorch"]:
            if name in role.env and role.env[name].at.path not in seen:
                seen.append(role.env[name].at.path)
                findings.append(OPERATOR_SETS_IT.at(role.env[name].key, f"the operator sets `{name}` itself"))
        if not _on_host(role) or not role.sidecars or role.native:
            continue
        place = located((role.devices.on_host or role.pod["hostNetwork"]).place)
        message = "containers beside the program contradict the node's network"
        notes = [f"the plugin `pytorch` opens port {PORT[1]} in every container, and a node has each port once"]
        findings.append(codes.NOT_FOR_TARGET.at(place, message, notes=notes))
    return findings
