"""The wheel as a user gets it: built, installed into an empty environment, and run from another folder."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from specgen import __version__

ABSENT = [name for name in ("hatchling", "pip") if find_spec(name) is None]
pytestmark = pytest.mark.skipif(bool(ABSENT), reason=f"absent: {ABSENT}, which build and install the wheel")

PROFILE = "profiles/jobs/allreduce-resnet50.yaml"


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of this checkout."""
    out = tmp_path_factory.mktemp("dist")
    code = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    built = subprocess.run([sys.executable, "-c", code, str(out)], cwd=root, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return out / built.stdout.split()[-1]


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that holds the wheel, and sees what it depends on in this one."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    site = next(folder.glob("lib/python*/site-packages"))
    command = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(folder / "bin" / "python"),
        "install",
        "--quiet",
        "--no-deps",
    ]
    subprocess.run([*command, "--no-index", "--disable-pip-version-check", str(wheel)], check=True, env=_environment())
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    return folder


def _environment() -> dict[str, str]:
    """This process's variables without those that would let a child find the checkout."""
    return {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}


def run(environment: Path, program: str, *words: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    command = [str(environment / "bin" / program), *words]
    return subprocess.run(command, cwd=cwd, env=_environment(), capture_output=True, check=False)


def test_it_holds_the_package_and_its_schemas(wheel: Path, root: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    expected = {str(path.relative_to(root)) for name in ("specgen", "trainer") for path in (root / name).rglob("*.py")}
    expected |= {
        f"specgen/_schemas/{path.relative_to(root / 'schemas')}" for path in (root / "schemas").rglob("*.json")
    }
    assert sorted((expected | {"specgen/py.typed"}) - names) == []
    inside = ("specgen/", "trainer/", f"specgen-{__version__}.dist-info/")
    outside = {name for name in names if not name.startswith(inside)}
    assert outside == set(), "only the packages go in: no tests, no samples"
    assert {name for name in names if name.startswith("trainer/") and not name.endswith(".py")} == set()
    assert f"specgen-{__version__}.dist-info/licenses/LICENSE" in names


def test_it_builds_a_sample_from_another_folder(environment: Path, root: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in (PROFILE, "profiles/clusters/infiniband-16.yaml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((root / name).read_bytes())
    (tmp_path / ".git").mkdir()
    installed = run(environment, "specgen", "build", f"../{PROFILE}", cwd=elsewhere)
    assert installed.returncode == 0, installed.stderr.decode()
    here = subprocess.run(
        [sys.executable, "-m", "specgen", "build", PROFILE], cwd=root, capture_output=True, check=True
    )
    assert installed.stdout == here.stdout != b""


def test_it_is_the_installed_package_that_runs(environment: Path, tmp_path: Path) -> None:
    found = run(environment, "python", "-c", "import specgen; print(specgen.__file__)", cwd=tmp_path)
    assert Path(found.stdout.decode().strip()).is_relative_to(environment)
    version = run(environment, "python", "-m", "specgen", "--version", cwd=tmp_path)
    assert version.stdout.decode() == f"specgen {__version__}\n"


def test_it_finds_its_schemas(environment: Path, root: Path, tmp_path: Path) -> None:
    printed = run(environment, "specgen", "schema", "job", cwd=tmp_path)
    assert printed.returncode == 0, printed.stderr.decode()
    assert printed.stdout == (root / "schemas" / "job.schema.json").read_bytes()


def test_it_judges_and_explains_without_the_checkout(environment: Path, tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text("apiVersion: specgen/v1\nkind: Job\nmetadata: {name: a}\nimage: 5\n", "utf-8")
    judged = run(environment, "specgen", "build", "job.yaml", cwd=tmp_path)
    assert judged.returncode == 1
    assert b"SG103" in judged.stderr
    page = run(environment, "specgen", "explain", "SG103", cwd=tmp_path)
    assert page.returncode == 0
    assert b"wrong-type" in page.stdout


def test_it_brings_the_plugin_of_kubectl(environment: Path, tmp_path: Path) -> None:
    help = run(environment, "kubectl-specgen", "lint", "--help", cwd=tmp_path)
    assert help.stdout.startswith(b"usage: kubectl specgen lint"), help.stderr.decode()
    completed = run(environment, "kubectl_complete-specgen", "buil", cwd=tmp_path)
    assert completed.stdout == b"build\tcompile job profiles to manifests\n:4\n", completed.stderr.decode()
