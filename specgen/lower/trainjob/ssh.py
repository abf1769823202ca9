"""The keys of ssh in a TrainJob of MPI, with the modes that OpenSSH wants.

Trainer mounts the private key with mode 0640 (kubeflow/trainer v2.3.0, pkg/runtime/framework/plugins/mpi, recorded),
and ssh passes over a key that is its own user's and open to others (OpenSSH, authfile.c, sshkey_perm_ok): as root every
job would wait for a password. A user without root reads it through its group, as in the runtimes of Trainer.
"""

from __future__ import annotations

from specgen.lower.trainjob.answers import KEYS, MOUNT
from specgen.manifest.build import Build
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding, Place
    from specgen.manifest.origins import Sourced
    from specgen.plan.model import Plan
    from specgen.plan.pods import RolePlan

_NAME = "ssh-keys"
_SCRIPT = f"cp {MOUNT}/* {KEYS}/\nchmod 700 {KEYS}\nchmod 600 {KEYS}/*\n"


def policy(plan: Plan, part: Build) -> None:
    """``mlPolicy.mpi``: slots, and where Trainer mounts the keys."""
    world, keys = plan.world, plan.launch.keys
    place = world.starter_place
    part.put("numProcPerNode", world.procs_per_pod, place, "processes of each node: slots in the host file")
    part.put("mpiImplementation", "OpenMPI", place, "the only one that Trainer writes host files for")
    if keys is not None and keys.value.rstrip("/") != KEYS:
        part.say("sshAuthMountPath", keys)
    else:
        reason = f"from here they are copied to `{KEYS}`, with the mode that ssh wants"
        part.put("sshAuthMountPath", MOUNT, place, reason)
    if world.trains is not None:
        part.put("runLauncherAsNode", True, world.trains, "`start.launcherTrains`")
    else:
        part.put("runLauncherAsNode", False, place, "the launcher only runs mpirun")


def with_keys(plan: Plan, role: RolePlan, pod: Build) -> list[Finding]:
    """Copies the keys for root before the program of a role; ``pod`` is its spec. Findings: keys nobody can read."""
    user = role.security.get(("runAsUser",))
    if user is not None and user.value:
        return _readable(plan, role, pod, user)
    own = [mount for mount in role.mounts if mount.path.rstrip("/") == KEYS]
    if own:
        message = f"the mount `{own[0].path}` contradicts the keys of ssh, which lie there"
        return [codes.CONTRADICTION.at(own[0].said.key, message)]
    place = plan.world.starter_place
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


def _mount(container: Build, name: str, path: str, place: Place | None, reason: str) -> None:
    mount = container.item("volumeMounts")
    mount.put("name", name, place, reason)
    mount.put("mountPath", path, place, reason)


def _readable(plan: Plan, role: RolePlan, pod: Build, user: Sourced) -> list[Finding]:
    """The launcher gets the nodes' ``fsGroup``. SG207: without one the keys are root's alone."""
    if "fsGroup" in role.pod_security:
        return []
    group = plan.roles[0].pod_security.get("fsGroup")
    if group is not None:
        reason = "the launcher reads the keys of ssh through the group of its nodes"
        pod.within("securityContext").put("fsGroup", group.value, group.place, reason)
        return []
    message = f"`user: {user.value}` contradicts the keys of ssh, which Trainer mounts for root and the pod's group"
    helps = [f"`fsGroup: {user.value}` beside it lets that user read them"]
    return [codes.CONTRADICTION.at(user.at, message, helps=helps)]
