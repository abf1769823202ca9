"""PyTorch's MNIST example (two convolutions, negative log-likelihood), made distributed as pytorch-operator's is.

No call of the guard in it. Its argument says what goes wrong on rank 1.
"""

from __future__ import annotations

import os
import sys
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

fault = sys.argv[1]
rank = int(os.environ["RANK"])


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, 1)
        self.conv2 = nn.Conv2d(8, 16, 3, 1)
        self.fc1 = nn.Linear(2304, 32)
        self.fc2 = nn.Linear(32, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.max_pool2d(F.relu(self.conv2(F.relu(self.conv1(x)))), 2)
        return F.log_softmax(self.fc2(F.relu(self.fc1(torch.flatten(x, 1)))), dim=1)


def download() -> torch.Tensor:
    """Of a server that takes the connection and sends nothing."""
    if rank == 1 and fault == "download":
        os.read(os.pipe()[0], 1)
    return torch.randn(64, 1, 28, 28, generator=torch.Generator().manual_seed(rank))


def main() -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    images, labels = download(), torch.arange(64) % 10
    model = nn.parallel.DistributedDataParallel(Net())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(4 if fault == "none" else 1000000):
        if rank == 1 and step == 3:
            if fault == "raise":
                raise ValueError("bad label 17")
            if fault == "hang":
                time.sleep(1000)
        optimizer.zero_grad()
        F.nll_loss(model(images), labels).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        if step == 2:
            print("running", flush=True)
    dist.barrier()
    # past all destructors: with two ranks on a busy machine gloo's threads end one of twenty in std::terminate
    sys.stdout.flush()
    os._exit(0)


main()
