"""Modules by name, found and loaded at less cost than in general: half of a cold start goes into that.

The interpreter asks several finders for each module, these try five suffixes and read folders, and paths are put
together anew at each step. A module of a package that lies in a plain folder is either ``<folder>/<name>.py`` or
``<folder>/<name>/__init__.py``, and its compiled code stands beside it. Whatever is not as plain as that, such as
compiled code that is missing or older than its source, is left to the interpreter.
"""

from __future__ import annotations

import sys

# as `importlib.machinery` and `importlib.util` offer them, without loading those
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from _io import FileIO
from marshal import loads
from os import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType
    from typing import Any

# The end of the names of compiled code: the interpreter's version, and how far it is optimized.
_tail = ""


def import_module(name: str) -> Any:
    """That of ``importlib``, which is not loaded for it: it would cost as much as five of specgen's own modules."""
    __import__(name)
    return sys.modules[name]


def lean() -> None:
    """Lets the modules of specgen be found this way from now on; for a process of its own."""
    global _tail
    spec = sys.modules["specgen"].__spec__
    if spec is None or type(spec.loader) is not SourceFileLoader or not spec.submodule_search_locations:
        return
    beginning = f"{spec.submodule_search_locations[0]}/__pycache__/__init__"
    if spec.cached is not None and spec.cached.startswith(beginning):
        _tail = spec.cached[len(beginning) :]
        sys.meta_path.insert(0, _Finder)


class _Finder:
    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        if path is None or not name.startswith("specgen."):
            return None
        folder, file = path[0], name.rpartition(".")[2]
        below = None
        try:
            source = stat(f"{folder}/{file}.py")
        except OSError:
            folder, file = f"{folder}/{file}", "__init__"
            below = [folder]
            try:
                source = stat(f"{folder}/__init__.py")
            except OSError:
                return None
        place = f"{folder}/{file}.py"
        spec = ModuleSpec(name, _Loader(name, place), origin=place, loader_state=source)
        spec.submodule_search_locations = below
        spec.has_location = True
        spec.cached = f"{folder}/__pycache__/{file}{_tail}"
        return spec


class _Loader(SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        assert spec is not None and spec.cached is not None
        source: Any = spec.loader_state
        spec.loader_state = None
        try:
            with FileIO(spec.cached) as file:
                compiled = file.readall()
        except OSError:
            return super().exec_module(module)
        # no flags: the code is that of a source of this time and size
        stamp = (int(source.st_mtime), source.st_size)
        head = MAGIC_NUMBER + b"".join([(number & 0xFFFFFFFF).to_bytes(4, "little") for number in (0, *stamp)])
        if compiled[:16] != head:
            return super().exec_module(module)
        return exec(loads(memoryview(compiled)[16:]), module.__dict__)
