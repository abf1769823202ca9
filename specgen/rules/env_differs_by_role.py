"""A variable of the communication library that one role sets and another does not, or sets differently.

## What it checks
`NCCL_`, `TORCH_NCCL_`, `UCX_`, `GLOO_`, and `FI_` variables, and `LD_PRELOAD`, have the same value in the training
containers of all roles that train together. Variables that only steer logging may differ.

## Why it hurts
All ranks build one communicator. If half of them use another network, protocol, or library, they hang at the first
collective or fall back to the slower choice.

## Severity
- warning: roles may run on nodes whose networks are called differently.

## Example
Bad:

```yaml
Master: {template: {spec: {containers: [{name: pytorch, env: [{name: NCCL_IB_HCA, value: mlx5}]}]}}}
Worker: {template: {spec: {containers: [{name: pytorch, env: [{name: OMP_NUM_THREADS, value: "8"}]}]}}}
```

Good:

```yaml
Master: {template: {spec: {containers: [{name: pytorch, env: [{name: NCCL_IB_HCA, value: mlx5}]}]}}}
Worker: {template: {spec: {containers: [{name: pytorch, env: [{name: NCCL_IB_HCA, value: mlx5}]}]}}}
```

## Fix
Set the variable in every role, or in none. What is applied when asked for is the first: ranks then take what one of
them took. Where two values differ, none is applied.

## When to ignore it
Where the roles run on different nodes whose networks have different names.

## References
NCCL 2.30, user guide, "Environment variables" (values are per process, many must agree between ranks).
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, UNSAFE, WARNING, Code, Fix, Place, listed
from specgen.manifest.views import sequence
from specgen.rules import ALL, TWINS, WORKLOAD
from specgen.rules._remedies import add, put
from specgen.rules._words import variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Workload
    from specgen.rules import Context
    from specgen.source import Path

    Variables = dict[str, tuple[Path, dict[str, Any]]]

CODE = Code("SG430", "env-differs-by-role", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (TWINS,)

# Roles whose processes form one group; a launcher, a parameter server or an evaluator does not.
TRAINING = ("Master", "Worker", "Chief")
_PREFIXES = ("NCCL_", "TORCH_NCCL_", "UCX_", "GLOO_", "FI_")
_NOTE = "all ranks build one communicator; where they disagree, they hang or take the slower choice"
_LOGGING = ("NCCL_DEBUG", "TORCH_NCCL_TRACE", "TORCH_NCCL_DUMP", "TORCH_NCCL_DEBUG", "UCX_LOG", "FI_LOG", "GLOO_LOG")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """For each role after the first: one finding for what it lacks, one for what it adds, one for each value."""
    roles = [role for role in workload.roles if role.name in TRAINING and role.main is not None]
    for role in roles[1:]:
        one, other = roles[0].main, role.main
        if one is None or other is None or one.tree is other.tree:
            continue
        first, second = variables(one, context), variables(other, context)
        yield from _lacking(one, first, other, second)
        yield from _lacking(other, second, one, first)
        for name in first:
            if _matters(name) and name in second and _said(first[name][1]) != _said(second[name][1]):
                yield CODE.at(
                    (*second[name][0], "value"),
                    f"`{name}` differs between `{roles[0].name}` and `{role.name}`",
                    label=f"the value in `{role.name}`",
                    related=[(Place((*first[name][0], "value")), f"the value in `{roles[0].name}`")],
                    notes=[_NOTE],
                    helps=["set one value in both roles"],
                )


def _lacking(giver: Container, given: Variables, taker: Container, taken: Variables) -> Iterator[Finding]:
    if sequence(taker.tree.get("envFrom")):
        return
    script = " ".join(text for _, _, text in taker.words())
    names = [name for name in given if _matters(name) and name not in taken and name not in script]
    if not names:
        return
    home = Place((*taker.path, "env"), KEY) if "env" in taker.tree else Place((*taker.path, "name"))
    are = "is" if len(names) == 1 else "are"
    here, there = f"`{giver.role.name}`", f"`{taker.role.name}`"
    yield CODE.at(
        home,
        f"{listed(names)} {are} set in {here} and not in {there}",
        label="not among these" if "env" in taker.tree else "has no `env`",
        related=[(Place((*given[name][0], "name")), f"set in {here}") for name in names],
        notes=[_NOTE],
        fix=_fix(
            f"set {'it' if len(names) == 1 else 'them'} in {there} too", taker, [given[name][1] for name in names]
        ),
    )


def _fix(title: str, taker: Container, entries: list[dict[str, Any]]) -> Fix:
    if isinstance(taker.tree.get("env"), list):
        return Fix(title, UNSAFE, [add(taker.tree, ("env",), entry, within=taker.path) for entry in entries])
    return Fix(title, UNSAFE, [put(taker.tree, ("env",), entries, within=taker.path)])


def _matters(name: str) -> bool:
    return name == "LD_PRELOAD" or (name.startswith(_PREFIXES) and not name.startswith(_LOGGING))


def _said(entry: dict[str, Any]) -> Any:
    return {key: value for key, value in entry.items() if key in ("value", "valueFrom") and value is not None}
