"""The version of this package, below all that prints it."""

from __future__ import annotations

__version__ = "0.1.0"
