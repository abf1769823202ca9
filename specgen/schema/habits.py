"""What people expect of a profile that says it in another way, or not at all: a sentence, where no line of its own is
the answer.

Told of keys that are no field (``said_otherwise``, ``chosen``), of keys that are no names (``misnamed``), of values of
which no candidate is taken (``needs_more``), and of numbers that a comma parts (``parted``).
"""

from __future__ import annotations

import re

from specgen.diagnostics.model import listed
from specgen.schema.elsewhere import elsewhere
from specgen.schema.remedies import candidates, flow, said
from specgen.schema.wording import folded, secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from specgen.schema.walk import Schema, Walk
    from specgen.source import Path

_PATH = re.compile(r"[\w./-]{1,80}")
_SPAN = re.compile(r"\s*([0-9]{1,6})\s*[-:]\s*([0-9]{1,6})\s*")
# What a comma leaves of `1,5h` in braces: the rest of a number, and its unit.
_REST = re.compile(r"[0-9]{1,6}[A-Za-z]{0,2}")

# All that a node has, as Slurm and others say it.
_ALL = (0, "0", "all", "auto", "max", "100%")
# What every process is told without a profile.
_GIVEN = ("groupworldsize", "initmethod", "localrank", "localworldsize", "masteraddr", "masterport", "noderank", "rank")
# Words by which nodes are told apart by what they hold.
_HARDWARE = ("accelerator", "acceleratortype", "gpumodel", "gputype", "instancetype", "machinetype")
# What an image brings, by its version.
_BROUGHT = (
    *("cuda", "cudaversion", "cudnn", "python", "pythonversion", "pytorch", "pytorchversion", "tensorflow", "torch"),
    *("torchversion", "frameworkversion"),
)
# Times of which a bare number is as likely minutes or hours: as seconds, they would end most jobs at once.
_LONG_TIMES, _SECONDS = ("deadline", "ttl"), 600
# Amounts of which a bare number is as likely one of MiB.
_AMOUNTS, _MEBIBYTES = ("memory", "disk", "shm", "size"), 512
# What appears at a path in the pods.
_SOURCES = ("hostPath", "nfs", "pvc", "scratch")
# What is said of jobs from outside.
_OUTSIDE = {
    **dict.fromkeys(
        ("cron", "crontab", "schedule", "starttime", "begin"),
        "a job runs once when it is applied: who applies it, such as a CronJob, says when; with "
        "`metadata: {generateName: train-}` each `kubectl create` makes another job",
    ),
    **dict.fromkeys(
        ("after", "afterok", "dependencies", "dependency", "dependson", "needs", "steps", "stages", "waitfor"),
        "a profile is one job: who applies it says what comes after what, such as sync waves of Argo CD or "
        "`dependsOn` of Flux; `init` runs something before the program",
    ),
    **dict.fromkeys(
        ("error", "openmode", "output", "stderr", "stdout"),
        "leave it out: `kubectl logs` prints what a pod wrote, and files that are to stay go to a path of `mounts`",
    ),
    **dict.fromkeys(("mailtype", "mailuser"), "leave it out: nobody sends mail, `kubectl wait` waits for a job's end"),
    "export": "leave it out: no variable of a shell travels, `env` says each",
}
# Programs that a command begins with.
_PROGRAMS = ("python", "python3", "bash", "sh")
# What a name may end in.
_END = re.compile(r"[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?")
# Values of an axis that are written out.
_MOST_VALUES = 16
_TASKS = re.compile(r"([0-9]{1,4})-([0-9]{1,4})(?:[%:][0-9]+)?")


def of_beside(path: Path, ports: Any) -> str:
    """The sentence for ports of a container beside the program: a name of one is of use to a PodMonitor alone."""
    pairs = ports.items() if isinstance(ports, dict) else ()
    named = [{"name": str(name), "containerPort": port} for name, port in pairs if type(port) is int]
    named = named or [{"name": "metrics", "containerPort": 9400}]
    patch = {"pod": {"spec": {"initContainers": [{"name": str(path[-1]), "ports": named}]}}}
    return (
        "leave it out: a port is open without a name, and `ports` at the top is of the training container; "
        f"where a PodMonitor asks for its name, write `{said('patch', patch)}`"
    )


def said_otherwise(key: str, value: Any) -> str | None:
    """The sentence for a key that no field is meant by."""
    name = folded(key)
    if name in ("array", "jobarray") and isinstance(value, str) and (span := _TASKS.fullmatch(value)) is not None:
        first = f't{span[1]}: {{env: {{SLURM_ARRAY_TASK_ID: "{span[1]}"}}}}'
        return f"write `matrix: {{task: {{{first}, …}}}}` with a line for each up to `t{span[2]}`"
    if name == "constraint" and isinstance(value, str) and _PATH.fullmatch(value):
        return f"write `{said('scheduling', {'nodeLabels': {'LABEL': value}})}` with the label of the nodes"
    if name in _BROUGHT and isinstance(value, (str, int, float)) and str(value)[:1].isdecimal():
        return "leave it out: the image brings it, such as `image: pytorch/pytorch:2.7.1-cuda12.8-cudnn9-runtime`"
    if name in ("accelerator", "devices") and value in ("gpu", "cuda", "cpu", "auto", -1):
        return f"leave it out, or hand it to the program: write `{said('args', [f'--{key}={value}'])}`"
    if name in _HARDWARE and isinstance(value, str) and _PATH.fullmatch(value):
        labels = said("scheduling", {"nodeLabels": {"LABEL": value}})
        return f"write `{said('scheduling', {'pool': value})}` for a pool of the cluster profile, or `{labels}`"
    if key in _PROGRAMS and isinstance(value, str):
        return f"write `{said('command', [key, *value.split()])}`"
    if key in _SOURCES and isinstance(value, (str, dict)):
        return f"write `{said('mounts', {'/PATH': {key: value}})}` with the path in the pods"
    if name in _GIVEN:
        variable = key.replace("-", "_").upper()
        return f"remove it: the operator or the starter tells each process its own, `specgen expand` shows `{variable}`"
    if name in ("secret", "secrets") and isinstance(value, dict) and value and all(map(_is_variable, value)):
        line = said("env", {str(one): {"secret": "NAME", "key": "KEY"} for one in value})
        return f"write `{line}`, with the name of a Secret and the entry of it"
    return _OUTSIDE.get(name) or elsewhere(key, value)


def _is_variable(name: object) -> bool:
    return isinstance(name, str) and name.isascii() and name.isidentifier() and name.isupper()


def no_operator(key: str, walk: Walk) -> str | None:
    """The line for what a cluster profile lists among its operators, and is the gang scheduler of the cluster."""
    name = folded(key).removesuffix("scheduler").removesuffix("queue")
    name = {"schedulerplugins": "coscheduling"}.get(name, name)
    scheduling = walk.field({"scheduling": {"gang": name}}, ("scheduling", "gang"))
    if any(name in one.get("enum", ()) for one in walk.alternatives(scheduling)):
        return f"write `{said('scheduling', {'gang': name})}`: a scheduler is no operator, and has no version here"
    return None


def chosen(key: str, value: Any, above: str, alternatives: list[Schema], walk: Walk) -> str | None:
    """The line for a key that is one of the words which the field above it takes, or a field of that."""
    if any(key in schema.get("enum", ()) for schema in alternatives):
        line = said(above, key)
        own = value if isinstance(value, dict) else {}
        count = next((own[name] for name in ("nproc", "nproc_per_node", "np") if name in own), None)
        more = f" and `procsPerPod: {count}`" if type(count) is int and above == "start" else ""
        return f"write `{line}`{more}"
    for schema in alternatives:
        for name, below in schema.get("properties", {}).items() if type(value) is not int else ():
            if any(key in one.get("enum", ()) for one in walk.alternatives(below)):
                flat = isinstance(value, dict) and all(isinstance(one, (str, int)) for one in value.values())
                if key != "nccl" or not flat:
                    return f"write `{said(above, {name: key})}`"
                variables = {f"NCCL_{word.upper()}": str(one) for word, one in value.items()}
                return f"write `{said(above, {name: key})}` and `{said('env', variables)}`"
    return None


def misnamed(path: Path, key: str, value: Any, workdir: Any = None) -> str | None:
    """The line for an entry whose name is none: of mounts and files, whose names are paths in the container."""
    if path and path[-1] == "files" and isinstance(value, str) and value.startswith("/") and not key.startswith("/"):
        return f"write `{said(value, {'from': key})}`: the path in the container first, then the file"
    if not path or path[-1] not in ("files", "mounts") or key.startswith("/"):
        return None
    if path[-1] == "files":
        root = workdir if isinstance(workdir, str) and workdir.startswith("/") else "/workspace"
        return _beneath(root, key)
    if isinstance(value, str) and value.startswith("/"):
        return f"write `{said(value, {'pvc': key})}`: the path in the container first, then what appears there"
    if isinstance(value, dict):
        at = next((value[word] for word in ("path", "mountPath") if str(value.get(word, "")).startswith("/")), None)
        if at is not None:
            rest = {word: below for word, below in value.items() if word not in ("path", "mountPath")}
            return f"write `{said(str(at), rest or {'pvc': key})}`"
    return _beneath("/", key)


def _beneath(root: str, key: str) -> str | None:
    """The help with the path that a relative one gives in the container; None where it is no plain path."""
    steps = key.removeprefix("./").split("/")
    if not all(step.strip(".") and step.replace(".", "").replace("-", "").replace("_", "").isalnum() for step in steps):
        return None
    return f"write `{root.rstrip('/')}/{'/'.join(steps)}`: the path in the container"


def _axis(key: str, values: list[Any], walk: Walk, data: dict[str, Any]) -> str:
    """The lines for an axis that is said as a list of values: each value by a name, with what it changes.

    Where the command has the option already, its value becomes a variable: an option twice is a line that nobody meant.
    """
    lines = []
    command = data.get("command")
    varied = _varied(command, key) if isinstance(command, list) else None
    if key in walk.root.get("properties", {}):
        changed = [{key: one} for one in values]
    elif varied is not None:
        lines.append(f"command: {flow(varied)}")
        changed = [{"vars": {_variable(key): one if isinstance(one, str) else flow(one)}} for one in values]
    else:
        changed = [{"args": [f"--{key}={one}"]} for one in values]
    ends = [str(one).lower() for one in values]
    if len(set(ends)) < len(ends) or not all(_END.fullmatch(one) for one in ends):
        ends = [str(at) for at in range(1, len(values) + 1)]
    pairs = zip(ends, changed[:_MOST_VALUES], strict=False)
    named = [f"{key}-{end}".lower() + f": {flow(one)}" for end, one in pairs]
    named += ["…"] if len(values) > _MOST_VALUES else []
    lines.append(f"matrix: {{{key}: {{{', '.join(named)}}}}}")
    lines += [] if data.get("variantsOnly") else ["variantsOnly: true"]
    return f"write {listed(lines)}"


def _varied(command: list[Any], key: str) -> list[Any] | None:
    """A command with a variable in place of an option's value; None: it has no such option, or has it twice."""
    option, variable = f"--{key}", f"$<{_variable(key)}>"
    if not all(isinstance(word, str) for word in command):
        return None
    spaced = [at for at, word in enumerate(command[:-1]) if word == option and not command[at + 1].startswith("-")]
    joined = [at for at, word in enumerate(command) if word.startswith(f"{option}=")]
    if len(spaced) + len(joined) != 1:
        return None
    varied = list(command)
    if spaced:
        varied[spaced[0] + 1] = variable
    else:
        varied[joined[0]] = f"{option}={variable}"
    return varied


def _variable(key: str) -> str:
    return key.replace("-", "_")


def no_unit(key: str, value: Any) -> str | None:
    """The lines for a number without a unit, of which nobody knows what it counts: a time, or an amount."""
    number = int(value) if isinstance(value, str) and re.fullmatch("[0-9]{1,5}", value) else value
    if key in _AMOUNTS and type(number) is int and _MEBIBYTES <= number < 100_000:
        return f"a number alone has no unit: write `{key}: {number}Mi` for MiB, as Slurm counts, or `{number}Gi`"
    if key not in _LONG_TIMES or type(number) is not int or not 0 < number < _SECONDS:
        return None
    return f"a number alone has no unit: write `{key}: {number}h` for hours, `{number}m` for minutes, or `{number}s`"


def _of_a_laptop(key: str, value: str) -> str | None:
    """The help for a folder that no node has by this path."""
    if not value.startswith(("~", "$HOME", "${HOME}", "./", "../", "$PWD", "${PWD}")) and key != "hostPath":
        return None
    line = "hostPath: /PATH" if key == "hostPath" else f"{key}: {{hostPath: /PATH}}"
    return (
        f"write `{line}` with a folder that the nodes have, or `pvc: NAME` for a claim: nothing of this machine is "
        "there, `files` brings single files of it"
    )


def needs_more(path: Path, value: Any, walk: Walk, data: Any) -> str | None:
    """What says what is meant, where that is another field, or a name is needed that only its writer knows."""
    key = str(path[-1])
    of_mount = key == "hostPath" or path[-2:-1] == ("mounts",)
    if of_mount and isinstance(value, str) and (line := _of_a_laptop(key, value)) is not None:
        return line
    if path[0] == "matrix" and len(path) == 2 and isinstance(value, list) and value and not secret(key):
        return _axis(key, value, walk, data)
    if key == "gpu" and path[-2:-1] == ("resources",) and isinstance(value, float) and 0 < value < 1:
        return "a GPU is asked for as a whole; a share is a resource of its own: `other: {nvidia.com/mig-1g.10gb: 1}`"
    if key == "gpu" and isinstance(value, dict) and (count := value.get("limit", value.get("request"))):
        return f"write `gpu: {count}`: what is asked for is what is used" if type(count) is int else None
    if (
        key == "mode"
        and (digits := str(value)).isascii()
        and digits.isdecimal()
        and len(digits) in (3, 4)
        and not {*digits} & {"8", "9"}
        and int(digits, 8) < 512
    ):
        return f"write `mode: {int(digits, 8)}`, which is {int(digits, 8):04o} as a decimal number"
    if key in ("user", "group", "fsGroup") and isinstance(value, str) and value.isidentifier():
        return f"write the number: `id {'-u' if key == 'user' else '-g'} {value}` in the image prints it"
    if key == "workdir" and isinstance(value, str) and not value.startswith("/"):
        return "write `workdir: /PATH` with a folder of the image or of `mounts`: no folder of this machine is there"
    if key == "mounts" and isinstance(value, list) and all(isinstance(one, str) and ":" in one for one in value):
        outside, inside, *_ = value[0].split(":")
        told = _of_a_laptop(inside, outside) if inside.startswith("/") else None
        return told and told.replace(f"{inside}: {{hostPath: /PATH}}", f"mounts: {{{inside}: {{hostPath: /PATH}}}}", 1)
    if key == "gang" and type(value) is int:
        return "write `gang: true`: all pods of the job start together"
    if key == "rdma" and value == "auto":
        return "leave `rdma` out: the cluster profile says whether there is RDMA"
    if path[0] == "matrix" and isinstance(value, (str, int, float)) and 1 < len(path) < 4 and not secret(key):
        axis = str(path[1])
        changed = f"{{args: [--{axis}={flow(value)}]}}"
        return f"write `{key}: {changed}`" if len(path) == 3 else f"write `matrix: {{{axis}: {{a: {changed}, …}}}}`"
    if (
        key in ("dataset", "model")
        and isinstance(value, str)
        and re.fullmatch(r"(?:\w+://)?[\w.-]+(?:/[\w.-]+)+", value)
    ):
        uri = value if "://" in value else f"hf://{value}"
        if key == "model" or "://" in value:
            return (
                f"write `{said(key, {'path': '/PATH', 'uri': uri})}` in a TrainJob, which fetches it to one of "
                "`mounts`; in other kinds the program or `prepare` does"
            )
    if key == "pools" and isinstance(value, list) and all(isinstance(one, str) for one in value):
        return (
            f"write `pools: {{{value[0] if value else 'NAME'}: {{nodes: {{count: 4}}}}}}` with the number of its nodes"
        )
    if key == "nodes" and isinstance(value, list) and value:
        return f"write `nodes: {{count: {len(value)}}}`, their number"
    if key == "operators" and (ours := value if isinstance(value, list) else [value]) and isinstance(ours[0], str):
        return f"write `operators: {{{ours[0]}: {{version: VERSION}}}}` with the version that runs"
    if path[-2:-1] == ("taints",) and isinstance(value, str):
        return f"write `{flow(_taint(value))}`"
    if key == "taints" and isinstance(value, str):
        return f"write `taints: [{flow(_taint(value))}]`"
    if key == "hca" and isinstance(value, list) and value:
        return (
            f"write `hca: auto`, or their number, `hca: {len(value)}`; names of devices stand in the cluster profile, "
            "`pools.POOL.hca.devices`"
        )
    if key in ("gpu", "npu") and (value in _ALL or value == -1):
        return f"write the number that a node has, such as `{key}: 8`"
    if key == "gang" and str(value).lower() in ("none", "no", "off", "never"):
        takes_no = walk.fits(
            False, walk.alternatives(walk.field({"scheduling": {"gang": False}}, ("scheduling", "gang")))
        )
        return "write `gang: false`" if takes_no else "leave `gang` out: the cluster has no gang scheduler then"
    if key == "cpu" and value in _ALL:
        return "leave `cpu` out: nothing is limited then; for a whole node say what a node has, such as `96`"
    if key == "variants" and isinstance(value, list) and all(isinstance(one, str) for one in value):
        names = ", ".join(f"{one}: {{…}}" for one in value[:8])
        return f"write `variants: {{{names}}}` with what each of them changes"
    if key == "roles" and isinstance(value, list):
        return "write `roles: {worker: {…}}` with what is another there; `pods` counts all that train"
    if key == "env" and isinstance(value, str) and _PATH.fullmatch(value) and "." in value:
        return (
            f"`kubectl create secret generic NAME --from-env-file={value}` makes a Secret of it, and "
            "`envFrom: [{secret: NAME}]` reads that; of one without tokens a ConfigMap does as well"
        )
    if key in ("memory", "disk", "shm") and value in _ALL:
        return f"leave `{key}` out: nothing is limited then; for a whole node say what a node has, such as `900Gi`"
    if len(path) > 1 and key in ("pods", "elastic", "init", "dataset"):
        return None
    only = value[0] if isinstance(value, list) and len(value) == 1 else value
    if key == "pods":
        text = f"{value.get('min')}-{value.get('max')}" if isinstance(value, dict) and len(value) == 2 else value
        if isinstance(value, list) and len(value) == 2:
            text = f"{value[0]}-{value[1]}"
        span = _SPAN.fullmatch(text) if isinstance(text, str) else None
        if span is not None:
            return f"a number that changes is said as `elastic: {{min: {span[1]}, max: {span[2]}}}`"
    if key == "elastic" and value is True:
        return "write `elastic: {min: 1, max: 4}` with the fewest and the most pods"
    if key == "elastic" and value is False:
        return "leave it out: the number of pods does not change then"
    if key == "init" and isinstance(value, str):
        return f"write `{said('prepare', value)}`, or give the container a name: `init: {{NAME: {{command: […]}}}}`"
    if key == "dataset" and isinstance(value, str):
        return "write `dataset: {path: /PATH}` with its path below one of `mounts`"
    if not isinstance(only, str):
        return None
    if re.match(r"(s3|gs|gcs|az|abfss?|hf|https?)://", only):
        return "no path shows an object store: `init` or `prepare` fetches it, or `pvc` names a claim that holds it"
    if not _PATH.fullmatch(only):
        return None
    if len(path) > 1 and path[-2] == "mounts":
        return f"write `{said(key, {'pvc': only})}` for a claim, `{{storage: {only}}}` for one of the cluster profile's"
    if key == "mounts" and only.startswith("/"):
        return f"write `mounts: {{{only}: {{pvc: NAME}}}}` with the name of the claim"
    if key == "files":
        name = only.rpartition("/")[2]
        return f"write `files: {{/PATH/{name}: {{from: {only}}}}}` with the path that it has in the pods"
    return None


def unparted(key: str, value: Any, fields: Collection[str]) -> str | None:
    """The line for a field without the blank behind its colon, which in braces is a key of its own: ``{gpu:8}``."""
    name, colon, text = key.partition(":")
    return f"write `{name}: {text}`, with a blank" if value is None and colon and text and name in fields else None


def _taint(text: str) -> dict[str, str]:
    """A taint as kubectl writes it, `KEY=VALUE:EFFECT`, in words."""
    whole, _, effect = text.partition(":")
    name, _, value = whole.partition("=")
    return {"key": name, **({"value": value} if value else {}), "effect": effect or "NoSchedule"}


def parted(holder: Any, key: str, alternatives: list[Schema], walk: Walk) -> str | None:
    """The line for a number of which a comma in braces has made a number and a key: ``{memory: 64,5Gi}``."""
    if not isinstance(holder, dict) or type(holder.get(key)) is not int:
        return None
    keys = list(holder)
    after = keys[keys.index(key) + 1 :]
    more = next((at for at, one in enumerate(after) if not one.isdecimal() or holder[one] is not None), len(after))
    whole = ",".join([str(holder[key]), *after[:more]])
    if more and walk.fits(whole, alternatives):
        return f'write `{key}: "{whole}"`: in braces, a comma begins the next entry'
    rest = after[0] if after else None
    if not isinstance(rest, str) or holder[rest] is not None or not _REST.fullmatch(rest):
        return None
    whole = f"{holder[key]}.{rest}"
    for one in (whole, *candidates((key,), whole, alternatives, walk)):
        if walk.fits(one, alternatives):
            return f"write `{said(key, one)}`: in braces, a comma begins the next entry"
    return None
