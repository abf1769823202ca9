"""The command that Trainer makes of ``tune run``, and which models it takes.

Read from kubeflow/trainer v2.3.0 (658725bdae5c), pkg/runtime/framework/plugins/torch/torchtune.go, pkg/constants.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.jobset import facts as layout
from specgen.operators.trainer.facts import PORT
from specgen.operators.trainer.job import TRAINER, gpus
from specgen.operators.trainer.runtime import ancestor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.operators.jobset.refusals import Reason
    from specgen.operators.trainer.job import TrainJob

MODELS = ("llama3_2/1B", "llama3_2/3B", "llama3_3/70B", "qwen2_5/1.5B")
_LARGE, _QWEN = "llama3_3/70B", "qwen2_5/1.5B"
_KEPT = ("output_dir", "tokenizer.path", "checkpointer.checkpoint_dir", "tokenizer.merges_file")


def model(runtime: str) -> str:
    """The model that a runtime's name tells: ``torchtune-llama3.2-1b`` → ``llama3_2/1B``; empty if it tells none."""
    words = runtime.split("-")
    return f"{words[1].replace('.', '_')}/{words[2].upper()}" if len(words) == 3 else ""


def command(job: TrainJob, processes: str) -> list[str]:
    """``tune run`` with a rendezvous, a recipe, its configuration, and the paths that the runtime sets."""
    given = job.given_resources()
    devices = gpus(job.runtime_resources() if given is None else given)
    single = job.size() <= 1 and (processes == "1" or devices == 1)
    words = [*sequence(mapping(job.trainer).get("command"))]
    if not single:
        words.append(f"--rdzv_endpoint={job.name}-node-0-0.{job.name}:{PORT}")
    recipe, config = _recipe(job, job.size(), single=single)
    return [*words, recipe, "--config", config, *_paths(job)]


def _recipe(job: TrainJob, nodes: int, *, single: bool) -> tuple[str, str]:
    name = model(layout.text(mapping(job.tree.get("runtimeRef")).get("name")))
    args = [word for word in sequence(mapping(job.trainer).get("args")) if isinstance(word, str)]
    low_rank, quantized = any("lora_attn_modules" in word for word in args), _is_quantized(args)
    if nodes > 1:
        return "full_finetune_distributed", f"{name}_full_multinode"
    end = "single_device" if single else "distributed"
    suffix = "_single_device" if single else ""
    if quantized:
        return f"lora_finetune_{end}", f"{name}_qlora{suffix}"
    if low_rank:
        return f"lora_finetune_{end}", f"{name}_lora{suffix}"
    return f"full_finetune_{end}", f"{name}_full{suffix}"


def _is_quantized(args: list[str]) -> bool:
    if any("use_dora" in word for word in args):
        return False
    return any("quantize_base" in word for word in args)


def _paths(job: TrainJob) -> list[str]:
    found = []
    for replicated in job.jobs:
        if ancestor(replicated) == TRAINER:
            for container in layout.containers_of(replicated):
                if container.get("name") == "node":
                    words = [word for word in sequence(container.get("command")) if isinstance(word, str)]
                    found += [word for word in words if word.partition("=")[0] in _KEPT]
    return found


def reasons(job: TrainJob) -> Iterator[Reason]:
    """Why the webhook refuses ``tune run``."""
    runtime = layout.text(mapping(job.tree.get("runtimeRef")).get("name"))
    name = model(runtime)
    nodes = 1 if job.nodes is None else job.nodes
    if name not in MODELS:
        yield (
            ("spec", "runtimeRef", "name"),
            f"`spec.runtimeRef.name`: `{runtime}` names no model that torchtune supports",
        )
    if nodes > 1 and name != _LARGE:
        yield ("spec", "trainer", "numNodes"), f"`spec.trainer.numNodes` must be 1 for the model `{name}`"
    given = job.given_resources()
    devices = gpus(job.runtime_resources() if given is None else given)
    single = nodes == 1 and (job.processes == 1 or devices == 1)
    config = _recipe(job, nodes, single=single)[1]
    if "_qlora" in config:
        if name == _QWEN:
            yield ("spec", "trainer", "args"), f"`spec.trainer.args`: QLoRA is not supported for the model `{name}`"
        if not single and name in MODELS[:2]:
            yield (
                ("spec", "trainer", "args"),
                f"`spec.trainer.args`: QLoRA of the model `{name}` needs one process and one GPU",
            )
    args = [word for word in sequence(mapping(job.trainer).get("args")) if isinstance(word, str)]
    for index, word in enumerate(args):
        if word.partition("=")[0] in _KEPT:
            path = ("spec", "trainer", "args", index)
            yield path, f"`spec.trainer.args[{index}]`: `{word.partition('=')[0]}` is set by the runtime"
