"""The pods that an operator would make of a job, as processes of this machine.

A stage like the others: it starts nothing and looks at nothing but the ``Machine`` that it is handed. What exists in
the job's image or on its cluster alone is a finding, before anything starts: a program, a script, a mounted path. What
the cluster provides in another way here (a fabric, a preloaded library, the operator's own init containers) is left
out, and a note says so.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, Code, Place, listed, plural
from specgen.local_addresses import HERE, Addresses
from specgen.manifest.views import mapping, sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from specgen.backends._expansion import Expansion
    from specgen.diagnostics.model import Finding
    from specgen.plan.model import Plan, RolePlan

    class Machine(Protocol):
        """What must be known of this machine."""

        gpus: int
        scratch: str

        def exists(self, path: str) -> bool:
            """Whether there is a file or folder at the path."""
            ...

        def program(self, name: str) -> str | None:
            """The path of a program that is searched for, None if it is not found."""
            ...


NOT_HERE = Code(
    "SG801",
    "not-on-this-machine",
    ERROR,
    since="0.1",
    page="""Something that the job needs is in its image or on its cluster alone.

## What it checks
Before `specgen run` starts a process: that the program, its script, and the mounted paths among its words exist here.

## Why it hurts
A rank that ends at once leaves the others waiting for it.

## Example
    command: [python, /var/mnist.py]   # specgen run mnist.yaml

## Fix
Say where it lies here: `--map /var/mnist.py=./mnist.py` for files and folders, `--python PATH` for the interpreter.

## When to ignore it
Never: the process would not start.

## References
`specgen run --help`.
""",
)
ALL = (NOT_HERE,)

# Variables that name devices and interfaces of the cluster: what they say is wrong here.
_FABRIC = ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME", "NCCL_IB_HCA", "NCCL_NET", "NCCL_NET_PLUGIN")
_LAUNCHED = ("mpirun", "mpiexec", "horovodrun", "mpiexec.hydra")
_STARTERS = ("torchrun",)


class Process:
    """One process to start. ``prefix``: what marks its lines; ``before``: programs that must have ended well before."""

    __slots__ = ("argv", "before", "env", "folder", "prefix")

    def __init__(self, prefix: str, argv: list[str], env: dict[str, str], folder: str | None) -> None:
        self.prefix = prefix
        self.argv = argv
        self.env = env
        self.folder = folder
        self.before: list[list[str]] = []


class Local:
    """A job on this machine. ``files``: path → text to write first; ``folders``: to make first; ``notes``: for people."""

    __slots__ = ("files", "folders", "notes", "processes")

    def __init__(self) -> None:
        self.processes: list[Process] = []
        self.files: dict[str, str] = {}
        self.folders: list[str] = []
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        """A line that is said once."""
        if text not in self.notes:
            self.notes.append(text)


class Wish:
    """What the user asked for: ``python`` in place of the image's, ``maps`` of container paths to local ones."""

    __slots__ = ("maps", "python")

    def __init__(self, python: str | None, maps: list[tuple[str, str]]) -> None:
        self.python = python
        # the longest path first: it is the most special one
        self.maps = sorted(maps, key=lambda pair: -len(pair[0]))


def localise(
    plan: Plan, expansion: Expansion, carried: dict[str, dict[str, str]], machine: Machine, wish: Wish, shift: int = 0
) -> tuple[Local, list[Finding]]:
    """The processes of a job's pods. ``carried``: ConfigMap → its files, for those that stand beside the job.

    ``shift`` is added to every port, so that two jobs can run at once.
    """
    local = Local()
    findings: list[Finding] = []
    roles = {role.name.lower(): role for role in plan.roles}
    launched = plan.kind.launcher is not None and plan.world.starter != "none"
    addresses = Addresses([str(mapping(pod.get("metadata")).get("name")) for pod in expansion.pods], shift)
    instances = {instance.pod: instance for instance in expansion.instances}
    for index, pod in enumerate(expansion.pods):
        name = str(pod["metadata"]["name"])
        role = roles.get(instances[name].role.lower()) if name in instances else None
        if role is None:
            continue
        if launched and role.word != plan.kind.launcher:
            local.note("mpirun starts the ranks of all pods on this machine")
            continue
        one = _Pod(plan, role, pod, index, machine, wish, addresses, local)
        process, wrong = one.process(carried)
        findings += [finding for finding in wrong if finding.message not in [other.message for other in findings]]
        if process is not None:
            ranks = instances[name].ranks
            if ranks is not None and ranks[0] == ranks[1]:
                process.prefix += f" rank {ranks[0]}"
            local.processes.append(process)
    if launched and local.processes:
        _hosts(local, plan, machine)
    if machine.gpus and plan.world.size > machine.gpus and any(role.devices.gpu for role in plan.roles):
        place = plan.job.place(("pods",))
        helps = ["ask for fewer with `--pods` and `--procs`"]
        message = (
            f"{plural(plan.world.size, 'process')} need a GPU each, and this machine has {plural(machine.gpus, 'GPU')}"
        )
        findings.append(NOT_HERE.at(place, message, helps=helps))
    return local, findings


class _Pod:
    """One pod on its way to a process."""

    def __init__(
        self,
        plan: Plan,
        role: RolePlan,
        pod: dict[str, Any],
        index: int,
        machine: Machine,
        wish: Wish,
        addresses: Addresses,
        local: Local,
    ) -> None:
        self.plan, self.role, self.pod, self.index = plan, role, pod, index
        self.machine, self.addresses, self.local = machine, addresses, local
        self.python = wish.python
        self.name = str(pod["metadata"]["name"])
        self.maps = list(wish.maps)
        spec = mapping(pod.get("spec"))
        containers = [mapping(one) for one in sequence(spec.get("containers"))]
        self.container: dict[str, Any] = next((one for one in containers if self._is_main(one)), {})
        self.before = [
            one for one in sequence(spec.get("initContainers")) if mapping(one).get("name") in role.words.words.init
        ]

    def _is_main(self, container: dict[str, Any]) -> bool:
        command = self.role.command.value if self.role.command is not None else None
        return command in (None, container.get("command")) or len(self.pod["spec"]["containers"]) == 1

    def process(self, carried: dict[str, dict[str, str]]) -> tuple[Process | None, list[Finding]]:
        self._own_folders(carried)
        words = [*sequence(self.container.get("command")), *sequence(self.container.get("args"))]
        place = self.role.words.place(("command",))
        if not self.container.get("command"):
            message = f"the image of `{self.role.word}` says what runs: nobody knows its entrypoint here"
            return None, [NOT_HERE.at(place, message, helps=["`command` in the profile says it for both"])]
        env = self._env()
        argv, findings = self._argv([str(word) for word in words], env, place)
        folder = self.container.get("workingDir")
        process = Process(self.name.removeprefix(self.plan.job.name + "-"), argv, env, folder and self.mapped(folder))
        made = [argv for other in self.local.processes for argv in other.before]
        for one in self.before:
            line = [str(word) for word in [*sequence(one.get("command")), *sequence(one.get("args"))]]
            if line:
                first, wrong = self._argv(line, env, self.role.words.place(("init", one["name"])))
                findings += wrong
                if first not in made:
                    process.before.append(first)
        return process, findings

    def mapped(self, text: str) -> str:
        """A path of the container as one of this machine."""
        for there, here in self.maps:
            if text == there:
                return here
            if text.startswith(there.rstrip("/") + "/"):
                return here.rstrip("/") + text[len(there.rstrip("/")) :]
        return text

    def _own_folders(self, carried: dict[str, dict[str, str]]) -> None:
        """Empty volumes and the files that the job carries: folders of this run."""
        volumes = {one.name: one.source for one in self.role.volumes}
        for mount in self.role.mounts:
            if any(there == mount.path for there, _ in self.maps):
                continue
            source = volumes.get(mount.volume, {})
            if "emptyDir" in source and mount.path != "/dev/shm":
                # one for all pods: programs compare their paths across ranks
                folder = f"{self.machine.scratch}/{mount.volume}"
                self.maps.append((mount.path, folder))
                self.local.folders.append(folder)
                self.local.note(f"`{mount.path}` is one folder for all pods, and gone when they have ended")
            name = mapping(source.get("configMap")).get("name")
            if name in carried and mount.sub_path is not None:
                keys = {one["key"]: one["path"] for one in sequence(source["configMap"].get("items"))}
                key = next((key for key, path in keys.items() if path == mount.sub_path), mount.sub_path)
                here = f"{self.machine.scratch}/files/{key}"
                self.local.files[here] = carried[name].get(key, "")
                self.maps.append((mount.path, here))
        self.maps.sort(key=lambda pair: -len(pair[0]))

    def _env(self) -> dict[str, str]:
        from specgen.backends._command import environment

        entries = {entry["name"]: entry for entry in sequence(self.container.get("env"))}
        env: dict[str, str] = {}
        for name, value in environment(self.container, self.pod).items():
            source = mapping(entries[name].get("valueFrom"))
            if name in _FABRIC:
                self.local.note(f"`{name}` is left out: it names what the cluster has")
            elif "secretKeyRef" in source or "configMapKeyRef" in source:
                self.local.note(f"`{name}` is taken from this shell, if it is set: its value is on the cluster")
            elif name == "LD_PRELOAD" and not self.machine.exists(self.mapped(value)):
                self.local.note("`LD_PRELOAD` is left out: the library is on the cluster")
            else:
                env[name] = HERE if value == "<status.podIP>" else self._text(value, name)
        if self.role.devices.gpu:
            first, each = self.index * self.plan.world.procs_per_pod, self.plan.world.procs_per_pod
            env["CUDA_VISIBLE_DEVICES"] = ",".join(str(first + at) for at in range(each if self.machine.gpus else 0))
        if self.plan.world.starter == "torchrun":
            # torchrun marks the lines of its ranks itself, if it is asked to
            env.update(PET_TEE="3", PET_LOG_DIR=f"{self.machine.scratch}/{self.name}/torchrun")
            env["TORCHELASTIC_LOG_LINE_PREFIX_TEMPLATE"] = "rank ${rank}: "
            self.local.folders.append(env["PET_LOG_DIR"])
        return env

    def _text(self, text: str, name: str) -> str:
        if self.mapped(text) != text:
            return self.mapped(text)
        return self.addresses.here(text, name)

    def _argv(self, words: list[str], env: dict[str, str], place: Place) -> tuple[list[str], list[Finding]]:
        from specgen.backends._command import replaced

        line = [self._word(replaced(word, env)) for word in _unwrapped(words, self.local)]
        if not self.machine.gpus:
            line = self._gloo(line)
        findings: list[Finding] = []
        program = line[0].rpartition("/")[2]
        if program.startswith("python") and self.python is not None:
            line[0] = self.python
        elif program in _STARTERS and self.python is not None:
            line[:1] = [self.python, "-m", "torch.distributed.run"]
        found = line[0] if "/" in line[0] and self.machine.exists(line[0]) else None
        if "/" not in line[0] or (found is None and self.mapped(line[0]) != line[0]):
            found = self.machine.program(line[0])
        if found is None:
            help = (
                "`--python PATH` names the interpreter" if program.startswith("python") or program in _STARTERS else ""
            )
            help = help or f"`--map {words[0]}=PATH` says where it lies here"
            findings.append(NOT_HERE.at(place, f"`{words[0]}` is not on this machine", helps=[help]))
        else:
            line[0] = found
        return line, findings + self._missing(line, place)

    def _word(self, word: str) -> str:
        """A word with its path on this machine, alone or behind ``--name=``."""
        option, equals, value = word.partition("=")
        if equals and option.startswith("-"):
            return f"{option}={self._text(value, '')}"
        return self._text(word, "")

    def _gloo(self, line: list[str]) -> list[str]:
        changed = list(line)
        for at, word in enumerate(line):
            if word == "--backend=nccl" or word == "--dist-backend=nccl":
                changed[at] = word.replace("nccl", "gloo")
            elif word == "nccl" and at and line[at - 1].endswith("backend"):
                changed[at] = "gloo"
        if changed != line:
            self.local.note("gloo in place of nccl: this machine has no GPU")
        return changed

    def _missing(self, line: list[str], place: Place) -> list[Finding]:
        """Scripts that do not exist, and paths below mounts that nobody mapped."""
        findings = []
        for word in line[1:]:
            value = word.partition("=")[2] if word.startswith("-") else word
            below = [mount.path for mount in self.role.mounts if (value + "/").startswith(mount.path.rstrip("/") + "/")]
            script = value.endswith(".py") and not word.startswith("-")
            if not (below or script) or self.machine.exists(value):
                continue
            there = below[-1] if below else value
            message = f"`{value}` is not on this machine"
            related = [(self.role.words.place(("mounts", there)), "mounted on the cluster")] if below else []
            related = [pair for pair in related if there in self.role.words.data.get("mounts", {})]
            helps = [f"`--map {there}=PATH` says where it lies here"]
            findings.append(NOT_HERE.at(place, message, related=related, helps=helps))
        return findings


def _unwrapped(words: list[str], local: Local) -> list[str]:
    """The program without the shell text of ``prepare`` or ``prepend`` in front of it: both are made for the image."""
    for at, word in enumerate(words):
        if word.endswith('exec "$@"\n') and words[at - 1 : at] == ["-c"] and words[at + 1 : at + 2] == ["sh"]:
            local.note("`prepare` and `prepend` are left out: they change the image")
            return words[at + 2 :]
    return words


def _hosts(local: Local, plan: Plan, machine: Machine) -> None:
    """mpirun finds this machine as its only host, with room for all ranks."""
    path = f"{machine.scratch}/hostfile"
    local.files[path] = f"localhost slots={plan.world.size}\n"
    for process in local.processes:
        for name in [name for name in process.env if name.startswith(("OMPI_MCA_plm_", "PRTE_MCA_plm_"))]:
            del process.env[name]
        process.env.update(
            {"OMPI_MCA_orte_default_hostfile": path, "OMPI_MCA_rmaps_base_oversubscribe": "1"},
            OMPI_ALLOW_RUN_AS_ROOT="1",
            OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
        )
        if process.argv[0].rpartition("/")[2] not in _LAUNCHED:
            local.note(f"{listed([process.argv[0]])} is expected to call mpirun itself")
