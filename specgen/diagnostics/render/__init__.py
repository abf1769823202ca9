"""One file a format, and the folder is the registry: ``human``, ``concise``, and ``json``.

Each has ``render(report) -> str`` and looks at nothing but the report. What it prints of a report without diagnostics
may be nothing. To add a format: the file, and what it prints of ``tests/diagnostics/formats``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from specgen.diagnostics.report import Report


def names() -> list[str]:
    """The formats, sorted; nothing is imported."""
    import os

    files = os.listdir(os.path.dirname(os.path.abspath(__file__)))
    return sorted(file[:-3] for file in files if file.endswith(".py") and not file.startswith("_"))


def renderer(name: str) -> Callable[[Report], str]:
    """The function that prints a report in a format."""
    from specgen.modules import import_module

    render: Callable[[Report], str] = import_module(f"specgen.diagnostics.render.{name}").render
    return render
