"""How cost grows with size: CPU and memory of profiles, of pods, and of one file, as figures and as pictures.

``--pictures DIR`` draws them with matplotlib, where it is installed.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import log10
from pathlib import Path

from tests.bench.batch import FIRST, generate
from tests.bench.cold import PROGRAM, Run, environment, interleaved
from tests.bench.linting import least

# What grows → (its sizes, what a size counts).
PROFILES = (1, 10, 100, 1_000, 10_000)
PODS = (1, 16, 64, 256, 1_024, 4_096)
KILOBYTES = (1, 10, 100, 1_000, 4_000)
# From one size to the next the cost beyond that of a start grows by no power of the size above this one.
MOST = 1.15
_DOCUMENT = """\
---
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: job-%d, namespace: training}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
          containers:
          - name: pytorch
            image: registry.example.com/train:1.4
            command: [torchrun, train.py]
            resources: {limits: {nvidia.com/gpu: 8}}
"""


def measure(folder: Path, rounds: int, pictures: str | None = None) -> list[str]:
    """The lines of the report; with ``pictures``, an SVG for each of them there. ``folder`` is empty and temporary."""
    variables = environment(folder / "installed")
    grown: dict[str, tuple[tuple[int, ...], Callable[[Path, int], list[str]]]] = {
        "profiles, built": (PROFILES, _built),
        "pods, expanded to objects": (PODS, _expanded),
        "kB of one file, linted": (KILOBYTES, _linted),
    }
    found: dict[str, dict[int, Run]] = {}
    for what, (sizes, command) in grown.items():
        commands = {str(size): [*PROGRAM, *command(folder / f"{command.__name__}-{size}", size)] for size in sizes}
        each = interleaved(commands, variables, rounds, good=(0, 1))
        found[what] = {size: least(each[str(size)]) for size in sizes}
    lines = ["", f"cost by size, start-up included, best of {rounds}"]
    for what, runs in found.items():
        lines.append(what)
        for size, one in runs.items():
            lines.append(f"  {size:>7,}: CPU {one.cpu / 1000:8.2f} s   {one.peak:6.0f} MiB")
        power = steepest(runs)
        lines.append(
            f"  goal: grows as size to the power of {MOST}: {power:.2f}, {'met' if power <= MOST else 'not met'}"
        )
    if pictures is not None:
        lines += draw(found, Path(pictures))
    return lines


def steepest(runs: dict[int, Run]) -> float:
    """The highest power of the size that CPU beyond the smallest run's grows by, among the larger half of sizes."""
    first, *sizes = sorted(runs)
    start = runs[first].cpu
    # a start sways by more than small sizes cost
    own = {size: max(runs[size].cpu - start, start) for size in sizes[len(sizes) // 2 :]}
    return max(log10(own[large] / own[small]) / log10(large / small) for small, large in pairwise(own))


def draw(found: dict[str, dict[int, Run]], home: Path) -> list[str]:
    """An SVG of CPU and memory for each; the lines that say where."""
    try:
        from matplotlib import use
    except ImportError:
        return ["matplotlib is not installed: no pictures"]
    use("svg")
    from matplotlib.figure import Figure

    home.mkdir(parents=True, exist_ok=True)
    lines = []
    for what, runs in found.items():
        figure = Figure(figsize=(6, 4), layout="constrained")
        left = figure.add_subplot(xscale="log", yscale="log", xlabel=what, ylabel="CPU seconds")
        right = left.twinx()
        right.set(yscale="log", ylabel="MiB")
        sizes = sorted(runs)
        left.plot(sizes, [runs[size].cpu / 1000 for size in sizes], "o-", color="tab:blue", label="CPU")
        right.plot(sizes, [runs[size].peak for size in sizes], "s--", color="tab:orange", label="memory")
        figure.legend(loc="outside upper center", ncols=2)
        path = home / f"{what.split(',')[0].replace(' ', '-').lower()}.svg"
        figure.savefig(path, metadata={"Date": None, "Title": f"CPU and memory by {what}"})
        lines.append(f"drawn: {path}")
    return lines


def _built(home: Path, size: int) -> list[str]:
    """Profiles of the first sample, in one folder."""
    paths, _ = generate(home, FIRST, size)
    return ["build", str(paths[0].parent)]


def _expanded(home: Path, size: int) -> list[str]:
    """One job of so many pods."""
    home.mkdir()
    (home / "job.yaml").write_text((_DOCUMENT % 0).replace("replicas: 2", f"replicas: {size}"), "utf-8")
    return ["expand", "-o", "yaml", str(home / "job.yaml")]


def _linted(home: Path, size: int) -> list[str]:
    """One file of so many kilobytes, of as many jobs as that takes."""
    home.mkdir()
    jobs = -(-size * 1000 // len(_DOCUMENT))
    (home / "jobs.yaml").write_text("".join(_DOCUMENT % number for number in range(jobs)), "utf-8")
    return ["lint", "-q", str(home / "jobs.yaml")]
