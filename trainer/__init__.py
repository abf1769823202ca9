"""The training program that runs in the pods: one job, the same on sixteen GPUs and on a laptop."""

from __future__ import annotations

__version__ = "1.0.0"
