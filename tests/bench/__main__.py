"""``python -m tests.bench [PART…] [--rounds N]``: measure, and print figures with goals."""

from __future__ import annotations

import argparse
import tempfile
from functools import partial
from pathlib import Path

from tests.bench import batch, cold, growth, linting, placing, scale

PARTS = {
    "cold": (cold.measure, 15),
    "batch": (batch.measure, 5),
    "lint": (linting.measure, 5),
    "growth": (growth.measure, 2),
    "placing": (placing.measure, 1),
    "scale": (scale.measure, 2),
}


def main() -> None:
    parser = argparse.ArgumentParser("python -m tests.bench", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="what to measure, by default all")
    parser.add_argument("--rounds", type=int, help="rounds of each comparison")
    parser.add_argument(
        "--peer", action="append", default=[], metavar="NAME=COMMAND", help="another checker for lint, of {folder}"
    )
    parser.add_argument("--pictures", metavar="DIR", help="where scale draws CPU and memory")
    options = parser.parse_args()
    for part in options.parts or PARTS:
        measure, rounds = PARTS[part]
        if part == "lint":
            measure = partial(linting.measure, peers=options.peer)
        elif part == "scale":
            measure = partial(scale.measure, pictures=options.pictures)
        with tempfile.TemporaryDirectory() as folder:
            print("\n".join(measure(Path(folder), options.rounds or rounds)), flush=True)


if __name__ == "__main__":
    main()
