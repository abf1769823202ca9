"""A gradient bucket that holds all gradients, so that nothing overlaps.

## What it checks
The trainer's `--bucket`, where it is said, is smaller than the gradients of its model: 4 bytes for each parameter.

## Why it hurts
DistributedDataParallel sends a bucket once its last gradient is there, while others are still computed. With one bucket
that is after the whole backward pass, and every step waits for the network.

## Severity
- warning: the job runs; the network may be what is measured.

## Example
Bad:

```yaml
Worker:
  replicas: 4
  template:
    spec:
      containers:
        - name: pytorch
          image: registry.example.com/train:1.4
          command: [python, -u, main_allreduce.py, -a, resnet50, --bucket=200]
```

Good:

```yaml
Worker:
  replicas: 4
  template:
    spec:
      containers:
        - name: pytorch
          image: registry.example.com/train:1.4
          command: [python, -u, main_allreduce.py, -a, resnet50, --bucket=25]
```

## Fix
Leave `--bucket` out: the default of 25 MB overlaps. None is applied: the step takes another time then.

## When to ignore it
Where the network is what is measured: one large all-reduce a step shows it best.

## References
torch 2.13, DistributedDataParallel (`bucket_cap_mb`, in MiB); `python -m trainer contract --json`, "parameters".
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code
from specgen.rules import ALL, CONTAINER
from specgen.rules._trainer import call
from specgen.rules._words import shown
from specgen.tables.trainer_contract import CONTRACT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG551", "trainer-large-bucket", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL

# "4 * parameters"
_BYTES = int(CONTRACT["gradient_bytes"].partition(" * ")[0])


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding; none for a single process, which sends nothing."""
    found = call(container)
    said = found.argument("bucket") if found is not None else None
    if found is None or said is None or said.text is None:
        return
    model = found.arguments.text("arch")
    gradients = CONTRACT["parameters"].get(model, 0) * _BYTES
    try:
        bucket = float(said.text) * 2**20
    except ValueError:
        return
    alone = container.role.workload.pods == 1 and found.processes == 1
    if alone or not gradients or not bucket >= gradients:
        return
    yield CODE.at(
        said.place,
        f"`{shown(said.written)}` holds all {gradients / 2**20:.0f} MiB of gradients of `{model}`, "
        "and no step overlaps",
        label="one bucket",
        notes=[
            "DistributedDataParallel sends a bucket when its last gradient is there: here after the whole backward pass"
        ],
        helps=["leave it out: the default of 25 MB overlaps"],
    )
