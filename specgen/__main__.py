"""``python -m specgen`` is the console script ``specgen``."""

from __future__ import annotations

import sys

from specgen.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
