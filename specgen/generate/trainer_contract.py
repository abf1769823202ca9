"""What the trainer's own program says of itself, `trainer contract --json`, as the table that its rules read.

Help texts are left out: no rule reads them, and their wording is the trainer's own business.
The program is started and not imported: compiler and trainer share nothing. Where the checkout has no trainer, as in an
installed package, there is nothing to write.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

PATH = "specgen/tables/trainer_contract.py"
_ROOT = Path(__file__).resolve().parents[2]
_HEAD = '''\
"""Written by `python -m specgen.generate`: what `python -m trainer contract --json` prints, without help texts."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

'''
_WIDTH = 120


def generate() -> dict[str, str]:
    """Path relative to the repository root → text; empty without a trainer."""
    if not (_ROOT / "trainer" / "__main__.py").is_file():
        return {}
    return {PATH: f"{_HEAD}CONTRACT: dict[str, Any] = {_text(printed(), '')}\n"}


def printed() -> Any:
    """What the program prints, without help texts. Raises CalledProcessError if it fails."""
    command = [sys.executable, "-m", "trainer", "contract", "--json"]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, check=True)
    contract = json.loads(done.stdout)
    for flags in (contract["arguments"][command] for command in ("train", "preflight", "bench")):
        for flag in flags:
            del flag["help"]
    return contract


def _text(value: Any, indent: str, before: int = 0) -> str:
    """A value as Python writes it, on one line where that is short; ``before``: signs in front of it on its line."""
    short, inner = _line(value), indent + "    "
    if not isinstance(value, (dict, list)) or len(indent) + before + len(short) < _WIDTH:
        return short
    if isinstance(value, dict):
        named = {json.dumps(key): below for key, below in value.items()}
        lines = [f"{inner}{key}: {_text(below, inner, len(key) + 2)},\n" for key, below in named.items()]
        return f"{{\n{''.join(lines)}{indent}}}"
    lines = [f"{inner}{_text(below, inner)},\n" for below in value]
    return f"[\n{''.join(lines)}{indent}]"


def _line(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)}: {_line(below)}" for key, below in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_line(below) for below in value) + "]"
    return json.dumps(value) if isinstance(value, str) else repr(value)
