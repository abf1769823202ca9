"""``python -m tests.bench [cold] [batch] [growth] [placing] [--rounds N]``: measure, and print figures with goals."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from tests.bench import batch, cold, growth, placing

PARTS = {
    "cold": (cold.measure, 15),
    "batch": (batch.measure, 5),
    "growth": (growth.measure, 2),
    "placing": (placing.measure, 1),
}


def main() -> None:
    parser = argparse.ArgumentParser("python -m tests.bench", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="what to measure, by default all")
    parser.add_argument("--rounds", type=int, help="rounds of each comparison")
    options = parser.parse_args()
    for part in options.parts or PARTS:
        measure, rounds = PARTS[part]
        with tempfile.TemporaryDirectory() as folder:
            print("\n".join(measure(Path(folder), options.rounds or rounds)), flush=True)


if __name__ == "__main__":
    main()
