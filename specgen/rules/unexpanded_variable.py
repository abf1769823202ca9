"""`$NAME` or `${NAME}` in a command line that no shell reads.

## What it checks
Words of `command` and `args` outside a shell's text. Kubernetes replaces `$(NAME)` alone. Passed over where names,
images or other fields hold such signs too: the file is then a template.

## Why it hurts
The program gets the text `$NAME` itself: a count that is no number, a path that is not there, a token that is refused.

## Severity
- warning: the program may replace such signs itself.

## Example
Bad:

```yaml
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    env: [{name: HF_TOKEN, valueFrom: {secretKeyRef: {name: hub, key: token}}}]
    command: [python, train.py, --token=$HF_TOKEN]
```

Good:

```yaml
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    env: [{name: HF_TOKEN, valueFrom: {secretKeyRef: {name: hub, key: token}}}]
    command: [python, train.py, --token=$(HF_TOKEN)]
```

## Fix
`$(NAME)` where the variable is one of the container's. That is unsafe: the value takes the place of the text. A
variable of the image alone needs a shell, `[sh, -c, "exec python train.py --token=$NAME"]`.

What torchrun tells each of its processes (`RANK`, `LOCAL_RANK`, `WORLD_SIZE`) is in their environment, and stands in no
word of the line, which all of them share: leave the option out there, or read `os.environ`.

## When to ignore it
It is a warning, as the program may replace such signs itself (Hydra, `os.path.expandvars`), and a tool may fill them in
before the manifest is applied.

## References
Kubernetes 1.36, third_party/forked/golang/expansion/expand.go; public report: NVIDIA-NeMo/Run PR 579.
"""

from __future__ import annotations

from specgen.diagnostics.model import UNSAFE, WARNING, Code, Fix
from specgen.diagnostics.operations import ReplaceText
from specgen.operators.kubernetes.argv import UNEXPANDED
from specgen.rules import ALL, CONTAINER, SLIP
from specgen.rules._slips import OF_PROCESSES, Names, by_starter, in_its_place, is_of_slurm, word_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG462", "unexpanded-variable", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (SLIP.format(UNEXPANDED),)


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each sign."""
    for slip in context.slips(container):
        if slip.cause != UNEXPANDED or slip.inside is None:
            continue
        place = word_place(container, slip)
        written = container.words()[slip.at][2]
        sign = written[slip.inside[0] : slip.inside[1]]
        right = f"$({slip.text})"
        helps, fix = [], None
        # the kubelet puts the pod's in its place
        of_process = by_starter(container, slip.text) if slip.text in OF_PROCESSES else None
        if of_process is not None:
            helps = [of_process]
        elif not slip.text:
            helps = ["write the number that is meant, or a shell that works it out: `[sh, -c, …]`"]
        elif not slip.known:
            helps = [
                f"`{right}` with `{slip.text}` among the variables, or a shell for one of the image: `[sh, -c, …]`"
            ]
            if is_of_slurm(slip.text):
                helps = [in_its_place(Names(container, context.made), slip.text, "$({})")]
        elif written.count(sign) == 1:
            fix = Fix(f"write `{right}`", UNSAFE, [ReplaceText(place.path, sign, right)])
        else:
            helps = [f"write `{right}`"]
        yield CODE.at(
            place,
            f"`{sign}` reaches the program as it stands",
            label="no shell replaces it",
            notes=["without a shell, Kubernetes replaces `$(NAME)` alone"],
            helps=helps,
            fix=fix,
        )
