"""A pod with more time to end than torchrun gives the processes that it starts.

## What it checks
`terminationGracePeriodSeconds` of a pod whose training container begins with torchrun is not over 30, or torchrun is
told how long it waits: by `--shutdown-timeout`, `TORCH_ELASTIC_SHUTDOWN_TIMEOUT`, or `PET_SHUTDOWN_TIMEOUT`. The same
of `accelerate launch` with several processes, which it has torch's launcher start, and of both behind a shell's `exec
"$@"`. Where the image is one of PyTorch's own, of a release before them, they count for nothing. Behind `python -m
trainer guard --` it is silent: the guard need not send torchrun a SIGTERM.

## Why it hurts
torchrun passes SIGTERM on to its processes, waits for 30 seconds, and kills those that are still there. What the pod's
period allows beyond that no rank ever gets: a checkpoint that takes longer is cut off while it is written.

## Severity
- warning: whether a step and a checkpoint take longer than 30 seconds is known only where they run.

## Example
Bad:

```yaml
terminationGracePeriodSeconds: 180
containers: [{name: pytorch, image: "registry.example.com/train:1.4", command: [torchrun, train.py]}]
```

Good:

```yaml
terminationGracePeriodSeconds: 180
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    command: [torchrun, train.py]
    env: [{name: TORCH_ELASTIC_SHUTDOWN_TIMEOUT, value: "175"}]
```

## Fix
Set the variable to a few seconds less than the pod's period; in a profile it stands in `env`. torch 2.13 reads it; 2.10
and older ignore it, and refuse the option. There, start one process a pod without torchrun, or save often enough that
the last checkpoint will do. None is applied: the release of torch in the image is not known.

## When to ignore it
Where a step and a checkpoint take less than 30 seconds, or the period is for another container.

## References
torch 2.13, torch/distributed/run.py (`--shutdown-timeout`), torch/distributed/launcher/api.py (`shutdown_timeout`) and
torch/distributed/elastic/multiprocessing/api.py (`close`); pytorch/pytorch pull request 172596, of 2026, which brought
them; 61602, of 2021, which brought the 30 seconds. huggingface/accelerate 1.15.0, commands/launch.py
(`multi_gpu_launcher`).
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place
from specgen.operators.kubernetes import launchers
from specgen.rules import ALL, CONTAINER
from specgen.rules._accelerate import configured
from specgen.rules._upstream import tag_of_pytorch
from specgen.rules._words import gpus, variables, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG498", "torchrun-kills-sooner", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
FIELD = "terminationGracePeriodSeconds"
NEEDS = (FIELD,)

_WAITS = 30
_OPTION = "shutdown_timeout"
_VARIABLE = "TORCH_ELASTIC_SHUTDOWN_TIMEOUT"
_VARIABLES = (_VARIABLE, "PET_SHUTDOWN_TIMEOUT")
# What the end of torchrun itself takes.
_LEFT = 5
_LAST_WITHOUT = (2, 10)


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding, at the pod's period."""
    role = container.role
    grace = role.pod.get(FIELD)
    if not isinstance(grace, int) or isinstance(grace, bool) or grace <= _WAITS or container is not role.main:
        return
    texts = launchers.behind_shell([text for _, _, text in container.words()])
    line = launchers.of_words(texts) if "guard" not in texts else None
    if line is None or line.at >= len(texts):
        return
    file = configured(container, line, context.companions)
    if not launchers.is_torchs(line, gpus(container, context)[0], file):
        return
    old = _too_old(container.tree.get("image"))
    given = variables(container, context)
    if not old and (_OPTION in line.options or any(name in given for name in _VARIABLES)):
        return
    called = texts[line.at]
    word = next((word for word in words(container) if word.text == called), None)
    related = [(Place(word.path), f"kills after {_WAITS} s")] if word is not None else []
    set_it = f'`{_VARIABLE}: "{grace - _LEFT}"` among the variables has it wait; torch 2.13 reads it, 2.10 does not'
    yield CODE.at(
        (*role.pod_path, FIELD),
        f"the pod has {grace} s to end, and {line.name} kills its processes {_WAITS} s after SIGTERM",
        label=f"{grace} s",
        related=related,
        notes=["a checkpoint that takes longer is cut off while it is written"],
        helps=[f"with a newer image: {set_it}" if old else set_it],
    )


def _too_old(image: object) -> bool:
    """Whether an image is one of PyTorch's own, by its tag of a release that knows neither option nor variable."""
    parts = tag_of_pytorch(image).partition("-")[0].split(".")
    if len(parts) < 2 or not (parts[0].isdigit() and parts[1].isdigit()):
        return False
    return (int(parts[0]), int(parts[1])) <= _LAST_WITHOUT
