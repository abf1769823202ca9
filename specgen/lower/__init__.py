"""Plan → manifest: a module for each kind that profiles compile to. What operators make of it is in ``operators``.

Every kind's module is a ``Lowering`` (``lowering``): it has ``READER`` (the kind, as its operator reads it), ``PLAN``
(plain facts for the planner), what the planner asks besides (``plan.target``; ``job`` answers as most kinds do), and
``lower(plan)``. Shared by all kinds: ``job`` (envelope, run policy, roles, patches), ``pod`` and ``container`` (the
template), ``pod_security`` (levels of Pod Security), ``extra_objects`` (what stands beside the job); by both MPIJobs
``mpi``; ``ms_limits`` is what an MSJob cannot do. ``index`` is generated. A lowering reads the plan and nothing else.

May import ``plan``, ``operators``, ``profile`` and below; not ``rules``, not ``emit``.
To add a kind: its module here, beside its reader in ``operators``; then ``python -m specgen.generate``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from specgen.lower.lowering import Lowering

_loaded: dict[str, list[Lowering]] = {}


def by_target(kind: str, version: str | None = None, installed: Sequence[str] = ()) -> Lowering | None:
    """The module that compiles to a target word such as ``PyTorchJob``; None: it has no such version.

    Without a version: the newest whose operator is ``installed``, else the newest that is known.
    """
    if kind not in _loaded:
        from specgen.lower.index import TARGETS
        from specgen.modules import import_module

        modules: list[Any] = [import_module(f"specgen.lower.{name}") for name in TARGETS.get(kind, ())]
        _loaded[kind] = modules
    found = [one for one in _loaded[kind] if version is None or one.READER.api_version.endswith(f"/{version}")]
    served = [one for one in found if one.READER.operator.name in installed] or found
    return served[-1] if served else None
