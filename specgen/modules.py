"""Modules by name, found and loaded at less cost than in general: half of a cold start goes into that.

The interpreter takes a lock for each module, asks several finders, tries five suffixes, reads folders, and puts paths
together anew at each step: 278,000 instructions for an empty module of Python 3.11, 63,000 here. A module of a package
that lies in a plain folder is either ``<folder>/<name>.py`` or ``<folder>/<name>/__init__.py``, and its compiled code
stands beside it. Whatever is not as plain as that, such as compiled code that is missing or older than its source, or
a process of several threads, is left to the interpreter.
"""

from __future__ import annotations

# as `importlib` offers them, without loading it
import _frozen_importlib
import sys
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from _io import FileIO
from _thread import _count
from marshal import loads
from os import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType
    from typing import Any

# The end of the names of compiled code: the interpreter's version, and how far it is optimized.
_tail = ""
# What an import statement calls for a module that is not loaded yet.
_general: Callable[[str, Any], Any] = _frozen_importlib._find_and_load  # type: ignore[attr-defined]


def import_module(name: str) -> Any:
    """That of ``importlib``, which is not loaded for it: it would cost as much as five of specgen's own modules."""
    __import__(name)
    return sys.modules[name]


def lean() -> None:
    """Lets the modules of specgen be loaded this way from now on; for a process of its own."""
    global _tail
    spec = sys.modules["specgen"].__spec__
    if spec is None or type(spec.loader) is not SourceFileLoader or not spec.submodule_search_locations:
        return
    beginning = f"{spec.submodule_search_locations[0]}/__pycache__/__init__"
    if spec.cached is not None and spec.cached.startswith(beginning):
        _tail = spec.cached[len(beginning) :]
        _frozen_importlib._find_and_load = _load  # type: ignore[attr-defined]


def _load(name: str, import_: Callable[[str], Any]) -> Any:
    """A module that is not loaded yet, in the place of the interpreter's own function."""
    loaded = sys.modules
    # without threads nobody else can ask for a module while it is loaded: there is nothing to lock
    if not name.startswith("specgen.") or name in loaded or _count():
        return _general(name, import_)
    parent, _, last = name.rpartition(".")
    if parent not in loaded:
        import_(parent)
        if name in loaded:
            return loaded[name]
    above = loaded[parent]
    found = _found(f"{above.__path__[0]}/{last}") if hasattr(above, "__path__") else None
    if found is None:
        return _general(name, import_)
    place, cached, code, below = found
    module = type(sys)(name)
    loader = SourceFileLoader(name, place)
    spec: Any = _frozen_importlib.ModuleSpec(name, loader, origin=place)
    spec.submodule_search_locations = below
    spec.has_location = True
    spec.cached = cached
    own = module.__dict__
    own.update(__spec__=spec, __loader__=loader, __package__=spec.parent, __file__=place, __cached__=cached)
    if below is not None:
        own["__path__"] = below
    loaded[name] = module
    spec._initializing = True
    try:
        exec(code, own)
    except BaseException:
        del loaded[name]
        raise
    finally:
        spec._initializing = False
    setattr(above, last, module)
    return module


def _found(path: str) -> tuple[str, str, CodeType, list[str] | None] | None:
    """(source, where its compiled code is, that code, the folder of a package) of a path without its suffix."""
    folder, _, name = path.rpartition("/")
    below = None
    try:
        source = stat(f"{path}.py")
    except OSError:
        folder, name, below = path, "__init__", [path]
        try:
            source = stat(f"{path}/__init__.py")
        except OSError:
            return None
    cached = f"{folder}/__pycache__/{name}{_tail}"
    try:
        with FileIO(cached) as file:
            compiled = file.readall()
    except OSError:
        return None
    # no flags: the code is that of a source of this time and size
    stamp = int(source.st_mtime) & 0xFFFFFFFF | (source.st_size & 0xFFFFFFFF) << 32
    if compiled[:16] != MAGIC_NUMBER + bytes(4) + stamp.to_bytes(8, "little"):
        return None
    return f"{folder}/{name}.py", cached, loads(memoryview(compiled)[16:]), below
