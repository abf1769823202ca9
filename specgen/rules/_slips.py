"""What cannot work of a container's command line, without the variables that are there: for several rules."""

from __future__ import annotations

from specgen.diagnostics.model import Place, shown
from specgen.diagnostics.operations import Set
from specgen.document.tree import Document
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes import launchers
from specgen.operators.kubernetes.argv import UNDEFINED, UNEXPANDED, Slip, script_at, signs, slips
from specgen.operators.kubernetes.shell import JOINS, REDIRECTIONS
from specgen.schema.wording import OF_TORCHRUN as OF_TORCHRUN
from specgen.schema.wording import in_each_process as in_each_process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeAlias

    from specgen.diagnostics.operations import Operation
    from specgen.manifest.views import Container, Workload

    # the pods of a job, worked out where they are asked for
    Made: TypeAlias = Callable[[Workload], list[dict[str, Any]]]

# What the kubelet sets for every Service of the namespace, unless `enableServiceLinks` is false (Kubernetes 1.36,
# pkg/kubelet/envvars/envvars.go), and what a Job's controller and Volcano's plugins set (pkg/controllers/job/plugins).
_OF_SERVICES = ("_SERVICE_HOST", "_SERVICE_PORT", "_PORT")
_INDEX = "JOB_COMPLETION_INDEX"
_OF_OTHERS = (_INDEX, "VK_TASK_INDEX", "VC_TASK_INDEX")
# Kinds whose pods are those of Jobs, and plugins of Volcano that say no framework's variables.
_OF_JOBS = ("JobSet", "TrainJob", "MPIJob")
_NO_FRAMEWORKS = {"svc", "ssh", "env"}


def slips_of(container: Container, words: list[str], made: Made) -> list[Slip]:
    """The slips of a command line whose variables were looked up: those of names that may be there are left out."""
    commands = sum([key == "command" for key, _, _ in container.words()])
    found = list(slips(words, commands))
    if not any(slip.cause in (UNDEFINED, UNEXPANDED) for slip in found):
        return found
    names = Names(container, made)
    kept, script = [], script_at(words)
    for slip in found:
        if slip.cause == UNEXPANDED:
            if is_template(container.role.workload):
                continue
            slip.known = names.has(slip.text)
        elif slip.cause == UNDEFINED and slip.at == script:
            if is_template(container.role.workload) or not names.is_unset(slip.text):
                continue
        elif slip.cause == UNDEFINED and " " not in slip.text and (names.has(slip.text) or names.may_come(slip.text)):
            continue
        kept.append(slip)
    return kept


def word_place(container: Container, slip: Slip) -> Place:
    """Where a slip stands: the word, or the part of it that is meant."""
    key, index, _ = container.words()[slip.at]
    return Place((*container.path, key, index), inside=slip.inside)


def split_words(text: str) -> list[str]:
    """Several words in one, as a shell would split them; none where only a shell can say."""
    from shlex import split

    if any(sign in text for sign in ("|", ";", ">", "<", "$(", "`", "*", "&&")) or not text.isprintable():
        return []
    try:
        words = split(text)
    except ValueError:
        return []
    # an item of a list that is indented further than the one above it is a part of that one, with its dash
    return [word for at, word in enumerate(words) if word != "-" or at in (0, len(words) - 1)]


def in_place(container: Container, slip: Slip, words: list[str]) -> list[Operation]:
    """Several words in place of the one of a slip."""
    key, index, _ = container.words()[slip.at]
    line = container.tree[key]
    return [Set((*container.path, key), [*line[:index], *words, *line[index + 1 :]])]


def separated(text: str) -> str:
    """The line to write for several words in one: word by word, or a shell's where the text needs one."""
    words = split_words(text)
    if words and sum(map(len, words)) < 200:
        return f"`{', '.join(_item(word) for word in words)}`: each word for itself"
    return f"`[sh, -c, {_quoted(text) if shown(text) == text else '…'}]`, so that a shell splits it"


def script(words: list[str]) -> str:
    """Words as a line that a shell reads."""
    from shlex import quote

    signs = (*JOINS, *REDIRECTIONS)
    return " ".join(word if word in signs or "$" in word else quote(word) for word in words)


def line_for_a_shell(words: list[str]) -> list[str]:
    """The command line for words that a shell should read.

    Without what leaves a program in the background, with which the container would end; a pipe's exit code is that of
    its last program, unless bash is told otherwise.
    """
    while words and words[-1] == "&":
        words = words[:-1]
    words = words[1:] if words[:1] == ["nohup"] else words
    return [*(["bash", "-o", "pipefail"] if "|" in words else ["sh"]), "-c", script(words)]


def for_a_shell(words: list[str]) -> str:
    """The line to write for words that a shell should read."""
    *shell, text = line_for_a_shell(words)
    item = "…" if len(text) > 100 or not text.isprintable() else _quoted(text)
    more = " with the line as one text" if item == "…" else ""
    why = ": without `pipefail`, which dash lacks, a crash in front of the pipe counts as success" * ("bash" in shell)
    return f"write `command: [{', '.join(shell)}, {item}]`{more}{why}"


def _item(word: str) -> str:
    """A word as an item of a flow list."""
    letters = "".join(sign for sign in word if sign not in "-_./=")
    plain = letters.isalnum() and not word[:1].isdigit() and word.lower() not in ("true", "false", "null", "yes", "no")
    return word if plain else _quoted(word)


def _quoted(text: str) -> str:
    from json import dumps

    return dumps(text, ensure_ascii=False)


class Names:
    """The variables of a container: its own, and those that the operator adds to the pods that it has ``made``."""

    def __init__(self, container: Container, made: Made) -> None:
        self.container = container
        self.workload = container.role.workload
        self._made = made
        self._added: set[str] | None = None
        self._pods: list[dict[str, Any]] | None = None
        # for each list of variables in those pods, and for the container: name → where it stands first
        self._own: dict[str, int] = {}
        self._places: list[dict[str, int]] | None = None

    def has(self, name: str) -> bool:
        if name in self.container.env:
            return True
        workload = self.workload
        # of a PyTorchJob's variables several come with a Master alone
        whole = workload.kind != "PyTorchJob" or any(role.name == "Master" for role in workload.roles)
        if name in workload.rules_env and whole and not self.container.init:
            return True
        return name in self.added

    def may_come(self, name: str) -> bool:
        """Whether something that is not in the manifest may define it: a ConfigMap, a Service, another controller."""
        if sequence(self.container.tree.get("envFrom")) or name in _OF_OTHERS or name.startswith(("VC_", "VK_")):
            return True
        # of a Volcano Job, whose plugins for frameworks bring variables of their own
        if mapping(self.workload.manifest.tree.get("spec")).get("plugins"):
            return True
        service = any(name.endswith(end) or f"{end}_" in name for end in _OF_SERVICES)
        return service and (self.container.role.pod.get("enableServiceLinks") is not False or "KUBERNETES" in name)

    def is_unset(self, name: str) -> bool:
        """Whether none of the pods that the operator makes has a variable of operators; False where nobody knows."""
        if sequence(self.container.tree.get("envFrom")) or self.has(name) or not self._lists():
            return False
        workload = self.workload
        if name == _INDEX:
            return workload.kind not in _OF_JOBS
        plugins = mapping(mapping(workload.manifest.tree.get("spec")).get("plugins"))
        if name.startswith(("VC_", "VK_")):
            return "env" not in plugins
        return plugins.keys() <= _NO_FRAMEWORKS

    def is_above(self, other: str, name: str) -> bool:
        """Whether a variable stands above another in the operator's pods; of a job without pods, in the container."""
        if self._places is None:
            # the pods of a role have the same
            lists = dict.fromkeys([tuple([str(mapping(entry).get("name")) for entry in env]) for env in self._lists()])
            # each at its first place, which is written last
            self._places = [{one: at for at, one in reversed([*enumerate(listed)])} for listed in lists]
            self._own = {one: at for at, one in enumerate(self.container.env)}
        within = [places for places in self._places if name in places]
        if within:
            return any([other in places and places[other] < places[name] for places in within])
        above = other in self._own and self._own[other] < self._own[name]
        return above or other in self.workload.rules_env

    @property
    def added(self) -> set[str]:
        """What containers of this name have in the operator's pods; of a job without pods, all that it may add."""
        if self._added is None:
            lists = self._lists()
            self._added = {str(mapping(entry).get("name")) for env in lists for entry in env}
            if not self._pods:
                self._added = set(self.workload.rules_env)
        return self._added

    def _lists(self) -> list[list[Any]]:
        """The variables of the containers of this name in the operator's pods."""
        if self._pods is None:
            self._pods = self._made(self.workload)
        specs = [mapping(pod.get("spec")) for pod in self._pods]
        both = [one for spec in specs for key in ("containers", "initContainers") for one in sequence(spec.get(key))]
        return [sequence(one.get("env")) for one in map(mapping, both) if one.get("name") == self.container.name]


# What Slurm, Open MPI and PMI tell a process, by how it ends → what operators tell a pod, nearest first; what torchrun
# tells a process.
_TOLD: dict[tuple[str, ...], tuple[tuple[str, ...], str]] = {
    ("LOCALID", "LOCAL_RANK"): ((), "LOCAL_RANK"),
    ("PROCID", "NODEID", "NODE_RANK", "_RANK"): (("RANK", "PET_NODE_RANK"), "RANK"),
    ("NTASKS", "NPROCS", "_SIZE"): (("WORLD_SIZE", "PET_NNODES"), "WORLD_SIZE"),
    ("NNODES", "NUM_NODES"): (("PET_NNODES",), "GROUP_WORLD_SIZE"),
    ("NODELIST",): (("MASTER_ADDR", "PET_MASTER_ADDR"), "MASTER_ADDR"),
}
# torchrun's variables → Open MPI's (4.1, mpirun(1), "Environment Variables").
_OF_MPI = {
    "RANK": "OMPI_COMM_WORLD_RANK",
    "LOCAL_RANK": "OMPI_COMM_WORLD_LOCAL_RANK",
    "WORLD_SIZE": "OMPI_COMM_WORLD_SIZE",
}
# What else Slurm tells, and a job says in another way.
_ELSEWHERE = {
    "SLURM_ARRAY_TASK_ID": "each task of an array is a variant of its own: in a profile "
    '`matrix: {task: {t1: {env: {SLURM_ARRAY_TASK_ID: "1"}}, …}}` with `variantsOnly: true`, and '
    "`$(SLURM_ARRAY_TASK_ID)` in the line",
    "SLURM_CPUS_PER_TASK": "write the number: in a profile `resources.cpu` is of a pod",
    "SLURM_JOB_ID": "write the job's name, which Kubernetes has one of at a time",
    "SLURM_SUBMIT_DIR": "write the path: in a profile `workdir` says where the program starts",
}
_FOREIGN = ("SLURM_", "OMPI_COMM_WORLD_", "PMI_", "PMIX_")


# What torchrun tells each process; a pod has a number of its own by the same name, or none.
OF_PROCESSES = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK", "ROLE_RANK")


def is_of_slurm(name: str) -> bool:
    """Whether Slurm, Open MPI or PMI tell a process its place by this variable."""
    return name.startswith(_FOREIGN)


def in_its_place(names: Names, name: str, sign: str = "${}") -> str:
    """What to read in the place of a variable of Slurm's or MPI's; ``sign``: how a variable is written there.

    What a pod is told is its own number, not that of a process, where a starter runs several in it.
    """
    if name in _ELSEWHERE:
        return _ELSEWHERE[name].replace(f"$({name})", sign.format(name))
    for ends, (pods, process) in _TOLD.items():
        if not name.endswith(ends):
            continue
        if process == "MASTER_ADDR":
            there = [one for one in pods if names.has(one)]
            return f"`{sign.format(there[0])}` is the first pod's" if there else _of_process(process)
        started = by_starter(names.container, process)
        if started is not None:
            return started
        there = [one for one in pods if names.has(one)]
        said = _of_process(process)
        return (
            f"`{sign.format(there[0])}` is the pod's, right where one process runs in each; {said}" if there else said
        )
    return f"set `{name}` among the variables, or leave it out"


def by_starter(container: Container, variable: str) -> str | None:
    """How a process learns what a variable of torchrun's says, where the line calls torchrun or mpirun; else None."""
    line = [text for _, _, text in container.words()]
    starter = launchers.of_text(line)
    if starter is not None and starter.name in (launchers.TORCHRUN, launchers.ACCELERATE):
        where = "the environment of each process"
        return (
            f"leave the option out: torchrun sets `{variable}` in {where}, "
            f'where `os.environ["{variable}"]` reads it; a word of the line is the same for all processes of a pod'
        )
    called = [word.rpartition("/")[2] for text in line for word in text.split()]
    if variable in _OF_MPI and any(one in called for one in ("mpirun", "mpiexec", "orterun")):
        own = _OF_MPI[variable]
        return f'leave the option out: Open MPI sets `{own}` for each process, where `os.environ["{own}"]` reads it'
    return None


def _of_process(variable: str) -> str:
    return f"torchrun sets `{variable}` for each process that it starts, in a profile `start: torchrun`"


def is_template(workload: Workload) -> bool:
    """Whether a manifest is a template: a text with signs of variables where nobody but a tool replaces them."""
    manifest = workload.manifest
    return isinstance(manifest.where, Document) and any(
        "$" in text and any(sign != "(" for sign, *_ in signs(text)) for text in _texts(manifest.tree)
    )


def _texts(tree: Any) -> Iterator[str]:
    """All texts of a tree but commands and the values of variables, which may mean a shell's."""
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, list):
        for item in tree:
            yield from _texts(item)
    elif isinstance(tree, dict):
        for key, value in tree.items():
            if key not in ("command", "args", "env", "annotations"):
                yield from _texts(value)
