"""The MNIST example: ``python -u main_mnist.py --data /data/mnist --epochs 1``, on one process or on many."""

from __future__ import annotations

import os
import sys

# A script's own folder is first on the path; the package is one level up.
sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

from trainer.cli import main  # noqa: E402

if __name__ == "__main__":
    main(["train", *sys.argv[1:]], defaults={"arch": "mnist", "format": "idx", "batch_size": 64, "lr": 0.01, "wd": 0.0})
