"""One pod as a process: its words, its environment, and the folders that stand in for its volumes."""

from __future__ import annotations

import re

from specgen.diagnostics.model import Place
from specgen.local.addresses import HERE
from specgen.local.codes import NOT_HERE
from specgen.local.model import Process
from specgen.manifest.origins import located
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes import launchers
from specgen.operators.kubernetes.argv import script_at
from specgen.operators.kubernetes.volumes import own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.local.addresses import Addresses
    from specgen.local.model import Local, Machine, Wish
    from specgen.plan.model import Plan
    from specgen.plan.pods import RolePlan

# How the name of a pod ends that a Job's controller makes up.
MADE_UP = "-<random>"
# Variables that name devices and interfaces of the cluster: what they say is wrong here.
_FABRIC = ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME", "NCCL_IB_HCA", "NCCL_NET", "NCCL_NET_PLUGIN")
# Variables of operators that tell processes apart by their pods' names, and are no addresses.
_NAMES = ("MS_NODE_ID",)
# What a field of the pod is here: all pods are on this machine.
_OF_THIS_MACHINE = {"<status.podIP>": HERE, "<spec.nodeName>": "localhost"}
# Paths in a shell's text: words, and what stands behind the `=` of one.
_PATHS = re.compile(r"[^\s;&|<>()\"'`=$]+")
# Where a command of a shell's text ends, what sets a variable, a script's name without a variable in it, and commands
# after which a file lies where it lay before.
_ENDS = re.compile(r"[;&|\n]+")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=[^\s`(]*")
_SCRIPT = re.compile(r"[\w./-]+\.py")
_STAYS = ("export", "set", "ulimit", "umask", "echo", "sleep", "nvidia-smi")
# Starters that are modules: the program itself is not always beside the interpreter that has it.
_STARTERS = {"torchrun": "torch.distributed.run", "accelerate": "accelerate.commands.launch"}


class LocalPod:
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
        said: RolePlan | None = None,
        main: dict[str, Any] | None = None,
    ) -> None:
        """``said``: the role whose words run here, ``main`` the container with them; its own where they are None."""
        self.plan, self.role, self.pod, self.index = plan, role, pod, index
        self.said = said or role
        self.machine, self.addresses, self.local = machine, addresses, local
        self.python = wish.python
        self.name = str(pod["metadata"]["name"]).removesuffix(MADE_UP)
        self.maps = list(wish.maps)
        # what the fabric adds is left out
        self.first = {one.name: one for one in role.init if not one.of_fabric}
        spec = mapping(pod.get("spec"))
        containers = [mapping(one) for one in sequence(spec.get("containers"))]
        self.container: dict[str, Any] = main or next((one for one in containers if self._is_main(one)), {})
        self.before = [one for one in sequence(spec.get("initContainers")) if mapping(one).get("name") in self.first]

    def _is_main(self, container: dict[str, Any]) -> bool:
        command = self.role.command.value if self.role.command is not None else None
        if self.role.entrypoint is not None and command is not None:
            return bool(sequence(container.get("args"))[: len(command)] == command)
        return command in (None, container.get("command")) or len(self.pod["spec"]["containers"]) == 1

    def process(self, carried: dict[str, dict[str, str]]) -> tuple[Process | None, list[Finding]]:
        self._own_folders(carried)
        words = [*sequence(self.container.get("command")), *sequence(self.container.get("args"))]
        place = self._program = located(
            self.said.program.place if self.said.program is not None else self.role.replicas.place
        )
        if self.role.entrypoint is not None:
            self.local.note("the image's entrypoint is left out: what it is handed runs here")
        elif not self.container.get("command"):
            message = f"the image of `{self.role.word}` says what runs: nobody knows its entrypoint here"
            return None, [NOT_HERE.at(place, message, helps=["`command` in the profile says it for both"])]
        env = self._env()
        argv, findings = self._argv([str(word) for word in words], env, place)
        folder = self.container.get("workingDir")
        folder = folder and self.mapped(folder)
        if folder and not self.machine.exists(folder):
            helps = [f"`--map {self.container['workingDir']}=PATH` says where it lies here"]
            at = located(self.role.workdir.place if self.role.workdir is not None else None)
            findings.append(NOT_HERE.at(at, f"`{folder}` is not on this machine", helps=helps))
        process = Process(self.name.removeprefix(self.plan.name + "-"), argv, env, folder)
        for one in self.before:
            line = [str(word) for word in [*sequence(one.get("command")), *sequence(one.get("args"))]]
            if line:
                first, wrong = self._argv(line, env, located(self.first[one["name"]].place))
                findings += wrong
                process.before.append(first)
        return process, findings

    def mapped(self, text: str) -> str:
        """A path of the container as one of this machine."""
        for there, here in self.maps:
            if text == there or text.startswith(there.rstrip("/") + "/"):
                self.local.mapped[there] = None
                return here if text == there else here.rstrip("/") + text[len(there.rstrip("/")) :]
        return text

    def _own_folders(self, carried: dict[str, dict[str, str]]) -> None:
        """The pod's own volumes and the files that the job carries: folders of this run."""
        volumes = {one.name: one.source for one in self.role.volumes}
        for mount in self.role.mounts:
            if any(there == mount.path for there, _ in self.maps):
                continue
            source = volumes.get(mount.volume, {})
            if own(source) and mount.path != "/dev/shm":
                folder = f"{self.machine.scratch}/{self.name}/{mount.volume}"
                self.local.folders.append(folder)
                self.maps.append((mount.path, f"{folder}/{mount.sub_path}" if mount.sub_path else folder))
                if mount.sub_path:
                    self.local.folders.append(f"{folder}/{mount.sub_path}")
            name = mapping(source.get("configMap")).get("name")
            if name in carried and mount.sub_path is not None:
                keys = {one["key"]: one["path"] for one in sequence(source["configMap"].get("items"))}
                key = next((key for key, path in keys.items() if path == mount.sub_path), mount.sub_path)
                here = f"{self.machine.scratch}/files/{key}"
                self.local.files[here] = carried[name].get(key, "")
                self.maps.append((mount.path, here))
        self.maps.sort(key=lambda pair: -len(pair[0]))

    def _env(self) -> dict[str, str]:
        from specgen.operators.kubernetes.command import environment

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
            elif name in _NAMES or mapping(source.get("fieldRef")).get("fieldPath") == "metadata.name":
                env[name] = value
            else:
                env[name] = _OF_THIS_MACHINE.get(value) or self._text(value, name)
        if self.role.devices.gpu:
            first, each = self.index * self.plan.world.procs_per_pod, self.plan.world.procs_per_pod
            env["CUDA_VISIBLE_DEVICES"] = ",".join(str(first + at) for at in range(each if self.machine.gpus else 0))
        if self.plan.world.starter == "self" and env.get("PET_NPROC_PER_NODE") in ("auto", "gpu"):
            # a torchrun of the command's own would count this machine's devices, or its CPUs
            env["PET_NPROC_PER_NODE"] = str(self.plan.world.procs_per_pod)
        if self.plan.world.starter in _STARTERS:
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
        from specgen.operators.kubernetes.command import replaced

        words = _unwrapped(words, self.local)
        text = script_at(words)
        line = [
            self._shell(replaced(word, env)) if at == text else self._word(replaced(word, env))
            for at, word in enumerate(words)
        ]
        findings = self._missing(words, line, place, text)
        if not self.machine.gpus:
            line = self._gloo(line)
        program = line[0].rpartition("/")[2]
        called = 2 if program == "accelerate" else 1
        own = program in _STARTERS and (called == 1 or line[1:2] == ["launch"])
        if own and (self.python is not None or line[0] == program):
            # accelerate has words of its own for what torchrun reads from its variables
            marked = [f"--tee={env['PET_TEE']}", f"--log_dir={env['PET_LOG_DIR']}"] if program == "accelerate" else []
            line[:called] = ["python", "-m", _STARTERS[program], *(marked if "PET_TEE" in env else [])]
            program = "python"
        if program.startswith("python") and self.python is not None:
            line[0] = self.python
        found = self.machine.program(line[0])
        if found is None and line[0].startswith(self.machine.scratch + "/") and line[0] not in self.local.files:
            found = line[0]  # what a step before makes is not there yet
        if found is None:
            missing = f"`{line[0]}` is not on this machine"
            if "/" in line[0] and self.machine.exists(line[0]):
                missing = f"`{words[0]}` is no program, its file may not be run"
            help = f"`--map {words[0]}=PATH` says where it lies here"
            help = "`--python PATH` names the interpreter" if program.startswith("python") else help
            at = self._written(words[0], place)
            return line, [NOT_HERE.at(at, missing, helps=[help]), *findings]
        return [found, *line[1:]], findings

    def _written(self, word: str, place: Place) -> Place:
        """Where a word of the program's line stands in the profile."""
        for said in (self.said.program, self.said.args):
            if said is not None and said.place is not None and word in said.value and place is self._program:
                return Place((*said.place.path, said.value.index(word)), where=said.place.where)
        return place

    def _word(self, word: str) -> str:
        """A word with its path on this machine, alone or behind ``--name=``."""
        option, equals, value = word.partition("=")
        if equals and option.startswith("-"):
            return f"{option}={self._text(value, '')}"
        return self._text(word, "")

    def _shell(self, text: str) -> str:
        """A shell's text with the paths in it on this machine."""
        return _PATHS.sub(lambda match: self.mapped(match[0]), self.addresses.here(text, ""))

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

    def _missing(self, words: list[str], line: list[str], place: Place, text: int | None) -> list[Finding]:
        """Scripts that do not exist, files that a launcher reads, and paths below mounts that nobody mapped.

        ``text``: the word that a shell runs; of it those scripts, that run where the shell begins.
        """
        launcher = launchers.of_words(words)
        read = {at: value for value, at in launchers.files(launcher)} if launcher is not None else {}
        findings = []
        for number, (written, word) in enumerate(zip(words[1:], line[1:], strict=True), 1):
            at = self._written(written, place)
            if number == text:
                findings += [self._absent(there, there, at) for there in self._scripts(written)]
                continue
            value = word.partition("=")[2] if word.startswith("-") else word
            below = [mount.path for mount in self.role.mounts if (value + "/").startswith(mount.path.rstrip("/") + "/")]
            # one that `--map` gave another place may be called anything there
            script = (value.endswith(".py") or written.endswith(".py")) and not word.startswith("-")
            # an option and its value may be two words, of which the second one is the file
            file = read.get(number) if "=" in written else read.get(number - 1)
            if not (below or script or file == (written.partition("=")[2] if "=" in written else written)):
                continue
            if not self.machine.exists(self._lies(value)):
                findings.append(self._absent(value, below[-1] if below else written if script else value, at))
        return findings

    def _absent(self, value: str, there: str, at: Place) -> Finding:
        """SG801 of a file: what is to be mapped is its mount or itself."""
        mount = next((one for one in self.role.mounts if one.path == there), None)
        related = [(mount.said.at, "mounted on the cluster")] if mount is not None else []
        helps = [f"`--map {there}=PATH` says where it lies here"]
        return NOT_HERE.at(at, f"`{value}` is not on this machine", related=related, helps=helps)

    def _lies(self, value: str) -> str:
        """A path as seen from where this command runs: the program begins in the container's working directory."""
        folder = self.container.get("workingDir")
        return value if value.startswith("/") or not folder else f"{self.mapped(folder)}/{value}"

    def _scripts(self, text: str) -> list[str]:
        """The scripts that Python is told to run in a shell's text, and that do not lie here.

        Of a text whose commands go nowhere else and make no files: what another one does first is not known.
        """
        missing = []
        for command in _ENDS.split(text):
            words = command.split()
            while words and (words[0] == "exec" or _ASSIGNED.fullmatch(words[0])):
                del words[0]
            program = words[0].rpartition("/")[2] if words else ""
            if not words or program in _STAYS:
                continue
            if not program.startswith("python"):
                break
            file = next((word for word in words[1:] if word != "-u"), "")
            there = self.mapped(file)
            if _SCRIPT.fullmatch(file) and not self.machine.exists(self._lies(there)):
                missing.append(file)
        return missing


def _unwrapped(words: list[str], local: Local) -> list[str]:
    """The program without the shell text in front of it: ``prepare``, ``prepend``, or the wait for the workers."""
    for at, word in enumerate(words):
        if word.endswith('exec "$@"\n') and words[at - 1 : at] == ["-c"] and words[at + 1 : at + 2] == ["sh"]:
            local.note("what a shell does before the program is left out: it is for the image and its cluster")
            return words[at + 2 :]
    return words
