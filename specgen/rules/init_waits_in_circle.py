"""Init containers that wait for ports which nobody opens before they have ended.

## What it checks
An init container's text asks a pod of the same job whether it listens (`nc -z HOST PORT`), and that pod cannot: its own
init containers wait for this role in turn, or it is of the same role.

## Why it hurts
The containers of a pod start once its init containers have ended. Where two roles wait for each other's ports, or a pod
for its own, none ever opens: all pods stay in `Init`, and those that are placed hold their devices.

## Severity
- error: a loop asks until it is answered.
- warning: the text may give up, and go on.

## Example
Bad:

```yaml
Worker:
  replicas: 2
  template:
    spec:
      initContainers:
        - name: wait
          image: busybox:1.36
          command: [sh, -c, "until nc -z llama-ft-worker-0 23456; do sleep 2; done"]
      containers: [{name: pytorch, image: "registry.example.com/train:1.4", command: [torchrun, train.py]}]
```

Good:

```yaml
Worker:
  replicas: 2
  template:
    spec:
      containers: [{name: pytorch, image: "registry.example.com/train:1.4", command: [torchrun, train.py]}]
```

## Fix
Leave the waiting out: a rendezvous waits for all by itself. Names of pods can be waited for: `nslookup HOST`.

## When to ignore it
Where an image's init container listens at that port.

## References
Kubernetes 1.36, "Init Containers" (they run to completion before the pod's containers start).
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, WARNING, Code, Place, shown
from specgen.rules import ALL, WORKLOAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG547", "init-waits-in-circle", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = ("initContainers",)

# Programs that ask whether somebody listens.
_ASK = ("nc", "ncat", "netcat")
# Words by which a text may give up.
_GIVES_UP = ("timeout", "seq ", "break", "exit", "-lt", "-gt", "-le", "-ge", "{1..")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding for each role, at the host that is asked."""
    if context.reader is None or not any([" -z" in _line(workload), "nc -" in _line(workload)]):
        return
    waits = _waits(workload, context)
    asked = {(role, other) for role, other, *_ in waits}
    told: set[str] = set()
    for role, other, host, place, endless in waits:
        if role in told or not (role == other or (other, role) in asked):
            continue
        told.add(role)
        why = f"the init containers of `{other}` wait for `{role}` in turn"
        if role == other:
            why = "it is of the same role, whose containers start behind this init container"
        yield CODE.at(
            place,
            f"`{shown(host)}` does not listen before this init container has ended",
            label=f"a pod of `{other}`",
            notes=[why],
            helps=["leave it out: a rendezvous waits for all pods by itself; of a name, wait with `nslookup`"],
            severity=ERROR if endless else WARNING,
        )


def _line(workload: Workload) -> str:
    return " ".join([one.line for role in workload.roles for one in role.containers(init=True)])


def _waits(workload: Workload, context: Context) -> list[tuple[str, str, str, Place, bool]]:
    """(role that waits, role of the pod that is asked, its host, place, whether it waits without end)."""
    from specgen.operators.kubernetes.calls import calls

    pods = {one.pod.removesuffix("-<random>"): one.role for one in context.resumed(workload).instances}
    found = []
    for role in workload.roles:
        if not role.replicas:
            continue
        # a sidecar may listen
        if any([one.tree.get("restartPolicy") == "Always" for one in role.containers(init=True)]):
            return []
        for container in role.containers(init=True):
            texts = container.words()
            for call in calls([text for _, _, text in texts]):
                asks = bool(call.pieces) and call.pieces[0].text.rpartition("/")[2] in _ASK and not call.doubtful
                for piece in call.pieces[1:] if asks else ():
                    other = pods.get(piece.text.partition(".")[0])
                    # pods of a JobSet have no name without their domain (SG510)
                    if other is None or (workload.kind == "JobSet" and "." not in piece.text):
                        continue
                    key, index, text = texts[piece.at]
                    place = Place((*container.path, key, index), inside=(piece.start, piece.end))
                    loops = ("until " in text or "while !" in text) and not any([one in text for one in _GIVES_UP])
                    found.append((role.name, other, piece.text, place, loops))
    return found
