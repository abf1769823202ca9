"""`guard: true`: the trainer's guard in front of the program. Loaded for jobs that say so.

One guard stands before each pod's launcher, or under mpirun before each rank (trainer/guard). It meets the others at
the address that the pods have anyway, a hundred ports above it, so nothing of the network is written for it.
"""

from __future__ import annotations

from specgen.plan.codes import TRAINER_IN_IMAGE
from specgen.profile import codes
from specgen.quantity import seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding, Place
    from specgen.plan.draft import RoleDraft
    from specgen.plan.kind import Kind
    from specgen.plan.model import World
    from specgen.profile.resolve import ResolvedJob
    from specgen.profile.roles import RoleProfile

MEETS_AT = "MASTER_ADDR"
_END = 5  # seconds that the guard needs itself before the kubelet kills (trainer contract, "grace")
_MENTIONS = ("trainer", "specgen")
# Roles that a TFJob's guard is told no rank for (trainer/env.py, `tfjob`).
_RANKLESS = ("ps", "evaluator")


def before(profile: RoleProfile, line: list[str]) -> list[str]:
    """The guard's words up to the program: its interpreter is the command's own, where that names one."""
    first = line[0].rpartition("/")[2] if line else ""
    python = line[0] if first.startswith("python") else "python"
    grace = profile.words.lifecycle.grace
    own = seconds(grace) - _END if grace is not None else 0
    return [python, "-m", "trainer", "guard", *([f"--grace={own}"] if own > 0 else []), "--"]


def meeting(hostfile: str) -> str:
    """Shell text by which the ranks of mpirun know the first host, where rank 0 runs."""
    return f"{MEETS_AT}=$(sed -n '/^[^#]/{{s/[ :].*//;p;q;}}' {hostfile})\nexport {MEETS_AT}\n"


def checks(job: ResolvedJob, kind: Kind, count: World, roles: list[RoleDraft]) -> list[Finding]:
    """SG207 and SG208 where no guard can stand, or would not know the others; SG469 where the image decides."""
    place = job.place(("guard",))
    launcher = next((role for role in roles if role.word == kind.launcher), None)
    helps: list[str] = []
    if kind.name == "MSJob":
        message = "`guard: true` is not for an MSJob, whose workers have no address"
        return [codes.NOT_FOR_TARGET.at(place, message, helps=["`target: PyTorchJob`"])]
    why = ""
    if count.elastic:
        why = "contradicts `elastic`: guards wait for a fixed number of pods"
        helps = ["torchrun itself watches elastic jobs"]
    elif count.starter == "horovodrun":
        why, helps = "contradicts horovodrun, which tells no rank where the guards meet", ["`start: mpirun`"]
    elif count.starter == "runtime":
        why = "contradicts `start: runtime`: the command is the runtime's"
    elif launcher is not None and count.starter != "mpirun":
        why = (
            f"contradicts `start: {count.starter}`: it stands before each rank, and no line that starts them is written"
        )
        helps = ["`start: mpirun` writes the line"]
    elif rankless := [role.word for role in roles if role.word in _RANKLESS]:
        why = f"contradicts the role `{rankless[0]}`, which has no rank among those that train"
    elif any(role.profile.words.command is None for role in ([launcher] if launcher is not None else roles)):
        why = "needs a `command`: nobody knows the image's entrypoint"
    if why:
        return [codes.CONTRADICTION.at(place, f"`guard: true` {why}", helps=helps)]
    return in_image(place, "`guard: true`", "the guard needs Python 3.11, nothing else", roles)


def in_image(place: Place, what: str, needs: str, roles: list[RoleDraft]) -> list[Finding]:
    """SG469 where something runs the trainer in roles that do not say where it comes from."""
    if all(_brings(role.profile) for role in roles):
        return []
    message = f"{what} runs `python -m trainer`, which the image must hold"
    notes = [f"an image without it ends at once: `No module named trainer`; {needs}"]
    helps = ["copy the folder `trainer/` into the image, to `/opt/trainer` say, and write `env: {PYTHONPATH: /opt}`"]
    return [TRAINER_IN_IMAGE.at(place, message, notes=notes, helps=helps)]


def _brings(profile: RoleProfile) -> bool:
    """Whether the job itself says where the trainer comes from, or runs it anyway: it is not asked after, then."""
    words = profile.words
    if "-m trainer " in f"{' '.join([*(words.command or []), *(words.args or [])])} ":
        return True
    if "PYTHONPATH" in words.env or any(name in (words.prepare or "") for name in _MENTIONS):
        return True
    paths = [*words.mounts, *words.files, words.workdir or ""]
    return any(name in path for name in _MENTIONS for path in paths)
