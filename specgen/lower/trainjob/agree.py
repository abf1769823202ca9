"""What a job says against the runtime of the cluster that it names, where the cluster profile gives the runtime's file.

Read from kubeflow/trainer v2.3.0 (658725bdae5c): pkg/runtime/framework/plugins/{mpi,jobset}, pkg/webhooks. Recorded:
image, command and arguments of a TrainJob reach only the launcher of a runtime of MPI, and resources and variables too
unless the launcher is a node; the nodes keep what the runtime says.
"""

from __future__ import annotations

from specgen.diagnostics.model import listed
from specgen.lower.trainjob.answers import LAUNCHED, unaware
from specgen.manifest.origins import located
from specgen.manifest.views import mapping, sequence
from specgen.operators.trainer.claims import claims_lost
from specgen.operators.trainer.runtime import SOURCES, ancestor
from specgen.plan.mounts import under
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding, Place
    from specgen.plan.model import Plan
    from specgen.plan.pods import RolePlan

_OWN = "`target: TrainJob` writes a runtime of the job's own"
# The default of the CRD.
_KEYS = "/root/.ssh"


def trained(tree: dict[str, Any]) -> str:
    """The replicated job of the runtime to which the program goes."""
    return next((str(job.get("name")) for job in _jobs(tree) if ancestor(job) == "trainer"), "node")


def alike(tree: dict[str, Any]) -> list[str]:
    """The replicated jobs whose pods train beside that to which the program goes: the nodes of a launcher."""
    if _policy(tree)[0] != "mpi":
        return []
    return [str(job.get("name")) for job in _jobs(tree) if job.get("name") == "node" and ancestor(job) != "trainer"]


def pods_of(tree: dict[str, Any], names: list[str]) -> list[dict[str, Any]]:
    """The specs of the pods of replicated jobs of the runtime, by their names."""
    found = []
    for job in _jobs(tree):
        if job.get("name") in names:
            template = mapping(mapping(mapping(job.get("template")).get("spec")).get("template"))
            found.append(mapping(template.get("spec")))
    return found


def contradictions(plan: Plan, name: str, place: Place, tree: dict[str, Any]) -> list[Finding]:
    """SG207 and SG208: a starter that the runtime does not serve, data that it does not fetch, claims that are lost.

    ``place``: where the profile names the runtime; ``tree``: the runtime.
    """
    return _starter(plan, name, place, tree) + _fetching(plan, name, tree) + _claims(plan, name, tree)


def _policy(tree: dict[str, Any]) -> tuple[str | None, dict[str, Any]]:
    policy = mapping(mapping(tree.get("spec")).get("mlPolicy"))
    source = next((one for one in SOURCES if one in policy), None)
    return source, mapping(policy.get(source)) if source is not None else {}


def _jobs(tree: dict[str, Any]) -> list[dict[str, Any]]:
    template = mapping(mapping(mapping(tree.get("spec")).get("template")).get("spec"))
    return [mapping(job) for job in sequence(template.get("replicatedJobs"))]


def _containers(job: dict[str, Any]) -> list[dict[str, Any]]:
    template = mapping(mapping(mapping(job.get("template")).get("spec")).get("template"))
    return [mapping(one) for one in sequence(mapping(template.get("spec")).get("containers"))]


def _starter(plan: Plan, name: str, place: Place, tree: dict[str, Any]) -> list[Finding]:
    """SG207: the runtime tells its pods what another starter reads, or starts them in another way."""
    source, starter = _policy(tree)[0], plan.world.starter
    if starter == "runtime":
        return _launched(plan, name, tree) if alike(tree) else []
    if source == "mpi" and starter not in LAUNCHED:
        # without a launcher in the plan the program would run in one pod and be planned for all
        message = f"`{starter}` contradicts the runtime `{name}`, whose launcher alone runs the command"
        helps = ["`start: mpirun` writes the launcher's line, which starts the processes of all nodes"]
        if plan.roles[0].program is None:
            helps = ["`start: runtime` leaves the command to the runtime"]
        return [codes.CONTRADICTION.at(place, message, helps=helps)]
    if source != "mpi" and starter in LAUNCHED:
        message = f"`{starter}` contradicts the runtime `{name}`, which has no launcher"
        return [codes.CONTRADICTION.at(place, message, related=[(located(plan.world.starter_place), "wants one")])]
    if source == "torch":
        return unaware(plan)
    if starter not in ("torchrun", "accelerate") or plan.roles[0].command is None:
        return []
    told = f"those of `{source}`" if source is not None else "nothing"
    message = f"`{starter}` contradicts the runtime `{name}`, which tells its pods {told}"
    helps = ["`start: self` leaves the processes to the command"]
    return [codes.CONTRADICTION.at(place, message, helps=helps)]


def _launched(plan: Plan, name: str, tree: dict[str, Any]) -> list[Finding]:
    """SG208: what a TrainJob tells the launcher alone, said of all pods."""
    role = plan.roles[0]
    found: dict[str, Place] = {}
    if role.image is not None and role.image.place is not None:
        found["image"] = role.image.at
    if not _policy(tree)[1].get("runLauncherAsNode"):
        for said in (*role.devices.limits.values(), *role.devices.requests.values(), *role.env.values()):
            if said.place is not None:
                found.setdefault(str(said.place.path[-1]), said.place)
    return [_untold(place, f"`{word}` reaches the launcher and not the nodes", name) for word, place in found.items()]


def _untold(place: Place, what: str, name: str) -> Finding:
    message = f"{what}: no TrainJob can tell it to the nodes of the runtime `{name}`"
    return codes.NOT_FOR_TARGET.at(place, message, helps=[_OWN])


def _fetching(plan: Plan, name: str, tree: dict[str, Any]) -> list[Finding]:
    """SG208 and SG207: data that the runtime has no job to fetch, and no mount to hold."""
    findings = []
    mounts = [mount.path for mount in plan.roles[0].mounts]
    for one in _jobs(tree):
        for container in _containers(one) if ancestor(one) == "trainer" else ():
            mounts += [str(mapping(mount).get("mountPath")) for mount in sequence(container.get("volumeMounts"))]
    names = [one.get("name") for one in _jobs(tree)]
    for key, data in plan.fetched.items():
        path = data.path.value
        if f"{key}-initializer" not in names:
            message = f"the runtime `{name}` has no job `{key}-initializer`, which alone fetches the {key}"
            findings.append(codes.NOT_FOR_TARGET.at(data.uri.key, message, helps=[_OWN]))
        elif not any(under(path, mount) for mount in mounts):
            message = f"no mount of the runtime `{name}` holds the {key} `{path}`"
            notes = ["the program would find an empty directory of the image, or nothing"]
            findings.append(codes.CONTRADICTION.at(data.path.at, message, notes=notes))
    return findings


def _claims(plan: Plan, name: str, tree: dict[str, Any]) -> list[Finding]:
    """SG207: amounts of the job, beside which the claims of the runtime's container are gone."""
    lost = [claim for claim, _ in claims_lost(tree)]
    devices = plan.roles[-1].devices
    said = [one for one in (*devices.limits.values(), *devices.requests.values()) if one.place is not None]
    if not lost or not said:
        return []
    message = f"`resources` contradict the runtime `{name}`, whose container has the claim `{lost[0]}`"
    notes = ["Trainer drops the claims of the runtime's container where the TrainJob says amounts"]
    helps = [f"leave the amounts to the runtime, or {_OWN[0].lower()}{_OWN[1:]}"]
    return [codes.CONTRADICTION.at(said[0].at, message, notes=notes, helps=helps)]


def nodes_of_launcher(plan: Plan, name: str, tree: dict[str, Any] | None) -> list[Finding]:
    """SG207 and SG208: what a job says of the nodes beside a launcher, which are as their runtime says.

    Takes from the planned nodes what only a runtime of the job's own would say. ``tree``: None where the cluster
    profile gives no file: the runtime is believed to be as the job says.
    """
    if tree is not None and _policy(tree)[0] != "mpi":
        return []  # it is refused as a whole
    findings = _agreed(plan, name, tree) if tree is not None else []
    worker = next((role for role in plan.roles if role.word == "worker"), None)
    if worker is not None:
        findings += _kept(plan, name, tree, worker)
        worker.command = worker.args = None
        worker.container.pop("readinessProbe", None)
    return findings


def _agreed(plan: Plan, name: str, tree: dict[str, Any]) -> list[Finding]:
    """SG207: who trains, and where the keys are, said otherwise than the runtime says it."""
    findings, policy, world = [], _policy(tree)[1], plan.world
    trains = world.trains is not None
    if bool(policy.get("runLauncherAsNode")) != trains:
        is_not = "is no node" if trains else "is one of the nodes"
        message = f"the launcher of the runtime `{name}` {is_not}, which the job contradicts"
        helps = [f"`start: {{by: {world.starter}, launcherTrains: true}}` counts it"] if not trains else []
        findings.append(codes.CONTRADICTION.at(located(world.trains or world.starter_place), message, helps=helps))
    keys, said = plan.launch.keys, str(policy.get("sshAuthMountPath", _KEYS))
    if keys is not None and keys.value.rstrip("/") != said.rstrip("/"):
        message = f"`keys: {keys.value}` contradicts the runtime `{name}`, which has them mounted at `{said}`"
        findings.append(codes.CONTRADICTION.at(keys.at, message))
    return findings


def _kept(plan: Plan, name: str, tree: dict[str, Any] | None, worker: RolePlan) -> list[Finding]:
    """SG208: what no TrainJob can tell the nodes."""
    findings: list[Finding] = []

    def refuse(place: Place, what: str) -> None:
        findings.append(_untold(place, what, name))

    # the workers have a program and arguments only where they say their own
    for word, own in (("command", worker.program), ("args", worker.args)):
        if own is not None:
            refuse(own.key, f"`{word}` of the workers")
    if worker.prepare is not None:
        refuse(worker.prepare.key, "`prepare`")
    for word, said in plan.launch.sshd.items():
        refuse(said.key, f"`{word}` of sshd")
    images = [
        str(one.get("image")) for each in _jobs(tree or {}) if each.get("name") == "node" for one in _containers(each)
    ]
    image = worker.image
    if image is not None and image.place is not None and image.value not in images:
        keep = f", which keep {listed(images)}" if images else ""
        refuse(image.place, f"`image` reaches the launcher and not the nodes{keep}")
    if plan.world.trains is not None:
        return findings  # the launcher is a node, and the others get its resources and variables
    for said in [*worker.devices.limits.values(), *worker.devices.requests.values(), *worker.env.values()]:
        if said.place is not None and all(one.place.path != said.place.path for one in findings):
            refuse(said.place, f"`{said.place.path[-1]}` reaches the launcher and not the nodes")
    return findings
