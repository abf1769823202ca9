"""What a person is told who has a manifest and looks for its profile: there is no way back, and how one begins.

A manifest says what a profile left to specgen, and not what it meant by it. So none is made of one. What a profile
would begin with can be read: the kind, the pods that train, their devices, the image and the program. The line of
`specgen init` that is printed was tried: its profile builds.
"""

from __future__ import annotations

import shlex
from argparse import Namespace

from specgen.cli import exits
from specgen.cli.files import DiskFiles
from specgen.devices import is_adapter, is_ascend, is_gpu, is_npu
from specgen.diagnostics.model import BadQuestion
from specgen.diagnostics.secrets import masked_words
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes import launchers
from specgen.pipeline import Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.cli.terminal import Terminal
    from specgen.manifest.model import Manifest
    from specgen.manifest.views import Role
    from specgen.operators.expansion import Instance
    from specgen.operators.reader import Reader

NO_WAY = "no profile is made of a manifest"
# What people write in place of a device's name.
_SLIPS = ("gpu", "gpus", "npu", "npus")
# Roles by the names that operators give them, in which nothing trains that has ranks.
_ASIDE = ("launcher", "ps", "scheduler", "evaluator")


def told(name: str | None, terminal: Terminal) -> int:
    """Says of a manifest, or of manifests in general, what there is instead."""
    file = "FILE" if name is None else shlex.quote(name)
    if name is not None and _is_profile(name):
        terminal.say(f"specgen: {file} is a profile")
        terminal.say(f"  = help: `specgen build {file}` prints its manifest")
        return exits.QUESTION
    lines = _lines(name) if name is not None else None
    terminal.say(f"specgen: {NO_WAY}{'' if name is None else f': {file} stays one'}")
    terminal.say(f"  = help: `specgen lint {file}` and `specgen fix {file}` keep it as a manifest, and mend it")
    if lines is None:
        way = f"`specgen init --from {file}` prints the line that begins a profile of such a job"
        if name is not None:
            way = "`specgen init job --target KIND --pods N --gpu N -- COMMAND` begins a profile"
        terminal.say(f"  = help: {way}")
        return exits.QUESTION
    for line in lines:
        terminal.say(f"  = help: `{line} > profile.yaml` begins one of such a job")
    more = "" if all(" -- " in line for line in lines) else "its program (behind `--`), "
    terminal.say(f"  = help: the rest is written by hand ({more}env, mounts, amounts); `specgen explain WORD` helps")
    terminal.say(f"  = help: `specgen diff {file} profile.yaml` says what is still different")
    return exits.QUESTION


def _text(name: str) -> Text | None:
    """A file; None where nothing is read of it. Raises BadQuestion where there is none."""
    try:
        source, _ = DiskFiles().named(name)
    except BadQuestion as error:
        raise BadQuestion(f"{name}: {error}", error.help) from None
    return None if source is None else Text(source)


def _is_profile(name: str) -> bool:
    text = _text(name)
    return text is not None and text.kind is not None


def is_manifest(name: str) -> bool:
    """Whether a file holds a job of a kind that is known here."""
    return bool(_jobs(name))


def _lines(name: str) -> list[str] | None:
    """For each job of a file the line that begins its profile; None where none is known."""
    found = [_line(manifest, reader, others) for manifest, reader, others in _jobs(name)]
    return [one for one in found if one is not None] or None


def _jobs(name: str) -> list[tuple[Manifest, Reader, list[Manifest]]]:
    """The jobs of a file, each with its reader and the objects beside it. Raises BadQuestion."""
    from specgen import operators

    text = _text(name)
    objects = [one for found in text.objects for one in found] if text is not None else []
    jobs = []
    for one in objects:
        reader = operators.by_object(one.ref.api_version, one.ref.kind)
        if reader is not None:
            jobs.append((one, reader, [other for other in objects if other is not one]))
    return jobs


def _line(manifest: Manifest, reader: Reader, others: list[Manifest]) -> str | None:
    from specgen.operators.expand import expand_manifest

    kind = _kind(reader)
    if kind is None:
        return None
    expansion, _ = expand_manifest(manifest, reader, lenient=True, companions=others, resumed=True)
    roles = reader.read(manifest).roles
    if expansion is not None and expansion.instances:
        instances = expansion.instances
        shapes = [
            Shape(one.role, 1, _devices(one), npu=any(is_ascend(device) for device in one.devices)) for one in instances
        ]
        left_out = expansion.left_out
    else:
        # what its operator would make of it is not known: it is refused, or its runtime stands elsewhere
        shapes = [shape for shape in map(_shape, roles) if shape.pods > 0]
        left_out = 0
    if not shapes:
        return _proven(["--target", kind], [], 0)
    devices = max(shape.devices for shape in shapes)
    training = [one for one in shapes if one.devices == devices] if devices else shapes
    training = [one for one in training if one.role.lower() not in _ASIDE] or training
    pods = sum(one.pods for one in training) + (left_out if len(training) == len(shapes) else 0)
    starting = next((one for one in shapes if one.role.lower() == _ASIDE[0]), training[0])
    words = ["--target", kind, "--pods", str(pods), "--npu" if training[0].npu else "--gpu", str(devices)]
    mains = [one.main for one in roles if one.name == starting.role] or [one.main for one in roles]
    tree = next((one.tree for one in mains if one is not None), {})
    image = tree.get("image")
    words += ["--image", image] if isinstance(image, str) else []
    words += ["--name", manifest.ref.name] if manifest.ref.name else []
    line = _proven(words, _command(tree), devices)
    # of a manifest that is refused a number or a name may be the reason
    return line or _proven(["--target", kind], [], 0)


class Shape:
    """Pods of a role: how many, and the GPUs or NPUs of each."""

    __slots__ = ("devices", "npu", "pods", "role")

    def __init__(self, role: str, pods: int, devices: int, *, npu: bool) -> None:
        self.role = role
        self.pods = pods
        self.devices = devices
        self.npu = npu


def _shape(role: Role) -> Shape:
    """What a role says of its pods, under names that a slip may have changed: `gpu`, `nvidia.com/gpus`."""
    main = role.main
    resources = mapping(main.tree.get("resources")) if main is not None else {}
    said = {**mapping(resources.get("requests")), **mapping(resources.get("limits"))}
    npu = False
    devices = 0
    for name, amount in said.items():
        count = int(amount) if str(amount).isascii() and str(amount).isdigit() and len(str(amount)) < 5 else 0
        if not is_adapter(name) and (is_gpu(name) or is_npu(name) or name.rpartition("/")[2].lower() in _SLIPS):
            devices += count
            npu = npu or is_ascend(name)
    return Shape(role.name, role.replicas, devices, npu=npu)


def _devices(one: Instance) -> int:
    """The GPUs, or NPUs, of a pod: what is no adapter."""
    # names of adapters are free: what is beside a GPU is none
    known = [count for name, count in one.devices.items() if is_gpu(name) or is_npu(name)]
    return sum(known or [count for name, count in one.devices.items() if "/" in name and not is_adapter(name)])


def _command(container: dict[str, Any]) -> list[str]:
    """The words of a container that stand in a line as they are; none where one is a script, or a secret."""
    words = sequence(container.get("command")) + sequence(container.get("args"))
    plain = container.get("command") and all(isinstance(one, str) and one.isprintable() for one in words)
    return words if plain and masked_words(words) == words else []


def _proven(words: list[str], command: list[str], devices: int) -> str | None:
    """The line with as much of the command as gives a profile that builds."""
    tries: list[tuple[list[str], list[str]]] = []
    if command:
        tries = [([], command), (["--start", "self"], command)]
        if devices > 1 and command[0].rpartition("/")[2].startswith("python") and not launchers.of_words(command):
            # one process, as the manifest has it
            tries.insert(0, (["--start", "none"], command))
    for start, said in [*tries, ([], [])]:
        line = [*words, *start]
        if _builds(line, said):
            return shlex.join(["specgen", "init", "job", *line, *(["--", *said] if said else [])])
    return None


def _builds(words: list[str], command: list[str]) -> bool:
    """Whether `specgen init job` takes the line, and its profile builds."""
    from specgen.cli.begun import builds

    names = ("framework", "target", "pods", "gpu", "npu", "start", "image", "cluster", "name", "out", "force")
    said: dict[str, Any] = dict.fromkeys(names)
    said |= dict(zip((word[2:] for word in words[::2]), words[1::2], strict=True))
    numbers = {name: int(said[name] or 0) for name in ("pods", "gpu", "npu") if said[name] is not None}
    try:
        return builds(Namespace(**{**said, **numbers}, command=list(command)))
    except BadQuestion:
        return False


def _kind(reader: Reader) -> str | None:
    """The word of `--target` for the kind that a reader reads; None: profiles do not compile to it."""
    from specgen.cli.beginning import KINDS
    from specgen.lower.index import TARGETS
    from specgen.modules import import_module

    for kind in KINDS:
        name, _, version = kind.partition("/")
        for module in TARGETS[name]:
            is_it = import_module(f"specgen.lower.{module}").READER is reader
            if is_it and (not version or module.endswith(f"_{version}")):
                return kind
    return None
