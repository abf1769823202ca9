"""What this package says of itself, below all that prints it."""

from __future__ import annotations

__version__ = "0.1.0"

# An attribute of the pictures and pages that specgen writes into files: by it they are known as its own.
GENERATOR = 'data-generator="specgen"'
