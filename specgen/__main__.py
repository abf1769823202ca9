"""``python -m specgen`` is the console script ``specgen``."""

from __future__ import annotations

from specgen.cli.main import run

if __name__ == "__main__":
    run()
