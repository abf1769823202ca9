"""A `cleanPodPolicy` that is not one of the operator's words.

## What it checks
`runPolicy.cleanPodPolicy`, and `cleanPodPolicy` of an MPIJob v1, is `None`, `Running`, or `All`.

## Why it hurts
The mpi-operator does not take the job and says so in an event. The other operators take any unknown word for `All`:
they delete the pods at the end, and the logs with them.

## Severity
- error: the operator refuses the word.
- warning: the operator takes the word for `All`: the job runs, its pods go at its end.

## Example
Bad:

```yaml
runPolicy: {cleanPodPolicy: Completed}
```

Good:

```yaml
runPolicy: {cleanPodPolicy: Running}
```

## Fix
Write one of the three words. The near one is applied where one asks for it: they differ in which pods outlive the job.

## When to ignore it
Never; no operator knows the word.

## References
mpi-operator 0.8, pkg/apis/kubeflow/validation/validation.go; training-operator 1.9.4, pkg/controller.v1/common/job.go;
recorded with both.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, UNSAFE, WARNING, Code, listed
from specgen.diagnostics.suggest import hint
from specgen.manifest.views import mapping
from specgen.rules import ROLED, WORKLOAD
from specgen.rules._operators import refuses, spec
from specgen.rules._remedies import respelt
from specgen.rules._words import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG319", "unknown-clean-policy", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ROLED
NEEDS = ("cleanPodPolicy",)
CAUSES = ("clean-policy",)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each place; an empty text counts as absent for all but the mpi-operator."""
    terms, judged = workload.terms, bool(context.refused(*CAUSES))
    words = () if terms is None else terms.cleans
    own = spec(workload)
    places: list[tuple[Path, Any]] = [
        (("spec", "runPolicy", "cleanPodPolicy"), mapping(own.get("runPolicy")).get("cleanPodPolicy"))
    ]
    if workload.kind == "MPIJob" and workload.operator != "mpi-operator":
        places.append((("spec", "cleanPodPolicy"), own.get("cleanPodPolicy")))
    for path, word in places:
        if not isinstance(word, str) or word in words or (not word and not judged):
            continue
        fix = respelt(path, word, words, UNSAFE)
        help = None if fix else hint(word, words, "word")
        yield CODE.at(
            path,
            f"the operator knows no clean-up policy `{shown(word)}`",
            label=f"expected one of {listed(words)}",
            notes=[refuses(workload) if judged else "it acts as `All`: every pod is deleted when the job ends"],
            helps=[help] if help else [],
            fix=fix,
            severity=ERROR if judged else WARNING,
        )
