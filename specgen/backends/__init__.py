"""One file per kind that specgen compiles to or reads; the folder is the registry.

Every module reads: ``API_VERSION``, ``KIND``, ``SCHEMA`` (module of ``specgen.tables``), ``OPERATOR`` with ``NEWEST``
and ``RELEASES``, ``read(manifest) -> Workload`` and ``expand(workload) -> Expansion``. One that compiles also has
``PLAN`` (what the planner must know) and ``lower(plan) -> Manifest``. A kind whose pods stand in another object has
``meet(workload, companions)``, which adds its roles, and ``settled(workload, finding)``, which leads a finding to the
object that it is about; one that older versions spell otherwise has ``as_newest(tree, version)``. Files that begin with
``_`` are helpers: ``_pod`` writes pod templates for all kinds. May import ``plan``, ``manifest``, ``profile`` and
below; not ``rules``, not ``emit``.
To add a kind: the file, its schema (``generate/job_kinds.py``), cases in ``tests/backends/<name>``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Protocol

    from specgen.backends._expansion import Expansion
    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.manifest.views import Workload
    from specgen.plan.kind import Kind
    from specgen.plan.model import Plan

    class Reader(Protocol):
        """What every module of this folder offers."""

        API_VERSION: str
        KIND: str
        SCHEMA: str
        OPERATOR: str
        NEWEST: str
        RELEASES: tuple[str, ...]

        def read(self, manifest: Manifest, version: str | None = None) -> Workload:
            """The manifest as its operator sees it. Never raises, whatever the tree holds."""
            ...

        def expand(self, workload: Workload) -> Expansion:
            """What the operator creates. Never raises."""
            ...

        def absent_fields(self, version: str) -> frozenset[tuple[str, str]]:
            """Fields of the vendored schema that the CRD of a version lacks, as (mapping's title, field)."""
            ...

        def unique_lists(self, version: str) -> tuple[str, ...] | None:
            """The only lists whose keys the CRD of a version holds unique; None: all that the vendored schema does."""
            ...

    class Backend(Reader, Protocol):
        """What a module offers that profiles compile to."""

        PLAN: Kind

        def lower(self, plan: Plan) -> tuple[Manifest, list[Finding]]:
            """The plan as a manifest with origins; findings where the kind cannot say something."""
            ...


_names: list[str] = []


def names() -> list[str]:
    """Backends by module name, sorted; nothing is imported."""
    if not _names:
        import os

        files = os.listdir(os.path.dirname(os.path.abspath(__file__)))
        _names.extend(sorted(file[:-3] for file in files if file.endswith(".py") and not file.startswith("_")))
    return _names


# Kind → its modules, for kinds that have any.
_loaded: dict[str, list[Any]] = {}


def _named(kind: str) -> list[Any]:
    """The modules of a kind, loaded: ``<kind>.py``, or ``<kind>_<version>.py`` where a kind has several versions."""
    if kind in _loaded:
        return _loaded[kind]
    from importlib import import_module

    wanted = kind.lower()
    of_kind = [name for name in names() if name == wanted or name.startswith(wanted + "_v")]
    found = [import_module(f"specgen.backends.{name}") for name in of_kind]
    if found:
        _loaded[kind] = found
    return found


def by_target(kind: str, version: str | None = None, installed: Sequence[str] = ()) -> Backend | None:
    """The backend that compiles to a target word such as ``PyTorchJob``; None: it has no such version.

    Without a version: the newest whose operator is ``installed``, else the newest that is known.
    """
    found = [
        module
        for module in _named(kind)
        if hasattr(module, "lower") and (version is None or module.API_VERSION.endswith("/" + version))
    ]
    # the files sort by version: v1, v2beta1
    served = [module for module in found if module.OPERATOR in installed] or found
    return served[-1] if served else None


def by_object(api_version: str, kind: str) -> Reader | None:
    """The module that reads an object, by apiVersion and kind together."""
    for module in _named(kind):
        if api_version == module.API_VERSION and kind == module.KIND:
            return module  # type: ignore[no-any-return]
    return None


def as_newest(backend: Reader, tree: dict[str, Any], version: str | None) -> dict[str, Any]:
    """A job's tree as the newest version of its operator spells it, which schemas are of; mostly the tree itself."""
    spell = getattr(backend, "as_newest", None)
    return tree if spell is None or version is None else spell(tree, version)


def speaks_for(backend: Reader, version: str) -> bool:
    """Whether the backend knows how this version of its operator behaves: same major and minor release."""
    return ".".join(version.removeprefix("v").split(".")[:2]) in backend.RELEASES
