"""`accelerate launch` in front of the program: its line, and the jobs that it cannot start.

Read from huggingface/accelerate 1.15.0, commands/launch.py and utils/launch.py: told several machines, it reads no
variable of an operator for this pod's number and where they meet, so all of it is written. Kubernetes replaces
`$(NAME)` in the line. Options of the line win over a configuration file: one that the job carries is read, as it may
have DeepSpeed's own launcher start everything, or choose no launcher at all.
"""

from __future__ import annotations

from specgen.operators.kubernetes.launchers import ACCELERATE, SPREADING, of_words
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.operators.kubernetes.accelerate import Configured
    from specgen.plan.kind import Kind
    from specgen.plan.model import World
    from specgen.profile.resolve import ResolvedJob
    from specgen.profile.roles import RoleProfile

# Options that say which of accelerate's launchers starts the processes; `--multi_gpu` goes with none of them.
_CHOSEN = (*SPREADING, "cpu", "tpu", "config_file")
# With several machines DeepSpeed's own launcher would go over ssh, unless it is told otherwise.
_NO_SSH = "deepspeed_multinode_launcher"


def checks(job: ResolvedJob, kind: Kind, count: World) -> list[Finding]:
    """SG207: accelerate is told how many processes there are, and which pod is the first."""
    place = job.place(("start",))
    if count.elastic:
        message = "accelerate starts a fixed number of processes, and the job is elastic"
        related = [(job.place(("elastic",)), "pods come and go")]
        helps = ["`start: torchrun` lets them meet again; Accelerate's library takes its ranks from torchrun"]
        return [codes.CONTRADICTION.at(place, message, related=related, helps=helps)]
    if not count.counted:
        message = f"`procsPerPod: {count.word}` leaves the count to torchrun, and accelerate takes a number"
        return [codes.CONTRADICTION.at(job.place(("procsPerPod",)), message, helps=["write the number"])]
    if kind.first is not None and not count.led:
        message = "without a Master nobody tells accelerate the pod's rank and where to meet"
        helps = ["`start: torchrun` lets the workers meet at worker 0"]
        return [codes.CONTRADICTION.at(place, message, helps=helps)]
    return []


def started(profile: RoleProfile, command: list[str], kind: Kind, count: World) -> list[str]:
    """accelerate's line up to the command: pods, processes, this pod's number, and the first pod's address.

    What the command begins with may be options of accelerate as well, such as its configuration file.
    """
    start = profile.job.job.start
    path, options = "accelerate launch", []
    if start is not None and not isinstance(start, str):
        path, options = start.path or path, start.options
    said = of_words([ACCELERATE, "launch", *command])
    own = [word.lstrip("-").replace("-", "_").partition("=")[0] for word in options]
    own += said.options if said is not None else ()
    file = _carried(profile, [*options, *command]) if "config_file" in own else None
    # a file that chooses none would start one process in each pod
    chosen = set(own) & set(_CHOSEN) - ({"config_file"} if file is not None and not file.spreads else set())
    line = []
    if count.size > 1 and not chosen:
        line.append("--multi_gpu")
    over_ssh = "use_deepspeed" in own or (file is not None and file.over_ssh and not set(own) & set(SPREADING))
    if count.pods > 1 and over_ssh and _NO_SSH not in own:
        line.append(f"--{_NO_SSH}=standard")
    line += [f"--num_machines={count.pods}", f"--num_processes={count.size}"]
    if count.pods > 1 and kind.meets is not None:
        rank, host, port = kind.meets
        line += [f"--machine_rank=$({rank})", f"--main_process_ip=$({host})", f"--main_process_port=$({port})"]
    kept = [word for word in line if word.lstrip("-").partition("=")[0] not in own]
    return [*path.split(), *kept, *options]


def _carried(profile: RoleProfile, words: list[str]) -> Configured | None:
    """What the configuration file says that a line names; None where the job does not carry it."""
    from specgen.operators.kubernetes.accelerate import configured
    from specgen.plan.carried import text_of

    line = of_words([ACCELERATE, "launch", *words])
    name = line.value("config_file") if line is not None else ""
    text = text_of(profile, name)
    return configured(text, name) if text is not None else None
