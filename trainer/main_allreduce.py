"""Benchmark training: ``python -u main_allreduce.py -a resnet50 -j 32 -b 512 --epochs=1 --iter=500 --bucket=200``.

Without a data path the images are generated, because this entry measures the network and the GPUs.
"""

from __future__ import annotations

import os
import sys

# A script's own folder is first on the path; the package is one level up.
sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

from trainer.cli import main  # noqa: E402

if __name__ == "__main__":
    main(["train", *sys.argv[1:]], defaults={"dummy": True})
