"""What an input of twice the size costs: CPU against size for each shape of ``shapes``, in a warm process.

``python -m tests.bench growth`` prints it from 1 kB to 1 MB. ``python -m tests.bench.growth NAME SMALL LARGE`` prints
what a doubling costs between two sizes, the best of several rounds, which ``tests/test_growth.py`` asks for.
"""

from __future__ import annotations

import gc
import io
import os
import subprocess
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from math import log2
from pathlib import Path
from time import process_time

from specgen.cli import exits
from specgen.cli.main import main
from tests.bench.shapes import SHAPES, length, sized

ROOT = Path(__file__).resolve().parent.parent.parent
SIZES = (1_000, 4_000, 16_000, 64_000, 256_000, 1_000_000)
# Twice the input costs at most so many times the CPU.
MOST = 2.3
ROUNDS = 7


def cost(name: str, size: int) -> tuple[float, int]:
    """CPU seconds of one run in this process, and the length of its input. Raises ValueError where it fails."""
    files = sized(name, size)
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, ".git"))
        for file, text in files.items():
            Path(folder, file).write_text(text, "utf-8")
        os.chdir(folder)
        gc.collect()
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            began = process_time()
            code = main(SHAPES[name][0])
            used = process_time() - began
        os.chdir(ROOT)
    if code not in (exits.GOOD, exits.BAD):
        raise ValueError(f"`{name}` of {size:,} bytes ended with {code}")
    return used, length(files)


def ratio(name: str, small: int, large: int) -> float:
    """How many times the CPU twice the input takes, on the way from the small input to the large one.

    Other load makes a run slower and never faster: the best of some rounds counts, and the first that will do. Over
    several doublings it sways the ratio by less than over one.
    """
    cost(name, 2_000)  # what is loaded once
    few, many = [], []
    for _ in range(ROUNDS):
        few.append(cost(name, small))
        many.append(cost(name, large))
        doublings = log2(many[0][1] / few[0][1])
        found = float((min(many)[0] / min(few)[0]) ** (1 / doublings))
        if found <= MOST:
            break
    return found


def measure(folder: Path, rounds: int) -> list[str]:
    """The lines of the report: CPU seconds by size. ``folder`` is empty and temporary."""
    lines = ["", f"{'CPU seconds, best of ' + str(rounds):38}" + "".join(f"{size // 1000:>8,} kB" for size in SIZES)]
    for name in SHAPES:
        cost(name, 2_000)
        best = [min(cost(name, size)[0] for _ in range(rounds)) for size in SIZES]
        lines.append(f"{name:38}" + "".join(f"{seconds:11.3f}" for seconds in best))
    return lines


def apart(name: str, small: int, large: int) -> float:
    """``ratio`` in a process of its own, as what ran before in this one sways it."""
    words = [sys.executable, "-m", "tests.bench.growth", name, str(small), str(large)]
    return float(subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)


if __name__ == "__main__":
    # as the program has it
    gc.set_threshold(500_000, 20, 100)
    print(ratio(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
