"""Something is downloaded in every pod before the training starts.

## What it checks
Command lines of jobs with several pods that begin with a download: `wget`, `curl` into a file, `aws s3 cp` and `sync`,
`gsutil cp`, `gcloud storage cp`, `huggingface-cli download`, `git clone`, or a program that is told `--download`.
Init containers, launchers, and commands that run in one pod alone are passed over.

## Why it hurts
All pods fetch the same, at once. Those that finish first wait in the rendezvous with their GPUs idle, and give up when
its timeout passes; after a restart all of it is fetched again.

## Severity
- warning: what is fetched may be small, or differ from pod to pod.

## Example
Bad:

```yaml
Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: "a/b:1", command: [python, t.py]}]}}}
Worker:
  replicas: 3
  template:
    spec:
      containers:
        - {name: pytorch, image: "a/b:1", command: [sh, -c, "wget -q https://data.example.com/d.tar && python t.py"]}
```

Good:

```yaml
Worker:
  replicas: 3
  template:
    spec:
      initContainers: [{name: fetch, image: "a/b:1", command: [wget, -q, "https://data.example.com/d.tar"]}]
      containers: [{name: pytorch, image: "a/b:1", command: [sh, -c, "exec python t.py"]}]
```

## Fix
Put the data on a volume of all pods, once, by a job that ends before this one begins. An init container fetches it in
each pod all the same, but without a timeout of the training. A TrainJob has `initializer`. None is applied.

## When to ignore it
Where what is fetched is small, or differs from pod to pod.

## References
torch 2.13, distributed/elastic/rendezvous/dynamic_rendezvous.py (`join_timeout`, 600 s).
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, plural
from specgen.operators.kubernetes import launchers
from specgen.operators.kubernetes.argv import script_at
from specgen.rules import ALL, DOWNLOAD, ROLE
from specgen.rules._downloads import downloads
from specgen.rules._shell import parse
from specgen.rules._words import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Role
    from specgen.rules import Context

CODE = Code("SG710", "download-at-start", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL
NEEDS = (DOWNLOAD,)

# Words by which a text may run a part of itself in one pod alone.
_ALONE = ("RANK", "HOSTNAME", "hostname", "JOB_COMPLETION_INDEX", "INDEX", "flock")


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding for each role: the first download."""
    container = role.main
    if container is None or role.workload.pods < 2 or role.replicas < 1 or role.name.lower() == "launcher":
        return
    found = _in_text(container) or _in_words(container)
    if found is None:
        return
    place, what = found
    pods = role.workload.pods if len(role.workload.roles) == 1 else role.replicas
    yield CODE.at(
        place,
        f"`{what}` runs in every pod before training starts",
        label="downloads here",
        related=[(Place((*role.path, "replicas")), f"in {plural(pods, 'pod')} at once")] if pods > 1 else [],
        notes=["pods that finish first wait in the rendezvous with their GPUs idle, and give up when its time is over"],
        helps=["put it on a volume of all pods, by a job that ends before; an init container fetches it in each pod"]
        + (["a TrainJob has `initializer` for it"] if role.workload.kind == "TrainJob" else []),
    )


def _in_text(container: Container) -> tuple[Place, str] | None:
    """A download in a shell's text, before its last command."""
    line = container.words()
    at = script_at([text for _, _, text in line])
    if at is None:
        return None
    key, index, text = line[at]
    script = parse(text)
    if script is None or any([sign in text for sign in _ALONE]):
        return None
    for said, _ in script.commands:
        what = downloads([word.text for word in said])
        if launchers.of_words([word.text for word in said if word.text != "exec"]) is not None:
            return None  # what follows comes after the training
        if what:
            return Place((*container.path, key, index), inside=(said[0].start, said[0].end)), what
    return None


def _in_words(container: Container) -> tuple[Place, str] | None:
    """A program that is told to download."""
    for word in words(container):
        if word.text == "--download":
            return Place(word.path, inside=(word.start, word.start + len(word.text))), word.text
    return None
