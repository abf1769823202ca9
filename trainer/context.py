"""What the parts of a job share on one rank: arguments, place, store, watchdog, process group."""

from __future__ import annotations

from typing import Any

import torch

from trainer.agree import Board
from trainer.ckpt import Store
from trainer.config import Config
from trainer.env import Place
from trainer.history import Attempts
from trainer.metrics import Log
from trainer.signals import Signals
from trainer.watch import Watch


class Context:
    """``job`` fills it from top to bottom, and starts a part once what it needs is there."""

    def __init__(self, args: Config, origin: dict[str, str], place: Place, signals: Signals) -> None:
        self.args = args  # the values of all flags
        self.origin = origin  # where each came from, for run.json
        self.place = place  # rank, world size and master
        self.signals = signals  # what this process was asked by signals
        self.log = Log(place.rank)
        self.board: Board  # the store on which ranks meet
        self.watch: Watch  # the watchdog, and the one way out
        self.backend = "gloo"  # of the process group: `gloo`, `nccl` or `mpi`
        self.device = torch.device("cpu")  # of the model
        self.data: dict[str, Any] = {}  # what the check of the data found: `kind`, `counts` and `prints`
        self.attempts: Attempts | None = None  # of this rank, where they can be counted
        self.committed = 0  # the step of the newest checkpoint, as rank 0 knows it
        self.store: Store | None = None  # of checkpoints, with --out
        self.control: Any = None  # a gloo group of its own for what is not gradients
