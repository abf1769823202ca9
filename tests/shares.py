"""A share of many cases for every day; the others are run with the fuzzers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def one_of(many: int, cases: Iterable[Any]) -> list[Any]:
    """Cases of ``parametrize``, of which each but the first of so many bears the marker ``fuzz``."""
    found = []
    for at, case in enumerate(cases):
        known = isinstance(case, type(pytest.param()))
        values, name, marks = (case.values, case.id, [*case.marks]) if known else ((case,), None, [])
        if at % many:
            marks.append(pytest.mark.fuzz)
        found.append(pytest.param(*values, id=name, marks=marks))
    return found
