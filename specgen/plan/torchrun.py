"""torchrun in front of the program: its line, and the words that let it count processes.

Read from torch 2.13, torch/distributed/run.py (determine_local_world_size, get_args_parser).
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, plural
from specgen.operators.kubernetes.argv import is_no_script
from specgen.operators.kubernetes.launchers import of_words
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding, Place
    from specgen.operators.kubernetes.launchers import Line
    from specgen.plan.kind import Kind
    from specgen.plan.model import World
    from specgen.profile.resolve import ResolvedJob
    from specgen.profile.roles import RoleProfile

# Any of these says how the pods meet.
_MEETING = ("--rdzv", "--standalone", "--master", "--nnodes")
_WHERE = ("--rdzv", "--master")


def word_checks(job: ResolvedJob, kind: Kind, count: World) -> list[Finding]:
    """SG208 where the kind takes a number and nobody knows it; SG207 where torchrun would find no GPU to count."""
    place, resources, devices = job.place(("procsPerPod",)), job.job.resources, count.asked
    if count.word == "gpu" and not (devices.gpu or resources.other or resources.claims):
        message = "`procsPerPod: gpu` starts a process for each GPU, and the pods ask for none"
        related = [(job.place(("resources", "gpu")), "no GPU")] if resources.gpu == 0 else []
        return [codes.CONTRADICTION.at(place, message, label="as many as GPUs", related=related)]
    where = devices.said.place if devices.said is not None else None
    if count.word == "cpu" and devices.gpu and where is not None and job.job.communication.library in (None, "nccl"):
        message = "`procsPerPod: cpu` starts a process for each CPU of the node, and they share the pod's GPUs"
        related = [(where, plural(devices.gpu, "GPU"))]
        notes = ["NCCL refuses two ranks of one communicator on the same GPU"]
        return [codes.CONTRADICTION.at(place, message, label="not by GPUs", related=related, notes=notes)]
    if count.counted or kind.hands_words_on:
        return []
    things = "the CPUs of the node" if count.word == "cpu" else "what it finds in the pod"
    message = f"{kind.one} takes a number of processes, and `{count.word}` leaves the count to torchrun"
    notes = [f"torchrun would count {things}, of which nothing is known here"]
    return [codes.NOT_FOR_TARGET.at(place, message, notes=notes, helps=["write the number"])]


def brought(job: ResolvedJob) -> tuple[Place, str]:
    """What has torchrun start the program, and how it says so: few profiles hold the word (``world.starter``)."""
    if job.job.start is not None:
        return job.place(("start",)), "torchrun starts the program"
    text = "torchrun starts the program, as no `start` says another"
    if job.job.elastic is not None:
        return job.place(("elastic",), KEY), text
    if isinstance(job.job.procs_per_pod, str) or (job.job.procs_per_pod or 1) > 1:
        return job.place(("procsPerPod",)), text
    return job.place(("target",)), text


def _script(line: list[str], inner: Line | None) -> list[str]:
    """The command from its script on; empty where it shows none."""
    rest = line[inner.program :] if inner is not None else line
    if rest[:1] and rest[0].rpartition("/")[2].startswith("python"):
        rest = rest[1:]
        while rest[:1] and rest[0] in ("-u", "-O", "-B", "-s", "-E", "-I"):
            rest = rest[1:]
    shows = rest[:1] and (rest[0].endswith(".py") or (rest[0] == "-m" and len(rest) > 1))
    return list(rest) if shows and rest != line else []


def interpreter(profile: RoleProfile, line: list[str], starter: str) -> list[Finding]:
    """torchrun and accelerate run the first word as a Python script: a program there would be read as source text."""
    start = profile.job.job.start
    options = start.options if start is not None and not isinstance(start, str) else []
    flags = [word.replace("_", "-") for word in options]
    if not line or not is_no_script(line[0]) or {"--no-python", "-m", "--module"} & set(flags):
        return []
    from specgen.schema.remedies import said  # most commands are right

    inner = of_words(line)
    script = _script(line, inner)
    begins = f"write `{said('command', script)}`" if script else "begin with the script, or with `-m` and a module"
    helps = [f"{begins}: torchrun itself runs Python, without buffering"]
    if starter != "torchrun" or line[0].rpartition("/")[2] in ("sleep", "tail"):
        helps = [begins, "`start: none` starts the command as it stands"]
    elif inner is not None:
        helps = [f"{begins}; `start: self` leaves the processes to `{inner.name}`, as it is written"]
        if inner.name == "accelerate":
            helps = [f"{begins}; `start: accelerate` has accelerate start it, with the ranks it needs"]
    # the name of an image may say what it holds
    if starter == "torchrun" and "jax" in (profile.words.image or "").partition("@")[0].lower():
        helps = ["`start: none` starts the command as it stands: JAX is one process a pod, and torchrun is PyTorch's"]
    return [
        codes.CONTRADICTION.at(
            profile.place(("command", 0)),
            f"{starter} would run `{line[0]}` as a Python script",
            label="no script",
            related=[brought(profile.job)] if starter == "torchrun" else [(profile.job.place(("start",)), starter)],
            helps=helps,
        )
    ]


def started(profile: RoleProfile, untold: list[str]) -> list[str]:
    """torchrun's line up to the program. ``untold`` gives way to what the job's own options say."""
    start = profile.job.job.start
    if start is None or isinstance(start, str):
        return ["torchrun", *untold]
    own = [word.replace("_", "-") for word in start.options]
    meets = any(word.startswith(_MEETING) and not word.startswith("--rdzv-conf") for word in own)
    names = [word.partition("=")[0] for word in own]
    # how many pods there are is told wherever they meet, unless each is to be alone
    gone = _MEETING if "--standalone" in names else _WHERE
    rest = [word for word in untold if word.partition("=")[0] not in names and not (meets and word.startswith(gone))]
    return [*(start.path or "torchrun").split(), *rest, *start.options]
