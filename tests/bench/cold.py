"""One call of the command line, from the start of the process to its end, against the empty interpreter and kubectl."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import NamedTuple

from tests.kubectl import kubectl

ROOT = Path(__file__).resolve().parent.parent.parent
PROFILE = "profiles/jobs/allreduce-resnet50.yaml"
PROGRAM = [sys.executable, "-c", "from specgen.cli.main import run; run()"]
GOAL = 0.5


class Run(NamedTuple):
    """What one run took: milliseconds, and MiB at most."""

    wall: float
    cpu: float
    peak: float


def environment(home: Path) -> dict[str, str]:
    """The package as it is installed, in a new folder: its compiled modules lie beside their sources."""
    for part in ("specgen", "schemas"):
        shutil.copytree(ROOT / part, home / part, ignore=shutil.ignore_patterns("__pycache__"))
    own = {"PYTHONPATH": str(home), "PYTHONSAFEPATH": "1", "KUBECONFIG": ""}
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")} | own


def run(command: list[str], variables: dict[str, str], *, good: tuple[int, ...] = (0,)) -> Run:
    """One run with its output thrown away; all is that of the child alone. Raises ValueError if it fails."""
    streams = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
    began = perf_counter()
    child = os.posix_spawnp(command[0], command, variables, file_actions=streams)
    _, status, used = os.wait4(child, 0)
    wall = perf_counter() - began
    code = os.waitstatus_to_exitcode(status)
    if code not in good:
        raise ValueError(f"`{' '.join(command)}` ended with {code}")
    return Run(wall * 1000, (used.ru_utime + used.ru_stime) * 1000, used.ru_maxrss / 1024)


def interleaved(
    commands: dict[str, list[str]], variables: dict[str, str], rounds: int, *, good: tuple[int, ...] = (0,)
) -> dict[str, list[Run]]:
    """Every command once in each round, so that other load hits all alike; a round before the first is not kept."""
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            one = run(command, variables, good=good)
            if number:
                runs[name].append(one)
    return runs


def base(folder: Path, variables: dict[str, str]) -> Path:
    """A kustomize base that holds the built manifest."""
    folder.mkdir()
    built = subprocess.run([*PROGRAM, "build", PROFILE], cwd=ROOT, env=variables, stdout=subprocess.PIPE, check=True)
    (folder / "pytorchjob.yaml").write_bytes(built.stdout)
    (folder / "kustomization.yaml").write_text("resources: [pytorchjob.yaml]\n", "utf-8")
    return folder


def measure(folder: Path, rounds: int) -> list[str]:
    """The lines of the report. ``folder`` is empty and temporary."""
    variables = environment(folder / "installed")
    kustomize = base(folder / "base", variables)
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "specgen build": [*PROGRAM, "build", str(ROOT / PROFILE)],
        "specgen lint": [*PROGRAM, "lint", str(kustomize / "pytorchjob.yaml")],
        "specgen --version": [*PROGRAM, "--version"],
    }
    lines = []
    peer = kubectl()
    if peer is None:
        lines.append("kubectl is not installed: no comparison with `kubectl kustomize`")
    else:
        commands["kubectl kustomize"] = [peer, "kustomize", str(kustomize)]
    runs = interleaved(commands, variables, rounds)
    lines += ["", f"{'milliseconds, best (median)':22} {'wall':>15} {'CPU':>15} {'× python':>9} {'× kustomize':>12}"]
    for name, found in runs.items():
        wall, used = [one.wall for one in found], [one.cpu for one in found]
        row = f"{name:22} {_two(wall):>15} {_two(used):>15} {_ratio(runs, name, 'python -c pass'):>9}"
        lines.append(f"{row} {_ratio(runs, name, 'kubectl kustomize'):>12}")
    if peer is not None:
        ratio = _best(runs, "specgen build") / _best(runs, "kubectl kustomize")
        goal = f"goal: a cold build at most {GOAL} × kubectl kustomize, best wall time"
        lines.append(f"{goal}: {ratio:.2f}, {'met' if ratio <= GOAL else 'not met'}")
    return lines


def _two(values: list[float]) -> str:
    return f"{min(values):.1f} ({median(values):.1f})"


def _best(runs: dict[str, list[Run]], name: str) -> float:
    return min(one.wall for one in runs[name])


def _ratio(runs: dict[str, list[Run]], name: str, peer: str) -> str:
    return f"{_best(runs, name) / _best(runs, peer):.2f}" if peer in runs else "-"
