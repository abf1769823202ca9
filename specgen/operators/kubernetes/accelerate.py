"""The configuration file of accelerate: what it says of machines and processes where the command line says nothing.

Read from huggingface/accelerate 1.15.0, commands/config/config_args.py and commands/launch.py
(`_validate_launch_command`): an option of the line wins over the file. `same_network` and `rdzv_backend` have a value
on every line, so that the file's are never taken.
"""

from __future__ import annotations

from specgen.document.read import read
from specgen.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# By which accelerate starts DeepSpeed on several machines: unless it is told, over ssh; these two start what is here.
OVER_SSH = "pdsh"
HERE = ("standard", "nossh")
_DEEPSPEED, _NONE = "DEEPSPEED", "NO"
_CPUS = "MULTI_CPU"
# Longer than any such file.
LARGEST = 1 << 18


class Configured:
    """What a file says. ``machines`` and ``rank`` have a value where it says none; ``processes`` has none then.

    ``distributed``: how it spreads, such as ``FSDP``; ``by``: what starts DeepSpeed's processes on several machines,
    empty without DeepSpeed; ``hostfile`` and ``settings``: DeepSpeed's, and its configuration; ``cpu``: whether it uses
    no accelerators; ``devices``: which of those of a machine it uses, empty for all.
    """

    __slots__ = (
        "address",
        "by",
        "cpu",
        "devices",
        "distributed",
        "hostfile",
        "machines",
        "processes",
        "rank",
        "settings",
    )

    def __init__(self, said: dict[str, Any]) -> None:
        self.distributed = _text(said.get("distributed_type"))
        self.machines = _number(said.get("num_machines")) or 1
        self.processes = _number(said.get("num_processes")) or (1 if self.distributed == _NONE else None)
        self.rank = _number(said.get("machine_rank")) or 0
        self.address = _text(said.get("main_process_ip"))
        deepspeed = said.get("deepspeed_config")
        deepspeed = deepspeed if isinstance(deepspeed, dict) else {}
        self.by = ""
        if self.distributed == _DEEPSPEED:
            self.by = _text(deepspeed.get("deepspeed_multinode_launcher")) or OVER_SSH
        self.hostfile = _text(deepspeed.get("deepspeed_hostfile"))
        self.settings = _text(deepspeed.get("deepspeed_config_file"))
        devices = said.get("gpu_ids", "all")
        self.devices = "" if devices in ("all", None) else str(devices)
        self.cpu = said.get("use_cpu") is True or self.distributed == _CPUS

    @property
    def spreads(self) -> bool:
        """Whether it chooses one of the launchers that start several processes."""
        return self.distributed not in ("", _NONE, _CPUS)

    @property
    def over_ssh(self) -> bool:
        """Whether it hands several machines to DeepSpeed's launcher, which goes to all of them."""
        return bool(self.by) and self.by not in HERE


def configured(text: str, name: str) -> Configured | None:
    """What the text of a file says; None where it is no such file of a cluster of one's own, or cannot be read."""
    if len(text) > LARGEST:
        return None
    documents, _ = read(Source(name, text))
    data = documents[0].data if len(documents) == 1 else None
    if not isinstance(data, dict) or data.get("compute_environment", "LOCAL_MACHINE") != "LOCAL_MACHINE":
        return None
    return Configured(data) if "distributed_type" in data else None


def _number(value: object) -> int | None:
    """A number from 0 on, also in quotes, as accelerate's own types take it."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9 else None


def _text(value: object) -> str:
    # a `NO` without quotes is false in YAML 1.1, which accelerate's own reader takes it for as well
    return value if isinstance(value, str) else _NONE if value is False else ""
