"""`$(NAME)` in the value of a variable, and no variable of that name above it.

## What it checks
`$(NAME)` in values of `env`, against what stands above it in the pod's list. The operator's own variables come behind
those of the template, or in front of them, as the operator has it. Names that a ConfigMap or a Secret (`envFrom`), a
Service of the namespace, or another controller may bring are passed over.

## Why it hurts
The kubelet goes through the list once, from top to bottom. What it has not met yet stays as it is, in silence: the
variable holds the text `$(NAME)`.

## Severity
- warning: a webhook of the cluster may add the variable.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
env: [{name: LOGS, value: "/logs/$(RUN)"}, {name: RUN, value: first}]
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
env: [{name: RUN, value: first}, {name: LOGS, value: "/logs/$(RUN)"}]
```

## Fix
Put the variable above the one that refers to it; what the operator adds further down, the command line may refer to.
What the image has, such as its own `LD_LIBRARY_PATH`, the kubelet does not know: a shell in the command adds to it, or
the whole value is written out.

## When to ignore it
It is a warning, as a webhook of the cluster may add variables to pods. `$$(NAME)` says that the text is meant.

## References
Kubernetes 1.36, pkg/kubelet/kubelet_pods.go (`makeEnvironmentVariables`); where operators put their variables, the
recordings show.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place
from specgen.operators.kubernetes import launchers
from specgen.operators.kubernetes.argv import signs
from specgen.operators.kubernetes.shell import names_launcher
from specgen.rules import ALL, CONTAINER, DOLLAR
from specgen.rules._slips import Names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG423", "undefined-in-value", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (DOLLAR,)


# What a launcher sets anew for each process that it starts.
_OF_A_PROCESS = ("RANK", "WORLD_SIZE", "LOCAL_RANK")


def _is_launched(container: Container) -> bool:
    words = [text for _, _, text in container.words()]
    line = launchers.of_text(words) if names_launcher(words) else None
    return line is not None and line.name != launchers.DEEPSPEED


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each reference."""
    entries = [(name, index, entry.get("value")) for name, (index, entry) in container.env.items()]
    if not any([isinstance(value, str) and "$(" in value for _, _, value in entries]):
        return
    names = Names(container, context.made)
    own = {name: index for name, index, _ in entries}
    for name, index, value in entries:
        for opened, sign, start, end in signs(value) if isinstance(value, str) else ():
            if opened != "(" or names.is_above(sign, name) or names.may_come(sign):
                continue
            related = [(Place((*container.path, "env", own[sign], "name")), "defined here")] if sign in own else []
            if sign == name:
                message, related = f"`{name}` refers to itself, and stands nowhere above", []
                helps = [
                    f'a shell has the image\'s value: `[sh, -c, \'export {name}="…${name}"; exec "$@"\', sh, …]`',
                    "or write the image's whole value out",
                ]
            elif sign in own:
                message, helps = f"`{sign}` stands below `{name}`, which refers to it", [f"put `{sign}` above it"]
            elif names.has(sign):
                message = f"the operator adds `{sign}` below `{name}`, which refers to it"
                helps = [f"`$({sign})` in the command line, or `${sign}` in a shell"]
                if sign in _OF_A_PROCESS and _is_launched(container):
                    helps = [
                        f"read `{sign}` in the program: its launcher sets it for each process, the pod's counts pods"
                    ]
            else:
                message, helps = f"no variable is called `{sign}`, which `{name}` refers to", []
            yield CODE.at(
                Place((*container.path, "env", index, "value"), inside=(start, end)),
                message,
                label="stays as it is",
                related=related,
                notes=[
                    "the kubelet replaces `$(NAME)` by what stands above, from top to bottom"
                    + ("; it knows no variable of the image" if sign == name else "")
                ],
                helps=helps,
            )
