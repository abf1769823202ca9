"""A token, password or key that everybody reads who reads the manifest.

## What it checks
Values of variables and words of command lines, of init containers too: what looks like the tokens of Hugging Face,
GitHub, GitLab, OpenAI, Slack, Google, npm or NVIDIA, a private key, a password in a URL; and what stands under a name
that ends in `PASSWORD`, `TOKEN`, `SECRET`, `API_KEY` or the like, if it is no reference, path, name or placeholder. The
value itself is never shown.

## Why it hurts
It is in the repository and stays in its history, in the pods that everybody in the namespace may read, in the logs of
the tools that print either. A Secret is read by those who may, and is changed in one place.

## Severity
- warning: the pods run; whether the value opens anything is not known.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
env: [{name: DB_PASSWORD, value: corr3ct-h0rse}]
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
env: [{name: DB_PASSWORD, valueFrom: {secretKeyRef: {name: database, key: password}}}]
```

## Fix
A Secret, and `valueFrom: {secretKeyRef: ...}` in place of the value; in a command line `$(NAME)` of such a variable. A
profile says `DB_PASSWORD: {secret: database, key: password}`. `kubectl create secret generic database
--from-literal=password=…` makes the Secret. Take back the one that was written. None is applied: what the Secret is
called is not known.

## When to ignore it
Where the value opens nothing, as that of a test.

## References
Kubernetes 1.36, "Secrets", "Using Secrets as environment variables"; the services' documents on their tokens.
"""

from __future__ import annotations

from specgen.diagnostics.credentials import is_secret, spans
from specgen.diagnostics.model import DISPLAY, KEY, WARNING, Code, Fix, Place, shown
from specgen.diagnostics.operations import Remove, Set
from specgen.manifest.origins import Origins
from specgen.manifest.views import mapping, sequence
from specgen.rules import ALL, CONTAINER, SECRET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.diagnostics.operations import Operation
    from specgen.manifest.views import Container
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG880", "plain-secret", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (SECRET,)

_LABEL = "in plain text"
_MADE = "`kubectl create secret generic <name> --from-literal=<key>=…` makes the Secret"
_NOTES = ["it is read by all who may read the file or the pods, and stays in the history of the repository"]


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each variable and each word."""
    compiled = isinstance(container.role.workload.manifest.where, Origins)
    for index, entry in enumerate(sequence(container.tree.get("env"))):
        name, value = mapping(entry).get("name"), mapping(entry).get("value")
        if not isinstance(name, str) or not isinstance(value, str):
            continue
        if not is_secret(name, value) and not spans(value):  # a URL, or a line of a shell
            continue
        path: Path = (*container.path, "env", index)
        reference = {"secretKeyRef": {"name": "<name>", "key": "<key>"}}
        patch: list[Operation] = [Remove((*path, "value"), (*path, "valueFrom")), Set((*path, "valueFrom"), reference)]
        title = "take it from a Secret: `valueFrom: {secretKeyRef: {name: <name>, key: <key>}}`"
        yield CODE.at(
            Place((*path, "value"), KEY),
            f"the secret in `{shown(name)}` is part of the manifest",
            label=_LABEL,
            notes=_NOTES,
            helps=[f"take it from a Secret: `{shown(name)}: {{secret: <name>, key: <key>}}`", _MADE]
            if compiled
            else [],
            fix=None if compiled else Fix(title, DISPLAY, patch),
        )
    yield from _in_words(container, compiled)


def _in_words(container: Container, compiled: bool) -> Iterator[Finding]:
    said = " `env: {NAME: {secret: <name>, key: <key>}}`," if compiled else ""
    words = container.words()
    for number, (key, index, text) in enumerate(words):
        inside = next(iter(spans(text)), None)
        if inside is None and not _names(text, words[number + 1 : number + 2]):
            continue
        yield CODE.at(
            # where an argument names it, its own word is shown
            Place((*container.path, key, index), inside=inside),
            "the command line holds a secret" if inside else f"the argument after `{shown(text)}` is a secret",
            label=_LABEL,
            notes=_NOTES,
            helps=[f"give the container a variable from a Secret,{said} and write `$(NAME)` here", _MADE],
        )


def _names(flag: str, following: list[tuple[str, int, str]]) -> bool:
    """Whether a word names the secret that is the next word."""
    if not flag.startswith("-") or "=" in flag or " " in flag or not following:
        return False
    value = following[0][2]
    return not value.startswith("-") and not spans(value) and is_secret(flag.lstrip("-"), value)
