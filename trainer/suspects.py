"""What `preflight --pairs` makes of what was measured: which nodes meet, what each rank runs on, who is the bad one."""

from __future__ import annotations

import glob
import os
import re
from collections import Counter
from statistics import median_high
from typing import Any, NamedTuple

import torch

from trainer.faults import HARDWARE, Fault
from trainer.files import text_of
from trainer.preflight import named

Said = dict[str, Any]  # of one rank: `pairs` as (its node, the other, GB/s), `matmul`, `copy`, `facts` by name
LESS_THAN = 0.7  # of the median: what even nodes do not differ by, and a link that lost a lane or half its rate does


class Seat(NamedTuple):
    """A pod on a node."""

    name: str
    ranks: list[int]


def seats(who: dict[int, dict[str, Any]]) -> list[Seat]:
    """The pods of the job in order of their first ranks. ``who``: host and node of each rank."""
    found: dict[tuple[str, str], list[int]] = {}
    for rank in sorted(who):
        found.setdefault((who[rank].get("node") or "", who[rank]["host"]), []).append(rank)
    return [Seat(f"{node} ({host})" if node else host, ranks) for (node, host), ranks in found.items()]


def rounds(count: int) -> list[list[tuple[int, int]]]:
    """Who meets whom: rounds of a tournament in which nobody meets twice (the circle method), log2 of them."""
    if count < 2:
        return []
    order, every = list(range(count + count % 2)), list[list[tuple[int, int]]]()
    for _ in range(len(order) - 1):
        half = len(order) // 2
        met = zip(order[:half], reversed(order[half:]), strict=True)
        every.append([(min(pair), max(pair)) for pair in met if max(pair) < count])
        order = [order[0], order[-1], *order[1:-1]]
    return every[: (count - 1).bit_length() + count % 2]


def facts(gpu: int | None, root: str = "/") -> dict[str, str]:
    """What the ranks must have in common: device, driver, adapters with the state and rate of their links."""
    found: dict[str, str] = {}
    if gpu is not None:
        own: Any = torch.cuda.get_device_properties(gpu)
        found["GPU"] = f"{own.name}, {round(own.total_memory / 2**30)} GiB"
        address = f"{own.pci_domain_id:04x}:{own.pci_bus_id:02x}:{own.pci_device_id:02x}.0"
        width = text_of(os.path.join(root, f"sys/bus/pci/devices/{address}/current_link_width"))
        if width:  # its speed falls while the GPU idles, the width does not
            found["PCIe lanes"] = width
    version = re.search(r"Module\D*([\d.]+)", text_of(os.path.join(root, "proc/driver/nvidia/version")))
    if version:
        found["driver"] = version[1]
    for path in sorted(glob.glob(os.path.join(root, "sys/class/infiniband/*/ports/*"))):
        device, _, port = path.split("/")[-3:]
        if named(device, os.environ.get("NCCL_IB_HCA", "")):
            state, rate = (text_of(os.path.join(path, name)) for name in ("state", "rate"))
            found[f"{device}:{port}"] = f"{state.rpartition(': ')[2]}, {rate}".strip(", ")
    for path in sorted(glob.glob(os.path.join(root, "sys/class/infiniband/*/fw_ver"))):
        found[f"firmware of {path.split('/')[-2]}"] = text_of(path)
    return found


def judge(sat: list[Seat], got: dict[int, Said], least: float) -> tuple[dict[int, list[str]], Fault | None]:
    """What is wrong with each node, by its number, and the Fault(78) that follows. ``least``: GB/s, 0: none is asked.

    With ``least`` each pair is judged by it; without, nodes by the median node, which takes three of them.
    """
    wrong: dict[int, list[str]] = {number: [] for number in range(len(sat))}
    loose: list[str] = []  # what is wrong with no node alone
    pairs = _pairs(got)
    best = {number: max((rate for pair, rate in pairs.items() if number in pair), default=0.0) for number in wrong}
    slow: set[int] = set()
    if len(sat) == 1:
        loose.append("could not judge the network: there is one node, and no pair")
    elif len(sat) == 2:
        if not least:
            loose.append("could not judge the network: of two nodes none is the usual one; give `--min-busbw`")
        elif best[0] < least:
            text = f"{sat[0].name} and {sat[1].name} exchange {best[0]:.3g} GB/s, {least:g} wanted"
            loose.append(f"{text}; of two nodes neither is known to be the slow one")
    else:
        usual = least or LESS_THAN * median_high(best.values())
        slow = {number for number in wrong if best[number] < usual}
        for number in slow:
            wanted = f"{least:g} wanted" if least else f"{median_high(best.values()):.3g} is usual"
            wrong[number].append(f"network {best[number]:.3g} GB/s, {wanted}")
        for (one, other), rate in pairs.items():
            if least and rate < least and not slow & {one, other}:
                text = f"the way between {sat[one].name} and {sat[other].name}: {rate:.3g} GB/s, {least:g} wanted"
                loose.append(f"{text}; both are faster elsewhere")
    _compare_rates(sat, got, wrong)
    _compare_facts(sat, got, wrong, loose)
    bad = [number for number in wrong if wrong[number]]
    texts = [f"{sat[number].name}: {', '.join(wrong[number])}" for number in bad] + loose
    if not texts:
        return wrong, None
    culprits = [rank for number in bad for rank in sat[number].ranks]
    return wrong, Fault(HARDWARE, "; ".join(texts), culprits, "take the node out and look at it" if bad else "")


def _pairs(got: dict[int, Said]) -> dict[tuple[int, int], float]:
    """GB/s of each pair of nodes: the sum over its ranks, of the slower direction."""
    sides: dict[tuple[int, int], float] = {}
    for _, said in sorted(got.items()):
        for mine, other, rate in said["pairs"]:
            sides[mine, other] = sides.get((mine, other), 0.0) + rate
    return {(one, other): min(rate, sides[other, one]) for (one, other), rate in sides.items() if one < other}


def _compare_rates(sat: list[Seat], got: dict[int, Said], wrong: dict[int, list[str]]) -> None:
    for key, unit in (("matmul", "TFLOP/s"), ("copy", "GB/s")):
        usual = median_high(said[key] for said in got.values())
        for number, seat in enumerate(sat):
            for rank in seat.ranks:
                if got[rank][key] < LESS_THAN * usual:
                    text = f"{key} of rank {rank} {got[rank][key]:.3g} {unit}"
                    wrong[number].append(f"{text}, {usual:.3g} is usual")


def _compare_facts(sat: list[Seat], got: dict[int, Said], wrong: dict[int, list[str]], loose: list[str]) -> None:
    for name in dict.fromkeys(name for _, said in sorted(got.items()) for name in said["facts"]):
        values = {rank: got[rank]["facts"].get(name, "none") for seat in sat for rank in seat.ranks}
        usual, times = Counter(values.values()).most_common(1)[0]
        if times == len(values):
            continue
        if 2 * times <= len(values):
            few = [f"{sat[0].name} `{values[sat[0].ranks[0]]}`"]
            few += [f"{seat.name} `{values[seat.ranks[0]]}`" for seat in sat[1:]][:3]
            loose.append(f"the nodes differ in {name}, and no value is that of most: {', '.join(few)}")
            continue
        for number, seat in enumerate(sat):
            odd = next((values[rank] for rank in seat.ranks if values[rank] != usual), None)
            if odd is not None:
                wrong[number].append(f"{name} `{odd}`, elsewhere `{usual}`")


def table(sat: list[Seat], got: dict[int, Said], wrong: dict[int, list[str]], backend: str) -> str:
    """A line a node: its fastest and its slowest pair, the slowest of its ranks in matmul and copy, its verdict."""
    pairs, width = _pairs(got), max(len(seat.name) for seat in sat)
    lines = [f"pairs: {len(sat)} nodes, {len(rounds(len(sat)))} rounds, {backend}; GB/s one way"]
    lines.append(f"  {'node':<{width}} {'best':>8} {'worst':>8} {'TFLOP/s':>8} {'copy':>8}  verdict")
    for number, seat in enumerate(sat):
        own = [rate for pair, rate in pairs.items() if number in pair]
        numbers = [max(own, default=0.0), min(own, default=0.0)]
        numbers += [min(got[rank][key] for rank in seat.ranks) for key in ("matmul", "copy")]
        verdict = "; ".join(wrong[number]) or ("ok" if own else "not judged")
        lines.append(f"  {seat.name:<{width}} {' '.join(f'{value:>8.3g}' for value in numbers)}  {verdict}")
    return "\n".join(lines)
