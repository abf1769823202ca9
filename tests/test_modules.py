"""Modules as ``specgen.modules`` finds them are those that the interpreter would find."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

# What a module knows of itself, and which modules of the package were left to the interpreter.
_SAID = """
import sys
from specgen import modules
if len(sys.argv) > 1:
    modules.lean()
general, left = modules._general, []
def counted(name, import_):
    left.extend([name] * name.startswith("specgen."))
    return general(name, import_)
modules._general = counted
from specgen.below import deep
from specgen import plain, below
for one in (plain, below, deep):
    spec = one.__spec__
    said = [one.__name__, one.__file__, one.__cached__, one.__package__, getattr(one, "__path__", None), one.VALUE]
    print(*said, spec.origin, spec.has_location, spec.parent, one.__loader__.get_source(one.__name__))
print(*left, file=sys.stderr)
for name in ("missing", "plain.missing", "absent.missing", "broken", "half", "round"):
    try:
        __import__(f"specgen.{name}")
    except Exception as error:
        print(type(error).__name__, str(error).replace(sys.path[0], ""), f"specgen.{name}" in sys.modules)
"""


@pytest.fixture
def package(root: Path, tmp_path: Path) -> Path:
    """A small package of the name, with the module that finds the others."""
    folder = tmp_path / "specgen"
    (folder / "below").mkdir(parents=True)
    shutil.copyfile(root / "specgen" / "modules.py", folder / "modules.py")
    (folder / "__init__.py").write_text("")
    for name in ("plain", "below/__init__", "below/deep"):
        (folder / f"{name}.py").write_text("VALUE = 1\n")
    (folder / "broken.py").write_text("def :\n")
    (folder / "half.py").write_text("1 / 0\n")
    (folder / "round.py").write_text("from specgen.about import VALUE\n")
    (folder / "about.py").write_text("from specgen.round import VALUE\n")
    return folder


def said(package: Path, *words: str, options: tuple[str, ...] = (), compiled: Path | None = None) -> tuple[str, str]:
    """(what the modules know of themselves, and how they fail; those that were left to the interpreter)."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    if compiled is not None:
        environment["PYTHONPYCACHEPREFIX"] = str(compiled)
    done = subprocess.run(
        [sys.executable, *options, "-c", _SAID, *words],
        cwd=package.parent,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout, done.stderr.strip()


@pytest.mark.parametrize("options", [(), ("-O",), ("-OO",), ("-B",)], ids=" ".join)
def test_modules_are_those_of_the_interpreter(package: Path, options: tuple[str, ...]) -> None:
    usual, left = said(package, options=options)
    assert left == ""
    assert "No module named 'specgen.missing'" in usual and "circular import" in usual
    # twice: where their code was not compiled by then, and where it was
    if "-B" not in options:
        shutil.rmtree(package / "__pycache__")
        shutil.rmtree(package / "below" / "__pycache__")
        assert said(package, "lean", options=options) == (usual, "specgen.below specgen.below.deep specgen.plain")
        assert said(package, "lean", options=options) == (usual, "")
    assert said(package, "lean", options=options)[0] == usual


def test_a_process_of_several_threads_is_left_to_the_interpreter(package: Path) -> None:
    said(package)
    code = f"""
import sys, threading
waiting = threading.Event()
threading.Thread(target=waiting.wait, daemon=True).start()
{_SAID}"""
    done = subprocess.run(
        [sys.executable, "-c", code, "lean"], cwd=package.parent, capture_output=True, text=True, check=True
    )
    assert done.stderr.split() == ["specgen.below", "specgen.below.deep", "specgen.plain"]


def test_a_module_is_compiled_again_when_its_source_changes(package: Path) -> None:
    first, _ = said(package, "lean")
    module = package / "plain.py"
    times = os.stat(module).st_mtime_ns
    module.write_text("VALUE = 23\n")
    os.utime(module, ns=(times, times))
    other_size, _ = said(package, "lean")
    module.write_text("VALUE = 45\n")
    os.utime(module, ns=(times + 10**9, times + 10**9))
    other_time, _ = said(package, "lean")
    assert [" 23 " in first, " 23 " in other_size, " 45 " in other_time] == [False, True, True]


def test_code_that_another_interpreter_compiled_is_compiled_again(package: Path) -> None:
    usual, _ = said(package, "lean")
    (compiled,) = (package / "__pycache__").glob("plain.*")
    content = compiled.read_bytes()
    compiled.write_bytes(b"\0" * 4 + content[4:])
    assert said(package, "lean")[0] == usual
    # and by now it is
    assert compiled.read_bytes() == content


def test_compiled_code_of_another_folder_is_left_to_the_interpreter(package: Path, tmp_path: Path) -> None:
    compiled = tmp_path / "compiled"
    assert said(package, "lean", compiled=compiled) == said(package, compiled=compiled)


def test_packages_in_an_archive_are_left_to_the_interpreter(package: Path) -> None:
    archive = shutil.make_archive(str(package.parent / "packed"), "zip", package.parent, "specgen")
    shutil.rmtree(package)
    code = "from specgen import modules; modules.lean(); from specgen.below import deep; print(deep.VALUE)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=package.parent,
        env={**os.environ, "PYTHONPATH": archive},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "1\n"
