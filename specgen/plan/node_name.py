"""The node's name for the trainer's verdicts. Loaded for jobs with a word `trainer` in a command line.

A process has it from its own container. What sshd starts has nothing of the container, and what mpirun carries is the
launcher's: so sshd itself is told it, by its option `SetEnv` (OpenSSH 7.8 and later, sshd_config(5)).
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY
from specgen.manifest.origins import Sourced
from specgen.operators.kubernetes.trainer_line import NODE, NODE_FIELD, runs
from specgen.plan.network import entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Place
    from specgen.plan.draft import RoleDraft
    from specgen.plan.pods import ContainerPlan
    from specgen.profile.roles import RoleProfile

_REASON = "verdicts of the trainer and of its guard name the node by it"
# Only an sshd that takes the option gets it; of two `SetEnv` it reads the first, so one in its configuration stays.
_TELL_SSHD = f"""\
node="SetEnv={NODE}=${NODE}"
if ! "$@" -T 2>/dev/null | grep -q '^setenv ' && "$@" -t -o "$node" 2>/dev/null; then
  set -- "$@" -o "$node"
fi
"""


def name_node(role: RoleDraft) -> None:
    """A variable with the node's name, where the role's command runs the trainer and has none of that name."""
    place = _running(role.profile)
    if place is not None:
        _add(role, place)


def name_nodes_of_ranks(launcher: RoleDraft, worker: RoleDraft | None, *, agent: bool, own: bool, local: bool) -> str:
    """The same where a launcher starts the ranks; shell text that the worker runs before its sshd, mostly none.

    ``agent``: ranks see the variables of the worker's container; ``own``: the worker has a command of its own;
    ``local``: the launcher runs ranks itself, and hands none of its variables on unasked.
    """
    place = _running(launcher.profile)
    if place is None or launcher.profile.job.runtime is not None:
        return ""
    if NODE in launcher.env or launcher.profile.removed(("env", NODE)):
        return ""  # the job's own travels as all its variables do
    if worker is None or local:
        _add(launcher, place)
    if worker is None or (own and not agent) or not _add(worker, place):
        return ""
    return "" if agent else _TELL_SSHD


def name_node_beside(container: ContainerPlan) -> None:
    """The same in a container before or beside the program."""
    if runs([*(container.command or ()), *(container.args or ())], container.workdir or ""):
        container.env.setdefault(NODE, entry({"field": NODE_FIELD}))


def _running(profile: RoleProfile) -> Place | None:
    """Where the command is that runs the trainer."""
    words = profile.words
    if profile.job.job.guard:
        return profile.job.place(("guard",), KEY)
    if not runs([*(words.command or ()), *(words.args or ())], words.workdir or ""):
        return None
    return profile.place(("command",) if words.command else ("args",), KEY)


def _add(role: RoleDraft, place: Place) -> bool:
    """Whether the variable is there by now, as the author neither set nor removed it."""
    if NODE in role.env or role.profile.removed(("env", NODE)) or _is_patched(role.profile):
        return False
    role.env[NODE] = Sourced(entry({"field": NODE_FIELD}), place, _REASON)
    return True


def _is_patched(profile: RoleProfile) -> bool:
    """Whether a patch speaks of the variable, which is the author's own word then."""
    patches = (profile.data.get("patch"), profile.job.layers.data.get("patch"))
    return any(f"'{NODE}'" in repr(patch) for patch in patches)
