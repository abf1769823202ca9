"""ResNet parity: keys, order, shapes, and logits bit for bit where torchvision can be loaded."""

from __future__ import annotations

import hashlib
import importlib
import sys
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: the extra `trainer` has it")

from trainer.contract import contract  # noqa: E402
from trainer.models import build  # noqa: E402

# SHA-256 over "key shape" lines of torchvision 0.28.0, in its order.
KEYS = {
    "resnet18": "761022b221a39ceb0afbf6540088f2c88938ca83e3adf823383af010f42a10c3",
    "resnet34": "1a060acae7a42530781fa7013ea03dae3b11715076d9e3c04fdb6c70ddceb544",
    "resnet50": "3fa57287149b51c43a043a424dcd918aaa5a894c977b50e35a9154f41f9c8fd0",
    "resnet101": "0e9191dd134cb07d7d14b0502545020b49f200c87fa62369fd7a6c70ca9c2aef",
}
# The compiled operators that torchvision 0.28.0 registers shapes for when it is imported.
OPERATORS = (
    "nms",
    "qnms",
    "roi_align",
    "_roi_align_backward",
    "roi_pool",
    "_roi_pool_backward",
    "ps_roi_align",
    "_ps_roi_align_backward",
    "ps_roi_pool",
    "_ps_roi_pool_backward",
    "deform_conv2d",
    "_deform_conv2d_backward",
    "interpolate_bilinear2d_aa",
)


def keys(model: Any) -> str:
    text = "".join(f"{name} {tuple(value.shape)}\n" for name, value in model.state_dict().items())
    return hashlib.sha256(text.encode()).hexdigest()


def torchvision() -> Any:
    """torchvision beside a CPU torch: the import asks for the names of its compiled operators, which are absent."""
    if importlib.util.find_spec("torchvision") is None:
        pytest.skip("torchvision is not installed: it is only the oracle of this test")
    try:
        library = torch.library.Library("torchvision", "DEF")
        for operator in OPERATORS:
            library.define(f"{operator}(Tensor x) -> Tensor")
    except RuntimeError:
        library = None  # this torchvision brings its operators
    try:
        module = importlib.import_module("torchvision.models")
    except Exception as error:
        pytest.skip(f"torchvision cannot be loaded beside this torch: {error}")
    vars(sys.modules["torchvision"])["_kept"] = library
    return module


@pytest.mark.parametrize("arch", list(KEYS))
def test_keys_order_and_shapes(arch: str) -> None:
    assert keys(build(arch, 1000)) == KEYS[arch]


@pytest.mark.parametrize("arch", list(KEYS))
def test_logits_are_those_of_torchvision(arch: str) -> None:
    module = torchvision()
    torch.manual_seed(0)
    theirs = getattr(module, arch)().eval()
    ours = build(arch, 1000).eval()
    assert list(ours.state_dict()) == list(theirs.state_dict())
    ours.load_state_dict(theirs.state_dict())
    x = torch.randn(2, 3, 64, 64)
    with torch.no_grad():
        assert torch.equal(ours(x), theirs(x))


def test_same_seed_gives_the_same_weights_as_torchvision() -> None:
    module = torchvision()
    torch.manual_seed(3)
    theirs = module.resnet18().state_dict()
    torch.manual_seed(3)
    ours = build("resnet18", 1000).state_dict()
    assert all(torch.equal(ours[name], theirs[name]) for name in theirs)


def test_parameter_counts_are_those_of_the_contract() -> None:
    for arch, count in contract()["parameters"].items():
        assert sum(p.numel() for p in build(arch, 10 if arch == "mnist" else 1000).parameters()) == count
