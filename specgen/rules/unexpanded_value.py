"""`$NAME` or `${NAME}` in the value of a variable, which no shell reads.

## What it checks
Values of `env`, where nothing but `$(NAME)` is replaced. Passed over are values with blanks, which are a script's or a
program's own business, containers whose command line says `eval` or `envsubst`, and manifests in which other fields
hold such signs too: those are templates.

## Why it hurts
The variable holds the text itself. `PATH: $PATH:/opt/bin` takes the image's programs away, and `LD_LIBRARY_PATH` its
libraries: the container does not start, or starts with other libraries.

## Severity
- warning: whether the program replaces such signs itself is not known.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
env: [{name: PATH, value: "$PATH:/opt/bin"}]
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
env: [{name: EXTRA, value: /opt}, {name: TOOLS, value: "$(EXTRA)/bin"}]
```

## Fix
`$(NAME)` where the container has that variable above this one; unsafe, as the value takes the place of the text. What
only the image knows needs a shell: `[sh, -c, "PATH=$PATH:/opt/bin exec python train.py"]`.

## When to ignore it
Where the program replaces such signs in its variables itself.

## References
Kubernetes 1.36, third_party/forked/golang/expansion/expand.go and pkg/kubelet/kubelet_pods.go
(`makeEnvironmentVariables`).
"""

from __future__ import annotations

from specgen.diagnostics.model import UNSAFE, WARNING, Code, Fix, Place
from specgen.diagnostics.operations import ReplaceText
from specgen.operators.kubernetes.argv import signs
from specgen.rules import ALL, CONTAINER, DOLLAR
from specgen.rules._slips import is_template

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG422", "unexpanded-value", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (DOLLAR,)

_EXPANDERS = ("eval", "envsubst")


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each value."""
    line = " ".join([text for _, _, text in container.words()])
    if any([word in line for word in _EXPANDERS]) or is_template(container.role.workload):
        return
    above: list[str] = []
    for name, (index, entry) in container.env.items():
        value = entry.get("value")
        found = [one for one in signs(value) if one[0] != "("] if isinstance(value, str) else []
        if found and isinstance(value, str) and not value.strip().count(" ") and "\n" not in value:
            _, sign, start, end = found[0]
            written, path = value[start:end], (*container.path, "env", index, "value")
            helps, fix = [f"write `$({sign})`"], None
            if sign not in above:
                helps = [f"a shell can add to what the image says: `export {name}=…` in front of the program"]
            elif value.count(written) == 1:
                helps, fix = [], Fix(helps[0], UNSAFE, [ReplaceText(path, written, f"$({sign})")])
            yield CODE.at(
                Place(path, inside=(start, end)),
                f"`{written}` stays as it is in the value of `{name}`",
                label="no shell replaces it",
                notes=_notes(name, sign),
                helps=helps,
                fix=fix,
            )
        above.append(name)


def _notes(name: str, sign: str) -> list[str]:
    notes = ["in `env`, Kubernetes replaces `$(NAME)` alone, by variables that stand above"]
    if name == sign == "PATH":
        notes.append("the `PATH` of the image is lost: its programs are not found by their names")
    elif name == sign:
        notes.append(f"the `{name}` of the image is lost")
    return notes
