"""The learning rate at every point of a training, by the samples that are behind: whatever the batches they came in."""

from __future__ import annotations

import math
from dataclasses import dataclass

STEP_EPOCHS, STEP_FACTOR = 30, 0.1  # of `step`, as the imagenet example has them
WARMUP_START = 0.01  # share of the rate at the first step, as `--lr-warmup-decay` of torchvision's references


@dataclass(frozen=True)
class Schedule:
    """Asked before every step; it holds no state, so a checkpoint needs none of it."""

    kind: str  # `step`, `cosine` or `constant`
    base: float  # the rate of `--lr`
    warmup: float  # samples until that rate is reached
    epoch: int  # samples of one epoch
    total: int  # samples of the whole training

    def rate(self, seen: int) -> float:
        """The rate of the step that begins after ``seen`` samples."""
        if self.kind == "cosine":
            return self.base * self._rise(seen) * self._cosine(seen)
        rate = self.base
        if self.kind == "step":
            for _ in range(seen // (STEP_EPOCHS * self.epoch)):
                rate *= STEP_FACTOR  # one by one, which rounds as StepLR does
        return rate * self._rise(seen)

    def _rise(self, seen: int) -> float:
        """A straight line up to 1 at the end of the warm-up."""
        return 1.0 if seen >= self.warmup else WARMUP_START + (1.0 - WARMUP_START) * seen / self.warmup

    def _cosine(self, seen: int) -> float:
        """1 until the end of the warm-up, from there half a wave down to 0 at the end of the training."""
        if seen <= self.warmup:
            return 1.0
        share = min(1.0, (seen - self.warmup) / (self.total - self.warmup))
        return (1.0 + math.cos(math.pi * share)) / 2.0


def samples_of(steps: int, batch: int, epoch: int) -> int:
    """How many samples that many steps take, the last one of every epoch as short as it must be."""
    epochs, rest = divmod(steps, -(-epoch // batch))
    return epochs * epoch + rest * batch
