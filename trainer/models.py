"""ResNet with the state-dict keys, order and arithmetic of torchvision 0.28, and the network of the MNIST example."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as nnf

LAYERS = {"resnet18": (2, 2, 2, 2), "resnet34": (3, 4, 6, 3), "resnet50": (3, 4, 6, 3), "resnet101": (3, 4, 23, 3)}


def conv(inside: int, outside: int, size: int, stride: int = 1) -> nn.Conv2d:
    return nn.Conv2d(inside, outside, size, stride, size // 2, bias=False)


class Block(nn.Module):
    """Two 3x3 convolutions, or 1x1, 3x3, 1x1 where `deep`; the stride sits on the 3x3 one (ResNet v1.5)."""

    def __init__(self, inside: int, width: int, stride: int, deep: bool) -> None:
        super().__init__()
        outside = width * 4 if deep else width
        sizes = (
            [(inside, width, 1, 1), (width, width, 3, stride), (width, outside, 1, 1)]
            if deep
            else [(inside, width, 3, stride), (width, width, 3, 1)]
        )
        for index, (before, after, size, step) in enumerate(sizes, 1):
            setattr(self, f"conv{index}", conv(before, after, size, step))
            setattr(self, f"bn{index}", nn.BatchNorm2d(after))
        self.depth = len(sizes)
        self.downsample = None
        if stride != 1 or inside != outside:
            self.downsample = nn.Sequential(conv(inside, outside, 1, stride), nn.BatchNorm2d(outside))

    def forward(self, x: Tensor) -> Tensor:
        y = x
        for index in range(1, self.depth + 1):
            y = getattr(self, f"bn{index}")(getattr(self, f"conv{index}")(y))
            y = nnf.relu(y, inplace=True) if index < self.depth else y
        y += x if self.downsample is None else self.downsample(x)
        return nnf.relu(y, inplace=True)


class ResNet(nn.Module):
    """Input (batch, 3, side, side), output (batch, classes)."""

    def __init__(self, layers: tuple[int, ...], deep: bool, classes: int = 1000) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        inside = 64
        for index, (count, width) in enumerate(zip(layers, (64, 128, 256, 512), strict=True)):
            blocks = []
            for block in range(count):
                blocks.append(Block(inside, width, 2 if index and not block else 1, deep))
                inside = width * 4 if deep else width
            setattr(self, f"layer{index + 1}", nn.Sequential(*blocks))
        self.fc = nn.Linear(inside, classes)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x: Tensor) -> Tensor:
        x = nnf.max_pool2d(nnf.relu(self.bn1(self.conv1(x)), inplace=True), 3, 2, 1)
        for index in range(1, 5):
            x = getattr(self, f"layer{index}")(x)
        return cast(Tensor, self.fc(torch.flatten(nnf.adaptive_avg_pool2d(x, 1), 1)))


class Mnist(nn.Module):
    """The network of pytorch-operator's MNIST example (v0.7). Input (batch, 1, 28, 28)."""

    def __init__(self, classes: int = 10) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 20, 5), nn.Conv2d(20, 50, 5)
        self.fc1, self.fc2 = nn.Linear(4 * 4 * 50, 500), nn.Linear(500, classes)

    def forward(self, x: Tensor) -> Tensor:
        x = nnf.max_pool2d(nnf.relu(self.conv1(x)), 2)
        x = nnf.max_pool2d(nnf.relu(self.conv2(x)), 2)
        return cast(Tensor, self.fc2(nnf.relu(self.fc1(torch.flatten(x, 1)))))


def build(arch: str, classes: int) -> nn.Module:
    return Mnist(classes) if arch == "mnist" else ResNet(LAYERS[arch], arch in {"resnet50", "resnet101"}, classes)
