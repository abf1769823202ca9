"""A job name that the operator refuses, or that is too long for what is named after it.

## What it checks
`metadata.name` begins with a letter, holds lower-case letters, digits, and `-`, and ends with a letter or digit. With
the role and the number of its last pod behind it (`-worker-9`) it has at most 63 characters, where a Service or a host
is called so. A `generateName` counts with the five characters that the API server adds. MPIJobs of the training
operator and Jobs of Volcano may begin with a digit and hold dots, but none beside Volcano's plugins `svc` and `ssh` and
those that bring them. MSJobs may begin with a digit.

## Why it hurts
The API server, a webhook, or the mpi-operator refuses such names. A name that is only too long for the Services passes
a webhook: pods come up, their Services do not, and the workers wait for a Master that they cannot find.

## Severity
- error: the API server, a webhook or the operator refuses the name, or the Services that are named after it.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama_ft}
```

Good:

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft}
```

## Fix
Choose another name. Where other signs do, lower-case letters and `-` are written if one asks for it: queues,
dashboards, and scripts may know the job by the other name. A name that is too long is not cut.

## When to ignore it
Never; such a job does not start.

## References
training-operator 1.9.4, pkg/controller.v1/common/util.go (names); mpi-operator 0.8, pkg/apis/kubeflow/validation; the
CRD of TrainJobs, Trainer 2.3; recorded with all of them: a PyTorchJob of 54 characters works, one of 55 does not.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, UNSAFE, Code, Fix, Place, article, plural
from specgen.diagnostics.operations import Set
from specgen.manifest.views import mapping
from specgen.rules import ALL, WORKLOAD
from specgen.rules._operators import SERVER, by_server, refuses
from specgen.rules._words import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role, Workload
    from specgen.operators.objection import Objection
    from specgen.rules import Context

CODE = Code("SG302", "unusable-name", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
CAUSES = ("name",)

MOST = 63
# apiserver, pkg/storage/names: five random characters after at most 58 of the prefix.
RANDOM = 5
_DIGITS = "0123456789"
_SIGNS = "abcdefghijklmnopqrstuvwxyz-." + _DIGITS


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """The name itself first, and only if that is usable, the names made of it."""
    metadata = mapping(workload.manifest.tree.get("metadata"))
    name, prefix = metadata.get("name"), metadata.get("generateName")
    if isinstance(name, str) and name:
        key, whole = "name", name
    elif isinstance(prefix, str) and prefix:
        key, whole = "generateName", prefix[: MOST - RANDOM] + "x" * RANDOM
    else:
        note = "the API server rejects an object that has neither `name` nor `generateName`"
        yield CODE.at(("metadata", "name"), "the job has no name", part=KEY, label="lacks `name`", notes=[note])
        return
    refused = context.refused(*CAUSES)
    fault = _fault(whole) if refused or _is_refused_below(whole, workload) else None
    if fault is None:
        if refused or workload.operator != "mpi-operator":
            yield from _derived(workload, key, whole)
        return
    said, at = fault
    written = str(metadata[key])
    yield CODE.at(
        Place(("metadata", key), inside=None if at is None or at >= len(written) else (at, at + 1)),
        f"`{shown(written)}` is no name of {article(workload.kind)}: {said}",
        label="expected lower-case letters, digits, and `-`" if at is not None else f"{len(whole)} characters",
        notes=[_refuses(workload, refused)],
        fix=_fix(key, written),
    )


def _fix(key: str, written: str) -> Fix | None:
    """The name in signs that are taken; a prefix may end in `-`."""
    usable = "".join(sign if sign in _SIGNS and sign != "." else "-" for sign in written.lower()).lstrip("-" + _DIGITS)
    usable = usable if key == "generateName" else usable.rstrip("-")
    if not usable or usable == written or len(usable) > MOST or "$" in written or "{" in written:
        return None
    return Fix(f"write `{usable}`", UNSAFE, [Set(("metadata", key), usable)])


def _refuses(workload: Workload, refused: list[Objection]) -> str:
    if refused and refused[0].of:
        return f"the API server refuses the {refused[0].of} in which it stands, and no pod follows"
    if refused and by_server(refused[0]):
        return SERVER
    if workload.kind == "JobSet":
        return "the admission webhook of JobSet refuses the object"
    if workload.operator == "volcano":
        return "the admission webhook of Volcano refuses the object"
    if not refused and workload.operator == "ms-operator":
        return "the API server refuses the Scheduler's Service, and no pod follows"
    if not refused:
        return "the API server refuses its pods: a label of theirs holds the job's name"
    return refuses(workload)


def _is_refused_below(name: str, workload: Workload) -> bool:
    """Whether what is called after a job that nobody refuses is refused: a label of its pods, or a Service."""
    return workload.terms is not None and (len(name) > MOST or ("." in name and bool(_named(workload))))


def _fault(name: str) -> tuple[str, int | None] | None:
    """What keeps a name from being a label that begins with a letter, and the index of the letter at fault."""
    if len(name) > MOST:
        return f"it has {len(name)} characters, {MOST} are the limit", None
    wrong = name.lstrip(_SIGNS)
    if wrong:
        what = f"`{shown(wrong[0])}` is neither a lower-case letter nor a digit nor `-`"
        return what, len(name) - len(wrong)
    for index in (0, len(name) - 1):
        if name[index] in "-.":
            return "it begins or ends with neither a letter nor a digit", index
    at = 0
    for part in name.split("."):
        if not part or part[0] == "-" or part[-1] == "-":
            return "a part between dots begins or ends with neither a letter nor a digit", at
        at += len(part) + 1
    if "." in name:
        return "it holds a dot", name.index(".")
    return ("it begins with a digit", 0) if name[0] in _DIGITS else None


def _named(workload: Workload) -> list[Role]:
    """The roles after whose pods a Service or a host is called; none where the roles are another object's."""
    terms = workload.terms
    if terms is None:
        return []
    return [role for role in workload.roles if terms.hosts is None or role.name in terms.hosts]


def _derived(workload: Workload, key: str, name: str) -> Iterator[Finding]:
    thing, rejects = "Service", "the API server rejects a Service name"
    after = "the operator goes on without that Service, and the job gets no condition"
    if workload.operator == "mpi-operator":
        thing, rejects, after = "host", "no host has a name", refuses(workload)
    elif workload.operator == "ms-operator":
        after = "the operator waits for that Service, and creates no pods"
    hosts: list[tuple[str, int, Role | None]] = [
        (role.name, max(role.replicas, 1) - 1, role) for role in _named(workload)
    ]
    if workload.operator == "mpi-operator" and not hosts:
        hosts = [("Worker", 0, None)]  # judged whether there are Workers or not
    for called, number, role in hosts:
        last = f"-{called.lower()}-{number}"
        length = len(name) + len(last)
        if length <= MOST:
            continue
        related = []
        if role is not None and "replicas" in role.tree:
            related.append((Place((*role.path, "replicas")), f"{plural(role.replicas, 'pod')}, the last is `{last}`"))
        too_long = plural(length - MOST, "character")
        yield CODE.at(
            ("metadata", key),
            f"the job's name is {too_long} too long for the {thing} of `{called}` {number}",
            label=f"{len(name)} characters" + (" with the random ones" if key == "generateName" else ""),
            related=related,
            notes=[
                f"{len(name)} + {len(last)} = {length}; {rejects} beyond {MOST} characters",
                after,
            ],
            helps=[f"a name of at most {MOST - len(last)} characters fits"],
        )
