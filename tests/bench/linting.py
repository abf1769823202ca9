"""Many manifests in one call, against the parser alone: copies of the corpus, where it is.

``--peer 'NAME=COMMAND {folder}'`` runs another checker over the same files, such as kubeconform or flux-schema.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from shlex import split

from tests.bench.cold import PROGRAM, ROOT, Run, environment, interleaved

CORPUS = ROOT.parent / "shared/corpus"
FILES, MANY, MOST = 1_052, 5_000, 10_000
# Every file is taken apart to events and nothing is made of them: less than that no check can cost.
_EVENTS = """
import sys, yaml
from pathlib import Path
for path in sorted(Path(sys.argv[1]).rglob("*.yaml")):
    try:
        for event in yaml.parse(path.read_bytes(), Loader=yaml.CSafeLoader):
            pass
    except yaml.YAMLError:
        pass
"""
# CPU against that of the parser, wall time of two processes against one, and MiB of the largest run.
TIMES, SHARE, PEAK = 2, 0.6, 150
_GOOD = (0, 1)


def copies(home: Path, count: int) -> Path:
    """So many manifests below a new folder, the corpus again and again. Raises FileNotFoundError where it is absent."""
    found = sorted(one for one in CORPUS.rglob("*.yaml") if one.parent != CORPUS)
    if not found:
        raise FileNotFoundError(str(CORPUS))
    (home / ".git").mkdir(parents=True)
    for number in range(count):
        turn, at = divmod(number, len(found))
        path = home / str(turn) / found[at].relative_to(CORPUS)
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(found[at], path)
    return home


def measure(folder: Path, rounds: int, peers: Sequence[str] = ()) -> list[str]:
    """The lines of the report. ``folder`` is empty and temporary."""
    if not CORPUS.is_dir():
        return ["", "no corpus of manifests beside the checkout: `lint` of many files is not measured"]
    variables = environment(folder / "installed")
    home = str(copies(folder / "few", FILES))
    lint = [*PROGRAM, "lint", "-q"]
    commands = {"specgen lint": [*lint, home], "libyaml's events": [sys.executable, "-c", _EVENTS, home]}
    for peer in peers:
        name, _, words = peer.partition("=")
        commands[name] = [word.replace("{folder}", home) for word in split(words)]
    runs = interleaved(commands, variables, rounds, good=_GOOD)
    lines = ["", f"lint of {FILES:,} files of the corpus, start-up included, best of {rounds}"]
    own = least(runs["specgen lint"])
    for name, found in runs.items():
        best = least(found)
        row = f"{name:24} CPU {best.cpu:7.0f} ms   wall {best.wall:7.0f} ms   {best.peak:5.0f} MiB"
        lines.append(row if name == "specgen lint" else f"{row}   lint ÷ it: CPU {own.cpu / best.cpu:.2f}")
    ratio = own.cpu / least(runs["libyaml's events"]).cpu
    lines.append(f"goal: at most {TIMES} × libyaml's events: {ratio:.2f}, {'met' if ratio <= TIMES else 'not met'}")
    many = [*PROGRAM, "lint", "-q", str(copies(folder / "many", MANY))]
    return [*lines, *processes(many, f"{MANY:,} files", variables, rounds), *_most(folder, variables)]


def least(runs: list[Run]) -> Run:
    """The best of each figure: other load makes a run slower and never faster."""
    return Run(*[min(values) for values in zip(*runs, strict=True)])


def processes(command: list[str], what: str, variables: dict[str, str], rounds: int) -> list[str]:
    """Two processes against one, which print the same; ``what``: of how many things."""
    two = [*command, "--jobs", "2"]
    runs = interleaved({"one": command, "two": two}, variables, rounds, good=_GOOD)
    printed = [subprocess.run(one, env=variables, capture_output=True, check=False).stdout for one in (command, two)]
    share = least(runs["two"]).wall / least(runs["one"]).wall
    more = least(runs["two"]).cpu / least(runs["one"]).cpu
    same = "the same bytes" if printed[0] == printed[1] else "OTHER BYTES"
    met = "met" if share <= SHARE and printed[0] == printed[1] else "not met"
    said = f"--jobs 2 ÷ one process, {what}: wall {share:.2f}, CPU {more:.2f}, {same}"
    return [f"{said}; goal: {SHARE} of wall, {met}"]


def _most(folder: Path, variables: dict[str, str]) -> list[str]:
    home = str(copies(folder / "most", MOST))
    found = interleaved({"lint": [*PROGRAM, "lint", "-q", home]}, variables, 1, good=_GOOD)["lint"][0]
    each = found.cpu / MOST
    met = "met" if found.peak <= PEAK else "not met"
    return [f"lint of {MOST:,} files: {each:.2f} ms each, {found.peak:.0f} MiB; goal: {PEAK} MiB, {met}"]
