"""ResNet with the state-dict keys, order and arithmetic of torchvision 0.28, and the network of the MNIST example."""

from __future__ import annotations

from collections import OrderedDict

from torch import Tensor, nn
from torch.nn.functional import relu

LAYERS = {"resnet18": (2, 2, 2, 2), "resnet34": (3, 4, 6, 3), "resnet50": (3, 4, 6, 3), "resnet101": (3, 4, 23, 3)}


def conv(inside: int, outside: int, size: int, stride: int = 1) -> nn.Conv2d:
    return nn.Conv2d(inside, outside, size, stride, size // 2, bias=False)


class Block(nn.Module):
    """Two 3x3 convolutions, or 1x1, 3x3, 1x1 where ``deep``; the stride sits on the 3x3 one (ResNet v1.5)."""

    def __init__(self, inside: int, width: int, stride: int, deep: bool) -> None:
        super().__init__()
        widths = (inside, width, width, width * 4) if deep else (inside, width, width)
        self.depth, outside = len(widths) - 1, widths[-1]
        for index in range(1, self.depth + 1):
            size, step = (3, stride) if index == self.depth - 1 else (1 if deep else 3, 1)
            setattr(self, f"conv{index}", conv(widths[index - 1], widths[index], size, step))
            setattr(self, f"bn{index}", nn.BatchNorm2d(widths[index]))
        self.downsample = None
        if stride != 1 or inside != outside:
            self.downsample = nn.Sequential(conv(inside, outside, 1, stride), nn.BatchNorm2d(outside))

    def forward(self, x: Tensor) -> Tensor:
        y = x
        for index in range(1, self.depth + 1):
            y = getattr(self, f"bn{index}")(getattr(self, f"conv{index}")(y))
            y = relu(y, inplace=True) if index < self.depth else y
        y += x if self.downsample is None else self.downsample(x)
        return relu(y, inplace=True)


def resnet(layers: tuple[int, ...], deep: bool, classes: int) -> nn.Module:
    """Input (batch, 3, side, side), output (batch, classes)."""
    parts: dict[str, nn.Module] = {"conv1": conv(3, 64, 7, 2), "bn1": nn.BatchNorm2d(64)}
    parts |= {"relu": nn.ReLU(True), "pool": nn.MaxPool2d(3, 2, 1)}
    inside = 64
    for index, (count, width) in enumerate(zip(layers, (64, 128, 256, 512), strict=True)):
        outside = width * 4 if deep else width
        blocks = [Block(outside if n else inside, width, 2 if index and not n else 1, deep) for n in range(count)]
        parts[f"layer{index + 1}"], inside = nn.Sequential(*blocks), outside
    parts |= {"avgpool": nn.AdaptiveAvgPool2d(1), "flat": nn.Flatten(), "fc": nn.Linear(inside, classes)}
    model = nn.Sequential(OrderedDict(parts))
    for module in model.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
    return model


def mnist(classes: int) -> nn.Module:
    """The network of pytorch-operator's MNIST example (v0.7). Input (batch, 1, 28, 28), output (batch, classes)."""
    parts: dict[str, nn.Module] = {"conv1": nn.Conv2d(1, 20, 5), "relu1": nn.ReLU(), "pool1": nn.MaxPool2d(2)}
    parts |= {"conv2": nn.Conv2d(20, 50, 5), "relu2": nn.ReLU(), "pool2": nn.MaxPool2d(2), "flat": nn.Flatten()}
    parts |= {"fc1": nn.Linear(4 * 4 * 50, 500), "relu3": nn.ReLU(), "fc2": nn.Linear(500, classes)}
    return nn.Sequential(OrderedDict(parts))


def build(arch: str, classes: int) -> nn.Module:
    return mnist(classes) if arch == "mnist" else resnet(LAYERS[arch], arch in {"resnet50", "resnet101"}, classes)
