"""How programs of Lightning that start their own processes learn which pod they are in, and where the pods meet.

Read from Lightning 2.6.6, fabric/plugins/environments/lightning.py (`node_rank`: NODE_RANK, else GROUP_RANK, else 0;
`main_address`: MASTER_ADDR, else this host; `main_port`), and litgpt, finetune/lora.py, whose `L.Fabric` is given
`--devices`, since 0.5 `--num_nodes` as well, and starts a process for each device.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

NODE_RANK = "NODE_RANK"
USUAL = (NODE_RANK, "MASTER_ADDR", "MASTER_PORT")
# Programs that are Lightning's without a word of it in their lines.
_PROGRAMS = ("litgpt",)


def is_fabrics(words: Sequence[str]) -> bool:
    """Whether a line calls a program of Lightning Fabric's, by its name or as a module of Python."""
    if not words:
        return False
    if words[0].rpartition("/")[2] in _PROGRAMS:
        return True
    begins = words[0].rpartition("/")[2].startswith("python") and "-m" in words[:-1]
    return begins and words[list(words).index("-m") + 1].partition(".")[0] in _PROGRAMS


def numbered(rank: str, host: str, port: str, names: Sequence[str] = USUAL) -> str:
    """Shell text that tells it the pod's number, and where the pods meet, by the variables that a pod has of them.

    ``names``: of the variables that it reads. A variable of the job that refers to these is no way: operators add
    theirs below, and Kubernetes reads upwards.
    """
    said = zip(names, (rank, host, port), strict=True)
    return "export " + " ".join([f"{name}=${known}" for name, known in said if name != known])
