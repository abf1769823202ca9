"""What is known of the flags beside ``config``: which are refused together, and what they need. No torch here."""

from __future__ import annotations

from typing import Any

from trainer.config import BenchConfig, PreflightConfig, TrainConfig, flags_of

FLAGS, BENCH_FLAGS = flags_of(TrainConfig), flags_of(BenchConfig)
PREFLIGHT_FLAGS = flags_of(PreflightConfig)
PREFLIGHT_OWN = PREFLIGHT_FLAGS[len(FLAGS) :]  # what `preflight` has besides all that `train` has
PER_RANK = {"launcher", "spawn", "termination_log", "rank", "local_rank", "gpu", "json"}  # may differ between ranks
# All ranks have them or none; what lies there is compared by itself: hashes of the data, a file that rank 0 writes.
PATHS = {"data", "manifest", "out"}
# Bytes of shared memory of one process that has loader workers, as a sum of products of arguments: each worker has two
# batches under way and one is in use; the second set of workers is that of the evaluation, whose batches are one
# micro-batch. The last two terms are labels, queues and what rounding to pages costs (measured with torch 2.13).
SHM = (
    "2 * workers * accum * batch_size * 3 * image_size^2",
    "accum * batch_size * 3 * image_size^2",
    "eval * 2 * workers * batch_size * 3 * image_size^2",
    "eval * batch_size * 3 * image_size^2",
    "131072 * workers",
    "131072",
)
# What is refused together: of each argument `True` (it is given), the values that it has, or the smallest number.
REFUSED: tuple[tuple[dict[str, Any], str], ...] = (
    (
        {"data": True, "format": ("idx",), "arch": ("resnet18", "resnet34", "resnet50", "resnet101")},
        "the network takes pictures in colour, IDX files have one channel",
    ),
    (
        {"data": True, "format": ("folder", "tar"), "arch": ("mnist",)},
        "the network takes one channel of 28 x 28 pixels, as IDX files have it",
    ),
    ({"static_graph": True, "accum": 2}, "of a static graph every backward pass exchanges gradients"),
)
# What other programs call a flag: transformers, timm, Lightning, torchvision's references and torchrun.
ELSEWHERE = {
    "--learning-rate": "--lr",
    "--weight-decay": "--wd",
    "--model": "--arch",
    "--num-workers": "--workers",
    "--data-dir": "--data",
    "--data-path": "--data",
    "--output-dir": "--out",
    "--save-dir": "--out",
    "--log-interval": "--print-freq",
    "--max-steps": "--iter",
    "--warmup": "--lr-warmup-epochs",
    "--warmup-epochs": "--lr-warmup-epochs",
    "--warmup-steps": "--lr-warmup-epochs",
    "--sched": "--lr-scheduler",
    "--fp16": "--amp",
    "--bf16": "--amp",
    "--gradient-accumulation-steps": "--accum",
    "--nproc-per-node": "--spawn",
}
COMMANDS = ("train", "bench", "preflight", "index", "report", "contract", "guard")
# Of each network of --arch: what its gradients and checkpoints weigh is known without torch.
PARAMETERS = {"resnet18": 11689512, "resnet34": 21797672, "resnet50": 25557032, "resnet101": 44549160, "mnist": 431080}


def shm_bytes(values: dict[str, Any]) -> int:
    """The sum of `SHM` for these arguments; 0 without workers."""
    total = 0
    for product in SHM if values["workers"] else ():
        factor = 1
        for word in product.split(" * "):
            name, _, power = word.partition("^")
            factor *= int(values.get(name, 0) if not name.isdigit() else name) ** int(power or 1)
        total += factor
    return total


def contradiction(values: dict[str, Any]) -> str:
    """Which two arguments are refused together, and why; empty where none are."""
    for when, why in REFUSED:
        if all(key in values and _is(values[key], wanted) for key, wanted in when.items()):
            one, other = (_written(key, values[key]) for key in when if key != "data")
            return f"`{one}` contradicts `{other}`: {why}"
    return ""


def _is(value: Any, wanted: Any) -> bool:
    if wanted is True:
        return bool(value)
    return value in wanted if isinstance(wanted, tuple) else value >= wanted


def _written(key: str, value: Any) -> str:
    name = "--" + key.replace("_", "-")
    return name if value is True else f"{name}={value}"
