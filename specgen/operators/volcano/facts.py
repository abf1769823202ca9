"""Volcano: its release that Jobs were read from."""

from __future__ import annotations

from specgen.operators.release import Operator, Release

OPERATOR = Operator("volcano", (Release("1.15.1"),))
