"""A job profile from options: what is left open is decided, the profile is built once, and then printed or written."""

from __future__ import annotations

import os
import re
import sys
from argparse import Namespace

from specgen.cli.beginning import (
    FRAMEWORKS,
    KINDS,
    MINDSPORE,
    MPI,
    NPU_IMAGES,
    OWN,
    PLAIN,
    PYTORCH,
    VERBS_IMAGE,
    Choice,
    facts,
    fitting,
    image,
    is_python,
    of_amd,
    starters,
    text,
    usual,
)
from specgen.cli.brought import Brought
from specgen.cli.files import DiskFiles
from specgen.cli.handed import free, hand
from specgen.cli.launched import read
from specgen.diagnostics.model import ERROR, BadQuestion
from specgen.operators.kubernetes.argv import is_bare
from specgen.plan.codes import AMBIGUOUS_POOL, RDMA_NOT_USED
from specgen.rules.image_without_verbs import CODE as NO_VERBS
from specgen.rules.unserved_kind import CODE as UNSERVED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from specgen.cli.terminal import Terminal
    from specgen.diagnostics.model import Code, Diagnostic, Finding
    from specgen.pipeline import Compiled
    from specgen.source import Source

_PODS, _GPU = 4, 1
_OF_MPI = {"Intel": "Intel MPI", "MPICH": "MPICH"}
NAME = "my-training"
# The kind that ends with the last of its pods.
_APART = "JobSet"
_TEXT = "<init>"
# What became of the one process of a container that has several GPUs.
_OF_CONTAINER = {
    "none": "One process, as the container has; `start: torchrun`, without `python`, if it calls `init_process_group`.",
    "torchrun": "The container had one process: a program that spreads over the GPUs by itself runs in each here.",
}


class _Begun(DiskFiles):
    """The files of this disk, and the profile, which is none of them yet."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def named(self, name: str) -> tuple[Source | None, list[Finding]]:
        """The profile, or a file of the command line. Raises BadQuestion."""
        if name != _TEXT:
            return super().named(name)
        from specgen.source import Source

        return Source(_TEXT, self._text), []


def asked_on_terminal(terminal: Terminal) -> bool:
    """Whether somebody sits there who can answer."""
    return sys.stdin is not None and sys.stdin.isatty() and terminal.out.isatty()


def begin(options: Namespace, terminal: Terminal) -> int:
    """Prints the profile, or writes it into the file that was named. Raises BadQuestion where none can be made."""
    free(options.out, "job.yaml", force=bool(options.force))
    options = read(options)
    choice = decided(options)
    found = _found(choice, options.cluster)
    if options.target is None and _has(found, UNSERVED):
        choice, found = _served(options, choice, found)
    if _has(found, RDMA_NOT_USED):
        choice.hca = True
        found = _found(choice, options.cluster)
    if _has(found, AMBIGUOUS_POOL):
        choice, found = _with_its_devices(options, choice, found)
    if _errors(found):
        choice, found = _on_a_whole_node(options, choice, found)
    # what a cluster may ask of every job: amounts beside huge pages, a word of kinds that are no gang there
    for word in ("amounts", "alone") if options.cluster is not None else ():
        errors = _errors(found)
        if not errors:
            break
        setattr(choice, word, True)
        tried = _found(choice, options.cluster)
        # what is left of the errors may be another one's: huge pages of a pod that fits no node
        helped = errors[0] not in _errors(tried)
        setattr(choice, word, helped and (word != "alone" or errors[0].rpartition(": ")[2]))
        found = tried if helped else found
    if choice.served is not None and choice.served is not facts(choice.kind):
        # the cluster has another operator for the kind, in another version
        choice.missing = facts(choice.kind).operator
        choice.kind = next(kind for kind in KINDS if facts(kind) is choice.served)
        found = _found(choice, options.cluster)
    if choice.hca and (errors := _errors(found)):
        # adapters that come with all GPUs of a node alone
        choice.hca = False
        tried = _found(choice, options.cluster)
        choice.hca = bool(_errors(tried))
        if not choice.hca:
            choice.refused, found = errors[0], tried
    several = choice.framework == MINDSPORE and choice.gpu > 1 and choice.pods > 1
    if several and options.start is None and not _errors(found):
        # each pod is told of one process
        choice.apart, choice.pods, choice.gpu = (choice.pods, choice.gpu), choice.pods * choice.gpu, 1
        choice.starter = usual(choice.framework, choice.kind, choice.gpu)
        found = _found(choice, options.cluster)
    picture, holds = fitting(choice)
    if options.image is None:
        choice.image, choice.holds = picture, holds
        found = _found(choice, options.cluster)
        if _has(found, NO_VERBS):
            choice.image = VERBS_IMAGE
            found = _found(choice, options.cluster)
    elif picture == OWN and "EFA" in holds:
        # nobody here sees into the one that is named
        choice.holds = holds
    if choice.refused:  # the profile says why
        found = [one for one in found if one["code"] != RDMA_NOT_USED.id]
    if _mount(choice):
        found = _found(choice, options.cluster)
    for one in found:
        if one["severity"] == ERROR:
            # what is wrong with a name, say, has nothing to do with devices
            device = choice.device.lower()
            asked = choice.gpu and not one["path"].startswith("metadata")
            none = _fewer(choice) or f"`--{device}` asks for {choice.gpu}, `--gpu 0` for none" if asked else None
            meant = next(iter(one["helps"]), one["fix"]["title"] if one["fix"] else none)
            if one["primary"]["file"] != _TEXT:  # the cluster profile's own
                at = one["primary"]["start"]
                where = f"{one['primary']['file']}:{at['line']}:{at['column']}"
                raise BadQuestion(f"{where}: {one['message']}", next(iter(one["helps"]), None))
            # the words of a profile that are options here
            said = re.sub(r"^write `([gn]pu|name): ([\w-]+)`", r"`--\1 \2`", meant) if meant is not None else None
            raise BadQuestion(one["message"], said)
        terminal.say(f"specgen: {one['severity']}: {one['message']} ({one['code']})")
        for line in one["helps"]:
            terminal.say(f"  = help: {line}")
    return hand(text(choice), options.out, f"`specgen build {options.out}` prints its manifest", terminal)


def _fewer(choice: Choice) -> str:
    """As many devices in more pods, where a pod has more than a node of the cluster; empty where they fit otherwise."""
    total = choice.pods * choice.gpu
    if not choice.gpu > choice.whole > 0 or choice.device != "GPU" or total % choice.whole:
        return ""
    return f"`--pods {total // choice.whole} --gpu {choice.whole}` for as many on nodes of {choice.whole}"


def _mount(choice: Choice) -> bool:
    """Mounts the cluster's file systems where the line says a directory of the node that is one, or a path of one.

    Returns whether it mounted any.
    """
    from specgen.rules.unmounted_path import of_storage

    brought, changed = choice.brought, False
    for path, mount in brought.mounts.items():
        source = str(mount.get("hostPath", ""))
        name, point = of_storage(source, choice.storage) if source else ("", "")
        if name and source == point:
            del mount["hostPath"]
            brought.mounts[path] = {"storage": name, **mount}
            brought.why[path] = f"the cluster's, for {source} of the node"
            changed = True
    for point, path in list(choice.unmounted.items()):
        name, there = of_storage(path, choice.storage)
        if name and there == point:
            brought.mounts[point] = {"storage": name}
            brought.why[point] = f"the cluster's, for {path}"
            changed = True
    return changed


def _unmounted(compiled: Compiled) -> dict[str, str]:
    """Where a path of the program has no volume → that path."""
    from specgen.checking import workload_of
    from specgen.rules.unmounted_path import missing

    found: dict[str, str] = {}
    if compiled.bundle is not None and compiled.reader is not None:
        job = compiled.bundle.job
        beside = [one for one in compiled.bundle.manifests if one is not job]
        workload = workload_of(compiled.reader, job, None, beside)
        for main in [role.main for role in workload.roles if role.main is not None]:
            for point, uses in missing(main, compiled.job.cluster.storage).items():
                found.setdefault(point, uses[0].path)
    return found


def builds(options: Namespace) -> bool:
    """Whether options give a profile in which nothing is wrong. Raises BadQuestion where they give none."""
    return not _errors(_found(decided(read(options)), options.cluster))


def decided(options: Namespace) -> Choice:
    """What was asked for, and what is usual beside it. Raises BadQuestion where two answers exclude each other."""
    framework, kind, starter = options.framework, options.target, options.start
    once = ""
    npu = options.npu or 0
    if npu and options.gpu:
        raise BadQuestion("--gpu and --npu contradict each other: a pod has devices of one sort", "`--npu` alone")
    gpu = npu or (0 if options.npu is not None else _GPU if options.gpu is None else options.gpu)
    if framework is None:
        framework = MINDSPORE if npu and kind is None and starter is None else _framework(kind, starter)
    if npu and framework not in NPU_IMAGES:
        raise BadQuestion(f"there is no {framework} for NPUs", f"`--framework` is {_or(tuple(NPU_IMAGES))} there")
    if kind is None and vars(options).get("least"):
        kind = next((one for one in FRAMEWORKS[framework].kinds if facts(one).elastic), None)
    if kind is None:
        kind = _APART if _is_apart(options, framework, starter) else _kind(framework, starter, gpu)
    elif kind not in FRAMEWORKS[framework].kinds:
        raise BadQuestion(
            f"{facts(kind).one} does not tell the processes of {framework} how to meet",
            f"`--target` of {framework} is {_or(FRAMEWORKS[framework].kinds)}" + _of_runtime(framework, kind),
        )
    if starter is None:
        starter = usual(framework, kind, gpu)
        command = options.command
        program = bool(command) and is_bare(command[0]) and not is_python(command)
        once_there = program or vars(options).get("alone")
        if starter == "torchrun" and once_there and options.pods == 1 and "none" in starters(framework, kind, gpu):
            starter = "none"  # a program of the PATH is no script that torchrun could run, and a container runs one
        of_entrypoint = "self" if gpu > 1 else "none"
        if vars(options).get("brought") and options.brought.args and of_entrypoint in starters(framework, kind, gpu):
            starter = of_entrypoint  # nothing starts what only the image names
        if command and facts(kind).starter not in MPI:
            from specgen.cli.read_by import started_by

            itself, once = started_by(command, _PODS if options.pods is None else options.pods)
            known = starters(framework, kind, gpu)
            starter = next((one for one in (itself, "none") if itself and one in known), starter)
        elif command:
            _starts_itself(command, starter)
    elif starter not in starters(framework, kind, gpu):
        raise _wrong_starter(framework, kind, starter, gpu)
    pods = _PODS if options.pods is None else options.pods
    cluster = options.cluster
    if cluster is not None:
        # a profile names files beside itself
        cluster = os.path.relpath(cluster, os.path.dirname(options.out or "") or ".")
    device = "NPU" if npu else "GPU"
    picture = image(framework, kind, starter, device) if options.image is None else options.image
    brought = vars(options).get("brought") or Brought()
    name = options.name if options.name is not None else brought.name or NAME
    choice = Choice(framework, kind, starter, pods, gpu, name, picture, cluster)
    choice.device, choice.command = device, options.command
    choice.brought, choice.own = brought, vars(options).get("own", [])
    each = vars(options).get("each") or 1
    if each > 1 and starter == "none":
        note = (
            f"Of the {each} tasks that srun starts on a node one is left: {framework} has all devices of a pod in it."
        )
        brought.notes = list(dict.fromkeys([*brought.notes, note]))
    if vars(options).get("alone") and options.start is None and gpu > 1 and pods == 1 and is_python(options.command):
        said = _OF_CONTAINER.get(starter)
        brought.notes = list(dict.fromkeys([*brought.notes, *([said] if said else [])]))
    if options.image is None and starter == "mpirun" and options.command and not is_python(options.command):
        # no image of upstream's holds the program
        choice.image, choice.holds = OWN, f"{_OF_MPI.get(brought.implementation, 'Open MPI')} and sshd"
    if options.command:
        from specgen.cli.read_by import asks_rank, lacking, lying_here, unset
        from specgen.operators.kubernetes.self_started import called, in_shell

        choice.asks_rank = asks_rank(options.command)
        lacked = lacking(options.command, choice.own)
        as_root = "jupyter" in lacked and not any(["--allow-root" in word for word in options.command])
        if lacked and options.image is None and (choice.image in PLAIN or called(in_shell(options.command))):
            choice.image, choice.holds = OWN, lacked
        brought.asides = [*([once] if once else []), *unset(options.command, brought.source, choice.starter)]
        if as_root:
            brought.asides.append("Where the image's user is root, jupyter ends at once unless it says `--allow-root`.")
        if options.image is None and not brought.image and choice.image != OWN:
            brought.asides += lying_here(
                [*options.command, *choice.own], brought.workdir, os.path.dirname(options.out or "")
            )
    choice.single = vars(options).get("single", False)
    choice.procs, choice.least = vars(options).get("procs", 1), vars(options).get("least", 0)
    choice.restarts = vars(options).get("restarts", 0)
    # an elastic job goes on by starting again
    brought.restarts = None if choice.least else brought.restarts
    choice.cpu = vars(options).get("cpu", 0)
    choice.guessed = options.gpu is None and not npu and vars(options).get("counted_there", False)
    choice.amd = device == "GPU" and cluster is None and of_amd(picture)
    return choice


def _starts_itself(command: list[str], starter: str) -> None:
    """Raises BadQuestion where MPI would start for each rank what starts processes by itself."""
    from specgen.operators.kubernetes.self_started import called, in_shell

    if name := called(in_shell(command)):
        raise BadQuestion(
            f"`{name}` starts processes by itself, and {starter} would start it for each rank",
            "`--target PyTorchJob`, in whose pods it runs once in each",
        )


def _is_apart(options: Namespace, framework: str, starter: str | None) -> bool:
    """Whether processes share data out and do not wait for each other: a PyTorchJob ends with its Master's."""
    from specgen.operators.kubernetes.self_started import shards

    several = options.pods is None or options.pods > 1
    shares = starter in (None, "none") and shards(options.command) is not None
    return several and framework == PYTORCH and (shares or vars(options).get("shares", False))


def _framework(kind: str | None, starter: str | None) -> str:
    """The first framework that a kind and a starter leave."""
    for name, one in FRAMEWORKS.items():
        if (kind is None or kind in one.kinds) and (starter is None or starter in one.starters):
            return name
    for name, one in FRAMEWORKS.items():
        if kind in one.kinds:
            return name
    return PYTORCH


def _of_runtime(framework: str, kind: str) -> str:
    """What tells the processes of a framework in a TrainJob nevertheless: a runtime that Trainer installs."""
    from specgen.operators.trainer.shipped import NAMES

    name = next((name for name in NAMES if name == f"{framework}-distributed"), None)
    if kind != "TrainJob" or name is None:
        return ""
    return f"; Trainer's runtime `{name}` does, of a cluster: see `specgen explain target.runtime`"


def _kind(framework: str, starter: str | None, gpu: int) -> str:
    """The usual kind of a framework with a starter."""
    kinds = FRAMEWORKS[framework].kinds
    if starter in MPI:
        kinds = tuple(sorted(kinds, key=lambda kind: facts(kind).starter not in MPI))
    for kind in kinds:
        if starter is None or starter in starters(framework, kind, gpu):
            return kind
    return FRAMEWORKS[framework].kinds[0]


def _wrong_starter(framework: str, kind: str, starter: str, gpu: int) -> BadQuestion:
    """Why a starter cannot start that, and what can."""
    found = starters(framework, kind, gpu)
    others = [one for one in FRAMEWORKS[framework].kinds if starter in starters(framework, one, gpu)]
    helps = f"`--start` is {_or(found)} there"
    why = f"`{starter}` does not start the processes of {framework} in {facts(kind).one}"
    if starter == "none" and kind == "TrainJob":
        why = "a TrainJob tells each pod what torchrun reads, and a single process nothing"
    elif starter == "none":
        why = f"without a starter {facts(kind).one} runs one process, in its launcher, and none beside the GPUs"
    elif starter in starters(framework, kind, 2):
        why = f"`{starter}` is for several processes in a pod, one for each GPU, and each pod has {gpu or 'none'}"
    elif others:
        helps += f"; `{starter}` goes with `--target` {_or(others)}"
    else:
        names = tuple(name for name, one in FRAMEWORKS.items() if starter in one.starters)
        helps += f"; `{starter}` goes with `--framework` {_or(names)}"
    return BadQuestion(why, helps)


def _or(names: Sequence[str]) -> str:
    """``a``, or ``a, b, or c``, in backticks."""
    from specgen.schema.wording import either

    return either([f"`{name}`" for name in names])


def _with_its_devices(options: Namespace, choice: Choice, found: list[Diagnostic]) -> tuple[Choice, list[Diagnostic]]:
    """The job with the devices that the cluster has, where nobody says which ones: NPUs, or none."""
    for word, count in (("npu", _GPU), ("gpu", 0)) if options.gpu is None and options.npu is None else ():
        try:
            other = decided(Namespace(**{**vars(options), word: count}))
        except BadQuestion:
            continue  # the kind that was asked for has none of them
        of_other = _found(other, options.cluster)
        if not _has(of_other, AMBIGUOUS_POOL):
            return other, of_other
    return choice, found


def _on_a_whole_node(options: Namespace, choice: Choice, found: list[Diagnostic]) -> tuple[Choice, list[Diagnostic]]:
    """The job with all GPUs of a node, where nobody says how many and one alone is refused: a claim is of all."""
    if options.gpu is None and options.npu is None and choice.device == "GPU" and choice.whole > choice.gpu:
        other = decided(Namespace(**{**vars(options), "gpu": choice.whole}))
        other.hca = choice.hca
        of_other = _found(other, options.cluster)
        if not _errors(of_other):
            return other, of_other
    return choice, found


def _errors(found: list[Diagnostic]) -> list[str]:
    return [one["message"] for one in found if one["severity"] == ERROR]


def _has(found: list[Diagnostic], code: Code) -> bool:
    return any(one["code"] == code.id for one in found)


def _served(options: Namespace, choice: Choice, found: list[Diagnostic]) -> tuple[Choice, list[Diagnostic]]:
    """The same of the first kind that an operator of the cluster serves, with what is found; else as it was."""
    for kind in FRAMEWORKS[choice.framework].kinds:
        if options.start is None or options.start in starters(choice.framework, kind, choice.gpu):
            other = decided(Namespace(**{**vars(options), "framework": choice.framework, "target": kind}))
            of_other = _found(other, options.cluster)
            if not _has(of_other, UNSERVED):
                return other, of_other
    return choice, found


def _found(choice: Choice, cluster: str | None) -> list[Diagnostic]:
    """What is found when the profile is built. Raises BadQuestion where there is no such cluster profile."""
    from specgen.cli.files import opened

    session = opened(cluster=cluster, files=_Begun(text(choice)))
    compiled = [one for result in session.compile([_TEXT]) for one in result.compiled]
    plans = [plan for one in compiled if (plan := one.plan or one.draft) is not None]
    pools = [pool.gpu for one in compiled for pool in one.job.cluster.pools.values() if pool.gpu is not None]
    choice.served = next((plan.kind for plan in plans), None)
    choice.whole = max((gpu.per_node or 0 for gpu in pools), default=0)
    choice.storage = {name: one for each in compiled for name, one in each.job.cluster.storage.items()}
    choice.unmounted = {point: path for one in compiled for point, path in _unmounted(one).items()}
    choice.resources = {name for plan in plans for role in plan.roles for name in role.devices.limits}
    return session.found()
