"""Quantities: every spelling has the value that Kubernetes gives it, by a table, by its client, and by recordings."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kubernetes.utils import parse_quantity

from specgen.quantity import NANO, bytes_of, canonical, cores, milli, millis, nano, readable, rounded, seconds
from specgen.schema.checks import quantity as has_form

MOST = 2**63 - 1
# Spelling → (value in units, or in billionths where it is below one; as the API server writes it).
SPELLINGS: list[tuple[Any, Decimal | int, str]] = [
    (0, 0, "0"),
    (1, 1, "1"),
    (-3, -3, "-3"),
    (1500, 1500, "1500"),
    (0.05, Decimal("0.05"), "50m"),
    (1e22, 10**22, "10e21"),
    ("0", 0, "0"),
    ("007", 7, "7"),
    ("+5", 5, "5"),
    ("-5", -5, "-5"),
    (".5", Decimal("0.5"), "500m"),
    ("5.", 5, "5"),
    ("-.5Gi", -(2**29), "-512Mi"),
    ("1.5", Decimal("1.5"), "1500m"),
    ("500m", Decimal("0.5"), "500m"),
    ("1000m", 1, "1"),
    ("1500u", Decimal("0.0015"), "1500u"),
    ("2n", Decimal("2e-9"), "2n"),
    ("0.5n", Decimal("1e-9"), "1n"),
    ("-0.5n", Decimal("-1e-9"), "-1n"),
    ("1.0000000001", Decimal("1.000000001"), "1000000001n"),
    ("1k", 1000, "1k"),
    ("1000k", 10**6, "1M"),
    ("1E", 10**18, "1E"),
    ("1e3", 1000, "1e3"),
    ("1E3", 1000, "1e3"),
    ("1E+3", 1000, "1e3"),
    ("15e-1", Decimal("1.5"), "1500e-3"),
    ("1e-10", Decimal("1e-9"), "1e-9"),
    ("100E", 10**20, "100E"),
    ("9223372036854775808", MOST, "9223372036854775807"),
    ("-9223372036854775808", -MOST, "-9223372036854775807"),
    ("1Ki", 1024, "1Ki"),
    ("1023Ki", 1023 * 1024, "1023Ki"),
    ("1024Ki", 2**20, "1Mi"),
    ("1.5Gi", 1536 * 2**20, "1536Mi"),
    ("0.5Ki", 512, "512"),
    ("0.0001Ki", Decimal("0.1024"), "102400u"),
    ("8Ei", MOST, "9223372036854775807"),
    ("128974848000m", 128974848, "128974848"),
]
# fmt: off
NONE: tuple[Any, ...] = (
    "", " ", "+", ".", "m", "Ki", "x", "1x", "1 Gi", " 1", "1\n", "1mm", "1K", "1ki", "1GB", "1Gib", "1.2.3", "1e",
    "1e+", "1e1.5", "1e1m", "--1", "0x10", "1_000", "\u0661", "²", "inf", "nan", "$GPUS", "much",
    True, None, [], {}, 1 + 2j,
)
# fmt: on


@pytest.mark.parametrize(("amount", "value", "written"), SPELLINGS, ids=lambda one: str(one))
def test_a_spelling_has_one_value_and_one_canonical_form(amount: Any, value: Decimal | int, written: str) -> None:
    billionths = nano(amount)
    assert billionths is not None
    assert Decimal(billionths) == Decimal(value) * NANO
    assert canonical(billionths, amount) == written
    assert has_form(str(amount))


@pytest.mark.parametrize("text", NONE, ids=lambda one: repr(one))
def test_what_is_no_quantity(text: Any) -> None:
    assert nano(text) is None
    assert milli(text) is None


@pytest.mark.parametrize(
    "text", [f"1e{'9' * 50}", f"1E-{'9' * 9}", "9" * 100_000, "0." + "0" * 100_000 + "1", "1e99999999"]
)
def test_what_nobody_means_costs_nothing(text: str) -> None:
    began = time.perf_counter()
    assert nano(text) is not None
    assert nano("-" + text) == -(nano(text) or 0)
    assert time.perf_counter() - began < 0.5


def test_numbers_beyond_all_amounts_are_cut() -> None:
    assert nano("9" * 1000) == MOST * NANO
    assert nano(10**30) == MOST * NANO
    assert nano("1e-99999999") == 1
    assert nano("0e99999999") == 0
    assert nano("1" + "0" * 200 + "e-199") == 10 * NANO


@given(
    st.sampled_from(["", "-", "+"]),
    st.decimals(min_value=0, max_value=10**6, allow_nan=False, places=3),
    st.sampled_from(["", "n", "u", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti"]),
)
def test_as_the_client_of_kubernetes_reads_it(sign: str, number: Decimal, unit: str) -> None:
    """Where an amount is a multiple of a billionth: the client neither rounds nor cuts."""
    text = f"{sign}{number:f}{unit}"
    theirs = parse_quantity(text) * NANO  # type: ignore[no-untyped-call]
    value = nano(text)
    assert value is not None
    assert value == theirs if theirs == int(theirs) else abs(value) == int(abs(theirs)) + 1


@given(st.integers(-(10**30), 10**30), st.sampled_from(["", "1Ki", "1e3", "1M"]))
def test_the_canonical_form_is_read_as_the_same_value(value: int, spelling: str) -> None:
    value = max(-MOST * NANO, min(value, MOST * NANO))
    assert nano(canonical(value, spelling)) == value


@given(st.text(alphabet="0123456789.+-eEinumkKMGTP", max_size=12))
def test_what_is_read_has_the_form_of_the_schema(text: str) -> None:
    """The schema's form allows broken exponents besides, ``1e1.5``, which nobody reads."""
    if nano(text) is not None:
        assert has_form(text)
    elif has_form(text):
        assert "." in text.lower().partition("e")[2]


def _amounts(tree: Any) -> Iterator[str]:
    if isinstance(tree, dict):
        for key, value in tree.items():
            if key in ("limits", "requests") and isinstance(value, dict):
                yield from (amount for amount in value.values() if isinstance(amount, str))
            elif key == "sizeLimit" and isinstance(value, str):
                yield value
            else:
                yield from _amounts(value)
    elif isinstance(tree, list):
        for item in tree:
            yield from _amounts(item)


def test_what_a_real_api_server_stored_is_canonical(shared: Path) -> None:
    seen: set[str] = set()
    for folder in ("training-operator-1.9.4", "mpi-operator-0.8.2", "specgen/edge", "specgen/lint-cases"):
        for file in sorted((shared / "conformance" / folder).rglob("*.json")):
            seen.update(_amounts(json.loads(file.read_text(encoding="utf-8")).get("pods")))
    assert len(seen) > 30
    for amount in sorted(seen):
        assert canonical(nano(amount) or 0, amount) == amount


def test_amounts_of_profiles() -> None:
    assert [millis(one) for one in (2, 0.05, "500m", "1.5", "1.0001")] == [2000, 50, 500, 1500, 1001]
    assert [cores(one) for one in (2, "500m", 1.5)] == [2, "500m", "1500m"]
    assert [bytes_of(one) for one in (7, "512Mi", "1.5G")] == [7, 2**29, 1_500_000_000]
    assert [readable(one) for one in (0, 1, 1 << 30, 1536 << 20, 1 << 60)] == ["0", "1", "1Gi", "1536Mi", "1048576Ti"]
    assert [seconds(one) for one in ("90s", "2h", "7d")] == [90, 7200, 604800]
    assert [rounded(one, NANO) for one in (1, NANO, -1, -NANO - 1)] == [1, 1, -1, -2]
    for read in (millis, bytes_of):
        with pytest.raises(ValueError, match="no quantity"):
            read("much")
