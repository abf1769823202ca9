"""Pods × processes, who is Master, and the line that starts the program."""

from __future__ import annotations

from specgen.diagnostics.model import KEY, Place, listed, plural
from specgen.manifest.origins import Sourced
from specgen.operators.kubernetes.shell import names_launcher
from specgen.plan.codes import IDLE_GPUS, UNUSED_VARIABLE
from specgen.plan.devices import asked
from specgen.plan.draft import RoleDraft
from specgen.plan.model import World
from specgen.profile import codes
from specgen.profile.roles import fill_job, has_own_words, role_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.operators.kubernetes.launchers import Line
    from specgen.plan.kind import Kind
    from specgen.plan.target import Target
    from specgen.profile.resolve import ResolvedJob
    from specgen.profile.roles import RoleProfile
    from specgen.source import Path


def starter(job: ResolvedJob, kind: Kind) -> str:
    """Who starts the processes of a pod: as written, else the kind's own; torchrun where several a pod are written.

    An elastic job has torchrun too: it alone reads the rendezvous that the operator announces (``PET_RDZV_…``), and
    such a job is told neither rank nor address. Nor is one without the role that holds rank 0.
    """
    start = job.job.start
    by = start if start is None or isinstance(start, str) else start.by
    if by is not None:
        return by
    written = job.job.procs_per_pod or 1
    several = isinstance(written, str) or written > 1 or job.job.elastic is not None
    several = several or _unled(job, kind)
    # an elastic job too is started as it should be by a torchrun of its own
    if kind.starter == "none" and by_hand(job) is not None and written == 1 and not _unled(job, kind):
        return "self"
    return "torchrun" if kind.starter == "none" and several and "torchrun" in kind.starters else kind.starter


def world(job: ResolvedJob, kind: Kind) -> World:
    """The one place that counts processes."""
    by = starter(job, kind)
    procs = job.job.procs_per_pod
    devices = asked(job, job.job.resources, job.place)
    word = None
    if isinstance(procs, str):
        word = procs
        # what torchrun counts where it runs is known here of devices alone: `cpu` are the CPUs of the node
        procs = None if word == "cpu" else devices.gpu or (devices.npu if word == "auto" else None) or None
    elif procs is None and by == "self" and job.job.start is None and (line := by_hand(job)) is not None:
        from specgen.operators.kubernetes.launchers import processes

        told = {"PET_NPROC_PER_NODE": "auto"} if kind.hands_words_on else {}
        procs = processes(line, told, devices.gpu)
    elif procs is None:
        procs = (devices.amount or 1) if by != "none" else 1
    elastic, pods = job.job.elastic, job.job.pods
    among = (elastic.min or pods, elastic.max or pods) if elastic is not None else None
    led = kind.first is not None and elastic is None and not _unled(job, kind)
    count = World(pods, procs, by, among, word=word, led=led)
    count.asked = devices
    count.starter_place, count.target = job.place(("start",)), job.place(("target",))
    data = job.layers.data
    count.starter_written = "start" in data
    if "pods" in data:
        count.pods_place = job.place(("pods",))
    if "procsPerPod" in data:
        count.procs_place = job.place(("procsPerPod",))
    elif count.procs_per_pod > 1 and (said := devices.said) is not None:
        count.per_device = Sourced(devices.noun.lower(), said.place, f"a process for each of {said.reason}")
    if _trains(job):
        count.trains = job.place(("start", "launcherTrains"))
    if _unled(job, kind):
        at = job.layers.removals["roles", str(kind.first)][0]
        count.unled = Place(at.path, KEY, where=at.document)
    for role, written in (data.get("roles") or {}).items():
        count.named[role], count.own[role] = job.place(("roles", role), KEY), _own(job, role, written)
    return count


def by_hand(job: ResolvedJob) -> Line | None:
    """The launcher that the job's own command begins with: it starts the processes of a pod, and counts them."""
    command = job.job.command
    if not command or not names_launcher(command[:4]):
        return None
    from specgen.operators.kubernetes.launchers import of_words  # most commands are the program's alone

    return of_words(command)


def _unled(job: ResolvedJob, kind: Kind) -> bool:
    """Whether the job takes away the role that else is one of its pods."""
    return kind.unled and ("roles", kind.first) in job.layers.removals


def _counted(job: ResolvedJob, kind: Kind, written: dict[str, Any], role: str) -> list[str]:
    """What counts the roles that train: the line with the sum of what they say, where that is a number."""
    words = [word for word in kind.roles if word not in kind.own and word not in kind.single]
    there = [word for word in words if word in written or (word == kind.first and not _unled(job, kind))]
    # a leader of whom nothing else is said is one pod
    said = {word: (written.get(word) or {}).get("pods", 1 if word != words[-1] else None) for word in there}
    counts = [count for count in said.values() if type(count) is int]
    if len(counts) < len(said) or words[-1] not in said:
        return ["`pods` of the job counts it"]
    together = f" counts {listed(list(said))} together" if len(said) > 1 else " says it"
    here = (
        f" and `{role}: {{}}` here" if list(written[role]) == ["pods"] and role not in (kind.first, words[-1]) else ""
    )
    return [f"`pods` at the top of the profile{together}: write `pods: {sum(counts)}` there{here}"]


def roles(job: ResolvedJob, target: Target, count: World) -> tuple[list[RoleDraft], list[Finding]]:
    """The roles of the kind with their counts and words. Findings: roles that the kind does not have, variables."""
    kind = target.PLAN
    findings = _checks(job, kind, count)
    written = job.layers.data.get("roles") or {}
    for word in written:
        if word not in kind.roles:
            known = listed(list(kind.roles)).replace(" and ", " or ")
            place = job.place(("roles", word), KEY)
            findings.append(
                codes.NOT_FOR_TARGET.at(place, f"{kind.one} has no role `{word}`", helps=[f"its roles are {known}"])
            )
    for word in kind.roles:
        if word not in kind.own and (written.get(word) or {}).get("pods") is not None:
            place = job.place(("roles", word, "pods"), KEY)
            message = f"the role `{word}` of {kind.one} has no count of its own"
            helps = ["it is always one pod"] if word in kind.single else _counted(job, kind, written, word)
            findings.append(codes.NOT_FOR_TARGET.at(place, message, helps=helps))
    plans: list[RoleDraft] = []
    texts = {"name": job.name, "namespace": job.job.metadata.namespace or "default"}
    if job.prefix is not None:
        del texts["name"]  # nobody knows it before the job is created
    if count.fixed:
        texts["pods"] = str(count.pods)
    if count.counted:
        texts["procsPerPod"] = str(count.procs_per_pod)
    if count.fixed and count.counted:
        texts["processes"] = str(count.size)
    used, unknown = fill_job(job, {**texts, "gpu": str(count.asked.gpu)})
    findings += unknown
    inherited: tuple[RoleProfile, list[Finding]] | None = None
    counts = target.counts(count)
    for word in kind.roles:
        if word not in counts and word not in written:
            continue
        starts = word == kind.launcher and not _trains(job)
        meets = word in kind.single and word != kind.launcher
        serves = word in kind.serving
        alike = not (starts or meets or serves or has_own_words(job, word))
        if inherited is None or not alike:
            inherits = None if meets or serves else count.asked.gpu
            gpus = ((written.get(word) or {}).get("resources") or {}).get("gpu", inherits)
            built_in = {**texts, "gpu": str(gpus or 0)}
            profile, unknown = role_words(job, word, built_in, starts=starts, meets=meets, serves=serves)
            if alike:
                inherited = profile, unknown
        else:
            profile, unknown = inherited
        # the words of a role without pods count too: `--set pods=1` is no reason to call its variables unused
        seen = [(old.place.path, old.message) for old in findings]
        findings += [finding for finding in unknown if (finding.place.path, finding.message) not in seen]
        used.update(profile.texts.used)
        if word in counts:
            plans.append(RoleDraft(kind.roles[word], word, counts[word], profile))
    findings += _unused(job, used)
    return plans, findings


def _trains(job: ResolvedJob) -> bool:
    """Whether the launcher is one of the pods that train."""
    start = job.job.start
    return start is not None and not isinstance(start, str) and bool(start.launcher_trains)


def _own(job: ResolvedJob, word: str, written: dict[str, Any]) -> Sourced:
    """A role that the profile names, with its own ``pods`` or one."""
    if "pods" in written:
        return Sourced(written["pods"], job.place(("roles", word, "pods")), f"`roles.{word}.pods`")
    return Sourced(1, job.place(("roles", word), KEY), f"`roles.{word}`, one pod as it says no `pods`")


def _unused(job: ResolvedJob, used: dict[str, None]) -> list[Finding]:
    findings = []
    for path, names in [(("vars",), job.layers.data.get("vars"))] + [
        (("roles", role, "vars"), words.get("vars"))
        for role, words in (job.layers.data.get("roles") or {}).items()
        if isinstance(words, dict)
    ]:
        for name in names or {}:
            at = job.layers.origin((*path, name))
            # a base may define what its jobs do not use
            if name not in used and at.document is job.document:
                place = job.place((*path, name), KEY)
                meant = next(_as_in_a_shell(job.layers.data, name), None)
                related = [(job.place(meant[0]), "no variable of a profile")] if meant else []
                helps = [f"write `$<{name}>` in place of `{meant[1]}`"] if meant else []
                message = f"no string uses the variable `{name}`"
                findings.append(UNUSED_VARIABLE.at(place, message, related=related, helps=helps))
    return findings


def _as_in_a_shell(tree: Any, name: str, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """(path of a text, what it holds) where it names a variable as a shell, Kubernetes, or a template does."""
    if isinstance(tree, str):
        import re  # only where something is unused

        own = re.escape(name)
        found = re.search(rf"\$(?:{own}(?![\w-])|\{{{own}\}}|\({own}\))|\{{\{{ ?{own} ?\}}\}}", tree)
        if found is not None:
            yield path, found[0]
    elif isinstance(tree, (dict, list)):
        for step, below in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from _as_in_a_shell(below, name, (*path, step))


def _checks(job: ResolvedJob, kind: Kind, count: World) -> list[Finding]:
    findings = []
    if count.starter not in kind.starters:
        known = listed(list(kind.starters)).replace(" and ", " or ")
        message = f"`{count.starter}` cannot start the processes of {kind.one}"
        place = job.place(("start",) if isinstance(job.job.start, str) else ("start", "by"))
        findings.append(codes.NOT_FOR_TARGET.at(place, message, helps=[f"its starters are {known}"]))
    if count.starter == "runtime" and count.starter in kind.starters:
        from specgen.plan.runtime import own_command  # few jobs leave their command to a runtime

        findings += own_command(job)
    written = job.job.procs_per_pod
    if kind.counts_pods and (count.pods > 1 or count.own):
        found = _of_pods(job, kind, count)
        if found:
            return findings + found
    if count.starter == "none" and written not in (None, 1):
        said = job.job.start is not None
        other = "`start: none`, which is" if said else f"the {kind.name}, whose operator starts"
        lets = "`start: torchrun` lets torchrun start them, " if "torchrun" in kind.starters else ""
        findings.append(
            codes.CONTRADICTION.at(
                job.place(("procsPerPod",)),
                f"`procsPerPod: {written}` contradicts {other} one process in each pod",
                label=plural(written, "process") if isinstance(written, int) else written or "",
                related=[(job.place(("start",)), "one process")] if said else [],
                helps=[f"{lets}`start: self` says that the command does"],
            )
        )
    elif count.starter == "accelerate":
        from specgen.plan.accelerate import checks  # few jobs have it

        findings += checks(job, kind, count)
    elif count.word is not None:
        from specgen.plan.torchrun import word_checks

        findings += word_checks(job, kind, count)
    devices = count.asked
    gpus, where = devices.gpu, devices.said.place if devices.said is not None else None
    has = plural(devices.amount, devices.noun)
    idle = count.starter == "none" and not _patched(job)
    if devices.amount > 1 and where is not None and job.job.start is None and idle and not _one_for_all(job, kind):
        others = [f"`{word}`" for word in ("torchrun", "accelerate") if word in kind.starters]
        others += ["`self` if the command calls one"] if "self" in kind.starters else []
        others.append("or `none` if one process uses all of them, as of JAX")
        findings.append(
            IDLE_GPUS.at(
                where,
                f"one process in a pod has {has}",
                label=has,
                helps=[f"`start` says who starts the processes: {', '.join(others)}"],
            )
        )
    workers = job.layers.data.get("roles", {}).get(kind.worker) or {}
    by_launcher = names_launcher(job.job.command or ())  # SG504 reads its line
    if (
        devices.amount
        and where is not None
        and kind.starter == "mpirun"
        and idle
        and "command" not in workers
        and not by_launcher
    ):
        held = f"{plural(count.pods, 'worker')} with {has} each"
        findings.append(
            IDLE_GPUS.at(
                job.place(("start",)),
                f"`start: none` starts one process, in the launcher, and none on the {held}",
                related=[(where, has)],
                notes=["the workers run sshd or sleep, and wait for an mpirun that nobody calls"],
                helps=["`start: mpirun` writes its line; `start: self` says that the command calls it"],
            )
        )
    if gpus and where is not None and count.procs_per_pod > gpus and job.job.communication.library in (None, "nccl"):
        findings.append(
            codes.CONTRADICTION.at(
                job.place(("procsPerPod",)) if written is not None else where,
                f"{plural(count.procs_per_pod, 'process')} in a pod share {plural(gpus, 'GPU')}",
                related=[(where, plural(gpus, "GPU"))],
                notes=["NCCL refuses two ranks of one communicator on the same GPU"],
            )
        )
    if where is not None and isinstance(written, int) and written < devices.amount and not by_launcher:
        findings += _fewer(job, count, Sourced(written, where, has))
    if written is None and not devices.amount and devices.unread is not None:
        findings += _unread(devices.unread, count)
    return findings


def _of_pods(job: ResolvedJob, kind: Kind, count: World) -> list[Finding]:
    """Several processes in a pod of a kind whose operator tells them how many pods there are, as if these were they.

    SG208 where the job says so; SG216 where its command is to start them, and may tell them otherwise.
    """
    written, devices = job.job.procs_per_pod, count.asked
    where = devices.said.place if devices.said is not None else None
    told = f"`{kind.counts_pods}: {count.pods}`"
    if isinstance(written, int) and written > 1:
        lone = f" with one {devices.noun} each" if devices.amount else ""
        return [
            codes.NOT_FOR_TARGET.at(
                job.place(("procsPerPod",)),
                f"{kind.one} counts pods: its processes are told {told}, and {count.pods * written} would start",
                label=f"{written} in each pod",
                related=[(job.place(("target",)), f"the {kind.operator} counts pods")],
                helps=[f"write `pods: {count.pods * written}`{lone}, which runs one process"],
            )
        ]
    by_itself = count.starter == "self" and not _tells(job, kind.counts_pods)
    if devices.amount < 2 or where is None or not (by_itself or (job.job.start is None and not _patched(job))):
        return []
    has = plural(devices.amount, devices.noun)
    message = f"a pod has {has}, and the processes are told {told}: one in each pod"
    whole = count.pods * devices.amount
    helps = [f"write `pods: {whole}` with one {devices.noun} each: the {kind.operator} knows processes by their pods"]
    if by_itself:
        helps.append(f"a `command` that starts several sets `{kind.counts_pods}` for them and for the Scheduler")
    return [IDLE_GPUS.at(where, message, label=has, helps=helps)]


def _tells(job: ResolvedJob, variable: str) -> bool:
    """Whether the line of the job names a variable, or msrun, which sets it."""
    words = [*(job.job.command or ()), *(job.job.args or ()), job.job.prepare or ""]
    return any(variable in word or "msrun" in word for word in words)


def _one_for_all(job: ResolvedJob, kind: Kind) -> bool:
    """Whether one process drives all devices of its pod: by the kind's framework, or as programs on TPUs do."""
    from specgen.devices import TPU

    pools = [pool.npu.resource for pool in job.cluster.pools.values() if pool.npu is not None]
    return kind.all_devices or TPU in job.job.resources.other or (not job.job.resources.gpu and TPU in pools)


def _fewer(job: ResolvedJob, count: World, said: Sourced) -> list[Finding]:
    """SG216: fewer processes than devices; those that torchrun and accelerate start on GPUs are a rule's."""
    devices, place = count.asked, job.place(("procsPerPod",))
    by_line = count.starter in ("torchrun", "accelerate") and devices.gpu
    if count.starter in ("none", "self", "runtime") or by_line or said.place is None or _takes_several(job):
        return []
    fewer = plural(said.value, devices.noun)
    return [
        IDLE_GPUS.at(
            place,
            f"{plural(said.value, 'process')} for {said.reason} of a pod: {devices.amount - said.value} idle",
            label=plural(said.value, "process"),
            related=[(said.place, said.reason)],
            notes=[f"a process uses one {devices.noun} unless its program is written otherwise"],
            helps=[f"leave it out, or ask for {fewer}; ignore it where a process uses several"],
        )
    ]


def _takes_several(job: ResolvedJob) -> bool:
    """Whether a program of nccl-tests has several GPUs in a process: its `-g N` (src/common.cu, `ngpus`)."""
    words = job.job.command or []
    if not words or not words[0].endswith("_perf"):
        return False
    told = [words[at + 1] for at, word in enumerate(words[:-1]) if word in ("-g", "--ngpus")]
    return bool(told) and told[0] not in ("0", "1")


def _unread(claim: Sourced, count: World) -> list[Finding]:
    """SG216: a claim brings devices, and one process starts, as nobody knows here how many these are."""
    if count.starter not in ("torchrun", "accelerate", "mpirun") or claim.place is None:
        return []
    message = (
        f"{count.starter} starts one process in a pod: how many devices the claim `{claim.reason}` brings is not known"
    )
    helps = [
        "write `procsPerPod: 8` with the number that it brings",
        f"`objects` may name the file of the template `{claim.value}`: what stands there is counted",
    ]
    return [IDLE_GPUS.at(claim.place, message, label="not counted", helps=helps)]


def _patched(job: ResolvedJob) -> bool:
    """Whether a patch says what runs, or on what: the rules judge what comes of it (SG503, SG504)."""
    data = job.layers.data
    patches = [data.get("patch"), *((words or {}).get("patch") for words in (data.get("roles") or {}).values())]
    written = [(patch or {}).get("container") or {} for patch in patches]
    return any(key in one for one in written if isinstance(one, dict) for key in ("command", "args", "resources"))


def commands(role: RoleDraft, kind: Kind, count: World, untold: list[str]) -> list[Finding]:
    """The role's command and arguments, with the starter's line and the shell of ``prepare`` in front.

    ``untold``: options of the starter for what the operator does not tell it.
    """
    profile = role.profile
    command, args = profile.words.command, profile.words.args
    prepare = profile.words.prepare
    findings: list[Finding] = []
    exports = [name for name, said in role.env.items() if "prepend" in said.value]
    if command is None:
        if profile.job.runtime is not None and not prepare and not exports:
            # the runtime has a command of its own
            role.args = Sourced(list(args), profile.place(("args",), KEY), "`args`") if args is not None else None
            return findings
        if prepare or count.starter in ("torchrun", "accelerate"):
            place, what = profile.place(("prepare",)), "`prepare`"
            if not prepare:
                from specgen.plan.torchrun import brought

                place, _ = brought(profile.job)
                what = f"{count.starter}, which starts the program,"
            message = f"{what} needs a `command`: nobody knows the image's entrypoint"
            findings.append(codes.CONTRADICTION.at(place, message))
            return findings
        if exports:
            place = profile.place(("env", exports[0]), KEY)
            findings.append(
                codes.CONTRADICTION.at(place, "`prepend` needs a `command`: nobody knows the image's entrypoint")
            )
            return findings
        if args is not None:
            role.args = Sourced(list(args), profile.place(("args",), KEY), "`args`")
        return findings
    line = list(command)
    reason = "`command`"
    if count.starter == "torchrun":
        from specgen.plan.torchrun import interpreter, started

        findings += interpreter(profile, line, count.starter)
        line = [*started(profile, untold), *line]
        who = "the pod's variables tell" if "PET_NNODES" in role.env else "the operator tells"
        reason = f"`command`, started by torchrun; {who} it nodes, processes, and the address (`PET_…`)"
        if untold:
            reason = "`command`, started by torchrun with what the operator does not tell it"
    elif count.starter == "accelerate":
        from specgen.plan.accelerate import started as accelerated
        from specgen.plan.torchrun import interpreter

        findings += interpreter(profile, line, count.starter)
        line = [*accelerated(profile, line, kind, count), *line]
        reason = "`command`, started by accelerate, which is told the pods, the processes, and the address"
    if profile.job.job.guard:
        from specgen.plan.guard import before  # few jobs have one

        line = [*before(profile, line), *line]
        reason += ", behind the guard"
    place = profile.place(("command",), KEY)
    role.program = Sourced(command, place, "`command`")
    if prepare or exports:
        line = shell(role, prepare or "", exports, line)
        reason += ", behind the shell text of `prepare`" if prepare else ", behind the exports of `prepend`"
    role.command = Sourced(line, place, reason)
    if args is not None:
        role.args = Sourced(list(args), profile.place(("args",), KEY), "`args`")
    return findings


def through_entrypoint(role: RoleDraft) -> list[Finding]:
    """Fills ``role.entrypoint`` where the job says so. SG207 and SG208: nothing to hand on, nobody to hand it to."""
    job = role.profile.job
    start = job.job.start
    if start is None or isinstance(start, str) or not start.entrypoint:
        return []
    place = job.place(("start", "entrypoint"), KEY)
    if job.runtime is not None:
        message = "`entrypoint` contradicts the runtime, whose own command takes the entrypoint's place"
        return [codes.NOT_FOR_TARGET.at(place, message)]
    if role.command is None:
        message = "`entrypoint` needs a `command`: without one the image runs its own program"
        return [codes.CONTRADICTION.at(place, message)]
    role.entrypoint = Sourced(True, place, "`start.entrypoint` hands the line to the image's entrypoint")
    return []


def shell(role: RoleDraft, text: str, exports: list[str], line: list[str], last: str = "") -> list[str]:
    """``/bin/sh -e -c 'text; exec "$@"' sh line…``: the program takes the shell's place, so signals and codes stay.

    ``last``: shell text of specgen's own, after the exports.
    """
    shell = "/bin/sh"
    if text.startswith("#!"):
        head, _, text = text.partition("\n")
        shell = head[2:].strip()
    script = _unexpanded(text if text.endswith("\n") or not text else text + "\n")
    for name in exports:
        # in single quotes the shell leaves the text alone; Kubernetes expands `$(NAME)` in it, as in any variable
        value = role.env.pop(name).value["prepend"].replace("'", "'\\''")
        script += f"export {name}='{value}'\"${{{name}:+:${name}}}\"\n"
    script += _unexpanded(last) + 'exec "$@"\n'
    return [*shell.split(), "-e", "-c", script, "sh", *line]


def _unexpanded(text: str) -> str:
    """Text that Kubernetes leaves as it is: ``$(`` and ``$$`` are its own signs in commands."""
    out, *rest = text.split("$")
    for number, part in enumerate(rest, 1):
        doubled = part.startswith("(") or (not part and number < len(rest))
        out += ("$$" if doubled else "$") + part
    return out
