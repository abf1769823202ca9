"""The keys of ssh in a TrainJob of MPI, with the modes that OpenSSH wants.

Trainer mounts the private key with mode 0640 (kubeflow/trainer v2.3.0, pkg/runtime/framework/plugins/mpi, recorded),
and ssh passes over a key that is its own user's and open to others (OpenSSH, authfile.c, sshkey_perm_ok): as root every
job would wait for a password. A user without root reads it through its group, as in the runtimes of Trainer.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY
from specgen.lower.trainjob.plan import KEYS, MOUNT
from specgen.manifest.build import Build
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding, Place
    from specgen.plan.model import Plan, RolePlan

_NAME = "ssh-keys"
_SCRIPT = f"cp {MOUNT}/* {KEYS}/\nchmod 700 {KEYS}\nchmod 600 {KEYS}/*\n"


def policy(plan: Plan, part: Build) -> None:
    """``mlPolicy.mpi``: slots, and where Trainer mounts the keys."""
    job, start = plan.job, plan.job.job.start
    place = job.place(("start",))
    part.put("numProcPerNode", plan.world.procs_per_pod, place, "processes of each node: slots in the host file")
    part.put("mpiImplementation", "OpenMPI", place, "the only one that Trainer writes host files for")
    choice = None if start is None or isinstance(start, str) else start
    said = choice.ssh.keys if choice is not None and choice.ssh is not None else None
    if said is not None and said.rstrip("/") != KEYS:
        part.put("sshAuthMountPath", said, job.place(("start", "ssh", "keys")), "`start.ssh.keys`")
    else:
        part.put(
            "sshAuthMountPath", MOUNT, place, f"from here they are copied to `{KEYS}`, with the mode that ssh wants"
        )
    trains = choice is not None and bool(choice.launcher_trains)
    at = job.place(("start", "launcherTrains")) if trains else place
    part.put("runLauncherAsNode", trains, at, "`start.launcherTrains`" if trains else "the launcher only runs mpirun")


def with_keys(plan: Plan, role: RolePlan, pod: Build) -> list[Finding]:
    """Copies the keys for root before the program of a role; ``pod`` is its spec. Findings: keys nobody can read."""
    words = role.words.words.security
    if words.user:
        return _readable(plan, role, pod)
    own = [mount for mount in role.mounts if mount.path.rstrip("/") == KEYS]
    if own:
        place = role.words.place(("mounts", own[0].path), KEY)
        message = f"the mount `{own[0].path}` contradicts the keys of ssh, which lie there"
        return [codes.CONTRADICTION.at(place, message)]
    place = plan.job.place(("start",))
    container = pod.item("initContainers")
    reason = "Trainer mounts the key with a mode that ssh passes over"
    container.put("name", _NAME, place, reason)
    if role.image is not None:
        container.say("image", role.image)
    container.put("command", ["/bin/sh", "-e", "-c", _SCRIPT], place, reason)
    _mount(container, "mpi-ssh-auth", MOUNT, place, "the keys as Trainer mounts them")
    _mount(container, _NAME, KEYS, place, "the keys as ssh takes them")
    volume = pod.item("volumes")
    volume.put("name", _NAME, place, reason)
    volume.put("emptyDir", {}, place, reason)
    for index, one in enumerate(pod.tree["containers"]):
        if one["name"] == "node":
            main = Build(pod.origins, (*pod.path, "containers", index), one)
            _mount(main, _NAME, KEYS, place, "the keys as ssh takes them")
    return []


def _mount(container: Build, name: str, path: str, place: Place, reason: str) -> None:
    mount = container.item("volumeMounts")
    mount.put("name", name, place, reason)
    mount.put("mountPath", path, place, reason)


def _readable(plan: Plan, role: RolePlan, pod: Build) -> list[Finding]:
    """The launcher gets the nodes' ``fsGroup``. SG207: without one the keys are root's alone."""
    words = role.words.words.security
    if words.fs_group is not None:
        return []
    nodes = plan.roles[0].words
    group = nodes.words.security.fs_group
    if group is not None:
        reason = "the launcher reads the keys of ssh through the group of its nodes"
        pod.within("securityContext").put("fsGroup", group, nodes.place(("security", "fsGroup")), reason)
        return []
    message = f"`user: {words.user}` contradicts the keys of ssh, which Trainer mounts for root and the pod's group"
    helps = [f"`fsGroup: {words.user}` beside it lets that user read them"]
    return [codes.CONTRADICTION.at(role.words.place(("security", "user")), message, helps=helps)]
