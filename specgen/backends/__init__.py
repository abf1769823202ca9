"""One file per kind that specgen compiles to or reads; the folder is the registry.

A backend is a module with ``NAME`` (the target's word), ``API_VERSION``, ``KIND``, ``SCHEMA`` (module of
``specgen.tables``), ``PLAN`` (what the planner must know), ``lower(plan) -> Manifest``, ``read(manifest) ->
Workload`` and ``expand(workload, …) -> objects``. Files that begin with ``_`` are helpers: ``_pod`` writes pod
templates for all kinds. May import ``plan``, ``manifest``, ``profile`` and below; not ``rules``, not ``emit``.
To add a kind: the file, its schema (``generate/job_kinds.py``), cases in ``tests/backends/<name>``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.manifest.views import Workload
    from specgen.plan.model import Kind, Plan

    class Backend(Protocol):
        """What a module of this folder offers."""

        NAME: str
        API_VERSION: str
        KIND: str
        SCHEMA: str
        NEWEST: str
        RELEASES: tuple[str, ...]
        PLAN: Kind

        def lower(self, plan: Plan) -> tuple[Manifest, list[Finding]]:
            """The plan as a manifest with origins; findings where the kind cannot say something."""
            ...

        def read(self, manifest: Manifest, version: str | None = None) -> Workload:
            """The manifest as its operator sees it. Never raises, whatever the tree holds."""
            ...

        def expand(self, workload: Workload) -> Any:
            """What the operator creates."""
            ...


def names() -> list[str]:
    """Backends by module name, sorted; nothing is imported."""
    import os

    files = os.listdir(os.path.dirname(os.path.abspath(__file__)))
    return sorted(file[:-3] for file in files if file.endswith(".py") and not file.startswith("_"))


_found: dict[tuple[str, str | None], Backend | None] = {}


def by_target(kind: str, version: str | None = None) -> Backend | None:
    """The backend of a target word such as ``PyTorchJob``; None: not built yet. A kind of several versions has a file each."""
    if (kind, version) not in _found:
        _found[kind, version] = _find(kind, version)
    return _found[kind, version]


def _find(kind: str, version: str | None) -> Backend | None:
    from importlib import import_module

    wanted = kind.lower()
    for name in names():
        if name == wanted or (version is not None and name == f"{wanted}_{version}"):
            backend: Any = import_module(f"specgen.backends.{name}")
            if version is None or backend.API_VERSION.endswith("/" + version):
                return backend  # type: ignore[no-any-return]
    return None


def by_object(api_version: str, kind: str) -> Backend | None:
    """The backend that reads an object, by apiVersion and kind together."""
    version = api_version.rpartition("/")[2]
    backend = by_target(kind, version)
    return backend if backend is not None and backend.API_VERSION == api_version else None


def speaks_for(backend: Backend, version: str) -> bool:
    """Whether the backend knows how this version of its operator behaves: same major and minor release."""
    return ".".join(version.removeprefix("v").split(".")[:2]) in backend.RELEASES
